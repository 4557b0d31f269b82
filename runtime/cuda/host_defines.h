/* SPDX-License-Identifier: MIT */
/*
 * CUDA's declaration specifiers for clang's -x cuda; for a host compiler they are nothing.
 */
#ifndef VGPU_CUDA_HOST_DEFINES_H
#define VGPU_CUDA_HOST_DEFINES_H
#define __HOST_DEFINES_H__

#ifdef __CUDA__
#define __host__		__attribute__((host))
#define __device__		__attribute__((device))
#define __global__		__attribute__((global))
#define __shared__		__attribute__((shared))
#define __constant__		__attribute__((constant))
#define __launch_bounds__(...)	__attribute__((launch_bounds(__VA_ARGS__)))
/*
 * A variable of host and device at once. On the host it is an ordinary variable: vgpucc replaces
 * the word and removes the __device__ beside it, since clang gives a __device__ variable neither
 * its initial value nor external linkage there. Without vgpucc it is an error.
 */
#ifdef __CUDA_ARCH__
#define __managed__		__attribute__((device, used))
#else
#define __managed__		__vgpu_managed__
#endif
#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(n)	__attribute__((aligned(n)))
#define __grid_constant__
/* An attribute that would be left out would make another kernel of it. */
#define __cluster_dims__(...) \
	_Pragma("GCC error \"__cluster_dims__: no clusters: launch without (docs/cuda.md)\"")
#else
#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif

#define __forceinline__		__inline__ __attribute__((always_inline))
/*
 * A keyword of later clangs; bits/shared_ptr_base.h beside this file keeps libstdc++'s own use of
 * the word intact.
 */
#ifdef __CUDA__
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__		__attribute__((noinline))
#endif
#endif
#define __align__(n)		__attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB

#endif
