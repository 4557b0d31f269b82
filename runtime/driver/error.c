// SPDX-License-Identifier: MIT
/*
 * Driver API: error codes, their names and texts.
 */
#include "refusals.h"
#include "driver.h"

/* Most numbers are the same; the runtime API has some of its own. */
CUresult drv_error(vgpuError_t error)
{
	switch (error) {
	case vgpuErrorInvalidConfiguration:
	case vgpuErrorInvalidPitchValue:
	case vgpuErrorInvalidHostPointer:
	case vgpuErrorInvalidDevicePointer:
	case vgpuErrorInvalidMemcpyDirection:
	case vgpuErrorMissingConfiguration:
	case vgpuErrorInvalidTexture:
	case vgpuErrorInvalidChannelDescriptor:
	case vgpuErrorInvalidFilterSetting:
	case vgpuErrorInvalidNormSetting:
	case vgpuErrorInvalidSurface:
		return CUDA_ERROR_INVALID_VALUE;
	case vgpuErrorInvalidSymbol:
		return CUDA_ERROR_NOT_FOUND;
	case vgpuErrorInvalidDeviceFunction:
		return CUDA_ERROR_INVALID_HANDLE;
	case vgpuErrorInsufficientDriver:
		return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
	default:
		return (CUresult)error;
	}
}

CUresult drv_refuse(bool *said, const char *call, const char *what)
{
	rt_say_refused(said, call, what, "CUDA_ERROR_NOT_SUPPORTED");
	rt_result(vgpuErrorNotSupported);
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	switch (error) {
#define ERROR_NAME(code, number, text) \
	case code: \
		*name = #code; \
		return CUDA_SUCCESS;
	VGPU_DRIVER_ERRORS(ERROR_NAME)
#undef ERROR_NAME
	}
	*name = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	switch (error) {
#define ERROR_TEXT(code, number, words) \
	case code: \
		*text = words; \
		return CUDA_SUCCESS;
	VGPU_DRIVER_ERRORS(ERROR_TEXT)
#undef ERROR_TEXT
	}
	*text = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}
