// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Base checkpoints: blocks are saved and go on, before a launch comes for which they will leave
 * (PEP: Li et al., DAC 2018, 3.3; the thesis, 4.5.4).
 *
 * DOC: base checkpoints
 *
 * Of an SM in the hands of one kernel: it is halted, what it has in flight ends, what its blocks
 * have written is saved, and all go on where they are. Blocks that are off it, on their way from it
 * or to it, are saved already: nothing is done about them, and what comes back meanwhile is taken
 * along if it does before the save begins, and else runs beside it. Base checkpoints come before
 * restores that have not begun. The local scheduler (block_switch.c) waits until the SM goes on. A
 * block with a base checkpoint from before stands with the others, and keeps that.
 *
 * Single blocks, on SMs that several kernels share: base_block.c.
 *
 * If the SM is reserved while the base checkpoint is being made, blocks are off it when that has
 * been made.
 */
#include "exec.h"

/* ---- the base checkpoint of an SM ---------------------------------------- */

bool vgpu_exec_can_checkpoint(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_block *block;
	u32 without = 0;

	if (!smst->ksr || smst->state != VGPU_SM_RUNNING || smst->leaving || smst->checkpointing ||
	    smst->ksr->launch.stopped)
		return false;
	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node) {
		if (block->leave ||
		    (exec->stall && vgpu_block_waits(block) != VGPU_WAIT_NONE))
			return false;
		without += !block->checkpoint;
	}
	return without;
}

void vgpu_exec_checkpoint(struct vgpu_exec *exec, u32 sm, u64 least)
{
	u64 drained = vgpu_exec_time_after(exec, exec->config->pipeline_drain_ps), halted;
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_exec_unwatch(exec, sm);
	/* those that were to be swapped out stay: nobody comes for them */
	if (smst->claimed)
		vgpu_sm_driver_unclaim(exec, sm);
	smst->checkpointing = true;
	exec->checkpointing++;
	smst->checkpoint_since = exec->sim->now;
	smst->checkpoint_least = least;
	halted = vgpu_exec_halt(exec, sm);
	vgpu_exec_at_time(exec, sm, drained > halted ? drained : halted, vgpu_exec_save);
}

/*
 * Where a base checkpoint of @smst moves: before restores that have not begun. Where each block
 * moves by itself the order of saves is that of smst->saves.
 */
static struct vgpu_list *place_in_moves(struct vgpu_smst *smst)
{
	struct vgpu_block *block;
	u32 n = 0;

	if (!smst->ksr)
		return &smst->moving;

	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node)
		if (n++ >= smst->batch && block->state == VGPU_BLOCK_RESTORING)
			return &block->node;
	return &smst->moving;
}

void vgpu_base_begin(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block,
		     bool is_saved)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	struct vgpu_checkpoint *c;

	block->checkpoint |= VGPU_CHECKPOINT_MOVES;
	if (is_saved) {
		c = vgpu_checkpoint_begin(exec, block);
		c->base = (u32)vgpu_block_dirty_bytes(block, false);
		c->has_base = true;
		c->moves = true;
		c->sm = (u16)vgpu_smst_number(smst);
		exec->bases++;
		ksr->ctx->account.blocks_checkpointed++;
		ksr->ctx->account.checkpoint_bytes += c->base;
		vgpu_account_save(exec, ksr, vgpu_smst_number(smst), 0, c->base);
	}
	block->state = VGPU_BLOCK_SAVING;
	block->stopping = false;
	vgpu_list_insert(&block->node, place_in_moves(smst));
	smst->saving++;
	smst->standing++;
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_RUNNING, VGPU_BLOCK_SAVING, 1);
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_PREEMPT, ksr, vgpu_smst_number(smst), block->index,
			  block->slot);
}

void vgpu_checkpoint_take(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_block *block;

	while ((block = vgpu_sm_first(hw))) {
		/* if it will be there still when the SM is preempted */
		bool save = !block->checkpoint &&
			    vgpu_exec_block_left(exec, block) > smst->checkpoint_least;

		vgpu_sm_detach(hw, block);
		vgpu_base_begin(exec, smst, block, save && vgpu_block_checkpoint(block));
	}
	hw->halted = false;
	vgpu_sm_driver_update(exec, sm);
	vgpu_exec_start_move(exec, sm);
}

/* The move of @block ends. Was its base checkpoint made by it? */
static bool made(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	struct vgpu_checkpoint *c = vgpu_checkpoint_of(exec, block);
	bool moves = (block->checkpoint & VGPU_CHECKPOINT_RECORD) && c->moves;

	smst->standing--;
	block->checkpoint &= (u8)~VGPU_CHECKPOINT_MOVES;
	if (moves)
		c->moves = false;
	return moves;
}

