// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What an address space does with allocations: the handles by which it holds them, and their
 * mappings. In as->mappings the value of a view is its address (vgpu_range_view()).
 */
#include "allocation.h"

/* ---- handles: numbers from 1 on, the lowest that is free first ----------- */

static struct vgpu_allocation *handle_find(const struct vgpu_address_space *as, u32 handle)
{
	return handle && handle <= as->handle_room ?
		       as->handles[vgpu_index(handle - 1, as->handle_room)] : NULL;
}

static int grow_handles(struct vgpu_address_space *as)
{
	u32 room = as->handle_room ? as->handle_room * 2 : 16;
	struct vgpu_allocation **handles;

	if (room > VGPU_HANDLES_MAX)
		return -ENOSPC;
	handles = vgpu_mem_alloc(as->memory, room * sizeof(struct vgpu_allocation *));
	if (!handles)
		return -ENOMEM;
	if (as->handle_room)
		memcpy(handles, as->handles, as->handle_room * sizeof(*handles));
	vgpu_mem_free(as->memory, as->handles, as->handle_room * sizeof(*handles));
	as->handles = handles;
	as->handle_room = room;
	return 0;
}

/* Room for one more handle. */
static int reserve_handle(struct vgpu_address_space *as)
{
	while (as->handle_next < as->handle_room && as->handles[as->handle_next])
		as->handle_next++;
	return as->handle_next < as->handle_room ? 0 : grow_handles(as);
}

static u32 use_handle(struct vgpu_address_space *as, struct vgpu_allocation *allocation)
{
	as->handles[as->handle_next] = allocation;
	return ++as->handle_next;
}

int vgpu_as_allocate(struct vgpu_address_space *as, u64 bytes, u64 owner, u32 *handle)
{
	struct vgpu_allocation *allocation;
	int err;

	if (!bytes || bytes & (VGPU_PAGE_SIZE - 1))
		return -EINVAL;
	err = reserve_handle(as);
	if (err)
		return err;
	allocation = vgpu_allocation_create(as->mmu, bytes, owner);
	if (!allocation)
		return -ENOMEM;
	*handle = use_handle(as, allocation);
	return 0;
}

int vgpu_as_release(struct vgpu_address_space *as, u32 handle, u64 most)
{
	struct vgpu_allocation *allocation = handle_find(as, handle);

	if (!allocation)
		return -ENOENT;
	if (!vgpu_allocation_put(allocation, &most))
		return -EAGAIN;
	as->handles[handle - 1] = NULL;
	if (as->handle_next >= handle)
		as->handle_next = handle - 1;
	return 0;
}

struct vgpu_allocation *vgpu_as_allocation(const struct vgpu_address_space *as, u32 handle)
{
	return handle_find(as, handle);
}

int vgpu_as_import(struct vgpu_address_space *as, struct vgpu_allocation *allocation, u32 *handle)
{
	int err = allocation->mmu == as->mmu ? reserve_handle(as) : -EXDEV;

	if (err)
		return err;
	vgpu_allocation_get(allocation);
	*handle = use_handle(as, allocation);
	return 0;
}

/* ---- views --------------------------------------------------------------- */

int vgpu_as_map_view(struct vgpu_address_space *as, u64 address, u64 bytes, u32 handle, u64 offset,
		     u32 rights)
{
	struct vgpu_allocation *allocation = handle_find(as, handle);
	struct vgpu_view *view;
	u64 first = offset >> VGPU_PAGE_SHIFT, pages = bytes >> VGPU_PAGE_SHIFT;
	int err;

	if (!allocation)
		return -ENOENT;
	if (offset & (VGPU_PAGE_SIZE - 1) || rights > VGPU_RIGHTS_WRITE ||
	    pages > allocation->pages || first > allocation->pages - pages)
		return -EINVAL;
	view = vgpu_mem_alloc(as->memory, sizeof(*view));
	if (!view)
		return -ENOMEM;
	view->allocation = allocation;
	view->first = first;
	view->address = address;
	view->bytes = bytes;
	view->rights = (enum vgpu_rights)rights;
	err = vgpu_as_add_mapping(as, address, bytes, (u64)(unsigned long)view);
	if (err) {
		vgpu_mem_free(as->memory, view, sizeof(*view));
		return err;
	}
	vgpu_allocation_get(allocation);
	vgpu_list_add_tail(&view->node, &as->views);
	as->viewed += bytes;
	return 0;
}

