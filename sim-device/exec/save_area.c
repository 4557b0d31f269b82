// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The save area (Tanasic 5.2.2): where the contexts of preempted thread blocks are kept, and what
 * moving them costs. A context is registers, shared memory and block state; an SM moves it at its
 * share of the memory bandwidth, so that
 *
 *   time = bytes x SMs / memory_bandwidth
 *
 * or one cycle of the SM with ideal_switch (6.5.3), whatever is moved.
 *
 * An SM moves contexts in the order of the requests. Consecutive saves move together, and all their
 * blocks are saved when the move ends. Restores are done one after the other, and a block runs as
 * soon as its own restore has ended.
 *
 * A trap handler moves contexts (5.2.2), and it runs to its end: where an SM is reserved during a
 * restore, the restore ends before the SM is free. Its block has executed nothing since, so it is
 * not saved again. With abandon_restores the restore stops at once, at no cost.
 *
 * When a whole SM is saved for another kernel, its blocks move to the PTBQ of their kernel. When a
 * single block is swapped out while its neighbours run, it moves to the SM's list of swapped-out
 * blocks and is swapped in from there, or moves to the PTBQ if the SM is reserved meanwhile. On an
 * SM with several kernels (residents.c) it moves to the PTBQ, and each block is saved by itself, so
 * that its room is there as soon as it has left (SMK 5.1). What it moves then competes with what
 * its neighbours do (vgpu_sm_move()), and with timing=pipeline it has moved when memory has
 * answered. There its save begins pipeline_drain_ps after it has been told to leave, or later.
 */
#include "exec.h"

u64 vgpu_exec_move_time(const struct vgpu_config *config, u64 bytes)
{
	if (config->ideal_switch)
		return VGPU_PS_PER_KCYCLE / config->clock_khz;
	return vgpu_mul_div(bytes * config->sms, 1000000000000ull, config->memory_bandwidth);
}

u64 vgpu_exec_switch_cost(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	return 2 * vgpu_exec_move_time(exec->config, vgpu_block_context_bytes(block));
}

void vgpu_exec_to_ptbq(struct vgpu_exec *exec, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);

	block->leave = VGPU_LEAVE_NONE;
	vgpu_list_add_tail(&block->node, &ksr->ptbq);
	ksr->unclaimed++;
	vgpu_runqueue_kernel(exec, ksr);
}

/* Whose block moves now, or is the first that will. */
static struct vgpu_ksr *first_moving(const struct vgpu_smst *smst)
{
	return vgpu_ksr_of(vgpu_list_first(&smst->moving, struct vgpu_block, node)->launch);
}

/* ---- save --------------------------------------------------------------- */

static void saved(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	u32 sm = vgpu_smst_number(smst);
	struct vgpu_ksr *ksr = first_moving(smst);
	u64 told;
	u32 i;

	vgpu_trace_kernel(exec, VGPU_TRACE_SAVE_END, ksr, sm, smst->batch, smst->batch_bytes);
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_SAVING, VGPU_BLOCK_PREEMPTED, smst->batch);
	for (i = 0; i < smst->batch; i++) {
		struct vgpu_block *block =
			vgpu_list_first(&smst->moving, struct vgpu_block, node);

		vgpu_list_del(&block->node);
		block->state = VGPU_BLOCK_PREEMPTED;
		if (unlikely(block->checkpoint & VGPU_CHECKPOINT_MOVES) &&
		    vgpu_checkpoint_taken(exec, smst, block))
			continue;
		if (smst->leaving) {
			/* not one that was swapped out before the SM was reserved */
			if (unlikely(smst->chooser && block->leave))
				vgpu_leave_saved(exec, sm, block);
			vgpu_exec_to_ptbq(exec, block);
		} else if (unlikely(!smst->ksr)) {
			told = vgpu_leave_saved(exec, sm, block);
			vgpu_exec_to_ptbq(exec, block);
			vgpu_residents_left(exec, sm, block, told);
		} else {
			vgpu_list_add_tail(&block->node, &smst->off);
			smst->off_count++;
		}
	}
	smst->saving -= smst->batch;
}

