// SPDX-License-Identifier: MIT
/*
 * Copies for the program, and of nodes of graphs. What each waits for: docs/runtime.md.
 */
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "graph/capture.h"
#include "pageable.h"
#include "pool_store.h"
#include "rows.h"
#include "views.h"

/* A copy of process memory that is submitted at once; one command holds at most so much. */
#define CHUNK	VGPU_COPY_MAX
/* What is under way at once from one context to another. */
#define ACROSS	(4ul << 20)
/* Rows of a 2D copy share a batch up to this. */
#define BATCH	VGPU_COPY_MAX

static bool device_range(const void *pointer, size_t bytes)
{
	uint64_t base, size, address = (uint64_t)(uintptr_t)pointer;

	return rt_memory_find(address, &base, &size) && bytes <= size - (address - base);
}

/* A range that copies and fills may write: no mapping that may only be read (memory/virtual.h). */
bool rt_range_writable(const void *pointer, size_t bytes)
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
	if (!dst || !src || (to_device && !rt_range_writable(dst, bytes)) ||
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

/* As one row of a node's box. */
static vgpuError_t capture_copy(const struct rt_rows *rows, vgpuMemcpyKind kind,
				struct vgpuStream *stream, bool synchronous)
{
	const struct rt_params params = {
		.type = RT_NODE_COPY,
		.copy = {
			.dst = { rows->dst, rows->dst_pitch, rows->height, rows->width, 0, 0, 0,
				 NULL },
			.src = { (void *)(uintptr_t)rows->src, rows->src_pitch, rows->height,
				 rows->width, 0, 0, 0, NULL },
			.width = rows->width,
			.height = rows->height,
			.depth = 1,
			.kind = kind,
		},
	};

	return synchronous ? rt_capture_refuse(stream) : rt_capture_add(stream, &params);
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
	if (stream->capture)
		return capture_copy(&(const struct rt_rows){ dst, bytes, src, bytes, bytes, 1 },
				    kind, stream, synchronous);
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

vgpuError_t vgpuMemcpyAsync(void *dst, const void *src, size_t bytes, vgpuMemcpyKind kind,
			    vgpuStream_t stream)
{
	vgpuError_t error;

	if (rt_is_elsewhere(dst) || rt_is_elsewhere(src)) {
		error = vgpuStreamSynchronize(stream);
		return error == vgpuSuccess ? vgpuMemcpy(dst, src, bytes, kind) : error;
	}
	return copy_call(dst, src, bytes, kind, stream, false);
}

vgpuError_t rt_rows_check(const struct rt_rows *rows, vgpuMemcpyKind *kind)
{
	size_t dst_bytes, src_bytes, height = rows->height;
	vgpuError_t error;

	if (height > 1 && (rows->width > rows->dst_pitch || rows->width > rows->src_pitch))
		return vgpuErrorInvalidPitchValue;
	if (height > 1 && (rows->dst_pitch > SIZE_MAX / height ||
			   rows->src_pitch > SIZE_MAX / height))
		return vgpuErrorInvalidValue;
	error = direction(rows->dst, rows->src, rows->width, kind);
	if (error != vgpuSuccess)
		return error;
	/* The last row need not have its whole pitch. */
	dst_bytes = rows->dst_pitch * (height - 1) + rows->width;
	src_bytes = rows->src_pitch * (height - 1) + rows->width;
	if ((rt_is_device(rows->dst) && !rt_range_writable(rows->dst, dst_bytes)) ||
	    (rt_is_device(rows->src) && !device_range(rows->src, src_bytes)))
		return vgpuErrorInvalidValue;
	return vgpuSuccess;
}

static vgpuError_t put_rows(const struct rt_rows *rows, vgpuMemcpyKind kind,
			    struct vgpuStream *stream)
{
	vgpuError_t error = rt_stream_begin(stream);

	if (rows->width == rows->dst_pitch && rows->width == rows->src_pitch)
		return error != vgpuSuccess ? error :
			put_copy(stream, rows->dst, rows->src, rows->width * rows->height, kind);
	for (size_t y = 0; y < rows->height && error == vgpuSuccess; y++)
		error = put_copy(stream, rows->dst + y * rows->dst_pitch,
				 rows->src + y * rows->src_pitch, rows->width, kind);
	return error;
}

static void copy_here(const struct rt_rows *rows)
{
	for (size_t y = 0; y < rows->height; y++)
		memmove(rows->dst + y * rows->dst_pitch, rows->src + y * rows->src_pitch,
			rows->width);
}

static void call_copy(void *function, void *stream, void *rows, vgpuError_t error)
{
	(void)function;
	(void)stream;
	if (error == vgpuSuccess)
		copy_here(rows);
	free(rows);
}

vgpuError_t rt_call_later(rt_host_call_fn *call, const void *what, size_t bytes,
			  struct vgpuStream *stream)
{
	struct rt_host_call later = { .call = call, .argument = malloc(bytes), .always = true };
	vgpuError_t error = later.argument ? vgpuSuccess : vgpuErrorMemoryAllocation;

	if (later.argument)
		memcpy(later.argument, what, bytes);
	if (error == vgpuSuccess)
		error = rt_stream_host_call(stream, &later);
	if (error != vgpuSuccess)
		free(later.argument);
	return error;
}

vgpuError_t rt_rows_put(const struct rt_rows *rows, vgpuMemcpyKind kind,
			struct vgpuStream *stream)
{
	return kind == vgpuMemcpyHostToHost ?
		       rt_call_later(call_copy, rows, sizeof(*rows), stream) :
		       put_rows(rows, kind, stream);
}

/* Row by row; as one when the rows touch. */
static vgpuError_t copy_rows(const struct rt_rows *rows, vgpuMemcpyKind kind,
			     struct vgpuStream *stream, bool synchronous)
{
	size_t width = rows->width, height = rows->height;
	vgpuError_t error;
	bool wait;

	/* no pitch counts where there is one row */
	if (height > 1 && (width > rows->dst_pitch || width > rows->src_pitch))
		return vgpuErrorInvalidPitchValue;
	if (!width || !height)
		return vgpuSuccess;
	if (width == rows->dst_pitch && width == rows->src_pitch && width <= SIZE_MAX / height)
		return rt_copy(rows->dst, rows->src, width * height, kind, stream, synchronous);
	error = rt_rows_check(rows, &kind);
	if (error != vgpuSuccess)
		return error;
	if (stream->capture)
		return capture_copy(rows, kind, stream, synchronous);
	if (kind == vgpuMemcpyHostToHost) {
		error = rt_stream_sync(stream);
		if (error == vgpuSuccess)
			copy_here(rows);
		return error;
	}
	wait = must_wait(rows->dst, rows->src,
			 (kind == vgpuMemcpyHostToDevice ? rows->src_pitch : rows->dst_pitch) *
					 (height - 1) + width,
			 kind, synchronous);
	error = put_rows(rows, kind, stream);
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
		error = copy_rows(&(const struct rt_rows){ dst, dst_pitch, src, src_pitch, width,
							   height },
				  kind, stream, synchronous);
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
