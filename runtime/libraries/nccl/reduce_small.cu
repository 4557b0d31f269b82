// SPDX-License-Identifier: MIT
/*
 * Reductions of numbers of 16 and 8 bits.
 */
#include "reduce.h"

#define SMALL(CASE)                         \
	CASE(ncclFloat16, __half)           \
	CASE(ncclBfloat16, __nv_bfloat16)   \
	CASE(ncclFloat8e4m3, __nv_fp8_e4m3) \
	CASE(ncclFloat8e5m2, __nv_fp8_e5m2)
NCCL_KIND(small, SMALL)
