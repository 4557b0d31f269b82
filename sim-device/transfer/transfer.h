/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The data transfer engine (Tanasic 2.2). It executes one copy at a time, in bursts; prefetches of
 * managed memory are transfers too; its policy
 * chooses the next one (Tanasic 5.3.1: FCFS unless noted). It moves bytes between process memory
 * and frames, or between frames.
 */
#ifndef VGPU_TRANSFER_H
#define VGPU_TRANSFER_H

#include "../mmu/mmu.h"
#include "../sim/list.h"
#include "../sim/sim.h"
#include "../sim/trace.h"
#include "../sim/work.h"
#include "../vgpu_model.h"

/** struct vgpu_transfer_context - the data of a context in this engine */
struct vgpu_transfer_context {
	u32 id;
	s32 priority;
	struct vgpu_address_space *as;
	struct vgpu_work *work;		/* of the context */
	u64 copies;			/* completed copies, and their bytes */
	u64 copied_bytes;
};

/** struct vgpu_transfer - a pending copy or fill; part of its command */
struct vgpu_transfer {
	struct vgpu_transfer_context *ctx;
	const struct vgpu_cmd *cmd;
	u32 queue;			/* where it comes from, for traces and faults … */
	u64 seq;			/* … and its number there */
	u64 cookie;			/* passed to @move */
	struct vgpu_pq_entry node;	/* in the queue of waiting transfers */
	struct vgpu_list all;		/* in the list of all of them */
	u64 order;			/* order of arrival */
};

/**
 * struct vgpu_transfer_policy - the order of waiting transfers
 * @rank: the lowest rank goes first, ties in order of arrival; NULL: all are equal. A running
 *   transfer is not interrupted.
 */
struct vgpu_transfer_policy {
	const char *name;
	u64 (*rank)(const struct vgpu_transfer_context *ctx);
};

/* Policy @index for listings, NULL past the end. */
const struct vgpu_transfer_policy *vgpu_transfer_policy_at(unsigned int index);

/**
 * struct vgpu_transfer_ops - callbacks of the engine into the rooms above it
 * @move: move bytes between process memory and @memory, as in struct vgpu_host_ops
 * @done: the transfer has completed; the callee frees it
 * @fault: a fault of @ctx. It is torn down in an event of its own, right after the present one
 */
struct vgpu_transfer_ops {
	int (*move)(void *owner, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		    enum vgpu_move dir);
	void (*done)(struct vgpu_transfer *transfer);
	void (*fault)(struct vgpu_transfer_context *ctx, const struct vgpu_fault *fault);
};

struct vgpu_transfer_engine {
	struct vgpu_sim *sim;
	struct vgpu_trace *trace;
	const struct vgpu_config *config;
	const struct vgpu_transfer_ops *ops;
	void *owner;			/* argument of @ops */
	struct vgpu_link *link;		/* shared with page migrations */
	const struct vgpu_transfer_policy *policy;
	struct vgpu_pqueue waiting;
	struct vgpu_list all;		/* waiting transfers */
	struct vgpu_transfer *running;
	u64 order;			/* number of transfers that have arrived */
	u64 started;			/* start time of the running transfer, without waits */
	u64 bytes;			/* its size */
	u64 done;			/* bytes moved so far */
	u64 bandwidth;			/* of its path */
	u32 passes;			/* number of times each byte crosses the path */
	struct vgpu_event burst;	/* end of the present burst */
	struct vgpu_page_waiter waiter;	/* a prefetch waits for a page */
	u32 events;			/* reserved of sim */
};

/*
 * The caller sets sim, trace, config, link, ops and owner of @engine and zeroes the rest. On
 * -ENOMEM call vgpu_transfer_fini() nevertheless.
 */
int vgpu_transfer_init(struct vgpu_transfer_engine *engine);
/* Make room for @count waiting transfers in all. -ENOMEM. */
int vgpu_transfer_reserve(struct vgpu_transfer_engine *engine, u32 count);
void vgpu_transfer_fini(struct vgpu_transfer_engine *engine);
void vgpu_transfer_submit(struct vgpu_transfer_engine *engine, struct vgpu_transfer *transfer);
/* Drop the transfers of @ctx; the engine continues with the others. */
void vgpu_transfer_abort(struct vgpu_transfer_engine *engine, struct vgpu_transfer_context *ctx);
/* The rank of @ctx, of all if it is NULL, may have changed: sort the waiting ones again. */
void vgpu_transfer_rerank(struct vgpu_transfer_engine *engine,
			  const struct vgpu_transfer_context *ctx);

#endif
