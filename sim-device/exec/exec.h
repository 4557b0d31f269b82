/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The execution engine: Tanasic 2.3 in the terms of 5.2.3. Launches come from the dispatcher into
 * the command buffer of their context; the policy admits one into the active queue (a KSR of the
 * KSRT tracks it) and assigns SMs to it; the SM driver sets an SM up, issues thread blocks until it
 * is full, and issues again when one ends. The SMST says what every SM does.
 *
 * framework.c moves launches and reservations, runqueue.c keeps contexts in the order of the
 * policy, services.c is the rest of what policies and mechanisms call, sm_driver.c issues blocks,
 * save_area.c moves contexts of thread blocks, block_switch.c decides which blocks of an SM are on
 * it, residents.c has kernels side by side on an SM, block_dispatch.c places their blocks, leave.c
 * has blocks leave one by one, checkpoint.c says what of a block is saved, base.c saves some before
 * they leave, announce.c knows of launches to come, turn.c of what the policy will do, trial.c
 * finds out which blocks would leave for a launch, throttle.c stops SMs for a context, rotate.c has
 * blocks of cooperative kernels take turns, children/ has what kernels launch, accounting.c has the
 * times, sm_use.c says who has what of an SM now. tables.h has the KSRT and the SMST.
 *
 * The engine calls policies and mechanisms through the tables of ../vgpu_policy.h, and the rooms
 * above it through struct vgpu_exec_ops.
 */
#ifndef VGPU_EXEC_H
#define VGPU_EXEC_H

#include "../sim/random.h"
#include "../sim/trace.h"
#include "../sm/sm.h"
#include "context.h"
#include "outside/outside.h"
#include "tables.h"

#define VGPU_IDLE_WORDS		16u	/* bits for 1024 SMs */
#define VGPU_EXEC_EVENTS(sms, kernels) ((kernels) + (sms) * (7 + VGPU_SM_KERNELS_MOST) + 9)

/**
 * struct vgpu_exec_ops - callbacks of the engine into the rooms above it
 * @shape: fill grid, resources and code of @launch from the command around @job
 * @done: the kernel of @job has completed; the callee frees the job
 * @fault: a fault of @ctx, without its time. The context is torn down in an event of its own, right
 *   after the present one; until then it is not changed
 * @oldest_command: when the oldest command of @ctx that has not completed was submitted;
 *   VGPU_NEVER: it has none
 * @active: @ctx has got an active kernel, having had none, or its last has ended
 * @preempted: SM @sm was preempted from a kernel of @context, as requested at time @requested
 * @counted: a launch that was counted has ended (accounting.c)
 * @dropped: the device goes on without @name, its policy or mechanism ("policy", "preemption"),
 *   which was from outside, for @reason: @next is selected now
 */
struct vgpu_exec_ops {
	void (*shape)(const struct vgpu_job *job, struct vgpu_launch *launch);
	void (*done)(struct vgpu_job *job);
	void (*fault)(struct vgpu_exec_context *ctx, const struct vgpu_fault *fault);
	u64 (*oldest_command)(const struct vgpu_exec_context *ctx);
	void (*active)(struct vgpu_exec_context *ctx, bool active);
	void (*preempted)(void *owner, u32 context, u32 sm, u64 requested);
	void (*counted)(void *owner, const struct vgpu_launch_counts *counts);
	void (*dropped)(void *owner, const char *what, const char *name, const char *reason,
			const char *next);
};

