/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: protocols between the L1s and L2
 *
 * A protocol says how an access uses the L1 of its SM, whether a line may still be used there, what
 * a fence does, and what happens at L2 before and after a request takes effect. It is a table of
 * operations, listed in coherence.c. What it can do:
 *
 *   delay       before() of L2 returns cycles: the request comes again then, and others overtake it
 *   abort       before() sets request->aborted: no effect, and the SM is told
 *   time-stamp  lines of L1 and L2 and requests have a word each that is the protocol's: after()
 *               may put one into the response, the line that enters the L1 keeps it, and valid()
 *               sees it
 *   invalidate  vgpu_memsys_message() sends a word to an L1, whose message() may drop lines
 *
 * Operations that are NULL cost nothing.
 */
#ifndef VGPU_MEMSYS_COHERENCE_H
#define VGPU_MEMSYS_COHERENCE_H

#include "memsys.h"

struct vgpu_l2_line;
struct vgpu_mem_request;

/** enum vgpu_l1_use - bits: how an access uses the L1 */
enum vgpu_l1_use {
	VGPU_L1_LOOKUP = 1,	/* LOAD: a line that is there answers */
	VGPU_L1_ENTER = 2,	/* LOAD: the line enters the L1, and misses of it are merged */
	VGPU_L1_STREAM = 4,	/* with ENTER: it is the next of its set to go */
	VGPU_L1_UPDATE = 8,	/* STORE: a line that is there takes the bytes */
	VGPU_L1_DROP = 16,	/* a line that is there is dropped */
	VGPU_L1_WAIT = 32,	/* FENCE: waits for all that was sent before */
	VGPU_L1_ACQUIRE = 64,	/* at its end the L1 is invalidated */
	VGPU_L1_TEXTURE = 128,	/* LOAD: LOOKUP and ENTER are of the cache of textures */
};

/**
 * struct vgpu_coherence_ops - a protocol
 * @name: of the configuration
 * @use: bits of enum vgpu_l1_use for accesses of @kind with these fields. A function of its
 *   arguments alone: asked once for each when the hierarchy is created
 * @valid: may the line with @stamp, which is in @l1, be used at @cycle? NULL: always
 * @before: @request is about to take effect in L2 at @cycle; @line: NULL: L2 has none. Returns 0,
 *   or cycles after which it is asked again. NULL: 0
 * @after: it has taken effect. NULL: nothing to do
 * @message: @message has come to @l1 at @cycle. NULL: this protocol sends none
 */
struct vgpu_coherence_ops {
	const char *name;
	u32 (*use)(const struct vgpu_config *config, enum vgpu_mem_kind kind, enum vgpu_order order,
		   enum vgpu_scope scope, enum vgpu_cache cache);
	bool (*valid)(const struct vgpu_l1d *l1, u64 stamp, u64 cycle);
	u64 (*before)(struct vgpu_memsys *memsys, struct vgpu_mem_request *request,
		      struct vgpu_l2_line *line, u64 cycle);
	void (*after)(struct vgpu_memsys *memsys, struct vgpu_mem_request *request,
		      struct vgpu_l2_line *line, u64 cycle);
	void (*message)(struct vgpu_l1d *l1, const struct vgpu_mem_request *message, u64 cycle);
};

extern const struct vgpu_coherence_ops vgpu_coherence_gpu;

/** vgpu_coherence_find - the protocol @name; NULL: there is none */
const struct vgpu_coherence_ops *vgpu_coherence_find(const char *name);
/**
 * vgpu_memsys_use_protocol - use @ops from now on. Nothing may be in flight; L1s are invalidated
 */
void vgpu_memsys_use_protocol(struct vgpu_memsys *memsys, const struct vgpu_coherence_ops *ops);

#endif
