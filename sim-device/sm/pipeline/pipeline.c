// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The windows of an SM: cycle by cycle what the stages do, and between two windows what the engine
 * is told. A window ends early when it has to be told something, so blocks end at their cycle.
 */
#include "scheme.h"

void vgpu_pipe_kick(struct vgpu_pipe *p, u64 cycle)
{
	struct vgpu_sm *sm = p->sm;
	u64 time;

	if (cycle < p->cycle)
		cycle = p->cycle;
	time = vgpu_cycle_time(p->config, cycle);
	if (time < sm->sim->now)
		time = sm->sim->now;
	if (vgpu_event_pending(&sm->step) && vgpu_event_time(&sm->step) <= time)
		return;
	vgpu_event_at(sm->sim, &sm->step, time);
}

/* ---- one cycle ------------------------------------------------------------------- */

static void end_of_cycle(struct vgpu_pipe *p)
{
	u32 number;

	while ((number = vgpu_pipe_due(p, p->cycle)) != VGPU_PIPE_NONE) {
		if (number >= p->entry_count)
			vgpu_access_line_due(p, number - p->entry_count);
		else
			vgpu_access_due(p, &p->entries[number]);
	}
	vgpu_access_cycle(p);
	if (unlikely(p->sm->moving))
		vgpu_pipe_move_cycle(p);
}

static void run_cycle(struct vgpu_pipe *p)
{
	const struct vgpu_mem_response *response;

	/* what ends in the hierarchy makes room, also if nobody is told of it */
	if (unlikely(p->busy) && p->port->model->next(p->port) <= p->cycle)
		p->busy = false;
	if (unlikely(p->code_due <= p->cycle))
		vgpu_code_comes(p);
	while ((response = p->port->model->response(p->port, p->cycle)))
		vgpu_access_respond(p, response);
	if (p->ready_count)
		vgpu_pipe_issue(p);
	else
		vgpu_pipe_stall(p, 1);
	if (p->fetchable_count && p->queued < p->config->issue_queue)
		vgpu_pipe_fetch(p);
	if (p->reading.first != VGPU_PIPE_NONE)
		vgpu_pipe_read(p);
	end_of_cycle(p);
}

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* The first cycle from p->cycle on in which something can happen. */
static u64 next_cycle(const struct vgpu_pipe *p)
{
	u64 next;

	if (p->fetchable_count && p->queued < p->config->issue_queue &&
	    p->free_entries != VGPU_PIPE_NONE)
		return p->cycle;
	next = least(vgpu_pipe_next_issue(p), vgpu_access_next(p));
	if (next <= p->cycle)
		return p->cycle;
	next = least(next, vgpu_pipe_next_due(p));
	next = least(next, p->port->model->next(p->port));
	next = least(next, p->code_due);
	if (unlikely(p->sm->moving))
		next = least(next, vgpu_pipe_move_next(p));
	return next > p->cycle ? next : p->cycle;
}

/* ---- the blocks at the end of a window ----------------------------------------------- */

static bool is_over(const struct vgpu_block *block)
{
	const struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

	return vgpu_warps_over(block->warps) && !pb->in_flight && !pb->stored && !pb->fencing;
}

/*
 * What blocks that end or leave have stored takes effect before they do. Returns whether the port
 * was busy.
 */
static bool make_fences(struct vgpu_pipe *p)
{
	struct vgpu_block *block;
	bool busy = false;

	vgpu_for_each_compiled(block, p->sm) {
		struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

		if (pb->stored && !pb->fencing && !pb->in_flight &&
		    (pb->stopping || vgpu_warps_over(block->warps)))
			busy |= !vgpu_access_fence_block(p, pb);
	}
	return busy;
}

void vgpu_pipe_begin(struct vgpu_pipe *p, u64 time)
{
	u64 cycle = vgpu_cycle_from(p->config, time);

	if (p->cycle >= cycle)
		return;
	vgpu_pipe_stall(p, cycle - p->cycle);
	p->cycle = cycle;
}

u64 vgpu_pipe_window_until(const struct vgpu_pipe *p)
{
	return (p->cycle / p->window + 1) * p->window;
}

