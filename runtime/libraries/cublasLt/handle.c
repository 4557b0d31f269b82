// SPDX-License-Identifier: MIT
/* Handles of our own, lent to products. */
#include <pthread.h>
#include <stddef.h>

#include <cuda_runtime.h>

#include "handle.h"
#include "refuse.h"

/* Handles that no product has at the moment. More than these are destroyed when given back. */
enum { IDLE_MOST = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	cublasHandle_t handle;
	int device;
} idle[IDLE_MOST];
static int idle_count;
/* Remembered: what fits best is not searched for, so there is nothing to keep. */
static size_t capacity = 8192;

VGPU_API cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
	return cublasCreate((cublasHandle_t *)handle);
}

VGPU_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
	return cublasDestroy((cublasHandle_t)handle);
}

VGPU_API cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *out)
{
	if (!out)
		return CUBLAS_STATUS_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	*out = capacity;
	pthread_mutex_unlock(&lock);
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t wanted)
{
	pthread_mutex_lock(&lock);
	capacity = wanted;
	pthread_mutex_unlock(&lock);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t lt_check(cublasLtHandle_t handle)
{
	cudaStream_t stream;

	return cublasGetStream((cublasHandle_t)handle, &stream);
}

cublasHandle_t lt_borrow(cudaStream_t stream)
{
	cublasHandle_t handle = NULL;
	int device;

	if (cudaGetDevice(&device) != cudaSuccess)
		return NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < idle_count && !handle; i++)
		if (idle[i].device == device) {
			handle = idle[i].handle;
			idle[i] = idle[--idle_count];
		}
	pthread_mutex_unlock(&lock);
	if (!handle && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
		return NULL;
	if (cublasSetStream(handle, stream) == CUBLAS_STATUS_SUCCESS)
		return handle;
	cublasDestroy(handle);
	return NULL;
}

void lt_give_back(cublasHandle_t handle)
{
	int device;

	if (cudaGetDevice(&device) == cudaSuccess) {
		pthread_mutex_lock(&lock);
		if (idle_count < IDLE_MOST) {
			idle[idle_count].handle = handle;
			idle[idle_count++].device = device;
			handle = NULL;
		}
		pthread_mutex_unlock(&lock);
	}
	if (handle)
		cublasDestroy(handle);
}