int vgpu_as_set_rights(struct vgpu_address_space *as, u64 address, u64 bytes, u32 rights, u64 most)
{
	const struct vgpu_range *range = vgpu_ranges_at(&as->mappings, address);
	struct vgpu_view *view = range ? vgpu_range_view(range) : NULL;

	if (rights > VGPU_RIGHTS_WRITE)
		return -EINVAL;
	if (!view || view->address != address || view->bytes != bytes)
		return -ENOENT;
	/* from now on no entry is made with the former ones */
	view->rights = (enum vgpu_rights)rights;
	return vgpu_as_clear(as, address, bytes, most) ? 0 : -EAGAIN;
}

/* ---- a mapping becomes a view --------------------------------------------- */

/*
 * Pages keep their frames: the bytes do not move, and a TLB that has one stays right. What was
 * handed out as the page of zeros does not. The entries are gone through in parts; until one was
 * looked at, its frame is the mapping's, and both are released by whoever has them.
 */

/* The mapping at @address, which is plain memory, becomes a view of @allocation. */
static void become_view(struct vgpu_address_space *as, const struct vgpu_range *range,
			struct vgpu_view *view, struct vgpu_allocation *allocation)
{
	view->allocation = allocation;
	view->address = range->first;
	view->bytes = range->last - range->first + 1;
	view->rights = VGPU_RIGHTS_WRITE;
	vgpu_list_add_tail(&view->node, &as->views);
	vgpu_ranges_set(&as->mappings, range->first, (u64)(unsigned long)view);
	as->mapped -= view->bytes;
	as->viewed += view->bytes;
}

/* The view that is all of an allocation and exactly at [@address, @address + @bytes); NULL. */
static struct vgpu_view *whole_view(const struct vgpu_range *range, u64 address, u64 bytes)
{
	struct vgpu_view *view = range ? vgpu_range_view(range) : NULL;

	return view && view->address == address && view->bytes == bytes &&
	       view->allocation->pages == bytes >> VGPU_PAGE_SHIFT &&
	       view->rights == VGPU_RIGHTS_WRITE ? view : NULL;
}

static struct vgpu_view *make_view(struct vgpu_address_space *as, u64 address, u64 bytes, u64 owner)
{
	const struct vgpu_range *range = vgpu_ranges_at(&as->mappings, address);
	struct vgpu_allocation *allocation;
	struct vgpu_view *view = vgpu_mem_alloc(as->memory, sizeof(*view));

	if (!view)
		return NULL;
	allocation = vgpu_allocation_take(as->mmu, bytes, owner);
	if (!allocation) {
		vgpu_mem_free(as->memory, view, sizeof(*view));
		return NULL;
	}
	become_view(as, range, view, allocation);
	return view;
}

/* The entry of a page of @view, which has a frame of its own, or none. */
static bool adopt_entry(struct vgpu_address_space *as, const struct vgpu_view *view, u64 page,
			u64 *pte)
{
	u64 number = vgpu_pte_number(*pte);

	if (*pte & VGPU_PTE_SHARED)
		return true;
	if (!(*pte & VGPU_PTE_FRAME)) {
		*pte = 0;
		return true;
	}
	if (!vgpu_allocation_adopt(view->allocation, page, &number))
		return false;
	if (!number)
		return true;
	*pte = number << VGPU_PTE_NUMBER_SHIFT | VGPU_PTE_FRAME | VGPU_PTE_SHARED;
	as->frames--;
	return true;
}

