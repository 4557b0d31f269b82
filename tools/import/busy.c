// SPDX-License-Identifier: MIT
/*
 * Import of timelines: which SMs kernels hold, and when. An SM is one kernel's at a time, as in the
 * device. Kept twice: as the file has it, for the waves in which a kernel really ran; and as the
 * device is expected to do it.
 *
 * The host issues far ahead, and not in the order in which kernels run: so each stream remembers
 * its last kernels, which follow each other, and is asked about a time by bisection.
 */
#include <stdlib.h>

#include "plan.h"

/* What stream @i holds at @time; NULL: nothing */
static const struct imp_held *find_held(const struct imp_busy *busy, u32 i, u64 time)
{
	const struct imp_held *held = busy->streams[i].held;
	u64 high = busy->streams[i].count, low = high > IMP_HELD ? high - IMP_HELD : 0;

	/* the last that had begun */
	while (low < high) {
		u64 middle = low + (high - low) / 2;

		if (held[middle % IMP_HELD].begin <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	held += (low - 1) % IMP_HELD;
	return held->begin <= time && held->end > time ? held : NULL;
}

u32 imp_busy_free(const struct imp_busy *busy, u64 time, u32 sms)
{
	u32 i, sum = 0;

	for (i = 1; i <= WL_STREAMS_MAX; i++) {
		const struct imp_held *held = find_held(busy, i, time);

		sum += held ? held->sms : 0;
	}
	return sum < sms ? sms - sum : 0;
}

u64 imp_busy_next(const struct imp_busy *busy, u64 time)
{
	u64 next = time;
	u32 i;

	for (i = 1; i <= WL_STREAMS_MAX; i++) {
		const struct imp_held *held = find_held(busy, i, time);

		if (held && (next == time || held->end < next))
			next = held->end;
	}
	return next;
}

int imp_busy_add(struct imp_busy *busy, u32 stream, u64 begin, u64 end, u32 sms)
{
	struct imp_held *held = busy->streams[stream].held;

	if (!held) {
		held = calloc(IMP_HELD, sizeof(*held));
		if (!held)
			return -1;
		busy->streams[stream].held = held;
	}
	held[busy->streams[stream].count++ % IMP_HELD] =
		(struct imp_held){ .begin = begin, .end = end, .sms = sms };
	return 0;
}

void imp_busy_free_all(struct imp_busy *busy)
{
	u32 i;

	for (i = 0; i <= WL_STREAMS_MAX; i++)
		free(busy->streams[i].held);
}
