/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The data transfer engine (Tanasic 2.2): one copy at a time, in bursts; which one comes next is
 * its policy's choice (Tanasic 5.3.1: FCFS unless noted). It moves bytes between process memory and
 * frames, or between frames.
 */
#ifndef VGPU_TRANSFER_H
#define VGPU_TRANSFER_H

#include "../mmu/mmu.h"
#include "../sim/list.h"
#include "../sim/sim.h"
#include "../sim/trace.h"
#include "../vgpu_model.h"

/** struct vgpu_transfer_context - a context as this engine knows it */
struct vgpu_transfer_context {
	u32 id;
	s32 priority;
	struct vgpu_address_space *as;
	u64 copies;			/* that have ended well, and their bytes */
	u64 copied_bytes;
};

/** struct vgpu_transfer - a copy or fill on its way; part of its command */
struct vgpu_transfer {
	struct vgpu_transfer_context *ctx;
	const struct vgpu_cmd *cmd;
	u32 queue;			/* it comes from, for traces and faults … */
	u64 seq;			/* … and its number there */
	u64 cookie;			/* the host's, for @move */
	struct vgpu_pq_entry node;	/* it waits */
	struct vgpu_list all;		/* the same */
	u64 order;			/* of arrival */
};

/**
 * struct vgpu_transfer_policy - the order of waiting transfers
 * @rank: the lowest rank goes first, equal ranks in the order in which they came; NULL: all are
 *   equal. A transfer that runs is not interrupted.
 */
struct vgpu_transfer_policy {
	const char *name;
	u64 (*rank)(const struct vgpu_transfer_context *ctx);
};

/* Policy @index for listings, NULL past the end. */
const struct vgpu_transfer_policy *vgpu_transfer_policy_at(unsigned int index);

/**
 * struct vgpu_transfer_ops - what the engine asks of who stands above it
 * @move: between process memory and @memory, as in struct vgpu_host_ops
 * @done: the transfer has ended well; it is gone on return
 * @fault: @ctx did what ends it. It ends in an event of its own, right behind the present one
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
	void *owner;			/* of @ops */
	const struct vgpu_transfer_policy *policy;
	struct vgpu_pqueue waiting;
	struct vgpu_list all;		/* that wait */
	struct vgpu_transfer *running;
	u64 order;			/* transfers that ever arrived */
	u64 started;			/* of the one that runs */
	u64 bytes;			/* all of it */
	u64 done;			/* moved so far */
	u64 bandwidth;			/* it moves at */
	u32 passes;			/* times each byte crosses it */
	struct vgpu_event burst;	/* end of the burst on its way */
	u32 events;			/* reserved of sim */
};

/*
 * @engine is zero but for sim, trace, config, ops and owner; at most config->hw_queues transfers
 * wait in it. -ENOMEM: vgpu_transfer_fini() is to be called all the same.
 */
int vgpu_transfer_init(struct vgpu_transfer_engine *engine);
void vgpu_transfer_fini(struct vgpu_transfer_engine *engine);
void vgpu_transfer_submit(struct vgpu_transfer_engine *engine, struct vgpu_transfer *transfer);
/* Drop what @ctx has here; the engine goes on with the others. */
void vgpu_transfer_abort(struct vgpu_transfer_engine *engine, struct vgpu_transfer_context *ctx);
/* Ranks may have changed: sort the waiting ones again. */
void vgpu_transfer_rerank(struct vgpu_transfer_engine *engine);

#endif
