// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * SM draining (Tanasic 5.2.2): the SM driver issues no more thread blocks to a reserved SM, and
 * when those that are there have ended naturally it is free. Nothing is saved, nothing restored.
 * How long that takes is up to the blocks: one that never ends is never preempted.
 */
#include "preempt.h"

/* All of it is what the SM driver does with a reserved SM. */
static void drain_begin(struct vgpu_device *dev, u32 sm)
{
	(void)dev;
	(void)sm;
}

const struct vgpu_preemption vgpu_preemption_drain = {
	.name = "drain",
	.begin = drain_begin,
};