struct vgpu_exec {
	struct vgpu_sim *sim;
	struct vgpu_trace *trace;
	struct vgpu_random *random;
	const struct vgpu_config *config;
	const struct vgpu_exec_ops *ops;
	void *owner;			/* argument of @ops */
	struct vgpu_native native;	/* where the SMs have code from */
	struct vgpu_parallel parallel;	/* ... and threads */
	struct vgpu_watch watch;
	struct vgpu_sm_env sm_env;
	struct vgpu_memsys *memsys;	/* behind the SMs; NULL: no SM has a pipeline */
	const struct vgpu_timing *timing;	/* of launches that ask for none */
	struct vgpu_sm *sms;		/* config->sms */
	struct vgpu_sm **due;		/* struct vgpu_sm_env */
	u32 put_off;			/* the same */
	u32 sms_made;
	const struct vgpu_policy *policy;
	void *policy_data;
	bool ranked;			/* it has ranks, which may change with held SMs */
	const struct vgpu_preemption *preemption;
	struct vgpu_event policy_timer;
	struct vgpu_outside outside;	/* policies that are not of the tree */
	struct vgpu_event swap_test;	/* used by swap_test.c, … */
	struct vgpu_random swap_random;	/* … with its own random numbers */
	bool share_by_priority;		/* budgets by priority, not equal */
	bool prefers;			/* a launch has had a priority (streams.c) */
	/* sm_on_fault, or the SMs cannot do otherwise: those with waiting warps are not saved */
	bool stall;
	bool breadth;			/* block_placement */
	struct vgpu_event spread;	/* blocks are given to SMs with room (spread.c) */
	bool switching;			/* block_switching, and SMs do not stall */
	bool trial;			/* what is decided is for a trial only (trial.c) */
	struct vgpu_list contexts;	/* struct vgpu_exec_context, by id */
	u32 context_count;
	u32 processes;			/* contexts that take part */
	/* run queues of contexts (runqueue.c): */
	struct vgpu_pqueue waiting;	/* full command buffers */
	struct vgpu_pqueue active;
	struct vgpu_pqueue need[VGPU_KSR_NEEDS];
	struct vgpu_pqueue holding;
	/* SMs being preempted whose reserving kernel has ended */
	struct vgpu_list unreserved;
	struct vgpu_ksr *ksrt;
	struct vgpu_ksr **ksr_free;	/* stack of free entries */
	struct vgpu_counters **counters;	/* of each entry, by SM (accounting.c) */
	u32 counters_room;
	u32 ksr_free_count;
	u32 ksr_count;			/* of all entries */
	struct vgpu_list active_queue;	/* struct vgpu_ksr */
	u32 active_count;
	struct vgpu_smst *smst;
	struct vgpu_smst_tables *smst_tables;
	u64 idle[VGPU_IDLE_WORDS];	/* bit per SM */
	u32 idle_count;
	u32 leaving_count;		/* SMs that are being preempted */
	u32 checkpointing;		/* SMs that stand for a base checkpoint */
	u32 residents;			/* of all SMs (residents.c) */
	u32 watched;			/* SMs that are */
	u32 counted;			/* launches at the engine that have counters */
	u64 bases;			/* base checkpoints of blocks on SMs */
	struct vgpu_event announce;	/* the first announcement is over */
	struct vgpu_event throttle_look;	/* contexts are looked at whose SMs are throttled */
	u64 throttles;			/* how often an SM was */
	u32 cooperative;		/* active kernels that are (rotate.c) */
	struct vgpu_event rotation;
	struct vgpu_turn turn;
	u64 arrivals;			/* number of launches that have arrived */
	u64 admissions;
	u32 launches;			/* newest launch id */
	struct vgpu_block *pool;	/* block structs */
	u32 pool_size;
	u32 pool_first;			/* no word of @pool_free before this one has a bit */
	u64 *pool_free;			/* bit per struct of @pool */
	struct vgpu_checkpoint *checkpoints;	/* of the blocks of @pool */
	void *pool_memory;
	u64 blocks;			/* in use */
	u32 events;			/* reserved of sim */
	/* accounts */
	u64 preemptions;
	u64 preemption_time;
	u64 save_area;			/* bytes in it */
	u64 save_area_most;
	struct vgpu_account past;	/* sum over closed contexts */
};

/* ---- for the rooms above (framework.c, services.c) ---------------------- */

/*
 * The caller sets sim, trace, random, config, ops and owner of @exec and zeroes the rest. On
 * -ENOMEM it must still call vgpu_exec_fini().
 */
int vgpu_exec_init(struct vgpu_exec *exec, const struct vgpu_policy *policy,
		   const struct vgpu_preemption *preemption);
void vgpu_exec_fini(struct vgpu_exec *exec);
/* The caller sets sched.id of @ctx, which no other has, as and memory; -ENOMEM. */
int vgpu_exec_open(struct vgpu_exec *exec, struct vgpu_exec_context *ctx);
/* Call vgpu_exec_abort() first. */
void vgpu_exec_close(struct vgpu_exec_context *ctx);
/* Most SMs that @ctx may hold from now on; what it has more it keeps until it is done with it. */
void vgpu_exec_set_sms(struct vgpu_exec_context *ctx, u32 sms);
/* The same, beside what vgpu_exec_set_sms() says, with the next decision; 0: no limit */
void vgpu_exec_limit_sms(struct vgpu_exec_context *ctx, u32 sms);
/* throttle.c: SMs that have blocks of @ctx and are not throttled for it */
u32 vgpu_exec_running_sms(const struct vgpu_exec_context *ctx);
/*
 * throttle.c: from now on SM @sm fetches nothing of @ctx. False: it has no block of it, is to
 * leave, is throttled for it already, or is the last that is not
 */