void vgpu_exec_add_save(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	u64 bytes = vgpu_checkpoint_save(exec, smst, block);

	block->state = VGPU_BLOCK_SAVING;
	block->stopping = false;
	vgpu_list_add_tail(&block->node, &smst->moving);
	smst->saving++;
	vgpu_account_blocks(exec, vgpu_ksr_of(block->launch), VGPU_BLOCK_RUNNING,
			    VGPU_BLOCK_SAVING, 1);
	vgpu_account_save(exec, vgpu_ksr_of(block->launch), vgpu_smst_number(smst), 1, bytes);
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_PREEMPT, vgpu_ksr_of(block->launch),
			  vgpu_smst_number(smst), block->index, block->slot);
}

static void start_save(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	struct vgpu_block *block;

	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node) {
		if (block->state != VGPU_BLOCK_SAVING || (smst->batch && vgpu_smst_singly(smst)))
			break;
		smst->batch++;
		smst->batch_bytes += vgpu_checkpoint_saves(exec, block);
	}
	vgpu_trace_kernel(exec, VGPU_TRACE_SAVE_START, first_moving(smst), vgpu_smst_number(smst),
			  smst->batch, smst->batch_bytes);
}

static bool has_waiting(const struct vgpu_sm *hw)
{
	const struct vgpu_block *block;

	vgpu_list_for_each(block, &hw->resident, struct vgpu_block, node)
		if (vgpu_block_waits(block) != VGPU_WAIT_NONE)
			return true;
	return false;
}

void vgpu_exec_save(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_block *block;

	if (!VGPU_CHECK((smst->leaving || smst->checkpointing) && hw->resident_count))
		return;
	/* It is halted, so it raises no more faults; block_ready() tries again. */
	smst->stalled = exec->stall && has_waiting(hw);
	if (smst->stalled)
		return;
	/* sm_quiet() tries again. */
	smst->draining = !vgpu_sm_quiet(hw);
	if (smst->draining)
		return;
	if (!smst->leaving) {
		vgpu_checkpoint_take(exec, sm);
		return;
	}
	vgpu_checkpoint_find_room(exec, smst);
	while ((block = vgpu_sm_first(hw))) {
		vgpu_sm_detach(hw, block);
		vgpu_exec_add_save(exec, smst, block);
	}
	smst->in_place_room = 0;
	vgpu_sm_driver_update(exec, sm);
	vgpu_exec_start_move(exec, sm);
}

u64 vgpu_exec_save_time(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_block *block;
	u64 bytes = 0;

	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node)
		bytes += vgpu_checkpoint_would_save(exec, block);
	return vgpu_exec_move_time(exec->config, bytes);
}

/* ---- restore ------------------------------------------------------------ */

static void add_restore(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	vgpu_list_del(&block->node);
	block->state = VGPU_BLOCK_RESTORING;
	vgpu_list_add_tail(&block->node, &smst->moving);
	smst->restoring++;
	vgpu_account_blocks(exec, vgpu_ksr_of(block->launch), VGPU_BLOCK_PREEMPTED,
			    VGPU_BLOCK_RESTORING, 1);
	vgpu_exec_start_move(exec, vgpu_smst_number(smst));
}

static void start_restore(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	const struct vgpu_block *block = vgpu_list_first(&smst->moving, struct vgpu_block, node);

	smst->batch = 1;
	smst->batch_bytes = vgpu_checkpoint_restores(exec, block, vgpu_smst_number(smst));
	vgpu_trace_kernel(exec, VGPU_TRACE_RESTORE_START, vgpu_ksr_of(block->launch),
			  vgpu_smst_number(smst), block->index, smst->batch_bytes);
}

/* @smst was reserved while @block was being restored. Its state is still in the save area. */
static void restored_in_vain(struct vgpu_exec *exec, struct vgpu_smst *smst,
			     struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);

	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_RESTORING, VGPU_BLOCK_PREEMPTED, 1);
	vgpu_trace_kernel(exec, VGPU_TRACE_RESTORE_END, ksr, vgpu_smst_number(smst), block->index,
			  1);
	block->state = VGPU_BLOCK_PREEMPTED;
	vgpu_list_add(&block->node, &ksr->ptbq);
	ksr->unclaimed++;
	vgpu_runqueue_kernel(exec, ksr);
}

