// SPDX-License-Identifier: MIT
/*
 * Launching a kernel: what CUDA refuses is refused here, with CUDA's code, before the device sees
 * it.
 */
#include <string.h>

#include "code_file.h"
#include "graph/capture.h"
#include "grid.h"
#include "launch.h"
#include "memory/pool_store.h"
#include "memory/views.h"
#include "timing.h"

static vgpuError_t check_arguments(const struct vgpu_program_kernel *kernel, void **arguments)
{
	if (!arguments)
		return kernel->param_count ? vgpuErrorInvalidValue : vgpuSuccess;
	for (uint32_t i = 0; i < kernel->param_count; i++)
		if (!arguments[i]) {
			rt_message("parameter %u of `%s' is NULL", i, kernel->name);
			return vgpuErrorInvalidValue;
		}
	return vgpuSuccess;
}

vgpuError_t rt_launch_check(const struct vgpuFunction *function, const unsigned int grid[3],
			    const unsigned int block[3], void **arguments, size_t dynamic_shared,
			    bool cooperative)
{
	const struct vgpu_vass_kernel *vass = &rt_kernel(function)->vass;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

	if (!grid[0] || !grid[1] || !grid[2] || grid[0] > RT_GRID_X || grid[1] > RT_GRID_YZ ||
	    grid[2] > RT_GRID_YZ || !block[0] || !block[1] || !block[2] || block[0] > RT_BLOCK_X ||
	    block[1] > RT_BLOCK_X || block[2] > RT_BLOCK_Z || threads > rt.info.threads_per_block)
		return vgpuErrorInvalidConfiguration;
	if (dynamic_shared > rt.info.shared_per_block ||
	    dynamic_shared + rt_own_shared(rt_kernel(function)) > function->max_dynamic_shared)
		return vgpuErrorInvalidValue;
	if (dynamic_shared + vass->shared_bytes > rt.info.shared_per_block) {
		rt_message("`%s' needs %llu bytes of shared memory a block with the free bytes "
			   "behind its variables that the sanitizer wants, and the device has %u: "
			   "take a preset with more",
			   rt_kernel(function)->name,
			   (unsigned long long)dynamic_shared + vass->shared_bytes,
			   rt.info.shared_per_block);
		return vgpuErrorInvalidValue;
	}
	if (vass->max_threads && threads > vass->max_threads) {
		rt_message("`%s' is for blocks of at most %u threads, and this one has %llu",
			   rt_kernel(function)->name, vass->max_threads,
			   (unsigned long long)threads);
		return vgpuErrorInvalidValue;
	}
	if (cooperative) {
		vgpuError_t error = rt_grid_check(function, (uint64_t)grid[0] * grid[1] * grid[2],
						  (unsigned int)threads, dynamic_shared);

		if (error != vgpuSuccess)
			return error;
	}
	return check_arguments(rt_kernel(function), arguments);
}

/* The allocation that @object of the kernel is in, 0: none that is known; ~0: it is not used. */
static uint64_t base_of(unsigned int object, const uint8_t *params)
{
	uint64_t address, base, bytes;
	struct rt_view view;

	if (object == VGPU_OBJECT_VARIABLE)
		return 1;	/* the data segment: no pointer that is found points there */
	memcpy(&address, params + VGPU_OBJECT_PARAM_OFFSET(object), sizeof(address));
	if (!address)
		return ~0ull;
	/* the same memory may be there by another address */
	if (rt_view_at(address, &view))
		return 0;
	return rt_memory_find(address, &base, &bytes) ? base : 0;
}

/* Is no allocation that the kernel writes to by one name read by another (VGPU_LAUNCH_APART)? */
static bool is_apart(const struct vgpu_program_kernel *kernel, const uint8_t *params)
{
	uint64_t written[4 * 64];
	unsigned int count = 0;

	if ((kernel->reads[0] | kernel->writes[0]) & 1ull << VGPU_OBJECT_ANY)
		return false;	/* it would say nothing */
	for (unsigned int w = 0; w < 4; w++)
		for (uint64_t left = kernel->writes[w]; left; left &= left - 1) {
			uint64_t base = base_of(64 * w + (unsigned int)__builtin_ctzll(left),
						params);

			if (!base)
				return false;
			written[count++] = base;
		}
	for (unsigned int w = 0; count && w < 4; w++)
		for (uint64_t left = kernel->reads[w]; left; left &= left - 1) {
			uint64_t base = base_of(64 * w + (unsigned int)__builtin_ctzll(left),
						params);

			for (unsigned int n = 0; n < count; n++)
				if (!base || (base == written[n] && base != ~0ull))
					return false;
		}
	return true;
}

/*
 * With preemption=pep the device wants to know of a launch when it is called for. Which mechanism
 * it uses is looked up now and then: it may change.
 */
#define LOOK_UP_AFTER	256u

static vgpuError_t announce(const struct rt_prepared *launch, struct vgpuStream *stream)
{
	const struct vgpu_vass_kernel *vass = &rt_kernel(launch->function)->vass;
	const uint32_t *grid = launch->cmd.launch.grid, *block = launch->cmd.launch.block;
	struct vgpu_cmd cmd = { .op = VGPU_CMD_ANNOUNCE };
	vgpuError_t error;

	if (!(rt.launches++ % LOOK_UP_AFTER)) {
		/* an older module wants 0 in what it does not know */
		struct vgpu_device_info info = { 0 };

		rt.announces = !rt.ops->device_info(rt.transport, &info) &&
			       !strcmp(info.preemption, "pep");
	}
	if (!rt.announces)
		return vgpuSuccess;
	cmd.announce.blocks = (uint64_t)grid[0] * grid[1] * grid[2];
	cmd.announce.threads = block[0] * block[1] * block[2];
	cmd.announce.regs_per_block = (cmd.announce.threads + 31) / 32 * 32 * vass->regs;
	cmd.announce.shared_bytes = vass->shared_bytes + launch->cmd.launch.dynamic_shared;
	error = rt_stream_put(stream, &cmd, NULL);
	return error == vgpuSuccess ? rt_flush(stream->queue) : error;
}

