// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Context switch (Tanasic 5.2.2): the pipeline of the SM is drained of the instructions in flight,
 * then the contexts of all its thread blocks are saved to memory (exec/save_area.c), which restores
 * them when they are issued again. Blocks that end while the pipeline drains have ended.
 */
#include "../core/device.h"
#include "preempt.h"

static void drained_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	const struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, preempt);

	vgpu_exec_save(dev, (u32)(smst - dev->exec.smst));
}

static void switch_begin(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_event *event = &dev->exec.smst[sm].preempt;
	u64 drained = vgpu_time_after(dev, dev->config.pipeline_drain_ps);
	u64 halted = vgpu_sm_halt(&dev->sms[sm]);

	event->fire = drained_fire;
	vgpu_event_at(dev, event, drained > halted ? drained : halted);
}

const struct vgpu_preemption vgpu_preemption_switch = {
	.name = "switch",
	.begin = switch_begin,
};
