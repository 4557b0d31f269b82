/* SPDX-License-Identifier: MIT */
/*
 * What every function of the dense part does first and last: look at the handle and the arguments,
 * launch. Types that are arguments become types of templates.
 */
#ifndef CUSOLVER_LAUNCH_H
#define CUSOLVER_LAUNCH_H

#include "numbers.h"
#include "objects.h"

#include <cuda_runtime.h>

namespace solver
{

using namespace blas;

enum { THREADS = 128, WARPS = THREADS / 32, MOST_BLOCKS = 65535 };

typedef const struct solver_handle *stream_of;

template <class... P, class... A>
cusolverStatus_t launch(stream_of handle, void (*kernel)(P...), int64_t blocks, A... given)
{
	auto run = [&](P... parameters) {
		void *pointers[] = {(void *)&parameters...};
		dim3 grid((unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS)), block(THREADS);

		return cudaLaunchKernel((const void *)kernel, grid, block, pointers, 0,
					handle->stream);
	};

	if (blocks < 1)
		return CUSOLVER_STATUS_SUCCESS;
	return solver_status(run(given...));
}

/* Blocks for so many warps */
inline int64_t blocks_of_warps(int64_t warps)
{
	return (warps + WARPS - 1) / WARPS;
}

inline int64_t at_least_one(int64_t n)
{
	return n > 1 ? n : 1;
}
inline int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
inline int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* A parameter is wrong: its number without the handle, negative, at info; INVALID_VALUE. */
cusolverStatus_t wrong(stream_of handle, int *info, int number);
/* The device's info becomes 0, that of several systems too. */
cusolverStatus_t clear_info(stream_of handle, int *info, int count = 1);

/* A size that an int has no room for */
inline cusolverStatus_t give_size(int *lwork, int64_t size)
{
	SOLVER_WANT(lwork && size <= INT_MAX);
	*lwork = (int)at_least_one(size);
	return CUSOLVER_STATUS_SUCCESS;
}

inline bool bad_fill(cublasFillMode_t uplo)
{
	return uplo != CUBLAS_FILL_MODE_LOWER && uplo != CUBLAS_FILL_MODE_UPPER;
}
inline bool bad_op(cublasOperation_t op)
{
	return op != CUBLAS_OP_N && op != CUBLAS_OP_T && op != CUBLAS_OP_C;
}

/* RUN(T) with T as the type says; NOT_SUPPORTED for others */
#define SOLVER_BY_TYPE(type, RUN)                     \
	switch (type) {                               \
	case CUDA_R_32F:                              \
		RUN(float);                           \
	case CUDA_R_64F:                              \
		RUN(double);                          \
	case CUDA_C_32F:                              \
		RUN(cuComplex);                       \
	case CUDA_C_64F:                              \
		RUN(cuDoubleComplex);                 \
	default:                                      \
		return CUSOLVER_STATUS_NOT_SUPPORTED; \
	}

inline cudaDataType real_type(cudaDataType type)
{
	return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

#define SOLVER_CHECK(handle) SOLVER_TRY(solver_check(handle, SOLVER_DN, __func__))
#define SOLVER_WRONG(condition, number)                       \
	do {                                                  \
		if (condition)                                \
			return wrong(handle, info, (number)); \
	} while (0)
#define EXPORT extern "C" __attribute__((visibility("default")))

} // namespace solver

#endif
