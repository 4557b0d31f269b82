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
 * Turns go by tickets: the ticket of a context is its rank. Who becomes active,
 * and who has had a turn, draws the next number. A launch of a process with fewer active kernels is
 * admitted first.
 *
 * With a mechanism that cannot preempt, turns change in the same way, but the new owner gets SMs
 * only as kernels of the others have no more blocks to issue.
 */
#include "common.h"

/** struct rr_context - private data in a context */
struct rr_context {
	u64 ticket;
};

/** struct rr - private data */
struct rr {
	u64 tickets;			/* drawn so far */
	u64 turn;			/* ticket of whose turn it is */
	bool extended;			/* the turn has been */
};

static struct rr_context *rr_of(const struct vgpu_sched_context *ctx)
{
	return vgpu_sched_data(ctx);
}

static u64 rr_rank(const struct vgpu_sched_context *ctx)
{
	return rr_of(ctx)->ticket;
}

static u64 rr_admission_rank(const struct vgpu_sched_context *ctx)
{
	return ctx->active_kernels;
}

static void draw_ticket(struct vgpu_exec *exec, struct vgpu_sched_context *ctx)
{
	struct rr *rr = vgpu_exec_policy_data(exec);

	rr_of(ctx)->ticket = ++rr->tickets;
}

/* Whose turn it is gets the SMs of everybody else. */
static bool gives(const struct vgpu_sched_context *from, const struct vgpu_sched_context *owner)
{
	return from != owner;
}

/* Who has no kernel yet will wait for its turn, and takes nothing when the launch comes. */
static u32 rr_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			 const struct vgpu_sched_context *from, u32 taken)
{
	(void)taken;
	return by == vgpu_exec_active(exec) && gives(from, by) ? from->held : 0;
}

/* Whose turn comes after that of @owner; NULL: nobody waits for it. */
static const struct vgpu_sched_context *next_owner(struct vgpu_exec *exec,
						   const struct vgpu_sched_context *owner)
{
	const struct vgpu_sched_context *ctx = NULL, *next = NULL;

	while ((ctx = vgpu_exec_next_context(exec, ctx)))
		if (ctx->active_kernels && ctx != owner &&
		    (!next || rr_of(ctx)->ticket < rr_of(next)->ticket))
			next = ctx;
	return next;
}

/* The timer comes at @time: is the turn extended then? */
static bool is_extended_at(struct vgpu_exec *exec, const struct vgpu_sched_context *owner, u64 time)
{
	const struct rr *rr = vgpu_exec_policy_data(exec);

	return !rr->extended &&
	       time - owner->running_since < vgpu_exec_config(exec)->time_slice_ps;
}

/* The end of the turn, once its owner has an SM. */
static u64 rr_next_change(struct vgpu_exec *exec, const struct vgpu_sched_context **by)
{
	const struct vgpu_sched_context *owner = vgpu_exec_active(exec);
	u64 timer = vgpu_exec_timer_time(exec);

	if (!owner || !owner->running || timer == VGPU_NEVER)
		return VGPU_NEVER;
	*by = next_owner(exec, owner);
	if (!*by)
		return VGPU_NEVER;
	return is_extended_at(exec, owner, timer) ?
		       owner->running_since + vgpu_exec_config(exec)->time_slice_ps :
		       timer;
}

/* Who has the next turn gets them then. */
static u32 rr_will_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			const struct vgpu_sched_context *from, u32 taken)
{
	(void)exec;
	(void)taken;
	return gives(from, by) ? from->held : 0;
}

/*
 * An SM that the owner does not have: one that nobody waits for, else one of the context whose turn
 * comes last; -1: there is none.
 */
static int foreign_sm(struct vgpu_exec *exec, const struct vgpu_sched_context *owner)
{
	int sm = vgpu_exec_unreserved_sm(exec);
	const struct vgpu_sched_context *last;

	if (sm >= 0)
		return sm;
	last = vgpu_exec_holding(exec);
	return last && gives(last, owner) ? vgpu_exec_victim(exec, last) : -1;
}

static void begin_turn(struct vgpu_exec *exec, const struct vgpu_sched_context *owner)
{
	struct rr *rr = vgpu_exec_policy_data(exec);

	rr->turn = rr_of(owner)->ticket;
	rr->extended = false;
	vgpu_exec_timer(exec, vgpu_exec_time_after(exec, vgpu_exec_config(exec)->time_slice_ps));
}

static void rr_schedule(struct vgpu_exec *exec)
{
	const struct rr *rr = vgpu_exec_policy_data(exec);
	struct vgpu_sched_context *next, *owner;
	struct vgpu_ksr *ksr;
	int sm;

	while ((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room_for(exec, next)) {
		if (!next->active_kernels)
			draw_ticket(exec, next);
		vgpu_exec_admit(exec, next);
	}
	owner = vgpu_exec_active(exec);
	if (!owner) {
		vgpu_exec_timer(exec, VGPU_NEVER);
		return;
	}
	vgpu_policy_assign_idle_to(exec, owner);
	while ((ksr = vgpu_exec_wanting_of(owner)) && (sm = foreign_sm(exec, owner)) >= 0)
		if (vgpu_exec_reserve(exec, (u32)sm, ksr))
			break;
	if (rr_of(owner)->ticket != rr->turn)
		begin_turn(exec, owner);
}

/* What another policy left active has no ticket yet. */
static void rr_init(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx = NULL;

	while ((ctx = vgpu_exec_next_context(exec, ctx)))
		if (ctx->active_kernels)
			draw_ticket(exec, ctx);
}

/*
 * A slice has passed since the turn began: it ends, or is extended, once, to a whole slice since
 * the first SM came.
 */
static void rr_timer(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *owner = vgpu_exec_active(exec);
	struct rr *rr = vgpu_exec_policy_data(exec);
	u64 slice = vgpu_exec_config(exec)->time_slice_ps;
	u64 had = vgpu_exec_now(exec) - owner->running_since;

	if (!owner->running) {
		vgpu_exec_timer(exec, vgpu_exec_time_after(exec, slice));
	} else if (is_extended_at(exec, owner, vgpu_exec_now(exec))) {
		rr->extended = true;
		vgpu_exec_timer(exec, vgpu_exec_time_after(exec, slice - had));
	} else {
		draw_ticket(exec, owner);
		vgpu_exec_reorder(exec, owner);
	}
}

const struct vgpu_policy vgpu_policy_round_robin = {
	.name = "round-robin",
	.data_bytes = sizeof(struct rr),
	.context_bytes = sizeof(struct rr_context),
	.init = rr_init,
	.schedule = rr_schedule,
	.rank = rr_rank,
	.admission_rank = rr_admission_rank,
	.would_take = rr_would_take,
	.next_change = rr_next_change,
	.will_take = rr_will_take,
	.timer = rr_timer,
};
