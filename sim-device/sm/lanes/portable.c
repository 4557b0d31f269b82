// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The lanes for a processor that has no file of its own here: vectors of 16 bytes, no instruction
 * of a vector unit by name, fused multiply-add computed in software. On x86-64 the unit tests alone
 * build it. See lanes.h.
 */
#define LANES_RUN	vgpu_lanes_run_portable
#define LANES_PORTABLE
#define LANES_VECTOR	16
#ifndef __CHECKER__	/* sparse knows no vectors */
#include "impl.h"
#endif
