// SPDX-License-Identifier: MIT
/*
 * CUDA names: launching kernels and asking about them.
 */
#include <string.h>

#include "api/modules/attribute.h"
#include "api/modules/capability.h"
#include "calls.h"
#include "registry.h"

/*
 * What <<< >>> said, from the push before the arguments are evaluated to the pop in the kernel's
 * host function.
 */
#define CONFIGURATIONS 16u

static __thread struct configuration {
	dim3 grid, block;
	size_t shared;
	void *stream;
} pushed[CONFIGURATIONS];
static __thread unsigned int depth;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
	if (depth == CONFIGURATIONS)
		return 1;
	pushed[depth++] = (struct configuration){ grid, block, shared, stream };
	return 0;
}

unsigned int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	if (!depth)
		return cuda_error(rt_result(vgpuErrorMissingConfiguration));
	depth--;
	*grid = pushed[depth].grid;
	*block = pushed[depth].block;
	*shared = pushed[depth].shared;
	*(void **)stream = pushed[depth].stream;
	return 0;
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **arguments,
			  size_t shared, cudaStream_t stream, bool cooperative)
{
	const unsigned int grids[3] = { grid.x, grid.y, grid.z },
			   blocks[3] = { block.x, block.y, block.z };
	vgpuStream_t handle = cuda_stream(stream);
	vgpuError_t error = rt_enter();
	struct vgpuFunction *kernel;
	struct vgpuStream *queue;

	if (error != vgpuSuccess)
		return cuda_error(error);
	error = cuda_function(function, &kernel);
	if (error == vgpuSuccess)
		error = rt_stream_of(handle, &queue);
	if (error == vgpuSuccess)
		error = (cooperative ? rt_launch_cooperative : rt_launch)(kernel, grids, blocks,
									  arguments, shared, queue);
	return cuda_error(rt_leave(error));
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
			     size_t shared, cudaStream_t stream)
{
	return launch(function, grid, block, arguments, shared, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
					void **arguments, size_t shared, cudaStream_t stream)
{
	return launch(function, grid, block, arguments, shared, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
				void **arguments)
{
	bool cooperative = false;
	const char *refused;

	if (!config || (config->numAttrs && !config->attrs))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	for (unsigned int i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttribute *attribute = &config->attrs[i];

		refused = rt_launch_attribute((int)attribute->id, &attribute->val, &cooperative);
		if (refused)
			return CUDA_REFUSE(refused);
	}
	return launch(function, config->gridDim, config->blockDim, arguments,
		      config->dynamicSmemBytes, config->stream, cooperative);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
	vgpuFunctionAttributes found;
	struct vgpuFunction *kernel;
	vgpuError_t error;

	if (!attributes)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = cuda_enter_function(function, &kernel);
	if (error != vgpuSuccess)
		return cuda_error(error);
	rt_function_attributes(kernel, &found);
	memset(attributes, 0, sizeof(*attributes));
	attributes->sharedSizeBytes = found.shared_bytes;
	attributes->constSizeBytes = found.constant_bytes;
	attributes->localSizeBytes = found.local_bytes;
	attributes->maxThreadsPerBlock = found.max_threads;
	attributes->numRegs = found.regs;
	attributes->ptxVersion = (int)rt_function_arch(kernel);
	attributes->binaryVersion = (int)rt_code_capability();
	attributes->maxDynamicSharedSizeBytes = (int)found.max_dynamic_shared;
	attributes->preferredShmemCarveout = -1;
	return cuda_error(rt_leave(vgpuSuccess));
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
	struct vgpuFunction *kernel;
	vgpuError_t error = cuda_enter_function(function, &kernel);

	return cuda_error(error == vgpuSuccess ?
				  rt_leave(rt_function_set(kernel, (int)attribute, value)) : error);
}

/* Hints: the device chooses its shared memory by what a kernel needs. */
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
	struct vgpuFunction *kernel;
	vgpuError_t error = cuda_enter_function(function, &kernel);

	if (error != vgpuSuccess)
		return cuda_error(error);
	return cuda_error(rt_leave((unsigned int)config > cudaFuncCachePreferEqual ?
					   vgpuErrorInvalidValue :
					   vgpuSuccess));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
	struct vgpuFunction *kernel;
	vgpuError_t error = cuda_enter_function(function, &kernel);

	if (error != vgpuSuccess)
		return cuda_error(error);
	return cuda_error(rt_leave((unsigned int)config > cudaSharedMemBankSizeEightByte ?
					   vgpuErrorInvalidValue :
					   vgpuSuccess));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
							  int block_size, size_t dynamic_shared)
{
	struct vgpuFunction *kernel;
	vgpuError_t error;

	if (!blocks || block_size <= 0)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = cuda_enter_function(function, &kernel);
	if (error != vgpuSuccess)
		return cuda_error(error);
	*blocks = rt_occupancy(kernel, (unsigned int)block_size, dynamic_shared);
	return cuda_error(rt_leave(vgpuSuccess));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
								   const void *function,
								   int block_size,
								   size_t dynamic_shared,
								   unsigned int flags)
{
	if (flags & ~1u)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
							     dynamic_shared);
}

/* The most that leaves room for @blocks blocks on an SM. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_shared, const void *function,
						      int blocks, int block_size)
{
	struct vgpuFunction *kernel;
	vgpuError_t error;

	if (!dynamic_shared || blocks <= 0 || block_size <= 0)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = cuda_enter_function(function, &kernel);
	if (error != vgpuSuccess)
		return cuda_error(error);
	return cuda_error(rt_leave(rt_function_room(kernel, blocks, block_size, dynamic_shared)));
}