void vgpu_pipe_window(struct vgpu_pipe *p)
{
	u64 end = vgpu_pipe_window_until(p), next = p->cycle;
	bool busy;

	p->cut = false;
	p->entered = NULL;
	p->sm->run->lanes.tlb = p->no_tlb;
	p->sm->run->lanes.cost = p->no_cost;
	if (p->woken)
		vgpu_access_woken(p);
	busy = make_fences(p);
	while (p->cycle < end && !p->cut) {
		next = next_cycle(p);
		if (next >= end)
			break;
		vgpu_pipe_stall(p, next - p->cycle);
		p->cycle = next;
		run_cycle(p);
		next = ++p->cycle;
		if (unlikely(p->cut))
			busy |= make_fences(p);
	}
	vgpu_pipe_lanes_end(p);
	p->next = next;
	p->unfenced = busy;
}

void vgpu_pipe_window_end(struct vgpu_pipe *p)
{
	p->apart = false;
	if (p->ask_count) {
		vgpu_access_ask(p);
		p->next = next_cycle(p);
	}
	vgpu_pipe_pay(p, NULL);
	p->port->model->submit(p->port);
	p->sm->run->work = 0;
	p->sm->run->started = 0;
	if (p->cut)
		vgpu_pipe_kick(p, p->cycle);
	else if (p->unfenced)
		vgpu_pipe_kick(p, least(p->cycle + 1, p->next));
	else if (p->next != VGPU_NEVER)
		vgpu_pipe_kick(p, p->next);
}

/* Nothing of blocks whose context has died is executed any more. */
static void drop_stopped(struct vgpu_pipe *p, struct vgpu_block *block)
{
	struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

	if (!pb->in_flight)
		return;
	for (u32 n = 0; n < pb->warps; n++) {
		vgpu_pipe_hold(p, &pb->warp[n], VGPU_HELD_STOP);
		vgpu_pipe_discard(p, &pb->warp[n]);
	}
	p->port->model->disown(p->port, pb);
	pb->fencing = false;
}

static void find_stuck(struct vgpu_block *block)
{
	struct vgpu_warp *stuck = vgpu_warps_stuck(block->warps);

	if (stuck)
		vgpu_block_record_fault(block, stuck, VGPU_FAULT_BARRIER,
					(u32)__builtin_ctz(stuck->bar_mask), stuck->pc - 1);
}

/* It was to leave, and now it need not: its SM drains. */
static void resume(struct vgpu_pipe *p, struct vgpu_block *block)
{
	struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

	pb->stopping = false;
	for (u32 n = 0; n < pb->warps; n++)
		vgpu_pipe_let_go(p, &pb->warp[n], VGPU_HELD_STOP);
}

/*
 * Report what has ended. Every report may change who is resident: start over after each. Returns
 * whether a block is left all of whose warps wait.
 */
static bool report(struct vgpu_pipe *p)
{
	struct vgpu_sm *sm = p->sm;
	struct vgpu_block *block = vgpu_compiled_first(sm);
	bool waits = false;

	while (block) {
		struct vgpu_warps *warps = block->warps;
		struct vgpu_fault copy;

		if (block->launch->stopped) {
			drop_stopped(p, block);
		} else if (warps->faulted || (find_stuck(block), warps->faulted)) {
			copy = warps->fault;
			sm->env->ops->block_fault(sm, block, &copy);
			block = vgpu_compiled_first(sm);
			continue;
		} else if (is_over(block)) {
			vgpu_progress_end(block);
			vgpu_sm_remove(sm, block);
			sm->env->ops->block_done(sm, block);
			block = vgpu_compiled_first(sm);
			waits = false;
			continue;
		} else if (block->stopping && vgpu_pipe_block_quiet(block)) {
			sm->env->ops->block_stopped(sm, block);
			if (block->sm == sm && !block->stopping && !sm->halted)
				resume(p, block);
			block = vgpu_compiled_first(sm);
			waits = false;
			continue;
		} else {
			waits |= !warps->ready && warps->pending;
		}
		block = vgpu_compiled_after(sm, block);
	}
	return waits;
}

bool vgpu_pipe_reports(struct vgpu_pipe *p)
{
	struct vgpu_sm *sm = p->sm;
	const struct vgpu_block *block;

	if (sm->halted || sm->waited || sm->traced_warps || sm->traced_waiting || p->woken ||
	    p->move.ended)
		return true;
	vgpu_for_each_compiled(block, sm) {
		const struct vgpu_warps *warps = block->warps;

		if (block->launch->stopped || block->stopping || warps->faulted ||
		    warps->pending || !warps->ready || is_over(block))
			return true;
	}
	return false;
}

