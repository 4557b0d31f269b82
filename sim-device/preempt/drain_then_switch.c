// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Drain, then switch: the SM drains for a set time (knob drain_us), and what is left then is
 * switched. Short blocks cost nothing, long ones delay no longer than that: the combination of both
 * mechanisms that Tanasic 5.4 leaves for the future.
 */
#include "common.h"

static void drain_then_switch_begin(struct vgpu_exec *exec, u32 sm)
{
	if (vgpu_exec_cooperates(exec, sm))
		vgpu_preemption_switch.begin(exec, sm);
	else
		vgpu_preemption_at_time(
			exec, sm, vgpu_exec_time_after(exec, vgpu_exec_config(exec)->drain_ps),
			vgpu_preemption_switch.begin);
}

static void drain_then_switch_estimate(struct vgpu_exec *exec, u32 sm,
				       struct vgpu_preemption_estimate *estimate)
{
	u64 drain = vgpu_exec_config(exec)->drain_ps;

	vgpu_preemption_drain.estimate(exec, sm, estimate);
	if (estimate->latency <= drain || vgpu_exec_cooperates(exec, sm))
		return;
	vgpu_preemption_switch.estimate(exec, sm, estimate);
	/* At most: faults that it would stall on are served while it drains, too. */
	if (estimate->latency < VGPU_NEVER - drain)
		estimate->latency += drain;
}

const struct vgpu_preemption vgpu_preemption_drain_then_switch = {
	.name = "drain-then-switch",
	.begin = drain_then_switch_begin,
	.estimate = drain_then_switch_estimate,
};
