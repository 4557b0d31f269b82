// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Preemptive priority queues with exclusive access (Tanasic 5.3.2, the first scheme of 5.3.3,
 * figure 5.5a): the kernel of the highest priority runs, and whatever less important runs is
 * preempted for it. "Even if some resources become available, low-priority kernels will not be
 * scheduled while high-priority kernels are still active."
 *
 * The engine has one owner: the most important context with active kernels, among equals the one
 * that became active first. Only its kernels get SMs, back to back. A launch is admitted if the
 * engine is free, if it is the owner's own, or if its context is more important than the owner.
 * Equals do not preempt each other: among them this is npq, so that what the two policies differ in
 * is preemption and nothing else, as 5.3.2 compares them.
 *
 * With a mechanism that cannot preempt, the owner gets SMs as they become idle.
 */
#include "policy.h"

static bool may_enter(const struct vgpu_context *next, const struct vgpu_context *owner)
{
	return !owner || next == owner || next->priority > owner->priority;
}

/*
 * An SM that @owner could have, idle ones aside: one that nobody waits for, else the one of the
 * least important context.
 */
static int less_important_sm(struct vgpu_device *dev, const struct vgpu_context *owner)
{
	int sm = vgpu_exec_unreserved_sm(dev);
	const struct vgpu_context *victim;

	if (sm >= 0)
		return sm;
	victim = vgpu_exec_holding(dev);
	return victim && victim->priority < owner->priority ? vgpu_exec_held_sm(dev, victim) : -1;
}

static void ppq_schedule(struct vgpu_device *dev)
{
	struct vgpu_context *next, *owner;
	struct vgpu_ksr *ksr;
	int sm;

	while ((next = vgpu_exec_waiting(dev)) && vgpu_exec_has_room_for(dev, next) &&
	       may_enter(next, vgpu_exec_active(dev)))
		vgpu_exec_admit(dev, next);
	owner = vgpu_exec_active(dev);
	if (!owner)
		return;
	while ((ksr = vgpu_exec_issuable_of(owner)) && (sm = vgpu_exec_idle_sm(dev)) >= 0)
		vgpu_exec_assign(dev, (u32)sm, ksr);
	while ((ksr = vgpu_exec_wanting_of(owner)) && (sm = less_important_sm(dev, owner)) >= 0)
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

const struct vgpu_policy vgpu_policy_ppq_exclusive = {
	.name = "ppq-exclusive",
	.rank = vgpu_rank_by_priority,
	.changed = ppq_schedule,
	.kernel_arrived = ppq_kernel_event,
	.kernel_finished = ppq_kernel_event,
	.sm_idle = ppq_sm_idle,
};
