// SPDX-License-Identifier: MIT
/*
 * Device memory for the program: allocate and free, and questions about it. Copies and fills:
 * memory/copy.c, memory/fill.c.
 */
#include "graph/allocation.h"
#include "graph/capture.h"
#include "memory/ipc.h"
#include "memory/pool.h"
#include "memory/pool_store.h"
#include "sanitizer/sanitizer.h"

static vgpuError_t alloc_call(void **pointer, size_t bytes, bool managed)
{
	vgpuError_t error = rt_enter();
	uint64_t address;

	if (error != vgpuSuccess)
		return error;
	error = pointer ? rt_capture_guard() : vgpuErrorInvalidValue;
	if (error != vgpuSuccess)
		return rt_leave(error);
	*pointer = NULL;
	if (!bytes)
		return rt_leave(managed ? vgpuErrorInvalidValue : vgpuSuccess);
	error = rt_alloc(bytes, managed, &address);
	/* what pools hold is for everybody when there is nothing else */
	if (error == vgpuErrorMemoryAllocation && !managed && rt_pools_release())
		error = rt_alloc(bytes, managed, &address);
	if (error == vgpuSuccess)
		*pointer = (void *)(uintptr_t)address;
	return rt_leave(error);
}

vgpuError_t vgpuMalloc(void **pointer, size_t bytes)
{
	return alloc_call(pointer, bytes, false);
}

vgpuError_t vgpuMallocManaged(void **pointer, size_t bytes)
{
	return alloc_call(pointer, bytes, true);
}

vgpuError_t vgpuMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
	size_t row = (width + 511) & ~(size_t)511;

	if (!pointer || !pitch || row < width || (height && row > SIZE_MAX / height))
		return rt_result(vgpuErrorInvalidValue);
	*pitch = row;
	return vgpuMalloc(pointer, row * height);
}

/* Memory of a graph stays with that. */
static vgpuError_t free_own(void *pointer)
{
	struct rt_graph_memory *memory = rt_graph_memory_at(pointer);

	if (!memory)
		return rt_alloc_free((uint64_t)(uintptr_t)pointer);
	if (!memory->live)
		return vgpuErrorInvalidValue;
	rt_graph_memory_free(memory, NULL, 0);
	return vgpuSuccess;
}

/* In the order of the stream: what comes behind it may have the memory again. */
static vgpuError_t free_graph_memory(struct rt_graph_memory *memory, struct vgpuStream *stream)
{
	vgpuError_t error = memory->live ? rt_stream_begin(stream) : vgpuErrorInvalidValue;

	if (error == vgpuSuccess)
		rt_graph_memory_free(memory, stream->queue, stream->last);
	return error;
}

static vgpuError_t capture_free(void *pointer, struct vgpuStream *stream)
{
	const struct rt_params params = { .type = RT_NODE_FREE, .pointer = pointer };

	return rt_graph_memory_at(pointer) ? rt_capture_add(stream, &params) :
					     vgpuErrorInvalidValue;
}

/* Work in flight may use the memory: it ends first. */
static vgpuError_t free_call(void *pointer)
{
	vgpuError_t error = rt_enter();
	uint64_t base, bytes, address = (uint64_t)(uintptr_t)pointer;

	if (error != vgpuSuccess)
		return error;
	if (!pointer)
		return rt_leave(vgpuSuccess);
	error = rt_capture_guard();
	if (error != vgpuSuccess)
		return rt_leave(error);
	if (!rt_memory_find(address, &base, &bytes) || base != address)
		return rt_leave(vgpuErrorInvalidValue);
	/* what was freed is kept for a while */
	if (san_on && !san_is_live(address))
		return rt_leave(vgpuErrorInvalidValue);
	error = rt_sync_all();
	if (error == vgpuSuccess)
		error = rt_pool_has(pointer) ? rt_pool_free(pointer) : free_own(pointer);
	return rt_leave(rt_synced(error));
}

/* Whatever context is current. */
vgpuError_t vgpuFree(void *pointer)
{
	struct rt_state *before = rt_current;
	vgpuError_t error;

	if (rt_ipc_is_pooled(pointer))
		return rt_ipc_close_pooled(pointer);
	rt_current = rt_owner(pointer);
	error = free_call(pointer);
	rt_current = before;
	return error;
}

vgpuError_t rt_free_async(void *pointer, vgpuStream_t handle)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	if (error == vgpuSuccess && stream->capture)
		return rt_leave(capture_free(pointer, stream));
	if (error == vgpuSuccess && rt_graph_memory_at(pointer))
		return rt_leave(free_graph_memory(rt_graph_memory_at(pointer), stream));
	if (error == vgpuSuccess && (!rt_pool_has(pointer) || rt_owner(pointer) != rt_current)) {
		error = rt_leave(rt_owner(pointer) != rt_current ? rt_stream_sync(stream) : error);
		return error == vgpuSuccess ? vgpuFree(pointer) : error;
	}
	/* other streams' work is ordered before this by the program, as CUDA asks for */
	if (error == vgpuSuccess)
		error = rt_pool_free_later(pointer, stream);
	return rt_leave(error);
}

vgpuError_t vgpuPointerInfo(const void *pointer, int *kind, void **base, size_t *bytes)
{
	vgpuError_t error = rt_enter();
	uint64_t start = 0, size = 0;

	if (error != vgpuSuccess)
		return error;
	if (!kind || !base || !bytes)
		return rt_leave(vgpuErrorInvalidValue);
	if (rt_memory_find((uint64_t)(uintptr_t)pointer, &start, &size))
		*kind = rt_is_managed(pointer) ? 3 : 2;
	else
		*kind = rt_pinned_range(pointer, &start, &size) ? 1 : 0;
	*base = (void *)(uintptr_t)start;
	*bytes = size;
	return rt_leave(vgpuSuccess);
}

vgpuError_t vgpuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	vgpuError_t error = rt_enter();
	struct vgpu_device_info info;

	if (error != vgpuSuccess)
		return error;
	if (!free_bytes || !total_bytes)
		return rt_leave(vgpuErrorInvalidValue);
	error = rt_error_of(rt.ops->device_info(rt.transport, &info));
	if (error == vgpuSuccess) {
		/* as CUDA: what has no frame of a managed page; cudaMalloc() may have more */
		*free_bytes = info.vram_bytes - info.vram_used;
		if (*free_bytes > info.vram_free)
			*free_bytes = info.vram_free;
		*total_bytes = info.vram_bytes;
		if (info.memory_budget && *total_bytes > info.memory_budget)
			*total_bytes = info.memory_budget;
		if (*total_bytes > rt.heap.limit)
			*total_bytes = rt.heap.limit;
		if (*free_bytes > rt_alloc_left())
			*free_bytes = rt_alloc_left();
	}
	return rt_leave(error);
}
