// SPDX-License-Identifier: MIT
/*
 * Virtual memory management; see virtual.h. What is mapped where is in views.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pool.h"
#include "views.h"
#include "virtual.h"

/* What the program has handles of, or has mapped, in the order of the handles. */
static struct rt_physical **physicals;
static size_t physical_count, physical_room;
static uint64_t last_id;

static size_t index_of(uint64_t id)
{
	size_t low = 0, high = physical_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (physicals[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* NULL: the program has no such handle. */
static struct rt_physical *physical_find(uint64_t id)
{
	size_t n = index_of(id);

	return n < physical_count && physicals[n]->id == id && physicals[n]->references ?
		       physicals[n] : NULL;
}

static struct rt_physical *add(void)
{
	struct rt_physical *physical;

	if (physical_count == physical_room) {
		size_t room = physical_room ? physical_room * 2 : 16;
		struct rt_physical **larger = realloc(physicals, room * sizeof(*larger));

		if (!larger)
			return NULL;
		physicals = larger;
		physical_room = room;
	}
	physical = calloc(1, sizeof(*physical));
	if (!physical)
		return NULL;
	physical->id = ++last_id;
	physical->context = rt_current;
	physical->references = 1;
	physicals[physical_count++] = physical;
	return physical;
}

static void forget(struct rt_physical *physical)
{
	size_t n = index_of(physical->id);

	memmove(&physicals[n], &physicals[n + 1], (physical_count - n - 1) * sizeof(*physicals));
	physical_count--;
	free(physical);
}

static vgpuError_t error_of(int error)
{
	switch (error) {
	case -EEXIST:
	case -EXDEV:
	case -EBADF:
		return vgpuErrorInvalidValue;
	case -EMFILE:
	case -ENFILE:
	case -ENOSPC:
		return vgpuErrorMemoryAllocation;
	case -ENOTTY:
	case -EOPNOTSUPP:
		return vgpuErrorNotSupported;
	default:
		return rt_error_of(error);
	}
}

/* Its context becomes the current one; may something be done there? */
static vgpuError_t go_to(struct rt_state *context)
{
	rt_current = context;
	return rt.phase == RT_READY ? rt.sticky : vgpuErrorInvalidValue;
}

/* Back to @before, with the lock given up. */
static vgpuError_t leave_to(struct rt_state *before, vgpuError_t error)
{
	rt_current = before;
	return rt_leave(error);
}

static bool can(unsigned int ability)
{
	return rt.ops->abilities && rt.ops->abilities(rt.transport) & ability;
}

bool rt_has_virtual(void)
{
	return can(VGPU_TRANSPORT_VIEWS);
}

bool rt_has_export(void)
{
	return can(VGPU_TRANSPORT_EXPORT);
}

static bool is_granular(uint64_t number)
{
	return !(number & (RT_GRANULE - 1));
}

/* ---- addresses ----------------------------------------------------------- */

static void *reserve(uint64_t hint, uint64_t bytes, int flags)
{
	void *memory = mmap((void *)(uintptr_t)hint, bytes, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Somewhere, aligned: what is too much at both ends goes back. 0: nowhere. */
static uint64_t reserve_aligned(uint64_t bytes, uint64_t alignment)
{
	char *memory = alignment <= ~bytes ? reserve(0, bytes + alignment, 0) : NULL;
	uint64_t before;

	if (!memory)
		return 0;
	before = -(uint64_t)(uintptr_t)memory & (alignment - 1);
	if (before)
		munmap(memory, before);
	munmap(memory + before + bytes, alignment - before);
	return (uint64_t)(uintptr_t)memory + before;
}

vgpuError_t rt_virtual_reserve(uint64_t bytes, uint64_t alignment, uint64_t hint,
			       uint64_t *address)
{
	vgpuError_t error = rt_enter();
	uint64_t at = 0;

	if (error != vgpuSuccess)
		return error;
	if (!bytes || !is_granular(bytes) || alignment & (alignment - 1))
		return rt_leave(vgpuErrorInvalidValue);
	if (alignment < RT_GRANULE)
		alignment = RT_GRANULE;
	if (hint && !(hint & (alignment - 1)))
		at = (uintptr_t)reserve(hint, bytes, MAP_FIXED_NOREPLACE);
	if (!at)
		at = reserve_aligned(bytes, alignment);
	if (!at)
		return rt_leave(vgpuErrorMemoryAllocation);
	madvise((void *)(uintptr_t)at, bytes, MADV_DONTFORK);
	if (!rt_reserved_add(at, bytes)) {
		munmap((void *)(uintptr_t)at, bytes);
		return rt_leave(vgpuErrorMemoryAllocation);
	}
	*address = at;
	return rt_leave(vgpuSuccess);
}

vgpuError_t rt_virtual_unreserve(uint64_t address, uint64_t bytes)
{
	vgpuError_t error = rt_enter();
	struct rt_reserved reserved;

	if (error != vgpuSuccess)
		return error;
	if (!rt_reserved_at(address, &reserved) || reserved.base != address ||
	    reserved.bytes != bytes || rt_views_any(address, bytes))
		return rt_leave(vgpuErrorInvalidValue);
	rt_reserved_remove(address);
	munmap((void *)(uintptr_t)address, bytes);
	return rt_leave(vgpuSuccess);
}

/* ---- memory -------------------------------------------------------------- */

static vgpuError_t create(uint64_t bytes, uint32_t *handle)
{
	if (bytes > rt_alloc_left())
		return vgpuErrorMemoryAllocation;
	return error_of(rt.ops->mem_create(rt.transport, bytes, handle));
}

static vgpuError_t create_physical(uint64_t bytes, bool exportable, uint64_t *out)
{
	struct rt_physical *physical;
	vgpuError_t error;

	if (!rt_has_virtual() || (exportable && !rt_has_export()))
		return vgpuErrorNotSupported;
	physical = add();
	if (!physical)
		return vgpuErrorMemoryAllocation;
	error = create(bytes, &physical->handle);
	/* what pools hold is for everybody when there is nothing else */
	if (error == vgpuErrorMemoryAllocation && rt_pools_release())
		error = create(bytes, &physical->handle);
	if (error != vgpuSuccess) {
		forget(physical);
		return error;
	}
	rt.heap.used += bytes;
	physical->bytes = bytes;
	physical->exportable = exportable;
	*out = physical->id;
	return vgpuSuccess;
}

/* @device is one of the program's. */
vgpuError_t rt_physical_create(int device, uint64_t bytes, bool exportable, uint64_t *handle)
{
	struct rt_state *before = rt_current;
	vgpuError_t error;

	if (!bytes || !is_granular(bytes))
		return rt_result(vgpuErrorInvalidValue);
	rt_current = rt_context_on(device);
	error = rt_enter();
	if (error == vgpuSuccess)
		error = rt_leave(create_physical(bytes, exportable, handle));
	rt_current = before;
	return error;
}

/* If nobody needs it any more. Its context is the current one. */
static vgpuError_t drop_unused(struct rt_physical *physical)
{
	int error;

	if (physical->references || physical->mappings)
		return vgpuSuccess;
	error = rt.ops->mem_release(rt.transport, physical->handle);
	if (!physical->imported)
		rt.heap.used -= physical->bytes;
	forget(physical);
	return error_of(error);
}

vgpuError_t rt_physical_release(uint64_t handle)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = rt_enter();
	struct rt_physical *physical;

	if (error != vgpuSuccess)
		return error;
	physical = physical_find(handle);
	if (!physical)
		return rt_leave(vgpuErrorInvalidValue);
	error = go_to(physical->context);
	if (error == vgpuSuccess) {
		physical->references--;
		error = drop_unused(physical);
	}
	return leave_to(before, error);
}

vgpuError_t rt_physical_retain(uint64_t address, uint64_t *handle)
{
	vgpuError_t error = rt_enter();
	struct rt_view view;

	if (error != vgpuSuccess)
		return error;
	if (!rt_view_at(address, &view))
		return rt_leave(vgpuErrorInvalidValue);
	view.physical->references++;
	*handle = view.physical->id;
	return rt_leave(vgpuSuccess);
}

vgpuError_t rt_physical_about(uint64_t handle, int *device, bool *exportable)
{
	vgpuError_t error = rt_enter();
	const struct rt_physical *physical;

	if (error != vgpuSuccess)
		return error;
	physical = physical_find(handle);
	if (!physical)
		return rt_leave(vgpuErrorInvalidValue);
	*device = rt_device_of(physical->context);
	*exportable = physical->exportable;
	return rt_leave(vgpuSuccess);
}

vgpuError_t rt_physical_export(uint64_t handle, int *fd)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = rt_enter();
	struct rt_physical *physical;

	if (error != vgpuSuccess)
		return error;
	physical = physical_find(handle);
	if (!physical || !physical->exportable)
		return rt_leave(vgpuErrorInvalidValue);
	error = go_to(physical->context);
	if (error == vgpuSuccess)
		error = error_of(rt.ops->mem_export(rt.transport, physical->handle, fd));
	return leave_to(before, error);
}

vgpuError_t rt_physical_import(int fd, uint64_t *handle)
{
	vgpuError_t error = rt_enter();
	struct rt_physical *physical;

	if (error != vgpuSuccess)
		return error;
	if (!rt_has_export())
		return rt_leave(vgpuErrorNotSupported);
	physical = add();
	if (!physical)
		return rt_leave(vgpuErrorMemoryAllocation);
	error = error_of(rt.ops->mem_import(rt.transport, fd, &physical->handle,
					    &physical->bytes));
	if (error != vgpuSuccess) {
		forget(physical);
		return rt_leave(error);
	}
	physical->exportable = physical->imported = true;
	*handle = physical->id;
	return rt_leave(vgpuSuccess);
}

/* ---- mappings ------------------------------------------------------------ */

static bool is_reserved(uint64_t address, uint64_t bytes)
{
	struct rt_reserved reserved;

	return rt_reserved_at(address, &reserved) &&
	       bytes <= reserved.bytes - (address - reserved.base);
}

static vgpuError_t map(const struct rt_view *view)
{
	vgpuError_t error;

	if (!rt_view_add(view))
		return vgpuErrorMemoryAllocation;
	error = error_of(rt.ops->mem_view(rt.transport, view->base, view->bytes,
					  view->physical->handle, view->offset, view->rights));
	if (error != vgpuSuccess)
		rt_view_remove(view->base);
	else
		view->physical->mappings++;
	return error;
}

vgpuError_t rt_virtual_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = rt_enter();
	struct rt_view view = { .base = address, .bytes = bytes, .offset = offset };

	if (error != vgpuSuccess)
		return error;
	view.physical = physical_find(handle);
	if (!view.physical || !bytes || !is_granular(address | bytes | offset) ||
	    bytes > view.physical->bytes || offset > view.physical->bytes - bytes ||
	    !is_reserved(address, bytes) || rt_views_any(address, bytes))
		return rt_leave(vgpuErrorInvalidValue);
	view.context = view.physical->context;
	error = go_to(view.context);
	if (error == vgpuSuccess)
		error = map(&view);
	return leave_to(before, error);
}

/*
 * Do @step to each of the views from @address to @end, in its context. The first error is the
 * result, and the rest are not touched.
 */
static vgpuError_t for_each_view(uint64_t address, uint64_t end,
				 vgpuError_t (*step)(const struct rt_view *view, uint32_t argument),
				 uint32_t argument)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = vgpuSuccess;
	struct rt_view view;

	while (address < end && error == vgpuSuccess && rt_view_at(address, &view)) {
		error = go_to(view.context);
		if (error == vgpuSuccess)
			error = step(&view, argument);
		address = view.base + view.bytes;
	}
	rt_current = before;
	return error;
}

static vgpuError_t wait_for_work(const struct rt_view *view, uint32_t argument)
{
	(void)view;
	(void)argument;
	return rt_sync_all();
}

static vgpuError_t unmap(const struct rt_view *view, uint32_t argument)
{
	vgpuError_t error = error_of(rt.ops->unmap(rt.transport, view->base, view->bytes));

	(void)argument;
	if (error != vgpuSuccess)
		return error;
	rt_view_remove(view->base);
	view->physical->mappings--;
	return drop_unused(view->physical);
}

vgpuError_t rt_virtual_unmap(uint64_t address, uint64_t bytes)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	/* others may unmap while the lock is given up, so it is looked at again */
	if (!rt_views_tile(address, bytes))
		return rt_leave(vgpuErrorInvalidValue);
	error = for_each_view(address, address + bytes, wait_for_work, 0);
	if (error == vgpuSuccess && !rt_views_tile(address, bytes))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess)
		error = for_each_view(address, address + bytes, unmap, 0);
	return rt_leave(error);
}

