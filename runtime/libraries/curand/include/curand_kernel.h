/* SPDX-License-Identifier: MIT */
/*
 * cuRAND's device API: generators whose state a thread keeps. A number is that of CUDA's generators
 * of the same seed, subsequence and offset. The functions are there for the host, too.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include <cuda_runtime.h>
#include <math.h>
#include <curand.h>

#define VGPU_CURAND static inline __host__ __device__

#include "vgpu_curand/xorwow.h"
#include "vgpu_curand/mrg32k3a.h"
#include "vgpu_curand/philox.h"
#include "vgpu_curand/sobol.h"
#include "vgpu_curand/mtgp32.h"
#include "vgpu_curand/normal.h"
#include "vgpu_curand/uniform.h"
#include "vgpu_curand/distributions.h"
#include "vgpu_curand/poisson.h"
#include "vgpu_curand/discrete.h"

typedef curandStateXORWOW_t curandState_t, curandState;

#endif
