// SPDX-License-Identifier: MIT
/*
 * Driver API: launches as CUDA 2 has them. The block, the shared memory and the parameters are said
 * one by one, and stay with the function for all launches after that.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#define PARAMS	4096u		/* bytes of parameters, as much as CUDA 2 takes */

/** struct rt_said - what was said of a function */
struct rt_said {
	unsigned int block[3];		/* all 0: nothing */
	unsigned int shared;
	size_t bytes;			/* of @params */
	char params[PARAMS];
};

/* That of a handle, with the lock held if there is no error. */
static CUresult enter(CUfunction handle, struct rt_said **prepared)
{
	struct vgpuFunction *function;
	CUresult entered = drv_enter();
	vgpuError_t error;

	if (entered != CUDA_SUCCESS)
		return entered;
	error = drv_function(handle, &function);
	if (error == vgpuSuccess && !function->said)
		function->said = calloc(1, sizeof(*function->said));
	if (error == vgpuSuccess && !function->said)
		error = vgpuErrorMemoryAllocation;
	if (error != vgpuSuccess)
		return drv_error(rt_leave(error));
	*prepared = function->said;
	return CUDA_SUCCESS;
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
	struct rt_said *prepared;
	CUresult error = enter(function, &prepared);

	if (error != CUDA_SUCCESS)
		return error;
	if (x < 1 || y < 1 || z < 1)
		return drv_error(rt_leave(vgpuErrorInvalidValue));
	prepared->block[0] = (unsigned int)x;
	prepared->block[1] = (unsigned int)y;
	prepared->block[2] = (unsigned int)z;
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned int bytes)
{
	struct rt_said *prepared;
	CUresult error = enter(function, &prepared);

	if (error != CUDA_SUCCESS)
		return error;
	prepared->shared = bytes;
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuParamSetSize(CUfunction function, unsigned int bytes)
{
	struct rt_said *prepared;
	CUresult error = enter(function, &prepared);

	if (error != CUDA_SUCCESS)
		return error;
	if (bytes > sizeof(prepared->params))
		return drv_error(rt_leave(vgpuErrorInvalidValue));
	prepared->bytes = bytes;
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned int bytes)
{
	struct rt_said *prepared;
	CUresult error = enter(function, &prepared);

	if (error != CUDA_SUCCESS)
		return error;
	if (offset < 0 || (size_t)offset > sizeof(prepared->params) ||
	    bytes > sizeof(prepared->params) - (size_t)offset || (bytes && !value))
		return drv_error(rt_leave(vgpuErrorInvalidValue));
	if (bytes)
		memcpy(prepared->params + offset, value, bytes);
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned int value)
{
	return cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
	return cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
	struct rt_said *prepared, said;
	CUresult error = enter(function, &prepared);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, said.params, CU_LAUNCH_PARAM_BUFFER_SIZE,
			  &said.bytes, CU_LAUNCH_PARAM_END };

	if (error != CUDA_SUCCESS)
		return error;
	said = *prepared;
	error = drv_error(rt_leave(width < 1 || height < 1 || !said.block[0] ?
					   vgpuErrorInvalidValue : vgpuSuccess));
	if (error != CUDA_SUCCESS)
		return error;
	return cuLaunchKernel(function, (unsigned int)width, (unsigned int)height, 1,
			      said.block[0], said.block[1], said.block[2], said.shared, stream,
			      NULL, extra);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
	return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
	return cuLaunchGridAsync(function, 1, 1, NULL);
}
