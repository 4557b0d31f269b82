/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The state of a compiled block between two slices (warps.c), what an SM needs to execute one (sm.c
 * makes it), and what it costs (timing.c). Private to sm/.
 */
#ifndef VGPU_WARPS_H
#define VGPU_WARPS_H

#include "../sim/work.h"
#include "lanes.h"
#include "sm.h"

/*
 * Most memory one block's state may take: local memory of 1024 threads at 32 KB each, and the rest.
 */
#define VGPU_WARPS_MAX_BYTES	(40ull << 20)

/** struct vgpu_barrier - one of the barriers of a block */
struct vgpu_barrier {
	u32 arrived;		/* warps that wait at it */
	u32 lanes;		/* threads of them that arrived */
	u32 true_lanes;		/* BARRED: those whose predicate is true */
};

/**
 * struct vgpu_copy - what is saved of a block that has a base checkpoint (written.c), one
 * allocation. Part 0 is the base, part 1 the increment
 * @sets: VGPU_UNWRITTEN_WORDS of each warp of each part: a bit for each register in it
 * @rows: all registers of each warp of each part; of those that are not in it anything
 * @shared: shared memory of each part
 */
struct vgpu_copy {
	u64 bytes;
	u32 warps;
	u32 regs;
	bool made[2];
	u64 *sets;
	u32 *rows;
	u8 *shared;
};

/** struct vgpu_warps - registers, stacks and shared memory of a block, one allocation */
struct vgpu_warps {
	struct vgpu_warps *next;	/* in the pool */
	struct vgpu_sm *home;		/* whose pool it returns to */
	size_t room;			/* bytes of the allocation */
	struct vgpu_mem_account *memory;	/* that pays for it */
	u32 count;
	u32 ready;			/* warps that can execute */
	u32 pending;			/* warps that wait for pages */
	u32 exited;
	u32 work;			/* of the device, for a block that has it (sim/work.h) */
	u32 started;			/* … of its first slice */
	bool used;			/* by a block before: what is not cleared is anything */
	bool begun;			/* @warp, @shared and registers are the block's */
	bool faulted;			/* fault is to be reported */
	bool let_go;			/* some that waited may execute, since the first was next */
	void *watched;			/* what stands for the block (watch.h); NULL: nothing */
	struct vgpu_fault fault;
	struct vgpu_block_count executed;
	/* of what the present block has executed (progress.c): */
	u64 counted;			/* instructions that are not in @executed any more */
	u64 others;			/* instructions in @executed that are of blocks before */
	u64 ran;			/* picoseconds on SMs, up to when it left the last one */
	u64 since;			/* when it came to its SM */
	u32 index[3];			/* of the block in the grid */
	u32 shared_bytes;
	u32 local_bytes;		/* per thread */
	u8 *shared;
	u32 *regs;			/* of all warps */
	void *extra;			/* of the timing model; NULL: it needs nothing */
	struct vgpu_copy *copy;		/* NULL: it has no base checkpoint */
	struct vgpu_barrier barriers[VGPU_BARRIERS];
	struct vgpu_warp *warp;
};

/* Nothing is left to execute: the block has ended or faulted. */
static inline bool vgpu_warps_over(const struct vgpu_warps *warps)
{
	return warps->faulted || warps->exited == warps->count;
}

/* Does a warp wait at a barrier? */
static inline bool vgpu_warps_barred(const struct vgpu_warps *warps)
{
	return warps->ready + warps->pending + warps->exited < warps->count;
}

/* @block, or the first compiled one behind it; NULL: there is none. Others may be beside them. */
static inline struct vgpu_block *vgpu_compiled_from(const struct vgpu_sm *sm,
						    struct vgpu_block *block)
{
	while (block && unlikely(!block->launch->kernel))
		block = vgpu_list_after(block, &sm->resident, struct vgpu_block, node);
	return block;
}

static inline struct vgpu_block *vgpu_compiled_first(const struct vgpu_sm *sm)
{
	return vgpu_compiled_from(sm, vgpu_sm_first(sm));
}

static inline struct vgpu_block *vgpu_compiled_after(const struct vgpu_sm *sm,
						     const struct vgpu_block *block)
{
	return vgpu_compiled_from(sm, vgpu_list_after(block, &sm->resident, struct vgpu_block,
						      node));
}

#define vgpu_for_each_compiled(block, sm)                                                       \
	for ((block) = vgpu_compiled_first(sm); (block); (block) = vgpu_compiled_after(sm, block))

/* Warps of compiled blocks that the next slice of @sm executes */
static inline u32 vgpu_sm_ready_warps(const struct vgpu_sm *sm)
{
	const struct vgpu_block *block;
	u32 warps = 0;

	vgpu_for_each_compiled(block, sm)
		warps += block->launch->stopped || block->throttled ? 0 : block->warps->ready;
	return warps;
}

