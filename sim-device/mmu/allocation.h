/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Allocations: device memory apart from addresses. Whoever holds one may map it, wholly or in
 * parts, at as many addresses as he likes; several address spaces may hold the same one. Such a
 * mapping is a view (views.c).
 *
 * The frames are the allocation's: a page table entry that leads to one (VGPU_PTE_SHARED) does not
 * release it. A page gets its frame with the first access of any kind, so no TLB ever has it as the
 * page of zeros, and what is written by one view is read by all others.
 */
#ifndef VGPU_ALLOCATION_H
#define VGPU_ALLOCATION_H

#include "address_space.h"

#define VGPU_ALLOCATION_CHUNK	512u	/* pages, whose frame numbers are in one array */

/**
 * struct vgpu_allocation - some pages of device memory
 * @mmu: whose memory it is
 * @pages: how many, 1 or more; they are promised (vgpu_mmu.promised) as long as it lives
 * @holders: handles of address spaces, views, and references of the host
 * @owner: the host's, for allocation_freed()
 * @counted: the count (vgpu_mmu.counts) that it was part of last
 * @chunks: numbers of frames by page, 0: it has none; NULL: none of a chunk has one
 */
struct vgpu_allocation {
	struct vgpu_mmu *mmu;
	u64 pages;
	u64 holders;
	u64 owner;
	u64 counted;
	u64 *chunks[];
};

/** struct vgpu_view - a mapping of pages of an allocation, from @first on */
struct vgpu_view {
	struct vgpu_list node;		/* in as->views */
	struct vgpu_allocation *allocation;
	u64 first;
	u64 address, bytes;
	enum vgpu_rights rights;
};

/** vgpu_allocation_create - memory that one holder has; NULL: not enough VRAM, or no memory */
struct vgpu_allocation *vgpu_allocation_create(struct vgpu_mmu *mmu, u64 bytes, u64 owner);
/*
 * vgpu_allocation_take - the same of memory that is promised already, to whoever has it now; NULL:
 * no memory, and nothing has changed
 */
struct vgpu_allocation *vgpu_allocation_take(struct vgpu_mmu *mmu, u64 bytes, u64 owner);
/*
 * vgpu_allocation_adopt - page @page gets frame @number, which somebody else has up to now. False:
 * there is no memory
 *
 * If it has a frame already it keeps that, and 0 is in *@number.
 */
bool vgpu_allocation_adopt(struct vgpu_allocation *allocation, u64 page, u64 *number);
/**
 * vgpu_allocation_frame - the number of the frame of page @page, which gets one if it has none
 * @context: who touches it, for the host; 0: there is no memory
 */
u64 vgpu_allocation_frame(struct vgpu_allocation *allocation, u64 page, u32 context);

/* views.c: the page at @address of @view, whose entry is @pte if there is one */
enum vgpu_translation vgpu_view_translate(struct vgpu_address_space *as,
					  const struct vgpu_view *view, u64 address, bool write,
					  u64 *pte, u8 **page);
/*
 * views.c: @view, whose entries are cleared, is no mapping any more. False: it still is, as for
 * vgpu_allocation_put()
 */
bool vgpu_view_remove(struct vgpu_address_space *as, struct vgpu_view *view, u64 *left);
/*
 * views.c: all views, whose entries are cleared, and all handles. False: about @most pages, views
 * and handles were released, and there are more
 */
bool vgpu_views_drop(struct vgpu_address_space *as, u64 most);

#endif
