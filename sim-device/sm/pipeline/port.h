/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where the accesses of an SM to global memory go: its port. The calls are those of an L1 data
 * cache of memsys/memsys.h, which says what they mean and in which order they are made; a memory
 * model is who answers them. So the pipeline can be tested on a memory of which everything is
 * known.
 */
#ifndef VGPU_PIPE_PORT_H
#define VGPU_PIPE_PORT_H

#include "../../memsys/memsys.h"

struct vgpu_sm;

/**
 * struct vgpu_port_answer - of an access that is DONE
 * @cycle: when the data are there
 * @data: LOAD: the bytes of the line; valid until the next call for this port
 * @atomic: ATOMIC: with its results; the same
 */
struct vgpu_port_answer {
	u64 cycle;
	const u8 *data;
	const struct vgpu_mem_atomic *atomic;
};

/** struct vgpu_port - of one SM; the model's own data follows it */
struct vgpu_port {
	const struct vgpu_memory_model *model;
	const struct vgpu_config *config;
};

/**
 * struct vgpu_memory_model - who answers
 * @open: the port of @sm; NULL: no memory
 * @window: cycles that an SM may simulate ahead
 * @access, @response, @next, @submit, @idle, @serve, @invalidate, @disown: as vgpu_l1d_access() ...
 * @apart: may SMs be in their windows at the same time? NULL: they may not
 * @direct: the page at @bytes, frame @frame, is about to be accessed behind the caches
 */
struct vgpu_memory_model {
	const char *name;
	struct vgpu_port *(*open)(struct vgpu_sm *sm);
	void (*close)(struct vgpu_port *port);
	u32 (*window)(const struct vgpu_port *port);
	enum vgpu_mem_result (*access)(struct vgpu_port *port, const struct vgpu_mem_access *access,
				       struct vgpu_port_answer *answer);
	const struct vgpu_mem_response *(*response)(struct vgpu_port *port, u64 cycle);
	u64 (*next)(const struct vgpu_port *port);
	void (*submit)(struct vgpu_port *port);
	bool (*idle)(const struct vgpu_port *port);
	void (*serve)(struct vgpu_port *port, u32 context);
	void (*invalidate)(struct vgpu_port *port);
	void (*disown)(struct vgpu_port *port, const void *owner);
	bool (*apart)(const struct vgpu_port *port);
	void (*direct)(struct vgpu_port *port, u64 frame, bool write);
};

extern const struct vgpu_memory_model vgpu_memory_caches;
extern const struct vgpu_memory_model vgpu_memory_flat;

#endif
