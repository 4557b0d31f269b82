/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The L2 TLB, which all SMs share (Tanasic 2.3, table 6.1): set associative, the entry of a set
 * that was used longest ago is replaced. An entry is of one page of one context. What an SM's own
 * TLB (tlb.h) does not have is looked up here; what is not here is found by a page table walker
 * (walkers.h), and is here then.
 *
 * It says what a translation costs and nothing else: where a page is comes from the page table in
 * any case. So an entry has no address of a frame; but it goes with the translation, by
 * vgpu_l2_tlb_invalidate(), or a page that was mapped again would be found without a walk. All code
 * runs in one thread.
 */
#ifndef VGPU_L2_TLB_H
#define VGPU_L2_TLB_H

#include "../walkers.h"

/** struct vgpu_l2_entry - a translation */
struct vgpu_l2_entry {
	u64 page;		/* address >> VGPU_PAGE_SHIFT */
	struct vgpu_walk walk;	/* by which it was found */
	u64 used;		/* number of the lookup that used it last */
	u32 context;		/* 0: empty */
};

/** struct vgpu_l2_tlb - the L2 TLB of a device, and the walkers behind it */
struct vgpu_l2_tlb {
	struct vgpu_l2_entry *entries;	/* sets of @ways; NULL: there is none */
	u32 sets;
	u32 ways;
	u64 lookup_ps;
	u64 lookups;
	struct vgpu_walkers walkers;
};

/**
 * struct vgpu_translations - what translations of an address space have cost so far
 * @misses: of TLBs of SMs
 * @l2_hits: of these, those that the L2 TLB had
 * @l2_misses: those that it had not
 * @walks: of page tables; a miss that waited for the walk of another has none
 * @waited: time that misses waited for registers, of SMs too, and walkers
 */
struct vgpu_translations {
	u64 misses;
	u64 l2_hits;
	u64 l2_misses;
	u64 walks;
	u64 waited;
};

/**
 * vgpu_l2_tlb_init - an empty one of the shape that @config gives, or none; -ENOMEM
 *
 * config->l2_tlb_entries 0: none, and no walkers.
 */
int vgpu_l2_tlb_init(struct vgpu_l2_tlb *tlb, const struct vgpu_config *config);
void vgpu_l2_tlb_fini(struct vgpu_l2_tlb *tlb);

/**
 * vgpu_l2_tlb_lookup - translate a page that the TLB of an SM does not have
 * @now: the present time, the beginning of the slice
 * @elapsed: time from then to the miss
 * @enter: the translation may be in TLBs: it is entered here, and others may wait for its walk
 * @count: what this costs is added to it
 *
 * Returns the time from the miss until the SM has the translation: that of the lookup if it is
 * here; else also until its walk ends, which may be in flight, or has to wait for a register or a
 * walker.
 */
u64 vgpu_l2_tlb_lookup(struct vgpu_l2_tlb *tlb, u32 context, u64 page, u64 now, u64 elapsed,
		       bool enter, struct vgpu_translations *count);
/** vgpu_l2_tlb_invalidate - drop the entries of @context of @count pages from @first on */
void vgpu_l2_tlb_invalidate(struct vgpu_l2_tlb *tlb, u32 context, u64 first, u64 count);

#endif
