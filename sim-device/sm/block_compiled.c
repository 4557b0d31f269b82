// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compiled blocks: the warps of all blocks that are resident in an SM are executed in slices, one
 * slice an event. What a slice costs in virtual time (timing.c) is when the next one begins; blocks
 * that ended in it, or did what ends their context, are reported then.
 *
 * The lanes run between vgpu_fpu_begin() and vgpu_fpu_end() for one warp's share of a slice at
 * most; page tables are walked and frames allocated outside.
 *
 * Real time of a slice has no useful bound: an instruction takes ten nanoseconds or many
 * microseconds, when it makes 32 pages. So a slice can be paused (sim.h) between two warps and
 * before an instruction that needs translations, and goes on at the same virtual time with nothing
 * else in between but what the host does. How often that happens so has no influence on results or
 * times. Whoever must know when the slice ends, or adds a block, has it finished first.
 *
 * What comes next in virtual time waits for the whole slice. One with very much work beside its
 * instructions is cut between two warps: it ends, and the next one begins at the other warp.
 */
#include "warps.h"

static int compiled_start(struct vgpu_block *block)
{
	if (!block->warps)
		block->warps = vgpu_warps_get(block->sm, block, 0);
	else
		/* where it goes on, not where it began, takes its memory back */
		block->warps->home = block->sm;
	return block->warps ? 0 : -ENOMEM;
}

static void compiled_release(struct vgpu_block *block)
{
	if (block->warps)
		vgpu_warps_put(block->warps);
	block->warps = NULL;
}

/* ---- one warp, one block, one slice ------------------------------------- */

void vgpu_block_record_fault(struct vgpu_block *block, const struct vgpu_warp *w, u32 reason,
			     u32 lane, u32 pc)
{
	const struct vgpu_lanes *lanes = &block->sm->run->lanes;
	struct vgpu_warps *warps = block->warps;
	const u32 *size = block->launch->block;
	struct vgpu_fault *f = &warps->fault;
	u32 thread = w->index * VGPU_LANES + lane;

	*f = (struct vgpu_fault){ .reason = reason, .pc = pc };
	memcpy(f->block, warps->index, sizeof(f->block));
	f->thread[0] = thread % size[0];
	f->thread[1] = thread / size[0] % size[1];
	f->thread[2] = thread / size[0] / size[1];
	if (reason != VGPU_FAULT_BARRIER) {
		f->address = lanes->address;
		f->bytes = lanes->bytes;
		f->write = lanes->write;
	}
	warps->faulted = true;
}

/*
 * Work of @w that run->work has counted since it was @before: what is beyond w->spare counts as
 * instructions, but for the one that is to be restarted.
 */
static void charge(struct vgpu_sm_run *run, struct vgpu_warp *w, u32 before)
{
	u32 work = run->work - before, left = run->lanes.budget, cut;

	if (work <= w->spare) {
		w->spare -= work;
		return;
	}
	cut = (work - w->spare) / VGPU_WORK_INSTRUCTION;
	w->spare = 0;
	if (cut >= left)
		cut = left - 1;
	run->lanes.budget -= cut;
	run->charged += cut;
}

/*
 * TRANSLATE: the warp waits for a page. BUDGET with some left: the slice was paused, before an
 * instruction that needs translations, of which it has none yet.
 */
static enum vgpu_lanes_end run_lanes(struct vgpu_block *block, struct vgpu_warp *w, bool pausing)
{
	struct vgpu_sm *sm = block->sm;
	struct vgpu_sm_run *run = sm->run;
	struct vgpu_lanes *lanes = &run->lanes;
	enum vgpu_lanes_end end;
	u32 budget = lanes->budget;

