// SPDX-License-Identifier: MIT
/* cublasXt's handles: devices, the size of tiles, what the host does itself. */
#include "xt.h"

namespace xt
{

cublasStatus_t status_of(cudaError_t error)
{
	if (error == cudaSuccess)
		return CUBLAS_STATUS_SUCCESS;
	if (error != cudaErrorMemoryAllocation)
		return CUBLAS_STATUS_EXECUTION_FAILED;
	/* told by the status: no later launch of the program's is to find it */
	cudaGetLastError();
	return CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t check(cublasXtHandle_t handle)
{
	return handle && live_is(handle, XT_KIND) ? CUBLAS_STATUS_SUCCESS
						  : CUBLAS_STATUS_NOT_INITIALIZED;
}

static cublasStatus_t make_lane(lane *l, int device)
{
	*l = {};
	l->device = device;
	XT_TRY(status_of(cudaSetDevice(device)));
	XT_TRY(status_of(cudaStreamCreate(&l->stream)));
	XT_TRY(cublasCreate(&l->blas));
	return cublasSetStream(l->blas, l->stream);
}

void drop_lanes(cublasXtHandle_t handle)
{
	device_guard guard;

	for (int i = 0; i < handle->lanes; i++) {
		lane &l = handle->lane[i];

		cudaSetDevice(l.device);
		if (l.blas)
			cublasDestroy(l.blas);
		if (l.stream)
			cudaStreamDestroy(l.stream);
		cudaFree(l.memory);
	}
	handle->lanes = 0;
}

/* Not a device, or one that is there before it */
static bool bad_devices(int count, const int *devices)
{
	int all = 0;

	if (count < 1 || count > MOST_DEVICES || !devices ||
	    cudaGetDeviceCount(&all) != cudaSuccess)
		return true;
	for (int i = 0; i < count; i++) {
		if (devices[i] < 0 || devices[i] >= all)
			return true;
		for (int j = 0; j < i; j++)
			if (devices[j] == devices[i])
				return true;
	}
	return false;
}

} // namespace xt

using namespace xt;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle)
{
	cublasXtHandle_t h;
	int devices;

	XT_REFUSE_IF(!handle);
	*handle = NULL;
	if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	h = (cublasXtHandle_t)live_new(sizeof(*h), XT_KIND);
	if (!h)
		return CUBLAS_STATUS_ALLOC_FAILED;
	pthread_mutex_init(&h->lock, NULL);
	h->dim = DEFAULT_DIM;
	*handle = h;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle)
{
	XT_TRY(check(handle));
	drop_lanes(handle);
	live_delete(handle, XT_KIND);
	return CUBLAS_STATUS_SUCCESS;
}

/* Every device is a board of its own. */
EXPORT cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int *boards)
{
	XT_REFUSE_IF(!boards || bad_devices(count, devices));
	*boards = count;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasXtMaxBoards(int *boards)
{
	XT_REFUSE_IF(!boards);
	*boards = MOST_DEVICES;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[])
{
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	device_guard guard;

	XT_TRY(check(handle));
	XT_REFUSE_IF(bad_devices(count, devices));
	pthread_mutex_lock(&handle->lock);
	drop_lanes(handle);
	// A device's second lane is behind the first ones of all.
	for (int i = 0; i < LANES_EACH * count && status == CUBLAS_STATUS_SUCCESS; i++)
		status = make_lane(&handle->lane[handle->lanes++], devices[i % count]);
	if (status != CUBLAS_STATUS_SUCCESS)
		drop_lanes(handle);
	pthread_mutex_unlock(&handle->lock);
	return status;
}

EXPORT cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int dim)
{
	XT_TRY(check(handle));
	XT_REFUSE_IF(dim < 1);
	handle->dim = dim;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *dim)
{
	XT_TRY(check(handle));
	XT_REFUSE_IF(!dim);
	*dim = handle->dim;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle,
						cublasXtPinnedMemMode_t mode)
{
	XT_TRY(check(handle));
	XT_REFUSE_IF((unsigned)mode > CUBLASXT_PINNING_ENABLED);
	handle->pinning = mode;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle,
						cublasXtPinnedMemMode_t *mode)
{
	XT_TRY(check(handle));
	XT_REFUSE_IF(!mode);
	*mode = handle->pinning;
	return CUBLAS_STATUS_SUCCESS;
}

/* Only gemm divides its work so, as with NVIDIA's; for the others it is remembered. */
EXPORT cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t op,
					    cublasXtOpType_t type, void *routine)
{
	XT_TRY(check(handle));
	XT_REFUSE_IF((unsigned)op >= CUBLASXT_ROUTINE_MAX || (unsigned)type > 3);
	handle->routine[op][type] = routine;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t op,
					  cublasXtOpType_t type, float ratio)
{
	XT_TRY(check(handle));
	XT_REFUSE_IF((unsigned)op >= CUBLASXT_ROUTINE_MAX || (unsigned)type > 3);
	XT_REFUSE_IF(!(ratio >= 0 && ratio <= 1));
	handle->ratio[op][type] = ratio;
	return CUBLAS_STATUS_SUCCESS;
}
