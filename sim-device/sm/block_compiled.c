// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compiled blocks: the warps of all blocks that are resident in an SM are executed in slices, one
 * slice an event. What a slice costs in virtual time (timing.c) is when the next one begins; blocks
 * that ended in it, or did what ends their context, are reported then.
 */
#include "warps.h"

static int compiled_start(struct vgpu_block *block)
{
	if (!block->warps) {
		block->warps = vgpu_warps_get(block->sm, block, 0);
	} else {
		/* where it goes on, not where it began, takes its memory back */
		block->warps->home = block->sm;
		vgpu_progress_come(block->warps);
	}
	return block->warps ? 0 : -ENOMEM;
}

static void compiled_release(struct vgpu_block *block)
{
	if (block->warps)
		vgpu_warps_put(block->warps);
	block->warps = NULL;
}

/*
 * @block has ended. Its kernel mostly has another one for its place: that takes its struct and its
 * state, as if it had been issued. False: nothing has happened.
 */
static bool follow(struct vgpu_sm *sm, struct vgpu_block *block)
{
	u64 below = (1ull << block->slot) - 1;

	/* a new block would get the first slot that is free */
	if ((sm->slots_used & below) != below || block->stopping || block->leave ||
	    !sm->env->ops->block_followed(sm->env->engine, sm->index, block->launch, block->slot,
					  &block->index))
		return false;
	block->flushes = 0;
	vgpu_progress_end(block);
	vgpu_warps_follow(block);
	vgpu_list_del(&block->node);
	vgpu_list_add_tail(&block->node, &sm->resident);
	return true;
}

/* @block is over, or has stopped: report it. May change who is resident. */
static void report_block(struct vgpu_sm *sm, struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;
	struct vgpu_fault copy;

	/* what such a report ends is to have been executed as far as it was */
	if (warps->faulted || !vgpu_warps_over(warps))
		vgpu_sms_catch_up(sm->env);
	if (warps->faulted) {
		copy = warps->fault;
		sm->env->ops->block_fault(sm, block, &copy);
	} else if (vgpu_warps_over(warps)) {
		vgpu_progress_end(block);
		vgpu_sm_remove(sm, block);
		sm->env->ops->block_done(sm, block);
	} else {
		sm->env->ops->block_stopped(sm, block);
	}
}

/*
 * Report what the last slice ended. Returns whether a block is left all of whose warps wait.
 */
static bool report_ends(struct vgpu_sm *sm)
{
	struct vgpu_block *block = vgpu_compiled_first(sm), *next;
	bool waits = false;

	for (; block; block = next) {
		const struct vgpu_warps *warps = block->warps;

		next = vgpu_compiled_after(sm, block);
		if (block->launch->stopped || (!vgpu_warps_over(warps) && !block->stopping)) {
			waits |= !warps->ready;
		} else if (warps->faulted || !vgpu_warps_over(warps) || !follow(sm, block)) {
			report_block(sm, block);
			/* others may be resident now: start over */
			next = vgpu_compiled_first(sm);
			waits = false;
		}
	}
	return waits;
}

/* What has ended is reported, and blocks have been issued. False: @sm has no next slice. */
static bool report(struct vgpu_sm *sm)
{
	bool waits;

	sm->run->reporting = true;
	waits = report_ends(sm);
	sm->run->reporting = false;
	vgpu_event_cancel(sm->sim, &sm->step);	/* blocks issued just now have scheduled it again */
	if (unlikely(waits) && !sm->halted) {
		vgpu_sms_catch_up(sm->env);
		sm->env->ops->blocks_wait(sm);
		/* Blocks were issued: their step is next, and the others are looked at again. */
		if (vgpu_event_pending(&sm->step))
			return false;
	}
	/* Blocks that all wait for pages have no slice: page_came() begins the next. */
	if (!vgpu_sm_ready_warps(sm) || sm->halted) {
		sm->run->moved = 0;
		if (unlikely(sm->trace->on))
			vgpu_sm_trace_warps(sm, vgpu_sm_warps(sm));
		return false;
	}
	return true;
}

