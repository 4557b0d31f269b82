// SPDX-License-Identifier: MIT
/* Products of complex numbers. */
#include "tiles.h"

namespace blas {

BLAS_MULTIPLY(cuComplex, cuComplex, cuComplex, cuComplex)
BLAS_MULTIPLY(cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex)

}
