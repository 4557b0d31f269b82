// SPDX-License-Identifier: MIT
/* CUDA names: the log, which is the driver's (../driver/log.c). */
#include "calls.h"
#include "cuda.h"

static cudaError_t log_result(CUresult error)
{
	if (error == CUDA_SUCCESS)
		return cudaSuccess;
	return cuda_error(rt_result(error == CUDA_ERROR_OUT_OF_MEMORY ? vgpuErrorMemoryAllocation :
									vgpuErrorInvalidValue));
}

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t call, void *data,
				     cudaLogsCallbackHandle *handle)
{
	return log_result(cuLogsRegisterCallback((CUlogsCallback)(void *)call, data, handle));
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle)
{
	return log_result(cuLogsUnregisterCallback(handle));
}

cudaError_t cudaLogsCurrent(cudaLogIterator *iterator, unsigned int flags)
{
	return log_result(cuLogsCurrent(iterator, flags));
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *path, unsigned int flags)
{
	return log_result(cuLogsDumpToFile(iterator, path, flags));
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
				 unsigned int flags)
{
	return log_result(cuLogsDumpToMemory(iterator, buffer, size, flags));
}
