// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An SM as the engine sees it: its context registers, which blocks are resident, and which of the
 * kinds of kernel makes them advance.
 */
#include "warps.h"

#define ALIGN	64u

/* ---- TLBs --------------------------------------------------------------- */

static bool add_tlb(struct vgpu_sm *sm)
{
	struct vgpu_tlb *tlb = vgpu_mem_alloc_device(sizeof(*tlb));

	if (!tlb || vgpu_tlb_init(tlb, sm->config)) {
		vgpu_mem_free_device(tlb);
		return false;
	}
	sm->tlbs[sm->tlb_count++] = tlb;
	return true;
}

static void free_tlbs(struct vgpu_sm *sm)
{
	while (sm->tlb_count) {
		vgpu_tlb_fini(sm->tlbs[--sm->tlb_count]);
		vgpu_mem_free_device(sm->tlbs[sm->tlb_count]);
	}
	sm->tlb = NULL;
}

void vgpu_sm_serve(struct vgpu_sm *sm, struct vgpu_address_space *as)
{
	u32 n;

	if (likely(sm->tlb->as == as))
		return;
	for (n = 0; n < sm->tlb_count; n++)
		if (sm->tlbs[n]->as == as)
			break;
	if (n == sm->tlb_count)
		for (n = 0; n < sm->tlb_count && sm->tlbs[n]->as; n++)
			;
	if (n == sm->tlb_count)
		n = sm->tlb_turn++ % sm->tlb_count;
	sm->tlb = sm->tlbs[n];
	vgpu_tlb_serve(sm->tlb, as);
}

/* ---- the SM ------------------------------------------------------------- */

/* The timing models that @sm needs memory for: its own, or all of them. */
static bool has_timing(const struct vgpu_sm *sm, const struct vgpu_timing *timing)
{
	return timing == sm->timing || sm->config->timing_by_kernel;
}

static int init_timing(struct vgpu_sm *sm)
{
	const struct vgpu_timing *timing;

	for (u32 n = 0; (timing = vgpu_timing_at(n)); n++)
		if (has_timing(sm, timing) && timing->init && timing->init(sm))
			return -ENOMEM;
	return 0;
}

static void fini_timing(struct vgpu_sm *sm)
{
	const struct vgpu_timing *timing;

	for (u32 n = 0; (timing = vgpu_timing_at(n)); n++)
		if (has_timing(sm, timing) && timing->fini)
			timing->fini(sm);
}

/* @sm, which is empty, executes compiled blocks as @launch asks for. */
static void serve_timing(struct vgpu_sm *sm, const struct vgpu_launch *launch)
{
	const struct vgpu_timing *timing = vgpu_timing_of(launch->kind);

	if (likely(timing == sm->timing) || !timing)
		return;
	/* of late answers, which concern nobody any more */
	vgpu_event_cancel(sm->sim, &sm->step);
	sm->timing = timing;
	sm->step.fire = timing->step;
	sm->run->run = sm->run->interpreter;
	sm->run->lanes.native = NULL;
	sm->run->lanes.cost = sm->run->cost;
	if (timing->come)
		timing->come(sm);
}

/* The lanes for this processor: another one with a file in lanes/ has its line here. */
static u32 (*interpreter_here(void))(struct vgpu_lanes *lanes)
{
#ifdef __x86_64__
	return vgpu_cpu_has_avx2() ? vgpu_lanes_run_avx2 : vgpu_lanes_run_sse2;
#else
	return vgpu_lanes_run_portable;
#endif
}

