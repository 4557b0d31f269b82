/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The execution engine: Tanasic 2.3 in the terms of 5.2.3. Commands come from the dispatcher into
 * the command buffer of their context; the policy admits one into the active queue (a KSR of the
 * KSRT tracks it) and assigns SMs to it; the SM driver sets an SM up, issues thread blocks until it
 * is full, and issues again when one ends. The SMST says what every SM does.
 *
 * framework.c has the services a policy calls, standing.c what it asks about contexts, sm_driver.c
 * what follows from them, save_area.c moves contexts of thread blocks, accounting.c has the times.
 */
#ifndef VGPU_EXEC_H
#define VGPU_EXEC_H

#include "../core/context.h"
#include "../sm/sm.h"

struct vgpu_command;
struct vgpu_policy;
struct vgpu_preemption;

struct vgpu_ksr_link {
	struct vgpu_ksr *prev;
	struct vgpu_ksr *next;
	bool listed;
};

/* States of an active kernel: accounts are kept of each. */
enum vgpu_kernel_state {
	VGPU_KERNEL_QUEUED,
	VGPU_KERNEL_RUNNING,
	VGPU_KERNEL_PREEMPTED,
	VGPU_KERNEL_STATES
};

/* States of an issued thread block. NONE: not issued yet, or ended. */
enum vgpu_block_state {
	VGPU_BLOCK_RUNNING,
	VGPU_BLOCK_PREEMPTED,
	VGPU_BLOCK_SAVING,
	VGPU_BLOCK_RESTORING,
	VGPU_BLOCK_STATES,
	VGPU_BLOCK_NONE = VGPU_BLOCK_STATES
};

/** struct vgpu_ksr - kernel status register: one active kernel and its context (Tanasic 5.2.3) */
struct vgpu_ksr {
	struct vgpu_launch launch;
	struct vgpu_context *ctx;	/* NULL: the entry is free */
	struct vgpu_command *command;
	struct vgpu_ksr *prev;		/* active queue, in the order of admission */
	struct vgpu_ksr *next;
	struct vgpu_ksr_link link[VGPU_KSR_NEEDS];	/* among the kernels of its context */
	u64 order;			/* of admission */
	u32 occupancy;			/* thread blocks that fit into one SM */
	u32 shared_config;		/* shared memory an SM is set to for it */
	u32 sms;			/* assigned to it */
	u32 reserved;			/* SMs that are being preempted for it */
	u64 promised;			/* blocks that those will take */
	u64 next_block;			/* the first one never issued */
	/* blocks to issue, preempted ones too, that no SM in setup has claimed */
	u64 unclaimed;
	u64 ended;			/* blocks */
	struct vgpu_block *ptbq;	/* preempted thread blocks, oldest first */
	struct vgpu_block *ptbq_tail;
	bool started;			/* a block was issued */
	struct vgpu_event watchdog;
	/* accounts */
	enum vgpu_kernel_state state;
	u64 since;			/* right up to here */
	u64 time[VGPU_KERNEL_STATES];
	u32 blocks_in[VGPU_BLOCK_STATES];
	u64 blocks_since;
	u64 block_time[VGPU_BLOCK_STATES];
	u64 block_life;			/* ends less first issues */
};

/**
 * struct vgpu_smst - SM status table, one entry. The number of running blocks is in the SM:
 * resident_count.
 */
struct vgpu_smst {
	enum vgpu_sm_state state;
	struct vgpu_ksr *ksr;		/* NULL: idle */
	struct vgpu_ksr *next;		/* reserved for; NULL: nobody any more */
	/* that it counts for; the context of ksr, of next when it is being preempted */
	struct vgpu_context *holder;
	/* in the list of its holder's SMs; without one, of those that nobody waits for */
	struct vgpu_smst *list_next;
	struct vgpu_smst **list_at;	/* what points to it; NULL: idle */
	u32 claimed;			/* blocks it will issue when set up */
	u64 requested;			/* when it was reserved */
	struct vgpu_event setup;
	/*
	 * of the mechanism: what it does next; else the end of the save or restore that is under
	 * way
	 */
	struct vgpu_event preempt;
	/* blocks being saved, or waiting to be restored one after the other; not resident */
	struct vgpu_block *moving;
	struct vgpu_block **moving_end;
	u32 moving_count;
	u64 moving_bytes;		/* of a save; of the restore that is under way */
	u64 since;			/* accounts are right up to here */
	u64 time[VGPU_SM_STATES];
	u64 instructions;		/* of the SM that are in its contexts' accounts */
	u64 thread_instructions;
};

