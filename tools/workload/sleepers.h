/* SPDX-License-Identifier: MIT */
/*
 * Workloads: lanes that sleep until a virtual time, in the order in which they wake. Touches
 * nothing but its own memory.
 */
#ifndef WORKLOAD_SLEEPERS_H
#define WORKLOAD_SLEEPERS_H

#include "vgpu_device.h"

struct wl_lane;

/** struct wl_sleeper - a lane and when it wakes; @order: of those that wake at the same time */
struct wl_sleeper {
	u64 time;
	u64 order;
	struct wl_lane *lane;
};

/** struct wl_sleepers - a binary heap, the first to wake at its top */
struct wl_sleepers {
	struct wl_sleeper *heap;
	u32 count;
	u32 room;
};

/* Room for @room lanes. -ENOMEM. */
int wl_sleepers_init(struct wl_sleepers *sleepers, u32 room);
void wl_sleepers_free(struct wl_sleepers *sleepers);
/* @lane, which does not sleep yet, sleeps until @time. */
void wl_sleepers_add(struct wl_sleepers *sleepers, struct wl_lane *lane, u64 time, u64 order);
/* When the first one wakes, VGPU_NEVER: none sleeps. */
u64 wl_sleepers_time(const struct wl_sleepers *sleepers);
/* Take the first one out; there must be one. */
struct wl_lane *wl_sleepers_pop(struct wl_sleepers *sleepers);

#endif
