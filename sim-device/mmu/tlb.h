/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Translation lookaside buffers of the SMs. A TLB serves one address space at a time and is in its
 * list, so that a change of some pages invalidates exactly their entries in these TLBs. All code
 * runs in one thread: an invalidation is complete when the call returns.
 *
 * Lanes look a page up in the one entry that it may have. So a hit costs a comparison in real time,
 * and leaves no trace: which entry was used last is not known. A TLB of fewer translations than
 * entries therefore replaces the one that was entered first, of whatever set (Tanasic table 6.1 has
 * 8 ways and LRU).
 */
#ifndef VGPU_TLB_H
#define VGPU_TLB_H

#include "../platform.h"
#include "../sim/list.h"

struct vgpu_address_space;

#define VGPU_TLB_ENTRIES	256u	/* direct-mapped, power of two */
/*
 * In the tag of an entry whose page is used in place (access.h): lanes, who compare tags with page
 * numbers, do not find it.
 */
#define VGPU_TLB_IN_PLACE	(1ull << 63)

struct vgpu_tlb_entry {
	u64 page;		/* address >> VGPU_PAGE_SHIFT, | VGPU_TLB_IN_PLACE; ~0: empty */
	u8 *read;		/* the page's bytes */
	u8 *write;		/* the same, NULL: not yet known to be writable */
};

/** struct vgpu_tlb - the TLB of an SM */
struct vgpu_tlb {
	struct vgpu_tlb_entry *entries;	/* VGPU_TLB_ENTRIES */
	struct vgpu_address_space *as;	/* served; NULL: none, entries are invalid */
	struct vgpu_list node;		/* in the list of that address space */
	u64 invalidated;		/* entries, by range, since creation */
	u32 limit;			/* translations at most; 0: as many as entries */
	u32 used;			/* with a limit: translations */
	struct vgpu_list *age;		/* the same: a node for each entry, in ages if it is used */
	struct vgpu_list ages;		/* the same: what was entered first comes first */
};

/**
 * vgpu_tlb_init - initialise a TLB that serves no address space; -ENOMEM
 * @limit: translations that it has at most; 0, VGPU_TLB_ENTRIES: no limit beside its entries
 */
int vgpu_tlb_init(struct vgpu_tlb *tlb, u32 limit);
void vgpu_tlb_fini(struct vgpu_tlb *tlb);
/** vgpu_tlb_flush - drop all entries */
void vgpu_tlb_flush(struct vgpu_tlb *tlb);
/** vgpu_tlb_invalidate - drop the entries of [@address, @address + @bytes) */
void vgpu_tlb_invalidate(struct vgpu_tlb *tlb, u64 address, u64 bytes);
/** vgpu_tlb_age - with a limit: a new translation comes into entry @n, for another if need be */
void vgpu_tlb_age(struct vgpu_tlb *tlb, u32 n);
/** vgpu_tlb_leave - detach the TLB from its address space; its entries become invalid */
void vgpu_tlb_leave(struct vgpu_tlb *tlb);

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
 * vgpu_tlb_enter - enter a translation
 * @page: address >> VGPU_PAGE_SHIFT
 * @in_place: it is used in place
 */
static inline void vgpu_tlb_enter(struct vgpu_tlb *tlb, u64 page, bool in_place, u8 *bytes,
				  bool write)
{
	u64 tag = in_place ? page | VGPU_TLB_IN_PLACE : page;
	u32 n = page & (VGPU_TLB_ENTRIES - 1);

	if (unlikely(tlb->limit) && tlb->entries[n].page != tag)
		vgpu_tlb_age(tlb, n);
	vgpu_tlb_keep(&tlb->entries[n], tag, bytes, write);
}

#endif
