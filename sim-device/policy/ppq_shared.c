// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Preemptive priority queues with shared access (Tanasic 5.3.2, the second scheme of 5.3.3, figure
 * 5.5b): free SMs go to whoever has thread blocks to issue, the most important first, and SMs of
 * less important kernels are preempted when a more important one wants them.
 *
 * Back-to-back execution between processes, that is: a low-priority kernel starts as soon as the
 * high-priority one leaves SMs free, and "gets preempted soon after": the text shows that it wastes
 * more than it saves. Equals do not preempt each other.
 *
 * With a mechanism that cannot preempt, the most important kernel gets SMs as they become idle.
 */
#include "policy.h"

/*
 * An SM that is worth taking for @ksr: one that nobody waits for, else one of the least important
 * context.
 */
static int less_important_sm(struct vgpu_device *dev, const struct vgpu_ksr *ksr)
{
	int sm = vgpu_exec_unreserved_sm(dev);
	const struct vgpu_context *victim;

	if (sm >= 0)
		return sm;
	victim = vgpu_exec_holding(dev);
	return victim && victim->priority < ksr->ctx->priority ? vgpu_exec_held_sm(dev, victim) :
								 -1;
}

static void ppq_schedule(struct vgpu_device *dev)
{
	struct vgpu_context *next;
	struct vgpu_ksr *ksr;
	int sm;

	while ((next = vgpu_exec_waiting(dev)) && vgpu_exec_has_room_for(dev, next))
		vgpu_exec_admit(dev, next);
	while ((ksr = vgpu_exec_issuable(dev)) && (sm = vgpu_exec_idle_sm(dev)) >= 0)
		vgpu_exec_assign(dev, (u32)sm, ksr);
	while ((ksr = vgpu_exec_wanting(dev)) && (sm = less_important_sm(dev, ksr)) >= 0)
		if (vgpu_exec_reserve(dev, (u32)sm, ksr))
			return;
}

static void ppq_kernel_event(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	(void)ctx;
	ppq_schedule(dev);
}

static void ppq_sm_idle(struct vgpu_device *dev, u32 sm)
{
	(void)sm;
	ppq_schedule(dev);
}

const struct vgpu_policy vgpu_policy_ppq_shared = {
	.name = "ppq-shared",
	.rank = vgpu_rank_by_priority,
	.changed = ppq_schedule,
	.kernel_arrived = ppq_kernel_event,
	.kernel_finished = ppq_kernel_event,
	.sm_idle = ppq_sm_idle,
};
