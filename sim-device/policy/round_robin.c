// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Round robin: time multiplexing of the whole GPU (level 1 of Tanasic's chapter 5; "policies
 * performing time multiplexing" of 5.2.3). The contexts with active kernels take turns; whose turn
 * it is has all SMs to itself, others' are preempted for it.
 *
 * A turn lasts one slice (knob time_slice_us), counted from when its owner has its first SM: what
 * the preemption of the owner before takes is not the owner's loss, and no turn passes without work
 * done. It ends early when the owner has no active kernel any more.
 *
 * Turns go by tickets: standing.mark is the ticket of a context and its rank. Who becomes active,
 * and who has had a turn, draws the next number. A launch of a process with fewer active kernels is
 * admitted first.
 *
 * With a mechanism that cannot preempt, turns change in the same way, but the new owner gets SMs
 * only as kernels of the others have no more blocks to issue.
 */
#include "../core/device.h"
#include "policy.h"

/* exec->policy_word */
enum { TICKETS, TURN, EXTENDED };

static u64 rr_rank(const struct vgpu_context *ctx)
{
	return ctx->standing.mark;
}

static u64 rr_wait_rank(const struct vgpu_context *ctx)
{
	return ctx->standing.active_kernels;
}

/*
 * An SM that the owner does not have: one that nobody waits for, else one of the context whose turn
 * comes last; -1: there is none.
 */
static int foreign_sm(struct vgpu_device *dev, const struct vgpu_context *owner)
{
	int sm = vgpu_exec_unreserved_sm(dev);
	const struct vgpu_context *last;

	if (sm >= 0)
		return sm;
	last = vgpu_exec_holding(dev);
	return last && last != owner ? vgpu_exec_held_sm(dev, last) : -1;
}

static void admit(struct vgpu_device *dev)
{
	struct vgpu_context *next;

	while ((next = vgpu_exec_waiting(dev)) && vgpu_exec_has_room_for(dev, next)) {
		if (!next->standing.active_kernels)
			next->standing.mark = ++dev->exec.policy_word[TICKETS];
		vgpu_exec_admit(dev, next);
	}
}

static void begin_turn(struct vgpu_device *dev, const struct vgpu_context *owner)
{
	dev->exec.policy_word[TURN] = owner->standing.mark;
	dev->exec.policy_word[EXTENDED] = 0;
	vgpu_exec_timer(dev, vgpu_time_after(dev, dev->config.time_slice_ps));
}

static void rr_schedule(struct vgpu_device *dev)
{
	struct vgpu_context *owner;
	struct vgpu_ksr *ksr;
	int sm;

	admit(dev);
	owner = vgpu_exec_active(dev);
	if (!owner) {
		vgpu_exec_timer(dev, VGPU_NEVER);
		return;
	}
	while ((ksr = vgpu_exec_issuable_of(owner)) && (sm = vgpu_exec_idle_sm(dev)) >= 0)
		vgpu_exec_assign(dev, (u32)sm, ksr);
	while ((ksr = vgpu_exec_wanting_of(owner)) && (sm = foreign_sm(dev, owner)) >= 0)
		if (vgpu_exec_reserve(dev, (u32)sm, ksr))
			break;
	if (owner->standing.mark != dev->exec.policy_word[TURN])
		begin_turn(dev, owner);
}

/* What another policy left active has no ticket yet. */
static void rr_prepare(struct vgpu_device *dev)
{
	u32 i;

	for (i = 0; i < dev->contexts.count; i++) {
		struct vgpu_standing *s = &dev->contexts.list[i]->standing;

		if (s->active_kernels && !s->mark)
			s->mark = ++dev->exec.policy_word[TICKETS];
	}
}

/*
 * A slice has passed since the turn began: it ends, or is extended, once, to a whole slice since
 * the first SM came.
 */
static void rr_timer(struct vgpu_device *dev)
{
	struct vgpu_context *owner = vgpu_exec_active(dev);
	u64 *extended = &dev->exec.policy_word[EXTENDED];
	u64 slice = dev->config.time_slice_ps;

	if (!owner->standing.running) {
		vgpu_exec_timer(dev, vgpu_time_after(dev, slice));
		return;
	}
	if (!*extended && dev->now - owner->standing.running_since < slice) {
		*extended = 1;
		vgpu_exec_timer(dev, vgpu_time_after(dev, slice - (dev->now -
								   owner->standing.running_since)));
		return;
	}
	owner->standing.mark = ++dev->exec.policy_word[TICKETS];
	vgpu_exec_reorder(dev, owner);
	rr_schedule(dev);
}

static void rr_kernel_event(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	(void)ctx;
	rr_schedule(dev);
}

static void rr_sm_idle(struct vgpu_device *dev, u32 sm)
{
	(void)sm;
	rr_schedule(dev);
}

const struct vgpu_policy vgpu_policy_round_robin = {
	.name = "round-robin",
	.rank = rr_rank,
	.wait_rank = rr_wait_rank,
	.prepare = rr_prepare,
	.changed = rr_schedule,
	.kernel_arrived = rr_kernel_event,
	.kernel_finished = rr_kernel_event,
	.sm_idle = rr_sm_idle,
	.timer = rr_timer,
};
