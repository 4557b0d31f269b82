/* SPDX-License-Identifier: MIT */
/*
 * The driver API's calls for profilers; the first is of CUDA 10 and refused.
 */
#ifndef VGPU_CUDA_CUDAPROFILER_H
#define VGPU_CUDA_CUDAPROFILER_H
#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUoutput_mode_enum { CU_OUT_KEY_VALUE_PAIR = 0, CU_OUT_CSV = 1 } CUoutput_mode;

CUresult cuProfilerInitialize(const char *config, const char *output, CUoutput_mode mode);

#ifdef __cplusplus
}
#endif

#endif
