// SPDX-License-Identifier: MIT
/* What generated code for AVX2 calls; compiled for AVX2. See access_small.h. */
#define SHARED		vgpu_native_shared_avx2
#define FUNCTION_OF	vgpu_native_small_avx2
#define BYTES		32
#include "access_small.h"
