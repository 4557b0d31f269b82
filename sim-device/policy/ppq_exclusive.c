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
#include "common.h"

static bool may_enter(const struct vgpu_sched_context *next, const struct vgpu_sched_context *owner)
{
	return !owner || next == owner || next->priority > owner->priority;
}

static void ppq_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next, *owner;
	struct vgpu_ksr *ksr;
	int sm;

	while ((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room_for(exec, next) &&
	       may_enter(next, vgpu_exec_active(exec)))
		vgpu_exec_admit(exec, next);
	owner = vgpu_exec_active(exec);
	if (!owner)
		return;
	vgpu_policy_assign_idle_to(exec, owner);
	while ((ksr = vgpu_exec_wanting_of(owner)) &&
	       (sm = vgpu_policy_less_important_sm(exec, owner)) >= 0)
		if (vgpu_exec_reserve(exec, (u32)sm, ksr))
			return;
}

/* Nothing, if its launch has to wait for the owner. */
static u32 ppq_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			  const struct vgpu_sched_context *from, u32 taken)
{
	(void)taken;
	if (!may_enter(by, vgpu_exec_active(exec)))
		return 0;
	return vgpu_policy_outranks(by, from) ? from->held : 0;
}

const struct vgpu_policy vgpu_policy_ppq_exclusive = {
	.name = "ppq-exclusive",
	.schedule = ppq_schedule,
	.rank = vgpu_rank_by_priority,
	.would_take = ppq_would_take,
};
