// SPDX-License-Identifier: MIT
/* What generated code for SSE2 calls. See access_small.h. */
#define SHARED		vgpu_native_shared_sse2
#define FUNCTION_OF	vgpu_native_small_sse2
#define BYTES		16
#include "access_small.h"
