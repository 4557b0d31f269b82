// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: policies that never schedule, serve one context only, decide what cannot be, or set a
 * timer without end; and a mechanism that takes a virtual hour.
 */
#include "vgpu_module.h"

static void admit_all(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx;

	while ((ctx = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec))
		vgpu_exec_admit(exec, ctx);
}

static void never_schedule(struct vgpu_exec *exec)
{
}

/* The first context only. */
static void unfair_schedule(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *first = vgpu_exec_next_context(exec, NULL);
	struct vgpu_ksr *ksr;
	int sm;

	admit_all(exec);
	while (first && (ksr = vgpu_exec_issuable_of(first)) &&
	       (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, sm, ksr);
}

/* An SM that there is not. */
static void wrong_schedule(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr;

	admit_all(exec);
	while ((ksr = vgpu_exec_issuable(exec)))
		vgpu_exec_assign(exec, 1000000, ksr);
}

static void again_schedule(struct vgpu_exec *exec)
{
	never_schedule(exec);
	vgpu_exec_timer(exec, vgpu_exec_now(exec));
}

static const struct vgpu_policy policies[] = {
	{ .name = "t-never", .schedule = never_schedule },
	{ .name = "t-unfair", .schedule = unfair_schedule },
	{ .name = "t-wrong", .schedule = wrong_schedule },
	{ .name = "t-again", .schedule = again_schedule },
};

static void hour_fn(struct vgpu_exec *exec, u32 sm)
{
	vgpu_exec_halt(exec, sm);
	vgpu_exec_save(exec, sm);
}

static void hour_begin(struct vgpu_exec *exec, u32 sm)
{
	vgpu_preemption_at_time(exec, sm, vgpu_exec_time_after(exec, 3600000000ull * VGPU_US),
				hour_fn);
}

static void hour_estimate(struct vgpu_exec *exec, u32 sm,
			  struct vgpu_preemption_estimate *estimate)
{
	*estimate = (struct vgpu_preemption_estimate){ .latency = 3600000000ull * VGPU_US };
}

static const struct vgpu_preemption hour = {
	.name = "t-hour", .begin = hour_begin, .estimate = hour_estimate,
};

static int __init wrong_init(void)
{
	static const struct vgpu_policy nameless = { .name = "", .schedule = never_schedule };
	static const struct vgpu_policy taken = { .name = "fcfs", .schedule = never_schedule };
	int ret = 0, i;

	if (WARN_ON(vgpu_policy_register(&nameless) != -EINVAL) ||
	    WARN_ON(vgpu_policy_register(&taken) != -EEXIST))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(policies) && !ret; i++)
		ret = vgpu_policy_register(&policies[i]);
	if (!ret)
		ret = vgpu_preemption_register(&hour);
	if (ret)
		while (i--)
			vgpu_policy_unregister(&policies[i]);
	return ret;
}

static void __exit wrong_exit(void)
{
	int i;

	vgpu_preemption_unregister(&hour);
	for (i = 0; i < ARRAY_SIZE(policies); i++)
		vgpu_policy_unregister(&policies[i]);
}

module_init(wrong_init);
module_exit(wrong_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Scheduling policies for vgpu that do not work, for tests");
