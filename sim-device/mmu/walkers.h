/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The page table walkers of a device and the miss registers (MSHRs) of its L2 TLB (l2_tlb.h):
 * Tanasic 2.3, table 6.1. A miss needs a register until its translation has come, and a walker for
 * the walk. Where all are in use it waits for the first to be free. Accesses that miss a page for
 * which a walk is in flight wait for that walk.
 *
 * SMs execute slices ahead of time, so misses do not come here in the order of their times. A unit
 * is therefore reserved from the present time on, the beginning of the slice, as paths of the
 * interconnect are (in_place.c): a miss late in one slice does not delay one that is early in
 * another, and no unit does more than it can. Times are in picoseconds; they end at VGPU_NEVER - 1.
 */
#ifndef VGPU_WALKERS_H
#define VGPU_WALKERS_H

#include "units.h"

struct vgpu_config;

/**
 * struct vgpu_walk - when a page table was walked
 * @asked: time of the miss
 * @ready: when the translation has come
 */
struct vgpu_walk {
	u64 asked;
	u64 ready;
};

/**
 * vgpu_walk_ready - when an access that comes at @time has the translation of @walk
 *
 * One that is made known later, but comes earlier, would have been the one that asked: it has the
 * translation after the same time.
 */
static inline u64 vgpu_walk_ready(const struct vgpu_walk *walk, u64 time)
{
	return time < walk->asked ? time + (walk->ready - walk->asked) : walk->ready;
}

/** struct vgpu_mshr - a miss in flight, or the last one of this register */
struct vgpu_mshr {
	u64 page;		/* address >> VGPU_PAGE_SHIFT */
	struct vgpu_walk walk;
	u32 context;		/* 0: nobody may wait for this walk, and it is in no bucket */
	u32 next;		/* the next one in its bucket, from 1; 0: there is none */
};

/** struct vgpu_walkers - the walkers and registers of one device */
struct vgpu_walkers {
	struct vgpu_mshr *mshrs;
	u32 *buckets;		/* of mshrs by page and context: the first one, from 1; 0: none */
	u32 bucket_mask;	/* buckets - 1, a power of two - 1 */
	struct vgpu_units registers;	/* mshrs, by when each may be used for another miss */
	struct vgpu_units walkers;
	u64 walk_ps;
};

/** vgpu_walkers_init - as many as @config has, all free; -ENOMEM, and then nothing is allocated */
int vgpu_walkers_init(struct vgpu_walkers *walkers, const struct vgpu_config *config);
void vgpu_walkers_fini(struct vgpu_walkers *walkers);

/**
 * vgpu_walkers_merge - the walk for a page that is in flight at @time; NULL: there is none
 *
 * Of several the one that ends first: misses late in one slice may have walked again what a miss
 * early in another one waits for.
 */
const struct vgpu_walk *vgpu_walkers_merge(const struct vgpu_walkers *walkers, u32 context,
					   u64 page, u64 time);
/**
 * vgpu_walkers_walk - walk the page table for a miss
 * @context: whose later misses of @page may wait for this walk; 0: nobody's
 * @now: the present time
 * @time: of the miss, @now or later
 * @waited: += time for which the miss waits for a register and a walker
 *
 * The result is valid until the next call.
 */
const struct vgpu_walk *vgpu_walkers_walk(struct vgpu_walkers *walkers, u32 context, u64 page,
					  u64 now, u64 time, u64 *waited);
/**
 * vgpu_walkers_invalidate - from now on nobody waits for walks of @count pages from @first on
 *
 * Registers and walkers stay in use until these walks end.
 */
void vgpu_walkers_invalidate(struct vgpu_walkers *walkers, u32 context, u64 first, u64 count);

#endif
