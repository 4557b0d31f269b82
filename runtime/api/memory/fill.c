// SPDX-License-Identifier: MIT
/*
 * Fills for the program, and of nodes of graphs.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/capture.h"
#include "rows.h"

static vgpuError_t put_fill(struct vgpuStream *stream, uint64_t dst, const struct rt_fill *fill)
{
	struct vgpu_cmd cmd = { .op = VGPU_CMD_FILL };
	uint32_t value = fill->value;

	cmd.fill.dst = dst;
	cmd.fill.width = fill->element;
	/* whole words where it is the same */
	if (fill->element == 1 && !((dst | fill->width) & 3)) {
		value = (value & 0xff) * 0x01010101u;
		cmd.fill.width = 4;
	}
	cmd.fill.count = fill->width / cmd.fill.width;
	cmd.fill.value = cmd.fill.width == 1 ? value & 0xff :
			 cmd.fill.width == 2 ? value & 0xffff : value;
	return rt_stream_put(stream, &cmd, NULL);
}

/* With no command for it. */
static void fill_here(const struct rt_fill *fill)
{
	for (size_t y = 0; y < fill->height; y++)
		for (size_t x = 0; x < fill->width; x += fill->element)
			memcpy(fill->dst + y * fill->pitch + x, &fill->value, fill->element);
}

static void call_fill(void *function, void *stream, void *fill, vgpuError_t error)
{
	(void)function;
	(void)stream;
	if (error == vgpuSuccess)
		fill_here(fill);
	free(fill);
}

static bool is_filled_here(const struct rt_fill *fill)
{
	return rt.ops->process_memory && !rt_is_device(fill->dst);
}

vgpuError_t rt_fill_check(const struct rt_fill *fill)
{
	size_t width = fill->width, height = fill->height, pitch = fill->pitch;

	if (!width || !height)
		return vgpuSuccess;
	if (height > 1 && width > pitch)
		return vgpuErrorInvalidPitchValue;
	if ((height > 1 && pitch > SIZE_MAX / height) ||
	    (!rt_range_writable(fill->dst, pitch * (height - 1) + width) &&
	     !rt_is_mapped(fill->dst, pitch * (height - 1) + width)))
		return vgpuErrorInvalidValue;
	return vgpuSuccess;
}

static vgpuError_t put_fills(struct rt_fill fill, struct vgpuStream *stream)
{
	vgpuError_t error = rt_stream_begin(stream);

	if (fill.width == fill.pitch) {
		fill.width *= fill.height;
		fill.height = fill.width > 0;
	}
	for (size_t y = 0; y < fill.height && error == vgpuSuccess; y++)
		error = put_fill(stream, (uint64_t)(uintptr_t)fill.dst + y * fill.pitch, &fill);
	return error;
}

vgpuError_t rt_fill_put(const struct rt_fill *fill, struct vgpuStream *stream)
{
	return is_filled_here(fill) ? rt_call_later(call_fill, fill, sizeof(*fill), stream) :
				      put_fills(*fill, stream);
}

static vgpuError_t capture_fill(const struct rt_fill *fill, struct vgpuStream *stream)
{
	const struct rt_params params = {
		.type = RT_NODE_FILL,
		.fill = { fill->dst, fill->pitch, fill->value, fill->element,
			  fill->width / fill->element, fill->height },
	};

	return rt_capture_add(stream, &params);
}

static vgpuError_t fill_call(const struct rt_fill *fill, vgpuStream_t handle, bool synchronous)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	if (error != vgpuSuccess || !fill->width || !fill->height)
		return rt_leave(error);
	error = rt_fill_check(fill);
	if (error != vgpuSuccess)
		return rt_leave(error);
	if (stream->capture)
		return rt_leave(synchronous ? rt_capture_refuse(stream) :
					      capture_fill(fill, stream));
	if (is_filled_here(fill)) {
		error = rt_stream_begin(stream);
		if (error == vgpuSuccess)
			error = rt_flush(stream->queue);
		if (error == vgpuSuccess)
			error = rt_stream_sync(stream);
		if (error == vgpuSuccess)
			fill_here(fill);
		return rt_leave(error);
	}
	error = put_fills(*fill, stream);
	if (error == vgpuSuccess)
		error = rt_flush(stream->queue);
	/* of pinned memory, the program may look at once */
	if (error == vgpuSuccess && synchronous && !rt_is_device(fill->dst))
		error = rt_wait(stream->queue, stream->last);
	return rt_leave(error);
}

static vgpuError_t fill_there(const struct rt_fill *fill)
{
	struct rt_state *before = rt_current;
	vgpuError_t error;

	rt_current = rt_owner(fill->dst);
	error = fill_call(fill, NULL, true);
	rt_current = before;
	return error;
}

static vgpuError_t fill_async(const struct rt_fill *fill, vgpuStream_t stream)
{
	vgpuError_t error;

	if (!rt_is_elsewhere(fill->dst))
		return fill_call(fill, stream, false);
	error = vgpuStreamSynchronize(stream);
	return error == vgpuSuccess ? fill_there(fill) : error;
}

vgpuError_t vgpuFill2D(void *pointer, size_t pitch, uint32_t value, unsigned int element,
		       size_t width, size_t height, vgpuStream_t stream, int synchronous)
{
	struct rt_fill fill = { pointer, pitch, value, element, width * element, height };

	if ((element != 1 && element != 2 && element != 4) ||
	    (uintptr_t)pointer % element || (height > 1 && pitch % element) ||
	    width > SIZE_MAX / element)
		return rt_result(vgpuErrorInvalidValue);
	if (height <= 1)
		fill.pitch = fill.width;
	return synchronous ? fill_there(&fill) : fill_async(&fill, stream);
}

vgpuError_t vgpuMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
			      vgpuStream_t stream)
{
	const struct rt_fill fill = { pointer, pitch, (uint32_t)value, 1, width, height };

	return fill_async(&fill, stream);
}

/* In the context that the memory is of. */
vgpuError_t vgpuMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
	const struct rt_fill fill = { pointer, pitch, (uint32_t)value, 1, width, height };

	return fill_there(&fill);
}

vgpuError_t vgpuMemsetAsync(void *pointer, int value, size_t bytes, vgpuStream_t stream)
{
	return vgpuMemset2DAsync(pointer, bytes, value, bytes, 1, stream);
}

vgpuError_t vgpuMemset(void *pointer, int value, size_t bytes)
{
	return vgpuMemset2D(pointer, bytes, value, bytes, 1);
}
