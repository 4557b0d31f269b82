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
#include "../core/device.h"
#include "policy.h"

static s64 tokens_left(const struct vgpu_context *ctx)
{
	return (s64)(ctx->standing.budget + ctx->standing.mark) - ctx->standing.held;
}

/* The highest count first, of equals who holds the least. (There are no more than 1024 SMs.) */
static u64 dss_rank(const struct vgpu_context *ctx)
{
	return (u64)((1ll << 32) - tokens_left(ctx)) << 11 | ctx->standing.held;
}

static bool should_give(const struct vgpu_context *lowest, const struct vgpu_context *highest)
{
	s64 difference = tokens_left(highest) - tokens_left(lowest);

	return difference > 1 ||
	       (difference == 1 && !highest->standing.held && lowest->standing.held > 1);
}

static u64 dss_wait_rank(const struct vgpu_context *ctx)
{
	return ctx->standing.active_kernels;
}

/* exec->policy_word: the tokens of the remainder that are free. Whose mark is 1 holds one. */
enum { SPARE };

static void take_spare_token(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	if (!ctx->standing.mark && vgpu_policy_has_share(ctx) && dev->exec.policy_word[SPARE]) {
		ctx->standing.mark = 1;
		dev->exec.policy_word[SPARE]--;
	}
}

static void dss_prepare(struct vgpu_device *dev)
{
	struct vgpu_ksr *ksr;
	u32 i;

	for (i = 0; i < dev->contexts.count; i++)
		dev->contexts.list[i]->standing.mark = 0;
	dev->exec.policy_word[SPARE] = vgpu_policy_share(dev);
	for (ksr = dev->exec.active_head; ksr; ksr = ksr->next)
		take_spare_token(dev, ksr->ctx);
}

/* One step of algorithm 1. false: steady, or nothing that can be done. */
static bool partition(struct vgpu_device *dev)
{
	int sm = vgpu_exec_idle_sm(dev);
	const struct vgpu_context *lowest;
	struct vgpu_ksr *highest;

	if (sm >= 0) {
		highest = vgpu_exec_issuable(dev);
		if (highest)
			vgpu_exec_assign(dev, (u32)sm, highest);
		return highest;
	}
	highest = vgpu_exec_wanting(dev);
	if (!highest)
		return false;
	sm = vgpu_exec_unreserved_sm(dev);
	if (sm < 0) {
		lowest = vgpu_exec_holding(dev);
		if (!lowest || !should_give(lowest, highest->ctx))
			return false;
		sm = vgpu_exec_held_sm(dev, lowest);
	}
	return !vgpu_exec_reserve(dev, (u32)sm, highest);
}

static void dss_schedule(struct vgpu_device *dev)
{
	struct vgpu_context *next;

	while ((next = vgpu_exec_waiting(dev)) && vgpu_exec_has_room_for(dev, next)) {
		take_spare_token(dev, next);
		vgpu_exec_admit(dev, next);
	}
	while (partition(dev))
		;
}

static void dss_kernel_arrived(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	(void)ctx;
	dss_schedule(dev);
}

static void dss_kernel_finished(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	if (!ctx->standing.active_kernels && ctx->standing.mark) {
		ctx->standing.mark = 0;
		dev->exec.policy_word[SPARE]++;
	}
	dss_schedule(dev);
}

static void dss_sm_idle(struct vgpu_device *dev, u32 sm)
{
	(void)sm;
	dss_schedule(dev);
}

const struct vgpu_policy vgpu_policy_dss = {
	.name = "dss",
	.rank = dss_rank,
	.wait_rank = dss_wait_rank,
	.prepare = dss_prepare,
	.changed = dss_schedule,
	.kernel_arrived = dss_kernel_arrived,
	.kernel_finished = dss_kernel_finished,
	.sm_idle = dss_sm_idle,
};
