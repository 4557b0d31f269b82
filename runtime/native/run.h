/* SPDX-License-Identifier: MIT */
/* A kernel's native code, and what executes a warp with it. Private to native/. */
#ifndef VGPU_NATIVE_RUN_H
#define VGPU_NATIVE_RUN_H

#include "translate.h"

/** struct native_kernel - what native.c keeps of each kernel, by its code */
struct native_kernel {
	struct vgpu_native_code code;
	struct native_kernel *next;	/* with the same hash */
	uint64_t hash;
	uint32_t count;
	struct vgpu_insn *insns;	/* a copy; native code refers to it */
	uint16_t cost[VGPU_OP_COUNT];
	enum vgpu_native_vectors vectors;	/* its code is for these */
	enum vgpu_lanes_end (*interpreter)(struct vgpu_lanes *lanes);
	enum vgpu_lanes_end (*one)(struct vgpu_lanes *lanes, const struct vgpu_insn *i, u32 m);
	/* code.run: may be executed, and not be written; NULL: there is none for this kernel */
	const uint8_t *start;
	size_t room;			/* bytes of its mapping, between two pages more */
	uint32_t *entries;		/* struct native_object */
	bool strided;			/* there is code for strides */
};

/*
 * Called by code (frame.c): what comes before @s->warp can go on by it, @why not without. Returns
 * what code.run is to return, or NATIVE_ENTER.
 */
u32 vgpu_native_go_on(struct vgpu_lanes *s, u32 why);
#define NATIVE_ENTER	(~0u)
/* … how many lanes these are */
u32 vgpu_native_count(u32 lanes);

/* For struct vgpu_native_code */
u32 vgpu_native_begin(void);
void vgpu_native_end(u32 was);

#endif