/**
 * struct vgpu_slice - what an SM did in one slice so far, and where it goes on if it was paused
 * (slice.c)
 */
struct vgpu_slice {
	u64 start;		/* virtual time */
	u64 issued;		/* warp instructions */
	u64 longest;		/* cycles of the warp that took longest */
	u64 segments;		/* of device memory, 128 bytes each */
	u64 crossed;		/* segments of memory of the host */
	u64 work;		/* beside the instructions (sim/work.h) */
	u64 most;		/* … after which no other warp is executed */
	u32 each;		/* instructions that a warp may execute */
	u32 each_of[VGPU_SM_KERNELS_MOST];	/* ... of launches with quotas, as in sm->quota */
	u32 warps;		/* that had not exited when it began; only with tracing on */
	bool open;		/* it was paused: the rest is executed at the same virtual time */
	bool midway;		/* … in the middle of @warp's share */
	bool cut;		/* the next one begins at @warp of @block */
	bool begun;		/* in @block, @warp is next */
	u32 warp;
	struct vgpu_block *block;	/* whose warps are executed; NULL: all have been */
};

/** struct vgpu_slice_end - of a slice that has been executed; what others learn when it is due */
struct vgpu_slice_end {
	u64 end;		/* virtual time */
	u64 issued;
	u64 threads;		/* instructions times the lanes that executed them */
	u32 warps;
};

/*
 * Slices of an SM that may be executed before the first of them is due. Chosen: a thread has enough
 * to do, and an SM that must be halted then, which nobody knew, is so soon.
 */
#define VGPU_SLICES_AHEAD	4u

/** struct vgpu_sm_run - what an SM executes with */
struct vgpu_sm_run {
	struct vgpu_lanes lanes;
	struct vgpu_slice slice;
	u16 cost[VGPU_OP_COUNT];
	/* enum vgpu_lanes_end; what executes the present block: native code, or else the other */
	u32 (*run)(struct vgpu_lanes *lanes);
	u32 (*interpreter)(struct vgpu_lanes *lanes);
	struct vgpu_warps *pool;	/* free block states */
	u32 pooled;
	struct vgpu_mem_account *payer;	/* of what is pooled */
	void *pages;			/* free ones, for local memory; each begins with the next */
	u32 page_count;
	u64 missed;			/* w->cycles at the first miss of the instruction */
	u32 process;			/* lanes of the access whose pages are the process's */
	u32 part;			/* lanes that execute it now; 0: all that have not yet */
	u32 work;			/* of translations and pages, not counted yet */
	u32 charged;			/* work of the warp that counted as instructions */
	u32 started;			/* work of the blocks that began since the last slice */
	bool wants_local;		/* the warp that goes on stands at VGPU_LANES_LOCAL */
	bool reporting;			/* what the last slice has ended: the next may follow */
	u64 moved;			/* segments of states, since then (vgpu_sm_move()) */
	/* executed ahead (ahead.c), one after the other; the next that is due is @ahead_first */
	struct vgpu_slice_end ahead[VGPU_SLICES_AHEAD];
	u32 ahead_first;
	u32 ahead_count;
	/* … and what of it is not counted yet for the launch that all blocks are of */
	u64 ahead_issued;
	u64 ahead_shares;
	u64 ahead_work;
	u64 ahead_walks;
	/* the slice was put off (ahead.c): place of its end (vgpu_event_put_off()); else 0 */
	u64 place;
	void *memory;			/* what was allocated; this struct is aligned inside */
};

/* The slice is put off still: it is to begin when those of other SMs do, at the same time. */
static inline bool vgpu_slice_is_put_off(const struct vgpu_sm_run *run)
{
	return unlikely(run->place) && !run->slice.open && !run->ahead_count;
}

static inline void vgpu_slice_forget_place(struct vgpu_sm *sm)
{
	if (unlikely(sm->run->place))
		(*sm->env->put_off)--;
	sm->run->place = 0;
}

/* warps.c */
/* A new block's state, and @extra bytes of zeros; NULL: no memory. It has not begun. */
struct vgpu_warps *vgpu_warps_get(struct vgpu_sm *sm, const struct vgpu_block *block, u64 extra);
/*
 * The block before has ended, all of its warps have exited: @block of the same launch, on the same
 * SM, has its state. As vgpu_warps_put() and vgpu_warps_get().
 */
