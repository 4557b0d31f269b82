/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The shape of an SM's TLB (Tanasic 2.3, table 6.1): sets, of whose entries the one that was used
 * longest ago is replaced, and misses that may be in flight. Part of struct vgpu_tlb (tlb.h).
 *
 * Lanes look pages up in another place, where a hit leaves no trace (tlb.h). So of each set they
 * find there only the page that was used last: using it once more changes nothing in the order. For
 * every other page they return, and its use is seen here.
 *
 * A page is entered when its walk begins, and may be replaced before the walk ends. Who uses it
 * until then waits for that walk.
 */
#ifndef VGPU_L1_TLB_H
#define VGPU_L1_TLB_H

#include "../walkers.h"

/** struct vgpu_tlb_entry - the translation of a page */
struct vgpu_tlb_entry {
	u64 page;		/* address >> VGPU_PAGE_SHIFT, | VGPU_TLB_IN_PLACE; ~0: empty */
	u8 *read;		/* the page's bytes */
	u8 *write;		/* the same, NULL: not yet known to be writable */
};

/** struct vgpu_l1_entry - of a set: what was used last comes first, what is empty last */
struct vgpu_l1_entry {
	struct vgpu_tlb_entry translation;
	struct vgpu_walk walk;	/* which brought it */
};

/** struct vgpu_l1_tlb - sets and miss registers */
struct vgpu_l1_tlb {
	struct vgpu_l1_entry *entries;	/* sets of @ways; NULL: no such limits */
	u32 sets;
	u32 ways;
	struct vgpu_units registers;	/* none: no limit to misses in flight */
};

/** vgpu_l1_init - an empty one of the shape that @config gives, or none; -ENOMEM */
int vgpu_l1_init(struct vgpu_l1_tlb *l1, const struct vgpu_config *config);
void vgpu_l1_fini(struct vgpu_l1_tlb *l1);
void vgpu_l1_flush(struct vgpu_l1_tlb *l1);

/** vgpu_l1_set - the entries of the set in which @page may be; the first was used last */
static inline struct vgpu_l1_entry *vgpu_l1_set(const struct vgpu_l1_tlb *l1, u64 page)
{
	return l1->entries + page % l1->sets * l1->ways;
}

/** vgpu_l1_find - the number of @page's entry in its set; as many as ways: it has none */
u32 vgpu_l1_find(const struct vgpu_l1_tlb *l1, u64 page);
/** vgpu_l1_first - entry @n of the set of @page is used: it becomes the first */
void vgpu_l1_first(struct vgpu_l1_tlb *l1, u64 page, u32 n);
/** vgpu_l1_drop - drop the entry of @page, if there is one */
bool vgpu_l1_drop(struct vgpu_l1_tlb *l1, u64 page);

/**
 * vgpu_l1_wait - how long a miss waits for a register, in addition to @elapsed
 * @now: the present time, the beginning of the slice
 * @elapsed: time from then to the miss
 */
u64 vgpu_l1_wait(struct vgpu_l1_tlb *l1, u64 now, u64 elapsed);
/**
 * vgpu_l1_miss - the miss uses the register for @ps, until its translation has come
 * @from: when it begins, unless the register is free later. If misses may come in any order: the
 *   present time
 */
void vgpu_l1_miss(struct vgpu_l1_tlb *l1, u64 from, u64 ps);

#endif
