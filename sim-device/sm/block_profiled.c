/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Profiled blocks: no code, one event at the end of a time that is drawn when the block first starts.
 *
 * Distribution: mean block_ps, coefficient of variation block_cv_permille / 1000, roughly normal: the sum of four uniform
 * 16-bit numbers, all from one draw. Four uniforms reach 3.46 standard deviations and no further, so up to a coefficient
 * of 0.288 nothing is cut off; beyond it the tails are cut on both sides alike, at 0 and at twice the mean, so that the mean stays right.
 * A kernel without variation draws nothing.
 */
#include "../core/device.h"

/* Of the sum of four uniform numbers 0..65535: the mean, and the standard deviation 2 * sqrt((2^32 - 1) / 12). */
#define SUM_MEAN	131070
#define SUM_DEVIATION	37837u

static u64 draw(struct vgpu_device *dev, const struct vgpu_launch *launch)
{
	u64 bits = vgpu_random_next(&dev->random);
	s64 sum = (s64)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48)) - SUM_MEAN;
	u64 away = vgpu_mul_div(launch->block_ps, (u64)(sum < 0 ? -sum : sum) * launch->block_cv_permille,
				1000ull * SUM_DEVIATION);

	if (away >= launch->block_ps)
		away = launch->block_ps - 1;
	return sum < 0 ? launch->block_ps - away : launch->block_ps + away;
}

static void end_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	struct vgpu_block *block = vgpu_container_of(event, struct vgpu_block, end);
	struct vgpu_sm *sm = block->sm;

	vgpu_sm_remove(sm, block);
	vgpu_exec_block_done(dev, sm, block);
}

void vgpu_profiled_issue(struct vgpu_block *block)
{
	struct vgpu_device *dev = block->sm->dev;
	u64 time = block->remaining_ps;

	if (!time)
		time = block->launch->block_cv_permille ? draw(dev, block->launch) : block->launch->block_ps;
	block->end.fire = end_fire;
	vgpu_event_after(dev, &block->end, time);
}

void vgpu_profiled_detach(struct vgpu_block *block)
{
	struct vgpu_device *dev = block->sm->dev;

	/* At least 1: a block that has not ended has time left, and 0 says that it never started. */
	block->remaining_ps = vgpu_event_time(&block->end) - dev->now;
	if (!block->remaining_ps)
		block->remaining_ps = 1;
	vgpu_event_cancel(dev, &block->end);
}
