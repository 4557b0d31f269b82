/* SPDX-License-Identifier: MIT */
/*
 * <cuda_runtime.h> of vgpu: with it, ordinary CUDA C/C++ compiles with a stock clang (-x cuda
 * -nocudainc -nocudalib) and no CUDA SDK; tools/vgpucc passes the flags. For a host compiler it is
 * the host API alone.
 */
#ifndef VGPU_CUDA_RUNTIME_H
#define VGPU_CUDA_RUNTIME_H
/* What programs ask to learn whether NVIDIA's header of this name was included. */
#define __CUDA_RUNTIME_H__

#if defined(__CUDA__) && defined(__clang__)
#ifndef __CUDACC__
#define __CUDACC__	1
#endif
#ifndef __NVCC__
#define __NVCC__	1
#endif
#define __CUDACC_VER_MAJOR__	11
#define __CUDACC_VER_MINOR__	2
#define __CUDACC_VER_BUILD__	0
/* clang's device headers convert to these before they are defined */
struct dim3;
struct uint3;
#endif

/* What every .cu has with nvcc without asking for it. */
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <new>
#include <utility>
#endif

#include "cuda/host_defines.h"
#include "cuda/vector_types.h"
#include "cuda/vector_functions.h"
#include "cuda/driver_types.h"
#include "cuda/driver_functions.h"
#include "cuda/cuda_runtime_api.h"

#ifdef __cplusplus
#if defined(__CUDA__) && defined(__clang__)
#include "cuda/device.h"
#endif
#include "cuda/cuda_templates.h"
#include "cuda/cuda_device_runtime_api.h"
#endif

#endif
