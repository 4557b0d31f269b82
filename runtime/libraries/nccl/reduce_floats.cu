// SPDX-License-Identifier: MIT
/*
 * Reductions of floats and doubles.
 */
#include "reduce.h"

#define FLOATS(CASE)             \
	CASE(ncclFloat32, float) \
	CASE(ncclFloat64, double)
NCCL_KIND(floats, FLOATS)