void vgpu_warps_follow(const struct vgpu_block *block);
/* The lanes execute @block from now on. */
void vgpu_warps_enter(struct vgpu_lanes *lanes, const struct vgpu_block *block);
/* Before the first warp executes: all that the program can see is zero (unwritten.c). */
void vgpu_warps_begin(struct vgpu_warps *warps, const struct vgpu_launch *launch);
void vgpu_warps_put(struct vgpu_warps *warps);
/* Release all that is pooled. It is of one account: that of the last block that ended. */
void vgpu_warps_drain(struct vgpu_sm_run *run);
/*
 * Give @w the pages of local memory that the lanes of @warps returned for (VGPU_LANES_LOCAL);
 * false: no memory.
 */
bool vgpu_warps_add_local(struct vgpu_warps *warps, struct vgpu_warp *w);
/* @warp has reached the barrier warp->bar: it waits, or all waiters are released. */
void vgpu_warps_arrive(struct vgpu_warps *warps, struct vgpu_warp *warp);
/* A warp has exited: let those go that wait at a barrier for no other. */
void vgpu_warps_pass(struct vgpu_warps *warps);

/* @warp has exited; barriers no longer wait for it. */
static inline void vgpu_warps_exit(struct vgpu_warps *warps, struct vgpu_warp *warp)
{
	warp->state = VGPU_WARP_EXITED;
	warps->ready--;
	warps->exited++;
	if (unlikely(vgpu_warps_barred(warps)))
		vgpu_warps_pass(warps);
}

/* @warp waits; its waiter is queued on a page. */
void vgpu_warps_pend(struct vgpu_warps *warps, struct vgpu_warp *warp);
/* The page has arrived: @warp restarts the same instruction. */
void vgpu_warps_resume(struct vgpu_warps *warps, struct vgpu_warp *warp);
/* Warps of @block that have not exited; *@waiting += those that wait for pages. */
u32 vgpu_warps_left(const struct vgpu_block *block, u32 *waiting);
/* The first warp that waits at a barrier; there is one. */
struct vgpu_warp *vgpu_warps_first_barred(struct vgpu_warps *warps);
/* A warp that waits at a deadlocked barrier; NULL: there is none. */
static inline struct vgpu_warp *vgpu_warps_stuck(struct vgpu_warps *warps)
{
	/* One that waits for a page goes on when that comes. */
	if (warps->ready || warps->pending || !vgpu_warps_barred(warps))
		return NULL;
	return vgpu_warps_first_barred(warps);
}

/* written.c: as vgpu_block_kind.dirty, .checkpoint, .save_rest, .take_back and .forget */
u64 vgpu_written_bytes(const struct vgpu_block *block, bool since);
bool vgpu_written_base(struct vgpu_block *block);
void vgpu_written_leave(struct vgpu_block *block, bool increment);
void vgpu_written_restore(struct vgpu_block *block);
void vgpu_written_forget(struct vgpu_block *block);
/* Its state is not used any more. */
void vgpu_written_end(struct vgpu_warps *warps);
/* 0: the base, 1: the increment. The later part comes second. */
void vgpu_written_restore_part(struct vgpu_warps *warps, u32 part);

/* watch.c: what whoever watches is told (watch.h). The block is watched, but for the first. */
void vgpu_watch_block_begin(struct vgpu_block *block);
void vgpu_watch_block_end(struct vgpu_warps *warps);
void vgpu_watch_barrier_arrive(const struct vgpu_warps *warps, const struct vgpu_warp *w);
void vgpu_watch_barrier_leave(const struct vgpu_warps *warps, u32 id);
/* @w of @block, @lane of it, did @fault, which ends its context. */
void vgpu_watch_fault(const struct vgpu_block *block, const struct vgpu_warp *w,
		      const struct vgpu_fault *fault, u32 lane);

/* progress.c */
/* The block is new: it has executed nothing. */
void vgpu_progress_begin(struct vgpu_warps *warps);
/* It goes on, on another SM or the same. */
void vgpu_progress_come(struct vgpu_warps *warps);
/* It leaves its SM, and has not ended. */
void vgpu_progress_leave(struct vgpu_block *block);
/* It has ended: its launch learns from it. */
void vgpu_progress_end(const struct vgpu_block *block);
/* As vgpu_block_kind.ran, .expected and .stops_in. */
u64 vgpu_progress_ran(const struct vgpu_block *block);
u64 vgpu_progress_expected(const struct vgpu_block *block);
u64 vgpu_progress_executed(const struct vgpu_block *block);
u64 vgpu_progress_stops_in(const struct vgpu_block *block);
/* repeat.c: as vgpu_block_kind.repeats */
bool vgpu_warps_repeat(const struct vgpu_block *block);

/*
 * slice.c: a slice of the @warps warps of @sm that are ready begins at @start, the present time or
 * later.
 */
void vgpu_slice_begin(struct vgpu_sm *sm, u32 warps, u64 start);
/*
 * Execute what is left of it, or take it as executed if it has been, ahead; schedule sm->step for
 * its end. @pausing: it may be paused
 */
