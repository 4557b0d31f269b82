// SPDX-License-Identifier: MIT
/* What generated code for SSE2 calls. See access_small.h. */
#define SHAPE	vgpu_native_shape_sse2
#define BYTES	16
#include "access_small.h"
