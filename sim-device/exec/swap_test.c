// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Single blocks swapped out and in at random, for tests (configuration: block_swap_ps): what a
 * block computes must not depend on when it leaves its SM, nor on who runs beside it. With
 * block_swap_flush those that may be are flushed instead. A swap takes
 * the time that saving and restoring takes. No such device was ever built; kernels get slower, and
 * right.
 */
#include "exec.h"

/* One of the blocks on @hw, which has some. */
static struct vgpu_block *random_block(const struct vgpu_sm *hw, u64 random)
{
	u32 skip = (u32)(random >> 32) % hw->resident_count;
	struct vgpu_block *block = vgpu_sm_first(hw);

	while (skip--)
		block = vgpu_list_after(block, &hw->resident, struct vgpu_block, node);
	return block;
}

static void swap_at(struct vgpu_exec *exec, u32 sm, u64 random)
{
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_block *block;

	/* Not each time: a block that is alone would be swapped out as soon as it is back, where
	 * a swap lasts as long as a period. */
	if (!(random & 6))
		return;
	/* what it has done is to be that of the present slice */
	if (exec->config->block_swap_flush)
		vgpu_sm_settle(hw);
	/* As often in as out, and in for certain when nothing else is there. */
	if ((!hw->resident_count || random & 1) && vgpu_exec_swap_in(exec, sm))
		return;
	if (!hw->resident_count)
		return;
	block = random_block(hw, random);
	if (!exec->config->block_swap_flush || block->stopping ||
	    !vgpu_exec_block_repeats(exec, block))
		vgpu_exec_swap_out(exec, block);
	else
		vgpu_leave_test(exec, block);
}

/* On an SM with several kernels the policy decides when the block comes back. */
static void evict_at(struct vgpu_exec *exec, u32 sm, u64 random)
{
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_block *block;

	if (!hw->resident_count)
		return;
	block = random_block(hw, random);
	if (!block->leave && vgpu_residents_evict(exec, block, true))
		vgpu_residents_settle(exec, sm);
}

static void swap_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, swap_test);
	u32 sm;

	for (sm = 0; sm < exec->config->sms; sm++) {
		u64 random = vgpu_random_next(&exec->swap_random);

		if (exec->smst[sm].ksr && !exec->smst[sm].leaving)
			swap_at(exec, sm, random);
		else if (vgpu_smst_is_shared(&exec->smst[sm]))
			evict_at(exec, sm, random);
	}
	vgpu_swap_test_start(exec);
}

void vgpu_swap_test_start(struct vgpu_exec *exec)
{
	if (!exec->config->block_swap_ps || !exec->active_count ||
	    vgpu_event_pending(&exec->swap_test))
		return;
	if (!exec->swap_random.state)
		vgpu_random_seed(&exec->swap_random, exec->config->seed);
	exec->swap_test.fire = swap_fire;
	vgpu_event_after(exec->sim, &exec->swap_test, exec->config->block_swap_ps);
}
