/* SPDX-License-Identifier: MIT */
/*
 * What kernels call to launch kernels is in device_launch.h; here is what CUDA 11 had besides, for
 * code that calls it by itself.
 */
#ifndef VGPU_CUDA_CUDA_DEVICE_RUNTIME_API_H
#define VGPU_CUDA_CUDA_DEVICE_RUNTIME_API_H
#include "../cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)
static __inline__ __device__ void *cudaGetParameterBuffer(size_t, size_t)
{
	return nullptr;
}

/* Without a buffer of its own kind: cudaGetParameterBufferV2() has the launch in it. */
static __inline__ __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned int,
							  cudaStream_t)
{
	return cudaErrorNotSupported;
}
#endif

#endif
