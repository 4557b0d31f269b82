/* SPDX-License-Identifier: MIT */
/*
 * Programs include <cuda.h> for CUDA_VERSION and the runtime's types. The driver API (cu*) is not
 * there.
 */
#ifndef VGPU_CUDA_CUDA_H
#define VGPU_CUDA_CUDA_H
#include "../cuda_runtime.h"
#endif
