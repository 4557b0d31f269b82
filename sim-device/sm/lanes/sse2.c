// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The lanes for every x86-64: vectors of 16 bytes, fused multiply-add computed in software. See
 * lanes.h.
 */
#define LANES_RUN	vgpu_lanes_run_sse2
#ifndef __KERNEL__
#define LANES_ONE	vgpu_lanes_one_sse2
#endif
#define LANES_VECTOR	16
#ifndef __CHECKER__	/* sparse knows no vectors */
#include "impl.h"
#endif
