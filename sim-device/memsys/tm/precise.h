/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the precise table (thesis 002, 4.5.2, figure 4.8)
 *
 * Metadata of granules that transactions in flight have accessed: a cuckoo table, a stash that is
 * looked up in parallel with it, and an overflow area in memory. An insertion takes, of the rows of
 * the granule,
 *
 *   1. a free one;
 *   2. if the table is at least evict_percent full, an unlocked one: what was there goes to the
 *      approximate table;
 *   3. one of them in turn, and goes on with what was there, probes times at most. What is left
 *      over in the end goes to the approximate table if it is not locked; else to the stash, in
 *      place of an entry that is free or not locked, or to the overflow area.
 *
 * An entry of the overflow area goes to the approximate table as soon as it is unlocked. A locked
 * entry is always somewhere.
 */
#ifndef VGPU_TM_PRECISE_H
#define VGPU_TM_PRECISE_H

#include "tm.h"

/** vgpu_tm_precise_find - the entry of @granule; NULL: there is none. Valid until an insertion */
struct vgpu_tm_entry *vgpu_tm_precise_find(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
					   u64 granule, struct vgpu_tm_cost *cost);
/**
 * vgpu_tm_precise_insert - @entry, whose granule has none and has just been looked up
 *
 * False: it is locked and there is no place; nothing has changed.
 */
bool vgpu_tm_precise_insert(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			    const struct vgpu_tm_entry *entry, struct vgpu_tm_cost *cost);
/** vgpu_tm_precise_unlocked - @entry of the table is not locked any more */
void vgpu_tm_precise_unlocked(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			      struct vgpu_tm_entry *entry, struct vgpu_tm_cost *cost);
/** vgpu_tm_locks - how many granules are locked: 0 when no transaction is in flight */
u32 vgpu_tm_locks(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit);

#endif
