// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How the GPUs of today hand out the execution engine (Tanasic 2.2, 2.3), for the policies that
 * order kernels and preempt none: fcfs and npq. They differ only in their rank.
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
#include "policy.h"

void vgpu_policy_exclusive(struct vgpu_device *dev)
{
	struct vgpu_context *next;
	struct vgpu_ksr *ksr;
	int sm;

	while ((next = vgpu_exec_waiting(dev)) && vgpu_exec_has_room(dev)) {
		const struct vgpu_context *owner = vgpu_exec_active(dev);

		if (owner && owner != next)
			break;
		vgpu_exec_admit(dev, next);
	}
	while ((ksr = vgpu_exec_issuable(dev)) && (sm = vgpu_exec_idle_sm(dev)) >= 0)
		vgpu_exec_assign(dev, (u32)sm, ksr);
}
