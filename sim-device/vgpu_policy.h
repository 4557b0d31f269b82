/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Scheduling policies and preemption mechanisms: the only header that they include.
 *
 * DOC: policies and mechanisms
 *
 * The execution engine keeps the tables of Tanasic 5.2.3: command buffers with one waiting launch a
 * context, the active queue (KSRT), the state of every SM (SMST). A *policy* decides which launch
 * is admitted to the active queue and which kernel gets which SM. It is one file with one struct
 * vgpu_policy. A *preemption mechanism* (5.2.2) decides how an SM becomes free of the blocks that
 * run on it: one file with one struct vgpu_preemption. Neither knows the other.
 *
 * The engine calls vgpu_policy.schedule() after every change that may need a decision: a launch
 * arrived, a kernel ended, an SM became idle, contexts came or went, a knob changed. It looks at
 * the state of the engine and admits, assigns and reserves; an unnecessary call does no harm. No
 * service below makes a block start or end before it returns, so schedule() may call them in a
 * loop.
 *
 * A policy of the first kind gives whole SMs to kernels (assign, reserve). One of the second kind,
 * @by_block, gives thread blocks to SMs (dispatch, replace, evict): an SM then has blocks of
 * several kernels, of several contexts, side by side (SMK section 5, docs/sharing.md). Neither
 * calls the services of the other.
 *
 * Operations and services are called by the device's one actor; nothing here sleeps or locks.
 * Virtual times are in picoseconds, SMs are numbers from 0.
 */
#ifndef VGPU_POLICY_H
#define VGPU_POLICY_H

#include "vgpu_model.h"

struct vgpu_exec;	/* the execution engine of one device */
struct vgpu_ksr;	/* an active kernel: a kernel status register */
struct vgpu_block;	/* a thread block on an SM */

#define VGPU_POLICY_CONTEXT_BYTES	32u	/* maximum private data of a policy per context */
#define VGPU_BLOCKS_MOST		64u	/* thread blocks on an SM: most blocks_per_sm */

/**
 * struct vgpu_sched_context - a context as policies see it. The engine keeps it up to date; a
 * policy reads it, and writes @data only.
 * @id: as in traces; contexts are ordered by it
 * @priority: a higher number is more important
 * @tokens: its budget of SMs, or VGPU_TOKENS_SHARE
 * @takes_part: it is alive and has queues. A context that does not take part launches nothing
 * @active_kernels: its kernels in the active queue
 * @held: SMs that run for it or are being preempted for it; each costs a token in 5.2.4
 * @running: at least one of these SMs already runs for it
 * @running_since: time when the first of these SMs began to run for it
 * @data: private data of the policy, zeroed when it is selected: see vgpu_sched_data()
 */
struct vgpu_sched_context {
	u32 id;
	s32 priority;
	u32 tokens;
	bool takes_part;
	u32 active_kernels;
	u32 held;
	bool running;
	u64 running_since;
	u64 data[VGPU_POLICY_CONTEXT_BYTES / sizeof(u64)];
};

/* The policy's private data in @ctx. */
static inline void *vgpu_sched_data(const struct vgpu_sched_context *ctx)
{
	return (void *)(unsigned long)ctx->data;
}

