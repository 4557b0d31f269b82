// SPDX-License-Identifier: MIT
/* Passes of floats: radices that are powers of two. */
#include "stages.h"

FFT_PASS(fft_run_float, float, false)
