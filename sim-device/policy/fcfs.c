// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * First come, first served, as the GPUs of today do it (Tanasic 2.2, 2.3): kernels start in the
 * order in which they arrived, one after the other from one context, and the execution engine
 * belongs to one context at a time (exclusive.c).
 */
#include "policy.h"

/* Everybody is equal: order of arrival decides. */
static u64 fcfs_rank(const struct vgpu_context *ctx)
{
	(void)ctx;
	return 0;
}

static void fcfs_kernel_event(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	(void)ctx;
	vgpu_policy_exclusive(dev);
}

static void fcfs_sm_idle(struct vgpu_device *dev, u32 sm)
{
	(void)sm;
	vgpu_policy_exclusive(dev);
}

const struct vgpu_policy vgpu_policy_fcfs = {
	.name = "fcfs",
	.rank = fcfs_rank,
	.changed = vgpu_policy_exclusive,
	.kernel_arrived = fcfs_kernel_event,
	.kernel_finished = fcfs_kernel_event,
	.sm_idle = fcfs_sm_idle,
};
