// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Checkpoints of thread blocks (PEP: Li et al., DAC 2018, 3.3; the thesis, 4.5.4).
 *
 * DOC: checkpoints
 *
 * A *base checkpoint* of an SM: it is halted, what it has in flight ends, what its blocks have
 * written is saved, and they go on where they are. When the SM is preempted after that, only the
 * *increment* is saved, what they have written since. If it is reserved while the base checkpoint
 * is being made, blocks are off it when that has been made.
 *
 * struct vgpu_checkpoint has what the save area holds of a block, as long as block->checkpoint has
 * VGPU_CHECKPOINT_RECORD. A block without a record is saved as a whole, or has nothing there.
 * There is one for each block struct of the pool (exec->checkpoints), and one behind each that is
 * charged to a context.
 *
 *	              on an SM        off it, or on its way
 *	no record     nothing         all of its context
 *	record        base            base + increment - in_place
 *
 * A part of the increment may stay on the SM, in registers and shared memory that the next kernel
 * does not use (*in place*, 3.1). The SM can then be set up for another one only when what is in
 * place leaves that room enough: the rest is moved to memory first. A restore on the same SM moves
 * only what is in memory.
 *
 * When a block ends, is dropped, or has been restored, its record is over, and so is what it has
 * in the save area.
 */
#include "exec.h"

struct vgpu_checkpoint *vgpu_checkpoint_of(const struct vgpu_exec *exec,
					   const struct vgpu_block *block)
{
	return block->charged ? (struct vgpu_checkpoint *)(block + 1) :
				&exec->checkpoints[block - exec->pool];
}

static bool has_record(const struct vgpu_block *block)
{
	return block->checkpoint & VGPU_CHECKPOINT_RECORD;
}

bool vgpu_checkpoint_has_base(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	const struct vgpu_checkpoint *c = vgpu_checkpoint_of(exec, block);

	return has_record(block) && c->has_base && !c->left;
}

static u64 area_of(const struct vgpu_checkpoint *c)
{
	return (u64)c->base + c->increment - c->in_place;
}

u64 vgpu_checkpoint_area(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	if (has_record(block))
		return area_of(vgpu_checkpoint_of(exec, block));
	return block->dropped || block->sm || block->checkpoint ? 0 :
								   vgpu_block_context_bytes(block);
}

u64 vgpu_checkpoint_restores(const struct vgpu_exec *exec, const struct vgpu_block *block, u32 sm)
{
	const struct vgpu_checkpoint *c;

	if (!has_record(block))
		return vgpu_block_context_bytes(block);
	c = vgpu_checkpoint_of(exec, block);
	return area_of(c) + (c->sm == sm ? 0 : c->in_place);
}

u64 vgpu_checkpoint_saves(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	const struct vgpu_checkpoint *c;

	if (!has_record(block))
		return block->checkpoint ? 0 : vgpu_block_context_bytes(block);
	c = vgpu_checkpoint_of(exec, block);
	return block->checkpoint & VGPU_CHECKPOINT_MOVES ? c->base : c->increment - c->in_place;
}

/* Is only what has been written saved of blocks without a base checkpoint? */
static bool saves_dirty(const struct vgpu_exec *exec)
{
	return exec->preemption->dirty || exec->config->save_dirty;
}

u64 vgpu_checkpoint_would_save(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	bool base = vgpu_checkpoint_has_base(exec, block);

	return base || saves_dirty(exec) ? vgpu_block_dirty_bytes(block, base) :
					   vgpu_block_context_bytes(block);
}

/* ---- records ------------------------------------------------------------- */

/* A record of @block, which had none. */
static struct vgpu_checkpoint *begin_record(struct vgpu_exec *exec, struct vgpu_block *block)
{
	struct vgpu_checkpoint *c = vgpu_checkpoint_of(exec, block);

	*c = (struct vgpu_checkpoint){ .lost = c->lost };
	block->checkpoint |= VGPU_CHECKPOINT_RECORD;
	return c;
}

static void end_record(struct vgpu_exec *exec, struct vgpu_block *block)
{
	struct vgpu_checkpoint *c = vgpu_checkpoint_of(exec, block);

	exec->bases -= c->has_base && !c->left;
	exec->smst[c->sm].in_place -= c->in_place;
	vgpu_block_forget(block);
	vgpu_account_restored(exec, vgpu_ksr_of(block->launch), area_of(c));
	block->checkpoint = 0;
}

