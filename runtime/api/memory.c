// SPDX-License-Identifier: MIT
/*
 * Device memory for the program: allocate, free, copy, fill. What each copy waits for:
 * docs/runtime.md.
 */
#include <stdlib.h>
#include <string.h>

#include "memory/advice.h"
#include "memory/ipc.h"
#include "memory/pool.h"
#include "memory/pool_store.h"
#include "memory/views.h"
#include "pageable.h"
#include "sanitizer/sanitizer.h"

/* A copy of process memory that is submitted at once; one command holds at most so much. */
#define CHUNK	VGPU_COPY_MAX
/* What is under way at once from one context to another. */
#define ACROSS	(4ul << 20)
/* Rows of a 2D copy share a batch up to this. */
#define BATCH	VGPU_COPY_MAX

static vgpuError_t alloc_call(void **pointer, size_t bytes, bool managed)
{
	vgpuError_t error = rt_enter();
	uint64_t address;

	if (error != vgpuSuccess)
		return error;
	if (!pointer)
		return rt_leave(vgpuErrorInvalidValue);
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

/* Work in flight may use the memory: it ends first. */
static vgpuError_t free_call(void *pointer)
{
	vgpuError_t error = rt_enter();
	uint64_t base, bytes, address = (uint64_t)(uintptr_t)pointer;

	if (error != vgpuSuccess)
		return error;
	if (!pointer)
		return rt_leave(vgpuSuccess);
	if (!rt_memory_find(address, &base, &bytes) || base != address)
		return rt_leave(vgpuErrorInvalidValue);
	/* what was freed is kept for a while */
	if (san_on && !san_is_live(address))
		return rt_leave(vgpuErrorInvalidValue);
	error = rt_sync_all();
	if (error == vgpuSuccess)
		error = rt_pool_has(pointer) ? rt_pool_free(pointer) : rt_alloc_free(address);
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
	if (error == vgpuSuccess && (!rt_pool_has(pointer) || rt_owner(pointer) != rt_current)) {
		error = rt_leave(rt_owner(pointer) != rt_current ? rt_stream_sync(stream) : error);
		return error == vgpuSuccess ? vgpuFree(pointer) : error;
	}
	/* other streams' work is ordered before this by the program, as CUDA asks for */
	if (error == vgpuSuccess)
		error = rt_pool_free_later(pointer, stream);
	return rt_leave(error);
}

static bool device_range(const void *pointer, size_t bytes)
{
	uint64_t base, size, address = (uint64_t)(uintptr_t)pointer;

	return rt_memory_find(address, &base, &size) && bytes <= size - (address - base);
}

/* A range that copies and fills may write: no mapping that may only be read (memory/virtual.h). */
static bool writable_range(const void *pointer, size_t bytes)
{
	struct rt_view view;

	/* all of the range has the same rights */
	return device_range(pointer, bytes) &&
	       !(rt_view_at((uint64_t)(uintptr_t)pointer, &view) &&
		 view.rights != VGPU_RIGHTS_WRITE);
}

/*
 * What the program says, checked against what the addresses are. Managed memory may be called
 * either; it is the device that copies it. Pinned memory may be called either, too; it is the
 * host's.
 */
static vgpuError_t direction(const void *dst, const void *src, size_t bytes, vgpuMemcpyKind *kind)
{
	bool to_device = rt_is_device(dst), from_device = rt_is_device(src);

	if ((unsigned int)*kind > vgpuMemcpyDefault)
		return vgpuErrorInvalidMemcpyDirection;
	if (*kind == vgpuMemcpyDefault)
		*kind = to_device ?
				from_device ? vgpuMemcpyDeviceToDevice : vgpuMemcpyHostToDevice :
			from_device ? vgpuMemcpyDeviceToHost :
				      vgpuMemcpyHostToHost;
	if (rt_is_managed(dst) && *kind == vgpuMemcpyDeviceToHost)
		*kind = vgpuMemcpyDeviceToDevice;
	if (rt_is_managed(dst) && *kind == vgpuMemcpyHostToHost)
		*kind = vgpuMemcpyHostToDevice;
	if (rt_is_managed(src) && *kind == vgpuMemcpyHostToDevice)
		*kind = vgpuMemcpyDeviceToDevice;
	if (rt_is_managed(src) && *kind == vgpuMemcpyHostToHost)
		*kind = vgpuMemcpyDeviceToHost;
	if (!to_device && rt_is_pinned(dst, bytes))
		*kind = *kind == vgpuMemcpyHostToDevice	  ? vgpuMemcpyHostToHost :
			*kind == vgpuMemcpyDeviceToDevice ? vgpuMemcpyDeviceToHost :
							    *kind;
	if (!from_device && rt_is_pinned(src, bytes))
		*kind = *kind == vgpuMemcpyDeviceToHost	  ? vgpuMemcpyHostToHost :
			*kind == vgpuMemcpyDeviceToDevice ? vgpuMemcpyHostToDevice :
							    *kind;
	if (to_device != (*kind == vgpuMemcpyHostToDevice || *kind == vgpuMemcpyDeviceToDevice) ||
	    from_device != (*kind == vgpuMemcpyDeviceToHost || *kind == vgpuMemcpyDeviceToDevice))
		return vgpuErrorInvalidValue;
	if (!dst || !src || (to_device && !writable_range(dst, bytes)) ||
	    (from_device && !device_range(src, bytes)))
		return vgpuErrorInvalidValue;
	return vgpuSuccess;
}

static vgpuError_t put_copy(struct vgpuStream *stream, void *dst, const void *src, size_t bytes,
			    vgpuMemcpyKind kind)
{
	static const uint16_t ops[] = {
		[vgpuMemcpyHostToDevice] = VGPU_CMD_COPY_H2D,
		[vgpuMemcpyDeviceToHost] = VGPU_CMD_COPY_D2H,
		[vgpuMemcpyDeviceToDevice] = VGPU_CMD_COPY_D2D,
	};
	struct vgpu_cmd cmd = { .op = ops[kind] };
	struct rt_queue *queue = stream->queue;
	vgpuError_t error = vgpuSuccess;

	for (size_t done = 0; done < bytes && error == vgpuSuccess;) {
		size_t step = bytes - done < CHUNK || kind == vgpuMemcpyDeviceToDevice ?
				      bytes - done :
				      CHUNK;

		if (kind != vgpuMemcpyDeviceToDevice) {
			if (queue->copy_bytes + step > BATCH)
				error = rt_flush(queue);
			queue->copy_bytes += step;
		}
		cmd.copy.dst = (uint64_t)(uintptr_t)dst + done;
		cmd.copy.src = (uint64_t)(uintptr_t)src + done;
		cmd.copy.bytes = step;
		if (error == vgpuSuccess)
			error = rt_stream_put(stream, &cmd, NULL);
		done += step;
	}
	return error;
}

/*
 * Must the call wait for the copy? Only process memory that the program may touch again makes it.
 */
static bool must_wait(const void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind,
		      bool synchronous)
{
	/* the program may touch managed memory again as well */
	if (kind == vgpuMemcpyDeviceToDevice)
		return synchronous && (rt_is_managed(dst) || rt_is_managed(src));
	return synchronous || !rt_is_pinned(kind == vgpuMemcpyHostToDevice ? src : dst, bytes);
}

vgpuError_t rt_copy(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind,
		    struct vgpuStream *stream, bool synchronous)
{
	vgpuError_t error;
	bool wait;

	if (!bytes)
		return (unsigned int)kind > vgpuMemcpyDefault ? vgpuErrorInvalidMemcpyDirection :
								vgpuSuccess;
	error = direction(dst, src, bytes, &kind);
	if (error != vgpuSuccess)
		return error;
	if (kind == vgpuMemcpyHostToHost) {
		error = rt_stream_sync(stream);
		if (error == vgpuSuccess)
			memmove(dst, src, bytes);
		return error;
	}
	wait = must_wait(dst, src, bytes, kind, synchronous);
	error = rt_stream_begin(stream);
	if (error == vgpuSuccess && wait && !synchronous && kind == vgpuMemcpyHostToDevice &&
	    bytes <= RT_STAGE_MAX) {
		wait = false;
		error = rt_stage(stream->queue, src, bytes, &src);
	}
	if (error == vgpuSuccess)
		error = put_copy(stream, dst, src, bytes, kind);
	if (error == vgpuSuccess)
		error = wait ? rt_wait(stream->queue, stream->last) : rt_flush(stream->queue);
	if (error == vgpuSuccess && wait && synchronous)
		error = rt_printf_flush(stream->queue);
	return error;
}

static vgpuError_t copy_call(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind,
			     vgpuStream_t handle, bool synchronous)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	if (error == vgpuSuccess)
		error = rt_copy(dst, src, bytes, kind, stream, synchronous);
	return rt_leave(error);
}

