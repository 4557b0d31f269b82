// SPDX-License-Identifier: MIT
/*
 * Driver API: launches, with parameters one by one or as a block of bytes, and functions of the
 * host in streams.
 */
#include <stdlib.h>

#include "api/modules/attribute.h"
#include "api/modules/launch.h"
#include "driver.h"

static CUresult launch(CUfunction handle, const unsigned int grid[3], const unsigned int block[3],
		       unsigned int shared, CUstream stream, void **params, void **extra,
		       bool cooperative)
{
	struct vgpuFunction *function;
	struct vgpuStream *queue;
	void **split = NULL;
	CUresult entered = drv_check();
	vgpuError_t error;

	if (entered == CUDA_SUCCESS && params && extra)
		entered = CUDA_ERROR_INVALID_VALUE;
	if (entered == CUDA_SUCCESS)
		entered = drv_error(rt_enter());
	if (entered != CUDA_SUCCESS)
		return entered;
	error = drv_function(handle, &function);
	if (error == vgpuSuccess)
		error = rt_stream_of(drv_stream(stream), &queue);
	if (error == vgpuSuccess && extra)
		error = rt_launch_extra(function, extra, &split);
	if (error == vgpuSuccess)
		error = (cooperative ? rt_launch_cooperative : rt_launch)(
			function, grid, block, extra ? split : params, shared, queue);
	free(split);
	return drv_error(rt_leave(error));
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
			unsigned int grid_z, unsigned int block_x, unsigned int block_y,
			unsigned int block_z, unsigned int shared, CUstream stream, void **params,
			void **extra)
{
	const unsigned int grid[3] = { grid_x, grid_y, grid_z },
			   block[3] = { block_x, block_y, block_z };

	return launch(function, grid, block, shared, stream, params, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
				   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
				   unsigned int block_z, unsigned int shared, CUstream stream,
				   void **params)
{
	const unsigned int grid[3] = { grid_x, grid_y, grid_z },
			   block[3] = { block_x, block_y, block_z };

	return launch(function, grid, block, shared, stream, params, NULL, true);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
			  void **extra)
{
	unsigned int grid[3], block[3];
	bool cooperative = false;
	const char *refused;

	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttribute *attribute = &config->attrs[i];

		refused = rt_launch_attribute((int)attribute->id, &attribute->value, &cooperative);
		if (refused)
			return DRV_REFUSE(refused);
	}
	grid[0] = config->gridDimX;
	grid[1] = config->gridDimY;
	grid[2] = config->gridDimZ;
	block[0] = config->blockDimX;
	block[1] = config->blockDimY;
	block[2] = config->blockDimZ;
	return launch(function, grid, block, config->sharedMemBytes, config->hStream, params, extra,
		      cooperative);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !function)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ?
		       drv_error(vgpuLaunchHostFunc(drv_stream(stream), function, data)) : error;
}
