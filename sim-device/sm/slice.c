// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * One slice of an SM with compiled blocks (block_compiled.c): its warps, one after the other,
 * execute up to so many instructions each.
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

static void name_thread(struct vgpu_fault *f, const struct vgpu_block *block,
			const struct vgpu_warp *w, u32 lane)
{
	const u32 *size = block->launch->block;
	u32 thread = w->index * VGPU_LANES + lane;

	memcpy(f->block, block->warps->index, sizeof(f->block));
	f->thread[0] = thread % size[0];
	f->thread[1] = thread / size[0] % size[1];
	f->thread[2] = thread / size[0] / size[1];
}

/* A warp of @block that has not exited, one that can execute if there is one; NULL: none. */
static const struct vgpu_warp *unfinished_warp(const struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;
	const struct vgpu_warp *found = NULL;

	for (u32 n = 0; warps->begun && n < warps->count; n++) {
		const struct vgpu_warp *w = &warps->warp[n];

		if (w->state == VGPU_WARP_READY)
			return w;
		if (!found && w->state != VGPU_WARP_EXITED)
			found = w;
	}
	return found;
}

bool vgpu_sm_find_thread(const struct vgpu_sm *sm, const struct vgpu_launch *launch,
			 struct vgpu_fault *fault)
{
	const struct vgpu_block *block;

	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node) {
		const struct vgpu_warp *w;

		if (block->launch != launch || !launch->kernel || !block->warps)
			continue;
		w = unfinished_warp(block);
		if (!w)
			continue;
		name_thread(fault, block, w, w->active ? (u32)__builtin_ctz(w->active) : 0);
		/* one that waits at a barrier stands behind it */
		fault->pc = w->state == VGPU_WARP_BARRIER ? w->pc - 1 : w->pc;
		return true;
	}
	return false;
}

