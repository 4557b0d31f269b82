// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A fixed split: every process has its budget of SMs (share.c; what cannot be divided goes to the
 * oldest contexts, one each) and never more, even if others leave theirs idle. Nobody borrows, so
 * nobody has to wait for what was lent: what dss is to be measured against.
 *
 * The number is fixed, not which SMs they are. Everybody has at least one, so that with more
 * processes than SMs all get on, in turns. A process has no more active kernels than SMs: there is
 * then always room for the others in the active queue.
 *
 * SMs are preempted only when budgets shrink: a process has come, a priority or a number of tokens
 * has changed, or another policy left more assigned. With a mechanism that cannot preempt, the
 * split comes about as kernels end.
 */
#include "common.h"

static s64 left_of(const struct vgpu_sched_context *ctx)
{
	return (s64)vgpu_budget_of(ctx)->sms - ctx->held;
}

/* Who is owed most comes first; who has too much comes last. */
static u64 static_rank(const struct vgpu_sched_context *ctx)
{
	return (u64)((1ll << 32) - left_of(ctx));
}

static bool may_enter(const struct vgpu_sched_context *ctx)
{
	return ctx->active_kernels < vgpu_budget_of(ctx)->sms;
}

static u64 static_admission_rank(const struct vgpu_sched_context *ctx)
{
	return !may_enter(ctx);
}

static void static_contexts_changed(struct vgpu_exec *exec)
{
	u32 rest = vgpu_policy_share(exec);
	struct vgpu_sched_context *ctx = NULL;

	while ((ctx = vgpu_exec_next_context(exec, ctx))) {
		struct vgpu_budget *budget = vgpu_budget_of(ctx);

		if (rest && vgpu_policy_has_share(ctx)) {
			budget->sms++;
			rest--;
		}
		if (!budget->sms)
			budget->sms = 1;
	}
}

/* Is @ctx, with @more SMs than it has, owed one? */
static bool is_owed(const struct vgpu_sched_context *ctx, s64 more)
{
	return left_of(ctx) > more;
}

/* Has @ctx, with @less SMs than it has, too many? */
static bool has_surplus(const struct vgpu_sched_context *ctx, u32 less)
{
	return left_of(ctx) + less < 0;
}

static bool gives(const struct vgpu_sched_context *from, u32 less,
		  const struct vgpu_sched_context *by, s64 more)
{
	return has_surplus(from, less) && is_owed(by, more);
}

static u32 static_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			     const struct vgpu_sched_context *from, u32 taken)
{
	(void)exec;
	return may_enter(by) ? vgpu_policy_count_moves(by, from, taken, gives) : 0;
}

/*
 * An SM for who is owed one: one that nobody waits for, else one of a context that has too many;
 * -1: there is none.
 */
static int surplus_sm(struct vgpu_exec *exec)
{
	int sm = vgpu_exec_unreserved_sm(exec);
	const struct vgpu_sched_context *most;

	if (sm >= 0)
		return sm;
	most = vgpu_exec_holding(exec);
	return most && has_surplus(most, 0) ? vgpu_exec_victim(exec, most) : -1;
}

static bool may_get(const struct vgpu_ksr *ksr)
{
	return is_owed(vgpu_exec_context_of(ksr), 0);
}

static void static_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next;
	struct vgpu_ksr *ksr;
	int sm;

	while ((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec) && may_enter(next))
		vgpu_exec_admit(exec, next);
	while ((ksr = vgpu_exec_issuable(exec)) && may_get(ksr) &&
	       (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
	while ((ksr = vgpu_exec_wanting(exec)) && may_get(ksr) && (sm = surplus_sm(exec)) >= 0)
		if (vgpu_exec_reserve(exec, (u32)sm, ksr))
			return;
}

const struct vgpu_policy vgpu_policy_static = {
	.name = "static",
	.context_bytes = sizeof(struct vgpu_budget),
	.schedule = static_schedule,
	.rank = static_rank,
	.admission_rank = static_admission_rank,
	.would_take = static_would_take,
	.contexts_changed = static_contexts_changed,
};
