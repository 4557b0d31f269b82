/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: counters that belong to a launch
 *
 * With the knob kernel_statistics each launch has a struct vgpu_counters for each SM. What happens
 * is counted where it happens, for the launch of the block that causes it: several launches may
 * have blocks on one SM, so nothing is found out from the SM. When the launch ends, or is dropped,
 * the host has them by vgpu_host_ops.counted(). They cost no virtual time.
 *
 * Only what an SM does, and what the actor does for it, touches the counters of that SM: SMs that
 * are executed at the same time share none.
 *
 * Memory for them is kept for launches to come, and freed with the device. So what outlives its
 * launch, as a request in a cache, may point to counters: it says whose, and nothing is counted for
 * another launch (vgpu_counters_of()).
 */
#ifndef VGPU_COUNTERS_H
#define VGPU_COUNTERS_H

#include "platform.h"
#include "vgpu_count.h"

/**
 * struct vgpu_counters - of one launch on one SM
 * @value: by enum vgpu_counter
 * @launch: its number; 0: of none
 * @blocks: resident now, for VGPU_COUNT_ACTIVE_TIME
 */
struct vgpu_counters {
	u64 value[VGPU_COUNTER_COUNT];
	u32 launch;
	u32 blocks;
};

/**
 * struct vgpu_launch_counts - a launch that has ended
 * @launch: its number, unique on the device, as in traces
 * @queue, @seq: its command
 * @name: of the kernel, NULL: a profiled one. Valid during the call, as all that is pointed to
 * @grid, @block: blocks, and threads of a block
 * @registers: 32-bit ones of a block; @shared_bytes: of a block; @warps: of a block
 * @occupancy: blocks that fit into one SM
 * @submitted: when the process submitted it; @started: when it was first on an SM, 0: never;
 *   @ended: now. Picoseconds
 * @preempted_ps: since it started, without an SM
 * @pipelined: its blocks run with timing=pipeline; false: counters that need that are 0
 * @complete: it has ended by itself; false: its context has died or was closed
 * @sms: number of @sm
 */
struct vgpu_launch_counts {
	u32 launch;
	u32 context;
	u32 queue;
	u64 seq;
	const char *name;
	u32 grid[3];
	u32 block[3];
	u32 registers;
	u32 shared_bytes;
	u32 warps;
	u32 occupancy;
	u64 submitted;
	u64 started;
	u64 ended;
	u64 preempted_ps;
	bool pipelined;
	bool complete;
	u32 sms;
	const struct vgpu_counters *sm;
};

static inline void vgpu_count(struct vgpu_counters *counters, enum vgpu_counter what, u64 by)
{
	if (unlikely(counters))
		counters->value[what] += by;
}

/* Those that somebody has kept of @launch, if they are its still; else NULL */
static inline struct vgpu_counters *vgpu_counters_of(struct vgpu_counters *kept, u32 launch)
{
	return unlikely(kept) && kept->launch == launch ? kept : NULL;
}

#endif
