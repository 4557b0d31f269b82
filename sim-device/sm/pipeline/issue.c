// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Issue: up to issue_width instructions a cycle, of one or several warps, the oldest first of those
 * whose operands are free (scoreboard.c) and for which a unit is. An access to global memory needs
 * a place among those in flight, too, and what the scheme wants for it.
 */
#include "scheme.h"

static void refuse(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_warp *pw = e->warp;

	vgpu_pipe_list_remove(p, &p->ready[e->d.unit], e);
	p->ready_count--;
	e->state = VGPU_ENTRY_REFUSED;
	vgpu_pipe_list_add(p, &p->refused, e);
	pw->moving--;
	vgpu_pipe_block(pw->block)->moving--;
	/* what it waits for may be held by what waits for a page */
	if (pw->held & (VGPU_HELD_FAULT | VGPU_HELD_STOP) && !pw->moving)
		vgpu_pipe_settle(p, pw);
}

static bool admit(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	if (!(e->d.flags & VGPU_DEC_GLOBAL))
		return true;
	if (!p->accesses_free || (p->scheme->admit && !p->scheme->admit(p, e))) {
		refuse(p, e);
		return false;
	}
	p->accesses_free--;
	return true;
}

static void issue(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_warp *pw = e->warp;

	vgpu_pipe_list_remove(p, &p->ready[e->d.unit], e);
	p->ready_count--;
	p->queued--;
	p->queued_of[vgpu_pipe_scheduler_of(p, pw->index)]--;
	pw->queued--;
	e->state = VGPU_ENTRY_ISSUED;
	e->stage[VGPU_STAGE_ISSUE] = p->cycle;
	e->next = VGPU_PIPE_NONE;
	e->prev = p->reading.last;
	if (p->reading.last == VGPU_PIPE_NONE)
		p->reading.first = (u16)e->number;
	else
		p->entries[p->reading.last].next = (u16)e->number;
	p->reading.last = (u16)e->number;
	if (unlikely(p->lines))
		vgpu_lines_issue(p, e);
	if (e->d.flags & VGPU_DEC_DIVIDE)
		p->special_free = p->cycle + p->config->divide_interval;
	if (e->d.flags & VGPU_DEC_GLOBAL) {
		pw->unsent += e->d.flags & VGPU_DEC_WRITES ? 1 : 0;
		if (p->scheme->issued)
			p->scheme->issued(p, e);
	} else if (e->d.flags & VGPU_DEC_MEMORY) {
		vgpu_pipe_fetch_on(p, e);
	}
	if (pw->last_unissued == e->number)
		pw->last_unissued = VGPU_PIPE_NONE;
	if (e->follower != VGPU_PIPE_NONE) {
		struct vgpu_pipe_entry *follower = &p->entries[e->follower];

		follower->wait_issue = false;
		vgpu_pipe_try(p, follower);
	}
}

/* The first that is ready for @unit, of a scheduler that has a slot left; NULL: there is none. */
static struct vgpu_pipe_entry *first_with_slot(struct vgpu_pipe *p, u32 unit, const u32 *slots)
{
	u32 number = p->ready[unit].first;

	while (number != VGPU_PIPE_NONE &&
	       !slots[vgpu_pipe_scheduler_of(p, p->entries[number].warp->index)])
		number = p->entries[number].next;
	return number == VGPU_PIPE_NONE ? NULL : &p->entries[number];
}

/* The schedulers that have an instruction which could be issued, but for what others take. */
static u32 schedulers_ready(const struct vgpu_pipe *p)
{
	const struct vgpu_pipe_entry *e;
	u32 map = 0;

	for (u32 unit = 0; unit <= VGPU_UNITS; unit++) {
		u32 number = unit < VGPU_UNITS ? p->ready[unit].first : p->refused.first;

		for (; number != VGPU_PIPE_NONE; number = e->next) {
			e = &p->entries[number];
			map |= 1u << vgpu_pipe_scheduler_of(p, e->warp->index);
		}
	}
	return map;
}

