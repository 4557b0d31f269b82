// SPDX-License-Identifier: MIT
/*
 * Thread blocks for which a preemption mechanism has chosen how they leave an SM
 * (docs/preemption.md): what it expected of that, and what came of it.
 */
#include <stdlib.h>

#include "trace.h"

/** struct leaver - a block that has been told, and has not left */
struct leaver {
	uint64_t block, latency, lost;
	uint32_t kernel, how;
};

static const char *const way_names[VGPU_LEAVES] = {
	[VGPU_LEAVE_NONE] = "other",
	[VGPU_LEAVE_DRAIN] = "drain",
	[VGPU_LEAVE_SAVE] = "switch",
	[VGPU_LEAVE_FLUSH] = "flush",
};

const char *trace_way_name(unsigned int way)
{
	return way_names[way < VGPU_LEAVES ? way : VGPU_LEAVE_NONE];
}

static int told(struct trace *t, const struct vgpu_trace_record *rec)
{
	struct leaver *leavers;

	if (trace_array_grow(&t->leavers, &t->leaver_room, t->leaver_count, sizeof(*leavers)))
		return -1;
	leavers = t->leavers;
	leavers[t->leaver_count++] = (struct leaver){
		.block = rec->seq,
		.latency = rec->a,
		.lost = rec->b,
		.kernel = rec->kernel,
		.how = rec->queue < VGPU_LEAVES ? rec->queue : VGPU_LEAVE_NONE,
	};
	return 0;
}

static void left(struct trace *t, const struct vgpu_trace_record *rec)
{
	struct leaver *leavers = t->leavers;

	for (size_t i = 0; i < t->leaver_count; i++) {
		struct ways *ways = &t->ways[leavers[i].how];

		if (leavers[i].kernel != rec->kernel || leavers[i].block != rec->seq)
			continue;
		ways->count++;
		ways->otherwise += rec->queue != leavers[i].how;
		if (leavers[i].latency == UINT64_MAX) {
			ways->unknown++;
		} else {
			ways->estimated += leavers[i].latency;
			ways->latency += rec->a;
		}
		ways->lost_estimated += leavers[i].lost;
		ways->lost += rec->b;
		leavers[i] = leavers[--t->leaver_count];
		return;
	}
	t->unmatched++;
}

int trace_leave(struct trace *t, const struct vgpu_trace_record *rec)
{
	if (rec->type == VGPU_TRACE_LEAVE_CHOSEN)
		return told(t, rec);
	left(t, rec);
	return 0;
}
