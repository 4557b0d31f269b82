// SPDX-License-Identifier: MIT
/* What generated code for AVX2 calls; compiled for AVX2. See access_small.h. */
#define SHAPE	vgpu_native_shape_avx2
#define BYTES	32
#include "access_small.h"
