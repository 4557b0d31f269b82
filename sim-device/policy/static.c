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
#include "../core/device.h"
#include "policy.h"

static s64 left_of(const struct vgpu_context *ctx)
{
	return (s64)ctx->standing.budget - ctx->standing.held;
}

/* Who is owed most comes first; who has too much comes last. */
static u64 static_rank(const struct vgpu_context *ctx)
{
	return (u64)((1ll << 32) - left_of(ctx));
}

static bool may_enter(const struct vgpu_context *ctx)
{
	return ctx->standing.active_kernels < ctx->standing.budget;
}

static u64 static_wait_rank(const struct vgpu_context *ctx)
{
	return !may_enter(ctx);
}

static void static_prepare(struct vgpu_device *dev)
{
	u32 rest = vgpu_policy_share(dev);
	u32 i;

	for (i = 0; i < dev->contexts.count; i++) {
		struct vgpu_context *ctx = dev->contexts.list[i];

		if (rest && vgpu_policy_has_share(ctx)) {
			ctx->standing.budget++;
			rest--;
		}
		if (!ctx->standing.budget)
			ctx->standing.budget = 1;
	}
}

/*
 * An SM for who is owed one: one that nobody waits for, else one of a context that has too many;
 * -1: there is none.
 */
static int surplus_sm(struct vgpu_device *dev)
{
	int sm = vgpu_exec_unreserved_sm(dev);
	const struct vgpu_context *most;

	if (sm >= 0)
		return sm;
	most = vgpu_exec_holding(dev);
	return most && left_of(most) < 0 ? vgpu_exec_held_sm(dev, most) : -1;
}

static void static_schedule(struct vgpu_device *dev)
{
	struct vgpu_context *next;
	struct vgpu_ksr *ksr;
	int sm;

	while ((next = vgpu_exec_waiting(dev)) && vgpu_exec_has_room(dev) && may_enter(next))
		vgpu_exec_admit(dev, next);
	while ((ksr = vgpu_exec_issuable(dev)) && left_of(ksr->ctx) > 0 &&
	       (sm = vgpu_exec_idle_sm(dev)) >= 0)
		vgpu_exec_assign(dev, (u32)sm, ksr);
	while ((ksr = vgpu_exec_wanting(dev)) && left_of(ksr->ctx) > 0 &&
	       (sm = surplus_sm(dev)) >= 0)
		if (vgpu_exec_reserve(dev, (u32)sm, ksr))
			return;
}

static void static_kernel_event(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	(void)ctx;
	static_schedule(dev);
}

static void static_sm_idle(struct vgpu_device *dev, u32 sm)
{
	(void)sm;
	static_schedule(dev);
}

const struct vgpu_policy vgpu_policy_static = {
	.name = "static",
	.rank = static_rank,
	.wait_rank = static_wait_rank,
	.prepare = static_prepare,
	.changed = static_schedule,
	.kernel_arrived = static_kernel_event,
	.kernel_finished = static_kernel_event,
	.sm_idle = static_sm_idle,
};
