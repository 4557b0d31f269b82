// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Base checkpoints of single blocks, on SMs that several kernels share (base.c has those of whole
 * SMs). A block that a policy is expected to have leave is saved as if it left (SMK 5.1: it stops,
 * what it has in flight ends, its state moves, all beside its neighbours, which go on), and goes on
 * where it is. Its part of the SM stays its own.
 *
 * If it is told to leave while its base checkpoint is being made, it has left when that has been
 * made; such blocks are told first. If it has not stopped yet, it is saved when it has.
 *
 * For the announcer a block that stands is as much of an SM as it has of it: its dominant share.
 */
#include "residents.h"

bool vgpu_exec_can_checkpoint_block(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	return !exec->smst[block->sm->index].ksr && block->state == VGPU_BLOCK_RUNNING &&
	       !block->leave && !block->stopping && !block->checkpoint &&
	       !block->launch->stopped &&
	       !(exec->stall && vgpu_block_waits(block) != VGPU_WAIT_NONE);
}

void vgpu_exec_checkpoint_block(struct vgpu_exec *exec, struct vgpu_block *block)
{
	exec->smst[block->sm->index].told[block->slot] = (struct vgpu_told){
		.time = exec->sim->now,
		.stop = exec->sim->now,
	};
	block->checkpoint = VGPU_CHECKPOINT_STOPS;
	if (vgpu_block_stop(block))
		vgpu_base_stopped(exec, block);
}

void vgpu_base_stopped(struct vgpu_exec *exec, struct vgpu_block *block)
{
	struct vgpu_sm *sm = block->sm;
	struct vgpu_smst *smst = &exec->smst[sm->index];

	block->checkpoint = 0;
	block->stopping = false;
	/* there is no memory for it, or it has not begun: it goes on */
	if (!vgpu_block_checkpoint(block)) {
		vgpu_account_block(block);
		vgpu_sm_detach(sm, block);
		vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_PREEMPT, vgpu_ksr_of(block->launch),
				  sm->index, block->index, block->slot);
		vgpu_sm_driver_resume(exec, sm->index, block);
		return;
	}
	vgpu_leave_saving(exec, sm->index, block);
	vgpu_account_block(block);
	vgpu_sm_detach(sm, block);
	vgpu_base_begin(exec, smst, block, true);
	vgpu_sm_driver_update(exec, sm->index);
	vgpu_exec_start_move(exec, sm->index);
}

/* The part of @time that counts for @block, which has a part of @smst. */
static u64 part_of(const struct vgpu_exec *exec, const struct vgpu_smst *smst,
		   const struct vgpu_block *block, u64 time)
{
	struct vgpu_resources all;

	vgpu_exec_sm_resources(exec, vgpu_smst_number(smst), &all);
	return vgpu_mul_div(time,
			    vgpu_resources_share(&vgpu_ksr_of(block->launch)->needs, &all),
			    VGPU_SHARE_ONE);
}

void vgpu_base_taken(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	const struct vgpu_told told = smst->saves[smst->saves_first];
	u32 sm = vgpu_smst_number(smst);

	smst->saves_first = (smst->saves_first + 1) % VGPU_SM_SLOTS;
	smst->saves_count--;
	vgpu_announce_stalled(exec, smst,
			      part_of(exec, smst, block, exec->sim->now - told.stop));
	if (block->leave) {
		vgpu_checkpoint_leave(exec, block);
		vgpu_exec_to_ptbq(exec, block);
		vgpu_residents_left(exec, sm, block, told.time);
		return;
	}
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_PREEMPTED, VGPU_BLOCK_RUNNING, 1);
	/* its announcement is over */
	if (!smst->announcer)
		vgpu_checkpoint_drop(exec, block);
	vgpu_sm_driver_resume(exec, sm, block);
}

struct vgpu_block *vgpu_base_standing(const struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	struct vgpu_block *block;

	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node)
		if (block->launch == &ksr->launch && !block->leave &&
		    (block->checkpoint & VGPU_CHECKPOINT_MOVES))
			return block;
	return NULL;
}

void vgpu_base_leaves(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	const struct vgpu_block *other;
	u32 n = smst->saves_first;

	block->leave = VGPU_LEAVE_SAVE;
	vgpu_list_for_each(other, &smst->moving, struct vgpu_block, node) {
		if (other == block)
			break;
		n += other->state == VGPU_BLOCK_SAVING;
	}
	smst->saves[n % VGPU_SM_SLOTS].time = exec->sim->now;
}
