/* SPDX-License-Identifier: MIT */
/*
 * Operands of a fused multiply-add that is wrong if it is rounded to a double first: the exact sum
 * lies next to the middle of two floats, nearer than a double can tell.
 */
#ifndef FMA_TIE_H
#define FMA_TIE_H

#include "platform.h"

/* One of them, by the bits of @random: sums of normal size, or subnormal ones; all signs */
static inline void fma_tie(u32 random, u32 *a, u32 *b, u32 *c)
{
	u32 lower = random & 1 ? 75u << 23 : 0, odd = random >> 12 | 1;

	/* (1 + 2^-23)(1 - 2^-23) is half a unit of c's last place, less 2^-46 of that */
	*a = 0x3f800001 - lower;
	*b = 0x3f7ffffe - lower;
	*c = lower ? odd << 2 | 1 : 0x4b800000 + odd;
	if (random & 2)		/* or just half a unit */
		*a = *b = 0x3f800000 - lower;
	*a |= (random & 4) << 29;
	*b |= (random & 8) << 28;
	*c |= (random & 16) << 27;
}

#endif
