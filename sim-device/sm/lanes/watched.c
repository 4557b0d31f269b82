// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The lanes for a host that watches (../watch.h): as sse2.c, which every x86-64 can, or else as
 * portable.c, and the run loop tells of accesses, fences, barriers and exits. Not in the module.
 */
#ifndef __KERNEL__
#define LANES_RUN	vgpu_lanes_run_watched
#define LANES_WATCHED
#ifndef __x86_64__
#define LANES_PORTABLE
#endif
#define LANES_VECTOR	16
#ifndef __CHECKER__	/* sparse knows no vectors */
#include "impl.h"
#endif
#endif