static void restored(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	struct vgpu_block *block = vgpu_list_first(&smst->moving, struct vgpu_block, node);
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	u32 sm = vgpu_smst_number(smst);

	vgpu_list_del(&block->node);
	smst->restoring--;
	if (unlikely(smst->leaving)) {
		restored_in_vain(exec, smst, block);
		return;
	}
	vgpu_checkpoint_restored(exec, block);
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_RESTORING, VGPU_BLOCK_RUNNING, 1);
	vgpu_trace_kernel(exec, VGPU_TRACE_RESTORE_END, ksr, sm, block->index, 0);
	vgpu_sm_driver_resume(exec, sm, block);
	/* the policy has been changed meanwhile, for one that wants whole SMs */
	if (unlikely(!smst->ksr && !exec->policy->by_block))
		vgpu_residents_evict(exec, block, false);
}

void vgpu_exec_restore(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	add_restore(exec, &exec->smst[sm], vgpu_list_first(&ksr->ptbq, struct vgpu_block, node));
}

void vgpu_exec_unrestore(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_block *block, *next;
	const struct vgpu_block *stays = NULL;
	struct vgpu_list back;
	u32 count = smst->restoring + smst->off_count;
	struct vgpu_ksr *ksr = smst->ksr;

	if (!count)
		return;
	block = vgpu_list_first(&smst->moving, struct vgpu_block, node);
	if (smst->batch && block->state == VGPU_BLOCK_RESTORING) {
		ksr->ctx->account.restores_abandoned++;
		if (exec->config->abandon_restores) {
			vgpu_event_cancel(exec->sim, &smst->move);
			vgpu_sm_stop_move(&exec->sms[sm]);
			vgpu_trace_kernel(exec, VGPU_TRACE_RESTORE_END, ksr, sm, block->index, 1);
			smst->batch = 0;
		} else {
			stays = block;
			count--;
		}
	}
	vgpu_list_init(&back);
	vgpu_list_for_each_safe(block, next, &smst->moving, struct vgpu_block, node) {
		if (block->state != VGPU_BLOCK_RESTORING || block == stays)
			continue;
		vgpu_list_del(&block->node);
		block->state = VGPU_BLOCK_PREEMPTED;
		vgpu_list_add_tail(&block->node, &back);
	}
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_RESTORING, VGPU_BLOCK_PREEMPTED,
			    smst->restoring - !!stays);
	vgpu_list_splice(&smst->off, &back);
	vgpu_list_splice(&back, &ksr->ptbq);
	smst->restoring = !!stays;
	smst->off_count = 0;
	ksr->unclaimed += count;
	vgpu_runqueue_kernel(exec, ksr);
	vgpu_exec_start_move(exec, sm);
}

/* ---- one move after the other ------------------------------------------- */

void vgpu_exec_moved(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_block *block = vgpu_list_first(&smst->moving, struct vgpu_block, node);
	bool saving = block->state == VGPU_BLOCK_SAVING;
	u32 standing = smst->standing;

	if (saving)
		saved(exec, smst);
	else
		restored(exec, smst);
	smst->batch = 0;
	vgpu_exec_start_move(exec, sm);
	if (unlikely(!smst->ksr)) {
		if (saving)
			vgpu_residents_settle(exec, sm);
		return;
	}
	if (unlikely(standing) && !smst->standing && !smst->leaving)
		vgpu_checkpoint_resume(exec, sm);
	if (unlikely(vgpu_smst_switches(exec, smst)))
		vgpu_block_switch(exec, sm);
	if (smst->leaving && !exec->sms[sm].resident_count && !smst->saving)
		vgpu_sm_driver_empty(exec, sm);
	else
		vgpu_sm_driver_update(exec, sm);
}

static void move_fire(struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, move);

	vgpu_exec_moved(smst->exec, vgpu_smst_number(smst));
}

static void drain_fire(struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, move);

	vgpu_exec_start_move(smst->exec, vgpu_smst_number(smst));
}

/* Has @block been told to stop by itself? */
static bool is_told(const struct vgpu_smst *smst, const struct vgpu_block *block)
{
	return block->leave || (!smst->ksr && (block->checkpoint & VGPU_CHECKPOINT_MOVES));
}

