// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The approximate table; see approximate.h.
 */
#include "approximate.h"
#include "h3.h"

static struct vgpu_tm_seen *seen_in(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 way,
				    u64 granule)
{
	return vgpu_tm_approximate(tm, unit) + way * tm->setup.approximate_rows +
	       vgpu_tm_approximate_row(tm, way, granule);
}

void vgpu_tm_approximate_insert(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u64 granule,
				u64 wts, u64 rts)
{
	for (u32 way = 0; way < tm->setup.approximate_ways; way++) {
		struct vgpu_tm_seen *seen = seen_in(tm, unit, way, granule);

		seen->wts = vgpu_tm_later(seen->wts, wts);
		seen->rts = vgpu_tm_later(seen->rts, rts);
	}
}

void vgpu_tm_approximate_find(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u64 granule,
			      u64 *wts, u64 *rts)
{
	*wts = ~0ull;
	*rts = ~0ull;
	for (u32 way = 0; way < tm->setup.approximate_ways; way++) {
		const struct vgpu_tm_seen *seen = seen_in(tm, unit, way, granule);

		if (seen->wts < *wts)
			*wts = seen->wts;
		if (seen->rts < *rts)
			*rts = seen->rts;
	}
}
