// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * First come, first served, as the GPUs of today do it (Tanasic 2.2, 2.3): kernels start in the
 * order in which they arrived. How they hand out the execution engine is for npq too, which differs
 * in its rank alone.
 *
 * Exclusive context: "at any given moment, the GPU is executing commands from one context only".
 * The first launch that waits is admitted if no kernel is active, or if those that are active
 * belong to its own context. A launch never overtakes one of another context that comes before it:
 * otherwise a process that launches without pause would keep all others out.
 *
 * Back-to-back execution: a kernel with enough thread blocks takes every SM, and the next one has
 * to wait. When the older kernel has no block left to issue, SMs that become free go to the next
 * active kernel, which then runs beside the last blocks of the older one.
 */
#include "common.h"

void vgpu_policy_exclusive(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next;

	while ((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec)) {
		const struct vgpu_sched_context *owner = vgpu_exec_active(exec);

		if (owner && owner != next)
			break;
		vgpu_exec_admit(exec, next);
	}
	vgpu_policy_assign_idle(exec);
}

/* No rank: everybody is equal, and order of arrival decides. */
const struct vgpu_policy vgpu_policy_fcfs = {
	.name = "fcfs",
	.schedule = vgpu_policy_exclusive,
};
