/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 6 bits, each in a byte: e2m3 (1 sign, 2 exponent, 3 fraction bits; bias 1, up to 7.5)
 * and e3m2 (bias 3, up to 28). For storage: there is no arithmetic (small_floats.h).
 */
#ifndef VGPU_CUDA_CUDA_FP6_H
#define VGPU_CUDA_CUDA_FP6_H

#include "small_floats.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;

typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#ifdef __cplusplus

#define __VGPU_FP6_EXPONENT(kind)	((kind) == __NV_E3M2 ? 3 : 2)
#define __VGPU_FP6_FRACTION(kind)	((kind) == __NV_E3M2 ? 2 : 3)

__VGPU_SMALL_CALLS(fp6, __nv_fp6_interpretation_t, __nv_fp6_storage_t, __nv_fp6x2_storage_t, 8,
		   __VGPU_FP6_EXPONENT, __VGPU_FP6_FRACTION)
__VGPU_SMALL_TYPES(__nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3, fp6, __NV_E2M3,
		   __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t, 8)
__VGPU_SMALL_TYPES(__nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2, fp6, __NV_E3M2,
		   __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t, 8)

#endif
#endif
