// SPDX-License-Identifier: MIT
/* Passes of doubles: all radices. */
#include "stages.h"

FFT_PASS(fft_run_double_mixed, double, true)
