// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Profiled blocks that touch memory: a time, as in block_profiled.c, and accesses on the way, which
 * may be page faults (Tanasic 2.1, 6.4).
 *
 * A block runs for a time of its own, drawn when it first starts. At 0 / touches, 1 / touches, ...
 * of it the block touches the next part of its memory, all pages of it by one instruction of one
 * warp. Where a page is not there the whole block waits, and its own time stands: as if its other
 * warps were at a barrier. It can be saved meanwhile. When the page has come it makes the access
 * again, if it is on an SM, else when it is back on one.
 *
 * Throttled, a block advances no more, and a page that comes meanwhile is touched when it goes on.
 *
 * For the classifier of its context a touch is what it is for the MMU: an instruction, whose lanes
 * have a page each, so it touches as many lines of 128 bytes.
 *
 * No bytes are read or written. What an access costs (a page walk, or the interconnect where a page
 * is used in place) is added to the time that the block takes.
 *
 * One event a block: these kernels are studied for their faults, each of which costs more than
 * that.
 */
#include "../sim/work.h"
#include "sm.h"

/* Bytes that a lane accesses in its page. */
#define BYTES	4u

/**
 * struct vgpu_touching - how far a block is
 * @event: it touches the next part, or ends; pending while it advances on an SM
 * @waiter: linked while it waits for a page
 * @block: whose it is
 * @home: the SM where it is, or was last
 * @time: its own time altogether
 * @left: while @event is not pending: from now until the next touch or the end
 * @touch: number of touches made
 * @lane: of the next one, pages that were there already
 * @crossing: ... of which these are on the host: bit per page
 * @cost: ... and what they cost
 */
struct vgpu_touching {
	struct vgpu_event event;
	struct vgpu_page_waiter waiter;
	struct vgpu_block *block;
	struct vgpu_sm *home;
	u64 time;
	u64 left;
	u32 touch;
	u32 lane;
	u32 crossing;
	u64 cost;
};

static bool is_waiting(const struct vgpu_touching *t)
{
	return vgpu_list_linked(&t->waiter.node);
}

static void trace_warps(struct vgpu_sm *sm)
{
	if (unlikely(sm->trace->on))
		vgpu_sm_trace_warps(sm, vgpu_sm_warps(sm));
}

/* ---- accesses ----------------------------------------------------------- */

static void report_fault(struct vgpu_touching *t, u64 address, u32 reason)
{
	struct vgpu_block *block = t->block;
	struct vgpu_fault fault = {
		.reason = reason,
		.block = { (u32)block->index, 0, 0 },
		.address = address,
		.bytes = BYTES,
		.write = block->launch->touch_write,
	};

	block->sm->env->ops->block_fault(block->sm, block, &fault);
}

/*
 * Make the access, one page after the other. What was there need not be there any longer when the
 * last one is: else an access whose pages do not all fit into VRAM would never end.
 */
static enum vgpu_access_result make_access(struct vgpu_touching *t)
{
	const struct vgpu_block *block = t->block;
	const struct vgpu_launch *launch = block->launch;
	u64 bytes = (u64)launch->touches * launch->touch_bytes, address[32];
	u32 pages = launch->touch_bytes >> VGPU_PAGE_SHIFT, work = 0;
	struct vgpu_access_answer answer = { .fault = VGPU_FAULT_NONE };
	enum vgpu_access_result result = VGPU_ACCESS_OK;
	struct vgpu_access access = {
		.kind = launch->touch_write ? VGPU_ACCESS_STORE : VGPU_ACCESS_LOAD,
		.lanes = ~0u >> (32 - pages),
		.bytes = BYTES,
		.sm = block->sm->index,
		.kernel = launch->id,
		.counters = vgpu_launch_counters(launch, block->sm->index),
		.address = address,
	};