/* Is it being preempted? */
static inline bool vgpu_sm_is_leaving(const struct vgpu_smst *smst)
{
	return smst->state == VGPU_SM_RESERVED || smst->state == VGPU_SM_SAVING;
}

#define VGPU_IDLE_WORDS		16u	/* bits for 1024 SMs */

struct vgpu_exec {
	const struct vgpu_policy *policy;
	const struct vgpu_preemption *preemption;
	u64 policy_word[4];		/* the policy's own; 0 when it is selected */
	struct vgpu_event policy_timer;
	bool share_by_priority;		/* budgets by priority, not equal: policy/share.c */
	struct vgpu_tournament waiting;	/* full command buffers */
	u32 processes;			/* live contexts that have queues */
	/* contexts; for this and those that follow see struct vgpu_standing */
	struct vgpu_tournament active;
	struct vgpu_tournament need[VGPU_KSR_NEEDS];
	struct vgpu_tournament holding;
	/* SMs that are being preempted and that nobody waits for any more */
	struct vgpu_smst *unreserved;
	struct vgpu_ksr *ksrt;
	struct vgpu_ksr **ksr_free;	/* stack of free entries */
	u32 ksr_free_count;
	struct vgpu_ksr *active_head;	/* active queue */
	struct vgpu_ksr *active_tail;
	u32 active_count;
	struct vgpu_smst *smst;
	u64 idle[VGPU_IDLE_WORDS];	/* bit per SM */
	u32 idle_count;
	u64 arrivals;			/* launches that ever arrived */
	u64 admissions;
	u32 launches;			/* newest launch id */
	struct vgpu_block *pool;	/* free block structs */
	struct vgpu_block_slab *slabs;
	u64 blocks;			/* in use */
	/* accounts */
	u64 preemptions;
	u64 preemption_time;
	u64 save_area;			/* bytes in it */
	u64 save_area_most;
	struct vgpu_account past;	/* of contexts that are closed */
};

int vgpu_exec_init(struct vgpu_device *dev);
void vgpu_exec_fini(struct vgpu_device *dev);
/*
 * A launch from the dispatcher: it takes launch_ps to arrive at the command buffer of its context.
 */
void vgpu_exec_submit(struct vgpu_device *dev, struct vgpu_command *command);
/* Stop and drop everything of @ctx; the policy gives away what becomes free. */
void vgpu_exec_abort(struct vgpu_device *dev, struct vgpu_context *ctx);
void vgpu_exec_set_policy(struct vgpu_device *dev, const struct vgpu_policy *policy);
/* Ranks may have changed: order everything again and ask the policy. */
void vgpu_exec_rerank(struct vgpu_device *dev);
/* Preemptions that are under way end as they began. */
void vgpu_exec_set_preemption(struct vgpu_device *dev, const struct vgpu_preemption *preemption);
/*
 * The watchdog measures how long a kernel was running, without the times when it was preempted from
 * all its SMs; those that run now too.
 */
void vgpu_exec_set_watchdog(struct vgpu_device *dev);

/* ---- services for policies (framework.c) -------------------------------- */

/*
 * Contexts come in the order of the policy's rank. A policy may look into ctx->standing and ksr; it
 * changes standing.mark and, in its operation prepare, standing.budget.
 */

/*
 * The context with a full command buffer that comes first by wait_rank, then arrival; NULL: all are
 * empty.
 */
struct vgpu_context *vgpu_exec_waiting(struct vgpu_device *dev);
/* Room in the active queue? */
bool vgpu_exec_has_room(const struct vgpu_device *dev);
/*
 * The same for a launch of @ctx, with an entry left for every other process that has no active
 * kernel: none is kept out.
 */
bool vgpu_exec_has_room_for(const struct vgpu_device *dev, const struct vgpu_context *ctx);
/*
 * The context with active kernels that comes first, of equals the one that has had some for the
 * longest; NULL: there is none.
 */
