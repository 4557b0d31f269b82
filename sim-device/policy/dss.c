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
	return vgpu_sched_data_of(ctx, struct dss_context);
}

static s64 tokens_left(const struct vgpu_sched_context *ctx)
{
	return (s64)dss_of(ctx)->budget.sms + dss_of(ctx)->spare - ctx->held;
}

/* The highest count first, of equals who holds the least. (There are no more than 1024 SMs.) */
VGPU_OP(rank, u64, dss_rank, const struct vgpu_sched_context *ctx)
{
	return (u64)((1ll << 32) - tokens_left(ctx)) << 11 | ctx->held;
}

/** struct standing - what a process has, or will have by then */
struct standing {
	s64 left;			/* tokens */
	s64 held;			/* SMs */
};

static struct standing standing_of(const struct vgpu_sched_context *ctx)
{
	return (struct standing){ .left = tokens_left(ctx), .held = ctx->held };
}

/*
 * Does the one with the @lowest count give an SM to that with the @highest, when @given have gone
 * from it to that?
 */
static bool should_give(struct standing lowest, struct standing highest, s64 given)
{
	s64 difference = highest.left - lowest.left - 2 * given;

	return difference > 1 ||
	       (difference == 1 && highest.held + given <= 0 && lowest.held - given > 1);
}

VGPU_OP(admission_rank, u64, dss_admission_rank, const struct vgpu_sched_context *ctx)
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
	struct dss *dss = vgpu_exec_policy_data_of(exec, struct dss);

	if (gets_spare_token(dss, ctx)) {
		dss_of(ctx)->spare = 1;
		dss->spare--;
	}
}

/* As if @by had its token of the remainder, and @taken SMs of others, already. */
VGPU_OP(would_take, u32, dss_would_take, struct vgpu_exec *exec,
	const struct vgpu_sched_context *by, const struct vgpu_sched_context *from, u32 taken)
{
	struct standing lowest = standing_of(from), highest = standing_of(by);
	u32 moved;

	highest.left += gets_spare_token(vgpu_exec_policy_data_of(exec, struct dss), by);
	highest.left -= taken;
	highest.held += taken;
	VGPU_FOR(moved, from->held)
		if (!should_give(lowest, highest, moved))
			break;
	return moved;
}

VGPU_OP(contexts_changed, void, dss_contexts_changed, struct vgpu_exec *exec)
{
	struct dss *dss = vgpu_exec_policy_data_of(exec, struct dss);
	struct vgpu_sched_context *ctx = NULL;
	struct vgpu_ksr *ksr = NULL;

	VGPU_WHILE((ctx = vgpu_exec_next_context(exec, ctx)))
		dss_of(ctx)->spare = 0;
	dss->spare = vgpu_policy_share(exec);
	VGPU_WHILE((ksr = vgpu_exec_next_kernel(exec, ksr)))
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
		if (!lowest || !should_give(standing_of(lowest),
					    standing_of(vgpu_exec_context_of(highest)), 0))
			return false;
		sm = vgpu_exec_victim(exec, lowest);
	}
	return !vgpu_exec_reserve(exec, (u32)sm, highest);
}

VGPU_OP(schedule, void, dss_schedule, struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next;

	VGPU_WHILE((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room_for(exec, next)) {
		take_spare_token(exec, next);
		vgpu_exec_admit(exec, next);
	}
	VGPU_WHILE(partition(exec))
		;
}

VGPU_OP(kernel_finished, void, dss_kernel_finished, struct vgpu_exec *exec,
	struct vgpu_sched_context *ctx)
{
	struct dss *dss = vgpu_exec_policy_data_of(exec, struct dss);

	if (!ctx->active_kernels && dss_of(ctx)->spare) {
		dss_of(ctx)->spare = 0;
		dss->spare++;
	}
}

VGPU_POLICY_OF_TREE(dss,
	.data_bytes = sizeof(struct dss),
	.context_bytes = sizeof(struct dss_context),
	VGPU_OPS(.schedule = dss_schedule,
		 .rank = dss_rank,
		 .admission_rank = dss_admission_rank,
		 .would_take = dss_would_take,
		 .contexts_changed = dss_contexts_changed,
		 .kernel_finished = dss_kernel_finished));
