/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The lanes, compiled once for each vector unit (sse2.c, avx2.c; portable.c where there is none of
 * those), and once for who watches (watched.c). Everything is static but LANES_RUN and LANES_ONE,
 * which not all have. The same operations in the same order in all, no contraction but the explicit
 * one, every NaN result canonical: the bits are the same.
 */
#include "watch.h"
#include "vec.h"
#include "int.h"
#include "fma.h"
#include "math.h"
#include "float.h"
#include "conv.h"
#include "place.h"
#include "mem.h"
#include "atomic_128.h"
#include "atomic.h"
#include "vote.h"
#include "sreg.h"
#include "sync.h"
#include "run.h"
#include "one.h"
