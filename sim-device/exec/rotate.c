// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Blocks of a cooperative kernel take turns.
 *
 * DOC: barriers of the grid
 *
 * A block of a cooperative kernel (VGPU_LAUNCH_COOPERATIVE) may wait in a loop for what all others
 * of its launch will do. When it is launched the device has room for all of them, and that is all
 * that hardware promises. Here others may have part of the SMs, for long or for ever: other kernels
 * that were there first or are more important, a policy that divides SMs, a limit of its context.
 * So the engine keeps the weaker promise that is enough: *as long as the kernel has a place
 * somewhere, each of its blocks has one again and again*. It then ends by itself, and needs nothing
 * from other kernels, nor from the policy, nor from the mechanism:
 *
 * - Once in grid_turn_ps the engine looks at cooperative kernels with blocks that have no place. As
 *   many of those that have had one for longest leave, SM by SM, by a context switch, whatever the
 *   mechanism: all blocks of an SM that is the kernel's, single ones of an SM that is shared. The
 *   policy gives what is free then to whom it likes, as ever.
 * - Those that come are new blocks first, then preempted ones in the order in which they left. So
 *   each block that waits comes after a bounded number of turns.
 * - A block stays for a turn at least, from when it has been restored: what has moves under way is
 *   left alone. After PATIENCE turns it is not: what it interrupts comes first next time.
 * - Blocks of such kernels do not drain (preempt/drain.c): they might wait for one that has no
 *   place before they have left. They are saved; or flushed as long as that is right, which
 *   it is not behind a barrier, as it begins with an atomic (sm/repeat.c).
 * - SMs are not throttled for their context (throttle.c).
 *
 * Chosen: turns rather than a gang, all or none. A gang would wait idle for SMs that others have
 * for ever, and keep those that it has from others, or never run where a policy gives it a part
 * only.
 */
#include "exec.h"

#define PATIENCE	16u

/* Blocks of @ksr that have no place, and none that is on its way to them. */
static u64 waiting(const struct vgpu_ksr *ksr)
{
	u64 coming = ksr->promised + ksr->room + ksr->coming;

	return ksr->unclaimed > coming ? ksr->unclaimed - coming : 0;
}

/* For how many turns @sm has had blocks of @ksr that may leave; NULL: it has none. */
static u32 *turns_of(struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *sharer;

	if (smst->ksr == ksr)
		return smst->leaving || smst->checkpointing ||
		       vgpu_event_pending(&smst->setup.event) ? NULL : &smst->turns;
	sharer = smst->kernels ? vgpu_sharer_find(smst, ksr) : NULL;
	return sharer && sharer->blocks > sharer->claimed + sharer->leaving ? &sharer->turns :
									       NULL;
}

static bool moves(const struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	const struct vgpu_block *block;

	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node)
		if (block->launch == &ksr->launch)
			return true;
	return false;
}

/* The SM whose blocks of @ksr have had their places for longest and may leave, or -1. */
static int longest(struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	u32 most = 1;
	int found = -1;

	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		const u32 *turns = turns_of(exec, sm, ksr);

		if (!turns || *turns <= most ||
		    (*turns < PATIENCE && moves(&exec->smst[sm], ksr)))
			continue;
		most = *turns;
		found = (int)sm;
	}
	return found;
}

/* Up to @count blocks of @ksr, those that came first, leave shared @sm. Returns how many do. */
static u64 evict(struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr, u64 count)
{
	struct vgpu_block *block, *next;
	u64 left = 0;

	vgpu_list_for_each_safe(block, next, &exec->sms[sm].resident, struct vgpu_block, node) {
		if (left == count)
			break;
		if (block->launch != &ksr->launch || block->state != VGPU_BLOCK_RUNNING ||
		    block->leave || block->stopping)
			continue;
		vgpu_residents_evict(exec, block, false);
		left++;
	}
	return left;
}

static void rotate(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	u64 count = waiting(ksr);
	int sm;

	for (u32 n = 0; n < exec->config->sms; n++) {
		u32 *turns = turns_of(exec, n, ksr);

		if (turns)
			++*turns;
	}
	while (count && (sm = longest(exec, ksr)) >= 0) {
		struct vgpu_smst *smst = &exec->smst[sm];
		u64 left;

		*turns_of(exec, (u32)sm, ksr) = 0;
		if (smst->ksr) {
			left = exec->sms[sm].resident_count + smst->off_count;
			vgpu_exec_take_away(exec, (u32)sm);
		} else {
			left = evict(exec, (u32)sm, ksr, count);
		}
		count -= left < count ? left : count;
	}
}

static void turn_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, rotation);
	struct vgpu_ksr *ksr;

	vgpu_sms_catch_up(&exec->sm_env);
	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node)
		if (ksr->launch.cooperative && ksr->sms)
			rotate(exec, ksr);
	vgpu_rotation_start(exec);
}

void vgpu_rotation_start(struct vgpu_exec *exec)
{
	if (!exec->cooperative || vgpu_event_pending(&exec->rotation))
		return;
	exec->rotation.fire = turn_fire;
	vgpu_event_after(exec->sim, &exec->rotation, exec->config->grid_turn_ps);
}

void vgpu_rotation_begin(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	exec->cooperative++;
	ksr->ctx->cooperative++;
	vgpu_exec_unthrottle(ksr->ctx);
	vgpu_rotation_start(exec);
}
