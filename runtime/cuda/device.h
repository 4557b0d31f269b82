/* SPDX-License-Identifier: MIT */
/*
 * Everything device code of a .cu file sees, put together: built-in variables, math, intrinsics and
 * atomics. clang ships headers that define CUDA's device functions over __nv_* primitives;
 * libdevice_math.h and libdevice_arith.h give those primitives over libclc. Only for clang's -x
 * cuda, in both of its passes.
 */
#ifndef VGPU_CUDA_DEVICE_H
#define VGPU_CUDA_DEVICE_H

/* The guard of clang's <new> for CUDA, which device_new.h replaces; C++'s own was included. */
#define __CLANG_CUDA_WRAPPERS_NEW

/* Device overloads must be declared before <cmath> takes the names into namespace std. */
#include <__clang_cuda_math_forward_declares.h>
#include <cmath>
#include <cstdlib>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

/*
 * A function without lines of its own has those of its call, once it is inlined: a fault in
 * atomicAdd() is where the program calls it.
 */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#include <__clang_cuda_builtin_vars.h>

#include "libdevice_math.h"
#include "libdevice_arith.h"

/*
 * clang's header has the operations on bytes and half-words twice: over __nv_v* for CUDA below 9.2,
 * and as video instructions, which later GPUs do not have either. The first is wanted.
 */
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
#include <__clang_cuda_math.h>

#include "device_overloads.h"
#include "host_math.h"

extern "C" {
/* clang turns printf into vprintf, which the runtime brings. */
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);

/* Writes what failed where into the buffer of printf() and traps; the runtime brings it. */
__device__ void __assertfail(const char *, const char *, unsigned int, const char *, size_t);

/* assert() of the host's <assert.h> calls this. */
static __device__ __inline__ __attribute__((always_inline)) void
__assert_fail(const char *expression, const char *file, unsigned int line, const char *function)
{
	__assertfail(expression, file, line, function, sizeof(char));
}
}

#include "device_new.h"

#define __VGPU_INDEX_CONVERSION(variable) \
	__device__ inline variable::operator dim3() const { return dim3(x, y, z); } \
	__device__ inline variable::operator uint3() const { return { x, y, z }; }
__VGPU_INDEX_CONVERSION(__cuda_builtin_threadIdx_t)
__VGPU_INDEX_CONVERSION(__cuda_builtin_blockIdx_t)
__VGPU_INDEX_CONVERSION(__cuda_builtin_blockDim_t)
__VGPU_INDEX_CONVERSION(__cuda_builtin_gridDim_t)
#undef __VGPU_INDEX_CONVERSION

#include <__clang_cuda_cmath.h>
#include "device_minmax.h"
#include "device_dpx.h"
#include "device_atomics.h"
#include "device_atomics_128.h"
typedef unsigned int cuuint32_t;
typedef __UINT64_TYPE__ cuuint64_t;
#include "device_cached.h"
#include "device_spaces.h"
/* Of sm_80 and later, clang has some that are ours (device_reduce.h), and those of clusters. */
#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 700
#include <__clang_cuda_intrinsics.h>
#pragma pop_macro("__CUDA_ARCH__")
#include <__clang_cuda_complex_builtins.h>
#include "device_sync.h"
#include "device_reduce.h"
#include "device_ordered_atomics.h"
#include "device_textures.h"
#include "device_surfaces.h"
#include "device_references.h"
#include "device_launch.h"

#pragma clang attribute pop

#endif
