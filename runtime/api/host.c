// SPDX-License-Identifier: MIT
/*
 * Page-locked memory of the process, in CUDA's sense. The program promises to leave it alone while
 * an asynchronous copy runs, so that such a copy really is asynchronous; pages are held by each
 * copy. And kernels use it in place, at the same address, in all contexts of the process, where the
 * transport can have that (host_map.c). Whatever the flags say, as with unified addressing.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "graph/capture.h"
#include "host.h"
#include "sanitizer/sanitizer.h"

/* Index of the first range that ends above @pointer. */
static size_t position(const char *pointer)
{
	size_t low = 0, high = rt_pinned.count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct rt_pinned *range = &rt_pinned.range[middle];

		if (range->base + (range->mapped ? range->mapped : range->bytes) <= pointer)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The range with @bytes at @pointer. */
static const struct rt_pinned *range_with(const void *pointer, size_t bytes)
{
	size_t i = position(pointer), offset;
	const struct rt_pinned *range = &rt_pinned.range[i];

	if (i == rt_pinned.count || range->base > (const char *)pointer)
		return NULL;
	offset = (size_t)((const char *)pointer - range->base);
	return offset < range->bytes && bytes <= range->bytes - offset ? range : NULL;
}

bool rt_is_pinned(const void *pointer, size_t bytes)
{
	return range_with(pointer, bytes) != NULL;
}

bool rt_is_mapped(const void *pointer, size_t bytes)
{
	const struct rt_pinned *range = rt.ops->map_host ? range_with(pointer, bytes) : NULL;

	return range && (range->mapped || !(range->flags & vgpuHostRegisterReadOnly));
}

bool rt_pinned_range(const void *pointer, uint64_t *base, uint64_t *bytes)
{
	const struct rt_pinned *range = range_with(pointer, 1);

	if (!range)
		return false;
	*base = (uint64_t)(uintptr_t)range->base;
	*bytes = range->bytes;
	return true;
}

static void range_remove(size_t i)
{
	rt_pinned.count--;
	memmove(&rt_pinned.range[i], &rt_pinned.range[i + 1],
		(rt_pinned.count - i) * sizeof(*rt_pinned.range));
}

static vgpuError_t range_add(const struct rt_pinned *range)
{
	size_t i = position(range->base);
	vgpuError_t error;

	if (rt_pinned.count == rt_pinned.room) {
		size_t room = rt_pinned.room ? rt_pinned.room * 2 : 16;
		struct rt_pinned *grown = realloc(rt_pinned.range, room * sizeof(*grown));

		if (!grown)
			return vgpuErrorMemoryAllocation;
		rt_pinned.range = grown;
		rt_pinned.room = room;
	}
	memmove(&rt_pinned.range[i + 1], &rt_pinned.range[i],
		(rt_pinned.count - i) * sizeof(*range));
	rt_pinned.range[i] = *range;
	rt_pinned.count++;
	error = rt_pinned_map(i);
	if (error != vgpuSuccess)
		range_remove(i);
	else
		san_allocated((uint64_t)(uintptr_t)range->base, range->bytes, SAN_MEMORY_HOST);
	return error;
}

static vgpuError_t allocate(size_t bytes, unsigned int flags, void **out)
{
	size_t mapped = (bytes + VGPU_PAGE_SIZE - 1) & ~(VGPU_PAGE_SIZE - 1);
	struct rt_pinned range = { .bytes = bytes, .mapped = mapped, .flags = flags };
	vgpuError_t error;
	void *base;

	if (mapped < bytes)
		return vgpuErrorMemoryAllocation;
	base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return vgpuErrorMemoryAllocation;
	range.base = base;
	error = range_add(&range);
	if (error != vgpuSuccess)
		munmap(base, mapped);
	else
		*out = base;
	return error;
}

vgpuError_t vgpuHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!pointer || flags & ~(vgpuHostAllocPortable | vgpuHostAllocMapped |
				  vgpuHostAllocWriteCombined))
		return rt_leave(vgpuErrorInvalidValue);
	error = rt_capture_guard();
	if (error != vgpuSuccess)
		return rt_leave(error);
	*pointer = NULL;
	if (flags & vgpuHostAllocMapped && !rt.ops->map_host)
		return rt_leave(vgpuErrorNotSupported);
	return rt_leave(bytes ? allocate(bytes, flags, pointer) : vgpuSuccess);
}

