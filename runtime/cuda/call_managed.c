// SPDX-License-Identifier: MIT
/*
 * CUDA names: managed memory.
 */
#include "calls.h"

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return cuda_error(vgpuMallocManaged(pointer, bytes));
}

/* @count bytes of one managed allocation. */
static cudaError_t check_range(const void *pointer, size_t count)
{
	size_t bytes = 0;
	void *base = NULL;
	vgpuError_t error;
	int kind = 0;

	error = vgpuPointerInfo(pointer, &kind, &base, &bytes);
	if (error == vgpuSuccess &&
	    (kind != 3 || !count || count > bytes - (size_t)((const char *)pointer - (char *)base)))
		error = rt_result(vgpuErrorInvalidValue);
	return cuda_error(error);
}

static bool device_there(int device)
{
	return device >= 0 && (unsigned int)device < rt_device_count();
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream)
{
	cudaError_t error;

	if (device != cudaCpuDeviceId && !device_there(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	error = check_range(pointer, count);
	if (error != cudaSuccess)
		return error;
	/* The memory is of one device, and no other can use it. */
	if (device != cudaCpuDeviceId && device != rt_device())
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return cuda_error(vgpuMemPrefetchAsync(pointer, count, device != cudaCpuDeviceId,
					       cuda_stream(stream)));
}

/* Advice is checked; nothing follows from it. */
cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
			  int device)
{
	if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
	    advice != cudaMemAdviseUnsetPreferredLocation && device != cudaCpuDeviceId &&
	    !device_there(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return check_range(pointer, count);
}

/*
 * Which streams may use the memory: where host and device may do so at the same time, nothing
 * follows from it.
 */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length,
				     unsigned int flags)
{
	size_t bytes = 0;
	void *base = NULL;
	vgpuError_t error;
	int kind = 0;

	(void)stream;
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
	    flags != cudaMemAttachSingle)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuPointerInfo(pointer, &kind, &base, &bytes);
	if (error == vgpuSuccess &&
	    (kind != 3 || base != pointer || (length && length != bytes)))
		error = rt_result(vgpuErrorInvalidValue);
	return cuda_error(error);
}
