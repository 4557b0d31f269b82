// SPDX-License-Identifier: MIT
/*
 * The policy of manual.h.
 */
#include "manual.h"

static void manual_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx;
	struct vgpu_ksr *ksr;
	int sm;

	while ((ctx = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec))
		vgpu_exec_admit(exec, ctx);
	while ((ksr = vgpu_exec_issuable(exec)) && (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
}

/* The test may reserve any. */
static u32 manual_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			     const struct vgpu_sched_context *from, u32 taken)
{
	(void)exec;
	(void)by;
	(void)taken;
	return from->held;
}

const struct vgpu_policy manual_policy = {
	.name = "manual",
	.would_take = manual_would_take,
	.schedule = manual_schedule,
};

struct vgpu_ksr *manual_kernel(struct vgpu_device *dev, u32 id)
{
	struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &dev->exec.active_queue, struct vgpu_ksr, node)
		if (ksr->launch.id == id)
			return ksr;
	return NULL;
}

struct host *manual_one_sm(const char *mechanism)
{
	struct host *h =
		host_new("k20c", "sms=1", "active_kernels=8", "memory_bandwidth=65536000000",
			 "pipeline_drain_ps=500000", "drain_ps=20000000", NULL);

	vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanism), 0);
	return h;
}
