// SPDX-License-Identifier: MIT
/*
 * The memory of malloc() and free() in kernels: one mapping for all modules of a context, made when
 * the first module that needs it is loaded. It is divided here, and never written: heap/heap.h says
 * what is where.
 */
#include <string.h>

#include "heap/heap.h"
#include "state.h"

#define DEFAULT_LIMIT	(8ull << 20)	/* as CUDA's */

static uint64_t malloc_limit(void)
{
	return rt.malloc.limit ? rt.malloc.limit : DEFAULT_LIMIT;
}

/* The next part: @bytes, beginning and ending at a multiple of 256. */
static uint64_t part(uint64_t *at, uint64_t bytes)
{
	uint64_t start = *at;

	*at += (bytes + 255) & ~255ull;
	return start;
}

/* Places a heap with room for @limit bytes at @base; returns the bytes that it takes. */
static uint64_t lay_out(struct vgpu_heap *heap, uint64_t base, uint64_t limit)
{
	uint64_t at = base, chunks = (limit + VGPU_HEAP_CHUNK - 1) / VGPU_HEAP_CHUNK;
	uint64_t words = (chunks + 31) / 32;

	*heap = (struct vgpu_heap){ .chunks = (uint32_t)chunks, .words = (uint32_t)words };
	heap->head = part(&at, sizeof(struct vgpu_heap_head));
	heap->claimed = part(&at, words * 4);
	heap->state = part(&at, chunks * 4);
	heap->length = part(&at, chunks * 4);
	heap->room = part(&at, words * 4 * VGPU_HEAP_CLASSES);
	heap->blocks = part(&at, chunks * VGPU_HEAP_BITMAP * 4);
	heap->data = (at + VGPU_HEAP_CHUNK - 1) & ~(uint64_t)(VGPU_HEAP_CHUNK - 1);
	return heap->data + chunks * VGPU_HEAP_CHUNK - base;
}

/* Maps a heap of @limit bytes. The base is known only then, so there is a chunk to align in. */
static vgpuError_t map_heap(uint64_t limit, uint64_t *base, struct vgpu_heap *heap)
{
	uint64_t bytes = lay_out(heap, 0, limit) + VGPU_HEAP_CHUNK;
	vgpuError_t error = rt_alloc_private(bytes, base);

	if (error == vgpuErrorMemoryAllocation)
		rt_message("device memory has no room for the heap of malloc() in kernels: "
			   "cudaLimitMallocHeapSize is %llu bytes, which take %llu",
			   (unsigned long long)limit, (unsigned long long)bytes);
	if (error == vgpuSuccess)
		lay_out(heap, *base, limit);
	return error;
}

vgpuError_t rt_malloc_heap(struct vgpu_heap *heap)
{
	vgpuError_t error = vgpuSuccess;

	if (!rt.malloc.base)
		error = map_heap(malloc_limit(), &rt.malloc.base, heap);
	else
		lay_out(heap, rt.malloc.base, malloc_limit());
	return error;
}

/* Modules are loaded, but no kernel has called malloc() yet: they get another heap. */
static vgpuError_t replace_heap(uint64_t limit)
{
	struct vgpu_heap heap;
	uint64_t base;
	vgpuError_t error = map_heap(limit, &base, &heap);

	if (error != vgpuSuccess)
		return error;
	for (struct vgpuModule *module = rt.modules; module; module = module->next) {
		struct vgpu_program *program = module->image.program;

		if (!program->uses_heap)
			continue;
		memcpy(program->data + program->heap_offset, &heap, sizeof(heap));
		error = rt_module_write(module, program->heap_offset, sizeof(heap));
		if (error != vgpuSuccess)
			return error;
	}
	error = rt_alloc_free_private(rt.malloc.base);
	rt.malloc.base = base;
	return error;
}

void rt_malloc_reset(void)
{
	memset(&rt.malloc, 0, sizeof(rt.malloc));
}

vgpuError_t vgpuDeviceSetHeapSize(size_t bytes)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (rt.malloc.launched) {
		rt_message("the size of the heap of malloc() in kernels cannot change after a "
			   "kernel that uses it was launched; call vgpuDeviceReset() first");
		return rt_leave(vgpuErrorInvalidValue);
	}
	if (bytes < VGPU_HEAP_CHUNK)
		bytes = VGPU_HEAP_CHUNK;
	if (bytes > rt.info.vram_bytes) {
		rt_message("a heap of %zu bytes for malloc() in kernels: the device has %llu",
			   bytes, (unsigned long long)rt.info.vram_bytes);
		return rt_leave(vgpuErrorMemoryAllocation);
	}
	if (rt.malloc.base && bytes != malloc_limit())
		error = replace_heap(bytes);
	if (error == vgpuSuccess)
		rt.malloc.limit = bytes;
	return rt_leave(error);
}

vgpuError_t vgpuDeviceGetHeapSize(size_t *bytes)
{
	return rt_give_limit(malloc_limit, bytes);
}