int vgpu_sm_init(struct vgpu_sm *sm, u32 index)
{
	struct vgpu_sm_run *run;
	u8 *memory;

	sm->index = index;
	vgpu_list_init(&sm->resident);
	sm->timing = vgpu_timing_find(sm->config->timing);
	sm->step.fire = sm->timing->step;
	memory = vgpu_mem_alloc_device(sizeof(*run) + ALIGN);
	add_tlb(sm);
	if (!sm->tlb_count || !memory) {
		free_tlbs(sm);
		vgpu_mem_free_device(memory);
		return -ENOMEM;
	}
	sm->tlb = sm->tlbs[0];
	vgpu_profiled_init(sm);
	run = (struct vgpu_sm_run *)(memory + (0 - (unsigned long)memory) % ALIGN);
	run->memory = memory;
	run->interpreter = interpreter_here();
#ifndef __KERNEL__
	if (sm->env->watch.ops)
		run->interpreter = vgpu_lanes_run_watched;
#endif
	run->lanes.watch = &sm->env->watch;
	run->run = run->interpreter;
	vgpu_cost_fill(run->cost, sm->config);
	run->lanes.cost = run->cost;
	run->lanes.zeros = vgpu_zero_page;
	run->lanes.sm_index = index;
	run->lanes.sm_count = sm->config->sms;
	run->lanes.banks = sm->config->shared_banks;
	sm->run = run;
	if (init_timing(sm)) {
		vgpu_sm_fini(sm);
		return -ENOMEM;
	}
	return 0;
}

void vgpu_sm_fini(struct vgpu_sm *sm)
{
	VGPU_CHECK(!sm->resident_count);
	vgpu_event_cancel(sm->sim, &sm->step);
	if (sm->run)
		fini_timing(sm);
	free_tlbs(sm);
	if (sm->run) {
		vgpu_warps_drain(sm->run);
		vgpu_mem_free_device(sm->run->memory);
	}
	sm->run = NULL;
}

void vgpu_sm_setup(struct vgpu_sm *sm, const struct vgpu_launch *launch)
{
	VGPU_CHECK(!sm->resident_count);
	/* The TLB changes hands with the first slice that uses it. */
	sm->waited &= sm->context == launch->context;
	sm->context = launch->context;
	sm->as = launch->as;
	sm->shared = false;
	serve_timing(sm, launch);
}

void vgpu_sm_share(struct vgpu_sm *sm, const struct vgpu_launch *launch, u32 contexts)
{
	vgpu_sm_setup(sm, launch);
	sm->shared = true;
	while (sm->tlb_count < contexts && sm->tlb_count < VGPU_SM_KERNELS_MOST && add_tlb(sm))
		;
}

void vgpu_sm_set_quota(struct vgpu_sm *sm, u32 launch, u64 instructions)
{
	u32 n = vgpu_sm_find_quota(sm, launch);

	if (n == VGPU_SM_KERNELS_MOST && instructions && sm->quota_count < VGPU_SM_KERNELS_MOST)
		n = sm->quota_count++;
	if (n == VGPU_SM_KERNELS_MOST)
		return;
	sm->quota[n] = (struct vgpu_quota){ launch, instructions };
	if (!instructions)
		sm->quota[n] = sm->quota[--sm->quota_count];
	sm->quota_changed = true;
}

/* @block, on @sm now, is on a halted SM, throttled or counted. */
static __attribute__((__noinline__)) void has_come(struct vgpu_sm *sm, struct vgpu_block *block)
{
	const struct vgpu_block_kind *kind = block->launch->kind;

	if (block->launch->counters)
		vgpu_count_came(sm, block->launch);
	if (sm->halted && kind->halt)
		kind->halt(block);
	if (sm->throttled_count && vgpu_sm_throttles(sm, block->launch->context))
		vgpu_block_throttle(block, true);
}

/* What its kind does with @block when it leaves @sm, and who counts it. */
static __attribute__((__noinline__)) void goes(struct vgpu_sm *sm, struct vgpu_block *block)
{
	const struct vgpu_block_kind *kind = block->launch->kind;

	if (kind->leave)
		kind->leave(sm, block);
	block->throttled = false;
	if (block->launch->counters)
		vgpu_count_left(sm, block->launch);
}

int vgpu_sm_issue(struct vgpu_sm *sm, struct vgpu_block *block)
{
	const struct vgpu_block_kind *kind = block->launch->kind;
	int error;

	if (kind->enter)
		kind->enter(sm);
	block->sm = sm;
	if (kind->start) {
		error = kind->start(block);
		if (error) {
			block->sm = NULL;
			return error;
		}
	}
	block->slot = (u8)__builtin_ctzll(~sm->slots_used);
	sm->slots_used |= 1ull << block->slot;
	vgpu_list_add_tail(&block->node, &sm->resident);
	sm->resident_count++;
	kind->issue(block);
	/* one test for what is seldom; so in vgpu_sm_remove() */
	if (unlikely(sm->halted | sm->throttled_count | (unsigned long)block->launch->counters))
		has_come(sm, block);
	return 0;
}