/* The schedulers of @idle issue nothing for so many cycles. */
static void count_stalls(struct vgpu_pipe *p, u32 idle, u64 cycles)
{
	u32 ready = p->ready_count || p->refused.first != VGPU_PIPE_NONE ? schedulers_ready(p) : 0;

	for (; idle; idle &= idle - 1) {
		u32 n = (u32)__builtin_ctz(idle);
		enum vgpu_stall why = !p->queued_of[n] ? VGPU_STALL_CONTROL :
				      ready >> n & 1   ? VGPU_STALL_ISSUE :
							 VGPU_STALL_DATA;

		p->sm->stalls[why] += cycles;
		if (unlikely(p->lines))
			vgpu_lines_stall(p, n, why, cycles);
		if (unlikely(p->sm->counted))
			vgpu_pipe_count_stall(p, n, why, cycles);
	}
}

void vgpu_pipe_stall(struct vgpu_pipe *p, u64 cycles)
{
	if (cycles && vgpu_pipe_has_warps(p))
		count_stalls(p, (1u << p->config->warp_schedulers) - 1, cycles);
}

/* The first that a scheduler issues in a cycle is whom the cycle counts for. */
static void count_issue(const struct vgpu_pipe *p, const struct vgpu_pipe_entry *e,
			const u32 *slots)
{
	u32 each = p->config->issue_width / p->config->warp_schedulers;

	if (slots[vgpu_pipe_scheduler_of(p, e->warp->index)] == each)
		vgpu_count(vgpu_launch_counters(e->warp->block->launch, p->sm->index),
			   VGPU_COUNT_ISSUE_ACTIVE, 1);
}

static void issue_some(struct vgpu_pipe *p, u32 *slots)
{
	u32 left[VGPU_UNITS];

	memcpy(left, p->units, sizeof(left));
	if (p->special_free > p->cycle)
		left[VGPU_UNIT_SPECIAL] = 0;
	for (u32 n = 0; n < p->config->issue_width;) {
		struct vgpu_pipe_entry *oldest = NULL;

		for (u32 unit = 0; unit < VGPU_UNITS; unit++) {
			struct vgpu_pipe_entry *e;

			if (!left[unit])
				continue;
			e = first_with_slot(p, unit, slots);
			if (!e)
				continue;
			if (!oldest || e->age < oldest->age)
				oldest = e;
		}
		if (!oldest)
			return;
		if (!admit(p, oldest))
			continue;
		left[oldest->d.unit]--;
		if (unlikely(p->sm->counted))
			count_issue(p, oldest, slots);
		slots[vgpu_pipe_scheduler_of(p, oldest->warp->index)]--;
		n++;
		issue(p, oldest);
		if (oldest->d.flags & VGPU_DEC_DIVIDE)
			left[VGPU_UNIT_SPECIAL] = 0;
	}
}

void vgpu_pipe_issue(struct vgpu_pipe *p)
{
	u32 schedulers = p->config->warp_schedulers, each = p->config->issue_width / schedulers;
	u32 slots[VGPU_PIPE_SCHEDULERS], idle = 0;

	for (u32 n = 0; n < schedulers; n++)
		slots[n] = each;
	issue_some(p, slots);
	for (u32 n = 0; n < schedulers; n++)
		idle |= (slots[n] == each) << n;
	if (idle)
		count_stalls(p, idle, 1);
}

u64 vgpu_pipe_next_issue(const struct vgpu_pipe *p)
{
	if (p->reading.first != VGPU_PIPE_NONE)
		return p->cycle;
	if (!p->ready_count)
		return VGPU_NEVER;
	if (p->special_free > p->cycle && p->ready[VGPU_UNIT_MATH].first == VGPU_PIPE_NONE &&
	    p->ready[VGPU_UNIT_LDST].first == VGPU_PIPE_NONE &&
	    p->ready[VGPU_UNIT_BRANCH].first == VGPU_PIPE_NONE)
		return p->special_free;
	return p->cycle;
}
