/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: copy engines
 *
 * A copy engine, the data transfer engine of Tanasic 2.2, executes one transfer at a time, in
 * bursts. It moves bytes between process memory and frames, or between frames; prefetches of
 * managed memory are transfers too. A device has config.copy_engines of them:
 *
 * 1: it executes all transfers (Tanasic table 5.1).
 * 2: engine 0 executes those to the device and engine 1 those to the host, each on its path of the
 *    interconnect. Transfers within the device, copies and fills, are for whichever is free, engine
 *    0 if both are.
 *
 * An engine that becomes free begins the first by rank, then by arrival, of the waiting transfers
 * that it may execute. One policy ranks those of all engines (Tanasic 5.3.1: FCFS unless noted).
 *
 * Transfers on one path reserve it burst by burst, first come, first served, with all others that
 * use it (fault/link.h). Those within the device share the bandwidth of the memory in the same way:
 * two at a time take as long as one after the other.
 */
#ifndef VGPU_TRANSFER_H
#define VGPU_TRANSFER_H

#include "../mmu/mmu.h"
#include "../sim/list.h"
#include "../sim/sim.h"
#include "../sim/trace.h"
#include "../sim/work.h"
#include "../vgpu_model.h"

#define VGPU_COPY_ENGINES	2u	/* config.copy_engines at most */

/** enum vgpu_transfer_path - what a transfer crosses; the first two as enum vgpu_link_path */
enum vgpu_transfer_path {
	VGPU_TRANSFER_TO_DEVICE = VGPU_LINK_TO_DEVICE,
	VGPU_TRANSFER_TO_HOST = VGPU_LINK_TO_HOST,
	VGPU_TRANSFER_WITHIN,		/* the memory of the device */
	VGPU_TRANSFER_PATHS
};

/** struct vgpu_transfer_context - the data of a context in this room */
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
	u32 path;			/* enum vgpu_transfer_path */
	struct vgpu_pq_entry node;	/* in the queue of those that wait for the path */
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
 * struct vgpu_transfer_ops - callbacks of the engines into the rooms above them
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

struct vgpu_transfers;

/** struct vgpu_copy_engine - one engine */
struct vgpu_copy_engine {
	struct vgpu_transfers *transfers;
	u32 index;
	u32 serves;			/* 1 << path: the transfers that it may execute */
	struct vgpu_transfer *running;
	u64 began;			/* when the running transfer did … */
	u64 busy;			/* time of those that have ended, in picoseconds */
	u64 started;			/* start time of the running transfer, without waits */
	u64 bytes;			/* its size */
	u64 done;			/* bytes moved so far */
	u64 bandwidth;			/* of its path */
	u32 passes;			/* number of times each byte crosses the path */
	u64 crosses;			/* when the present burst begins to cross its path */
	struct vgpu_event burst;	/* end of the present burst */
	struct vgpu_page_waiter waiter;	/* a prefetch waits for a page */
};

/** struct vgpu_transfers - the copy engines of a device */
struct vgpu_transfers {
	struct vgpu_sim *sim;
	struct vgpu_trace *trace;
	const struct vgpu_config *config;
	const struct vgpu_transfer_ops *ops;
	void *owner;			/* argument of @ops */
	struct vgpu_link *link;		/* shared with page migrations */
	u64 memory_free;		/* the same for transfers within the device */
	const struct vgpu_transfer_policy *policy;
	struct vgpu_pqueue waiting[VGPU_TRANSFER_PATHS];
	struct vgpu_list all;		/* waiting transfers */
	u64 order;			/* number of transfers that have arrived */
	struct vgpu_copy_engine engines[VGPU_COPY_ENGINES];
	u32 events;			/* reserved of sim */
};

/*
 * The caller sets sim, trace, config, link, ops and owner of @transfers and zeroes the rest. On
 * -ENOMEM call vgpu_transfers_fini() nevertheless.
 */
int vgpu_transfers_init(struct vgpu_transfers *transfers);
/* Make room for @count waiting transfers in all. -ENOMEM. */
int vgpu_transfers_reserve(struct vgpu_transfers *transfers, u32 count);
void vgpu_transfers_fini(struct vgpu_transfers *transfers);
void vgpu_transfer_submit(struct vgpu_transfers *transfers, struct vgpu_transfer *transfer);
/* Drop the transfers of @ctx; the engines continue with the others. */
void vgpu_transfers_abort(struct vgpu_transfers *transfers, struct vgpu_transfer_context *ctx);
/* The rank of @ctx, of all if it is NULL, may have changed: sort the waiting ones again. */
void vgpu_transfers_rerank(struct vgpu_transfers *transfers,
			   const struct vgpu_transfer_context *ctx);
/* Picoseconds for which engine @index has had a transfer; 0 for one that the device has not. */
u64 vgpu_transfers_busy(const struct vgpu_transfers *transfers, u32 index);

#endif