void vgpu_sm_remove(struct vgpu_sm *sm, struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;

	if ((unsigned long)launch->kind->leave | (unsigned long)launch->counters | block->throttled)
		goes(sm, block);
	vgpu_list_del(&block->node);
	block->sm = NULL;
	sm->slots_used &= ~(1ull << block->slot);
	sm->resident_count--;
}

u64 vgpu_sm_halt(struct vgpu_sm *sm)
{
	struct vgpu_block *block;

	sm->timing->finish(sm);
	sm->halted = true;
	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node)
		if (block->launch->kind->halt)
			block->launch->kind->halt(block);
	return sm->timing->halt(sm);
}

/*
 * Throttling (the thesis of ETC, 3.6.3): an SM stops to fetch instructions of a context; what is in
 * its pipeline completes, and its blocks stay resident. The thesis has one context. Here blocks of
 * several may be on an SM, and those of others do not notice.
 */
void vgpu_block_throttle(struct vgpu_block *block, bool on)
{
	const struct vgpu_block_kind *kind = block->launch->kind;

	if (block->throttled == on || !kind->throttle)
		return;
	block->throttled = on;
	kind->throttle(block);
}

static void throttle_blocks(struct vgpu_sm *sm, u32 context, bool on)
{
	struct vgpu_block *block;

	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node)
		if (block->launch->context == context)
			vgpu_block_throttle(block, on);
}

bool vgpu_sm_throttle(struct vgpu_sm *sm, u32 context, u64 order)
{
	if (sm->throttled_count == VGPU_SM_KERNELS_MOST || vgpu_sm_throttles(sm, context))
		return false;
	/* how much of a slice has been executed so far is not to make a difference */
	sm->timing->finish(sm);
	sm->throttled[sm->throttled_count++] = (struct vgpu_throttled){ context, order };
	throttle_blocks(sm, context, true);
	return true;
}

void vgpu_sm_unthrottle(struct vgpu_sm *sm, u32 context)
{
	u32 n = 0;

	while (n < sm->throttled_count && sm->throttled[n].context != context)
		n++;
	if (n == sm->throttled_count)
		return;
	sm->throttled[n] = sm->throttled[--sm->throttled_count];
	sm->timing->finish(sm);
	throttle_blocks(sm, context, false);
}

bool vgpu_sm_quiet(const struct vgpu_sm *sm)
{
	return sm->timing->quiet(sm);
}

void vgpu_sm_settle(struct vgpu_sm *sm)
{
	sm->timing->finish(sm);
}

bool vgpu_block_repeats(const struct vgpu_block *block)
{
	return block->launch->kind->repeats && block->launch->kind->repeats(block);
}

void vgpu_block_restart(struct vgpu_block *block)
{
	block->launch->kind->restart(block);
}

u64 vgpu_block_ran(const struct vgpu_block *block)
{
	return block->launch->kind->ran(block);
}

bool vgpu_block_stop(struct vgpu_block *block)
{
	block->stopping = !block->launch->kind->stop(block);
	return !block->stopping;
}

void vgpu_sm_detach(struct vgpu_sm *sm, struct vgpu_block *block)
{
	if (block->launch->kind->detach)
		block->launch->kind->detach(block);
	/* it has come, and not ended */
	vgpu_count(vgpu_launch_counters(block->launch, sm->index), VGPU_COUNT_BLOCKS, ~0ull);
	vgpu_sm_remove(sm, block);
	/*
	 * A step with nothing to do does nothing; it must not stand for blocks that are issued
	 * later.
	 */
	if (!sm->resident_count) {
		if (!sm->moving)
			vgpu_event_cancel(sm->sim, &sm->step);
		vgpu_slice_drop(sm, block->launch);
		if (unlikely(sm->trace->on))
			vgpu_sm_trace_warps(sm, 0);
	}
}

static u32 count_warps(const struct vgpu_sm *sm, u32 *waiting)
{
	const struct vgpu_block *block;
	u32 warps = 0;

	*waiting = 0;
	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node)
		if (block->launch->kind->warps)
			warps += block->launch->kind->warps(block, waiting);
	return warps;
}

