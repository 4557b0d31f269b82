// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Drain, then switch: the SM drains for a set time (knob drain_us), and what is left then is
 * switched. Short blocks cost nothing, long ones delay no longer than that: the combination of both
 * mechanisms that Tanasic 5.4 leaves for the future.
 */
#include "../core/device.h"
#include "preempt.h"

static void patience_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	const struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, preempt);

	vgpu_preemption_switch.begin(dev, (u32)(smst - dev->exec.smst));
}

static void drain_then_switch_begin(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_event *event = &dev->exec.smst[sm].preempt;

	event->fire = patience_fire;
	vgpu_event_after(dev, event, dev->config.drain_ps);
}

const struct vgpu_preemption vgpu_preemption_drain_then_switch = {
	.name = "drain-then-switch",
	.begin = drain_then_switch_begin,
};
