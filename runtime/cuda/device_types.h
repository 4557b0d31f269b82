/* SPDX-License-Identifier: MIT */
/*
 * Ways to round. Programs written for NVIDIA's headers include this one by name.
 */
#ifndef VGPU_CUDA_DEVICE_TYPES_H
#define VGPU_CUDA_DEVICE_TYPES_H
#include "../cuda_runtime.h"

enum cudaRoundMode {
	cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf
};

#endif
