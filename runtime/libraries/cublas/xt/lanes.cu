// SPDX-License-Identifier: MIT
/* Lanes: their memory, copies to and from it, and waiting for them. */
#include "xt.h"

namespace xt
{

pinned::pinned(bool wanted, const void *base, size_t bytes) : memory(NULL)
{
	cudaPointerAttributes what;

	if (!wanted || !base || !bytes)
		return;
	if (cudaPointerGetAttributes(&what, base) == cudaSuccess &&
	    what.type == cudaMemoryTypeUnregistered &&
	    cudaHostRegister((void *)base, bytes, cudaHostRegisterPortable) == cudaSuccess)
		memory = (void *)base;
	else
		// It stays pageable, which costs time only: part of it may be pinned by others.
		cudaGetLastError();
}

pinned::~pinned()
{
	if (memory)
		cudaHostUnregister(memory);
}

/* Is it another device's? Its memory is copied from there, a column at a time. */
static bool of_another(const lane &l, const void *p)
{
	cudaPointerAttributes what;

	return cudaPointerGetAttributes(&what, p) == cudaSuccess && what.device != l.device &&
	       (what.type == cudaMemoryTypeDevice || what.type == cudaMemoryTypeManaged);
}

cublasStatus_t copy_columns(const lane &l, void *to, size_t to_pitch, const void *from,
			    size_t from_pitch, size_t bytes, size_t columns)
{
	if (columns > 1 && !of_another(l, to) && !of_another(l, from))
		return status_of(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, columns,
						   cudaMemcpyDefault, l.stream));
	for (size_t c = 0; c < columns; c++)
		XT_TRY(status_of(cudaMemcpyAsync((char *)to + c * to_pitch,
						 (const char *)from + c * from_pitch, bytes,
						 cudaMemcpyDefault, l.stream)));
	return CUBLAS_STATUS_SUCCESS;
}

/* Three tiles begin at multiples of 256 bytes. */
static cublasStatus_t grow(lane *l, size_t bytes)
{
	l->used = (bytes + 255) & ~(size_t)255;
	if (l->used <= l->bytes)
		return CUBLAS_STATUS_SUCCESS;
	XT_TRY(status_of(cudaSetDevice(l->device)));
	cudaFree(l->memory);
	l->memory = NULL;
	l->bytes = 0;
	XT_TRY(status_of(cudaMalloc((void **)&l->memory, TILES * l->used)));
	l->bytes = l->used;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t prepare(cublasXtHandle_t handle, size_t bytes, int *lanes)
{
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

	*lanes = 0;
	if (!handle->lanes)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	while (*lanes < handle->lanes && status == CUBLAS_STATUS_SUCCESS) {
		status = grow(&handle->lane[*lanes], bytes);
		*lanes += status == CUBLAS_STATUS_SUCCESS;
	}
	return *lanes && status == CUBLAS_STATUS_ALLOC_FAILED ? CUBLAS_STATUS_SUCCESS : status;
}

cublasStatus_t finish(cublasXtHandle_t handle, cublasStatus_t status)
{
	for (int i = 0; i < handle->lanes; i++) {
		cudaError_t error = cudaSetDevice(handle->lane[i].device);

		if (error == cudaSuccess)
			error = cudaStreamSynchronize(handle->lane[i].stream);
		if (status == CUBLAS_STATUS_SUCCESS)
			status = status_of(error);
	}
	return status;
}

} // namespace xt
