/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The tables of the execution engine (Tanasic 5.2.3): an entry of the KSRT for each active kernel,
 * an entry of the SMST for each SM.
 */
#ifndef VGPU_EXEC_TABLES_H
#define VGPU_EXEC_TABLES_H

#include "../sm/sm.h"
#include "context.h"

/* States of an active kernel; its account has the time in each. */
enum vgpu_kernel_state {
	VGPU_KERNEL_QUEUED,
	VGPU_KERNEL_RUNNING,
	VGPU_KERNEL_PREEMPTED,
	VGPU_KERNEL_STATES
};

/** struct vgpu_ksr - kernel status register: one active kernel and its context (Tanasic 5.2.3) */
struct vgpu_ksr {
	struct vgpu_launch launch;
	struct vgpu_exec *exec;
	struct vgpu_exec_context *ctx;	/* NULL: the entry is free */
	struct vgpu_job *job;
	struct vgpu_list node;		/* active queue, in the order of admission */
	struct vgpu_list need[VGPU_KSR_NEEDS];	/* entries in lists of its context */
	u64 order;			/* order of admission */
	u32 priority;			/* among the kernels of its context */
	u32 occupancy;			/* thread blocks that fit into one SM */
	u32 shared_config;		/* shared memory an SM is set to for it */
	struct vgpu_resources needs;	/* of a block */
	u64 decided;			/* vgpu_exec_blocks_of() */
	u64 coming;			/* of these: promised room, vgpu_exec_replace() */
	u32 sms;			/* SMs assigned to it, or that have blocks of it */
	u32 reserved;			/* SMs that are being preempted for it */
	u64 promised;			/* blocks that the reserved SMs will take */
	u64 room;			/* ... and SMs that have been set up with one (spread.c) */
	u64 next_block;			/* the first one never issued */
	/* blocks to issue, preempted ones too, that no SM in setup has claimed */
	u64 unclaimed;
	u64 ended;			/* blocks */
	struct vgpu_list ptbq;		/* preempted thread blocks, oldest first */
	bool started;			/* a block was issued */
	struct vgpu_event watchdog;
	/* accounts */
	enum vgpu_kernel_state state;
	u64 since;			/* the account is valid up to this time */
	u64 time[VGPU_KERNEL_STATES];
	u32 blocks_in[VGPU_BLOCK_STATES];
	/* sum of when blocks left a state minus sum of when they came, modulo 2^64 */
	u64 block_time[VGPU_BLOCK_STATES];
	u64 block_life;			/* sum of end times minus sum of first issue times */
};

#define VGPU_SM_SLOTS			VGPU_BLOCKS_MOST

/**
 * struct vgpu_sharer - a kernel that has blocks on an SM beside others, or a partition of it
 * (residents.c)
 */
struct vgpu_sharer {
	struct vgpu_list node;		/* in its SM, in the order of arrival */
	struct vgpu_smst *smst;
	struct vgpu_ksr *ksr;		/* NULL: the entry is free */
	u32 blocks;			/* on the SM, or on their way to it or from it */
	u32 claimed;			/* of these: not issued before the setup has ended */
	u32 leaving;			/* of these: told to leave */
	u32 coming;			/* not of these: they come when there is room */
	u32 partition;			/* most blocks; VGPU_NO_PARTITION */
	u32 would_leave;		/* blocks, for an announced launch (trial.c) */
	u32 turns;			/* since a block came first, or left for it (rotate.c) */
	struct vgpu_row_event setup;
};

/**
 * struct vgpu_told - what a block was told that is to leave an SM (leave.c)
 * @time: when it was told first
 * @stop: when it was told to stop: what it has in flight ends after that
 * @latency: estimated then, until it has left; VGPU_NEVER: not known
 * @lost: the same of work that is lost
 * @chosen: a mechanism chose for it; else @latency and @lost mean nothing
 */
struct vgpu_told {
	u64 time;
	u64 stop;
	u64 latency;
	u64 lost;
	bool chosen;
};

/**
 * struct vgpu_smst_tables - what struct vgpu_smst has by resident and by slot: apart from it, as
 * all that every decision looks at, of all SMs, is to fit into a processor's cache
 */
struct vgpu_smst_tables {
	struct vgpu_sharer resident[VGPU_SM_KERNELS_MOST];
	struct vgpu_told told[VGPU_SM_SLOTS];
	struct vgpu_told saves[VGPU_SM_SLOTS];
	u64 marks[VGPU_SM_SLOTS];
};

