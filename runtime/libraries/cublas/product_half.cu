// SPDX-License-Identifier: MIT
/* Products of halves, bfloat16 and bytes, added up as floats and integers. */
#include "tiles.h"

namespace blas {

BLAS_MULTIPLY(float, __half, __half, float)
BLAS_MULTIPLY(float, __half, float, float)
BLAS_MULTIPLY(float, __nv_bfloat16, __nv_bfloat16, float)
BLAS_MULTIPLY(float, __nv_bfloat16, float, float)
BLAS_MULTIPLY(int, signed char, int, int)
BLAS_MULTIPLY(int, signed char, float, float)

}