bool vgpu_exec_throttle(struct vgpu_exec_context *ctx, u32 sm);
/* throttle.c: the same for @count SMs, as far as there are some. Returns how many */
u32 vgpu_exec_throttle_some(struct vgpu_exec_context *ctx, u32 count);
/* throttle.c: the SM that was throttled last goes on. False: none is */
bool vgpu_exec_unthrottle_last(struct vgpu_exec_context *ctx);
/* throttle.c: all go on */
void vgpu_exec_unthrottle(struct vgpu_exec_context *ctx);
/*
 * A launch from the dispatcher. It arrives at the command buffer of its context launch_ps after the
 * process submitted it, and dispatch_ps from now on at least: at once, by default, if it waited in
 * its queue for that long.
 */
void vgpu_exec_submit(struct vgpu_exec *exec, struct vgpu_job *job);
/*
 * announce.c: the process of @ctx says that it will launch a kernel; @what is known of it. May be
 * called for ever, and without a launch.
 */
void vgpu_exec_announce(struct vgpu_exec_context *ctx, const struct vgpu_announcement *what);
/* A command of @ctx that is no launch has completed. */
void vgpu_exec_command_ended(struct vgpu_exec_context *ctx);
/* Stop and drop all work of @ctx; the policy reassigns the SMs. */
void vgpu_exec_abort(struct vgpu_exec_context *ctx);
/* Stop all blocks of @ctx at the next instruction; it will be aborted. */
void vgpu_exec_stop_context(struct vgpu_exec_context *ctx);
/* -ENOMEM: the old policy stays selected. */
int vgpu_exec_set_policy(struct vgpu_exec *exec, const struct vgpu_policy *policy);
/* The same with its private data, NULL where it has none. */
void vgpu_exec_select_policy(struct vgpu_exec *exec, const struct vgpu_policy *policy, void *data);
/* Contexts, priorities or budgets have changed: recompute all ranks and call the policy. */
void vgpu_exec_rerank(struct vgpu_exec *exec);
/* Preemptions that are under way continue with the old mechanism. */
void vgpu_exec_set_preemption(struct vgpu_exec *exec, const struct vgpu_preemption *preemption);
/*
 * The watchdog measures how long a kernel was running, without the times in which it was preempted
 * from all its SMs. A new limit also applies to kernels that already run.
 */
void vgpu_exec_set_watchdog(struct vgpu_exec *exec);
/*
 * sm_on_fault, block_switching or extra_blocks have changed in the configuration: SMs that wait to
 * be saved reconsider, and so do their local schedulers.
 */
void vgpu_exec_set_on_fault(struct vgpu_exec *exec);
/*
 * block_placement has changed in the configuration: so are blocks placed from now on, those on SMs
 * stay.
 */
void vgpu_exec_set_placement(struct vgpu_exec *exec);
/*
 * kernels_per_sm has changed in the configuration: what shares an SM already stays until it leaves
 * by itself, what was to replace others is decided again.
 */
void vgpu_exec_set_kernels_per_sm(struct vgpu_exec *exec);
/*
 * The kernel that keeps kernels of other contexts out: it runs, and a context of at least its
 * priority has kernels and no SM. Of several, the one that was admitted first. NULL: none does.
 */
const struct vgpu_ksr *vgpu_exec_blocker(const struct vgpu_exec *exec);
int vgpu_exec_sm_stats(const struct vgpu_exec *exec, u32 sm, struct vgpu_sm_stats *stats);
/* sm_use.c: who has what of SM @sm now; -ENOENT: there is no such SM */
int vgpu_exec_sm_use(const struct vgpu_exec *exec, u32 sm, struct vgpu_sm_use *use);
/* sm_use.c: what @ctx has of all SMs now, into sm_blocks ... of @account */
void vgpu_exec_context_use(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx,
			   struct vgpu_account *account);
/* sm_use.c: warp instructions that all SMs have executed */
u64 vgpu_exec_instructions(const struct vgpu_exec *exec);

/* ---- inside the engine -------------------------------------------------- */

/* spread.c: with breadth: SMs may have room for blocks that none has claimed; see to it soon */
void vgpu_spread_soon(struct vgpu_exec *exec);
/* spread.c: SM @sm, which has claimed a block in setup, has room for more */
void vgpu_spread_setup(struct vgpu_exec *exec, u32 sm);
/* spread.c: @sm takes no more blocks because of that */
void vgpu_spread_end(struct vgpu_exec *exec, u32 sm);

/* framework.c: @job comes to the command buffer of its context; the policy is not asked yet */
void vgpu_exec_arrive(struct vgpu_job *job);
/* streams.c: @ctx, whose buffer is full, has another launch: the more important one is in it */
void vgpu_stream_wait_behind(struct vgpu_exec *exec, struct vgpu_exec_context *ctx,
			     struct vgpu_job *job);
