/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Translation lookaside buffers of the SMs. A TLB serves one address space at a time and is in its
 * list, so that a change of some pages invalidates exactly their entries in these TLBs. All code
 * runs in one thread: an invalidation is complete when the call returns.
 *
 * Lanes look a page up in the one entry that it may have. So a hit costs a comparison in real time,
 * and leaves no trace: which entry was used last is not known. If the TLB shall have a shape (sets,
 * ways, registers: l1_tlb.h), then that decides what is a hit, and these entries have only what may
 * be used without its knowledge; else they are the TLB.
 */
#ifndef VGPU_TLB_H
#define VGPU_TLB_H

#include "../../sim/list.h"
#include "l1_tlb.h"

struct vgpu_address_space;

#define VGPU_TLB_ENTRIES	256u	/* direct-mapped, power of two */
/*
 * In the tag of an entry whose page is used in place (access.h): lanes, who compare tags with page
 * numbers, do not find it.
 */
#define VGPU_TLB_IN_PLACE	(1ull << 63)

/** struct vgpu_tlb - the TLB of an SM */
struct vgpu_tlb {
	struct vgpu_tlb_entry *entries;	/* VGPU_TLB_ENTRIES */
	struct vgpu_address_space *as;	/* served; NULL: none, entries are invalid */
	struct vgpu_list node;		/* in the list of that address space */
	u64 invalidated;		/* entries, by range, since creation */
	struct vgpu_l1_tlb l1;
};

/** vgpu_tlb_init - a TLB that serves no address space, of the shape that @config gives; -ENOMEM */
int vgpu_tlb_init(struct vgpu_tlb *tlb, const struct vgpu_config *config);
void vgpu_tlb_fini(struct vgpu_tlb *tlb);
/** vgpu_tlb_flush - drop all entries */
void vgpu_tlb_flush(struct vgpu_tlb *tlb);
/** vgpu_tlb_invalidate - drop the entries of [@address, @address + @bytes) */
void vgpu_tlb_invalidate(struct vgpu_tlb *tlb, u64 address, u64 bytes);
/** vgpu_tlb_leave - detach the TLB from its address space; its entries become invalid */
void vgpu_tlb_leave(struct vgpu_tlb *tlb);

/**
 * vgpu_tlb_use - with a shape: a page that lanes have not found is used
 * @now: the present time, the beginning of the slice
 *
 * Returns the entry, which is valid until the next call; NULL: there is none by which the page may
 * be written, if it is to be.
 */
const struct vgpu_l1_entry *vgpu_tlb_use(struct vgpu_tlb *tlb, u64 page, bool write, u64 now);
/**
 * vgpu_tlb_enter_walked - with a shape: enter what @walk brings
 * @tag: the page, | VGPU_TLB_IN_PLACE
 */
void vgpu_tlb_enter_walked(struct vgpu_tlb *tlb, u64 tag, u8 *bytes, bool write, u64 now,
			   struct vgpu_walk walk);

/**
 * vgpu_tlb_in_place - the bytes of a page that is used in place; NULL: @entry has another, or does
 * not know that it may be written
 */
static inline u8 *vgpu_tlb_in_place(const struct vgpu_tlb_entry *entry, u64 page, bool write)
{
	if (likely(entry->page != (page | VGPU_TLB_IN_PLACE)))
		return NULL;
	return write ? entry->write : entry->read;
}

/**
 * vgpu_tlb_keep - put a translation into an entry
 * @page: the tag
 * @write: the translation allows writes; else an existing one of the same page remains writable
 */
static inline void vgpu_tlb_keep(struct vgpu_tlb_entry *entry, u64 page, u8 *bytes, bool write)
{
	u8 *known = entry->page == page ? entry->write : NULL;

	entry->page = page;
	entry->read = bytes;
	entry->write = write ? bytes : known;
}

/**
 * vgpu_tlb_enter - without a shape: enter a translation
 * @page: address >> VGPU_PAGE_SHIFT
 * @in_place: it is used in place
 */
static inline void vgpu_tlb_enter(struct vgpu_tlb *tlb, u64 page, bool in_place, u8 *bytes,
				  bool write)
{
	u64 tag = in_place ? page | VGPU_TLB_IN_PLACE : page;

	vgpu_tlb_keep(&tlb->entries[page & (VGPU_TLB_ENTRIES - 1)], tag, bytes, write);
}

#endif
