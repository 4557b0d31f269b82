/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the approximate table (thesis 002, 4.5.2)
 *
 * A recency Bloom filter: wts and rts of granules that are not in the precise table. Each way is
 * indexed by a hash of its own, and has the latest of all granules that map to an entry; what is
 * found is the earliest of the ways. It is never before what was inserted for this granule: errors
 * cost aborts only. 0 is found for what was never inserted, unless others are in the way.
 */
#ifndef VGPU_TM_APPROXIMATE_H
#define VGPU_TM_APPROXIMATE_H

#include "tm.h"

void vgpu_tm_approximate_insert(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u64 granule,
				u64 wts, u64 rts);
void vgpu_tm_approximate_find(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u64 granule,
			      u64 *wts, u64 *rts);

#endif
