/* SPDX-License-Identifier: MIT */
/*
 * Programs written for NVIDIA's headers include this one by name. Its calculator of occupancy,
 * which asks no device, is not here; cudaOccupancy*() of cuda_runtime_api.h are.
 */
#ifndef VGPU_CUDA_CUDA_OCCUPANCY_H
#define VGPU_CUDA_CUDA_OCCUPANCY_H
#include "cuda_runtime_api.h"
#endif
