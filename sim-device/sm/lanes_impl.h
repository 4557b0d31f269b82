/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The lanes, compiled once for each vector unit (lanes_sse2.c, lanes_avx2.c). Everything is static
 * but LANES_RUN and LANES_ONE. The same operations in the same order in both, no contraction but
 * the explicit one, every NaN result canonical: the bits are the same.
 */
#include "lanes_vec.h"
#include "lanes_int.h"
#include "lanes_fma.h"
#include "lanes_math.h"
#include "lanes_float.h"
#include "lanes_conv.h"
#include "lanes_place.h"
#include "lanes_mem.h"
#include "lanes_atomic.h"
#include "lanes_vote.h"
#include "lanes_sreg.h"
#include "lanes_sync.h"
#include "lanes_run.h"
#include "lanes_one.h"