	lanes->held = 0;
	run->process = 0;
	run->part = 0;
	for (;;) {
		u32 before = run->work;

		if (unlikely(run->process || w->done)) {
			end = vgpu_block_run_held(block, w);
			if (end == VGPU_LANES_BUDGET && lanes->budget)
				continue;
		} else {
			vgpu_fpu_begin();
			end = run->run(lanes);
			vgpu_fpu_end();
		}
		if (end == VGPU_LANES_LOCAL) {
			if (vgpu_warps_add_local(block->warps, w)) {
				charge(run, w, before);
				continue;
			}
			lanes->reason = VGPU_FAULT_NO_MEMORY;
			return VGPU_LANES_FAULT;
		}
		if (end != VGPU_LANES_TRANSLATE)
			return end;
		if (pausing && !lanes->held && lanes->budget != budget &&
		    vgpu_sim_interrupted(sm->sim)) {
			run->slice.open = true;
			return VGPU_LANES_BUDGET;
		}
		switch (vgpu_block_serve(block, w)) {
		case VGPU_ACCESS_OK:
			charge(run, w, before);
			break;
		case VGPU_ACCESS_PENDING:
			return VGPU_LANES_TRANSLATE;
		case VGPU_ACCESS_FAULT:
			return VGPU_LANES_FAULT;
		}
	}
}

/* Execute up to w->left instructions of @w; returns how many it were. */
static u32 run_warp(struct vgpu_block *block, struct vgpu_warp *w, bool pausing)
{
	struct vgpu_sm_run *run = block->sm->run;
	struct vgpu_lanes *lanes = &run->lanes;
	u32 budget = w->left;

	run->charged = 0;
	lanes->slow = 0;
	lanes->work = 0;
	lanes->warp = w;
	lanes->budget = budget;
	switch (run_lanes(block, w, pausing)) {
	case VGPU_LANES_EXIT:
		vgpu_warps_exit(block->warps, w);
		break;
	case VGPU_LANES_BARRIER:
		vgpu_warps_arrive(block->warps, w);
		break;
	case VGPU_LANES_TRANSLATE:
		w->block = block;
		vgpu_warps_pend(block->warps, w);
		break;
	case VGPU_LANES_FAULT:
		vgpu_block_record_fault(block, w, lanes->reason, lanes->lane, w->pc);
		break;
	default:
		break;
	}
	run->work += lanes->slow * VGPU_WORK_INSTRUCTION + lanes->work;
	w->left = lanes->budget;
	return budget - lanes->budget - lanes->slow - run->charged;
}

/* The code of the host's processor for @kernel; NULL: there is none, or not yet. */
static const struct vgpu_native_code *native_code(const struct vgpu_sm *sm,
						  const struct vgpu_kernel *kernel)
{
	struct vgpu_kernel_code *run = kernel->run;

	if (unlikely(!run->asked) && sm->env->native.find)
		run->asked = sm->env->native.find(sm->env->native.host, kernel->code,
					      kernel->vass.code_count, sm->run->cost, run->executed,
					      &run->native) != -EAGAIN;
	return run->native;
}

/* The lanes execute @block from now on. */
static void enter_block(struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;
	struct vgpu_lanes *lanes = &block->sm->run->lanes;

	/* The context is the block's: neighbours may have another. */
	vgpu_tlb_serve(&block->sm->tlb, block->launch->as);
	lanes->code = block->launch->kernel->code;
	lanes->native = native_code(block->sm, block->launch->kernel);
	block->sm->run->run = lanes->native ? lanes->native->run : block->sm->run->interpreter;
	lanes->launch = block->launch;
	lanes->params = block->launch->params;
	lanes->shared = warps->shared;
	lanes->shared_bytes = warps->shared_bytes;
	lanes->local_bytes = warps->local_bytes;
	memcpy(lanes->block, warps->index, sizeof(lanes->block));
}

static void begin_block(struct vgpu_slice *slice)
{
	struct vgpu_warps *warps = slice->block->warps;

	if (!warps->begun)
		vgpu_warps_begin(warps, slice->block->launch);
	for (u32 n = 0; n < warps->count; n++) {
		warps->warp[n].cycles = 0;
		warps->warp[n].left = slice->each;
		warps->warp[n].spare = vgpu_slice_spare(slice->each);
	}
	slice->begun = true;
	slice->again = false;
	slice->warp = 0;
}

/* What the warps of slice->block took in this slice. */
static void count_cycles(struct vgpu_slice *slice)
{
	struct vgpu_warps *warps = slice->block->warps;

	for (u32 n = 0; n < warps->count; n++) {
		if (warps->warp[n].cycles > slice->longest)
			slice->longest = warps->warp[n].cycles;
		warps->warp[n].cycles = 0;
	}
}

