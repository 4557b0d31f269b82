// SPDX-License-Identifier: MIT
/*
 * Device addresses. A pointer given to a program is an address in a range of the process's own
 * address space that is reserved and the host cannot access, so one address means one
 * thing everywhere and a host that follows a device pointer crashes, as with CUDA.
 *
 * Managed memory lies in the same range; the host can access it. __managed__ variables are not in
 * it (variables.h), nor are addresses that the program has reserved (memory/views.h).
 *
 * Allocations above SMALL are mappings of their own, page-aligned, with an unmapped page behind
 * them. Smaller ones come from slabs of 2 MB, in units of 256 bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/advice.h"
#include "memory/views.h"
#include "sanitizer/sanitizer.h"
#include "variables.h"

#define UNIT		256u
#define SLAB		(2ull << 20)
#define UNITS		(SLAB / UNIT)
#define SMALL		(64ull << 10)
#define RANGE		(64ull << 30)
#define RANGE_LEAST	(1ull << 30)

struct slab {
	uint32_t used;			/* units */
	uint32_t hint;			/* no free unit below */
	uint16_t length[UNITS];		/* units of the allocation that starts here, 0: none does */
	uint8_t taken[UNITS];
};

struct rt_block {
	uint64_t base;
	uint64_t bytes;			/* mapped, whole pages */
	uint64_t asked;			/* what the program asked for */
	struct slab *slab;		/* NULL: one allocation */
	bool managed;
	bool private;			/* the runtime's, not the program's */
	bool imported;			/* a view of memory of another process */
	uint32_t lead;			/* bytes in front of what the program has */
	uint32_t handle;		/* the device's, of what others may open; 0: none */
	uint64_t name[2];		/* by which they do */
};

/* The ranges that contexts have reserved, which they keep, in the order in which they did. */
static struct reserved {
	uint64_t base, bytes;
	struct rt_state *state;
} ranges[RT_DEVICES + RT_BESIDE];
static unsigned int range_count;

static void add_range(uint64_t base, uint64_t bytes)
{
	ranges[range_count] = (struct reserved){ base, bytes, rt_current };
	__atomic_store_n(&range_count, range_count + 1, __ATOMIC_RELEASE);
}

/* The context that allocates where @address is, which may be closed. Needs no lock. */
static struct rt_state *heap_at(uint64_t address)
{
	unsigned int count = __atomic_load_n(&range_count, __ATOMIC_ACQUIRE);

	for (unsigned int n = 0; n < count; n++)
		if (address - ranges[n].base < ranges[n].bytes)
			return ranges[n].state;
	return NULL;
}

static bool heap_reserve(void)
{
	if (rt.heap.bytes)
		return true;
	for (uint64_t bytes = RANGE; bytes >= RANGE_LEAST; bytes /= 2) {
		void *base = mmap(NULL, bytes, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (base == MAP_FAILED)
			continue;
		madvise(base, bytes, MADV_DONTFORK);
		rt.heap.base = (uint64_t)(uintptr_t)base;
		rt.heap.bytes = bytes;
		add_range(rt.heap.base, bytes);
		san_heap(rt.heap.base, bytes);
		return true;
	}
	rt_message("no address space to reserve for device pointers (limit -v?)");
	return false;
}

uint64_t rt_alloc_left(void)
{
	uint64_t left = rt.heap.limit;
	struct rt_state *state;

	if (left == UINT64_MAX)
		return left;
	rt_for_each(state)
		if (rt_device_of(state) == rt_device())
			left -= state->heap.used < left ? state->heap.used : left;
	return left;
}

struct rt_state *rt_owner(const void *pointer)
{
	struct rt_state *owner;
	struct rt_view view;

	owner = heap_at((uint64_t)(uintptr_t)pointer);
	if (owner)
		return owner->phase == RT_DESTROYED ? rt_current : owner;
	if (rt_view_at((uint64_t)(uintptr_t)pointer, &view))
		return view.context;
	owner = rt_variables_owner((uint64_t)(uintptr_t)pointer);
	return owner ? owner : rt_current;
}

bool rt_is_device(const void *pointer)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	struct rt_reserved reserved;

	return rt_reserved_at(address, &reserved) || heap_at(address) ||
	       rt_variables_owner(address);
}