void vgpu_block_record_fault(struct vgpu_block *block, const struct vgpu_warp *w, u32 reason,
			     u32 lane, u32 pc)
{
	const struct vgpu_lanes *lanes = &block->sm->run->lanes;
	struct vgpu_warps *warps = block->warps;
	struct vgpu_fault *f = &warps->fault;

	*f = (struct vgpu_fault){ .reason = reason, .pc = pc };
	name_thread(f, block, w, lane);
	if (reason != VGPU_FAULT_BARRIER) {
		f->address = lanes->address;
		f->bytes = lanes->bytes;
		f->write = lanes->write;
	}
	if (unlikely(warps->watched))
		vgpu_watch_fault(block, w, f, lane);
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
 * Is what is executed to be left as soon as it can? What is executed ahead goes on when it is due,
 * so the host does not come in between.
 */
static bool must_pause(const struct vgpu_sm *sm)
{
	const struct vgpu_parallel *parallel = &sm->env->parallel;

	if (likely(!sm->run->lanes.apart))
		return vgpu_sim_interrupted(sm->sim);
	return vgpu_sim_asked(sm->sim) ||
	       (parallel->gives_way && parallel->gives_way(parallel->host));
}

static void lock(const struct vgpu_sm *sm)
{
	if (unlikely(sm->run->lanes.apart))
		sm->env->parallel.lock(sm->env->parallel.host);
}

static void unlock(const struct vgpu_sm *sm)
{
	if (unlikely(sm->run->lanes.apart))
		sm->env->parallel.unlock(sm->env->parallel.host);
}

static bool add_local(struct vgpu_block *block, struct vgpu_warp *w)
{
	bool added;

	lock(block->sm);
	added = vgpu_warps_add_local(block->warps, w);
	unlock(block->sm);
	return added;
}

static inline enum vgpu_lanes_end run_once(struct vgpu_sm_run *run)
{
	enum vgpu_lanes_end end;

	vgpu_fpu_begin();
	end = run->run(&run->lanes);
	vgpu_fpu_end();
	return end;
}

/* The lanes execute, those of an instruction first that is executed in parts. */
static enum vgpu_lanes_end go_on(struct vgpu_block *block, struct vgpu_warp *w)
{
	struct vgpu_sm_run *run = block->sm->run;
	enum vgpu_lanes_end end;

	while (unlikely(run->process || w->done)) {
		end = vgpu_block_run_held(block, w);
		if (end != VGPU_LANES_BUDGET || !run->lanes.budget)
			return end;
	}
	return run_once(run);
}

/*
 * What the lanes of @w have come back for, *@end, is got, and they go on. False: they do not, for
 * *@end, which run_lanes() returns. @before: run->work before they executed
 */
static bool serve(struct vgpu_block *block, struct vgpu_warp *w, bool pausing, u32 before,
		  enum vgpu_lanes_end *end)
{
	struct vgpu_sm *sm = block->sm;
	struct vgpu_sm_run *run = sm->run;
	struct vgpu_lanes *lanes = &run->lanes;

	if (*end == VGPU_LANES_LOCAL) {
		if (unlikely(lanes->apart) && !sm->env->parallel.lock) {
			run->wants_local = true;
			run->slice.open = true;
			*end = VGPU_LANES_BUDGET;
			return false;
		}
		if (add_local(block, w)) {
			charge(run, w, before);
			return true;
		}
		lanes->reason = VGPU_FAULT_NO_MEMORY;
		*end = VGPU_LANES_FAULT;
		return false;
	}
	if (*end != VGPU_LANES_TRANSLATE)
		return false;
	if ((unlikely(lanes->apart) && !vgpu_block_serves_apart(block, w)) ||
	    (pausing && !lanes->held && lanes->budget != w->left && must_pause(sm))) {
		run->slice.open = true;
		*end = VGPU_LANES_BUDGET;
		return false;
	}
	switch (vgpu_block_serve(block, w)) {
	case VGPU_ACCESS_PENDING:
		return false;
	case VGPU_ACCESS_FAULT:
		*end = VGPU_LANES_FAULT;
		return false;
	default:
		charge(run, w, before);
		return true;
	}
}

/*
 * TRANSLATE: the warp waits for a page. BUDGET with some left: the slice was paused, before an
 * instruction that needs translations, of which it has none yet, or is an atomic.
 */
static inline enum vgpu_lanes_end run_lanes(struct vgpu_sm_run *run, struct vgpu_block *block,
					    struct vgpu_warp *w, bool pausing)
{
	u32 before = run->work;
	enum vgpu_lanes_end end = VGPU_LANES_LOCAL;

	if (likely(!run->wants_local))
		end = likely(!w->done) ? run_once(run) : go_on(block, w);
	run->wants_local = false;
	if (likely(end < VGPU_LANES_TRANSLATE))
		return end;
	while (serve(block, w, pausing, before, &end)) {
		before = run->work;
		end = go_on(block, w);
	}
	run->lanes.held = 0;
	run->process = 0;
	run->part = 0;
	return end;
}

/* What the present warp has done beside its budget: count it. Returns how many instructions. */
static u32 count_beside(struct vgpu_sm_run *run)
{
	struct vgpu_lanes *lanes = &run->lanes;
	u32 instructions = lanes->slow + run->charged;

	run->work += lanes->slow * VGPU_WORK_INSTRUCTION + lanes->work;
	lanes->slow = 0;
	lanes->work = 0;
	run->charged = 0;
	return instructions;
}

/* @w has come to @end, which is not that of its budget. */
static void end_warp(struct vgpu_block *block, struct vgpu_warp *w, enum vgpu_lanes_end end)
{
	const struct vgpu_lanes *lanes = &block->sm->run->lanes;

	switch (end) {
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
}

/*
 * Execute up to w->left instructions of @w; returns how many it were. Between two warps everything
 * that is counted for one is zero.
 */
static inline u32 run_warp(struct vgpu_sm_run *run, struct vgpu_block *block,
			   struct vgpu_warp *w, bool pausing)
{
	struct vgpu_lanes *lanes = &run->lanes;
	u32 budget = w->left, left;
	enum vgpu_lanes_end end;

	lanes->warp = w;
	lanes->budget = budget;
	end = run_lanes(run, block, w, pausing);
	if (end == VGPU_LANES_EXIT)
		vgpu_warps_exit(block->warps, w);
	else if (end != VGPU_LANES_BUDGET)
		end_warp(block, w, end);
	if (w->cycles > run->slice.longest)
		run->slice.longest = w->cycles;
	left = lanes->budget;
	w->left = left;
	budget -= left;
	if (unlikely(lanes->slow | lanes->work | run->charged))
		budget -= count_beside(run);
	return budget;
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

/* Are accesses of @launch counted now? */
static bool is_counted(const struct vgpu_launch *launch)
{
	return unlikely(launch->counts) && launch->counts->on;
}

/* The lanes execute @block from now on. */
static void enter_block(struct vgpu_block *block)
{
	struct vgpu_lanes *lanes = &block->sm->run->lanes;

	/* The context is the block's: neighbours may have another. */
	vgpu_sm_serve(block->sm, block->launch->as);
	lanes->tlb = block->sm->tlb->entries;
	lanes->watched = block->warps;
	vgpu_warps_enter(lanes, block);
	lanes->native = lanes->apart ? block->launch->kernel->run->native :
				       native_code(block->sm, block->launch->kernel);
	lanes->counters = vgpu_launch_counters(block->launch, block->sm->index);
	/* who tells what a block writes, and who counts its accesses or all that it does */
	if (unlikely(block->warps->copy || is_counted(block->launch) || lanes->counters))
		lanes->native = NULL;
	block->sm->run->run = lanes->native ? lanes->native->run : block->sm->run->interpreter;
}

/* Instructions that each warp of slice->block may execute. */
static u32 each_of(const struct vgpu_slice *slice)
{
	const struct vgpu_sm *sm = slice->block->sm;
	u32 n = vgpu_sm_find_quota(sm, slice->block->launch->id);

	return likely(n == VGPU_SM_KERNELS_MOST) ? slice->each : slice->each_of[n];
}

static void begin_block(struct vgpu_slice *slice)
{
	struct vgpu_warps *warps = slice->block->warps;
	u32 each = each_of(slice), spare = vgpu_slice_spare(each);

	if (!warps->begun) {
		vgpu_warps_begin(warps, slice->block->launch);
		if (unlikely(slice->block->sm->env->watch.ops))
			vgpu_watch_block_begin(slice->block);
	}
	for (struct vgpu_warp *w = warps->warp, *end = w + warps->count; w != end; w++) {
		w->cycles = 0;
		w->left = each;
		w->spare = spare;
	}
	warps->let_go = false;
	slice->begun = true;
	slice->warp = 0;
}

/* The rest of the slice is one of its own. */
static void restart_cycles(struct vgpu_warps *warps)
{
	for (u32 n = 0; n < warps->count; n++)
		warps->warp[n].cycles = 0;
}

static void end_block(struct vgpu_slice *slice)
{
	struct vgpu_block *block = slice->block;
	struct vgpu_warps *warps = block->warps;
	struct vgpu_warp *stuck = warps->faulted ? NULL : vgpu_warps_stuck(warps);

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
	struct vgpu_sm_run *run = sm->run;
	struct vgpu_block *block = slice->block;
	struct vgpu_warps *warps = block->warps;
	struct vgpu_warp *w = &warps->warp[slice->warp];

	while (!warps->faulted) {
		if (slice->warp == warps->count) {
			if (!warps->let_go)
				break;
			warps->let_go = false;
			slice->warp = 0;
			w = warps->warp;
		}
		if (w->state == VGPU_WARP_READY && w->left) {
			if (unlikely(slice->work + run->work > slice->most && !slice->midway)) {
				slice->cut = true;
				return false;
			}
			slice->issued += run_warp(run, block, w, pausing);
			slice->midway = slice->open;
			if (unlikely(slice->open))
				return false;
		}
		slice->warp++;
		w++;
		if (pausing && unlikely(must_pause(sm))) {
			slice->open = true;
			return false;
		}
	}
	return true;
}

/* @issued instructions and @work have been executed for @launch, by blocks in @shares of slices. */
static void count_for(const struct vgpu_launch *launch, u64 issued, u64 shares, u64 work)
{
	launch->kernel->run->executed += issued;
	launch->kernel->run->shares += shares;
	vgpu_work_add(launch->work, work);
}

/* What the lanes have accessed since they had accessed so much */
static void count_accesses(struct vgpu_access_counts *counts, const struct vgpu_lanes *lanes,
			   u64 accesses, u64 segments, u64 more_pages)
{
	counts->accesses += lanes->accesses - accesses;
	counts->lines += lanes->segments - segments;
	counts->pages += lanes->accesses - accesses + lanes->more_pages - more_pages;
}

/* The same for slice->block, from where it was paused or from the beginning. */
static bool run_block(struct vgpu_sm *sm, struct vgpu_slice *slice, bool pausing)
{
	struct vgpu_block *block = slice->block;
	struct vgpu_lanes *lanes = &sm->run->lanes;
	u64 before = slice->issued, threads = lanes->threads, issued, work;
	u64 accesses = lanes->accesses, segments = lanes->segments, pages = lanes->more_pages;
	bool ended;

	if (!slice->begun)
		begin_block(slice);
	lanes->count_pages = is_counted(block->launch);
	ended = run_warps(sm, slice, pausing);
	if (unlikely(lanes->count_pages))
		count_accesses(block->launch->counts, lanes, accesses, segments, pages);
	issued = slice->issued - before;
	block->warps->executed.instructions += issued;
	block->warps->executed.thread_instructions += sm->run->lanes.threads - threads;
	work = issued * VGPU_WORK_INSTRUCTION + sm->run->work;
	if (unlikely(sm->run->lanes.apart)) {
		sm->run->ahead_issued += issued;
		sm->run->ahead_shares++;
		sm->run->ahead_work += work;
	} else {
		count_for(block->launch, issued, 1, work);
	}
	slice->work += sm->run->work;
	sm->run->work = 0;
	if (ended)
		end_block(slice);
	else if (slice->cut)
		restart_cycles(block->warps);
	return ended;
}

/* The first block from @block on that can execute. */
static struct vgpu_block *next_ready(const struct vgpu_sm *sm, struct vgpu_block *block)
{
	while (block && (!block->launch->kernel || block->launch->stopped || block->throttled ||
			 !block->warps->ready))
		block = vgpu_list_after(block, &sm->resident, struct vgpu_block, node);
	return block;
}

/* From the first block and warp, or from where the last slice was cut. */
void vgpu_slice_begin(struct vgpu_sm *sm, u32 warps, u64 start)
{
	struct vgpu_lanes *lanes = &sm->run->lanes;
	struct vgpu_slice *slice = &sm->run->slice, last = *slice;
	bool rest = last.cut && last.block;
	u32 each = rest ? last.each : vgpu_slice_budget(sm->config, warps);

	lanes->clock = vgpu_mul_div(start, sm->config->clock_khz, VGPU_PS_PER_KCYCLE);
	lanes->timer = start / VGPU_NS;
	lanes->threads = 0;
	lanes->segments = 0;
	*slice = (struct vgpu_slice){
		.start = start,
		.each = each,
		.block = rest ? last.block : vgpu_sm_first(sm),
		.begun = rest && last.begun,
		.warp = rest ? last.warp : 0,
		.work = sm->run->started,
		.most = sm->run->started + vgpu_slice_work(each, warps),
	};
	sm->run->started = 0;
	if (unlikely(sm->quota_count))
		vgpu_slice_divide(sm, slice);
	if (unlikely(sm->trace->on))
		slice->warps = vgpu_sm_warps(sm);
}

/* What is left of the slice. False: it was paused. */
static bool execute(struct vgpu_sm *sm, bool pausing)
{
	struct vgpu_slice *slice = &sm->run->slice;
	const struct vgpu_native_code *native = NULL;
	bool done = true;
	u32 was = 0;

	slice->open = false;
	if (slice->begun && slice->block->launch->stopped)
		vgpu_slice_leave(sm, slice->block);
	for (;;) {
		if (!slice->begun)
			slice->block = next_ready(sm, slice->block);
		if (!slice->block)
			break;
		enter_block(slice->block);
		if (!native && sm->run->lanes.native) {
			native = sm->run->lanes.native;
			was = native->begin();
		}
		if (!run_block(sm, slice, pausing)) {
			done = slice->cut;
			break;
		}
		vgpu_slice_leave(sm, slice->block);
	}
	if (native)
		native->end(was);
	return done;
}

/* The slice has been executed: what is to be known of it when it is due. */
static struct vgpu_slice_end end_slice(struct vgpu_sm *sm)
{
	const struct vgpu_lanes *lanes = &sm->run->lanes;
	struct vgpu_slice *slice = &sm->run->slice;

	/* an instruction that faulted has crossed, and touched nothing */
	slice->segments =
		lanes->segments > slice->crossed ? lanes->segments - slice->crossed : 0;
	slice->segments += sm->run->moved;
	sm->run->moved = 0;
	return (struct vgpu_slice_end){
		.end = vgpu_time_add(slice->start, vgpu_slice_time(sm->config, slice)),
		.issued = slice->issued,
		.threads = lanes->threads,
		.warps = slice->warps,
	};
}

static void report_slice(struct vgpu_sm *sm, const struct vgpu_slice_end *end)
{
	/* One that exits takes part to the end of the slice; one that waits waits all the time. */
	if (unlikely(sm->trace->on))
		vgpu_sm_trace_warps(sm, end->warps);
	sm->instructions += end->issued;
	sm->thread_instructions += end->threads;
	if (unlikely(sm->run->place))
		vgpu_event_at_place(sm->sim, &sm->step, end->end, sm->run->place);
	else
		vgpu_event_at(sm->sim, &sm->step, end->end);
	vgpu_slice_forget_place(sm);
}

/* Count what has been executed ahead for @launch, of which all blocks were and are. */
static void count_ahead(struct vgpu_sm_run *run, const struct vgpu_launch *launch)
{
	if (likely(!run->ahead_work))
		return;
	count_for(launch, run->ahead_issued, run->ahead_shares, run->ahead_work);
	vgpu_mmu_walked(launch->as, run->ahead_walks);
	run->ahead_shares = 0;
	run->ahead_walks = 0;
	run->ahead_issued = 0;
	run->ahead_work = 0;
}

static void report_ahead(struct vgpu_sm *sm)
{
	struct vgpu_sm_run *run = sm->run;

	report_slice(sm, &run->ahead[run->ahead_first++]);
	if (run->ahead_first == run->ahead_count)
		run->ahead_first = run->ahead_count = 0;
}

/* Page faults that it raises come in the order of the slices, also if it was put off. */
static bool execute_in_place(struct vgpu_sm *sm, bool pausing)
{
	bool done;

	if (likely(!sm->run->place))
		return execute(sm, pausing);
	vgpu_place_enter(sm->sim, sm->run->place);
	done = execute(sm, pausing);
	sm->run->place = vgpu_place_leave(sm->sim);
	return done;
}

void vgpu_slice_go_on(struct vgpu_sm *sm, bool pausing)
{
	struct vgpu_slice_end end;

	count_ahead(sm->run, vgpu_sm_first(sm)->launch);
	if (unlikely(sm->run->ahead_count)) {
		report_ahead(sm);
		return;
	}
	if (!execute_in_place(sm, pausing)) {
		vgpu_event_pause(sm->sim, &sm->step);
		return;
	}
	end = end_slice(sm);
	report_slice(sm, &end);
}

void vgpu_slice_prepare(struct vgpu_sm *sm)
{
	const struct vgpu_launch *launch = vgpu_sm_first(sm)->launch;

	vgpu_sm_serve(sm, launch->as);
	native_code(sm, launch->kernel);
}

void vgpu_slice_ahead(struct vgpu_sm *sm, u64 until)
{
	struct vgpu_sm_run *run = sm->run;
	struct vgpu_slice_end *end;
	u32 warps;

	run->lanes.apart = true;
	for (;;) {
		if (must_pause(sm) || !execute(sm, true)) {
			run->slice.open = true;
			break;
		}
		end = &run->ahead[run->ahead_count++];
		*end = end_slice(sm);
		if (run->ahead_count == VGPU_SLICES_AHEAD || end->end >= until)
			break;
		warps = vgpu_slice_next(sm);
		if (!warps)
			break;
		vgpu_slice_begin(sm, warps, end->end);
	}
	run->lanes.apart = false;
}

void vgpu_slice_finish(struct vgpu_sm *sm)
{
	if (vgpu_slice_is_put_off(sm->run))
		vgpu_sms_catch_up(sm->env);
	/* another SM has had its slice executed: its own event has nothing left to do */
	if (unlikely(sm->run->place) && vgpu_event_pending(&sm->step))
		vgpu_event_take(sm->sim, &sm->step);
	while (unlikely(sm->run->ahead_count || sm->run->slice.open))
		vgpu_slice_go_on(sm, false);
}

void vgpu_slice_drop(struct vgpu_sm *sm, const struct vgpu_launch *launch)
{
	struct vgpu_sm_run *run = sm->run;

	count_ahead(run, launch);
	run->ahead_first = run->ahead_count = 0;
	run->slice.open = false;
	run->wants_local = false;
	run->moved = 0;
	/* its event, which is gone, would have counted */
	sm->sim->fired += run->place != 0;
	vgpu_slice_forget_place(sm);
}

void vgpu_slice_leave(struct vgpu_sm *sm, const struct vgpu_block *block)
{
	struct vgpu_slice *slice = &sm->run->slice;

	if (slice->block != block)
		return;
	slice->block = vgpu_list_after(block, &sm->resident, struct vgpu_block, node);
	slice->begun = false;
	slice->midway = false;
	sm->run->wants_local = false;
}