static void end_block(struct vgpu_slice *slice)
{
	struct vgpu_block *block = slice->block;
	struct vgpu_warps *warps = block->warps;
	struct vgpu_warp *stuck;

	count_cycles(slice);
	stuck = warps->faulted ? NULL : vgpu_warps_stuck(warps);
	if (stuck)
		vgpu_block_record_fault(block, stuck, VGPU_FAULT_BARRIER,
					(u32)__builtin_ctz(stuck->bar_mask), stuck->pc - 1);
}

/*
 * Every warp of slice->block executes up to slice->each instructions; one that a barrier lets go
 * may use what it has left. false: the slice was paused or cut.
 */
static bool run_warps(struct vgpu_sm *sm, struct vgpu_slice *slice, bool pausing)
{
	struct vgpu_block *block = slice->block;
	struct vgpu_warps *warps = block->warps;

	while (!warps->faulted) {
		struct vgpu_warp *w;

		if (slice->warp >= warps->count) {
			if (!slice->again)
				break;
			slice->again = false;
			slice->warp = 0;
		}
		w = &warps->warp[slice->warp];
		if (w->state == VGPU_WARP_READY && w->left) {
			slice->cut = !slice->midway &&
				     slice->work + sm->run->work > slice->most;
			if (unlikely(slice->cut))
				return false;
			slice->issued += run_warp(block, w, pausing);
			slice->again = true;
			slice->midway = slice->open;
			if (unlikely(slice->open))
				return false;
		}
		slice->warp++;
		slice->open = pausing && unlikely(vgpu_sim_interrupted(sm->sim));
		if (slice->open)
			return false;
	}
	return true;
}

/* The same for slice->block, from where it was paused or from the beginning. */
static bool run_block(struct vgpu_sm *sm, struct vgpu_slice *slice, bool pausing)
{
	struct vgpu_block *block = slice->block;
	const struct vgpu_native_code *native;
	u64 before = slice->issued;
	bool ended;
	u32 was;

	enter_block(block);
	if (!slice->begun)
		begin_block(slice);
	native = sm->run->lanes.native;
	was = native ? native->begin() : 0;
	ended = run_warps(sm, slice, pausing);
	if (native)
		native->end(was);
	block->launch->kernel->run->executed += slice->issued - before;
	vgpu_work_add(block->launch->work,
		      (slice->issued - before) * VGPU_WORK_INSTRUCTION + sm->run->work);
	slice->work += sm->run->work;
	sm->run->work = 0;
	if (ended)
		end_block(slice);
	else if (slice->cut)
		count_cycles(slice);
	return ended;
}

/*
 * Report what the last slice ended. Every report may change who is resident: start over after each.
 * Returns whether a block is left all of whose warps wait.
 */
static bool report_ends(struct vgpu_sm *sm)
{
	struct vgpu_block *block = vgpu_sm_first(sm);
	bool waits = false;

	while (block) {
		struct vgpu_warps *warps = block->warps;
		struct vgpu_fault copy;

		if (block->launch->stopped || (!vgpu_warps_over(warps) && !block->stopping)) {
			waits |= !warps->ready;
			block = vgpu_list_after(block, &sm->resident, struct vgpu_block, node);
			continue;
		}
		if (warps->faulted) {
			copy = warps->fault;
			sm->env->ops->block_fault(sm, block, &copy);
		} else if (vgpu_warps_over(warps)) {
			vgpu_sm_remove(sm, block);
			sm->env->ops->block_done(sm, block);
		} else {
			sm->env->ops->block_stopped(sm, block);
		}
		block = vgpu_sm_first(sm);
		waits = false;
	}
	return waits;
}

/* The first block from @block on that can execute. */
static struct vgpu_block *next_ready(const struct vgpu_sm *sm, struct vgpu_block *block)
{
	while (block && (block->launch->stopped || !block->warps->ready))
		block = vgpu_list_after(block, &sm->resident, struct vgpu_block, node);
	return block;
}

