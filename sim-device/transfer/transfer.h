/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The data transfer engine (Tanasic 2.2): one copy at a time, in bursts; which one comes next is
 * its policy's choice (Tanasic 5.3.1: FCFS unless noted). It moves bytes between process memory and
 * frames, or between frames.
 */
#ifndef VGPU_TRANSFER_H
#define VGPU_TRANSFER_H

#include "../queue/queue.h"

/**
 * struct vgpu_transfer_policy - the order of waiting transfers
 * @rank: the lowest rank goes first, equal ranks in the order in which they came. A transfer that
 *   runs is not interrupted.
 */
struct vgpu_transfer_policy {
	const char *name;
	u64 (*rank)(const struct vgpu_context *ctx);
};

/* Policy @index for listings, NULL past the end (policy.c). */
const struct vgpu_transfer_policy *vgpu_transfer_policy_at(unsigned int index);

struct vgpu_transfer_engine {
	const struct vgpu_transfer_policy *policy;
	struct vgpu_tournament waiting;	/* commands */
	struct vgpu_command *running;
	u64 order;			/* commands that ever arrived */
	u64 started;			/* of the one that runs */
	u64 bytes;			/* all of it */
	u64 done;			/* moved so far */
	u64 bandwidth;			/* it moves at */
	u32 passes;			/* times each byte crosses it */
	struct vgpu_event burst;	/* end of the burst on its way */
};

int vgpu_transfer_init(struct vgpu_device *dev);
void vgpu_transfer_fini(struct vgpu_device *dev);
void vgpu_transfer_submit(struct vgpu_device *dev, struct vgpu_command *command);
/* Drop what @ctx has here; the engine goes on with the others. */
void vgpu_transfer_abort(struct vgpu_device *dev, struct vgpu_context *ctx);
/* Ranks may have changed: sort the waiting commands again. */
void vgpu_transfer_rerank(struct vgpu_device *dev);

#endif