/* From one context to another: through this process, piece by piece. */
static vgpuError_t copy_across(struct rt_state *to, void *dst, struct rt_state *from,
			       const void *src, size_t bytes)
{
	size_t piece = bytes < ACROSS ? bytes : ACROSS;
	char *buffer = malloc(piece);
	vgpuError_t error = vgpuSuccess;

	if (!buffer)
		return rt_result(vgpuErrorMemoryAllocation);
	for (size_t done = 0; done < bytes && error == vgpuSuccess; done += piece) {
		if (piece > bytes - done)
			piece = bytes - done;
		rt_current = from;
		error = copy_call(buffer, (const char *)src + done, piece, vgpuMemcpyDeviceToHost,
				  NULL, true);
		rt_current = to;
		if (error == vgpuSuccess)
			error = copy_call((char *)dst + done, buffer, piece, vgpuMemcpyHostToDevice,
					  NULL, true);
	}
	free(buffer);
	return error;
}

/* In the context that the memory is of. */
vgpuError_t vgpuMemcpy(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind)
{
	struct rt_state *before = rt_current, *to = rt_owner(dst), *from = rt_owner(src);
	vgpuError_t error;

	if (to != from && rt_is_device(dst) && rt_is_device(src) &&
	    (kind == vgpuMemcpyDeviceToDevice || kind == vgpuMemcpyDefault)) {
		error = copy_across(to, dst, from, src, bytes);
	} else {
		rt_current = rt_is_device(dst) ? to : from;
		error = copy_call(dst, src, bytes, kind, NULL, true);
	}
	rt_current = before;
	return error;
}