static void go_on(struct vgpu_sm *sm)
{
	if (likely(!sm->run->slice.open && !sm->run->ahead_count)) {
		if (likely(!sm->run->place) &&
		    (!report(sm) || (sm->env->parallel.run && vgpu_slice_put_off(sm))))
			return;
		vgpu_slice_begin(sm, vgpu_sm_ready_warps(sm), sm->sim->now);
		if (sm->env->parallel.run)
			vgpu_slices_ahead(sm);
	} else if (unlikely(*sm->env->put_off) && !sm->run->ahead_count && !sm->run->place) {
		/* the rest of a slice: those that were put off began before it */
		vgpu_sms_catch_up(sm->env);
	}
	vgpu_slice_go_on(sm, true);
}

void vgpu_compiled_step(struct vgpu_event *step)
{
	struct vgpu_sm *sm = vgpu_container_of(step, struct vgpu_sm, step);

	go_on(sm);
	if (sm->env->parallel.run)
		vgpu_slices_settle(sm);
}

static void compiled_issue(struct vgpu_block *block)
{
	struct vgpu_sm *sm = block->sm;

	if (!vgpu_event_pending(&sm->step))
		vgpu_event_after(sm->sim, &sm->step, 0);
}

static bool compiled_stop(struct vgpu_block *block)
{
	return !vgpu_event_pending(&block->sm->step);
}

static void compiled_throttle(struct vgpu_block *block)
{
	struct vgpu_sm *sm = block->sm;

	if (!block->throttled && !sm->halted && !vgpu_event_pending(&sm->step))
		vgpu_event_after(sm->sim, &sm->step, 0);
}

/* Until the present slice has ended. */
u64 vgpu_compiled_halt(struct vgpu_sm *sm)
{
	return vgpu_event_pending(&sm->step) ? vgpu_event_time(&sm->step) : sm->sim->now;
}

/* Predicates, reconvergence stacks and barriers, as far as they are in use. */
u64 vgpu_compiled_context_bytes(const struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;
	u64 bytes = 0;
	u32 n;

	if (!warps)
		return 0;
	for (n = 0; n < warps->count; n++)
		bytes += VGPU_PREDS * sizeof(u32) +
			 (1 + (warps->begun ? warps->warp[n].depth : 0)) *
				 sizeof(struct vgpu_reconv);
	return bytes + sizeof(warps->barriers);
}

static u64 compiled_time_left(const struct vgpu_block *block)
{
	(void)block;
	return VGPU_NEVER;
}

static enum vgpu_block_wait compiled_waits(const struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;

	if (!warps || !warps->pending || warps->faulted)
		return VGPU_WAIT_NONE;
	return warps->ready ? VGPU_WAIT_SOME : VGPU_WAIT_ALL;
}

static u64 compiled_wait_left(const struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;
	u64 last = 0;

	for (u32 n = 0; warps && warps->pending && n < warps->count; n++) {
		u64 left = vgpu_fault_left(&warps->warp[n].waiter);

		last = left > last ? left : last;
	}
	return last;
}

const struct vgpu_block_kind vgpu_block_compiled = {
	.name = "compiled",
	.enter = vgpu_slice_finish,
	.leave = vgpu_slice_leave,
	.start = compiled_start,
	.issue = compiled_issue,
	.detach = vgpu_progress_leave,
	.release = compiled_release,
	.stop = compiled_stop,
	.throttle = compiled_throttle,
	.context_bytes = vgpu_compiled_context_bytes,
	.time_left = compiled_time_left,
	.waits = compiled_waits,
	.wait_left = compiled_wait_left,
	.warps = vgpu_warps_left,
	.repeats = vgpu_warps_repeat,
	.restart = compiled_release,
	.ran = vgpu_progress_ran,
	.expected = vgpu_progress_expected,
	.executed = vgpu_progress_executed,
	.stops_in = vgpu_progress_stops_in,
	.dirty = vgpu_written_bytes,
	.checkpoint = vgpu_written_base,
	.save_rest = vgpu_written_leave,
	.take_back = vgpu_written_restore,
	.forget = vgpu_written_forget,
};