static vgpuError_t set_rights(const struct rt_view *view, uint32_t rights)
{
	vgpuError_t error;

	if (view->rights == rights)
		return vgpuSuccess;
	error = error_of(rt.ops->mem_rights(rt.transport, view->base, view->bytes, rights));
	if (error == vgpuSuccess)
		rt_view_set_rights(view->base, rights);
	return error;
}

static vgpuError_t is_on(const struct rt_view *view, uint32_t device)
{
	return rt_device_of(view->context) == (int)device ? vgpuSuccess : vgpuErrorNotSupported;
}

/* Who is given less does not take it from work that was submitted when there was more. */
static vgpuError_t wait_to_lower(const struct rt_view *view, uint32_t rights)
{
	return rights < view->rights ? wait_for_work(view, 0) : vgpuSuccess;
}

vgpuError_t rt_virtual_set_rights(uint64_t address, uint64_t bytes, int device, uint32_t rights)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!rt_views_tile(address, bytes))
		return rt_leave(vgpuErrorInvalidValue);
	error = for_each_view(address, address + bytes, is_on, (uint32_t)device);
	if (error == vgpuSuccess)
		error = for_each_view(address, address + bytes, wait_to_lower, rights);
	/* others may unmap while the lock is given up */
	if (error == vgpuSuccess && !rt_views_tile(address, bytes))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess)
		error = for_each_view(address, address + bytes, set_rights, rights);
	return rt_leave(error);
}

vgpuError_t rt_virtual_rights(uint64_t address, int device, uint32_t *rights)
{
	vgpuError_t error = rt_enter();
	struct rt_view view;

	if (error != vgpuSuccess)
		return error;
	if (!rt_view_at(address, &view))
		return rt_leave(vgpuErrorInvalidValue);
	*rights = rt_device_of(view.context) == device ? view.rights : VGPU_RIGHTS_NONE;
	return rt_leave(vgpuSuccess);
}

bool rt_virtual_in_use(void)
{
	for (size_t n = 0; n < physical_count; n++)
		if (physicals[n]->context == rt_current)
			return true;
	return false;
}

void rt_virtual_reset(void)
{
	struct rt_view view;

	while (rt_view_take(&view))
		;
	for (size_t n = physical_count; n-- > 0;)
		if (physicals[n]->context == rt_current)
			forget(physicals[n]);
}
