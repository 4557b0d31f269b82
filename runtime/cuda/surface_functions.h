/* SPDX-License-Identifier: MIT */
/*
 * Programs written for NVIDIA's headers include this one by name; all of it is in cuda_runtime.h.
 */
#ifndef VGPU_CUDA_SURFACE_FUNCTIONS_H
#define VGPU_CUDA_SURFACE_FUNCTIONS_H
#include "../cuda_runtime.h"
#endif
