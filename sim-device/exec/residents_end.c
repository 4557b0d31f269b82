// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Kernels leave shared SMs: their context ends, they have ended, or the policy is another one. See
 * residents.c.
 */
#include "residents.h"

/* ---- kernels leave ------------------------------------------------------ */

/* Those of @ksr that are being saved or restored on @smst. */
static void drop_moving(struct vgpu_exec *exec, struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	struct vgpu_block *block, *next;
	const struct vgpu_block *first =
		vgpu_list_first(&smst->moving, struct vgpu_block, node);

	/* it moves, or drains before its save */
	if (first && first->launch == &ksr->launch) {
		vgpu_event_cancel(exec->sim, &smst->move);
		vgpu_sm_stop_move(&exec->sms[vgpu_smst_number(smst)]);
		smst->batch = 0;
	}
	vgpu_list_for_each_safe(block, next, &smst->moving, struct vgpu_block, node) {
		if (block->launch != &ksr->launch)
			continue;
		vgpu_list_del(&block->node);
		smst->standing -= !!(block->checkpoint & VGPU_CHECKPOINT_MOVES);
		if (block->state == VGPU_BLOCK_SAVING)
			smst->saving--;
		else
			smst->restoring--;
		vgpu_block_release(block);
		vgpu_block_put(exec, block);
	}
}

/* When the blocks that @smst still saves were told to leave: those of @ksr are gone. */
static void drop_saves(struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	const struct vgpu_block *block;
	u32 n = 0, kept = 0;

	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node) {
		if (block->state != VGPU_BLOCK_SAVING)
			continue;
		if (block->launch != &ksr->launch)
			smst->saves[(smst->saves_first + kept++) % VGPU_SM_SLOTS] =
				smst->saves[(smst->saves_first + n) % VGPU_SM_SLOTS];
		n++;
	}
	smst->saves_count = kept;
}

/* All blocks of @resident are dropped, wherever they are. */
static void drop_blocks(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_ksr *ksr = resident->ksr;
	u32 sm = vgpu_smst_number(smst);
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_block *block, *next;

	vgpu_list_for_each_safe(block, next, &hw->resident, struct vgpu_block, node) {
		if (block->launch != &ksr->launch)
			continue;
		smst->drains -= block->leave == VGPU_LEAVE_DRAIN;
		vgpu_sm_detach(hw, block);
		vgpu_account_block(block);
		vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_END, ksr, sm, block->index, block->slot);
		vgpu_block_release(block);
		vgpu_block_put(exec, block);
	}
	drop_saves(smst, ksr);
	drop_moving(exec, smst, ksr);
	resident->claimed = 0;
	while (resident->leaving)
		vgpu_sharer_has_left(resident);
	for (u32 count = resident->blocks; count--;)
		vgpu_sharer_leave(exec, resident);
}

static void end_partition(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	bool held = vgpu_residents_hold(resident->smst, resident->ksr->ctx);

	resident->partition = VGPU_NO_PARTITION;
	vgpu_sharer_count_holder(exec, resident, held);
}

static void stop_resident(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	while (resident->coming)
		vgpu_sharer_end_promise(exec, resident);
	end_partition(exec, resident);
	if (resident->blocks)
		drop_blocks(exec, resident);
	else
		vgpu_sharer_put(resident);
}

void vgpu_residents_stop(struct vgpu_exec *exec, u32 sm, const struct vgpu_exec_context *ctx)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident, *next;

	vgpu_list_for_each_safe(resident, next, &smst->residents, struct vgpu_sharer, node)
		if (resident->ksr->ctx == ctx)
			stop_resident(exec, resident);
	vgpu_exec_start_move(exec, sm);
	vgpu_residents_fill(exec, sm);
}

void vgpu_residents_retire(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	if (!exec->residents)
		return;
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		struct vgpu_sharer *resident;

		if (!exec->smst[sm].kernels)
			continue;
		resident = vgpu_sharer_find(&exec->smst[sm], ksr);
		if (resident)
			stop_resident(exec, resident);
	}
}

void vgpu_exec_set_kernels_per_sm(struct vgpu_exec *exec)
{
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		struct vgpu_sharer *resident, *next;

		vgpu_list_for_each_safe(resident, next, &exec->smst[sm].residents,
					struct vgpu_sharer, node) {
			vgpu_sharer_drop_promises(exec, resident);
			vgpu_sharer_put(resident);
		}
	}
	vgpu_exec_rerank(exec);
}

void vgpu_residents_forget(struct vgpu_exec *exec)
{
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		struct vgpu_sharer *resident, *next;

		vgpu_list_for_each_safe(resident, next, &exec->smst[sm].residents,
					struct vgpu_sharer, node) {
			vgpu_sharer_drop_promises(exec, resident);
			end_partition(exec, resident);
			vgpu_sm_set_quota(&exec->sms[sm], resident->ksr->launch.id, 0);
			vgpu_sharer_put(resident);
		}
	}
}

static void vacate_shared(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident, *next;

	vgpu_list_for_each_safe(resident, next, &smst->residents, struct vgpu_sharer, node) {
		struct vgpu_ksr *ksr = resident->ksr;

		while (vgpu_sharer_find(smst, ksr) &&
		       !vgpu_residents_evict_newest(exec, sm, ksr, false))
			;
	}
}

void vgpu_residents_vacate(struct vgpu_exec *exec)
{
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		if (exec->smst[sm].ksr)
			vgpu_exec_take_away(exec, sm);
		else if (exec->smst[sm].kernels)
			vacate_shared(exec, sm);
	}
}