	for (u32 n = 0; n < pages; n++)
		address[n] = launch->touch_address + block->index * bytes +
			     (u64)t->touch * launch->touch_bytes + n * VGPU_PAGE_SIZE;
	while (t->lane < pages) {
		access.lane = t->lane;
		result = vgpu_mmu_access(launch->as, &access, &t->waiter, &answer);
		work += VGPU_WORK_TRANSLATION + answer.faults * VGPU_WORK_FAULT;
		if (result != VGPU_ACCESS_OK)
			break;
		/* with an L2 TLB the misses of an instruction are in flight together */
		if (!block->sm->config->l2_tlb_entries)
			t->cost += answer.cost_ps;
		else if (t->cost < answer.cost_ps)
			t->cost = answer.cost_ps;
		if (answer.in_place)
			t->crossing |= 1u << t->lane;
		t->lane++;
	}
	vgpu_work_add(launch->work, work);
	if (result == VGPU_ACCESS_OK && t->crossing)
		t->cost += vgpu_mmu_cross(launch->as, &access, t->crossing, t->cost).cost_ps;
	if (result == VGPU_ACCESS_FAULT)
		report_fault(t, address[answer.lane], answer.fault);
	return result;
}

/* The last access is over. */
static void count_access(const struct vgpu_touching *t)
{
	const struct vgpu_launch *launch = t->block->launch;
	u64 bytes = (u64)launch->touches * launch->touch_bytes;
	u64 first = launch->touch_address + t->block->index * bytes +
		    (u64)t->touch * launch->touch_bytes;

	if (likely(!launch->counts || !launch->counts->on))
		return;
	launch->counts->accesses++;
	launch->counts->lines += launch->touch_bytes >> VGPU_PAGE_SHIFT;
	launch->counts->pages += ((first + launch->touch_bytes - 1) >> VGPU_COUNTED_PAGE_SHIFT) -
				 (first >> VGPU_COUNTED_PAGE_SHIFT) + 1;
}

/* ---- advancing ---------------------------------------------------------- */

/* Of its own time, when it makes touch @number, or ends. */
static u64 time_of(const struct vgpu_touching *t, u32 number)
{
	return vgpu_mul_div(t->time, number, t->block->launch->touches);
}

static void advance(struct vgpu_touching *t)
{
	vgpu_event_after(t->home->sim, &t->event, t->left);
}

/* It advances no more: how far it is from what comes next is kept. */
static void pause(struct vgpu_touching *t)
{
	if (!vgpu_event_pending(&t->event))
		return;
	t->left = vgpu_event_time(&t->event) - t->home->sim->now;
	vgpu_event_cancel(t->home->sim, &t->event);
}

static void touching_fire(struct vgpu_event *event)
{
	struct vgpu_touching *t = vgpu_container_of(event, struct vgpu_touching, event);
	struct vgpu_block *block = t->block;
	struct vgpu_sm *sm = block->sm;

	t->left = 0;
	if (block->launch->stopped)
		return;
	if (t->touch == block->launch->touches) {
		vgpu_sm_remove(sm, block);
		trace_warps(sm);
		sm->env->ops->block_done(sm, block);
		return;
	}
	switch (make_access(t)) {
	case VGPU_ACCESS_OK:
		count_access(t);
		t->left = t->cost + time_of(t, t->touch + 1) - time_of(t, t->touch);
		t->touch++;
		t->lane = 0;
		t->crossing = 0;
		t->cost = 0;
		advance(t);
		trace_warps(sm);
		return;
	case VGPU_ACCESS_PENDING:
		trace_warps(sm);
		/* the block may leave now */
		sm->env->ops->blocks_wait(sm);
		return;
	case VGPU_ACCESS_FAULT:
		return;
	}
}

/* The page has come, or never will. The block may be anywhere. */
static void page_came(struct vgpu_page_waiter *waiter)
{
	struct vgpu_touching *t = vgpu_container_of(waiter, struct vgpu_touching, waiter);
	const struct vgpu_sm *sm = t->block->sm;

	if (sm && !sm->halted && !t->block->throttled)
		advance(t);
	t->home->env->ops->block_ready(t->home, t->block);
}

/* ---- the kind ----------------------------------------------------------- */

static int touching_start(struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;
	struct vgpu_touching *t = block->touching;

	if (t) {
		t->home = block->sm;
		return 0;
	}
	t = vgpu_mem_alloc(launch->memory, sizeof(*t));
	if (!t)
		return -ENOMEM;
	if (vgpu_event_reserve(block->sm->sim, 1)) {
		vgpu_mem_free(launch->memory, t, sizeof(*t));
		return -ENOMEM;
	}
	t->event.fire = touching_fire;
	t->event.account = launch->memory;
	t->waiter.wake = page_came;
	t->block = block;
	t->home = block->sm;
	t->time = vgpu_profiled_time(block->sm, launch);
	block->touching = t;
	return 0;
}

