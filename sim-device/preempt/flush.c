// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Flush: a thread block is dropped, and runs again from its start later. It frees an SM at once and
 * moves nothing; what the block has done so far is lost. Chimera (Park et al., ASPLOS 2015; the
 * thesis of PEP, 2.3 and 4.2.2) does so while the block is idempotent from its start on:
 * exec/leave.c and sm/repeat.c say when. A block for which that does not hold is switched.
 */
#include "common.h"

static void flush_estimate_block(struct vgpu_exec *exec, const struct vgpu_block *block,
				 struct vgpu_preemption_estimate *estimate)
{
	*estimate = (struct vgpu_preemption_estimate){
		.latency = vgpu_exec_block_repeats(exec, block) ? 0 : VGPU_NEVER,
		.lost = vgpu_exec_block_ran(exec, block),
	};
}

static enum vgpu_leave flush_choose(struct vgpu_exec *exec, const struct vgpu_block *block,
				    bool late, struct vgpu_preemption_estimate *estimate)
{
	(void)late;
	flush_estimate_block(exec, block, estimate);
	if (estimate->latency != VGPU_NEVER)
		return VGPU_LEAVE_FLUSH;
	vgpu_preemption_switch.estimate_block(exec, block, estimate);
	return vgpu_preemption_switch.leave;
}

static void flush_estimate(struct vgpu_exec *exec, u32 sm,
			   struct vgpu_preemption_estimate *estimate)
{
	vgpu_exec_estimate_blocks(exec, sm, flush_choose, estimate);
}

const struct vgpu_preemption vgpu_preemption_flush = {
	.name = "flush",
	.begin = vgpu_exec_leave_blocks,
	.estimate = flush_estimate,
	.leave = VGPU_LEAVE_FLUSH,
	.estimate_block = flush_estimate_block,
	.choose = flush_choose,
};