/* Index of the last block at or below @address, -1: none. */
static long block_below(uint64_t address)
{
	size_t low = 0, high = rt.heap.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rt.heap.blocks[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return (long)low - 1;
}

bool rt_is_managed(const void *pointer)
{
	const struct rt_heap *heap = &rt.heap;
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	long i = block_below(address);

	return (i >= 0 && heap->blocks[i].managed &&
		address - heap->blocks[i].base < heap->blocks[i].bytes) ||
	       rt_variables_owner(address) == rt_current;
}

/** struct pages - of memory that is there, to be mapped */
struct pages {
	uint32_t handle;		/* the device's */
	uint64_t offset;
};

static int map_block(uint64_t at, uint64_t bytes, bool managed, const struct pages *pages)
{
	if (pages)
		return rt.ops->mem_view(rt.transport, at, bytes, pages->handle, pages->offset,
					VGPU_RIGHTS_WRITE);
	return (managed ? rt.ops->map_managed : rt.ops->map)(rt.transport, at, bytes);
}

/*
 * First gap that takes @bytes and a page behind, mapped on the device and entered in the table.
 * @pages: NULL: new memory
 */
static vgpuError_t block_add(uint64_t bytes, bool managed, const struct pages *pages,
			     struct rt_block **out)
{
	uint64_t at = rt.heap.base;
	size_t i = 0;
	int error;

	if (bytes + VGPU_PAGE_SIZE > rt.heap.bytes)
		return vgpuErrorMemoryAllocation;
	if (!managed && !pages && bytes > rt_alloc_left())
		return vgpuErrorMemoryAllocation;
	while (i < rt.heap.count && rt.heap.blocks[i].base - at < bytes + VGPU_PAGE_SIZE) {
		at = rt.heap.blocks[i].base + rt.heap.blocks[i].bytes + VGPU_PAGE_SIZE;
		i++;
	}
	if (i == rt.heap.count && at + bytes > rt.heap.base + rt.heap.bytes)
		return vgpuErrorMemoryAllocation;
	if (rt.heap.count == rt.heap.room) {
		size_t room = rt.heap.room ? rt.heap.room * 2 : 64;
		struct rt_block *blocks = realloc(rt.heap.blocks, room * sizeof(*blocks));

		if (!blocks)
			return vgpuErrorMemoryAllocation;
		rt.heap.blocks = blocks;
		rt.heap.room = room;
	}
	error = map_block(at, bytes, managed, pages);
	if (error)
		return rt_error_of(error);
	memmove(&rt.heap.blocks[i + 1], &rt.heap.blocks[i],
		(rt.heap.count - i) * sizeof(*rt.heap.blocks));
	rt.heap.count++;
	rt.heap.blocks[i] = (struct rt_block){
		.base = at, .bytes = bytes, .asked = bytes, .managed = managed,
		.imported = pages,
	};
	*out = &rt.heap.blocks[i];
	if (!managed && !pages)
		rt.heap.used += bytes;
	return vgpuSuccess;
}

/* The program, or the runtime for it, has [address, address + bytes) from now on. */
static vgpuError_t given(uint64_t address, uint64_t bytes, bool managed)
{
	san_allocated(address, bytes, managed ? SAN_MEMORY_MANAGED : SAN_MEMORY_DEVICE);
	return vgpuSuccess;
}

static vgpuError_t block_remove(size_t i)
{
	const struct rt_block *block = &rt.heap.blocks[i];
	int error;

	/* first, so that nobody opens it any more */
	if (block->handle)
		rt.ops->mem_release(rt.transport, block->handle);
	error = (block->managed ? rt.ops->unmap_managed : rt.ops->unmap)(
		rt.transport, block->base, block->bytes);
	if (!block->managed && !block->imported)
		rt.heap.used -= block->bytes;
	rt_advice_forget(block->base, block->bytes);
	free(rt.heap.blocks[i].slab);
	memmove(&rt.heap.blocks[i], &rt.heap.blocks[i + 1],
		(rt.heap.count - i - 1) * sizeof(*rt.heap.blocks));
	rt.heap.count--;
	return rt_error_of(error);
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + VGPU_PAGE_SIZE - 1) & ~(VGPU_PAGE_SIZE - 1);
}

static bool slab_take(struct slab *slab, uint32_t units, uint32_t *first)
{
	uint32_t run = 0;

	if (UNITS - slab->used < units)
		return false;
	for (uint32_t i = slab->hint; i < UNITS; i++) {
		run = slab->taken[i] ? 0 : run + 1;
		if (run < units)
			continue;
		*first = i + 1 - units;
		memset(&slab->taken[*first], 1, units);
		slab->length[*first] = (uint16_t)units;
		slab->used += units;
		if (*first == slab->hint)
			slab->hint = i + 1;
		return true;
	}
	return false;
}