/**
 * struct vgpu_policy - one policy. Only @name and @schedule are mandatory.
 * @name: value of the knob
 * @by_block: it dispatches single thread blocks. When the next policy is of the other kind, all
 *   blocks are preempted by a context switch, and the policy has each SM as soon as that is empty
 * @takes_idle: launches that wait change nothing for those that are active: it assigns SMs that are
 *   idle, and neither preempts others nor has a timer. Slices may be executed ahead beside them
 *   (sm/ahead.c)
 * @data_bytes: private data, allocated and zeroed when it is selected; vgpu_exec_policy_data()
 * @context_bytes: private data in each context, at most VGPU_POLICY_CONTEXT_BYTES
 * @init: the policy has been selected; another one may have left active kernels and assigned SMs
 * @exit: another policy is selected, or the device is destroyed
 * @schedule: called after any change: admit, then assign and reserve, or dispatch, replace and
 *   evict. A policy @by_block is also called when a block has ended or has left its SM
 * @rank: order of contexts with active kernels, lowest first; ties go to the context that has been
 *   active for the longest. The engine calls it again whenever struct vgpu_sched_context has
 *   changed. Default: all are equal
 * @admission_rank: order of waiting launches, ties by arrival. Default: @rank
 * @victim_rank: order in which contexts lose SMs, lowest first; ties go to the newest context.
 *   Default: the reverse of @rank
 * @victim: the SM of @ctx that it loses. Default: one that is reserved for it, since no running
 *   block is lost then, else the SM that it got last
 * @would_take: how many SMs a launch of @by would take from @from as things are, at most, if it
 *   has taken @taken from others. By this they are prepared when a launch is announced, so it is
 *   to come of what schedule() decides with. A policy @by_block needs none: its schedule() is
 *   tried (vgpu_exec_try(); docs/writing-a-policy.md has what that may not do). Default: none
 * @next_change: when schedule() will give SMs of some contexts to another one by itself, if nothing
 *   comes and nothing ends until then, and which one (*@by): a turn ends, say. VGPU_NEVER: not
 *   known. Asked after each schedule() and when an SM has been handed over. Default: never
 * @will_take: as @would_take, then. Both or none
 * @contexts_changed: contexts came or went, or got another priority or budget; called before the
 *   engine recomputes their ranks
 * @kernel_finished: a kernel of @ctx has left the active queue
 * @command_ended: a command of @ctx other than a launch has completed. schedule() is not called for
 *   it: a policy that needs that calls its own
 * @timer: the time set with vgpu_exec_timer() has come
 */
struct vgpu_policy {
	const char *name;
	bool by_block;
	bool takes_idle;
	u32 data_bytes;
	u32 context_bytes;
	void (*init)(struct vgpu_exec *exec);
	void (*exit)(struct vgpu_exec *exec);
	void (*schedule)(struct vgpu_exec *exec);
	u64 (*rank)(const struct vgpu_sched_context *ctx);
	u64 (*admission_rank)(const struct vgpu_sched_context *ctx);
	u64 (*victim_rank)(const struct vgpu_sched_context *ctx);
	int (*victim)(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx);
	u32 (*would_take)(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			  const struct vgpu_sched_context *from, u32 taken);
	u64 (*next_change)(struct vgpu_exec *exec, const struct vgpu_sched_context **by);
	u32 (*will_take)(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			 const struct vgpu_sched_context *from, u32 taken);
	void (*contexts_changed)(struct vgpu_exec *exec);
	void (*kernel_finished)(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);
	void (*command_ended)(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);
	void (*timer)(struct vgpu_exec *exec);
};

/* A rank by priority: the highest first. */
static inline u64 vgpu_rank_by_priority(const struct vgpu_sched_context *ctx)
{
	return (u64)(0x7fffffffll - ctx->priority);
}

/* ---- queries of a policy ------------------------------------------------ */

u64 vgpu_exec_now(const struct vgpu_exec *exec);
/* The time @delay from now; saturates at the end of the clock. */
u64 vgpu_exec_time_after(const struct vgpu_exec *exec, u64 delay);
const struct vgpu_config *vgpu_exec_config(const struct vgpu_exec *exec);
/* The knob share_by: true: budgets by priority; false: equal budgets. */
bool vgpu_exec_share_by_priority(const struct vgpu_exec *exec);
/* Private data of the policy, vgpu_policy.data_bytes. */
void *vgpu_exec_policy_data(struct vgpu_exec *exec);

/* The open context after @ctx in the order of ids, the first for NULL; NULL past the last. */
struct vgpu_sched_context *vgpu_exec_next_context(struct vgpu_exec *exec,
						  const struct vgpu_sched_context *ctx);
/* The same for active kernels, in the order of admission. */
struct vgpu_ksr *vgpu_exec_next_kernel(struct vgpu_exec *exec, const struct vgpu_ksr *ksr);
struct vgpu_sched_context *vgpu_exec_context_of(const struct vgpu_ksr *ksr);

/*
 * The first context with a waiting launch, by admission rank, then arrival; NULL: no launch
 * waits.
 */
