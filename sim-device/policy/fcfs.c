/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * First come, first served, as the GPUs of today do it (Tanasic 2.2, 2.3): kernels start in the order in which they
 * arrived, one after the other from one context, and the execution engine belongs to one context at a time.
 *
 * Two rules make it up.
 *
 * Exclusive context: "at any given moment, the GPU is executing commands from one context only". The oldest launch that waits
 * is admitted if no kernel is active, or if those that are active belong to its own context. A launch never overtakes an
 * older one of another context: otherwise a process that launches without pause would keep all others out.
 *
 * Back-to-back execution: a kernel with enough thread blocks takes every SM, and the next one has to wait. When the
 * older kernel has no block left to issue, SMs that become free go to the next active kernel, which then runs beside the last blocks
 * of the older one.
 */
#include "policy.h"

/* Everybody is equal: order of arrival decides. */
static u64 fcfs_rank(const struct vgpu_context *ctx)
{
	(void)ctx;
	return 0;
}

static void fcfs_schedule(struct vgpu_device *dev)
{
	struct vgpu_context *next;
	struct vgpu_ksr *ksr;
	int sm;

	while ((next = vgpu_exec_waiting(dev)) && vgpu_exec_has_room(dev)) {
		const struct vgpu_ksr *active = vgpu_exec_active(dev);

		if (active && active->ctx != next)
			break;
		vgpu_exec_admit(dev, next);
	}
	while ((ksr = vgpu_exec_issuable(dev)) && (sm = vgpu_exec_idle_sm(dev)) >= 0)
		vgpu_exec_assign(dev, (u32)sm, ksr);
}

static void fcfs_kernel_event(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	(void)ctx;
	fcfs_schedule(dev);
}

static void fcfs_sm_idle(struct vgpu_device *dev, u32 sm)
{
	(void)sm;
	fcfs_schedule(dev);
}

const struct vgpu_policy vgpu_policy_fcfs = {
	.name = "fcfs",
	.rank = fcfs_rank,
	.changed = fcfs_schedule,
	.kernel_arrived = fcfs_kernel_event,
	.kernel_finished = fcfs_kernel_event,
	.sm_idle = fcfs_sm_idle,
};