vgpuError_t rt_alloc(uint64_t bytes, bool managed, uint64_t *address)
{
	uint64_t behind = san_padding();
	uint32_t units = (uint32_t)((bytes + behind + UNIT - 1) / UNIT), first;
	struct rt_block *block;
	vgpuError_t error;

	if (!heap_reserve())
		return vgpuErrorMemoryAllocation;
	if (bytes > rt.heap.bytes)
		return vgpuErrorMemoryAllocation;
	if (bytes <= SMALL) {
		for (size_t i = 0; i < rt.heap.count; i++) {
			block = &rt.heap.blocks[i];
			if (block->slab && block->managed == managed &&
			    slab_take(block->slab, units, &first)) {
				*address = block->base + (uint64_t)first * UNIT;
				return given(*address, bytes, managed);
			}
		}
		error = block_add(SLAB, managed, NULL, &block);
		if (error == vgpuSuccess) {
			block->slab = calloc(1, sizeof(*block->slab));
			if (block->slab) {
				slab_take(block->slab, units, &first);
				*address = block->base + (uint64_t)first * UNIT;
				return given(*address, bytes, managed);
			}
			block_remove((size_t)(block - rt.heap.blocks));
			return vgpuErrorMemoryAllocation;
		}
		if (error != vgpuErrorMemoryAllocation)
			return error;
		/* no VRAM for a whole slab: a page of its own may still fit */
	}
	/* no block is right behind another */
	behind -= behind < VGPU_PAGE_SIZE ? behind : VGPU_PAGE_SIZE;
	error = block_add(whole_pages(bytes + behind), managed, NULL, &block);
	if (error != vgpuSuccess)
		return error;
	block->asked = bytes;
	*address = block->base;
	return given(*address, bytes, managed);
}

vgpuError_t rt_alloc_private(uint64_t bytes, uint64_t *address)
{
	struct rt_block *block;
	vgpuError_t error;

	if (!heap_reserve() || bytes > rt.heap.bytes)
		return vgpuErrorMemoryAllocation;
	error = block_add(whole_pages(bytes), false, NULL, &block);
	if (error != vgpuSuccess)
		return error;
	block->private = true;
	*address = block->base;
	san_allocated(*address, bytes, SAN_MEMORY_PRIVATE);
	return vgpuSuccess;
}

vgpuError_t rt_alloc_free_private(uint64_t address)
{
	long i = block_below(address);

	san_freed(address);
	return i >= 0 && rt.heap.blocks[i].base == address ? block_remove((size_t)i) :
							     vgpuErrorInvalidValue;
}

/* Of the pages of @count units at @unit those that no allocation is in any more. */
static void forget_pages(const struct rt_block *block, uint64_t unit, uint64_t count)
{
	uint64_t per_page = VGPU_PAGE_SIZE / UNIT, end = unit + count;

	for (unit -= unit % per_page; unit < end; unit += per_page)
		if (!memchr(&block->slab->taken[unit], 1, per_page))
			rt_advice_undo(block->base + unit * UNIT, VGPU_PAGE_SIZE);
}

/* The allocation in a slab at @address, which there is */
static vgpuError_t slab_free(uint64_t address)
{
	long i = block_below(address);
	struct rt_block *block = &rt.heap.blocks[i];
	struct slab *slab = block->slab;
	uint64_t unit = (address - block->base) / UNIT;

	memset(&slab->taken[unit], 0, slab->length[unit]);
	slab->used -= slab->length[unit];
	if (block->managed)
		forget_pages(block, unit, slab->length[unit]);
	slab->length[unit] = 0;
	if (unit < slab->hint)
		slab->hint = (uint32_t)unit;
	return slab->used ? vgpuSuccess : block_remove((size_t)i);
}

vgpuError_t rt_alloc_free(uint64_t address)
{
	long i = block_below(address);
	struct rt_block *block;
	struct slab *slab;
	uint64_t unit;

	if (i < 0)
		return vgpuErrorInvalidValue;
	block = &rt.heap.blocks[i];
	slab = block->slab;
	if (block->private || block->imported || (!slab && address != block->base))
		return vgpuErrorInvalidValue;
	if (!slab) {
		san_freed(address);
		return block_remove((size_t)i);
	}
	unit = (address - block->base) / UNIT;
	if ((address - block->base) % UNIT || unit >= UNITS || !slab->length[unit])
		return vgpuErrorInvalidValue;
	if (san_on) {
		san_freed(address);
		/* another one that has been free for long is given back instead */
		address = san_rest(address);
		return address - rt.heap.base < rt.heap.bytes ? slab_free(address) : vgpuSuccess;
	}
	return slab_free(address);
}

