// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * SM draining (Tanasic 5.2.2): the SM driver issues no more thread blocks to a reserved SM, and
 * when those that are there have ended naturally it is free. Nothing is saved, nothing restored.
 * How long that takes is up to the blocks: one that never ends is never preempted. Those of a
 * cooperative kernel are switched: they may wait for one that has no place before they leave.
 */
#include "common.h"

/* All of it is what the SM driver does with a reserved SM. */
static void drain_begin(struct vgpu_exec *exec, u32 sm)
{
	if (vgpu_exec_cooperates(exec, sm))
		vgpu_preemption_switch.begin(exec, sm);
}

static void drain_estimate(struct vgpu_exec *exec, u32 sm,
			   struct vgpu_preemption_estimate *estimate)
{
	if (vgpu_exec_cooperates(exec, sm)) {
		vgpu_preemption_switch.estimate(exec, sm, estimate);
		return;
	}
	*estimate = (struct vgpu_preemption_estimate){
		.latency = vgpu_exec_drain_time(exec, sm),
	};
}

static void drain_estimate_block(struct vgpu_exec *exec, const struct vgpu_block *block,
				 struct vgpu_preemption_estimate *estimate)
{
	*estimate = (struct vgpu_preemption_estimate){
		.latency = vgpu_exec_block_cooperates(block) ?
				   VGPU_NEVER : vgpu_exec_block_drain_time(exec, block),
	};
}

const struct vgpu_preemption vgpu_preemption_drain = {
	.name = "drain",
	.begin = drain_begin,
	.estimate = drain_estimate,
	.leave = VGPU_LEAVE_DRAIN,
	.estimate_block = drain_estimate_block,
};
