// SPDX-License-Identifier: MIT
/*
 * Launching a kernel: what CUDA refuses is refused here, with CUDA's code, before the device sees
 * it.
 */
#include <string.h>

#include "state.h"

static vgpuError_t check(const struct vgpuFunction *function, const unsigned int grid[3],
			 const unsigned int block[3], size_t dynamic_shared)
{
	const struct vgpu_vass_kernel *vass = &rt_kernel(function)->vass;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

	if (!grid[0] || !grid[1] || !grid[2] || grid[0] > RT_GRID_X || grid[1] > RT_GRID_YZ ||
	    grid[2] > RT_GRID_YZ || !block[0] || !block[1] || !block[2] || block[0] > RT_BLOCK_X ||
	    block[1] > RT_BLOCK_X || block[2] > RT_BLOCK_Z || threads > rt.info.threads_per_block)
		return vgpuErrorInvalidConfiguration;
	if (dynamic_shared > rt.info.shared_per_block ||
	    dynamic_shared + vass->shared_bytes > function->max_dynamic_shared)
		return vgpuErrorInvalidValue;
	if (vass->max_threads && threads > vass->max_threads)
		return vgpuErrorLaunchOutOfResources;
	return vgpuSuccess;
}

vgpuError_t rt_launch(struct vgpuFunction *function, const unsigned int grid[3],
		      const unsigned int block[3], void **arguments, size_t dynamic_shared,
		      struct vgpuStream *stream)
{
	const struct vgpu_program_kernel *kernel;
	const struct rt_image *image;
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH };
	struct rt_queue *queue = stream->queue;
	uint8_t params[VGPU_VASS_MAX_PARAM];
	vgpuError_t error = check(function, grid, block, dynamic_shared);

	if (error != vgpuSuccess)
		return error;
	image = rt_image_for(function, block[0] * block[1] * block[2], &cmd.launch.kernel);
	if (!image)
		return vgpuErrorLaunchOutOfResources;
	kernel = rt_image_kernel(image, cmd.launch.kernel, &cmd.launch.module, &cmd.launch.kernel);
	if (kernel->param_count && !arguments)
		return vgpuErrorInvalidValue;
	if (kernel->vass.param_bytes)
		memset(params, 0, kernel->vass.param_bytes);
	for (uint32_t i = 0; i < kernel->param_count; i++)
		memcpy(params + kernel->params[i].offset, arguments[i], kernel->params[i].size);
	rt.malloc.launched |= kernel->uses_heap;
	rt.printf.launched |= kernel->uses_print;
	rt.printf.pending |= kernel->uses_print;
	memcpy(cmd.launch.grid, grid, sizeof(cmd.launch.grid));
	memcpy(cmd.launch.block, block, sizeof(cmd.launch.block));
	cmd.launch.dynamic_shared = (uint32_t)dynamic_shared;
	cmd.launch.param_bytes = kernel->vass.param_bytes;
	error = rt_stream_begin(stream);
	if (error == vgpuSuccess)
		error = rt_stream_put(stream, &cmd, kernel->vass.param_bytes ? params : NULL);
	/*
	 * A few go out at once, so that the device has work; in a long row of launches they go in
	 * batches.
	 */
	if (error == vgpuSuccess &&
	    (queue->submitted - queue->completed < RT_EAGER || queue->pending >= RT_BATCH))
		error = rt_flush(queue);
	if (error == vgpuSuccess && rt.launch_blocking)
		error = rt_wait(queue, stream->last);
	return error;
}

vgpuError_t vgpuLaunchKernel(vgpuFunction_t function, const unsigned int grid[3],
			     const unsigned int block[3], void **arguments, size_t dynamic_shared,
			     vgpuStream_t handle)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	if (!rt_function_known(function))
		return rt_leave(vgpuErrorInvalidDeviceFunction);
	error = rt_stream_of(handle, &stream);
	if (error == vgpuSuccess)
		error = rt_launch(function, grid, block, arguments, dynamic_shared, stream);
	return rt_leave(error);
}
