// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Allocations; see allocation.h. What one is made of is bounded by the VRAM that it is promised: so
 * it is the device's memory, and outlives whoever created it.
 */
#include "allocation.h"

static u64 chunks_of(u64 pages)
{
	return (pages + VGPU_ALLOCATION_CHUNK - 1) / VGPU_ALLOCATION_CHUNK;
}

struct vgpu_allocation *vgpu_allocation_take(struct vgpu_mmu *mmu, u64 bytes, u64 owner)
{
	u64 pages = bytes >> VGPU_PAGE_SHIFT;
	struct vgpu_allocation *allocation;

	allocation = vgpu_mem_alloc_device(sizeof(*allocation) + chunks_of(pages) * sizeof(u64 *));
	if (!allocation)
		return NULL;
	allocation->mmu = mmu;
	allocation->pages = pages;
	allocation->holders = 1;
	allocation->owner = owner;
	mmu->allocations++;
	return allocation;
}

struct vgpu_allocation *vgpu_allocation_create(struct vgpu_mmu *mmu, u64 bytes, u64 owner)
{
	struct vgpu_allocation *allocation;

	if (vgpu_promise(mmu, bytes))
		return NULL;
	allocation = vgpu_allocation_take(mmu, bytes, owner);
	if (!allocation)
		vgpu_unpromise(mmu, bytes);
	return allocation;
}

/* Chunk @n is of so many pages. */
static u64 pages_of_chunk(const struct vgpu_allocation *allocation, u64 n)
{
	u64 pages = allocation->pages - n * VGPU_ALLOCATION_CHUNK;

	return pages < VGPU_ALLOCATION_CHUNK ? pages : VGPU_ALLOCATION_CHUNK;
}

/* Where the number of the frame of @page is; NULL: no memory. */
static u64 *place_of(struct vgpu_allocation *allocation, u64 page)
{
	u64 n = page / VGPU_ALLOCATION_CHUNK;
	u64 **chunk = &allocation->chunks[n];

	if (!*chunk)
		*chunk = vgpu_mem_alloc_device(pages_of_chunk(allocation, n) * sizeof(**chunk));
	return *chunk ? &(*chunk)[page % VGPU_ALLOCATION_CHUNK] : NULL;
}

u64 vgpu_allocation_frame(struct vgpu_allocation *allocation, u64 page, u32 context)
{
	u64 *number = place_of(allocation, page);

	if (!number)
		return 0;
	if (!*number)
		*number = vgpu_frame_get(&allocation->mmu->frames, NULL, context, 0);
	return *number;
}

bool vgpu_allocation_adopt(struct vgpu_allocation *allocation, u64 page, u64 *number)
{
	u64 *place = place_of(allocation, page);
	struct vgpu_frame *frame;

	if (!place)
		return false;
	if (*place) {
		*number = 0;
		return true;
	}
	*place = *number;
	frame = vgpu_frame_at(&allocation->mmu->frames, *number);
	frame->owner = NULL;
	frame->address = 0;
	return true;
}

static u64 count_once(struct vgpu_allocation *allocation)
{
	if (!allocation || allocation->counted == allocation->mmu->counts)
		return 0;
	allocation->counted = allocation->mmu->counts;
	return allocation->pages << VGPU_PAGE_SHIFT;
}

u64 vgpu_as_device_bytes(const struct vgpu_address_space *as)
{
	const struct vgpu_view *view;
	u64 bytes = as->mapped;

	as->mmu->counts++;
	for (u32 n = 0; n < as->handle_room; n++)
		bytes += count_once(as->handles[n]);
	vgpu_list_for_each(view, &as->views, struct vgpu_view, node)
		bytes += count_once(view->allocation);
	return bytes;
}

u64 vgpu_allocation_bytes(const struct vgpu_allocation *allocation)
{
	return allocation->pages << VGPU_PAGE_SHIFT;
}

void vgpu_allocation_get(struct vgpu_allocation *allocation)
{
	allocation->holders++;
}

static void free_chunk(struct vgpu_allocation *allocation, u64 n)
{
	u64 *numbers = allocation->chunks[n];

	for (u64 page = 0; page < pages_of_chunk(allocation, n); page++)
		if (numbers[page])
			vgpu_frame_put(&allocation->mmu->frames, numbers[page]);
	vgpu_mem_free_device(numbers);
	allocation->chunks[n] = NULL;
}

bool vgpu_allocation_put(struct vgpu_allocation *allocation, u64 *left)
{
	struct vgpu_mmu *mmu = allocation->mmu;

	if (allocation->holders > 1) {
		allocation->holders--;
		return true;
	}
	for (u64 n = 0; n < chunks_of(allocation->pages); n++) {
		if (!allocation->chunks[n])
			continue;
		if (!*left)
			return false;
		free_chunk(allocation, n);
		*left -= *left < VGPU_ALLOCATION_CHUNK ? *left : VGPU_ALLOCATION_CHUNK;
	}
	vgpu_unpromise(mmu, allocation->pages << VGPU_PAGE_SHIFT);
	if (mmu->frames.ops.allocation_freed)
		mmu->frames.ops.allocation_freed(mmu->frames.host, allocation->owner,
						 allocation->pages << VGPU_PAGE_SHIFT);
	mmu->allocations--;
	vgpu_mem_free_device(allocation);
	return true;
}
