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