static bool all_quiet(const struct vgpu_sm *sm)
{
	const struct vgpu_block *block;

	vgpu_for_each_compiled(block, sm)
		if (!vgpu_pipe_block_quiet(block))
			return false;
	return true;
}

static bool quiet(const struct vgpu_sm *sm)
{
	const struct vgpu_pipe *p = sm->pipe;

	return all_quiet(sm) && vgpu_cycle_time(p->config, p->cycle) <= sm->sim->now;
}

static void step(struct vgpu_event *event)
{
	struct vgpu_sm *sm = vgpu_container_of(event, struct vgpu_sm, step);
	struct vgpu_pipe *p = sm->pipe;
	bool waits, stands;

	vgpu_pipe_begin(p, sm->sim->now);
	vgpu_pipe_move_report(p);
	waits = report(p);
	vgpu_event_cancel(sm->sim, event);
	/* late answers to what was dropped do not move its cycle any more */
	stands = unlikely(sm->halted) && all_quiet(sm);
	if (unlikely(stands)) {
		if (quiet(sm))
			sm->env->ops->sm_quiet(sm);
		else
			vgpu_pipe_kick(p, p->cycle);
	} else if (unlikely(waits) && !sm->halted) {
		sm->env->ops->blocks_wait(sm);
		vgpu_event_cancel(sm->sim, event);
	}
	if (unlikely(sm->trace->on))
		vgpu_sm_trace_warps(sm, vgpu_sm_warps(sm));
	if ((sm->resident_count && !stands) || sm->moving)
		vgpu_pipe_run_windows(p);
}

/* ---- the SM ---------------------------------------------------------------------------- */

/* A window is never in the middle of anything. */
static void finish(struct vgpu_sm *sm)
{
	(void)sm;
}

static u64 halt(struct vgpu_sm *sm)
{
	/* blocks that are quiet already are seen to be */
	vgpu_pipe_kick(sm->pipe, 0);
	return vgpu_event_time(&sm->step);
}

static bool stalls(const struct vgpu_config *config)
{
	return !vgpu_fault_scheme_find(config->fault_scheme)->preemptible;
}

void vgpu_pipe_leave_block(struct vgpu_sm *sm, const struct vgpu_block *block)
{
	struct vgpu_pipe *p = sm->pipe;
	struct vgpu_pipe_block *pb = vgpu_pipe_block(block);

	for (u32 n = 0; n < pb->warps; n++) {
		struct vgpu_pipe_warp *pw = &pb->warp[n];

		if (pw->in_flight)
			vgpu_pipe_discard(p, pw);
		if (!pw->held)
			vgpu_pipe_hold(p, pw, VGPU_HELD_STOP);
		/* where it goes on, it looks for its next instruction again */
		pw->held &= ~(VGPU_HELD_CODE | VGPU_HELD_THROTTLE);
		pw->code_came = false;
		if (unlikely(p->quotas))
			vgpu_pipe_quotas_go(p, pw);
		p->used[pw->index / 64] &= ~(1ull << pw->index % 64);
		p->warps[pw->index] = NULL;
	}
	p->port->model->disown(p->port, pb);
	pb->fencing = false;
	p->entered = NULL;
}

/*
 * The TLB has pages that the other model has put there, whose frames are not known here; and what
 * its blocks have written is not in the L1.
 */
static void come(struct vgpu_sm *sm)
{
	struct vgpu_pipe *p = sm->pipe;

	memset(p->frames, 0, VGPU_FRAMES_KNOWN * sizeof(*p->frames));
	memset(p->kernels, 0, sizeof(p->kernels));
}

const struct vgpu_timing vgpu_timing_pipeline = {
	.name = "pipeline",
	.kind = &vgpu_block_pipelined,
	.stalls = stalls,
	.init = vgpu_pipe_init,
	.fini = vgpu_pipe_fini,
	.come = come,
	.step = step,
	.finish = finish,
	.halt = halt,
	.quiet = quiet,
	.move = vgpu_pipe_move,
	.stop_move = vgpu_pipe_stop_move,
};

void vgpu_sm_answer(struct vgpu_sm *sm, u64 cycle)
{
	if (sm->pipe && likely(sm->timing == &vgpu_timing_pipeline))
		vgpu_pipe_kick(sm->pipe, cycle);
}
