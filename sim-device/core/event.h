/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The discrete-event core: events ordered by (time, sequence), so that equal times fire in the
 * order in which they were scheduled and a run is the same every time. An event is embedded in what
 * it belongs to.
 */
#ifndef VGPU_EVENT_H
#define VGPU_EVENT_H

#include "tournament.h"

struct vgpu_device;

struct vgpu_event {
	struct vgpu_entrant node;	/* key: when it fires */
	void (*fire)(struct vgpu_device *dev, struct vgpu_event *event);
};

/*
 * @delay from now. The clock ends at VGPU_NEVER - 1: there time stands still, and everything still
 * happens.
 */
u64 vgpu_time_after(const struct vgpu_device *dev, u64 delay);
/*
 * Schedule @event at @time (>= now); if it is scheduled already it moves. Cannot fail: room was
 * reserved.
 */
void vgpu_event_at(struct vgpu_device *dev, struct vgpu_event *event, u64 time);
/* The same, at vgpu_time_after(@delay). */
void vgpu_event_after(struct vgpu_device *dev, struct vgpu_event *event, u64 delay);
/* Take it out; nothing happens if it is not scheduled. */
void vgpu_event_cancel(struct vgpu_device *dev, struct vgpu_event *event);
/* Make room for @count more events that exist at once; pairs with vgpu_event_release(). -ENOMEM. */
int vgpu_event_reserve(struct vgpu_device *dev, u32 count);
void vgpu_event_release(struct vgpu_device *dev, u32 count);

static inline bool vgpu_event_pending(const struct vgpu_event *event)
{
	return vgpu_entrant_is_in(&event->node);
}

/* When a pending event fires. */
static inline u64 vgpu_event_time(const struct vgpu_event *event)
{
	return event->node.key;
}

#endif
