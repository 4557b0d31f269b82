// SPDX-License-Identifier: MIT
/*
 * CUDA names: the calls of code whose default stream is the calling thread's. Each is the call of
 * the same name, with another stream for the default one as long as it lasts.
 */
#include "calls.h"
#include "per_thread_calls.h"

#define EXPORT	__attribute__((visibility("default")))

#define DEFINE(name, suffix, parameters, arguments)	\
	EXPORT cudaError_t name##suffix parameters;	\
	cudaError_t name##suffix parameters		\
	{						\
		bool before = rt_thread_default(true);	\
		cudaError_t error = name arguments;	\
							\
		rt_thread_default(before);		\
		return error;				\
	}
VGPU_CUDA_PER_THREAD_CALLS(DEFINE)

/* The kernel's host function calls cudaLaunchKernel(), whatever the code is compiled for. */
EXPORT unsigned int __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared,
						     void *stream);

unsigned int __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared, void *stream)
{
	return __cudaPushCallConfiguration(grid, block, shared,
					   stream ? stream : (void *)cudaStreamPerThread);
}