void vgpu_checkpoint_drop(struct vgpu_exec *exec, struct vgpu_block *block)
{
	if (has_record(block))
		end_record(exec, block);
	block->checkpoint = 0;
}

void vgpu_checkpoint_restored(struct vgpu_exec *exec, struct vgpu_block *block)
{
	if (has_record(block)) {
		vgpu_block_take_back(block);
		end_record(exec, block);
		return;
	}
	vgpu_account_restored(exec, vgpu_ksr_of(block->launch),
			       vgpu_block_context_bytes(block));
}

/* @block is off its SM now, and saved as a whole. */
static void leave(struct vgpu_exec *exec, struct vgpu_block *block, struct vgpu_checkpoint *c,
		  bool increment)
{
	exec->bases -= c->has_base;
	c->left = true;
	vgpu_block_save_rest(block, increment);
}

u64 vgpu_checkpoint_save(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	struct vgpu_checkpoint *c;
	u64 bytes;

	if (!has_record(block) && !saves_dirty(exec))
		return vgpu_block_context_bytes(block);
	bytes = vgpu_checkpoint_would_save(exec, block);
	c = has_record(block) ? vgpu_checkpoint_of(exec, block) : begin_record(exec, block);
	c->increment = (u32)bytes;
	c->in_place = (u32)(bytes < smst->in_place_room ? bytes : smst->in_place_room);
	c->sm = (u16)vgpu_smst_number(smst);
	leave(exec, block, c, true);
	smst->in_place_room -= c->in_place;
	smst->in_place += c->in_place;
	vgpu_ksr_of(block->launch)->ctx->account.in_place_bytes += c->in_place;
	return bytes - c->in_place;
}

/* ---- in place ------------------------------------------------------------ */

/* Bytes of @smst that blocks of @ksr, as many as it has, leave free; NULL: it is used otherwise. */
static u64 free_beside(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	u64 blocks, registers, shared;

	if (!ksr)
		return 0;
	blocks = ksr->launch.blocks < ksr->occupancy ? ksr->launch.blocks : ksr->occupancy;
	registers = exec->config->regs_per_sm - blocks * ksr->needs.registers;
	shared = ksr->shared_config - blocks * ksr->needs.shared_bytes;
	return registers * sizeof(u32) + shared;
}

void vgpu_checkpoint_find_room(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	u64 room;

	smst->in_place_room = 0;
	if (!exec->preemption->dirty || !exec->config->pep_in_place)
		return;
	room = free_beside(exec, smst->next);
	smst->in_place_room = room > smst->in_place ? room - smst->in_place : 0;
}

/* What @block has in place on @smst moves to memory; returns how much that is. */
static u64 move_out(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	struct vgpu_checkpoint *c;
	u64 bytes;

	if (!has_record(block))
		return 0;
	c = vgpu_checkpoint_of(exec, block);
	bytes = c->sm == vgpu_smst_number(smst) ? c->in_place : 0;
	if (!bytes)
		return 0;
	c->in_place = 0;
	smst->in_place -= bytes;
	vgpu_account_save(exec, vgpu_ksr_of(block->launch), 0, bytes);
	return bytes;
}

u64 vgpu_checkpoint_make_room(struct vgpu_exec *exec, struct vgpu_smst *smst,
			      const struct vgpu_ksr *ksr)
{
	u64 room = free_beside(exec, ksr), bytes = 0;
	struct vgpu_ksr *other;
	struct vgpu_block *block;

	vgpu_list_for_each(other, &exec->active_queue, struct vgpu_ksr, node)
		vgpu_list_for_each(block, &other->ptbq, struct vgpu_block, node)
			/* its own are where its blocks will be */
			if (smst->in_place > room && other != ksr)
				bytes += move_out(exec, smst, block);
	return bytes ? vgpu_exec_move_time(exec->config, bytes) : 0;
}

/* ---- the base checkpoint of an SM ---------------------------------------- */

bool vgpu_exec_can_checkpoint(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_block *block;

	if (!smst->ksr || smst->state != VGPU_SM_RUNNING || smst->leaving || smst->checkpointing ||
	    smst->ksr->launch.stopped || vgpu_smst_switches(exec, smst) || smst->saving ||
	    smst->restoring || smst->off_count)
		return false;
	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node)
		if (block->stopping || block->leave || block->checkpoint ||
		    (exec->stall && vgpu_block_waits(block) != VGPU_WAIT_NONE))
			return false;
	return true;
}

