// SPDX-License-Identifier: MIT
/* Passes of floats: all radices. */
#include "stages.h"

FFT_PASS(fft_run_float_mixed, float, true)