/* streams.c: the policy has decided: SMs drain for more important kernels of their context */
void vgpu_streams_prefer(struct vgpu_exec *exec);
/* framework.c: @sm, which runs another kernel of its context, is @next's when its blocks end */
void vgpu_exec_drain(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *next);

/* throttle.c: blocks of a context with throttled SMs have left their SMs: look what is left */
void vgpu_throttle_look(struct vgpu_exec *exec);
/* throttle.c: blocks of @ctx are to leave @sm: those that drain have to run */
void vgpu_throttle_leaves(struct vgpu_exec_context *ctx, u32 sm);

/* rotate.c: @ksr, which is cooperative, is active from now on */
void vgpu_rotation_begin(struct vgpu_exec *exec, struct vgpu_ksr *ksr);
/* rotate.c: look at such kernels in a turn's time, if there is one */
void vgpu_rotation_start(struct vgpu_exec *exec);

/* A new block of @ksr comes before preempted ones: others may wait for it. */
static inline bool vgpu_ksr_new_first(const struct vgpu_ksr *ksr)
{
	return unlikely(ksr->launch.cooperative) && ksr->next_block < ksr->launch.blocks;
}

/* turn.c: the policy has decided: see to what it will do next */
void vgpu_turn_update(struct vgpu_exec *exec);

/* framework.c: has @ctx kernels, and no SM? */
bool vgpu_exec_context_waits(const struct vgpu_exec_context *ctx);

/* services.c: as vgpu_preemption_at_time(), where the engine calls it */
void vgpu_exec_at_time(struct vgpu_exec *exec, u32 sm, u64 time,
		       void (*fn)(struct vgpu_exec *exec, u32 sm));

/* Call the policy after a change. An event handler calls this last. */
static inline void vgpu_exec_schedule(struct vgpu_exec *exec)
{
	exec->policy->schedule(exec);
	if (unlikely(exec->prefers) && !exec->policy->by_block)
		vgpu_streams_prefer(exec);
	if (exec->policy->next_change)
		vgpu_turn_update(exec);
	if (exec->breadth && !exec->policy->by_block)
		vgpu_spread_soon(exec);
	if (unlikely(exec->outside.selected))
		vgpu_outside_scheduled(exec);
}

static inline struct vgpu_exec_context *vgpu_exec_of_sched(const struct vgpu_sched_context *sched)
{
	return vgpu_container_of((struct vgpu_sched_context *)(unsigned long)sched,
				 struct vgpu_exec_context, sched);
}

/* May @ctx hold one SM more? */
static inline bool vgpu_exec_takes_more(const struct vgpu_exec_context *ctx)
{
	return ctx->sched.held + ctx->shared_sms < ctx->most_sms;
}

static inline struct vgpu_ksr *vgpu_ksr_of(struct vgpu_launch *launch)
{
	return vgpu_container_of(launch, struct vgpu_ksr, launch);
}

static inline u32 vgpu_smst_number(const struct vgpu_smst *smst)
{
	return smst->sm;
}

static inline void vgpu_trace_kernel(struct vgpu_exec *exec, enum vgpu_trace_type type,
				     const struct vgpu_ksr *ksr, u32 sm, u64 a, u64 b)
{
	if (unlikely(exec->trace->on))
		vgpu_trace_emit(exec->trace,
				&(struct vgpu_trace_record){ .type = (u16)type,
							     .sm = (u16)sm,
							     .context = ksr->ctx->sched.id,
							     .queue = ksr->job->queue,
							     .kernel = ksr->launch.id,
							     .seq = ksr->job->seq,
							     .a = a,
							     .b = b });
}

