// SPDX-License-Identifier: MIT
/*
 * Driver API: launches as CUDA 2 has them (api/modules/said.h).
 */
#include "api/modules/said.h"
#include "driver.h"

/* A call of @expression, of which `function' is the handle, with rt_lock held. */
#define CALL(handle, expression) ({ \
	CUresult entered = drv_enter(); \
	struct vgpuFunction *function; \
	vgpuError_t error; \
\
	if (entered == CUDA_SUCCESS) { \
		error = drv_function(handle, &function); \
		if (error == vgpuSuccess) \
			error = expression; \
		entered = drv_error(rt_leave(error)); \
	} \
	entered; \
})

CUresult cuFuncSetBlockShape(CUfunction handle, int x, int y, int z)
{
	return CALL(handle, rt_said_block(function, x, y, z));
}

CUresult cuFuncSetSharedSize(CUfunction handle, unsigned int bytes)
{
	return CALL(handle, rt_said_shared(function, bytes));
}

CUresult cuParamSetSize(CUfunction handle, unsigned int bytes)
{
	return CALL(handle, rt_said_size(function, bytes));
}

CUresult cuParamSetv(CUfunction handle, int offset, void *value, unsigned int bytes)
{
	return CALL(handle, rt_said_param(function, offset, value, bytes));
}

CUresult cuParamSeti(CUfunction handle, int offset, unsigned int value)
{
	return cuParamSetv(handle, offset, &value, sizeof(value));
}

CUresult cuParamSetf(CUfunction handle, int offset, float value)
{
	return cuParamSetv(handle, offset, &value, sizeof(value));
}

static vgpuError_t launch(struct vgpuFunction *function, int width, int height, CUstream handle)
{
	struct vgpuStream *stream;
	vgpuError_t error = rt_stream_of(drv_stream(handle), &stream);

	return error == vgpuSuccess ? rt_said_launch(function, width, height, stream) : error;
}

CUresult cuLaunchGridAsync(CUfunction handle, int width, int height, CUstream stream)
{
	return CALL(handle, launch(function, width, height, stream));
}

CUresult cuLaunchGrid(CUfunction handle, int width, int height)
{
	return cuLaunchGridAsync(handle, width, height, NULL);
}

CUresult cuLaunch(CUfunction handle)
{
	return cuLaunchGridAsync(handle, 1, 1, NULL);
}