struct vgpu_context *vgpu_exec_active(struct vgpu_device *dev);
/*
 * Move the command of a full buffer into the active queue. Needs room there. The buffer takes the
 * next launch of its context from the dispatcher, if there is one: kernel_arrived is not called for
 * that, look again.
 */
struct vgpu_ksr *vgpu_exec_admit(struct vgpu_device *dev, struct vgpu_context *ctx);
/*
 * The active kernel with blocks to issue that comes first by rank of its context, then admission;
 * NULL: there is none.
 */
struct vgpu_ksr *vgpu_exec_issuable(struct vgpu_device *dev);
/*
 * The same among kernels that have more blocks to issue than the SMs already reserved for them will
 * take.
 */
struct vgpu_ksr *vgpu_exec_wanting(struct vgpu_device *dev);
/*
 * The context that comes last of those that hold SMs (running, or reserved for it); of equals the
 * newest. NULL: there is none.
 */
struct vgpu_context *vgpu_exec_holding(struct vgpu_device *dev);
/*
 * The SM that @ctx, which holds some, loses at the least cost: one that is reserved for it, else
 * the one it got last.
 */
int vgpu_exec_held_sm(const struct vgpu_device *dev, const struct vgpu_context *ctx);
/* Lowest idle SM, or -1. */
int vgpu_exec_idle_sm(const struct vgpu_device *dev);
/*
 * An SM that is being preempted for nobody, because the kernel it was reserved for has ended; or
 * -1.
 */
int vgpu_exec_unreserved_sm(const struct vgpu_device *dev);
/* Give idle SM @sm to @ksr, which has blocks to issue. */
void vgpu_exec_assign(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr);
/*
 * Reserve SM @sm for @ksr: its preemption begins. An SM that is reserved already changes hands, as
 * 5.2.4 allows. -EOPNOTSUPP: the mechanism in use cannot preempt.
 */
int vgpu_exec_reserve(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr);
/*
 * The policy's operation timer is called at @time, which replaces an earlier one; VGPU_NEVER: it is
 * not called.
 */
void vgpu_exec_timer(struct vgpu_device *dev, u64 time);
/*
 * After a change of what the rank of @ctx depends on, other than its priority, budget, kernels and
 * SMs: that is seen to.
 */
void vgpu_exec_reorder(struct vgpu_device *dev, struct vgpu_context *ctx);

/* vgpu_exec_issuable() and vgpu_exec_wanting() among the kernels of @ctx. */
static inline struct vgpu_ksr *vgpu_exec_issuable_of(const struct vgpu_context *ctx)
{
	return ctx->standing.kernels[VGPU_KSR_ISSUABLE].first;
}

static inline struct vgpu_ksr *vgpu_exec_wanting_of(const struct vgpu_context *ctx)
{
	return ctx->standing.kernels[VGPU_KSR_WANTING].first;
}

/* ---- service for preemption mechanisms (save_area.c) -------------------- */

/*
 * Save the contexts of all resident blocks of reserved SM @sm into the PTBQ of their kernel. They
 * stop now; the SM is handed over when the save ends. The state of the blocks must be that of the
 * present time: vgpu_sm_halt().
 */
void vgpu_exec_save(struct vgpu_device *dev, u32 sm);

/* ---- inside the engine -------------------------------------------------- */

/* sm_driver.c: SM @sm, idle, begins setup for @ksr */
void vgpu_sm_driver_setup(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr);
/*
 * sm_driver.c: give back what @sm has claimed in setup; it is idle, and goes to @next if that has
 * blocks to issue
 */
void vgpu_sm_driver_unset(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *next);
/*
 * save_area.c: the first block in the PTBQ of @ksr is restored on @sm after those that wait there,
 * and resumed then
 */
void vgpu_exec_restore(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr);
/*
 * save_area.c: what @sm has not restored yet goes back to the head of the PTBQ; it lies in the save
 * area still
 */
void vgpu_exec_unrestore(struct vgpu_device *dev, u32 sm);
/*
 * sm_driver.c: reserved SM @sm is empty, its blocks are in the PTBQ: it goes to the kernel that
 * reserved it
 */
