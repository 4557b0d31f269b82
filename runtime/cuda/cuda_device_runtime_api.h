/* SPDX-License-Identifier: MIT */
/*
 * What kernels call to launch kernels. No kernel may: these say so, so that what only compiles them
 * does compile.
 */
#ifndef VGPU_CUDA_CUDA_DEVICE_RUNTIME_API_H
#define VGPU_CUDA_CUDA_DEVICE_RUNTIME_API_H
#include "../cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)
static __inline__ __device__ void *cudaGetParameterBuffer(size_t, size_t)
{
	return nullptr;
}

static __inline__ __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned int,
							  cudaStream_t)
{
	return cudaErrorNotSupported;
}
#endif

#endif
