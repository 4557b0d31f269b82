/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Scheduling policies and preemption mechanisms: the one header that both are written against.
 *
 * DOC: who decides what
 *
 * The execution engine keeps the tables of Tanasic 5.2.3: command buffers with one waiting launch a
 * context, the active queue (KSRT), the state of every SM (SMST). A *policy* decides which launch
 * is admitted to the active queue and which kernel gets which SM. It is one file with one struct
 * vgpu_policy. A *preemption mechanism* (5.2.2) decides how an SM becomes free of the blocks that
 * run on it: one file with one struct vgpu_preemption. Neither knows the other.
 *
 * The engine calls vgpu_policy.schedule() after every change that gives it something to decide: a
 * launch arrived, a kernel ended, an SM became idle, contexts came or went, a knob changed. It
 * looks at the whole engine and does what is to be done now; to be called without need does no
 * harm. No service below makes a block start or end before it returns, so schedule() may loop over
 * them freely.
 *
 * Operations and services are called by the device's one actor; nothing here sleeps or locks.
 * Virtual times are in picoseconds, SMs are numbers from 0.
 */
#ifndef VGPU_POLICY_H
#define VGPU_POLICY_H

#include "vgpu_model.h"

struct vgpu_exec;	/* the execution engine of one device */
struct vgpu_ksr;	/* an active kernel: a kernel status register */

#define VGPU_POLICY_CONTEXT_BYTES	32u	/* private data of a policy in a context, at most */

/**
 * struct vgpu_sched_context - a context as policies see it. The engine keeps it up to date; a
 * policy reads it, and writes @data only.
 * @id: as in traces; contexts are ordered by it
 * @priority: a higher number is more important
 * @tokens: its budget of SMs, or VGPU_TOKENS_SHARE
 * @takes_part: it is alive and has queues. One that does not never launches anything
 * @active_kernels: its kernels in the active queue
 * @held: SMs that run for it or are being preempted for it: what 5.2.4 takes tokens for
 * @running: some of these run for it already
 * @running_since: when it got the first of the SMs that run for it
 * @data: the policy's own, zero when it is selected: vgpu_sched_data(), vgpu_policy.context_bytes
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
 * struct vgpu_policy - one policy. All but @name and @schedule may be left out.
 * @name: of the knob
 * @data_bytes: of private data, zeroed and allocated when it is selected; vgpu_exec_policy_data()
 * @context_bytes: of private data in each context, at most VGPU_POLICY_CONTEXT_BYTES
 * @init: it has been selected, with kernels active perhaps and SMs assigned and reserved by another
 * @exit: another one is selected, or the device goes
 * @schedule: after any change: admit, assign, reserve
 * @rank: order of contexts with active kernels, lowest first; of equals the one that has had some
 *   for the longest. It is asked again whenever something in struct vgpu_sched_context has changed.
 *   Left out: all are equal
 * @admission_rank: order of waiting launches, equal ones by arrival. Left out: as @rank
 * @victim_rank: order of the contexts that hold SMs, the first loses one first; of equals the
 *   newest. Left out: the reverse of @rank
 * @victim: which of the SMs that @ctx holds it loses. Left out: one that is reserved for it, since
 *   that costs nobody anything, else the one it got last
 * @contexts_changed: contexts came or went, or were given another priority or budget; before their
 *   ranks are asked for again
 * @kernel_finished: a kernel of @ctx has left the active queue
 * @timer: the time set with vgpu_exec_timer() has come
 */
struct vgpu_policy {
	const char *name;
	u32 data_bytes;
	u32 context_bytes;
	void (*init)(struct vgpu_exec *exec);
	void (*exit)(struct vgpu_exec *exec);
	void (*schedule)(struct vgpu_exec *exec);
	u64 (*rank)(const struct vgpu_sched_context *ctx);
	u64 (*admission_rank)(const struct vgpu_sched_context *ctx);
	u64 (*victim_rank)(const struct vgpu_sched_context *ctx);
	int (*victim)(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx);
	void (*contexts_changed)(struct vgpu_exec *exec);
	void (*kernel_finished)(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);
	void (*timer)(struct vgpu_exec *exec);
};