bool vgpu_checkpoint_taken(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	bool is_saved = made(exec, smst, block);

	if (!smst->ksr) {
		vgpu_base_taken(exec, smst, block);
		return true;
	}
	if (!smst->leaving) {
		vgpu_account_blocks(exec, ksr, VGPU_BLOCK_PREEMPTED, VGPU_BLOCK_RUNNING, 1);
		/* its announcement is over */
		if (!smst->announcer)
			vgpu_checkpoint_drop(exec, block);
		vgpu_sm_driver_resume(exec, vgpu_smst_number(smst), block);
		return true;
	}
	/* the SM has been reserved meanwhile: what is not saved yet is saved now */
	if (is_saved) {
		vgpu_checkpoint_leave(exec, block);
		return false;
	}
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_PREEMPTED, VGPU_BLOCK_RUNNING, 1);
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_RESUME, ksr, vgpu_smst_number(smst), block->index,
			  block->slot);
	vgpu_checkpoint_find_room(exec, smst);
	vgpu_exec_add_save(exec, smst, block);
	smst->in_place_room = 0;
	return true;
}

void vgpu_checkpoint_over(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	if (!smst->checkpointing)
		return;
	smst->checkpointing = false;
	exec->checkpointing--;
	vgpu_announce_stalled(exec, smst, exec->sim->now - smst->checkpoint_since);
}

/* Blocks that ended while @sm stood are followed by others. */
static void refill(struct vgpu_exec *exec, u32 sm)
{
	while (vgpu_smst_has_place(exec, sm) && vgpu_sm_driver_claim(exec, sm))
		if (!vgpu_sm_driver_issue(exec, sm))
			break;
}

void vgpu_checkpoint_resume(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_event_cancel(exec->sim, &smst->preempt);
	exec->sms[sm].halted = false;
	smst->draining = false;
	smst->stalled = false;
	vgpu_checkpoint_over(exec, smst);
	if (vgpu_smst_switches(exec, smst))
		vgpu_block_switch(exec, sm);
	else
		refill(exec, sm);
}

void vgpu_checkpoint_forget(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_block *block;

	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node)
		if (block->checkpoint & VGPU_CHECKPOINT_RECORD)
			vgpu_checkpoint_drop(exec, block);
}

/* ---- blocks to come ------------------------------------------------------ */

static void look_fire(struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, look);

	smst->look_fn(smst->exec, vgpu_smst_number(smst));
}

void vgpu_look_at_time(struct vgpu_exec *exec, u32 sm, u64 time,
		       void (*fn)(struct vgpu_exec *exec, u32 sm))
{
	struct vgpu_smst *smst = &exec->smst[sm];

	smst->look_fn = fn;
	smst->look.fire = look_fire;
	vgpu_event_at(exec->sim, &smst->look, time);
}

void vgpu_exec_watch(struct vgpu_exec *exec, u32 sm, void (*came)(struct vgpu_exec *exec, u32 sm))
{
	struct vgpu_smst *smst = &exec->smst[sm];

	if (!smst->came) {
		exec->watched++;
		memset(smst->marks, 0xff, VGPU_SM_SLOTS * sizeof(*smst->marks));
	}
	smst->came = came;
}

void vgpu_exec_unwatch(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	exec->watched -= !!smst->came;
	smst->came = NULL;
	vgpu_event_cancel(exec->sim, &smst->look);
}

bool vgpu_exec_is_watched(const struct vgpu_exec *exec, u32 sm)
{
	return exec->smst[sm].came;
}

/*
 * @sm is looked at when one of the blocks that have come has executed enough. Where those that had
 * come are gone before, the next that comes counts.
 */
static void wait_for_blocks(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	u64 first = VGPU_NEVER;
	const struct vgpu_block *block;

	vgpu_sm_settle(&exec->sms[sm]);
	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node) {
		u64 mark = smst->marks[block->slot], until;

		if (mark == VGPU_NEVER)
			continue;
		until = vgpu_block_until(block, mark, exec->config->pep_run_instructions);
		first = until < first ? until : first;
	}
	if (!first) {
		memset(smst->marks, 0xff, VGPU_SM_SLOTS * sizeof(*smst->marks));
		smst->came(exec, sm);
	} else if (first != VGPU_NEVER) {
		vgpu_look_at_time(exec, sm, vgpu_exec_time_after(exec, first), wait_for_blocks);
	}
}

void vgpu_checkpoint_came(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	u32 instructions = exec->config->pep_run_instructions;

	if (!smst->came || smst->leaving)
		return;
	smst->marks[block->slot] = vgpu_block_mark(block);
	if (!vgpu_event_pending(&smst->look))
		vgpu_look_at_time(
			exec, sm,
			vgpu_exec_time_after(exec, vgpu_block_until(block,
								    smst->marks[block->slot],
								    instructions)),
			wait_for_blocks);
}