bool rt_alloc_find(uint64_t address, uint64_t *base, uint64_t *bytes)
{
	long i = block_below(address);
	struct rt_block *block;
	uint64_t unit;

	if (rt_variables_owner(address) == rt_current)
		return rt_variables_find(address, base, bytes);
	if (rt_views_find(address, base, bytes))
		return true;
	if (i < 0)
		return false;
	block = &rt.heap.blocks[i];
	if (address - block->base >= block->bytes || block->private)
		return false;
	if (!block->slab) {
		*base = block->base + block->lead;
		*bytes = block->asked;
		return address - *base < block->asked;
	}
	unit = (address - block->base) / UNIT;
	if (!block->slab->taken[unit])
		return false;
	while (!block->slab->length[unit])
		unit--;
	*base = block->base + unit * UNIT;
	*bytes = (uint64_t)block->slab->length[unit] * UNIT;
	return !san_on || san_knows(*base, UNIT, bytes);
}

/* ---- memory of several processes ----------------------------------------- */

/* The block of the current context around @address that is device memory of the program's own. */
static struct rt_block *own_block(uint64_t address)
{
	long i = block_below(address);
	struct rt_block *block = i < 0 ? NULL : &rt.heap.blocks[i];

	return block && address - block->base < block->bytes && !block->private &&
	       !block->managed && !block->imported ? block : NULL;
}

bool rt_alloc_is_own(uint64_t address)
{
	return own_block(address);
}

vgpuError_t rt_alloc_name(uint64_t address, uint64_t name[2], uint64_t *offset)
{
	struct rt_block *block = own_block(address);
	int error = 0;

	if (!block)
		return vgpuErrorInvalidValue;
	if (!block->handle)
		error = rt.ops->mem_retain(rt.transport, block->base, block->bytes,
					   &block->handle);
	if (!error)
		error = rt.ops->mem_name(rt.transport, block->handle, block->name);
	if (error)
		return error == -ENOSPC ? vgpuErrorMemoryAllocation : rt_error_of(error);
	memcpy(name, block->name, sizeof(block->name));
	*offset = address - block->base;
	return vgpuSuccess;
}

static bool has_name(const struct rt_heap *heap, const uint64_t name[2])
{
	for (size_t i = 0; i < heap->count; i++)
		if (heap->blocks[i].handle &&
		    !memcmp(heap->blocks[i].name, name, sizeof(heap->blocks[i].name)))
			return true;
	return false;
}

bool rt_alloc_has_name(const uint64_t name[2])
{
	struct rt_state *state;

	rt_for_each(state)
		if (has_name(&state->heap, name))
			return true;
	return false;
}

vgpuError_t rt_alloc_view(uint32_t handle, uint64_t offset, uint64_t bytes, uint64_t *address)
{
	uint32_t lead = (uint32_t)(offset & (VGPU_PAGE_SIZE - 1));
	const struct pages pages = { handle, offset - lead };
	struct rt_block *block;
	vgpuError_t error;

	if (!heap_reserve() || bytes > rt.heap.bytes)
		return vgpuErrorMemoryAllocation;
	error = block_add(whole_pages(lead + bytes), false, &pages, &block);
	if (error != vgpuSuccess)
		return error;
	block->lead = lead;
	block->asked = bytes;
	*address = block->base + lead;
	return vgpuSuccess;
}

vgpuError_t rt_alloc_free_view(uint64_t address)
{
	long i = block_below(address);

	return i >= 0 && rt.heap.blocks[i].imported ? block_remove((size_t)i) :
						      vgpuErrorInvalidValue;
}

/* Managed memory that is still mapped keeps its file open, and with that the context. */
static void reserve_again(void)
{
	void *base = (void *)(uintptr_t)rt.heap.base;

	if (mmap(base, rt.heap.bytes, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
		madvise(base, rt.heap.bytes, MADV_DONTFORK);
}

void rt_alloc_reset(void)
{
	bool managed = false;

	for (size_t i = 0; i < rt.heap.count; i++) {
		managed |= rt.heap.blocks[i].managed;
		free(rt.heap.blocks[i].slab);
	}
	if (managed)
		reserve_again();
	san_forget(rt.heap.base, rt.heap.bytes);
	free(rt.heap.blocks);
	rt.heap.blocks = NULL;
	rt.heap.count = rt.heap.room = 0;
	rt.heap.used = 0;
}