/**
 * struct vgpu_smst - SM status table, one entry. Its state follows from its blocks: see
 * vgpu_sm_driver_update().
 *
 * An SM is in the hands of one kernel, @ksr, or has @residents; never both.
 */
struct vgpu_smst {
	/* What every SM that changes hands looks at: the first cache lines. */
	struct vgpu_exec *exec;
	u32 sm;				/* its number */
	enum vgpu_sm_state state;
	bool leaving;			/* being preempted: blocks leave, none is issued */
	bool stalled;			/* to be saved when no warp waits for a page any more */
	bool draining;			/* to be saved when its instructions in flight have ended */
	bool switched;			/* it has, or had, blocks off the SM */
	/* it stands for a base checkpoint, its own or beside a preemption (checkpoint.c) */
	bool checkpointing;
	bool for_turn;			/* @announcer has no launch (turn.c) */
	u32 announcer;			/* the context that it is prepared for, or 0 (announce.c) */
	u32 standing;			/* blocks in moving that stand for theirs */
	u32 drains;			/* blocks told to leave that run to their end (leave.c) */
	u32 saves_count;
	struct vgpu_ksr *ksr;		/* issues blocks of this kernel; NULL: idle, or shared */
	struct vgpu_ksr *next;		/* kernel it is reserved for; NULL: that has ended */
	/* context that it counts for: that of @next if it is being preempted, else that of @ksr */
	struct vgpu_exec_context *holder;
	u32 kernels;			/* residents */
	/* blocks it will issue: when set up, or when as many of those being saved have been */
	u32 claimed;
	u32 turns;			/* for which it has been @ksr's (rotate.c) */
	u32 room;			/* part of that of @ksr */
	u32 saving;			/* number of the moving blocks that are being saved */
	u32 restoring;
	u32 off_count;
	/* in the list of its holder's SMs; without a holder in vgpu_exec.unreserved */
	struct vgpu_list node;
	u64 turn;			/* when a ready block must get a place, or VGPU_NEVER */
	u64 since;			/* accounts are valid up to this time */
	u64 time[VGPU_SM_STATES];
	u64 instructions;		/* already in its contexts' accounts */
	u64 thread_instructions;
	struct vgpu_resources used;	/* by the blocks of all residents */
	struct vgpu_row_event setup;
	struct vgpu_event preempt;	/* next action of the mechanism */
	struct vgpu_event move;		/* the move ends */
	struct vgpu_event local;	/* the local scheduler runs (block_switch.c) */
	struct vgpu_event look;		/* the SM is looked at, to be prepared (base.c) */
	/* called some time after a block has come, NULL: it is not watched */
	void (*came)(struct vgpu_exec *exec, u32 sm);
	const struct vgpu_preemption *chooser;	/* that chose last; NULL: all leave together */
	const struct vgpu_preemption *begun_by;	/* whose begin() was called last */
	bool own_fn;			/* @preempt_fn is that mechanism's, and not of the engine */
	u64 requested;			/* when it was reserved */
	void (*preempt_fn)(struct vgpu_exec *exec, u32 sm);
	void (*look_fn)(struct vgpu_exec *exec, u32 sm);
	/*
	 * Blocks that are being saved or restored. They move one after the other, except that
	 * consecutive saves move together.
	 */
	struct vgpu_list moving;
	u32 batch;			/* number of blocks at the head that move now */
	u64 batch_bytes;
	struct vgpu_list off;		/* swapped-out blocks: saved, not moving */
	/* several kernels side by side (residents.c): */
	struct vgpu_list residents;
	u32 shared_config;		/* bytes of shared memory, while it has blocks */
	struct vgpu_resources leaving_part;	/* of @used by blocks told to leave */
	struct vgpu_resources coming_part;	/* by those that come when there is room */
	struct vgpu_sharer *resident;	/* VGPU_SM_KERNELS_MOST */
	/* blocks that leave one by one (leave.c): */
	u32 saves_first;
	struct vgpu_told *told;		/* by slot, of blocks that have been told */
	struct vgpu_told *saves;	/* the same of those being saved, a ring of @saves_count */
	u64 *marks;			/* by slot, how far blocks were that have come; or NEVER */
	/* base checkpoints (checkpoint.c, base.c): */
	u64 checkpoint_since;
	u64 checkpoint_least;		/* blocks that end sooner than that are not in it */
	u64 in_place;			/* bytes of blocks saved here that have stayed here */
	u64 in_place_room;		/* of the save that begins: so many more may */
};

#endif