/* The first to move leaves by itself, and what it has in flight has not ended (SMK 5.1). */
static bool drains(struct vgpu_exec *exec, struct vgpu_smst *smst, const struct vgpu_block *first)
{
	u64 drained;

	if (!vgpu_smst_singly(smst) || first->state != VGPU_BLOCK_SAVING ||
	    !is_told(smst, first))
		return false;
	drained = vgpu_leave_drained(exec, smst);
	if (drained <= exec->sim->now)
		return false;
	smst->move.fire = drain_fire;
	vgpu_event_at(exec->sim, &smst->move, drained);
	return true;
}

/* A block leaves, or comes back, beside others that execute. true: the SM says when it has. */
static bool move_beside(struct vgpu_exec *exec, struct vgpu_smst *smst,
			const struct vgpu_block *block)
{
	return vgpu_smst_singly(smst) && smst->batch_bytes && !exec->config->ideal_switch &&
	       vgpu_sm_move(&exec->sms[vgpu_smst_number(smst)], block, smst->batch_bytes);
}

void vgpu_exec_start_move(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_block *first = vgpu_list_first(&smst->moving, struct vgpu_block, node);

	if (!first || smst->batch || drains(exec, smst, first))
		return;
	smst->batch_bytes = 0;
	if (first->state == VGPU_BLOCK_SAVING)
		start_save(exec, smst);
	else
		start_restore(exec, smst);
	if (move_beside(exec, smst, first))
		return;
	smst->move.fire = move_fire;
	vgpu_event_after(exec->sim, &smst->move,
			 vgpu_exec_move_time(exec->config, smst->batch_bytes));
}

/* ---- single blocks ------------------------------------------------------ */

static void swap_out(struct vgpu_exec *exec, struct vgpu_block *block)
{
	struct vgpu_sm *sm = block->sm;
	struct vgpu_smst *smst = &exec->smst[sm->index];

	if (vgpu_smst_singly(smst))
		vgpu_leave_saving(exec, sm->index, block);
	else
		block->leave = VGPU_LEAVE_NONE;
	vgpu_sm_detach(sm, block);
	if (!smst->ksr)
		vgpu_checkpoint_find_room(exec, smst);
	vgpu_exec_add_save(exec, smst, block);
	smst->in_place_room = 0;
	if (!smst->ksr)
		vgpu_account_block(block);
	else if (!smst->leaving)
		vgpu_ksr_of(block->launch)->ctx->account.block_switches++;
	vgpu_sm_driver_update(exec, sm->index);
	vgpu_exec_start_move(exec, sm->index);
}

void vgpu_exec_stop_and_save(struct vgpu_exec *exec, struct vgpu_block *block)
{
	if (vgpu_block_stop(block))
		swap_out(exec, block);
}

int vgpu_exec_swap_out(struct vgpu_exec *exec, struct vgpu_block *block)
{
	if (block->state != VGPU_BLOCK_RUNNING || block->stopping ||
	    exec->smst[block->sm->index].leaving || exec->smst[block->sm->index].checkpointing)
		return -EBUSY;
	vgpu_exec_stop_and_save(exec, block);
	return 0;
}

void vgpu_exec_block_stopped(struct vgpu_exec *exec, struct vgpu_block *block)
{
	const struct vgpu_smst *smst = &exec->smst[block->sm->index];

	/* A reserved SM saves all that it has, this block too, or makes a base checkpoint of it. */
	if ((smst->leaving || smst->checkpointing) && smst->ksr && !smst->chooser) {
		block->stopping = false;
		block->leave = VGPU_LEAVE_NONE;
	} else if (block->leave == VGPU_LEAVE_FLUSH) {
		vgpu_leave_stopped(exec, block);
	} else if (block->checkpoint & VGPU_CHECKPOINT_STOPS) {
		vgpu_base_stopped(exec, block);
	} else {
		swap_out(exec, block);
	}
}

bool vgpu_exec_swap_in(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_block *block = vgpu_list_first(&smst->off, struct vgpu_block, node);

	if (!block || !vgpu_smst_has_place(exec, sm))
		return false;
	vgpu_exec_swap_in_block(exec, sm, block);
	return true;
}

void vgpu_exec_swap_in_block(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	smst->off_count--;
	add_restore(exec, smst, block);
	vgpu_sm_driver_update(exec, sm);
}
