/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 4 bits: e2m1 (1 sign, 2 exponent, 1 fraction bit; bias 1, up to 6). One is in a byte,
 * two are in a byte, four in two bytes, the first one lowest. For storage: there is no arithmetic
 * (small_floats.h).
 */
#ifndef VGPU_CUDA_CUDA_FP4_H
#define VGPU_CUDA_CUDA_FP4_H

#include "small_floats.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;

typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#ifdef __cplusplus

#define __VGPU_FP4_EXPONENT(kind)	((void)(kind), 2)
#define __VGPU_FP4_FRACTION(kind)	((void)(kind), 1)

__VGPU_SMALL_CALLS(fp4, __nv_fp4_interpretation_t, __nv_fp4_storage_t, __nv_fp4x2_storage_t, 4,
		   __VGPU_FP4_EXPONENT, __VGPU_FP4_FRACTION)
__VGPU_SMALL_TYPES(__nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1, fp4, __NV_E2M1,
		   __nv_fp4_storage_t, __nv_fp4x2_storage_t, __nv_fp4x4_storage_t, 4)

#endif
#endif
