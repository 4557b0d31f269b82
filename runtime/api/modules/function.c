// SPDX-License-Identifier: MIT
/*
 * Functions: what they need and may have, and how many of their blocks an SM has room for.
 */
#include "state.h"

/*
 * What an SM sets its shared memory to for blocks of this size: the first setting that holds one.
 */
static uint32_t shared_config(uint64_t bytes)
{
	for (unsigned int i = 0; i < 5; i++)
		if (bytes <= rt.info.shared_config[i])
			return rt.info.shared_config[i];
	return rt.info.shared_per_sm;
}

int rt_occupancy(const struct vgpuFunction *function, unsigned int threads, size_t dynamic_shared)
{
	unsigned int whole = (threads + 31) / 32 * 32;
	const struct vgpu_vass_kernel *vass = &rt_kernel(function)->vass;
	uint64_t shared = rt_own_shared(rt_kernel(function)) + (uint64_t)dynamic_shared,
		 blocks = rt.info.blocks_per_sm;
	const struct rt_image *image;
	uint32_t kernel;

#define AT_MOST(n) (blocks = blocks < (n) ? blocks : (n))
	if (!threads || threads > rt.info.threads_per_block ||
	    shared > function->max_dynamic_shared)
		return 0;
	image = rt_image_for(function, threads, &kernel);
	if (!image)
		return 0;
	vass = &image->program->kernels[kernel].vass;
	AT_MOST(rt.info.threads_per_sm / whole);
	AT_MOST(rt.info.regs_per_sm / (vass->regs * whole));
	if (shared)
		AT_MOST(shared_config(shared) / shared);
#undef AT_MOST
	return (int)blocks;
}

static size_t constant_bytes(const struct vgpu_program *program)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < program->symbol_count; i++)
		if (program->symbols[i].constant)
			bytes += program->symbols[i].size;
	return bytes;
}

void rt_function_attributes(const struct vgpuFunction *function, vgpuFunctionAttributes *attributes)
{
	const struct vgpu_program_kernel *kernel = rt_kernel(function);
	unsigned int threads = rt.info.threads_per_block;

	/* with fewer registers than it has, it is compiled again when it is launched */
	while (threads > 32 && kernel->vass.regs * threads > rt.info.regs_per_sm &&
	       RT_LEAST_REGS * threads > rt.info.regs_per_sm)
		threads -= 32;
	if (kernel->vass.max_threads && threads > kernel->vass.max_threads)
		threads = kernel->vass.max_threads;
	*attributes = (vgpuFunctionAttributes){
		.regs = (int)kernel->vass.regs,
		.max_threads = (int)threads,
		.shared_bytes = rt_own_shared(kernel),
		.constant_bytes = constant_bytes(function->module->image.program),
		.local_bytes = kernel->vass.local_bytes,
		.spilled_bytes = kernel->spilled_bytes,
		.param_bytes = kernel->vass.param_bytes,
		.max_dynamic_shared = function->max_dynamic_shared > rt_own_shared(kernel) ?
			function->max_dynamic_shared - rt_own_shared(kernel) : 0,
	};
}

static vgpuError_t set_max_dynamic(struct vgpuFunction *function, uint64_t bytes)
{
	uint32_t shared = rt_own_shared(rt_kernel(function));

	if (bytes > rt.info.shared_per_block || bytes + shared > rt.info.shared_per_block)
		return vgpuErrorInvalidValue;
	function->max_dynamic_shared = (uint32_t)bytes + shared;
	return vgpuSuccess;
}

vgpuError_t rt_function_set(struct vgpuFunction *function, int attribute, int value)
{
	switch (attribute) {
	case RT_FUNCTION_MAX_DYNAMIC_SHARED:
		return value < 0 ? vgpuErrorInvalidValue :
				   set_max_dynamic(function, (uint64_t)value);
	case RT_FUNCTION_CARVEOUT:
		/* a hint: the device chooses its shared memory by what a kernel needs */
		return value < -1 || value > 100 ? vgpuErrorInvalidValue : vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

vgpuError_t rt_function_param(const struct vgpuFunction *function, size_t index, size_t *offset,
			      size_t *bytes)
{
	const struct vgpu_program_kernel *kernel = rt_kernel(function);

	if (index >= kernel->param_count)
		return vgpuErrorInvalidValue;
	*offset = kernel->params[index].offset;
	if (bytes)
		*bytes = kernel->params[index].size;
	return vgpuSuccess;
}

vgpuError_t rt_function_room(const struct vgpuFunction *function, int blocks, int threads,
			     size_t *dynamic_shared)
{
	size_t low = 0, high = rt.info.shared_per_block + 1u;

	if (rt_occupancy(function, (unsigned int)threads, 0) < blocks)
		return vgpuErrorInvalidValue;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (rt_occupancy(function, (unsigned int)threads, middle) >= blocks)
			low = middle;
		else
			high = middle;
	}
	*dynamic_shared = low;
	return vgpuSuccess;
}

vgpuError_t vgpuFuncGetAttributes(vgpuFunctionAttributes *attributes, vgpuFunction_t function)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!attributes)
		return rt_leave(vgpuErrorInvalidValue);
	if (!rt_function_known(function))
		return rt_leave(vgpuErrorInvalidDeviceFunction);
	rt_function_attributes(function, attributes);
	return rt_leave(vgpuSuccess);
}

vgpuError_t vgpuFuncSetMaxDynamicShared(vgpuFunction_t function, size_t bytes)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	return rt_leave(rt_function_known(function) ? set_max_dynamic(function, bytes) :
						      vgpuErrorInvalidDeviceFunction);
}

vgpuError_t vgpuOccupancy(int *blocks, vgpuFunction_t function, int block_threads,
			  size_t dynamic_shared)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!blocks || block_threads <= 0)
		return rt_leave(vgpuErrorInvalidValue);
	if (!rt_function_known(function))
		return rt_leave(vgpuErrorInvalidDeviceFunction);
	*blocks = rt_occupancy(function, (unsigned int)block_threads, dynamic_shared);
	return rt_leave(vgpuSuccess);
}
