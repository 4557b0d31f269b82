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
#include "common.h"

static void ppq_schedule(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr;
	int sm;

	vgpu_policy_admit_all(exec);
	vgpu_policy_assign_idle(exec);
	while ((ksr = vgpu_exec_wanting(exec)) &&
	       (sm = vgpu_policy_less_important_sm(exec, vgpu_exec_context_of(ksr))) >= 0)
		if (vgpu_exec_reserve(exec, (u32)sm, ksr))
			return;
}

static u32 ppq_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			  const struct vgpu_sched_context *from, u32 taken)
{
	(void)exec;
	(void)taken;
	return vgpu_policy_outranks(by, from) ? from->held : 0;
}

const struct vgpu_policy vgpu_policy_ppq_shared = {
	.name = "ppq-shared",
	.schedule = ppq_schedule,
	.rank = vgpu_rank_by_priority,
	.would_take = ppq_would_take,
};
