/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A kernel launch and its thread blocks, as shared by the execution engine and the SMs. The
 * engine fills a launch from a command; the SMs only read it.
 */
#ifndef VGPU_LAUNCH_H
#define VGPU_LAUNCH_H

#include "../platform.h"
#include "../sim/list.h"
#include "../vgpu_model.h"

/* Thread blocks of one kernel: more than any run can end, and sums of them do not overflow. */
#define VGPU_LAUNCH_BLOCKS_MAX	(1ull << 62)

struct vgpu_access_counts;
struct vgpu_address_space;
struct vgpu_kernel;
struct vgpu_work;

/** struct vgpu_launch - one launched kernel, compiled or profiled */
struct vgpu_launch {
	u32 id;				/* unique on the device, from 1 */
	u32 context;
	u32 queue;			/* the command that launched it, for who watches */
	u64 seq;
	void *watched;			/* what stands for it there (watch.h); NULL: nothing yet */
	const struct vgpu_block_kind *kind;
	/* uapi handle and index, for faults and traces; ~0: profiled */
	u32 module;
	u32 kernel_index;
	struct vgpu_address_space *as;
	struct vgpu_mem_account *memory;	/* of its context */
	struct vgpu_work *work;			/* of its context */
	struct vgpu_access_counts *counts;	/* of its context (mmu/placement.h); NULL: none */
	const struct vgpu_kernel *kernel;	/* verified code; NULL: profiled */
	u32 grid[3];
	u32 block[3];
	u64 blocks;			/* thread blocks in the grid */
	u32 threads;			/* per block */
	u32 warps;			/* per block */
	/* 32-bit registers, warps x 32 x registers per thread when compiled */
	u32 regs_per_block;
	u32 shared_bytes;		/* per block, static and dynamic */
	u32 dynamic_shared;
	bool stopped;			/* its context has died: no block executes any more */
	bool apart;			/* VGPU_LAUNCH_APART */
	bool cooperative;		/* VGPU_LAUNCH_COOPERATIVE */
	const u8 *params;
	u32 param_bytes;
	/* profiled only */
	u64 block_ps;
	u32 block_cv_permille;
	u32 idempotent_permille;	/* of a block: see struct vgpu_cmd_profiled */
	u32 clean_base_permille;	/* the same */
	u32 clean_increment_permille;
	u32 touches;			/* of a block; 0: it touches no memory */
	u32 touch_bytes;		/* each time */
	bool touch_write;
	u64 touch_address;		/* of block 0, first */
	struct vgpu_counters *counters;	/* of each SM; NULL: it is not counted */
	/* compiled: what blocks that have ended have executed, for estimates of the others */
	u64 ended_blocks;
	u64 ended_instructions;		/* warp instructions */
	u64 ended_ps;			/* for so long they were on SMs */
};

/* States of an issued thread block; accounts have the time in each. */
enum vgpu_block_state {
	VGPU_BLOCK_RUNNING,		/* resident in an SM */
	VGPU_BLOCK_PREEMPTED,		/* saved: in the PTBQ of its kernel */
	VGPU_BLOCK_SAVING,		/* its state is being saved, or waits to be saved */
	VGPU_BLOCK_RESTORING,		/* the same for restoring */
	VGPU_BLOCK_STATES,
	VGPU_BLOCK_NONE = VGPU_BLOCK_STATES	/* not issued yet, or ended */
};

/* vgpu_block.checkpoint (exec/checkpoint.c) */
#define VGPU_CHECKPOINT_RECORD	1u	/* struct vgpu_checkpoint says what is saved of it */
#define VGPU_CHECKPOINT_MOVES	2u	/* it stands while base checkpoints are made */

/* Those of @launch on SM @sm; NULL: it is not counted */
static inline struct vgpu_counters *vgpu_launch_counters(const struct vgpu_launch *launch, u32 sm)
{
	return unlikely(launch->counters) ? &launch->counters[sm] : NULL;
}

struct vgpu_sm;
struct vgpu_touching;
struct vgpu_warps;

/**
 * struct vgpu_block - a thread block that has been issued. Its state is its own: one block can
 * leave its SM while its neighbours run. A cache line.
 */
struct vgpu_block {
	struct vgpu_launch *launch;
	u64 index;			/* in the grid, x fastest */
	u8 slot;			/* in its SM */
	bool charged;			/* launch->memory pays for this struct */
	/* 0 of a new one, side by side: written together */
	u8 state;			/* enum vgpu_block_state */
	bool dropped : 1;		/* preempted by a flush: the save area has nothing of it */
	bool throttled : 1;		/* no instruction of it is fetched */
	u8 checkpoint;			/* VGPU_CHECKPOINT_*; 0: none of it has been saved */
	u8 leave;			/* enum vgpu_leave: it has been told to; NONE: it has not */
	u8 flushes;			/* how often @index was dropped; stops at 255 */
	bool stopping;			/* it leaves the SM when the present slice has ended */
	struct vgpu_sm *sm;		/* NULL: not resident */
	struct vgpu_list node;		/* in the list of its present owner */
	u64 remaining_ps;		/* profiled: when preempted; 0: it has not begun */
	/* NULL before the first issue: */
	union {
		/* profiled, and idempotent for a part: its time altogether */
		u64 total_ps;
		/* compiled: registers, stacks, shared and local memory */
		struct vgpu_warps *warps;
		/* profiled, touching memory: how far it is (block_touching.c) */
		struct vgpu_touching *touching;
	};
};

#endif
