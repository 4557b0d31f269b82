// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * block_placement: which of the SMs that the policy gave to a kernel gets its next block.
 *
 *   depth     an SM is filled before the next one is looked for (Tanasic 5.2.2)
 *   breadth   the SM with the fewest blocks, of several the lowest, as NVIDIA's hardware spreads
 *             them
 *
 * DOC: breadth
 *
 * An SM claims one block when its setup begins, so a policy that gives idle SMs to a kernel gives
 * it as many as it has blocks. What the SM can take beside it is the kernel's room until blocks
 * have been spread: a kernel that has room for all its blocks wants no SM that would have to be
 * preempted. Blocks are spread by an event, when no SM of the kernel is in setup any more: behind
 * the last setup, and behind a decision of the policy, as blocks may have come back. From then on
 * each SM is full, or the kernel has no block to issue: one that ends is replaced on its SM.
 */
#include "../sim/text.h"
#include "exec.h"

void vgpu_spread_setup(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	smst->claimed = 1;
	smst->room = smst->ksr->occupancy - 1;
	smst->ksr->room += smst->room;
}

void vgpu_spread_end(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	if (likely(!smst->room))
		return;
	smst->ksr->room -= smst->room;
	smst->room = 0;
	vgpu_runqueue_kernel(exec, smst->ksr);
}

/* Is an SM of @ksr in setup? When that ends there will be an event. */
static bool in_setup(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	for (u32 sm = 0; sm < exec->config->sms; sm++)
		if (exec->smst[sm].ksr == ksr && vgpu_event_pending(&exec->smst[sm].setup.event))
			return true;
	return false;
}

/* Give @sm a block of its kernel if it has fewer than @level. false: there is no memory for it. */
static bool raise_to(struct vgpu_exec *exec, u32 sm, u32 level)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	/* what is off the SM, or leaves it, is for the local scheduler (block_switch.c) */
	if (smst->leaving || smst->off_count || smst->saving ||
	    vgpu_smst_places(exec, sm) + smst->claimed >= level || !vgpu_sm_driver_claim(exec, sm))
		return true;
	if (!vgpu_sm_driver_issue(exec, sm))
		return false;
	vgpu_sm_driver_update(exec, sm);
	return true;
}

static void spread_kernel(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	for (u32 level = 1; level <= ksr->occupancy; level++)
		for (u32 sm = 0; sm < exec->config->sms; sm++) {
			if (!ksr->unclaimed || ksr->launch.stopped)
				return;
			if (exec->smst[sm].ksr == ksr && !raise_to(exec, sm, level))
				return;
		}
}

static void spread_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, spread);
	struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node)
		if (ksr->sms && (ksr->unclaimed || ksr->room) && !in_setup(exec, ksr)) {
			spread_kernel(exec, ksr);
			for (u32 sm = 0; ksr->room && sm < exec->config->sms; sm++)
				if (exec->smst[sm].ksr == ksr)
					vgpu_spread_end(exec, sm);
		}
}

void vgpu_spread_soon(struct vgpu_exec *exec)
{
	const struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node)
		if (ksr->sms && (ksr->unclaimed || ksr->room)) {
			exec->spread.fire = spread_fire;
			vgpu_event_after(exec->sim, &exec->spread, 0);
			return;
		}
}

void vgpu_exec_set_placement(struct vgpu_exec *exec)
{
	exec->breadth = vgpu_text_is(exec->config->block_placement, "breadth");
}