/* Pages from @first on, @count of them. */
static int adopt_entries(struct vgpu_address_space *as, const struct vgpu_view *view, u64 first,
			 u64 count)
{
	u64 address = view->address + (first << VGPU_PAGE_SHIFT);
	u64 *pte;

	/* those that wait for a page of it ask again, and find it */
	vgpu_faults_cancel(&as->mmu->faults, &as->faults, address >> VGPU_PAGE_SHIFT, count, ~0ull);
	vgpu_as_invalidate(as, address, count << VGPU_PAGE_SHIFT);
	for (u64 page = first; page < first + count; page++, address += VGPU_PAGE_SIZE) {
		pte = vgpu_pte_find(&as->table, address);
		if (pte && !adopt_entry(as, view, page, pte))
			return -ENOMEM;
	}
	return 0;
}

int vgpu_as_retain(struct vgpu_address_space *as, u64 address, u64 bytes, u64 owner, u64 most,
		   u64 *done, u32 *handle)
{
	const struct vgpu_range *range = vgpu_ranges_at(&as->mappings, address);
	struct vgpu_view *view = whole_view(range, address, bytes);
	u64 pages;
	int err;

	if (!view && (!range || range->value != VGPU_MAPPING_DEVICE || range->first != address ||
		      range->last - range->first + 1 != bytes))
		return -ENOENT;
	err = reserve_handle(as);
	if (err)
		return err;
	if (!view)
		view = make_view(as, address, bytes, owner);
	if (!view)
		return -ENOMEM;
	pages = view->allocation->pages - *done;
	if (pages > most)
		pages = most;
	err = adopt_entries(as, view, *done, pages);
	if (err)
		return err;
	*done += pages;
	if (*done < view->allocation->pages)
		return -EAGAIN;
	vgpu_allocation_get(view->allocation);
	*handle = use_handle(as, view->allocation);
	return 0;
}

/* ---- accesses and the end ------------------------------------------------- */

enum vgpu_translation vgpu_view_translate(struct vgpu_address_space *as,
					  const struct vgpu_view *view, u64 address, bool write,
					  u64 *pte, u8 **page)
{
	u64 number;

	if (view->rights < (write ? VGPU_RIGHTS_WRITE : VGPU_RIGHTS_READ))
		return VGPU_XLATE_UNMAPPED;
	if (!pte)
		pte = vgpu_pte_make(as->mmu, &as->table, address);
	if (!pte)
		return VGPU_XLATE_NO_FRAME;
	number = vgpu_allocation_frame(view->allocation,
				       view->first + ((address - view->address) >> VGPU_PAGE_SHIFT),
				       as->context);
	if (!number)
		return VGPU_XLATE_NO_FRAME;
	*pte = number << VGPU_PTE_NUMBER_SHIFT | VGPU_PTE_FRAME | VGPU_PTE_SHARED |
	       (view->rights == VGPU_RIGHTS_READ ? VGPU_PTE_READ_ONLY : 0);
	*page = vgpu_frame_use(&as->mmu->frames, number, write);
	return VGPU_XLATE_OK;
}

bool vgpu_view_remove(struct vgpu_address_space *as, struct vgpu_view *view, u64 *left)
{
	if (!vgpu_allocation_put(view->allocation, left))
		return false;
	VGPU_CHECK(!vgpu_ranges_remove(&as->mappings, view->address,
				       view->address + view->bytes - 1));
	as->viewed -= view->bytes;
	vgpu_list_del(&view->node);
	vgpu_mem_free(as->memory, view, sizeof(*view));
	return true;
}

bool vgpu_views_drop(struct vgpu_address_space *as, u64 most)
{
	struct vgpu_view *view;
	u64 left = most;

	while ((view = vgpu_list_first(&as->views, struct vgpu_view, node))) {
		if (!left || !vgpu_view_remove(as, view, &left))
			return false;
		left -= !!left;
	}
	for (u32 n = 0; n < as->handle_room; n++) {
		if (!as->handles[n])
			continue;
		if (!left || !vgpu_allocation_put(as->handles[n], &left))
			return false;
		as->handles[n] = NULL;
		left -= !!left;
	}
	vgpu_mem_free(as->memory, as->handles, as->handle_room * sizeof(*as->handles));
	as->handles = NULL;
	as->handle_room = as->handle_next = 0;
	return true;
}
