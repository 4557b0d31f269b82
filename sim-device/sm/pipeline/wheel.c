// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What ends when: a wheel of lists, one a cycle. What is due further away than the wheel is long
 * waits in a list of its own; that is long misses of the TLB, and few. Numbers below entry_count
 * are instructions, the others are lines of accesses. Within a cycle it is the order of
 * vgpu_pipe_at() that decides.
 */
#include "pipeline.h"

static u16 *link_of(struct vgpu_pipe *p, u32 number)
{
	return number < p->entry_count ? &p->entries[number].next :
					 &p->line_next[number - p->entry_count];
}

/* The list ends with @number. */
static void append(struct vgpu_pipe *p, u16 *at, u32 number)
{
	while (*at != VGPU_PIPE_NONE)
		at = link_of(p, *at);
	*at = (u16)number;
	*link_of(p, number) = VGPU_PIPE_NONE;
}

static void unlink_from(struct vgpu_pipe *p, u16 *at, u32 number)
{
	while (*at != VGPU_PIPE_NONE && *at != number)
		at = link_of(p, *at);
	if (VGPU_CHECK(*at == number))
		*at = *link_of(p, number);
}

static void to_wheel(struct vgpu_pipe *p, u32 number, u64 cycle)
{
	u32 n = (u32)(cycle % VGPU_PIPE_WHEEL);

	p->wheel_used[n / 64] |= 1ull << n % 64;
	append(p, &p->wheel[n], number);
}

void vgpu_pipe_at(struct vgpu_pipe *p, u32 number, u64 cycle)
{
	p->due[number] = cycle;
	if (cycle - p->cycle < VGPU_PIPE_WHEEL) {
		to_wheel(p, number, cycle);
		return;
	}
	append(p, &p->far, number);
	if (cycle < p->far_first)
		p->far_first = cycle;
}

/* What is near enough by now goes to the wheel. */
static void look_far(struct vgpu_pipe *p)
{
	u16 *at = &p->far;

	p->far_first = VGPU_NEVER;
	while (*at != VGPU_PIPE_NONE) {
		u32 number = *at;

		VGPU_CHECK(p->due[number] >= p->cycle);
		if (p->due[number] - p->cycle < VGPU_PIPE_WHEEL) {
			*at = *link_of(p, number);
			to_wheel(p, number, p->due[number]);
			continue;
		}
		if (p->due[number] < p->far_first)
			p->far_first = p->due[number];
		at = link_of(p, number);
	}
}

u32 vgpu_pipe_due(struct vgpu_pipe *p, u64 cycle)
{
	u32 n = (u32)(cycle % VGPU_PIPE_WHEEL), number;

	if (unlikely(p->far_first <= cycle))
		look_far(p);
	number = p->wheel[n];
	if (number == VGPU_PIPE_NONE) {
		p->wheel_used[n / 64] &= ~(1ull << n % 64);
		return VGPU_PIPE_NONE;
	}
	/* no cycle with work is passed over */
	VGPU_CHECK(p->due[number] == cycle);
	p->wheel[n] = *link_of(p, number);
	p->due[number] = VGPU_NEVER;
	return number;
}

void vgpu_pipe_undo(struct vgpu_pipe *p, u32 number)
{
	u64 cycle = p->due[number];
	u32 n = (u32)(cycle % VGPU_PIPE_WHEEL);

	p->due[number] = VGPU_NEVER;
	if (cycle - p->cycle < VGPU_PIPE_WHEEL) {
		u16 at = p->wheel[n];

		while (at != VGPU_PIPE_NONE && at != number)
			at = *link_of(p, at);
		if (at == number) {
			unlink_from(p, &p->wheel[n], number);
			return;
		}
	}
	unlink_from(p, &p->far, number);
}

u64 vgpu_pipe_next_due(const struct vgpu_pipe *p)
{
	u32 begin = (u32)(p->cycle % VGPU_PIPE_WHEEL), words = VGPU_PIPE_WHEEL / 64;

	for (u32 k = 0; k <= words; k++) {
		u32 word = (begin / 64 + k) % words;
		u64 bits = p->wheel_used[word];

		if (!k)
			bits &= ~0ull << begin % 64;
		else if (k == words)
			bits &= (1ull << begin % 64) - 1;
		if (bits) {
			u32 n = word * 64 + (u32)__builtin_ctzll(bits);
			u64 cycle = p->cycle + (n - begin) % VGPU_PIPE_WHEEL;

			return cycle < p->far_first ? cycle : p->far_first;
		}
	}
	return p->far_first;
}