vgpuError_t rt_launch_prepare(struct vgpuFunction *function, const unsigned int grid[3],
			      const unsigned int block[3], size_t dynamic_shared, bool cooperative,
			      struct rt_prepared *out)
{
	struct vgpu_cmd *cmd = &out->cmd;
	const struct vgpu_program_kernel *kernel;
	const struct rt_image *image;
	uint32_t index;

	memset(cmd, 0, sizeof(*cmd));
	cmd->op = VGPU_CMD_LAUNCH;
	image = rt_image_for(function, block[0] * block[1] * block[2], &cmd->launch.kernel);
	if (!image)
		return vgpuErrorLaunchOutOfResources;
	index = cmd->launch.kernel;
	kernel = rt_image_kernel(image, index, &cmd->launch.module, &cmd->launch.kernel);
	rt_code_append(function->module, image, index, cmd->launch.module, cmd->launch.kernel);
	memcpy(cmd->launch.grid, grid, sizeof(cmd->launch.grid));
	memcpy(cmd->launch.block, block, sizeof(cmd->launch.block));
	cmd->launch.dynamic_shared = (uint32_t)dynamic_shared;
	cmd->launch.param_bytes = kernel->vass.param_bytes;
	if (cooperative)
		cmd->flags |= VGPU_LAUNCH_COOPERATIVE;
	out->function = function;
	out->kernel = kernel;
	return vgpuSuccess;
}

vgpuError_t rt_launch_put(const struct rt_prepared *launch, void *params, unsigned int priority,
			  struct vgpuStream *stream)
{
	const struct vgpu_program_kernel *kernel = launch->kernel;
	struct vgpu_cmd cmd = launch->cmd;
	uint64_t workspace = 0;
	vgpuError_t error = announce(launch, stream);

	if (error == vgpuSuccess)
		error = rt_timing_of(kernel->name, &cmd.flags);
	if (error != vgpuSuccess)
		return error;
	rt.malloc.launched |= kernel->uses_heap;
	rt.printf.launched |= kernel->uses_print;
	rt.printf.pending |= kernel->uses_print;
	cmd.flags |= VGPU_LAUNCH_PRIORITY(priority);
	if (is_apart(kernel, params))
		cmd.flags |= VGPU_LAUNCH_APART;
	if (cmd.flags & VGPU_LAUNCH_COOPERATIVE && kernel->workspace_offset) {
		error = rt_grid_workspace(stream, &workspace);
		memcpy((uint8_t *)params + kernel->workspace_offset, &workspace,
		       sizeof(workspace));
	}
	if (error == vgpuSuccess)
		error = rt_stream_put(stream, &cmd, kernel->vass.param_bytes ? params : NULL);
	if (error == vgpuSuccess)
		rt_range_tell(stream);
	return error;
}

static vgpuError_t capture(struct vgpuFunction *function, const unsigned int grid[3],
			   const unsigned int block[3], void **arguments, size_t dynamic_shared,
			   bool cooperative, struct vgpuStream *stream)
{
	const struct rt_params params = {
		.type = RT_NODE_KERNEL,
		.kernel = {
			.context = rt_current,
			.generation = rt.generation,
			.function = function,
			.grid = { grid[0], grid[1], grid[2] },
			.block = { block[0], block[1], block[2] },
			.shared = dynamic_shared,
			.priority = stream->priority,
			.cooperative = cooperative,
			.arguments = arguments,
		},
	};

	return rt_capture_add(stream, &params);
}

static vgpuError_t launch(struct vgpuFunction *function, const unsigned int grid[3],
			  const unsigned int block[3], void **arguments, size_t dynamic_shared,
			  bool cooperative, struct vgpuStream *stream)
{
	struct rt_queue *queue = stream->queue;
	const struct vgpu_program_kernel *kernel;
	uint8_t params[VGPU_VASS_MAX_PARAM];
	struct rt_prepared prepared;
	vgpuError_t error = rt_launch_check(function, grid, block, arguments, dynamic_shared,
					    cooperative);

	if (error != vgpuSuccess)
		return error;
	if (stream->capture)
		return capture(function, grid, block, arguments, dynamic_shared, cooperative,
			       stream);
	error = rt_launch_prepare(function, grid, block, dynamic_shared, cooperative, &prepared);
	if (error != vgpuSuccess)
		return error;
	kernel = prepared.kernel;
	if (kernel->vass.param_bytes)
		memset(params, 0, kernel->vass.param_bytes);
	for (uint32_t i = 0; i < kernel->param_count; i++)
		memcpy(params + kernel->params[i].offset, arguments[i], kernel->params[i].size);
	error = rt_stream_begin(stream);
	if (error == vgpuSuccess)
		error = rt_launch_put(&prepared, params, stream->priority, stream);
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

vgpuError_t rt_launch(struct vgpuFunction *function, const unsigned int grid[3],
		      const unsigned int block[3], void **arguments, size_t dynamic_shared,
		      struct vgpuStream *stream)
{
	return launch(function, grid, block, arguments, dynamic_shared, false, stream);
}

vgpuError_t rt_launch_cooperative(struct vgpuFunction *function, const unsigned int grid[3],
				  const unsigned int block[3], void **arguments,
				  size_t dynamic_shared, struct vgpuStream *stream)
{
	return launch(function, grid, block, arguments, dynamic_shared, true, stream);
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
