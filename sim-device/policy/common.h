/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Helpers that several policies share.
 */
#ifndef VGPU_POLICY_COMMON_H
#define VGPU_POLICY_COMMON_H

#include "../vgpu_policy_file.h"

extern const struct vgpu_policy vgpu_policy_fcfs;
extern const struct vgpu_policy vgpu_policy_npq;
extern const struct vgpu_policy vgpu_policy_ppq_exclusive;
extern const struct vgpu_policy vgpu_policy_ppq_shared;
extern const struct vgpu_policy vgpu_policy_dss;
extern const struct vgpu_policy vgpu_policy_static;
extern const struct vgpu_policy vgpu_policy_round_robin;
extern const struct vgpu_policy vgpu_policy_spart;
extern const struct vgpu_policy vgpu_policy_leftover;
extern const struct vgpu_policy vgpu_policy_smk;
extern const struct vgpu_policy vgpu_policy_smk_p;
extern const struct vgpu_policy vgpu_policy_smk_pw;

/* fcfs.c: one context at a time, its kernels back to back */
void vgpu_policy_exclusive(struct vgpu_exec *exec);

/** struct vgpu_budget - private data of policies that divide the SMs; first in their own */
struct vgpu_budget {
	u32 sms;
};

static inline struct vgpu_budget *vgpu_budget_of(const struct vgpu_sched_context *ctx)
{
	return vgpu_sched_data_of(ctx, struct vgpu_budget);
}

/* share.c: set the budgets of all contexts; returns how many SMs could not be divided */
u32 vgpu_policy_share(struct vgpu_exec *exec);
/* share.c: does @ctx have a share and not a fixed number of tokens? */
bool vgpu_policy_has_share(const struct vgpu_sched_context *ctx);

/* Where SMs of the less important are preempted: does @by get one of @from? */
static inline bool vgpu_policy_outranks(const struct vgpu_sched_context *by,
					const struct vgpu_sched_context *from)
{
	return from->priority < by->priority;
}

/*
 * An SM to preempt for @ctx: an unreserved one, else one of the least important context if that is
 * less important than @ctx; -1: there is none.
 */
static inline int vgpu_policy_less_important_sm(struct vgpu_exec *exec,
						const struct vgpu_sched_context *ctx)
{
	int sm = vgpu_exec_unreserved_sm(exec);
	const struct vgpu_sched_context *victim;

	if (sm >= 0)
		return sm;
	victim = vgpu_exec_holding(exec);
	return victim && vgpu_policy_outranks(ctx, victim) ? vgpu_exec_victim(exec, victim) : -1;
}

/*
 * As vgpu_policy.would_take, where SMs move one by one from @from to @by for as long as @gives says
 * so: the same function as decides when they really do. It is told how many SMs @from has less by
 * then, and @by more.
 */
static inline u32 vgpu_policy_count_moves(const struct vgpu_sched_context *by,
					  const struct vgpu_sched_context *from, u32 taken,
					  bool (*gives)(const struct vgpu_sched_context *from,
							u32 less,
							const struct vgpu_sched_context *by,
							s64 more))
{
	u32 moved = 0;

	VGPU_WHILE(moved < from->held && gives(from, moved, by, (s64)taken + moved))
		moved++;
	return moved;
}

/* Admit launches while there is room for them. */
static inline void vgpu_policy_admit_all(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next;

	VGPU_WHILE((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room_for(exec, next))
		vgpu_exec_admit(exec, next);
}

/* Assign idle SMs to the first kernels that have blocks to issue. */
static inline void vgpu_policy_assign_idle(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr;
	int sm;

	VGPU_WHILE((ksr = vgpu_exec_issuable(exec)) && (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
}

/* The same for the kernels of @ctx only. */
static inline void vgpu_policy_assign_idle_to(struct vgpu_exec *exec,
					      const struct vgpu_sched_context *ctx)
{
	struct vgpu_ksr *ksr;
	int sm;

	VGPU_WHILE((ksr = vgpu_exec_issuable_of(ctx)) && (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
}

/*
 * Of the SMs where a block of @ksr fits, with @partitioned only those that have a partition for it,
 * the one with the lowest rSM; -1: it fits nowhere.
 */
static inline int vgpu_policy_emptiest_sm(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr,
					  bool partitioned)
{
	u64 least = ~0ull, share;
	int found = -1;

	for (u32 sm = 0; sm < vgpu_exec_config(exec)->sms; sm++) {
		if ((partitioned && vgpu_exec_partition(exec, sm, ksr) == VGPU_NO_PARTITION) ||
		    !vgpu_exec_fits(exec, sm, ksr))
			continue;
		share = vgpu_exec_sm_share(exec, sm, NULL);
		if (share < least) {
			least = share;
			found = (int)sm;
		}
	}
	return found;
}

#endif
