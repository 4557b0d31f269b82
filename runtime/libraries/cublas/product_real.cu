// SPDX-License-Identifier: MIT
/* Products of floats and doubles. */
#include "tiles.h"

namespace blas {

BLAS_MULTIPLY(float, float, float, float)
BLAS_MULTIPLY(double, double, double, double)

}
