// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Why a warp scheduler issues nothing in a cycle, and for which launch that is counted
 * (vgpu_counters.h). An SM counts three reasons, of all launches together (issue.c); these are
 * parts of them. A cycle counts for one launch only, however many have warps there:
 *
 *   something could be issued    the launch of the oldest such instruction
 *   all that waits has to wait   that of the warp that came first of those which have some
 *   nothing waits                that of the warp that came first and has not ended
 *
 * Nothing is looked at unless a block is here whose launch is counted.
 */
#include "pipeline.h"

static bool is_exited(const struct vgpu_pipe_warp *pw)
{
	return pw->held & VGPU_HELD_EXITED;
}

/* The warp among @places of each word that came first, of those that have not exited if one has. */
static struct vgpu_pipe_warp *first_warp(const struct vgpu_pipe *p, u64 places, bool queued)
{
	struct vgpu_pipe_warp *first = NULL;

	for (u32 word = 0; word < p->warp_words; word++)
		for (u64 bits = p->used[word] & places; bits; bits &= bits - 1) {
			struct vgpu_pipe_warp *pw =
				p->warps[word * 64 + (u32)__builtin_ctzll(bits)];

			if (queued && !pw->queued)
				continue;
			if (!first || is_exited(pw) < is_exited(first) ||
			    (is_exited(pw) == is_exited(first) && pw->order < first->order))
				first = pw;
		}
	return first;
}

/* The oldest instruction of scheduler @n that only units or queues keep from being issued */
static const struct vgpu_pipe_entry *oldest_ready(const struct vgpu_pipe *p, u32 n)
{
	const struct vgpu_pipe_entry *oldest = NULL;

	for (u32 unit = 0; unit <= VGPU_UNITS; unit++) {
		u32 number = unit < VGPU_UNITS ? p->ready[unit].first : p->refused.first;

		for (; number != VGPU_PIPE_NONE; number = p->entries[number].next) {
			const struct vgpu_pipe_entry *e = &p->entries[number];

			if (vgpu_pipe_scheduler_of(p, e->warp->index) == n &&
			    (!oldest || e->age < oldest->age))
				oldest = e;
		}
	}
	return oldest;
}

/* Has one of the instructions of @pw in @slots to do with global memory? */
static bool has_access(const struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw, u64 slots)
{
	for (; slots; slots &= slots - 1)
		if (p->entries[pw->entry[__builtin_ctzll(slots)]].d.flags &
		    (VGPU_DEC_GLOBAL | VGPU_DEC_FENCE))
			return true;
	return false;
}

static bool faulted(const struct vgpu_pipe_warp *pw)
{
	return pw->held & VGPU_HELD_FAULT || pw->stalled;
}

/* What @pw has in the queue waits for operands. */
static enum vgpu_counter of_data(const struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw)
{
	const struct vgpu_pipe_entry *oldest = NULL;

	for (u64 slots = pw->slots; slots; slots &= slots - 1) {
		const struct vgpu_pipe_entry *e = &p->entries[pw->entry[__builtin_ctzll(slots)]];

		if (e->state == VGPU_ENTRY_WAITING && (!oldest || e->age < oldest->age))
			oldest = e;
	}
	if (faulted(pw))
		return VGPU_COUNT_STALL_FAULT;
	if (oldest && (oldest->wait_store || oldest->wait_alone ||
		       has_access(p, pw, oldest->wait_commit | oldest->wait_read)))
		return VGPU_COUNT_STALL_MEMORY;
	return VGPU_COUNT_STALL_DEPENDENCE;
}

/* @pw has nothing in the queue. */
static enum vgpu_counter of_control(const struct vgpu_pipe *p, u32 n,
				    const struct vgpu_pipe_warp *pw)
{
	u32 held = pw->held;

	if (faulted(pw))
		return VGPU_COUNT_STALL_FAULT;
	if (held & (VGPU_HELD_STOP | VGPU_HELD_EXITED))
		return VGPU_COUNT_STALL_LEAVE;
	if (held & VGPU_HELD_BARRIER)
		return VGPU_COUNT_STALL_BARRIER;
	if (held & VGPU_HELD_MEMORY ||
	    (held & ~(VGPU_HELD_CODE | VGPU_HELD_THROTTLE) && has_access(p, pw, pw->slots)))
		return VGPU_COUNT_STALL_MEMORY;
	if (held & VGPU_HELD_CONTROL)
		return VGPU_COUNT_STALL_BRANCH;
	if (held & (VGPU_HELD_DRAIN | VGPU_HELD_SLOTS))
		return VGPU_COUNT_STALL_DEPENDENCE;
	if (held & VGPU_HELD_THROTTLE)
		return VGPU_COUNT_STALL_THROTTLE;
	if (p->quotas && vgpu_pipe_quotas_barred(p, n, pw->index / 64) >> pw->index % 64 & 1)
		return VGPU_COUNT_STALL_QUOTA;
	return VGPU_COUNT_STALL_FETCH;
}

void vgpu_pipe_count_stall(const struct vgpu_pipe *p, u32 n, enum vgpu_stall stall, u64 cycles)
{
	const struct vgpu_pipe_warp *pw = NULL;
	enum vgpu_counter reason = VGPU_COUNT_STALL_UNIT;

	if (stall == VGPU_STALL_ISSUE) {
		const struct vgpu_pipe_entry *e = oldest_ready(p, n);

		pw = e ? e->warp : NULL;
	} else {
		pw = first_warp(p, vgpu_pipe_places_of(p, n), stall == VGPU_STALL_DATA);
		if (pw)
			reason = stall == VGPU_STALL_DATA ? of_data(p, pw) : of_control(p, n, pw);
	}
	if (!pw) {
		pw = first_warp(p, ~0ull, false);
		reason = VGPU_COUNT_STALL_IDLE;
	}
	if (pw)
		vgpu_count(vgpu_launch_counters(pw->block->launch, p->sm->index), reason, cycles);
}