/* A rank by priority: the highest first. */
static inline u64 vgpu_rank_by_priority(const struct vgpu_sched_context *ctx)
{
	return (u64)(0x7fffffffll - ctx->priority);
}

/* ---- what a policy can ask ---------------------------------------------- */

u64 vgpu_exec_now(const struct vgpu_exec *exec);
/* @delay from now; at the end of the clock time stands still, and everything still happens. */
u64 vgpu_exec_time_after(const struct vgpu_exec *exec, u64 delay);
const struct vgpu_config *vgpu_exec_config(const struct vgpu_exec *exec);
/* The knob share_by: budgets by priority, not equal. */
bool vgpu_exec_share_by_priority(const struct vgpu_exec *exec);
/* Its private data, vgpu_policy.data_bytes. */
void *vgpu_exec_policy_data(struct vgpu_exec *exec);

/* The open context behind @ctx in the order of ids, the first for NULL; NULL past the last. */
struct vgpu_sched_context *vgpu_exec_next_context(struct vgpu_exec *exec,
						  const struct vgpu_sched_context *ctx);
/* The same for active kernels, in the order of admission. */
struct vgpu_ksr *vgpu_exec_next_kernel(struct vgpu_exec *exec, const struct vgpu_ksr *ksr);
struct vgpu_sched_context *vgpu_exec_context_of(const struct vgpu_ksr *ksr);

/*
 * The context with a full command buffer that comes first by admission rank, then arrival; NULL:
 * all are empty.
 */
struct vgpu_sched_context *vgpu_exec_waiting(struct vgpu_exec *exec);
/* Room in the active queue? */
bool vgpu_exec_has_room(const struct vgpu_exec *exec);
/*
 * The same for a launch of @ctx, with an entry left for every other process that has no active
 * kernel: none is kept out.
 */
bool vgpu_exec_has_room_for(const struct vgpu_exec *exec, const struct vgpu_sched_context *ctx);
/*
 * The context with active kernels that comes first, of equals the one that has had some for the
 * longest; NULL: there is none.
 */
struct vgpu_sched_context *vgpu_exec_active(struct vgpu_exec *exec);
/*
 * The active kernel with blocks to issue that comes first by rank of its context, then admission;
 * NULL: there is none. _of(): among the kernels of @ctx.
 */
struct vgpu_ksr *vgpu_exec_issuable(struct vgpu_exec *exec);
struct vgpu_ksr *vgpu_exec_issuable_of(const struct vgpu_sched_context *ctx);
/*
 * The same among kernels that have more blocks to issue than the SMs already reserved for them will
 * take.
 */
struct vgpu_ksr *vgpu_exec_wanting(struct vgpu_exec *exec);
struct vgpu_ksr *vgpu_exec_wanting_of(const struct vgpu_sched_context *ctx);
/* The context that comes first by victim rank of those that hold SMs; NULL: there is none. */
struct vgpu_sched_context *vgpu_exec_holding(struct vgpu_exec *exec);
/* The SM that @ctx, which holds some, loses: vgpu_policy.victim(), or what stands there. */
int vgpu_exec_victim(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx);
/* Lowest idle SM, or -1. */
int vgpu_exec_idle_sm(const struct vgpu_exec *exec);
/*
 * An SM that is being preempted for nobody, since the kernel it was reserved for has ended; or -1.
 */
int vgpu_exec_unreserved_sm(const struct vgpu_exec *exec);
/*
 * The SM behind @sm of those that run for @ctx, newest first, the first for -1; -1 past the last.
 */
int vgpu_exec_next_sm_of(const struct vgpu_exec *exec, const struct vgpu_sched_context *ctx,
			 int sm);

/* ---- what a policy can do ----------------------------------------------- */

/*
 * Move the waiting launch of @ctx into the active queue. Needs room there. Its command buffer takes
 * the next launch of the context, if there is one.
 */