vgpuError_t vgpuMallocHost(void **pointer, size_t bytes)
{
	return vgpuHostAlloc(pointer, bytes, vgpuHostAllocDefault);
}

/* Whatever context may use it: all work in flight ends first. */
static vgpuError_t sync_contexts(void)
{
	struct rt_state *current = rt_current, *state;
	vgpuError_t error = vgpuSuccess;

	rt_for_each(state) {
		vgpuError_t one;

		rt_current = state;
		if (!rt_has_device(state) || rt.sticky != vgpuSuccess)
			continue;
		one = rt_sync_all();
		if (rt_current == current)
			error = one;
	}
	rt_current = current;
	return error;
}

/* Copies and kernels in flight may still use it: they end first, as with cudaFreeHost. */
static vgpuError_t range_release(void *pointer, bool ours, vgpuError_t missing)
{
	vgpuError_t error = rt_enter();
	const struct rt_pinned *range;
	struct rt_pinned gone;
	size_t i;

	if (error != vgpuSuccess)
		return error;
	if (!pointer)
		return rt_leave(ours ? vgpuSuccess : vgpuErrorInvalidValue);
	error = rt_capture_guard();
	if (error != vgpuSuccess)
		return rt_leave(error);
	range = range_with(pointer, 1);
	if (!range || range->base != pointer || !range->mapped == ours)
		return rt_leave(missing);
	error = sync_contexts();
	/* another thread may have been faster */
	range = range_with(pointer, 1);
	if (!range || range->base != pointer || !range->mapped == ours)
		return rt_leave(missing);
	i = (size_t)(range - rt_pinned.range);
	gone = *range;
	rt_pinned_unmap(i);
	range_remove(i);
	san_freed((uint64_t)(uintptr_t)gone.base);
	if (ours)
		munmap(gone.base, gone.mapped);
	return rt_leave(error);
}

vgpuError_t vgpuFreeHost(void *pointer)
{
	return range_release(pointer, true, vgpuErrorInvalidValue);
}

/* Part of it is registered or allocated already. */
static bool range_overlaps(const char *base, size_t bytes)
{
	size_t i = position(base);

	return i < rt_pinned.count && rt_pinned.range[i].base < base + bytes;
}

vgpuError_t vgpuHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
	struct rt_pinned range = { .base = pointer, .bytes = bytes, .flags = flags };
	vgpuError_t error = rt_enter();
	uintptr_t first = (uintptr_t)pointer;

	if (error != vgpuSuccess)
		return error;
	if (!pointer || !bytes || first + bytes < first ||
	    flags & ~(vgpuHostRegisterPortable | vgpuHostRegisterMapped |
		      vgpuHostRegisterIoMemory | vgpuHostRegisterReadOnly))
		return rt_leave(vgpuErrorInvalidValue);
	if (flags & vgpuHostRegisterIoMemory ||
	    (!rt.ops->map_host && flags & (vgpuHostRegisterMapped | vgpuHostRegisterReadOnly)))
		return rt_leave(vgpuErrorNotSupported);
	if (rt_is_device(pointer) || rt_is_device(range.base + bytes - 1))
		return rt_leave(vgpuErrorInvalidValue);
	if (range_overlaps(pointer, bytes))
		return rt_leave(vgpuErrorHostMemoryAlreadyRegistered);
	error = rt_capture_guard();
	return rt_leave(error == vgpuSuccess ? range_add(&range) : error);
}

vgpuError_t vgpuHostUnregister(void *pointer)
{
	return range_release(pointer, false, vgpuErrorHostMemoryNotRegistered);
}

vgpuError_t vgpuHostGetDevicePointer(void **device, void *pointer)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!device)
		return rt_leave(vgpuErrorInvalidValue);
	*device = NULL;
	if (!rt.ops->map_host)
		return rt_leave(vgpuErrorNotSupported);
	if (!rt_is_pinned(pointer, 1))
		return rt_leave(vgpuErrorInvalidValue);
	*device = pointer;
	return rt_leave(vgpuSuccess);
}

vgpuError_t vgpuHostGetFlags(unsigned int *flags, void *pointer)
{
	vgpuError_t error = rt_enter();
	const struct rt_pinned *range;

	if (error != vgpuSuccess)
		return error;
	range = range_with(pointer, 1);
	if (!flags || !range)
		return rt_leave(vgpuErrorInvalidValue);
	*flags = range->flags;
	return rt_leave(vgpuSuccess);
}
