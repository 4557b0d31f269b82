// SPDX-License-Identifier: MIT
/*
 * FFTW's functions in single precision.
 */
#include <stdlib.h>

#include "wplan.h"

#define X(name) fftwf_##name
#define REAL float
#define COMPLEX fftwf_complex
#define CUFFT_COMPLEX CUFFT_C2C
#define CUFFT_TO_COMPLEX CUFFT_R2C
#define CUFFT_TO_REAL CUFFT_C2R
#include "wcalls.h"