struct vgpu_ksr *vgpu_exec_admit(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);
/* Give idle SM @sm to @ksr, which has blocks to issue. */
void vgpu_exec_assign(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/*
 * Reserve SM @sm for @ksr: its preemption begins. An SM that is reserved already changes hands, as
 * 5.2.4 allows. -EOPNOTSUPP: the mechanism in use cannot preempt.
 */
int vgpu_exec_reserve(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr);
/* vgpu_policy.timer() is called at @time, which replaces an earlier one; VGPU_NEVER: it is not. */
void vgpu_exec_timer(struct vgpu_exec *exec, u64 time);
/* The private data of @ctx has changed, and its ranks perhaps. */
void vgpu_exec_reorder(struct vgpu_exec *exec, struct vgpu_sched_context *ctx);

/* ---- preemption mechanisms ---------------------------------------------- */

/**
 * struct vgpu_preemption_estimate - what a preemption of an SM would take, before it begins
 * @latency: until the SM is free; VGPU_NEVER: nobody knows
 * @cost: time that the SM executes nothing because of it, restoring included
 * @lost: execution time thrown away, to be done again
 */
struct vgpu_preemption_estimate {
	u64 latency;
	u64 cost;
	u64 lost;
};

/**
 * struct vgpu_preemption - one mechanism
 * @begin: start to free SM @sm, which has resident blocks. Ends, then or later, with
 *   vgpu_exec_save(); an SM whose last block ends by itself is handed over by the SM driver. Until
 *   then it may use vgpu_preemption_after(), which the SM driver cancels when the SM is handed over
 *   or its context ends. NULL: this mechanism cannot
 * @estimate: of SM @sm, which has resident blocks; NULL with @begin
 *
 * A preemption goes on with what began it: the choice of another mechanism concerns those that
 * begin afterwards. It goes on too when nobody wants the SM any more; the policy is then asked what
 * to do with it.
 */
struct vgpu_preemption {
	const char *name;
	void (*begin)(struct vgpu_exec *exec, u32 sm);
	void (*estimate)(struct vgpu_exec *exec, u32 sm, struct vgpu_preemption_estimate *estimate);
};

/*
 * The estimate of the mechanism in use for @sm, which has resident blocks. -EOPNOTSUPP: it has
 * none.
 */
int vgpu_exec_estimate(struct vgpu_exec *exec, u32 sm, struct vgpu_preemption_estimate *estimate);

/* Call @fn for @sm at @time, in place of what this was called for before. */
void vgpu_preemption_at_time(struct vgpu_exec *exec, u32 sm, u64 time,
			     void (*fn)(struct vgpu_exec *exec, u32 sm));
/*
 * No compiled block of @sm begins another slice. Returns when the present one has ended: only then
 * is the state of the blocks that of the present time.
 */
u64 vgpu_exec_halt(struct vgpu_exec *exec, u32 sm);
/*
 * Save the contexts of all resident blocks of reserved SM @sm into the PTBQ of their kernel. They
 * stop now; the SM is handed over when the save ends. After vgpu_exec_halt(), at the time it said.
 */
void vgpu_exec_save(struct vgpu_exec *exec, u32 sm);
/* How long the save of what is resident on @sm would take. */
u64 vgpu_exec_save_time(const struct vgpu_exec *exec, u32 sm);
/* When the last resident block of @sm ends by itself, counted from now; VGPU_NEVER: not known. */
u64 vgpu_exec_drain_time(const struct vgpu_exec *exec, u32 sm);

/* ---- the lists (policy/list.c, preempt/list.c) -------------------------- */

/* Policy or mechanism @index for listings, NULL past the end. */
const struct vgpu_policy *vgpu_policy_at(unsigned int index);
const struct vgpu_preemption *vgpu_preemption_at(unsigned int index);
/* By its name, a newline at the end forgiven; NULL: there is none. */
const struct vgpu_policy *vgpu_policy_find(const char *name);
const struct vgpu_preemption *vgpu_preemption_find(const char *name);

#endif
