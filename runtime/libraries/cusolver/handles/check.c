// SPDX-License-Identifier: MIT
/* What functions do with handles, statuses and the host. */
#include "../objects.h"

cusolverStatus_t solver_create(void **handle, size_t bytes, enum solver_kind kind)
{
	struct solver_handle *h;
	int device, sms;

	SOLVER_WANT(handle);
	*handle = NULL;
	/* the second call fails where the device's context is broken */
	if (cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
		return CUSOLVER_STATUS_NOT_INITIALIZED;
	h = live_new(bytes, kind);
	if (!h)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	h->device = device;
	*handle = h;
	return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_check(const void *handle, enum solver_kind kind, const char *function)
{
	const struct solver_handle *h = handle;
	int device;

	SOLVER_ALIVE(handle, kind);
	if (cudaGetDevice(&device) != cudaSuccess)
		return CUSOLVER_STATUS_EXECUTION_FAILED;
	if (device == h->device)
		return CUSOLVER_STATUS_SUCCESS;
	solver_say(
		function,
		"the handle is of another device than the calling thread's: cudaSetDevice() first");
	return CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t solver_status(cudaError_t error)
{
	switch (error) {
	case cudaSuccess:
		return CUSOLVER_STATUS_SUCCESS;
	case cudaErrorMemoryAllocation:
		/* told by the status: no later launch of the program's is to find it */
		cudaGetLastError();
		return CUSOLVER_STATUS_ALLOC_FAILED;
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorNoKernelImageForDevice:
		return CUSOLVER_STATUS_ARCH_MISMATCH;
	default:
		return CUSOLVER_STATUS_EXECUTION_FAILED;
	}
}

cusolverStatus_t solver_can_wait(const struct solver_handle *handle, const char *function)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;

	if (cudaStreamIsCapturing(handle->stream, &capture) != cudaSuccess)
		return CUSOLVER_STATUS_EXECUTION_FAILED;
	if (capture == cudaStreamCaptureStatusNone)
		return CUSOLVER_STATUS_SUCCESS;
	solver_say(function,
		   "the host waits for a result, which a captured stream has no place for");
	return CUSOLVER_STATUS_NOT_SUPPORTED;
}

cusolverStatus_t solver_bring(const struct solver_handle *handle, void *to, const void *from,
			      size_t bytes, const char *function)
{
	SOLVER_TRY(solver_can_wait(handle, function));
	SOLVER_TRY(
		solver_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle->stream)));
	return solver_status(cudaStreamSynchronize(handle->stream));
}
