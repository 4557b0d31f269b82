// SPDX-License-Identifier: MIT
/* The table of live objects; handles, their settings, statuses. */
#include "objects.h"

#include <pthread.h>
#include <stdlib.h>

enum { BUCKETS = 256 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sparse_object *table[BUCKETS];

static struct sparse_object **bucket_of(const void *object)
{
	return &table[((uintptr_t)object >> 4) * 0x9e3779b1u >> 8 & (BUCKETS - 1)];
}

void *sparse_new(size_t bytes, enum sparse_kind kind)
{
	struct sparse_object *o = calloc(1, bytes), **bucket = bucket_of(o);

	if (!o)
		return NULL;
	o->kind = kind;
	pthread_mutex_lock(&lock);
	o->next = *bucket;
	*bucket = o;
	pthread_mutex_unlock(&lock);
	return o;
}

bool sparse_alive(const void *object, enum sparse_kind kind)
{
	const struct sparse_object *o;
	bool found;

	pthread_mutex_lock(&lock);
	for (o = *bucket_of(object); o && o != object; o = o->next)
		;
	found = o && o->kind == kind;
	pthread_mutex_unlock(&lock);
	return found;
}

bool sparse_delete(const void *object, enum sparse_kind kind)
{
	struct sparse_object **p, *o;

	pthread_mutex_lock(&lock);
	for (p = bucket_of(object); *p && *p != object; p = &(*p)->next)
		;
	o = *p;
	if (o && o->kind == kind)
		*p = o->next;
	else
		o = NULL;
	pthread_mutex_unlock(&lock);
	free(o);
	return o;
}

void sparse_say(const char *function, const char *what)
{
	static const char *said[64];
	static int count;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < count; i++)
		if (said[i] == what) {
			pthread_mutex_unlock(&lock);
			return;
		}
	if (count < 64)
		said[count++] = what;
	pthread_mutex_unlock(&lock);
	fprintf(stderr, "vgpu: libcusparse: %s: %s\n", function, what);
}

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
	h = sparse_new(sizeof(*h), SPARSE_HANDLE);
	if (!h)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	h->device = device;
	*handle = h;
	return CUSPARSE_STATUS_SUCCESS;
}

VGPU_API cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
	return sparse_delete(handle, SPARSE_HANDLE) ? CUSPARSE_STATUS_SUCCESS
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