struct vgpu_sched_context *vgpu_exec_waiting(struct vgpu_exec *exec);
/* When the waiting launch of @ctx arrived; VGPU_NEVER: none waits. */
u64 vgpu_exec_launch_arrived(const struct vgpu_sched_context *ctx);
/*
 * When the oldest command of @ctx that has not completed, of whatever kind, was submitted;
 * VGPU_NEVER: it has none. Looks at every queue of @ctx.
 */
u64 vgpu_exec_oldest_command(const struct vgpu_sched_context *ctx);
/* Has the active queue room for another kernel? */
bool vgpu_exec_has_room(const struct vgpu_exec *exec);
/*
 * The same for a launch of @ctx, with one entry kept free for every other process that has no
 * active kernel, so that no process is locked out.
 */
bool vgpu_exec_has_room_for(const struct vgpu_exec *exec, const struct vgpu_sched_context *ctx);
/*
 * The first context with active kernels by rank, ties go to the one that has been active for the
 * longest; NULL: there is none.
 */
struct vgpu_sched_context *vgpu_exec_active(struct vgpu_exec *exec);
/*
 * The first active kernel with blocks to issue, by rank of its context, then admission; NULL: there
 * is none. _of(): only kernels of @ctx.
 */
struct vgpu_ksr *vgpu_exec_issuable(struct vgpu_exec *exec);
struct vgpu_ksr *vgpu_exec_issuable_of(const struct vgpu_sched_context *ctx);
/*
 * The same, only for kernels with more blocks to issue than the SMs that are already reserved for
 * them will take.
 */
struct vgpu_ksr *vgpu_exec_wanting(struct vgpu_exec *exec);
struct vgpu_ksr *vgpu_exec_wanting_of(const struct vgpu_sched_context *ctx);
/* The first context that holds SMs, by victim rank; NULL: there is none. */
struct vgpu_sched_context *vgpu_exec_holding(struct vgpu_exec *exec);
/* The SM that @ctx, which holds some, loses: vgpu_policy.victim() or its default. */
int vgpu_exec_victim(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx);
/* Lowest idle SM, or -1. */
int vgpu_exec_idle_sm(const struct vgpu_exec *exec);
/*
 * An SM that is being preempted although the kernel it was reserved for has ended; or -1.
 */
int vgpu_exec_unreserved_sm(const struct vgpu_exec *exec);
/*
 * The SM after @sm of those that run for @ctx, newest first, the first for -1; -1 past the last.
 */
int vgpu_exec_next_sm_of(const struct vgpu_exec *exec, const struct vgpu_sched_context *ctx,
			 int sm);

/* ---- actions of a policy ------------------------------------------------ */

/*
 * Move the waiting launch of @ctx into the active queue. The queue must have room. The next launch
 * of the context, if any, moves into its command buffer.
 */
