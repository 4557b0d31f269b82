// SPDX-License-Identifier: MIT
/*
 * FFTW's functions in double precision.
 */
#include <stdlib.h>

#include "wplan.h"

#define X(name) fftw_##name
#define REAL double
#define COMPLEX fftw_complex
#define CUFFT_COMPLEX CUFFT_Z2Z
#define CUFFT_TO_COMPLEX CUFFT_D2Z
#define CUFFT_TO_REAL CUFFT_Z2D
#include "wcalls.h"