void vgpu_sm_driver_preempted(struct vgpu_device *dev, u32 sm);
/* sm_driver.c: @block, restored, goes on running on @sm */
void vgpu_sm_driver_resume(struct vgpu_device *dev, u32 sm, struct vgpu_block *block);
/* sm_driver.c: stop whatever @sm does for a context that ends */
void vgpu_sm_driver_stop(struct vgpu_device *dev, u32 sm);
/* framework.c: all blocks of @ksr have ended: its command completes, the policy is told */
void vgpu_exec_finish(struct vgpu_device *dev, struct vgpu_ksr *ksr);
/* framework.c: SM @sm, being preempted, is reserved for @next, NULL: for nobody */
void vgpu_exec_set_next(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *next);
/* standing.c: room for @contexts; -ENOMEM */
int vgpu_standing_reserve(struct vgpu_exec *exec, u32 contexts);
void vgpu_standing_fini(struct vgpu_exec *exec);
/*
 * framework.c: @ksr, which has started, has got its first SM, has lost its last one; the watchdog
 * counts between the two
 */
void vgpu_exec_runs(struct vgpu_device *dev, struct vgpu_ksr *ksr);
void vgpu_exec_stops(struct vgpu_device *dev, struct vgpu_ksr *ksr);
/* standing.c: after a change of ksr->unclaimed or promised */
void vgpu_exec_claimed(struct vgpu_device *dev, struct vgpu_ksr *ksr);
/* standing.c: after a change of whom @sm serves or is reserved for */
void vgpu_exec_placed(struct vgpu_device *dev, u32 sm);
/* block_pool.c: block structs, recycled; get: NULL when there is no memory for more */
int vgpu_block_pool_grow(struct vgpu_exec *exec, u32 count);
void vgpu_block_pool_free(struct vgpu_exec *exec);
struct vgpu_block *vgpu_block_get(struct vgpu_exec *exec);
void vgpu_block_put(struct vgpu_exec *exec, struct vgpu_block *block);

/* ---- accounts (accounting.c) -------------------------------------------- */

/*
 * Enter the time since the last entry, and what follows belongs to @state. Of a kernel: it has
 * started.
 */
void vgpu_account_kernel(struct vgpu_device *dev, struct vgpu_ksr *ksr,
			 enum vgpu_kernel_state state);
void vgpu_account_sm(struct vgpu_device *dev, u32 sm, enum vgpu_sm_state state);
/* A kernel of @ctx has arrived at the engine. */
void vgpu_account_arrival(struct vgpu_device *dev, struct vgpu_context *ctx);
/* @count blocks of @ksr go from one state into another. */
void vgpu_account_blocks(struct vgpu_device *dev, struct vgpu_ksr *ksr, enum vgpu_block_state from,
			 enum vgpu_block_state to, u32 count);
/* @ksr has lost an SM that was reserved at @requested. */
void vgpu_account_preemption(struct vgpu_device *dev, struct vgpu_ksr *ksr, u64 requested);
/* @blocks of @ksr move @bytes into the save area. */
void vgpu_account_save(struct vgpu_device *dev, struct vgpu_ksr *ksr, u32 blocks, u64 bytes);
/* @bytes of @ksr leave it. */
void vgpu_account_restored(struct vgpu_device *dev, struct vgpu_ksr *ksr, u64 bytes);
/* @ksr ends, and its blocks with it. */
void vgpu_account_end(struct vgpu_device *dev, struct vgpu_ksr *ksr);
/* Everything of @ctx has been stopped: kernels that had not been admitted end too. */
void vgpu_account_abort(struct vgpu_device *dev, struct vgpu_context *ctx);
/* @ctx is closed: its accounts are kept in the device's. */
void vgpu_account_close(struct vgpu_device *dev, const struct vgpu_context *ctx);
/*
 * Fill account, sm_time and the instructions of @info with what @ctx has used up to now, the
 * running part included.
 */
void vgpu_account_context(const struct vgpu_device *dev, const struct vgpu_context *ctx,
			  struct vgpu_context_info *info);
/* ---- consistency check (check.c, not in vgpu.ko) ------------------------ */

/*
 * Compute everything that is kept up to date again from the tables: the states of every SM add up
 * to the age of the device, those of kernels and blocks to their lives, those of contexts to the
 * device's; lists and counters agree with the tables, and an SM serves one context. false: they do
 * not.
 */
bool vgpu_exec_check(const struct vgpu_device *dev);

#endif