static void touching_issue(struct vgpu_block *block)
{
	if (!is_waiting(block->touching))
		advance(block->touching);
	trace_warps(block->sm);
}

static void touching_detach(struct vgpu_block *block)
{
	pause(block->touching);
}

static bool touching_stop(struct vgpu_block *block)
{
	(void)block;
	return true;
}

static void touching_halt(struct vgpu_block *block)
{
	pause(block->touching);
}

static void touching_throttle(struct vgpu_block *block)
{
	struct vgpu_touching *t = block->touching;

	if (block->throttled)
		pause(t);
	else if (!block->sm->halted && !is_waiting(t) && !vgpu_event_pending(&t->event))
		advance(t);
}

static void touching_release(struct vgpu_block *block)
{
	struct vgpu_touching *t = block->touching;
	struct vgpu_sim *sim;

	if (!t)
		return;
	sim = t->home->sim;
	vgpu_event_cancel(sim, &t->event);
	vgpu_event_release(sim, 1);
	vgpu_page_waiter_cancel(&t->waiter);
	vgpu_mem_free(block->launch->memory, t, sizeof(*t));
	block->touching = NULL;
}

/* Which touches will be faults is not known. */
static u64 touching_time_left(const struct vgpu_block *block)
{
	const struct vgpu_touching *t = block->touching;

	if (t->touch < block->launch->touches)
		return VGPU_NEVER;
	return vgpu_event_pending(&t->event) ? vgpu_event_time(&t->event) - t->home->sim->now :
					       t->left;
}

/* Of its own time, how much is over. */
static u64 touching_ran(const struct vgpu_block *block)
{
	const struct vgpu_touching *t = block->touching;
	u64 over = time_of(t, t->touch), part, left;

	if (!t->touch || is_waiting(t))
		return over;
	part = over - time_of(t, t->touch - 1);
	left = vgpu_event_pending(&t->event) ? vgpu_event_time(&t->event) - t->home->sim->now :
					       t->left;
	/* at most: what is left may have the cost of the access in it */
	return over - (left < part ? left : part);
}

/* Without faults to come, and what accesses cost. */
static u64 touching_expected(const struct vgpu_block *block)
{
	const struct vgpu_touching *t = block->touching;
	u64 wait = is_waiting(t) ? vgpu_fault_left(&t->waiter) : 0;

	return wait == VGPU_NEVER ? wait : wait + t->time - touching_ran(block);
}

static bool touching_repeats(const struct vgpu_block *block)
{
	return vgpu_profiled_repeats(block->launch, touching_ran(block), block->touching->time);
}

/* It keeps the time that was drawn for it. */
static void touching_restart(struct vgpu_block *block)
{
	struct vgpu_touching *t = block->touching;

	vgpu_event_cancel(t->home->sim, &t->event);
	vgpu_page_waiter_cancel(&t->waiter);
	t->left = 0;
	t->touch = 0;
	t->lane = 0;
	t->crossing = 0;
	t->cost = 0;
}

static enum vgpu_block_wait touching_waits(const struct vgpu_block *block)
{
	const struct vgpu_touching *t = block->touching;

	return t && is_waiting(t) ? VGPU_WAIT_ALL : VGPU_WAIT_NONE;
}

static u64 touching_wait_left(const struct vgpu_block *block)
{
	return vgpu_fault_left(&block->touching->waiter);
}

static u32 touching_warps(const struct vgpu_block *block, u32 *waiting)
{
	*waiting += touching_waits(block) == VGPU_WAIT_ALL ? block->launch->warps : 0;
	return block->launch->warps;
}

const struct vgpu_block_kind vgpu_block_touching = {
	.name = "touching",
	.start = touching_start,
	.issue = touching_issue,
	.detach = touching_detach,
	.release = touching_release,
	.stop = touching_stop,
	.halt = touching_halt,
	.throttle = touching_throttle,
	.time_left = touching_time_left,
	.waits = touching_waits,
	.wait_left = touching_wait_left,
	.warps = touching_warps,
	.repeats = touching_repeats,
	.restart = touching_restart,
	.ran = touching_ran,
	.expected = touching_expected,
	.dirty = vgpu_profiled_dirty,
};