/* From the first block and warp, or from where the last slice was cut. */
static void begin_slice(struct vgpu_sm *sm, u32 warps)
{
	struct vgpu_lanes *lanes = &sm->run->lanes;
	struct vgpu_slice *slice = &sm->run->slice, last = *slice;
	bool rest = last.cut && last.block;
	u32 each = rest ? last.each : vgpu_slice_budget(sm->config, warps);

	lanes->tlb = sm->tlb.entries;
	lanes->clock = vgpu_mul_div(sm->sim->now, sm->config->clock_khz, VGPU_PS_PER_KCYCLE);
	lanes->timer = sm->sim->now / VGPU_NS;
	lanes->threads = 0;
	lanes->segments = 0;
	*slice = (struct vgpu_slice){
		.each = each,
		.block = rest ? last.block : vgpu_sm_first(sm),
		.begun = rest && last.begun,
		.again = rest && last.again,
		.warp = rest ? last.warp : 0,
		.work = sm->run->started,
		.most = sm->run->started + vgpu_slice_work(each, warps),
	};
	sm->run->started = 0;
}

static void go_on(struct vgpu_sm *sm, bool pausing)
{
	const struct vgpu_lanes *lanes = &sm->run->lanes;
	struct vgpu_slice *slice = &sm->run->slice;

	slice->open = false;
	if (slice->begun && slice->block->launch->stopped)
		vgpu_slice_leave(sm, slice->block);
	for (;;) {
		if (!slice->begun)
			slice->block = next_ready(sm, slice->block);
		if (!slice->block)
			break;
		if (!run_block(sm, slice, pausing)) {
			if (slice->cut)
				break;
			vgpu_event_pause(sm->sim, &sm->step);
			return;
		}
		vgpu_slice_leave(sm, slice->block);
	}
	/* One that exits takes part to the end of the slice; one that waits waits all the time. */
	if (unlikely(sm->trace->on))
		vgpu_sm_trace_warps(sm, slice->warps);
	/* an instruction that faulted has crossed, and touched nothing */
	slice->segments =
		lanes->segments > slice->crossed ? lanes->segments - slice->crossed : 0;
	sm->instructions += slice->issued;
	sm->thread_instructions += lanes->threads;
	vgpu_event_after(sm->sim, &sm->step, vgpu_slice_time(sm->config, slice));
}

void vgpu_slice_finish(struct vgpu_sm *sm)
{
	if (unlikely(sm->run->slice.open))
		go_on(sm, false);
}

void vgpu_slice_leave(struct vgpu_sm *sm, const struct vgpu_block *block)
{
	struct vgpu_slice *slice = &sm->run->slice;

	if (slice->block != block)
		return;
	slice->block = vgpu_list_after(block, &sm->resident, struct vgpu_block, node);
	slice->begun = false;
	slice->midway = false;
}

void vgpu_compiled_step(struct vgpu_event *step)
{
	struct vgpu_sm *sm = vgpu_container_of(step, struct vgpu_sm, step);
	struct vgpu_block *block;
	u32 warps = 0;
	bool waits;

	if (unlikely(sm->run->slice.open)) {
		go_on(sm, true);
		return;
	}
	waits = report_ends(sm);
	vgpu_event_cancel(sm->sim, step);	/* blocks issued just now have scheduled it again */
	if (unlikely(waits) && !sm->halted) {
		sm->env->ops->blocks_wait(sm);
		/* Blocks were issued: their step is next, and the others are looked at again. */
		if (vgpu_event_pending(step))
			return;
	}
	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node)
		warps += block->launch->stopped ? 0 : block->warps->ready;
	/* Blocks that all wait for pages have no slice: page_came() begins the next. */
	if (!warps || sm->halted) {
		if (unlikely(sm->trace->on))
			vgpu_sm_trace_warps(sm, vgpu_sm_warps(sm));
		return;
	}
	begin_slice(sm, warps);
	if (unlikely(sm->trace->on))
		sm->run->slice.warps = vgpu_sm_warps(sm);
	go_on(sm, true);
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
	.release = compiled_release,
	.stop = compiled_stop,
	.context_bytes = vgpu_compiled_context_bytes,
	.time_left = compiled_time_left,
	.waits = compiled_waits,
	.wait_left = compiled_wait_left,
	.warps = vgpu_warps_left,
};