/* Is it memory of another context? What is to be done there comes behind all of the stream. */
static bool is_elsewhere(const void *pointer)
{
	return rt_owner(pointer) != rt_current;
}

vgpuError_t vgpuMemcpyAsync(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind,
			    vgpuStream_t stream)
{
	vgpuError_t error;

	if (is_elsewhere(dst) || is_elsewhere(src)) {
		error = vgpuStreamSynchronize(stream);
		return error == vgpuSuccess ? vgpuMemcpy(dst, src, bytes, kind) : error;
	}
	return copy_call(dst, src, bytes, kind, stream, false);
}

/* Row by row; as one when the rows touch. */
static vgpuError_t copy_rows(char *dst, size_t dst_pitch, const char *src, size_t src_pitch,
			     size_t width, size_t height, vgpuMemcpyKind kind,
			     struct vgpuStream *stream, bool synchronous)
{
	vgpuError_t error;
	bool wait;

	if (width > dst_pitch || width > src_pitch)
		return vgpuErrorInvalidPitchValue;
	if (!width || !height)
		return vgpuSuccess;
	if (height > 1 && (dst_pitch > SIZE_MAX / height || src_pitch > SIZE_MAX / height))
		return vgpuErrorInvalidValue;
	if (width == dst_pitch && width == src_pitch)
		return rt_copy(dst, src, width * height, kind, stream, synchronous);
	/* The last row need not have its whole pitch. */
	error = direction(dst, src, width, &kind);
	if (error == vgpuSuccess && rt_is_device(dst) &&
	    !writable_range(dst, dst_pitch * (height - 1) + width))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess && rt_is_device(src) &&
	    !device_range(src, src_pitch * (height - 1) + width))
		error = vgpuErrorInvalidValue;
	if (error != vgpuSuccess)
		return error;
	if (kind == vgpuMemcpyHostToHost) {
		error = rt_stream_sync(stream);
		for (size_t y = 0; y < height && error == vgpuSuccess; y++)
			memmove(dst + y * dst_pitch, src + y * src_pitch, width);
		return error;
	}
	wait = must_wait(dst, src,
			 kind == vgpuMemcpyHostToDevice ? src_pitch * (height - 1) + width :
							  dst_pitch * (height - 1) + width,
			 kind, synchronous);
	error = rt_stream_begin(stream);
	for (size_t y = 0; y < height && error == vgpuSuccess; y++)
		error = put_copy(stream, dst + y * dst_pitch, src + y * src_pitch, width, kind);
	if (error == vgpuSuccess)
		error = wait ? rt_wait(stream->queue, stream->last) : rt_flush(stream->queue);
	if (error == vgpuSuccess && wait && synchronous)
		error = rt_printf_flush(stream->queue);
	return error;
}

