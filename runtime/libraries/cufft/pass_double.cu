// SPDX-License-Identifier: MIT
/* Passes of doubles: radices that are powers of two. */
#include "stages.h"

FFT_PASS(fft_run_double, double, false)
