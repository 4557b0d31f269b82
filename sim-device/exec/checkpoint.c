// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Checkpoints of thread blocks (PEP: Li et al., DAC 2018, 3.3; the thesis, 4.5.4).
 *
 * DOC: checkpoints
 *
 * A *base checkpoint* of a block (base.c): what it has written is saved, and it goes on where it
 * is. When it leaves its SM after that, only the *increment* is saved, what it has written since.
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
 * only what is in memory. On a shared SM it is what all blocks leave free, those that replace
 * others counted as if they were there; blocks that come to it wait until their room is.
 *
 * When a block ends, is dropped, or has been restored, its record is over, and so is what it has
 * in the save area.
 */
#include "residents.h"

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
	if (block->checkpoint & VGPU_CHECKPOINT_MOVES)
		return c->moves ? c->base : 0;
	return c->increment - c->in_place;
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
struct vgpu_checkpoint *vgpu_checkpoint_begin(struct vgpu_exec *exec, struct vgpu_block *block)
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

/* @block is off its SM now, and saved as a whole; @increment: and not only its base. */
static void leave(struct vgpu_exec *exec, struct vgpu_block *block, bool increment)
{
	struct vgpu_checkpoint *c = vgpu_checkpoint_of(exec, block);

	exec->bases -= c->has_base;
	c->left = true;
	vgpu_block_save_rest(block, increment);
}

void vgpu_checkpoint_leave(struct vgpu_exec *exec, struct vgpu_block *block)
{
	leave(exec, block, false);
}

u64 vgpu_checkpoint_save(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	struct vgpu_checkpoint *c;
	u64 bytes;

	if (!has_record(block) && !saves_dirty(exec))
		return vgpu_block_context_bytes(block);
	bytes = vgpu_checkpoint_would_save(exec, block);
	c = has_record(block) ? vgpu_checkpoint_of(exec, block) :
				vgpu_checkpoint_begin(exec, block);
	c->increment = (u32)bytes;
	c->in_place = (u32)(bytes < smst->in_place_room ? bytes : smst->in_place_room);
	c->sm = (u16)vgpu_smst_number(smst);
	leave(exec, block, true);
	smst->in_place_room -= c->in_place;
	smst->in_place += c->in_place;
	vgpu_ksr_of(block->launch)->ctx->account.in_place_bytes += c->in_place;
	return bytes - c->in_place;
}

/* ---- in place ------------------------------------------------------------ */

/* Bytes of an SM that blocks of @ksr, as many as it has, leave free. */
static u64 free_beside(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	u64 blocks, registers, shared;

	blocks = ksr->launch.blocks < ksr->occupancy ? ksr->launch.blocks : ksr->occupancy;
	registers = exec->config->regs_per_sm - blocks * ksr->needs.registers;
	shared = ksr->shared_config - blocks * ksr->needs.shared_bytes;
	return registers * sizeof(u32) + shared;
}

/* The same of shared @smst, as decided. */
static u64 free_on_shared(const struct vgpu_exec *exec, const struct vgpu_smst *smst)
{
	struct vgpu_resources used = smst->used, all;
	u64 registers, shared;

	vgpu_exec_sm_resources(exec, vgpu_smst_number(smst), &all);
	vgpu_resources_sub(&used, &smst->leaving_part, 1);
	vgpu_resources_add(&used, &smst->coming_part, 1);
	registers = all.registers > used.registers ? all.registers - used.registers : 0;
	shared = all.shared_bytes > used.shared_bytes ? all.shared_bytes - used.shared_bytes : 0;
	return registers * sizeof(u32) + shared;
}

/* Bytes of @block that are in place on @smst. */
static u64 kept_on(const struct vgpu_exec *exec, const struct vgpu_smst *smst,
		   const struct vgpu_block *block)
{
	const struct vgpu_checkpoint *c = vgpu_checkpoint_of(exec, block);

	return has_record(block) && c->sm == vgpu_smst_number(smst) ? c->in_place : 0;
}

/* Blocks of @ksr that come to shared @smst, and will be the first of its PTBQ. */
static u32 count_claimed(const struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	const struct vgpu_sharer *sharer = vgpu_sharer_find(smst, ksr);

	return sharer ? sharer->claimed : 0;
}

/* What is in place on shared @smst, but for blocks that come back: that is where they will be. */
static u64 in_the_room(const struct vgpu_exec *exec, const struct vgpu_smst *smst)
{
	const struct vgpu_sharer *sharer;
	const struct vgpu_block *block;
	u64 bytes = smst->in_place;

	if (!bytes)
		return 0;
	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node)
		if (block->state == VGPU_BLOCK_RESTORING)
			bytes -= kept_on(exec, smst, block);
	vgpu_list_for_each(sharer, &smst->residents, struct vgpu_sharer, node) {
		u32 claimed = sharer->claimed;

		vgpu_list_for_each(block, &sharer->ksr->ptbq, struct vgpu_block, node) {
			if (!claimed--)
				break;
			bytes -= kept_on(exec, smst, block);
		}
	}
	return bytes;
}

void vgpu_checkpoint_find_room(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	u64 room = 0, taken;

	smst->in_place_room = 0;
	/* what is saved while the next kernel runs is moved by the timing model that it ran with */
	if (!exec->preemption->dirty || !exec->config->pep_in_place ||
	    exec->config->timing_by_kernel)
		return;
	taken = smst->ksr ? smst->in_place : in_the_room(exec, smst);
	if (!smst->ksr)
		room = free_on_shared(exec, smst);
	else if (smst->next)
		room = free_beside(exec, smst->next);
	smst->in_place_room = room > taken ? room - taken : 0;
}

/* What @block has in place on @smst moves to memory; returns how much that is. */
static u64 move_out(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	u64 bytes = kept_on(exec, smst, block);

	if (!bytes)
		return 0;
	vgpu_checkpoint_of(exec, block)->in_place = 0;
	smst->in_place -= bytes;
	vgpu_account_save(exec, vgpu_ksr_of(block->launch), vgpu_smst_number(smst), 0, bytes);
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

u64 vgpu_checkpoint_make_room_beside(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	u64 room = free_on_shared(exec, smst), taken = in_the_room(exec, smst), bytes = 0, moved;
	struct vgpu_block *block;
	struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node) {
		u32 claimed = count_claimed(smst, ksr);

		vgpu_list_for_each(block, &ksr->ptbq, struct vgpu_block, node) {
			if (claimed) {
				claimed--;
				continue;
			}
			if (taken <= room)
				break;
			moved = move_out(exec, smst, block);
			taken -= moved;
			bytes += moved;
		}
	}
	return bytes ? vgpu_exec_move_time(exec->config, bytes) : 0;
}
