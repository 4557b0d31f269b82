// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Dynamic spatial sharing (Tanasic 5.2.4, algorithm 1; equal sharing 5.3.4): a process has a budget
 * of tokens (share.c), pays one for every SM it holds and may go into debt. Idle SMs go to the
 * process with the highest count of tokens left. When there are none, the process with the lowest
 * count gives one up to that with the highest, until no two of them differ by more than one: then
 * no SM would move without moving back.
 *
 * The algorithm as printed returns when the highest and the lowest count are equal, before it looks
 * for an idle SM, and so would leave SMs idle: with one kernel in the system at once. The text lets
 * a kernel go into debt just "to prevent the underutilization", so idle SMs are given away first,
 * whatever the counts.
 *
 * A difference of one would starve a process that holds nothing, where budgets are unequal: it then
 * gets one SM from who has several, and the difference is one again.
 *
 * Only kernels with thread blocks to issue receive. An SM counts for the kernel that it is reserved
 * for from the reservation on, and is the first to be given up again: the decision of `next` may
 * change during the preemption, and that costs nobody anything.
 *
 * Equal sharing leaves r = SMs mod processes tokens over. The first r processes to become active
 * hold them until they have no active kernel any more; the next to become active then gets what is
 * free.
 *
 * A launch of a process with fewer active kernels is admitted first, and an entry of the active
 * queue is kept for each process that has none, so that no process fills it alone.
 *
 * With a mechanism that cannot preempt, idle SMs are all there is to give: the highest count gets
 * each.
 */
#include "common.h"

/** struct dss_context - private data in a context */
struct dss_context {
	struct vgpu_budget budget;
	u32 spare;			/* 1: it holds a token of the remainder */
};

/** struct dss - private data */
struct dss {
	u32 spare;			/* tokens of the remainder that nobody holds */
};

static struct dss_context *dss_of(const struct vgpu_sched_context *ctx)
{
	return vgpu_sched_data(ctx);
}

static s64 tokens_left(const struct vgpu_sched_context *ctx)
{
	return (s64)dss_of(ctx)->budget.sms + dss_of(ctx)->spare - ctx->held;
}

/* The highest count first, of equals who holds the least. (There are no more than 1024 SMs.) */
static u64 dss_rank(const struct vgpu_sched_context *ctx)
{
	return (u64)((1ll << 32) - tokens_left(ctx)) << 11 | ctx->held;
}

/* Does @lowest, which has @less SMs less by then, give one to @highest, which has @more? */
static bool should_give(const struct vgpu_sched_context *lowest, u32 less,
			const struct vgpu_sched_context *highest, s64 more)
{
	s64 difference = tokens_left(highest) - more - tokens_left(lowest) - less;

	return difference > 1 ||
	       (difference == 1 && highest->held + more <= 0 && lowest->held > less + 1);
}

static u64 dss_admission_rank(const struct vgpu_sched_context *ctx)
{
	return ctx->active_kernels;
}

/* Does @ctx, of which a launch is admitted, get a token of the remainder? */
static bool gets_spare_token(const struct dss *dss, const struct vgpu_sched_context *ctx)
{
	return !dss_of(ctx)->spare && vgpu_policy_has_share(ctx) && dss->spare;
}

static void take_spare_token(struct vgpu_exec *exec, struct vgpu_sched_context *ctx)
{
	struct dss *dss = vgpu_exec_policy_data(exec);

	if (gets_spare_token(dss, ctx)) {
		dss_of(ctx)->spare = 1;
		dss->spare--;
	}
}

/* As if @by had its token of the remainder, and @taken SMs of others, already. */
static u32 dss_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			  const struct vgpu_sched_context *from, u32 taken)
{
	bool spare = gets_spare_token(vgpu_exec_policy_data(exec), by);
	struct vgpu_sched_context then = *by;

	dss_of(&then)->spare += spare;
	return vgpu_policy_count_moves(&then, from, taken, should_give);
}

static void dss_contexts_changed(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx = NULL;
	struct vgpu_ksr *ksr = NULL;
	struct dss *dss = vgpu_exec_policy_data(exec);

	while ((ctx = vgpu_exec_next_context(exec, ctx)))
		dss_of(ctx)->spare = 0;
	dss->spare = vgpu_policy_share(exec);
	while ((ksr = vgpu_exec_next_kernel(exec, ksr)))
		take_spare_token(exec, vgpu_exec_context_of(ksr));
}

/* One step of algorithm 1. false: steady, or nothing that can be done. */
static bool partition(struct vgpu_exec *exec)
{
	int sm = vgpu_exec_idle_sm(exec);
	const struct vgpu_sched_context *lowest;
	struct vgpu_ksr *highest;

	if (sm >= 0) {
		highest = vgpu_exec_issuable(exec);
		if (highest)
			vgpu_exec_assign(exec, (u32)sm, highest);
		return highest;
	}
	highest = vgpu_exec_wanting(exec);
	if (!highest)
		return false;
	sm = vgpu_exec_unreserved_sm(exec);
	if (sm < 0) {
		lowest = vgpu_exec_holding(exec);
		if (!lowest || !should_give(lowest, 0, vgpu_exec_context_of(highest), 0))
			return false;
		sm = vgpu_exec_victim(exec, lowest);
	}
	return !vgpu_exec_reserve(exec, (u32)sm, highest);
}

static void dss_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next;

	while ((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room_for(exec, next)) {
		take_spare_token(exec, next);
		vgpu_exec_admit(exec, next);
	}
	while (partition(exec))
		;
}

static void dss_kernel_finished(struct vgpu_exec *exec, struct vgpu_sched_context *ctx)
{
	struct dss *dss = vgpu_exec_policy_data(exec);

	if (!ctx->active_kernels && dss_of(ctx)->spare) {
		dss_of(ctx)->spare = 0;
		dss->spare++;
	}
}

const struct vgpu_policy vgpu_policy_dss = {
	.name = "dss",
	.data_bytes = sizeof(struct dss),
	.context_bytes = sizeof(struct dss_context),
	.schedule = dss_schedule,
	.rank = dss_rank,
	.admission_rank = dss_admission_rank,
	.would_take = dss_would_take,
	.contexts_changed = dss_contexts_changed,
	.kernel_finished = dss_kernel_finished,
};
