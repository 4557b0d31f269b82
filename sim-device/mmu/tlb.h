/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Translation caches: what the lanes of an SM look into instead of walking a page table. A TLB
 * serves one address space at a time and is in its list, so that a change of some pages invalidates
 * those pages where they are held and nothing else. All in one thread: an invalidation is done when
 * the call returns.
 */
#ifndef VGPU_TLB_H
#define VGPU_TLB_H

#include "../platform.h"
#include "../sim/list.h"

struct vgpu_address_space;

#define VGPU_TLB_ENTRIES	256u	/* direct-mapped, power of two */

struct vgpu_tlb_entry {
	u64 page;		/* address >> VGPU_PAGE_SHIFT; ~0: empty */
	u8 *read;		/* the page's bytes */
	u8 *write;		/* the same, NULL: not yet known to be writable */
};

/** struct vgpu_tlb - the TLB of an SM */
struct vgpu_tlb {
	struct vgpu_tlb_entry *entries;	/* VGPU_TLB_ENTRIES */
	struct vgpu_address_space *as;	/* that it serves; NULL: none, entries mean nothing */
	struct vgpu_list node;		/* among those that serve it */
	u64 invalidated;		/* entries, by range, since creation */
};

/** vgpu_tlb_init - make one that serves nobody; -ENOMEM */
int vgpu_tlb_init(struct vgpu_tlb *tlb);
void vgpu_tlb_fini(struct vgpu_tlb *tlb);
/** vgpu_tlb_flush - drop all that it holds */
void vgpu_tlb_flush(struct vgpu_tlb *tlb);
/** vgpu_tlb_invalidate - drop what it holds of [@address, @address + @bytes) */
void vgpu_tlb_invalidate(struct vgpu_tlb *tlb, u64 address, u64 bytes);
/** vgpu_tlb_leave - it serves no address space any more; what it holds is nobody's */
void vgpu_tlb_leave(struct vgpu_tlb *tlb);

/**
 * vgpu_tlb_keep - enter a translation
 * @write: it was handed out for writing; else what was known of writing the same page stays
 */
static inline void vgpu_tlb_keep(struct vgpu_tlb_entry *entry, u64 page, u8 *bytes, bool write)
{
	u8 *known = entry->page == page ? entry->write : NULL;

	entry->page = page;
	entry->read = bytes;
	entry->write = write ? bytes : known;
}

#endif
