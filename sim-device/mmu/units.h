/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Units of which there are many and each of which is in use until a time of its own: miss registers
 * and page table walkers. The one that is free first is known without a search.
 */
#ifndef VGPU_UNITS_H
#define VGPU_UNITS_H

#include "../sim/pqueue.h"

/** struct vgpu_units - @count units; zero before vgpu_units_init() */
struct vgpu_units {
	struct vgpu_pqueue by_time;
	struct vgpu_pq_entry *units;
	u32 count;
};

/** vgpu_units_init - @count units, at least one, that are free; -ENOMEM: nothing is allocated */
int vgpu_units_init(struct vgpu_units *units, u32 count);
void vgpu_units_fini(struct vgpu_units *units);
/** vgpu_units_reserve - unit @n is in use until @free */
void vgpu_units_reserve(struct vgpu_units *units, u32 n, u64 free);

/** vgpu_units_first - the unit that is free first, of several that of the lowest number */
static inline u32 vgpu_units_first(struct vgpu_units *units)
{
	return (u32)(vgpu_pqueue_first(&units->by_time) - units->units);
}

/** vgpu_units_free - from when on unit @n is free */
static inline u64 vgpu_units_free(const struct vgpu_units *units, u32 n)
{
	return units->units[n].key;
}

/** vgpu_units_idle - how many are free at @time; @next: when one more is, VGPU_NEVER: none */
u32 vgpu_units_idle(const struct vgpu_units *units, u64 time, u64 *next);

#endif
