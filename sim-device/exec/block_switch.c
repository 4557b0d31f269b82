// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The local scheduler of an SM.
 *
 * DOC: block switching on a fault (Tanasic 6.4.1, figure 6.10; 6.5.3)
 *
 * A thread block all of whose warps are blocked, waiting for pages or at a barrier, keeps a place
 * of its SM and does nothing with it. With block_switching it may leave, so that another block can
 * run. Which one is decided when it leaves: first a block that was switched out and all of whose
 * faults have been served, else one from the SM driver, which then is claimed. When there is
 * neither, the block stays.
 *
 * An SM holds its occupancy of blocks and extra_blocks more, on it and off it together. Once it
 * does, it cycles through these. It has as many places as its occupancy: one is free when a block
 * has been saved, or has ended; ready blocks that were switched out come before new ones.
 *
 * Blocks that run do not leave, so one that is ready may wait for long, and for ever if those on
 * the SM wait for what it will do. Without block switching a block that has begun goes on until it
 * has ended, and programs rely on that. So when a ready block has waited for time_slice_ps, the
 * block that has been on the SM for longest makes room for it.
 *
 * The scheduler runs when a slice has ended with such blocks (vgpu_sm_ops.blocks_wait), when a
 * block has ended or has been saved, and by an event of its own when a block that is off gets its
 * last page, or a knob has changed. It calls what save_area.c and sm_driver.c have to move blocks,
 * and changes nothing else. Where single blocks are swapped by others (swap_test.c), it counts
 * theirs as its own.
 */
#include "../sim/text.h"
#include "exec.h"

/* Blocks that were switched out of @smst and wait for no page any more; @first: or NULL */
static u32 count_ready(const struct vgpu_smst *smst, struct vgpu_block **first)
{
	struct vgpu_block *block;
	u32 count = 0;

	*first = NULL;
	vgpu_list_for_each(block, &smst->off, struct vgpu_block, node) {
		if (vgpu_block_waits(block) != VGPU_WAIT_NONE)
			continue;
		if (!count++)
			*first = block;
	}
	return count;
}

/*
 * Each block that is being saved leaves its place to another one: to one that is claimed, else to
 * a ready one. Returns how many places ready ones have been promised so.
 */
static u32 promised(const struct vgpu_smst *smst)
{
	return smst->saving > smst->claimed ? smst->saving - smst->claimed : 0;
}

static bool may_grow(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	u32 held = vgpu_smst_places(exec, sm) + smst->off_count + smst->claimed;

	return held < smst->ksr->occupancy + (exec->switching ? exec->config->extra_blocks : 0);
}

/* Has the SM driver a block for @ksr that can run at once? One of the PTBQ then is its first. */
static bool driver_has_runnable(struct vgpu_ksr *ksr)
{
	struct vgpu_block *block;

	if (!ksr->unclaimed)
		return false;
	vgpu_list_for_each(block, &ksr->ptbq, struct vgpu_block, node) {
		if (vgpu_block_waits(block) != VGPU_WAIT_NONE)
			continue;
		vgpu_list_del(&block->node);
		vgpu_list_add(&block->node, &ksr->ptbq);
		return true;
	}
	/* New blocks are issued when no preempted one is left, or before them. */
	return vgpu_list_empty(&ksr->ptbq) || vgpu_ksr_new_first(ksr);
}

/* Fill one place of @sm. false: none is free, or nothing can fill it. */
static bool fill(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_block *first;
	bool claimed = false;
	u32 ready;

	if (!vgpu_smst_has_place(exec, sm))
		return false;
	ready = count_ready(smst, &first);
	if (smst->claimed > smst->saving) {
		smst->claimed--;
		claimed = true;
	} else if (ready <= promised(smst) && may_grow(exec, sm)) {
		claimed = vgpu_sm_driver_claim(exec, sm);
	}
	if (claimed) {
		/* of those in the PTBQ, one that can run */
		driver_has_runnable(smst->ksr);
		if (vgpu_sm_driver_issue(exec, sm))
			return true;
	}
	if (ready)
		vgpu_exec_swap_in_block(exec, sm, first);
	return ready;
}

/* Choose what comes in the place of a block of @sm that may leave. false: nothing can. */
static bool choose_next(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_block *first;

	if (count_ready(smst, &first) > promised(smst))
		return true;
	if (!may_grow(exec, sm) || !driver_has_runnable(smst->ksr) ||
	    !vgpu_sm_driver_claim(exec, sm))
		return false;
	smst->claimed++;
	return true;
}