void vgpu_exec_checkpoint(struct vgpu_exec *exec, u32 sm, u64 least)
{
	u64 drained = vgpu_exec_time_after(exec, exec->config->pipeline_drain_ps), halted;
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_exec_unwatch(exec, sm);
	smst->checkpointing = true;
	exec->checkpointing++;
	smst->checkpoint_since = exec->sim->now;
	smst->checkpoint_least = least;
	halted = vgpu_exec_halt(exec, sm);
	vgpu_preemption_at_time(exec, sm, drained > halted ? drained : halted, vgpu_exec_save);
}

/* @block, off its SM, which stands, is saved if it will be there still when that is preempted. */
static void checkpoint_block(struct vgpu_exec *exec, struct vgpu_smst *smst,
			     struct vgpu_block *block, bool save)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	struct vgpu_checkpoint *c;

	block->checkpoint = VGPU_CHECKPOINT_MOVES;
	if (save && vgpu_block_checkpoint(block)) {
		c = begin_record(exec, block);
		c->base = (u32)vgpu_block_dirty_bytes(block, false);
		c->has_base = true;
		c->sm = (u16)vgpu_smst_number(smst);
		exec->bases++;
		ksr->ctx->account.blocks_checkpointed++;
		ksr->ctx->account.checkpoint_bytes += c->base;
		vgpu_account_save(exec, ksr, 0, c->base);
	}
	block->state = VGPU_BLOCK_SAVING;
	vgpu_list_add_tail(&block->node, &smst->moving);
	smst->saving++;
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
		bool save = vgpu_exec_block_left(exec, block) > smst->checkpoint_least;

		vgpu_sm_detach(hw, block);
		checkpoint_block(exec, smst, block, save);
	}
	hw->halted = false;
	vgpu_sm_driver_update(exec, sm);
	vgpu_exec_start_move(exec, sm);
}

bool vgpu_checkpoint_taken(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);

	block->checkpoint &= (u8)~VGPU_CHECKPOINT_MOVES;
	if (!smst->leaving) {
		vgpu_account_blocks(exec, ksr, VGPU_BLOCK_PREEMPTED, VGPU_BLOCK_RUNNING, 1);
		/* its announcement is over */
		if (!smst->announcer)
			vgpu_checkpoint_drop(exec, block);
		vgpu_sm_driver_resume(exec, vgpu_smst_number(smst), block);
		return true;
	}
	/* the SM has been reserved meanwhile: what is not saved yet is saved now */
	if (block->checkpoint) {
		leave(exec, block, vgpu_checkpoint_of(exec, block), false);
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
	vgpu_announce_stalled(exec, smst->announcer, exec->sim->now - smst->checkpoint_since);
}

void vgpu_checkpoint_refill(struct vgpu_exec *exec, u32 sm)
{
	while (vgpu_smst_has_place(exec, sm) && vgpu_sm_driver_claim(exec, sm))
		if (!vgpu_sm_driver_issue(exec, sm))
			break;
}

void vgpu_checkpoint_forget(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_block *block;

	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node)
		if (block->checkpoint)
			vgpu_checkpoint_drop(exec, block);
}

/* ---- blocks to come ------------------------------------------------------ */

void vgpu_exec_watch(struct vgpu_exec *exec, u32 sm, void (*came)(struct vgpu_exec *exec, u32 sm))
{
	struct vgpu_smst *smst = &exec->smst[sm];

	exec->watched += !smst->came;
	smst->came = came;
}

void vgpu_exec_unwatch(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	exec->watched -= !!smst->came;
	smst->came = NULL;
}

bool vgpu_exec_is_watched(const struct vgpu_exec *exec, u32 sm)
{
	return exec->smst[sm].came;
}

void vgpu_checkpoint_came(struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	u64 cycles = exec->config->pep_run_cycles;

	if (smst->came && !smst->leaving && !vgpu_event_pending(&smst->preempt))
		vgpu_preemption_at_time(
			exec, sm,
			vgpu_exec_time_after(exec, vgpu_mul_div(cycles, VGPU_PS_PER_KCYCLE,
								exec->config->clock_khz)),
			smst->came);
}
