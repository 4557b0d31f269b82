// SPDX-License-Identifier: MIT
/*
 * Import of timelines: which SMs kernels of other streams hold. An SM is one kernel's at a time, as
 * in the device. Kept twice: as the file has it, for the waves in which a kernel really ran; and as
 * the device is expected to do it.
 */
#include "plan.h"

u32 imp_busy_free(struct imp_busy *busy, u64 time, u32 sms)
{
	u32 i, kept = 0, held = 0;

	for (i = 0; i < busy->count; i++) {
		if (busy->running[i].end <= time)
			continue;
		held += busy->running[i].sms;
		busy->running[kept++] = busy->running[i];
	}
	busy->count = kept;
	return held < sms ? sms - held : 0;
}

u64 imp_busy_next(const struct imp_busy *busy, u64 time)
{
	u64 next = time;
	u32 i;

	for (i = 0; i < busy->count; i++)
		if (busy->running[i].end > time && (next == time || busy->running[i].end < next))
			next = busy->running[i].end;
	return next;
}

void imp_busy_add(struct imp_busy *busy, u64 end, u32 sms)
{
	u32 i, first = 0;

	if (busy->count < IMP_RUNNING_MAX) {
		first = busy->count++;
	} else {
		for (i = 1; i < busy->count; i++)
			if (busy->running[i].end < busy->running[first].end)
				first = i;
	}
	busy->running[first].end = end;
	busy->running[first].sms = sms;
}
