// SPDX-License-Identifier: MIT
/*
 * The policy of manual.h.
 */
#include "manual.h"

static u64 manual_rank(const struct vgpu_context *ctx)
{
	(void)ctx;
	return 0;
}

static void manual_schedule(struct vgpu_device *dev)
{
	struct vgpu_context *ctx;
	struct vgpu_ksr *ksr;
	int sm;

	while ((ctx = vgpu_exec_waiting(dev)) && vgpu_exec_has_room(dev))
		vgpu_exec_admit(dev, ctx);
	while ((ksr = vgpu_exec_issuable(dev)) && (sm = vgpu_exec_idle_sm(dev)) >= 0)
		vgpu_exec_assign(dev, (u32)sm, ksr);
}

static void manual_kernel_event(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	(void)ctx;
	manual_schedule(dev);
}

static void manual_sm_idle(struct vgpu_device *dev, u32 sm)
{
	(void)sm;
	manual_schedule(dev);
}

const struct vgpu_policy manual_policy = {
	.name = "manual",
	.rank = manual_rank,
	.changed = manual_schedule,
	.kernel_arrived = manual_kernel_event,
	.kernel_finished = manual_kernel_event,
	.sm_idle = manual_sm_idle,
};

struct vgpu_ksr *manual_kernel(struct vgpu_device *dev, u32 id)
{
	struct vgpu_ksr *ksr;

	for (ksr = dev->exec.active_head; ksr && ksr->launch.id != id; ksr = ksr->next)
		;
	return ksr;
}
