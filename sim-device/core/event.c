// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events of one device: who is next, and the room that was promised.
 */
#include "device.h"

u64 vgpu_time_after(const struct vgpu_device *dev, u64 delay)
{
	u64 left = VGPU_NEVER - 1 - dev->now;

	return dev->now + (delay < left ? delay : left);
}

void vgpu_event_at(struct vgpu_device *dev, struct vgpu_event *event, u64 time)
{
	VGPU_CHECK(time >= dev->now);
	vgpu_tournament_enter(&dev->events, &event->node, time, dev->event_seq++);
}

void vgpu_event_after(struct vgpu_device *dev, struct vgpu_event *event, u64 delay)
{
	vgpu_event_at(dev, event, vgpu_time_after(dev, delay));
}

void vgpu_event_cancel(struct vgpu_device *dev, struct vgpu_event *event)
{
	vgpu_tournament_leave(&dev->events, &event->node);
}

int vgpu_event_reserve(struct vgpu_device *dev, u32 count)
{
	int err = vgpu_tournament_reserve(&dev->events, dev->events_reserved + count);

	if (!err)
		dev->events_reserved += count;
	return err;
}

void vgpu_event_release(struct vgpu_device *dev, u32 count)
{
	VGPU_CHECK(dev->events_reserved >= count);
	dev->events_reserved -= count;
}
