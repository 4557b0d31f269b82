// SPDX-License-Identifier: MIT
/*
 * Page-locked memory of the process, in CUDA's sense: memory the program promises to leave alone
 * while an asynchronous copy runs, so that such a copy really is asynchronous. What is locked is
 * the promise; pages are held by each copy.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "state.h"

struct range {
	struct range *next;
	char *base;
	size_t bytes;
	size_t mapped;			/* ours to unmap, 0: the program's own memory */
};

static struct range *ranges;

static struct range **range_lookup(const void *pointer)
{
	struct range **at = &ranges;

	while (*at && (*at)->base != pointer)
		at = &(*at)->next;
	return at;
}

static bool range_overlaps(const char *base, size_t bytes)
{
	for (struct range *range = ranges; range; range = range->next)
		if (base < range->base + range->bytes && range->base < base + bytes)
			return true;
	return false;
}

bool rt_is_pinned(const void *pointer, size_t bytes)
{
	const char *base = pointer;

	for (struct range *range = ranges; range; range = range->next)
		if (base >= range->base && bytes <= range->bytes &&
		    (size_t)(base - range->base) <= range->bytes - bytes)
			return true;
	return false;
}

static vgpuError_t range_add(void *base, size_t bytes, size_t mapped)
{
	struct range *range = malloc(sizeof(*range));

	if (!range)
		return vgpuErrorMemoryAllocation;
	*range = (struct range){ .next = ranges, .base = base, .bytes = bytes, .mapped = mapped };
	ranges = range;
	return vgpuSuccess;
}

vgpuError_t vgpuMallocHost(void **pointer, size_t bytes)
{
	vgpuError_t error = rt_enter();
	size_t mapped = (bytes + VGPU_PAGE_SIZE - 1) & ~(VGPU_PAGE_SIZE - 1);
	void *base;

	if (error != vgpuSuccess)
		return error;
	if (!pointer)
		return rt_leave(vgpuErrorInvalidValue);
	*pointer = NULL;
	if (!bytes)
		return rt_leave(vgpuSuccess);
	if (mapped < bytes)
		return rt_leave(vgpuErrorMemoryAllocation);
	base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return rt_leave(vgpuErrorMemoryAllocation);
	error = range_add(base, bytes, mapped);
	if (error != vgpuSuccess)
		munmap(base, mapped);
	else
		*pointer = base;
	return rt_leave(error);
}

/* Copies in flight may still use it: they end first, as with cudaFreeHost. */
static vgpuError_t range_release(void *pointer, bool ours, vgpuError_t missing)
{
	vgpuError_t error = rt_enter();
	struct range **at, *range;

	if (error != vgpuSuccess)
		return error;
	if (!pointer && ours)
		return rt_leave(vgpuSuccess);
	at = range_lookup(pointer);
	if (!*at || !(*at)->mapped == ours)
		return rt_leave(missing);
	error = rt_sync_all();
	at = range_lookup(pointer);
	range = *at;
	if (range) {
		*at = range->next;
		if (ours)
			munmap(range->base, range->mapped);
		free(range);
	}
	return rt_leave(error);
}

vgpuError_t vgpuFreeHost(void *pointer)
{
	return range_release(pointer, true, vgpuErrorInvalidValue);
}

vgpuError_t vgpuHostRegister(void *pointer, size_t bytes)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!pointer || !bytes || rt_is_device(pointer))
		return rt_leave(vgpuErrorInvalidValue);
	if (range_overlaps(pointer, bytes))
		return rt_leave(vgpuErrorHostMemoryAlreadyRegistered);
	return rt_leave(range_add(pointer, bytes, 0));
}

vgpuError_t vgpuHostUnregister(void *pointer)
{
	return range_release(pointer, false, vgpuErrorHostMemoryNotRegistered);
}
