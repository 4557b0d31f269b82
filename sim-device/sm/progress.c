// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How far a compiled block is, and what it will yet take: what mechanisms that choose among ways to
 * free an SM estimate with (Chimera). The time until a block ends is its remaining instructions
 * times its own cycles an instruction so far. How many instructions a block has is the mean of
 * those of its launch that have ended; before the first has, nothing is known.
 *
 * A slice is executed ahead of the time it takes. So what a block has executed is compared with the
 * time at which its slice ends.
 */
#include "warps.h"

void vgpu_progress_begin(struct vgpu_warps *warps)
{
	warps->counted = 0;
	warps->others = warps->executed.instructions;
	warps->ran = 0;
	warps->since = warps->home->sim->now;
}

void vgpu_progress_come(struct vgpu_warps *warps)
{
	warps->since = warps->home->sim->now;
}

void vgpu_progress_leave(struct vgpu_block *block)
{
	block->warps->ran += block->sm->sim->now - block->warps->since;
}

static u64 instructions(const struct vgpu_warps *warps)
{
	return warps->counted + warps->executed.instructions - warps->others;
}

void vgpu_progress_end(const struct vgpu_block *block)
{
	struct vgpu_launch *launch = block->launch;
	const struct vgpu_warps *warps = block->warps;

	launch->ended_blocks++;
	launch->ended_instructions += instructions(warps);
	launch->ended_ps += warps->ran + warps->home->sim->now - warps->since;
}

u64 vgpu_progress_stops_in(const struct vgpu_block *block)
{
	const struct vgpu_sm *sm = block->sm;

	return vgpu_event_pending(&sm->step) ? vgpu_event_time(&sm->step) - sm->sim->now : 0;
}

/* Until the time up to which it has been executed. */
static u64 ahead(const struct vgpu_block *block)
{
	return block->launch->kind->stops_in ? vgpu_progress_stops_in(block) : 0;
}

u64 vgpu_progress_ran(const struct vgpu_block *block)
{
	const struct vgpu_warps *warps = block->warps;

	return warps->ran + block->sm->sim->now - warps->since;
}

u64 vgpu_progress_expected(const struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;
	u64 executed = instructions(block->warps), mean, left;

	/* all of it has been executed */
	if (vgpu_warps_over(block->warps))
		return ahead(block);
	if (!launch->ended_blocks)
		return VGPU_NEVER;
	mean = launch->ended_instructions / launch->ended_blocks;
	if (!executed)
		return launch->ended_ps / launch->ended_blocks;
	left = mean > executed ? mean - executed : 0;
	return ahead(block) +
	       vgpu_mul_div(vgpu_progress_ran(block) + ahead(block), left, executed);
}

u64 vgpu_progress_executed(const struct vgpu_block *block)
{
	return instructions(block->warps);
}

/* ---- since a mark --------------------------------------------------------- */

u64 vgpu_block_mark(const struct vgpu_block *block)
{
	const struct vgpu_block_kind *kind = block->launch->kind;

	return kind->executed ? kind->executed(block) : block->sm->sim->now;
}

u64 vgpu_block_until(const struct vgpu_block *block, u64 mark, u64 count)
{
	const struct vgpu_block_kind *kind = block->launch->kind;
	u64 cycles = vgpu_mul_div(count, VGPU_PS_PER_KCYCLE, block->sm->config->clock_khz);
	u64 now = vgpu_block_mark(block), left, all;

	if (!kind->executed)
		return now - mark < cycles ? cycles - (now - mark) : 0;
	if (now - mark >= count)
		return 0;
	left = count - (now - mark);
	all = now ? vgpu_mul_div(vgpu_block_ran(block) + ahead(block), left, now) : cycles;
	/* one that waits is not asked at every cycle */
	return all > cycles / 16 ? all : cycles / 16 + 1;
}