u32 vgpu_sm_warps(const struct vgpu_sm *sm)
{
	u32 waiting;

	return count_warps(sm, &waiting);
}

void vgpu_sm_trace_warps(struct vgpu_sm *sm, u32 warps)
{
	u32 waiting;

	count_warps(sm, &waiting);
	/* tracing may have been switched on after @warps were counted */
	warps = warps > waiting ? warps - waiting : 0;
	sm->waited |= waiting;
	if (!sm->waited && !sm->traced_warps && !sm->traced_waiting)
		return;		/* without page faults there is nothing to record */
	if (warps == sm->traced_warps && waiting == sm->traced_waiting)
		return;
	sm->traced_warps = warps;
	sm->traced_waiting = waiting;
	vgpu_trace_emit(sm->trace, &(struct vgpu_trace_record){ .type = VGPU_TRACE_SM_WARPS,
								.sm = (u16)sm->index,
								.context = sm->context,
								.a = warps,
								.b = waiting });
}

void vgpu_block_release(struct vgpu_block *block)
{
	if (block->launch->kind->release)
		block->launch->kind->release(block);
}

void vgpu_sm_drain_states(struct vgpu_sm *sm, const struct vgpu_mem_account *memory)
{
	if (sm->run->payer == memory)
		vgpu_warps_drain(sm->run);
}

bool vgpu_sm_move(struct vgpu_sm *sm, const struct vgpu_block *block, u64 bytes)
{
	return sm->timing->move(sm, block, bytes);
}

void vgpu_sm_stop_move(struct vgpu_sm *sm)
{
	if (sm->moving)
		sm->timing->stop_move(sm);
	sm->moving = false;
}

struct vgpu_block_count vgpu_block_count(const struct vgpu_block *block)
{
	if (!block->launch->kernel || !block->warps)
		return (struct vgpu_block_count){};
	return block->warps->executed;
}

void vgpu_block_count_again(struct vgpu_block *block)
{
	struct vgpu_warps *warps = block->launch->kernel ? block->warps : NULL;

	if (!warps)
		return;
	warps->counted += warps->executed.instructions - warps->others;
	warps->others = 0;
	warps->executed = (struct vgpu_block_count){};
}

u64 vgpu_block_index(const struct vgpu_block *block)
{
	const struct vgpu_block_kind *kind = block->launch->kind;

	return kind->index ? kind->index(block) : block->index;
}

u64 vgpu_block_context_bytes(const struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;
	u64 bytes = (u64)launch->regs_per_block * sizeof(u32) + launch->shared_bytes;

	return launch->kind->context_bytes ? bytes + launch->kind->context_bytes(block) : bytes;
}

u64 vgpu_block_dirty_bytes(const struct vgpu_block *block, bool since)
{
	const struct vgpu_block_kind *kind = block->launch->kind;

	return kind->dirty ? kind->dirty(block, since) : vgpu_block_context_bytes(block);
}

bool vgpu_block_checkpoint(struct vgpu_block *block)
{
	return !block->launch->kind->checkpoint || block->launch->kind->checkpoint(block);
}

void vgpu_block_save_rest(struct vgpu_block *block, bool increment)
{
	if (block->launch->kind->save_rest)
		block->launch->kind->save_rest(block, increment);
}

void vgpu_block_take_back(struct vgpu_block *block)
{
	if (block->launch->kind->take_back)
		block->launch->kind->take_back(block);
}

void vgpu_block_forget(struct vgpu_block *block)
{
	if (block->launch->kind->forget)
		block->launch->kind->forget(block);
}

u64 vgpu_sm_wait_time(const struct vgpu_sm *sm)
{
	const struct vgpu_block *block;
	u64 last = 0;

	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node) {
		const struct vgpu_block_kind *kind = block->launch->kind;
		u64 left = kind->wait_left ? kind->wait_left(block) : 0;

		last = left > last ? left : last;
	}
	return last;
}

u64 vgpu_sm_drain_time(const struct vgpu_sm *sm)
{
	const struct vgpu_block *block;
	u64 last = 0;

	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node) {
		u64 left = block->launch->kind->time_left(block);

		last = left > last ? left : last;
	}
	return last;
}