void vgpu_slice_go_on(struct vgpu_sm *sm, bool pausing);
/* What it shares with other SMs is ready for vgpu_slice_ahead(). */
void vgpu_slice_prepare(struct vgpu_sm *sm);
/*
 * While other SMs are executed: the slice that has begun and those that follow, up to one that
 * depends on others, begins at @until or later, or is not the next that happens to the SM. What one
 * has executed before it depends on others stays executed: the rest is that of a paused slice.
 */
void vgpu_slice_ahead(struct vgpu_sm *sm, u64 until);
/*
 * ahead.c: the warps of the next slice of @sm, which are of one launch; 0: something else comes
 * before it, or instead of it.
 */
u32 vgpu_slice_next(const struct vgpu_sm *sm);
/*
 * ahead.c: a slice of @sm begins: execute it, and slices of others with it, as far as that may be
 * done by several threads. vgpu_slice_go_on() does the rest.
 */
void vgpu_slices_ahead(struct vgpu_sm *sm);
/*
 * ahead.c: a slice of @sm could begin, but slices of others begin now as well: put it off, until
 * their blocks have been issued, too. False: it begins.
 */
bool vgpu_slice_put_off(struct vgpu_sm *sm);
/* ahead.c: vgpu_sms_catch_up(), unless a step of an SM of this device is next, and due now. */
void vgpu_slices_settle(const struct vgpu_sm *sm);
/*
 * slice.c: execute the rest of a paused slice, and have happened what was executed ahead. For what
 * needs to know when the slice ends.
 */
void vgpu_slice_finish(struct vgpu_sm *sm);
/* The last block, of @launch, has left @sm: nothing is left to execute or to happen. */
void vgpu_slice_drop(struct vgpu_sm *sm, const struct vgpu_launch *launch);
/* @block, resident, leaves: a paused slice does without it. */
void vgpu_slice_leave(struct vgpu_sm *sm, const struct vgpu_block *block);
/* As vgpu_timing.halt. */
u64 vgpu_compiled_halt(struct vgpu_sm *sm);
u64 vgpu_compiled_context_bytes(const struct vgpu_block *block);
/* @w of @block did what ends its context, at @pc; run->lanes says where. */
void vgpu_block_record_fault(struct vgpu_block *block, const struct vgpu_warp *w, u32 reason,
			     u32 lane, u32 pc);

/*
 * block_access.c: the lanes came back for a page: make the access of @w of which they know no
 * translation. OK: it is in the TLB now, and so are the pages of the lanes behind it, up to the
 * first that has none: the lanes find out why. What is used in place then crosses the interconnect
 * when the instruction is restarted: if run->process is set, by vgpu_block_run_held().
 */
enum vgpu_access_result vgpu_block_serve(struct vgpu_block *block, struct vgpu_warp *w);
/*
 * block_access.c: may that access be made while other SMs are executed? Not an atomic, and all of
 * its pages are found by vgpu_mmu_walk(), so vgpu_block_serve() changes nothing that is shared.
 */
bool vgpu_block_serves_apart(const struct vgpu_block *block, const struct vgpu_warp *w);
/*
 * Execute one instruction, which is an access to memory of the process, while that is held; or what
 * is left of one of which a part of the lanes of @w has been executed. BUDGET with as much left as
 * before: a page has gone meanwhile, the lanes come back for it.
 */
enum vgpu_lanes_end vgpu_block_run_held(struct vgpu_block *block, struct vgpu_warp *w);

/* A translation of @page for the instruction that is being restarted. False: it is not there. */
bool vgpu_lanes_hold_page(struct vgpu_lanes *lanes, u64 page, u8 *bytes, bool in_place);

/* timing.c */
struct vgpu_config;

void vgpu_cost_fill(u16 *cost, const struct vgpu_config *config);
/* Warp instructions that each of @warps warps may execute in one slice. */
u32 vgpu_slice_budget(const struct vgpu_config *config, u32 warps);
/*
 * Divide what all warps of @sm may execute in @slice among launches by their quotas, and among the
 * warps of each: slice->each_of. At least one instruction each.
 */
void vgpu_slice_divide(const struct vgpu_sm *sm, struct vgpu_slice *slice);
/* Work (sim/work.h) that a warp may do beside them, before it is counted as instructions. */
u32 vgpu_slice_spare(u32 budget);
/* Work that all may do, before the slice is cut. */
u64 vgpu_slice_work(u32 budget, u32 warps);
/* Virtual time of a slice, at least one cycle. */
u64 vgpu_slice_time(const struct vgpu_config *config, const struct vgpu_slice *slice);

#endif
