// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Context switch (Tanasic 5.2.2): the pipeline of the SM is drained of the instructions in flight,
 * then the contexts of all its thread blocks are saved to memory (exec/save_area.c), which restores
 * them when they are issued again. Blocks that end while the pipeline drains have ended. With
 * sm_on_fault=stall (Tanasic 2.1: today's GPUs, which cannot restart an instruction) the save waits
 * until the page faults of the SM have been served; it executes nothing meanwhile.
 */
#include "common.h"

static void switch_begin(struct vgpu_exec *exec, u32 sm)
{
	u64 drained = vgpu_exec_time_after(exec, vgpu_exec_config(exec)->pipeline_drain_ps);
	u64 halted = vgpu_exec_halt(exec, sm);

	vgpu_preemption_at_time(exec, sm, drained > halted ? drained : halted, vgpu_exec_save);
}

/*
 * Blocks that end while the pipeline drains need no save: the real latency is at most this, unless
 * an SM that stalls on faults raises more of them in its present slice.
 */
static void switch_estimate(struct vgpu_exec *exec, u32 sm,
			    struct vgpu_preemption_estimate *estimate)
{
	u64 drain = vgpu_exec_config(exec)->pipeline_drain_ps;
	u64 save = vgpu_exec_save_time(exec, sm);
	u64 wait = vgpu_exec_wait_time(exec, sm);
	u64 stall = wait > drain ? wait - drain : 0;

	*estimate = (struct vgpu_preemption_estimate){
		.latency = drain + stall + save,
		.cost = stall + 2 * save,
	};
	if (wait == VGPU_NEVER)
		estimate->latency = VGPU_NEVER;
}

static void switch_estimate_block(struct vgpu_exec *exec, const struct vgpu_block *block,
				  struct vgpu_preemption_estimate *estimate)
{
	u64 stop = vgpu_exec_block_stop_time(exec, block);
	u64 save = vgpu_exec_block_save_time(exec, block);

	*estimate = (struct vgpu_preemption_estimate){
		.latency = stop == VGPU_NEVER ? stop : stop + save,
		.cost = 2 * save,
	};
}

const struct vgpu_preemption vgpu_preemption_switch = {
	.name = "switch",
	.begin = switch_begin,
	.estimate = switch_estimate,
	.leave = VGPU_LEAVE_SAVE,
	.estimate_block = switch_estimate_block,
};
