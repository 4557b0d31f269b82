// SPDX-License-Identifier: MIT
/*
 * Workloads: lanes that sleep until a virtual time, as a binary heap.
 */
#include <errno.h>
#include <stdlib.h>

#include "sleepers.h"

static bool is_before(const struct wl_sleeper *a, const struct wl_sleeper *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

int wl_sleepers_init(struct wl_sleepers *sleepers, u32 room)
{
	*sleepers = (struct wl_sleepers){ .room = room };
	sleepers->heap = calloc(room, sizeof(*sleepers->heap));
	return sleepers->heap ? 0 : -ENOMEM;
}

void wl_sleepers_free(struct wl_sleepers *sleepers)
{
	free(sleepers->heap);
	sleepers->heap = NULL;
}

void wl_sleepers_add(struct wl_sleepers *sleepers, struct wl_lane *lane, u64 time, u64 order)
{
	struct wl_sleeper added = { .time = time, .order = order, .lane = lane };
	struct wl_sleeper *heap = sleepers->heap;
	u32 at = sleepers->count++;

	VGPU_CHECK(at < sleepers->room);
	for (; at && is_before(&added, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = added;
}

u64 wl_sleepers_time(const struct wl_sleepers *sleepers)
{
	return sleepers->count ? sleepers->heap[0].time : VGPU_NEVER;
}

struct wl_lane *wl_sleepers_pop(struct wl_sleepers *sleepers)
{
	struct wl_sleeper *heap = sleepers->heap;
	struct wl_lane *first = heap[0].lane;
	struct wl_sleeper last = heap[--sleepers->count];
	u32 at = 0, child;

	/* the last one goes to the top and sinks to its place */
	while ((child = 2 * at + 1) < sleepers->count) {
		if (child + 1 < sleepers->count && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return first;
}
