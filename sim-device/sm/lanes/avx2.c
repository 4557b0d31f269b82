// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The lanes for processors with AVX2, FMA and F16C: vectors of 32 bytes. Compiled with
 * -mavx2 -mfma. See lanes.h.
 */
#define LANES_RUN	vgpu_lanes_run_avx2
#ifndef __KERNEL__
#define LANES_ONE	vgpu_lanes_one_avx2
#endif
#define LANES_VECTOR	32
#ifndef __CHECKER__	/* sparse knows no vectors */
#include "impl.h"
#endif
