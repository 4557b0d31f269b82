// SPDX-License-Identifier: MIT
/* Handles, their settings, statuses. */
#include "objects.h"

cusparseStatus_t sparse_check(cusparseHandle_t handle, const char *function)
{
	int device;

	SPARSE_ALIVE(handle);
	if (cudaGetDevice(&device) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	if (device == handle->device)
		return CUSPARSE_STATUS_SUCCESS;
	sparse_say(
		function,
		"the handle is of another device than the calling thread's: cudaSetDevice() first");
	return CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t sparse_status(cudaError_t error)
{
	switch (error) {
	case cudaSuccess:
		return CUSPARSE_STATUS_SUCCESS;
	case cudaErrorMemoryAllocation:
		/* told by the status: no later launch of the program's is to find it */
		cudaGetLastError();
		return CUSPARSE_STATUS_ALLOC_FAILED;
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorNoKernelImageForDevice:
		return CUSPARSE_STATUS_ARCH_MISMATCH;
	default:
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	}
}

size_t sparse_size(cudaDataType type)
{
	switch (type) {
	case CUDA_R_8I:
		return 1;
	case CUDA_R_16F:
	case CUDA_R_16BF:
		return 2;
	case CUDA_R_32F:
	case CUDA_R_32I:
		return 4;
	case CUDA_R_64F:
	case CUDA_C_32F:
		return 8;
	case CUDA_C_64F:
		return 16;
	default:
		return 0;
	}
}

cusparseStatus_t sparse_can_wait(cusparseHandle_t handle, const char *function)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;

	if (cudaStreamIsCapturing(handle->stream, &capture) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	if (capture != cudaStreamCaptureStatusNone) {
		sparse_say(function, "the host waits for a result, which a captured stream has no "
				     "place for");
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	}
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sparse_bring(cusparseHandle_t handle, void *to, const void *from, size_t bytes,
			      const char *function)
{
	SPARSE_TRY(sparse_can_wait(handle, function));
	SPARSE_TRY(
		sparse_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle->stream)));
	return sparse_status(cudaStreamSynchronize(handle->stream));
}

VGPU_API cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
	struct cusparseContext *h;
	int device, sms;

	SPARSE_WANT(handle);
	*handle = NULL;
	/* the second call fails where the device's context is broken */
	if (cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	h = live_new(sizeof(*h), SPARSE_HANDLE);
	if (!h)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	h->device = device;
	*handle = h;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
	return live_delete(handle, SPARSE_HANDLE) ? CUSPARSE_STATUS_SUCCESS
						    : CUSPARSE_STATUS_NOT_INITIALIZED;
}

VGPU_API cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
	SPARSE_ALIVE(handle);
	SPARSE_WANT(version);
	*version = CUSPARSE_VERSION;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
	SPARSE_WANT(value && (unsigned int)type <= PATCH_LEVEL);
	*value = type == MAJOR_VERSION	 ? CUSPARSE_VER_MAJOR
		 : type == MINOR_VERSION ? CUSPARSE_VER_MINOR
					 : CUSPARSE_VER_PATCH;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
	SPARSE_ALIVE(handle);
	handle->stream = stream;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
	SPARSE_ALIVE(handle);
	SPARSE_WANT(stream);
	*stream = handle->stream;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle,
						 cusparsePointerMode_t mode)
{
	SPARSE_ALIVE(handle);
	SPARSE_WANT((unsigned int)mode <= 1);
	handle->mode = mode;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle,
						 cusparsePointerMode_t *mode)
{
	SPARSE_ALIVE(handle);
	SPARSE_WANT(mode);
	*mode = handle->mode;
	return CUSPARSE_STATUS_SUCCESS;
}

static const struct {
	const char *name, *text;
} statuses[] = {
	[CUSPARSE_STATUS_SUCCESS] = {"CUSPARSE_STATUS_SUCCESS", "success"},
	[CUSPARSE_STATUS_NOT_INITIALIZED] = {"CUSPARSE_STATUS_NOT_INITIALIZED",
					     "initialization error"},
	[CUSPARSE_STATUS_ALLOC_FAILED] = {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
	[CUSPARSE_STATUS_INVALID_VALUE] = {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
	[CUSPARSE_STATUS_ARCH_MISMATCH] = {"CUSPARSE_STATUS_ARCH_MISMATCH",
					   "architecture mismatch"},
	[CUSPARSE_STATUS_MAPPING_ERROR] = {"CUSPARSE_STATUS_MAPPING_ERROR", "memory mapping error"},
	[CUSPARSE_STATUS_EXECUTION_FAILED] = {"CUSPARSE_STATUS_EXECUTION_FAILED",
					      "kernel launch failure"},
	[CUSPARSE_STATUS_INTERNAL_ERROR] = {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
	[CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED] = {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
						       "matrix type not supported"},
	[CUSPARSE_STATUS_ZERO_PIVOT] = {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
	[CUSPARSE_STATUS_NOT_SUPPORTED] = {"CUSPARSE_STATUS_NOT_SUPPORTED",
					   "operation not supported"},
	[CUSPARSE_STATUS_INSUFFICIENT_RESOURCES] = {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
						    "insufficient resources"},
};

VGPU_API const char *cusparseGetErrorName(cusparseStatus_t status)
{
	return (unsigned int)status < sizeof(statuses) / sizeof(*statuses)
		       ? statuses[status].name
		       : "unrecognized error code";
}

VGPU_API const char *cusparseGetErrorString(cusparseStatus_t status)
{
	return (unsigned int)status < sizeof(statuses) / sizeof(*statuses)
		       ? statuses[status].text
		       : "unrecognized error code";
}
