/* SPDX-License-Identifier: MIT */
/*
 * nvcuda::experimental::pipeline, which came before cuda::pipeline: cuda_pipeline_primitives.h as a
 * class.
 */
#ifndef VGPU_CUDA_CUDA_PIPELINE_H
#define VGPU_CUDA_CUDA_PIPELINE_H

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace nvcuda
{
namespace experimental
{

class pipeline {
	size_t batches_;

public:
	__device__ pipeline() : batches_(0) {}
	pipeline(const pipeline &) = delete;
	pipeline &operator=(const pipeline &) = delete;

	/* Returns the number of the batch. */
	__device__ size_t commit()
	{
		__pipeline_commit();
		return batches_++;
	}
	__device__ void commit_and_wait() { wait(commit()); }
	__device__ void wait(size_t) { __pipeline_wait_prior(0); }
	template <unsigned int N> __device__ void wait_prior() { __pipeline_wait_prior(N); }
	__device__ void arrive_on(awbarrier &barrier)
	{
		__pipeline_arrive_on(barrier.__vgpu_barrier());
	}
};

/* A value of 4, 8 or 16 bytes, aligned so, by the copy; any other by itself. */
template <class T>
static __device__ __inline__ void memcpy_async(T &dst, const T &src, pipeline &)
{
	if ((sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) && alignof(T) == sizeof(T) &&
	    __isShared(&dst) && __isGlobal(&src))
		__pipeline_memcpy_async(&dst, &src, sizeof(T));
	else
		dst = src;
}

template <class T>
static __device__ __inline__ void memcpy_async(T *dst, const T *src, size_t count, pipeline &pipe)
{
	for (size_t n = 0; n < count; n++)
		memcpy_async(dst[n], src[n], pipe);
}

}
}

#endif
#endif