struct vgpu_ksr *vgpu_exec_admit(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);
/* Assign idle SM @sm to @ksr, which has blocks to issue. */
void vgpu_exec_assign(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/*
 * Reserve SM @sm for @ksr and start its preemption. If the SM is already reserved, the reservation
 * moves to @ksr, as 5.2.4 allows. -EOPNOTSUPP: the mechanism in use cannot preempt.
 */
int vgpu_exec_reserve(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/* Call vgpu_policy.timer() at @time, instead of an earlier setting; VGPU_NEVER: cancel. */
void vgpu_exec_timer(struct vgpu_exec *exec, u64 time);
/* That time; VGPU_NEVER: it will not be called. */
u64 vgpu_exec_timer_time(const struct vgpu_exec *exec);
/* Recompute the ranks of @ctx after a change of its private data. */
void vgpu_exec_reorder(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);

/* ---- resources of SMs and their shares  -------------------------------- */

/**
 * struct vgpu_resources - what thread blocks take of an SM (SMK 5.2): the four resources that bound
 * how many fit
 * @registers: 32-bit registers
 * @shared_bytes: shared memory
 * @threads: in whole warps of 32
 * @blocks: slots
 */
struct vgpu_resources {
	u64 registers;
	u64 shared_bytes;
	u64 threads;
	u64 blocks;
};

#define VGPU_SHARE_ONE	(1ull << 32)	/* all of it; shares are multiples of 2^-32, rounded down */

/*
 * The dominant share: the largest of the four parts that @used is of @all (SMK 5.2). A resource of
 * which there is none counts as not used.
 */
u64 vgpu_resources_share(const struct vgpu_resources *used, const struct vgpu_resources *all);
/* *@sum += @count times @one. */
static inline void vgpu_resources_add(struct vgpu_resources *sum, const struct vgpu_resources *one,
				      u64 count)
{
	sum->registers += one->registers * count;
	sum->shared_bytes += one->shared_bytes * count;
	sum->threads += one->threads * count;
	sum->blocks += one->blocks * count;
}

/* *@sum -= @count times @one, which is a part of it. */
static inline void vgpu_resources_sub(struct vgpu_resources *sum, const struct vgpu_resources *one,
				      u64 count)
{
	sum->registers -= one->registers * count;
	sum->shared_bytes -= one->shared_bytes * count;
	sum->threads -= one->threads * count;
	sum->blocks -= one->blocks * count;
}

/* Does @used leave room in @all for one @more? */
static inline bool vgpu_resources_fit(const struct vgpu_resources *used,
				      const struct vgpu_resources *more,
				      const struct vgpu_resources *all)
{
	return used->registers + more->registers <= all->registers &&
	       used->shared_bytes + more->shared_bytes <= all->shared_bytes &&
	       used->threads + more->threads <= all->threads &&
	       used->blocks + more->blocks <= all->blocks;
}

/* ---- policies by block: queries ----------------------------------------- */

#define VGPU_NO_PARTITION	(~0u)

/* Its number: unique on the device, in the order of admission. */
u32 vgpu_exec_kernel_id(const struct vgpu_ksr *ksr);
/* Has @ksr blocks to issue, new or preempted ones, that no SM has been given? */
bool vgpu_exec_has_blocks(const struct vgpu_ksr *ksr);
/* How many these are. */
u64 vgpu_exec_blocks_to_issue(const struct vgpu_ksr *ksr);
/* What one block of @ksr takes. */
const struct vgpu_resources *vgpu_exec_needs(const struct vgpu_ksr *ksr);
/* Blocks of @ksr that an SM holds if it holds nothing else; T of SMK 5.4. At least 1. */
u32 vgpu_exec_occupancy(const struct vgpu_ksr *ksr);
/*
 * What SM @sm has of each. Its shared memory is set by the first block that comes to it empty
 * (vgpu_config.shared_steps); an empty one is taken to be set to the default.
 */
void vgpu_exec_sm_resources(const struct vgpu_exec *exec, u32 sm, struct vgpu_resources *all);
/* Shared memory that an SM is set to if the first block that comes to it is of @ksr, bytes. */
u32 vgpu_exec_shared_size(const struct vgpu_ksr *ksr);
/* What SM @sm is set to; 0: it is empty. */
u32 vgpu_exec_shared_set(const struct vgpu_exec *exec, u32 sm);
/*
 * Blocks of @ksr on SM @sm as decided: those on it and on their way to it, without those that have
 * been told to leave, with those that replace others (vgpu_exec_replace()).
 */
u32 vgpu_exec_blocks_on(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr);
/* The same on all SMs. */
u64 vgpu_exec_blocks_of(const struct vgpu_ksr *ksr);
/*
 * rK of the whole device (SMK 5.2, 5.3.1): the dominant share that @count blocks of @ksr take of
 * all SMs together.
 */
u64 vgpu_exec_kernel_share(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr, u64 count);
/*
 * rSM (SMK 5.3.1): the dominant share of SM @sm that blocks take as decided, but for those of
 * @except, NULL: for none. All of an SM that the policy before has not yet left.
 */
u64 vgpu_exec_sm_share(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *except);
/*
 * May the context of @ksr have a part of SM @sm, as far as its limit of SMs goes? _more(): of one
 * that it has no part of. A promise of vgpu_exec_replace() and a partition are parts.
 */
bool vgpu_exec_may_hold(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr);
bool vgpu_exec_may_hold_more(const struct vgpu_ksr *ksr);
/*
 * May a block of @ksr be dispatched to SM @sm now? There is room beside what is there, what leaves
 * and what others are to replace; the SM has no more than kernels_per_sm kernels then; the
 * partition of @ksr, if it has one, is not full; its context may hold the SM.
 */
bool vgpu_exec_fits(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr);
/*
 * Blocks of @victim that have to leave SM @sm for one of @ksr to fit; 0: it does not fit so, or it
 * will when those have left that have been told to.
 */
u32 vgpu_exec_in_the_way(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *victim,
			 const struct vgpu_ksr *ksr);
/* Blocks of @ksr that vgpu_exec_evict() can have leave SM @sm now. */
u32 vgpu_exec_evictable(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr);

/* ---- policies by block: actions ----------------------------------------- */

/*
 * Dispatch one block of @ksr to SM @sm, where it fits: a preempted one, if there are any, else the
 * next new one. The first one of a kernel on an SM waits for the setup of the SM.
 */
void vgpu_exec_dispatch(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/*
 * A block of @ksr leaves SM @sm by a partial context switch (SMK 5.1), the one that came last of
 * those that have not been told to. It goes to the PTBQ of its kernel. -EBUSY: none can.
 */
int vgpu_exec_evict(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/*
 * As many blocks of @victim leave SM @sm as are in the way of one of @ksr, which is dispatched
 * there as soon as there is room; nobody else gets that room. -EBUSY: they cannot make room for it.
 */
int vgpu_exec_replace(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *victim,
		      struct vgpu_ksr *ksr);
/*
 * From now on SM @sm takes at most @blocks blocks of @ksr (SMK 5.3.2), VGPU_NO_PARTITION: as many
 * as there is room for. What it has more stays until it is evicted. -ENOSPC: kernels_per_sm others
 * have blocks or partitions there.
 */
int vgpu_exec_set_partition(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr, u32 blocks);
/* That partition; VGPU_NO_PARTITION: it has none. */
u32 vgpu_exec_partition(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr);

/* The present cycle of the SMs, from 0. */
u64 vgpu_exec_cycle(const struct vgpu_exec *exec);
/* Warp instructions that SM @sm has executed since the device was created. */
u64 vgpu_exec_sm_instructions(const struct vgpu_exec *exec, u32 sm);
/*
 * Each warp scheduler of SM @sm issues up to @instructions warp instructions of @ksr, then none
 * before all kernels with a quota and warps there have used theirs up (SMK 5.4). 0: it has no
 * quota.
 */
void vgpu_exec_set_quota(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr, u64 instructions);

/* ---- preemption mechanisms ---------------------------------------------- */

/**
 * struct vgpu_announcement - a kernel that will take SMs, as far as it is known: a launch that a
 * process announces, or what a policy will do (vgpu_policy.next_change)
 * @blocks: thread blocks; 0: not known
 * @needs: of each; 0: not known
 * @lead: of a launch: picoseconds from its announcement until it comes, at least; 0: not known
 * @at: when the policy takes SMs for it, without a launch; 0: with the launch
 */
struct vgpu_announcement {
	u64 blocks;
	struct vgpu_resources needs;
	u64 lead;
	u64 at;
};

/**
 * struct vgpu_preemption_estimate - expected cost of a preemption of an SM, or of a block
 * @latency: time until the SM is free, or the block has left it; VGPU_NEVER: unknown
 * @cost: time in which the SM executes nothing because of it, restoring included
 * @lost: execution time that is discarded and must be repeated
 */
struct vgpu_preemption_estimate {
	u64 latency;
	u64 cost;
	u64 lost;
};

/**
 * struct vgpu_preemption - one mechanism
 * @begin: start to free SM @sm, which has resident blocks. Call vgpu_exec_save() at once or later;
 *   the SM driver hands the SM over by itself if its last block ends before. Until then the
 *   mechanism may use vgpu_preemption_at_time(), which the SM driver cancels when the SM is handed
 *   over or its context ends. NULL: this mechanism cannot preempt
 * @estimate: estimate for SM @sm, which has resident blocks; NULL if @begin is NULL
 * @leave: what it does to a block: with @estimate_block others can choose it for a block. NONE: it
 *   is no way for a block to leave
 * @estimate_block: estimate for @block by itself, on an SM, whatever happens to others. A latency
 *   of VGPU_NEVER: it cannot leave so, or nobody knows when it will have
 * @choose: how @block, on an SM, is to leave it, and the estimate of that; never NONE. @late: it
 *   was to end by itself, and has not in the time that was estimated and the deadline; DRAIN is no
 *   answer then. It is asked by vgpu_exec_leave_blocks(), for those with that @begin, and for each
 *   block that a policy by block has leave; of mechanisms without, each is saved there (SMK 5.1)
 * @dirty: what blocks have not written is not saved
 * @announced: a process of @by announces a launch, or @by will be given SMs of others without one
 *   (@what->at). NULL: announcements are for nothing
 *
 * A preemption continues with the mechanism that started it, even if another mechanism is selected
 * meanwhile. It also continues if the kernel that reserved the SM ends; the policy then assigns the
 * SM when it is free.
 */
struct vgpu_preemption {
	const char *name;
	void (*begin)(struct vgpu_exec *exec, u32 sm);
	void (*estimate)(struct vgpu_exec *exec, u32 sm, struct vgpu_preemption_estimate *estimate);
	enum vgpu_leave leave;
	void (*estimate_block)(struct vgpu_exec *exec, const struct vgpu_block *block,
			       struct vgpu_preemption_estimate *estimate);
	enum vgpu_leave (*choose)(struct vgpu_exec *exec, const struct vgpu_block *block, bool late,
				  struct vgpu_preemption_estimate *estimate);
	bool dirty;
	void (*announced)(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			  const struct vgpu_announcement *what);
};

/*
 * The estimate of the current mechanism for @sm, which has resident blocks. -EOPNOTSUPP: it cannot
 * preempt.
 */
int vgpu_exec_estimate(struct vgpu_exec *exec, u32 sm, struct vgpu_preemption_estimate *estimate);

/* Call @fn for @sm at @time, instead of an earlier setting. */
void vgpu_preemption_at_time(struct vgpu_exec *exec, u32 sm, u64 time,
			     void (*fn)(struct vgpu_exec *exec, u32 sm));
/*
 * Stop compiled blocks of @sm at the end of the present slice. Returns the time when it ends: only
 * then does the state of the blocks match the virtual time.
 */
u64 vgpu_exec_halt(struct vgpu_exec *exec, u32 sm);
/*
 * Save the contexts of all resident blocks of reserved SM @sm into the PTBQ of their kernel. They
 * stop now; the SM is handed over when the save ends. Call vgpu_exec_halt() first, and this at the
 * time that it returned. With sm_on_fault=stall the blocks stop when none of their warps waits for
 * a page any more.
 */
void vgpu_exec_save(struct vgpu_exec *exec, u32 sm);
/* Time that a save of the resident blocks of @sm would take. */
u64 vgpu_exec_save_time(const struct vgpu_exec *exec, u32 sm);
/*
 * Time from now that a save of the resident blocks of @sm, which executes nothing from now on, has
 * to wait for page faults to be served: 0 unless sm_on_fault=stall; VGPU_NEVER: unknown.
 */
u64 vgpu_exec_wait_time(const struct vgpu_exec *exec, u32 sm);
/*
 * May blocks on @sm, or @block, wait for others of their launch at a barrier of the grid
 * (VGPU_LAUNCH_COOPERATIVE)? They do not drain: who they wait for may have no place before they
 * have left (exec/rotate.c).
 */
bool vgpu_exec_cooperates(const struct vgpu_exec *exec, u32 sm);
bool vgpu_exec_block_cooperates(const struct vgpu_block *block);
/* Time from now until the last resident block of @sm ends by itself; VGPU_NEVER: unknown. */
u64 vgpu_exec_drain_time(const struct vgpu_exec *exec, u32 sm);

/* ---- mechanisms by block (exec/leave.c) ---------------------------------- */

/*
 * As vgpu_preemption.begin: each block of reserved SM @sm leaves as vgpu_preemption.choose says,
 * those that are saved one after the other, while those that run to their end go on. Where an SM
 * stalls on page faults (sm_on_fault) and a block that waits is to be saved, all are saved that are
 * not flushed. A block that was to end by itself and has not, in the time that was estimated and
 * deadline_ps, is chosen for again.
 */
void vgpu_exec_leave_blocks(struct vgpu_exec *exec, u32 sm);
/*
 * As vgpu_preemption.estimate: what @choose chooses for all blocks of @sm together. Blocks are
 * saved one after the other.
 */
void vgpu_exec_estimate_blocks(struct vgpu_exec *exec, u32 sm,
			       enum vgpu_leave (*choose)(struct vgpu_exec *exec,
							 const struct vgpu_block *block, bool late,
							 struct vgpu_preemption_estimate *estimate),
			       struct vgpu_preemption_estimate *estimate);
/*
 * Time from now until @block ends by itself. Of profiled blocks it is known, but for page faults to
 * come; of others it is estimated: the instructions that blocks of its launch had on average, less
 * those that it has executed, at the rate at which it has executed these. VGPU_NEVER: no block has
 * ended yet.
 */
u64 vgpu_exec_block_drain_time(const struct vgpu_exec *exec, const struct vgpu_block *block);
/*
 * Time until @block, which is to be saved, can be: what it has in flight has ended, and so has its
 * slice, and its page faults with sm_on_fault=stall. VGPU_NEVER: unknown.
 */
u64 vgpu_exec_block_stop_time(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* Time that a save of @block, and of nothing else, would take. */
u64 vgpu_exec_block_save_time(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* The same if only what it has written is saved, since its base checkpoint if it has one. */
u64 vgpu_exec_block_dirty_time(const struct vgpu_exec *exec, const struct vgpu_block *block);
/*
 * May @block be dropped now, and run again from its start? Not if it has done what cannot be
 * repeated (sm/repeat.c; a profiled one: if it is beyond the idempotent part), nor if it has been
 * dropped flushes_most times: so every block ends some day.
 */
bool vgpu_exec_block_repeats(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* For how long @block has run, on all SMs: what is lost when it is dropped. */
u64 vgpu_exec_block_ran(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* What was lost of @block when it was dropped, all times together. */
u64 vgpu_exec_block_lost(const struct vgpu_exec *exec, const struct vgpu_block *block);

/* ---- mechanisms that prepare SMs (exec/announce.c, exec/checkpoint.c) ----- */

/* SMs that @what of @by would take from @from, too: vgpu_policy.would_take, or will_take */
u32 vgpu_exec_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			 const struct vgpu_announcement *what,
			 const struct vgpu_sched_context *from, u32 taken);
/*
 * The same for policies by block: find out which blocks would leave shared SMs for @what of @by, by
 * having the policy decide as if it came now (exec/trial.c). false: the policy is of the other kind
 */
bool vgpu_exec_try(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
		   const struct vgpu_announcement *what);
/* Would any leave SM @sm? */
bool vgpu_exec_would_change(const struct vgpu_exec *exec, u32 sm);
/*
 * Those that would leave @sm as it is now: of each kernel the newest, in this order. Returns how
 * many are in @blocks, which has room for VGPU_BLOCKS_MOST.
 */
u32 vgpu_exec_would_leave(const struct vgpu_exec *exec, u32 sm, struct vgpu_block **blocks);
/* SMs that the announced kernel can fill, beside those that are idle. */
u64 vgpu_exec_announced_sms(const struct vgpu_exec *exec, const struct vgpu_announcement *what);
/* SM @sm is prepared for @what of @by: call @fn at @time. */
void vgpu_exec_prepare(struct vgpu_exec *exec, u32 sm, const struct vgpu_sched_context *by,
		       const struct vgpu_announcement *what, u64 time,
		       void (*fn)(struct vgpu_exec *exec, u32 sm));
/*
 * Time from now until the SM that is prepared is expected to be taken: of a launch that a process
 * announces, pep_launch_ps after it did. VGPU_NEVER: it is not expected any more.
 */
u64 vgpu_exec_expected(const struct vgpu_exec *exec, u32 sm);
/*
 * Time from now until @block ends: the mean of the blocks of its launch that have ended less its
 * own time so far; before the first has, as vgpu_exec_block_drain_time(), also for profiled ones.
 */
u64 vgpu_exec_block_left(const struct vgpu_exec *exec, const struct vgpu_block *block);
/* The longest of these on @sm. */
u64 vgpu_exec_longest_left(struct vgpu_exec *exec, u32 sm);
/* Time that it takes to drain the pipeline of @sm and to save all of the contexts of its blocks. */
u64 vgpu_exec_switch_time(const struct vgpu_exec *exec, u32 sm);
/*
 * Can a base checkpoint be made of @sm now? It runs blocks of one kernel, of which one has no
 * checkpoint, and, if the SM stalls, none waits for a page.
 */
bool vgpu_exec_can_checkpoint(const struct vgpu_exec *exec, u32 sm);
/*
 * @sm, of which one can be made, stands, makes a base checkpoint, and goes on. Blocks that are
 * expected to end in @least or sooner are not in it.
 */
void vgpu_exec_checkpoint(struct vgpu_exec *exec, u32 sm, u64 least);
/*
 * The same of one block of a shared SM, which stops by itself and is saved beside its neighbours.
 */
bool vgpu_exec_can_checkpoint_block(const struct vgpu_exec *exec, const struct vgpu_block *block);
void vgpu_exec_checkpoint_block(struct vgpu_exec *exec, struct vgpu_block *block);
/*
 * Time that it takes to drain the pipeline and to save all of the contexts of @count @blocks, one
 * after the other.
 */
u64 vgpu_exec_blocks_switch_time(const struct vgpu_exec *exec, struct vgpu_block *const *blocks,
				 u32 count);
/* The SM that @block is on. */
u32 vgpu_exec_sm_of(const struct vgpu_block *block);
/*
 * Call @came for @sm when a block has come to it, a new one or one that has been restored, and
 * executed pep_run_instructions, until unwatch(). It ends by itself when the SM is reserved.
 */
void vgpu_exec_watch(struct vgpu_exec *exec, u32 sm, void (*came)(struct vgpu_exec *exec, u32 sm));
void vgpu_exec_unwatch(struct vgpu_exec *exec, u32 sm);
bool vgpu_exec_is_watched(const struct vgpu_exec *exec, u32 sm);

/* ---- the lists (policy/list.c, preempt/list.c) -------------------------- */


/* Policy or mechanism @index for listings, NULL past the end. */
const struct vgpu_policy *vgpu_policy_at(unsigned int index);
const struct vgpu_preemption *vgpu_preemption_at(unsigned int index);
/* Find by name, ignoring a newline at the end; NULL: there is none. */
const struct vgpu_policy *vgpu_policy_find(const char *name);
const struct vgpu_preemption *vgpu_preemption_find(const char *name);

/*
 * Those from outside. They are listed behind those of the tree, and what a policy of them decides
 * is checked (exec/outside/). Whoever calls these sees to it that one thread at a time does, and
 * that a policy or mechanism that has been removed goes only when no device has it selected any
 * more (vgpu_device_drop_policy()); others may look things up meanwhile.
 *
 * -EINVAL: it has no name, one that is longer than VGPU_NAME_BYTES or has a character other than
 * letters, digits, "-", "_" and ".", or lacks what is mandatory, or wants too much private data of
 * a context; -EEXIST: there is one of that name; -ENOSPC: 16 are there.
 */
int vgpu_policy_add(const struct vgpu_policy *policy);
int vgpu_preemption_add(const struct vgpu_preemption *preemption);
void vgpu_policy_remove(const struct vgpu_policy *policy);
void vgpu_preemption_remove(const struct vgpu_preemption *preemption);
bool vgpu_policy_is_outside(const struct vgpu_policy *policy);

/* ---- for a host whose policies may pass anything (exec/outside/) ---------- */

/* The policy that is selected. Its private data have data_bytes. */
const struct vgpu_policy *vgpu_exec_policy(const struct vgpu_exec *exec);
/* The engine of @ctx. */
struct vgpu_exec *vgpu_exec_of_context(const struct vgpu_sched_context *ctx);
/* Is this an open context, an active kernel of @exec? Whatever it points to is not touched. */
bool vgpu_exec_is_context(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx);
bool vgpu_exec_is_kernel(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr);
/* The policy, which is from outside, has done what it must not: it is ejected, for @reason. */
void vgpu_exec_eject(struct vgpu_exec *exec, const char *reason);

#endif
