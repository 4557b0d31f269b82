/* SPDX-License-Identifier: MIT */
/* Launches, statuses, and descriptions as kernels see them. */
#ifndef CUBLASLT_LAUNCH_H
#define CUBLASLT_LAUNCH_H

#include "description.h"
#include "elements.h"

#include <cuda_runtime.h>
#include <string.h>

#define LT_API extern "C" __attribute__((visibility("default")))
#define LT_TRY(call)                                  \
	do {                                          \
		cublasStatus_t status_ = (call);      \
		if (status_ != CUBLAS_STATUS_SUCCESS) \
			return status_;               \
	} while (0)

namespace lt
{

enum { ROWS = 32, COLUMNS = 8 }; /* of a block */

inline cublasStatus_t status_of(cudaError_t error)
{
	/* told by the status: no later launch of the program's is to find it */
	if (error == cudaErrorMemoryAllocation)
		cudaGetLastError();
	return error == cudaSuccess		    ? CUBLAS_STATUS_SUCCESS
	       : error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
						    : CUBLAS_STATUS_EXECUTION_FAILED;
}

inline unsigned int at_most(long long n, unsigned int most)
{
	return n < most ? (unsigned int)n : most;
}

/* A thread for each element of rows times columns of a batch; kernels go on where the grid ends. */
template <class JOB>
cublasStatus_t launch(void (*kernel)(JOB), const JOB &job, long long rows, long long columns,
		      int batches, cudaStream_t stream)
{
	void *pointers[] = {(void *)&job};
	dim3 grid(at_most((rows + ROWS - 1) / ROWS, 0x7fffffff),
		  at_most((columns + COLUMNS - 1) / COLUMNS, 65535), at_most(batches, 65535));

	return status_of(cudaLaunchKernel((const void *)kernel, grid, dim3(ROWS, COLUMNS), pointers,
					  0, stream));
}

inline matrix matrix_of(const struct lt_layout *is, const void *base)
{
	matrix m = {};

	if (is->batch_mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY)
		m.list = (char *const *)base;
	else
		m.base = (char *)base;
	m.ld = is->ld;
	m.stride = is->stride;
	m.type = (int)is->type;
	m.order = is->order;
	return m;
}

template <class S> S host_number(const void *p, int)
{
	S s;

	memcpy(&s, p, sizeof(s));
	return s;
}
template <> inline float host_number<float>(const void *p, int type)
{
	if (type == CUDA_R_16F)
		return __half2float(*(const __half *)p);
	return *(const float *)p;
}

/* A factor of the caller's, of the type that scales have. */
template <class S> factor<S> factor_of(const void *p, int type, bool on_host)
{
	factor<S> f = {};

	f.type = type;
	if (on_host)
		f.value = host_number<S>(p, type);
	else
		f.at = (const char *)p;
	return f;
}

/* Of factors on the host: is it 0? */
inline bool zero_on_host(const void *p, int type)
{
	switch (type) {
	case CUDA_R_16F:
		return __half2float(*(const __half *)p) == 0;
	case CUDA_R_32I:
		return *(const int *)p == 0;
	case CUDA_R_64F:
		return *(const double *)p == 0;
	case CUDA_C_32F:
		return ((const float *)p)[0] == 0 && ((const float *)p)[1] == 0;
	case CUDA_C_64F:
		return ((const double *)p)[0] == 0 && ((const double *)p)[1] == 0;
	default:
		return *(const float *)p == 0;
	}
}

} // namespace lt

#endif