static void switch_out(struct vgpu_exec *exec, struct vgpu_smst *smst, struct vgpu_block *block)
{
	if (!vgpu_exec_swap_out(exec, block))
		smst->switched = true;
}

static void switch_waiting(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_block *block, *next;

	vgpu_list_for_each_safe(block, next, &hw->resident, struct vgpu_block, node) {
		if (block->stopping || vgpu_block_waits(block) != VGPU_WAIT_ALL)
			continue;
		if (!choose_next(exec, sm))
			return;
		switch_out(exec, &exec->smst[sm], block);
	}
}

/* The block that has been on @hw for longest, and may leave it; NULL: none may. */
static struct vgpu_block *oldest(const struct vgpu_exec *exec, const struct vgpu_sm *hw)
{
	struct vgpu_block *block;

	vgpu_list_for_each(block, &hw->resident, struct vgpu_block, node)
		if (!exec->stall || vgpu_block_waits(block) == VGPU_WAIT_NONE)
			return block;
	return NULL;
}

/* How long ready blocks may wait: from when the first of them found no place. */
static void plan_turn(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_block *first;

	if (count_ready(smst, &first) <= promised(smst)) {
		smst->turn = VGPU_NEVER;
		vgpu_event_cancel(exec->sim, &smst->local);
		return;
	}
	if (smst->turn == VGPU_NEVER)
		smst->turn = vgpu_time_after(exec->sim, exec->config->time_slice_ps);
	vgpu_event_at(exec->sim, &smst->local, smst->turn);
}

/* With timing=pipeline a block that is to leave stops before it is saved. */
static bool stops_any(const struct vgpu_sm *hw)
{
	const struct vgpu_block *block;

	vgpu_list_for_each(block, &hw->resident, struct vgpu_block, node)
		if (block->stopping)
			return true;
	return false;
}

void vgpu_block_switch(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	if (!smst->ksr || smst->leaving || smst->checkpointing ||
	    vgpu_event_pending(&smst->setup.event) || smst->ksr->launch.stopped)
		return;
	while (fill(exec, sm))
		;
	/* During a slice it is not known yet; blocks_wait() follows it. */
	if (exec->switching && !vgpu_event_pending(&exec->sms[sm].step))
		switch_waiting(exec, sm);
	plan_turn(exec, sm);
	if (smst->switched && !smst->off_count && !smst->saving && !stops_any(&exec->sms[sm]))
		smst->switched = false;
}

static void local_fire(struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, local);
	struct vgpu_exec *exec = smst->exec;
	u32 sm = vgpu_smst_number(smst);
	struct vgpu_block *block;

	if (!smst->ksr || smst->leaving)
		return;
	if (smst->turn <= exec->sim->now) {
		smst->turn = VGPU_NEVER;
		block = oldest(exec, &exec->sms[sm]);
		if (block)
			switch_out(exec, smst, block);
	}
	vgpu_block_switch(exec, sm);
	vgpu_sm_driver_update(exec, sm);
}

void vgpu_block_switch_soon(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	smst->local.fire = local_fire;
	vgpu_event_after(exec->sim, &smst->local, 0);
}

/* Does a timing model that SMs of the device may have? It holds for all of them. */
static bool timing_stalls(const struct vgpu_exec *exec)
{
	const struct vgpu_timing *timing;
	bool stalls = false;

	for (u32 n = 0; (timing = vgpu_timing_at(n)); n++)
		if (exec->config->timing_by_kernel || timing == exec->timing)
			stalls |= timing->stalls(exec->config);
	return stalls;
}

void vgpu_exec_set_on_fault(struct vgpu_exec *exec)
{
	u32 i;

	exec->stall = vgpu_text_is(exec->config->sm_on_fault, "stall") || timing_stalls(exec);
	exec->switching = exec->config->block_switching && !exec->stall;
	for (i = 0; i < exec->config->sms; i++) {
		struct vgpu_smst *smst = &exec->smst[i];

		if (smst->stalled)
			vgpu_exec_at_time(exec, i, exec->sim->now, vgpu_exec_save);
		if (smst->ksr && vgpu_smst_switches(exec, smst))
			vgpu_block_switch_soon(exec, i);
	}
}