static vgpuError_t copy2d_call(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
			       size_t width, size_t height, vgpuMemcpyKind kind,
			       vgpuStream_t handle, bool synchronous)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	if (error == vgpuSuccess)
		error = copy_rows(dst, dst_pitch, src, src_pitch, width, height, kind, stream,
				  synchronous);
	return rt_leave(error);
}

vgpuError_t vgpuMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
			 size_t width, size_t height, vgpuMemcpyKind kind)
{
	return copy2d_call(dst, dst_pitch, src, src_pitch, width, height, kind, NULL, true);
}

vgpuError_t vgpuMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
			      size_t width, size_t height, vgpuMemcpyKind kind, vgpuStream_t stream)
{
	return copy2d_call(dst, dst_pitch, src, src_pitch, width, height, kind, stream, false);
}

vgpuError_t vgpuMemPrefetchAsync(const void *pointer, size_t bytes, int to_device,
				 vgpuStream_t handle)
{
	struct vgpu_cmd cmd = { .op = VGPU_CMD_PREFETCH };
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	if (error != vgpuSuccess)
		return rt_leave(error);
	if (!rt_is_pageable(pointer, bytes) &&
	    (!bytes || !rt_is_managed(pointer) || !device_range(pointer, bytes)))
		return rt_leave(vgpuErrorInvalidValue);
	cmd.prefetch.address = (uint64_t)(uintptr_t)pointer;
	cmd.prefetch.bytes = bytes;
	cmd.prefetch.to_device = !!to_device;
	error = rt_stream_begin(stream);
	if (error == vgpuSuccess)
		error = rt_stream_put(stream, &cmd, NULL);
	if (error == vgpuSuccess)
		error = rt_flush(stream->queue);
	if (error == vgpuSuccess)
		error = rt_advice_set(cmd.prefetch.address, bytes, RT_ADVICE_PREFETCHED,
				      to_device ? rt_device() : RT_LOCATION_HOST);
	return rt_leave(error);
}

/** struct fill - elements of 1, 2 or 4 bytes that become a value */
struct fill {
	uint32_t value;
	unsigned int element;
};

static vgpuError_t put_fill(struct vgpuStream *stream, uint64_t dst, struct fill fill, size_t bytes)
{
	struct vgpu_cmd cmd = { .op = VGPU_CMD_FILL };

	/* whole words where it is the same */
	if (fill.element == 1 && !((dst | bytes) & 3))
		fill = (struct fill){ (fill.value & 0xff) * 0x01010101u, 4 };
	cmd.fill.dst = dst;
	cmd.fill.width = fill.element;
	cmd.fill.count = bytes / fill.element;
	cmd.fill.value = fill.element == 1 ? fill.value & 0xff :
			 fill.element == 2 ? fill.value & 0xffff : fill.value;
	return rt_stream_put(stream, &cmd, NULL);
}