/* sm_driver.c: SM @sm, idle, begins setup for @ksr */
void vgpu_sm_driver_setup(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/*
 * sm_driver.c: release the blocks that @sm claimed in setup; it becomes idle, or is assigned to
 * @next if that has blocks to issue
 */
void vgpu_sm_driver_unset(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *next);
/*
 * sm_driver.c: derive the state of @sm, which is not idle, after a change of its blocks.
 *
 *   setup       until the setup event
 *   running     it has resident blocks, and is not leaving
 *   reserved    it has resident blocks, and is leaving
 *   saving      it has none, and contexts of its blocks move to the save area
 *   restoring   it has none, and contexts of its blocks move back, or will
 *
 * The same for a shared SM, which is never reserved.
 */
void vgpu_sm_driver_update(struct vgpu_exec *exec, u32 sm);
/* sm_driver.c: @sm is empty: hand it to the kernel that reserved it, or make it idle */
void vgpu_sm_driver_empty(struct vgpu_exec *exec, u32 sm);
/* sm_driver.c: resume @block, which has been restored, on @sm */
void vgpu_sm_driver_resume(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block);
/* sm_driver.c: claim a block of its kernel for @sm. false: none is left, or @sm is leaving */
bool vgpu_sm_driver_claim(struct vgpu_exec *exec, u32 sm);
/* sm_driver.c: blocks that @sm claimed and has not issued are its kernel's again */
void vgpu_sm_driver_unclaim(struct vgpu_exec *exec, u32 sm);
/*
 * sm_driver.c: issue a block that @sm has claimed, a preempted one first. false: there was no
 * memory for it. It is claimed no more; if @sm has no other block, its context will end
 */
bool vgpu_sm_driver_issue(struct vgpu_exec *exec, u32 sm);
/*
 * sm_driver.c: issue a block of @ksr on shared @sm, a preempted one first. false: there was no
 * memory for it, and its context will end
 */
bool vgpu_sm_driver_give(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/* sm_driver.c: stop whatever @sm does for a context that ends */
void vgpu_sm_driver_stop(struct vgpu_exec *exec, u32 sm);
extern const struct vgpu_sm_ops vgpu_sm_driver_ops;

/*
 * save_area.c: restore the first block in the PTBQ of @ksr on @sm, after those that already wait
 * there, then resume it
 */
void vgpu_exec_restore(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/*
 * save_area.c: @sm is to be reserved: move blocks that it has not begun to restore, and its
 * swapped-out blocks, to the head of the PTBQ; their state is still in the save area. A restore
 * that has begun is abandoned: its block follows them when it has ended, or at once
 * (abandon_restores)
 */
void vgpu_exec_unrestore(struct vgpu_exec *exec, u32 sm);
/*
 * save_area.c: swap out one block while its neighbours run. Its state is saved, and the block
 * still belongs to its SM until it is swapped in again. A compiled block stops at the end of the
 * present slice. -EBUSY: it is not running, or its SM is being preempted.
 */
int vgpu_exec_swap_out(struct vgpu_exec *exec, struct vgpu_block *block);
/*
 * save_area.c: swap in the block of @sm that was swapped out first; false: there is none, or no
 * place for it
 */
bool vgpu_exec_swap_in(struct vgpu_exec *exec, u32 sm);
/* save_area.c: swap in @block, one of those swapped out of @sm; there is a place for it */
void vgpu_exec_swap_in_block(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block);
/* save_area.c: begin the first move of @sm that waits, if none is under way */
void vgpu_exec_start_move(struct vgpu_exec *exec, u32 sm);
/* save_area.c: what moved has: the state of a block is saved, or on @sm */
void vgpu_exec_moved(struct vgpu_exec *exec, u32 sm);
/*
 * save_area.c: @block stops, and is saved while its neighbours run: its SM is shared, or each of
 * its blocks leaves by itself
 */
void vgpu_exec_stop_and_save(struct vgpu_exec *exec, struct vgpu_block *block);
/* save_area.c: move @block, which is saved or dropped, to the PTBQ of its kernel: for any SM */
void vgpu_exec_to_ptbq(struct vgpu_exec *exec, struct vgpu_block *block);
/* save_area.c: queue @block, which is no longer resident, to be saved */
void vgpu_exec_add_save(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block);
/* save_area.c: time that moving @bytes takes */
u64 vgpu_exec_move_time(const struct vgpu_config *config, u64 bytes);
/* save_area.c: the work that saving @block, and restoring it, costs: nothing of it runs */
u64 vgpu_exec_switch_cost(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* save_area.c: @block, which was to be swapped out, has stopped at the end of its slice */
void vgpu_exec_block_stopped(struct vgpu_exec *exec, struct vgpu_block *block);
/* ---- the local scheduler of an SM (block_switch.c) ---------------------- */

/* Most extra blocks of an SM: the limit of extra_blocks in ../vgpu_config.h. */
#define VGPU_EXTRA_BLOCKS_MOST	64u

/* Places of @sm that are in use: blocks on it, and on their way. */
static inline u32 vgpu_smst_places(const struct vgpu_exec *exec, u32 sm)
{
	return exec->sms[sm].resident_count + exec->smst[sm].saving + exec->smst[sm].restoring;
}

static inline bool vgpu_smst_has_place(const struct vgpu_exec *exec, u32 sm)
{
	return vgpu_smst_places(exec, sm) < exec->smst[sm].ksr->occupancy;
}

/* Is there anything for the local scheduler? What it has off the SM comes back in any case. */
static inline bool vgpu_smst_switches(const struct vgpu_exec *exec, const struct vgpu_smst *smst)
{
	return exec->switching || smst->switched;
}

/*
 * Blocks of @sm wait, have ended or have been saved: fill its places, and switch out blocks whose
 * warps all wait if others can run. The caller calls vgpu_sm_driver_update().
 */
void vgpu_block_switch(struct vgpu_exec *exec, u32 sm);
/* The same by an event, at the present time. */
void vgpu_block_switch_soon(struct vgpu_exec *exec, u32 sm);

/* ---- kernels side by side (residents.c) --------------------------------- */

/* Is @smst in the hands of a policy by block? */
static inline bool vgpu_smst_is_shared(const struct vgpu_smst *smst)
{
	return !smst->ksr && smst->used.blocks;
}

/* An SM that has nothing, and the lists of it. */
void vgpu_residents_init(struct vgpu_smst *smst);
/* The entry of @ksr on @smst; NULL: it has none. */
struct vgpu_sharer *vgpu_sharer_find(const struct vgpu_smst *smst, const struct vgpu_ksr *ksr);
/* Does @ctx have a block on shared SM @smst, or one that is to come, or a partition? */
bool vgpu_residents_hold(const struct vgpu_smst *smst, const struct vgpu_exec_context *ctx);
/*
 * @block of a shared SM, which runs and has not been told to, leaves it; @by_choice: as the
 *   mechanism
 * chooses. Returns whether it has left at once: the caller then sees to the room.
 */
bool vgpu_residents_evict(struct vgpu_exec *exec, struct vgpu_block *block, bool by_choice);
/*
 * @block of shared SM @sm, told to leave at @told, has been saved or dropped: the SM has room
 *   again.
 */
void vgpu_residents_left(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block, u64 told);
/*
 * @block has ended and is off shared @sm; the caller has counted it and released what it holds. May
 * end its kernel; the policy is called.
 */
void vgpu_residents_done(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block);
/* Blocks have left shared @sm: those that wait for the room come, and the policy is called. */
void vgpu_residents_settle(struct vgpu_exec *exec, u32 sm);
/* Stop whatever shared @sm does for @ctx, which ends. */
void vgpu_residents_stop(struct vgpu_exec *exec, u32 sm, const struct vgpu_exec_context *ctx);
/* @ksr retires: it has no blocks; its partitions, and what was to come, are gone. */
void vgpu_residents_retire(struct vgpu_exec *exec, struct vgpu_ksr *ksr);
/* Partitions, quotas and what was to come are of a policy that is used no more. */
void vgpu_residents_forget(struct vgpu_exec *exec);
/* All blocks of all SMs leave by context switches: the next policy is of the other kind. */
void vgpu_residents_vacate(struct vgpu_exec *exec);
/* The context of the kernel that came to @smst first and has blocks there; 0: none has. */
u32 vgpu_residents_first(const struct vgpu_smst *smst);
/* Does @ctx execute on a shared SM? */
bool vgpu_residents_run(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx);

/* ---- blocks that leave one by one (leave.c) ------------------------------ */

/* Does each block of @smst leave by itself? Else all of them are saved together. */
static inline bool vgpu_smst_singly(const struct vgpu_smst *smst)
{
	return !smst->ksr || smst->chooser;
}

/*
 * @block of a shared SM, which counts it as told to leave, leaves as the mechanism chooses, or, if
 * that does not or not @by_choice, is saved. Returns whether it has left.
 */
bool vgpu_leave_shared(struct vgpu_exec *exec, struct vgpu_block *block, bool by_choice);
/* @block, told to leave, has stopped at the end of its slice: drop it if it may be, or save it. */
void vgpu_leave_stopped(struct vgpu_exec *exec, struct vgpu_block *block);
/* @block, told to leave SM @sm, is being saved from now on. */
void vgpu_leave_saving(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block);
/* When what the first block that @smst saves had in flight has ended. */
u64 vgpu_leave_drained(const struct vgpu_exec *exec, const struct vgpu_smst *smst);
/* @block has been saved, the first of those. Returns when it was told to leave. */
u64 vgpu_leave_saved(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block);
/* @block, told to leave, has ended on @sm. */
void vgpu_leave_ended(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block);
/* Nothing leaves SM @sm any more: it has been handed over, or its context ends. */
void vgpu_leave_over(struct vgpu_smst *smst);
/* Test: flush @block, which may be, and fill its place; its SM is not being preempted. */
void vgpu_leave_test(struct vgpu_exec *exec, struct vgpu_block *block);

/*
 * swap_test.c: start to swap random blocks out and in, if the configuration enables it
 */
void vgpu_swap_test_start(struct vgpu_exec *exec);

/* framework.c: all blocks of @ksr have ended: its command completes */
void vgpu_exec_finish(struct vgpu_exec *exec, struct vgpu_ksr *ksr);
/* framework.c: SM @sm, in the hands of a kernel, is preempted for nobody, by a context switch */
void vgpu_exec_take_away(struct vgpu_exec *exec, u32 sm);
/* framework.c: all blocks of reserved SM @sm are saved together, whatever the mechanism */
void vgpu_exec_save_all(struct vgpu_exec *exec, u32 sm);
/* framework.c: SM @sm, being preempted, is reserved for @next, NULL: for nobody */
void vgpu_exec_set_next(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *next);
/* framework.c: free the states of ended blocks that SMs keep for blocks of @ctx to come */
void vgpu_exec_drain_states(struct vgpu_exec_context *ctx);
/* framework.c: make the fault record of a kernel */
struct vgpu_fault vgpu_exec_fault_of(const struct vgpu_ksr *ksr, enum vgpu_fault_reason reason);
/* framework.c: @ksr runs too long; the fault names a block and the instruction where it is. */
struct vgpu_fault vgpu_exec_overrun(const struct vgpu_ksr *ksr);
/* An invariant of @ksr does not hold: its context ends. */
void vgpu_exec_broken(struct vgpu_ksr *ksr);
/*
 * framework.c: @ksr, which has started, has got its first SM, has lost its last one; the watchdog
 * counts between the two
 */
void vgpu_exec_runs(struct vgpu_exec *exec, struct vgpu_ksr *ksr);
void vgpu_exec_stops(struct vgpu_exec *exec, struct vgpu_ksr *ksr);
/* services.c: exit the current policy */
void vgpu_exec_exit_policy(struct vgpu_exec *exec);

/* runqueue.c: room for @contexts; -ENOMEM */
int vgpu_runqueue_reserve(struct vgpu_exec *exec, u32 contexts);
void vgpu_runqueue_fini(struct vgpu_exec *exec);
/* runqueue.c: recompute the ranks of @ctx after a change */
void vgpu_runqueue_update(struct vgpu_exec *exec, struct vgpu_exec_context *ctx);
/* runqueue.c: @ksr comes into lists of its context, or leaves them, as its blocks say */
void vgpu_runqueue_list(struct vgpu_exec *exec, struct vgpu_ksr *ksr);

/* Has it more blocks to issue than SMs will take that have been promised to it? */
static inline bool vgpu_ksr_wants(const struct vgpu_ksr *ksr)
{
	return ksr->unclaimed > ksr->promised + ksr->room;
}

/* After a change of ksr->unclaimed, promised or room. Nearly always it stays where it is. */
static inline void vgpu_runqueue_kernel(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	if (vgpu_list_linked(&ksr->need[VGPU_KSR_ISSUABLE]) != !!ksr->unclaimed ||
	    vgpu_list_linked(&ksr->need[VGPU_KSR_WANTING]) != vgpu_ksr_wants(ksr))
		vgpu_runqueue_list(exec, ksr);
}

/* runqueue.c: @ctx has @change shared SMs more than before */
void vgpu_runqueue_shared(struct vgpu_exec *exec, struct vgpu_exec_context *ctx, s32 change);
/* runqueue.c: after a change of the kernel that @sm serves or is reserved for */
void vgpu_runqueue_sm(struct vgpu_exec *exec, u32 sm);

/* block_pool.c: the pool of the device, of @count block structs; -ENOMEM */
int vgpu_block_pool_init(struct vgpu_exec *exec, u32 count);
void vgpu_block_pool_fini(struct vgpu_exec *exec);
/* block_pool.c: a struct for a block of @launch; NULL: its context has no memory for it */
struct vgpu_block *vgpu_block_get(struct vgpu_exec *exec, struct vgpu_launch *launch);
/* block_pool.c: @block goes back, and what was saved of it; or the struct is nobody's any more */
void vgpu_block_put_seldom(struct vgpu_exec *exec, struct vgpu_block *block);

/* Before the kernel of @block retires: its launch says who pays. */
static inline void vgpu_block_put(struct vgpu_exec *exec, struct vgpu_block *block)
{
	u32 word;

	if (unlikely(block->checkpoint | block->charged)) {
		vgpu_block_put_seldom(exec, block);
		return;
	}
	exec->blocks--;
	word = (u32)(block - exec->pool) / 64;
	exec->pool_free[word] |= 1ull << (block - exec->pool) % 64;
	if (word < exec->pool_first)
		exec->pool_first = word;
}

/* Release all of @blocks, which will not run again. */
void vgpu_blocks_drop(struct vgpu_exec *exec, struct vgpu_list *blocks);

/* ---- accounts (accounting.c) -------------------------------------------- */

/*
 * Account the time since the last call to the old state and switch to @state. A kernel must have
 * started.
 */
void vgpu_account_kernel(struct vgpu_exec *exec, struct vgpu_ksr *ksr,
			 enum vgpu_kernel_state state);
void vgpu_account_sm(struct vgpu_exec *exec, u32 sm, enum vgpu_sm_state state);
/*
 * The residents of shared @sm are about to change: the time up to now is theirs, divided by their
 * dominant shares.
 */
void vgpu_account_residents(struct vgpu_exec *exec, u32 sm);
/* Count for its context what @block has executed on a shared SM, and begin again at 0. */
void vgpu_account_block(struct vgpu_block *block);
/* A kernel of @ctx has arrived at the engine. */
void vgpu_account_arrival(struct vgpu_exec *exec, struct vgpu_exec_context *ctx);
/* @count blocks of @ksr change from state @from to @to. */
void vgpu_account_blocks(struct vgpu_exec *exec, struct vgpu_ksr *ksr, enum vgpu_block_state from,
			 enum vgpu_block_state to, u32 count);
/* @ksr has lost @sm, or a place on it, that was reserved at @requested. */
void vgpu_account_preemption(struct vgpu_exec *exec, struct vgpu_ksr *ksr, u32 sm, u64 requested);
/* @blocks of @ksr move @bytes from @sm into the save area. */
void vgpu_account_save(struct vgpu_exec *exec, struct vgpu_ksr *ksr, u32 sm, u32 blocks, u64 bytes);
/* @block of @ksr is dropped from @sm; it had run for @ran. */
void vgpu_account_flush(struct vgpu_ksr *ksr, u32 sm, u64 ran);
/*
 * A block of @ksr for which a mechanism has chosen has left as @how, having lost @lost, at the
 * present time.
 */
void vgpu_account_left(struct vgpu_exec *exec, struct vgpu_ksr *ksr, enum vgpu_leave how,
		       const struct vgpu_told *told, u64 lost);
/* @bytes of @ksr leave the save area. */
void vgpu_account_restored(struct vgpu_exec *exec, struct vgpu_ksr *ksr, u64 bytes);
/* @ksr ends, and its blocks with it. */
void vgpu_account_end(struct vgpu_exec *exec, struct vgpu_ksr *ksr);
/* Everything of @ctx has been stopped: kernels that had not been admitted end too. */
void vgpu_account_abort(struct vgpu_exec *exec, struct vgpu_exec_context *ctx);
/* @ctx is closed: add its accounts to the device's. */
void vgpu_account_close(struct vgpu_exec *exec, const struct vgpu_exec_context *ctx);
/*
 * Fill account, sm_time and the instructions of @info with what @ctx has used up to now, the
 * running part included.
 */
void vgpu_account_context(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx,
			  struct vgpu_context_info *info);
/* ---- counters of launches (accounting.c) ------------------------------------ */

/* Room for those of @kernels entries of the KSRT; -ENOMEM */
int vgpu_counts_init(struct vgpu_exec *exec, u32 kernels);
void vgpu_counts_fini(struct vgpu_exec *exec);
/* @ksr has been admitted: is it to be counted? It leaves the active queue. */
void vgpu_counts_make(struct vgpu_exec *exec, struct vgpu_ksr *ksr);
void vgpu_counts_tell(struct vgpu_exec *exec, struct vgpu_ksr *ksr);

static inline void vgpu_counts_begin(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	if (unlikely(exec->config->kernel_statistics))
		vgpu_counts_make(exec, ksr);
}

static inline void vgpu_counts_end(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	if (unlikely(ksr->launch.counters))
		vgpu_counts_tell(exec, ksr);
}

static inline void vgpu_ksr_count(const struct vgpu_ksr *ksr, u32 sm, enum vgpu_counter what,
				  u64 by)
{
	vgpu_count(vgpu_launch_counters(&ksr->launch, sm), what, by);
}

/* ---- consistency check (check.c, not in vgpu.ko) ------------------------ */

/*
 * Compute everything that is kept up to date again from the tables: the states of every SM add up
 * to the age of the device, those of kernels and blocks to their lives, those of contexts to the
 * device's; lists and counters agree with the tables, and an SM serves one context. false: they do
 * not.
 */
bool vgpu_exec_check(const struct vgpu_exec *exec);

#include "checkpoint.h"

#endif
