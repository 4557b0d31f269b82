// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Temporal conflict detection; see tcd.h.
 */
#include "../h3.h"
#include "lwhr.h"
#include "tcd.h"

static u64 *row_of(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u32 way, u64 address)
{
	u64 granule = address / wtm->setup.tcd_bytes;

	return vgpu_wtm_times(wtm, unit) + way * wtm->setup.tcd_rows +
	       vgpu_tm_h3_row(wtm->h3[VGPU_WTM_H3_TCD + way], granule, wtm->setup.tcd_rows);
}

void vgpu_tcd_store(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address, u64 now)
{
	for (u32 way = 0; way < wtm->setup.tcd_ways; way++) {
		u64 *row = row_of(wtm, unit, way, address);

		*row = vgpu_tm_later(*row, now + 1);
	}
}

u64 vgpu_tcd_load(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address)
{
	u64 stored = ~0ull;

	if (wtm->setup.tcd == VGPU_TCD_PENDING &&
	    vgpu_lwhr_find(wtm, unit, address) > unit->left)
		return stored;
	for (u32 way = 0; way < wtm->setup.tcd_ways; way++) {
		const u64 *row = row_of(wtm, unit, way, address);

		if (*row < stored)
			stored = *row;
	}
	return stored;
}

void vgpu_tcd_start(const struct vgpu_wtm *wtm, struct vgpu_tcd_reads *reads, u64 now)
{
	if (reads->has_begun && wtm->setup.fault != VGPU_WTM_TCD_LATE)
		return;
	reads->has_begun = true;
	reads->start = now;
}

void vgpu_tcd_answer(struct vgpu_tcd_reads *reads, u64 stored)
{
	reads->latest = vgpu_tm_later(reads->latest, stored);
}

bool vgpu_tcd_is_silent(const struct vgpu_wtm *wtm, const struct vgpu_tcd_reads *reads)
{
	return wtm->setup.tcd != VGPU_TCD_OFF && reads->latest <= reads->start;
}