/* In the order of the stream, with no command for it. */
static vgpuError_t fill_here(struct vgpuStream *stream, char *dst, size_t pitch, struct fill fill,
			     size_t width, size_t height)
{
	vgpuError_t error = rt_flush(stream->queue);

	if (error == vgpuSuccess)
		error = rt_stream_sync(stream);
	for (size_t y = 0; y < height && error == vgpuSuccess; y++)
		for (size_t x = 0; x < width; x += fill.element)
			memcpy(dst + y * pitch + x, &fill.value, fill.element);
	return error;
}

static vgpuError_t fill_call(void *pointer, size_t pitch, struct fill fill, size_t width,
			     size_t height, vgpuStream_t handle, bool synchronous)
{
	vgpuError_t error = rt_enter();
	uint64_t dst = (uint64_t)(uintptr_t)pointer;
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	if (error != vgpuSuccess || !width || !height)
		return rt_leave(error);
	if (height > 1 && width > pitch)
		return rt_leave(vgpuErrorInvalidPitchValue);
	if ((height > 1 && pitch > SIZE_MAX / height) ||
	    (!writable_range(pointer, pitch * (height - 1) + width) &&
	     !rt_is_mapped(pointer, pitch * (height - 1) + width)))
		return rt_leave(vgpuErrorInvalidValue);
	error = rt_stream_begin(stream);
	if (width == pitch) {
		width *= height;
		height = 1;
	}
	if (rt.ops->process_memory && !rt_is_device(pointer))
		return rt_leave(error != vgpuSuccess ? error :
						       fill_here(stream, pointer, pitch, fill,
								 width, height));
	for (size_t y = 0; y < height && error == vgpuSuccess; y++)
		error = put_fill(stream, dst + y * pitch, fill, width);
	if (error == vgpuSuccess)
		error = rt_flush(stream->queue);
	/* of pinned memory, the program may look at once */
	if (error == vgpuSuccess && synchronous && !rt_is_device(pointer))
		error = rt_wait(stream->queue, stream->last);
	return rt_leave(error);
}

static vgpuError_t fill_there(void *pointer, size_t pitch, struct fill fill, size_t width,
			      size_t height)
{
	struct rt_state *before = rt_current;
	vgpuError_t error;

	rt_current = rt_owner(pointer);
	error = fill_call(pointer, pitch, fill, width, height, NULL, true);
	rt_current = before;
	return error;
}

static vgpuError_t fill_async(void *pointer, size_t pitch, struct fill fill, size_t width,
			      size_t height, vgpuStream_t stream)
{
	vgpuError_t error;

	if (!is_elsewhere(pointer))
		return fill_call(pointer, pitch, fill, width, height, stream, false);
	error = vgpuStreamSynchronize(stream);
	return error == vgpuSuccess ? fill_there(pointer, pitch, fill, width, height) : error;
}

vgpuError_t vgpuFill2D(void *pointer, size_t pitch, uint32_t value, unsigned int element,
		       size_t width, size_t height, vgpuStream_t stream, int synchronous)
{
	struct fill fill = { value, element };

	if ((element != 1 && element != 2 && element != 4) ||
	    (uintptr_t)pointer % element || (height > 1 && pitch % element) ||
	    width > SIZE_MAX / element)
		return rt_result(vgpuErrorInvalidValue);
	width *= element;
	if (height <= 1)
		pitch = width;
	return synchronous ? fill_there(pointer, pitch, fill, width, height) :
			     fill_async(pointer, pitch, fill, width, height, stream);
}

vgpuError_t vgpuMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
			      vgpuStream_t stream)
{
	return fill_async(pointer, pitch, (struct fill){ (uint32_t)value, 1 }, width, height,
			  stream);
}

/* In the context that the memory is of. */
vgpuError_t vgpuMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
	return fill_there(pointer, pitch, (struct fill){ (uint32_t)value, 1 }, width, height);
}

vgpuError_t vgpuMemsetAsync(void *pointer, int value, size_t bytes, vgpuStream_t stream)
{
	return vgpuMemset2DAsync(pointer, bytes, value, bytes, 1, stream);
}

vgpuError_t vgpuMemset(void *pointer, int value, size_t bytes)
{
	return vgpuMemset2D(pointer, bytes, value, bytes, 1);
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
