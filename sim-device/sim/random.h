/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The one random generator of a device: xorshift64* (Marsaglia's shifts, Vigna's multiplier),
 * seeded by the configuration.
 */
#ifndef VGPU_RANDOM_H
#define VGPU_RANDOM_H

#include "../platform.h"

struct vgpu_random {
	u64 state;	/* never 0 */
};

static inline void vgpu_random_seed(struct vgpu_random *random, u64 seed)
{
	/*
	 * Spreads seeds that differ in one bit; the constant is odd, so that only one seed would
	 * give 0.
	 */
	random->state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	if (!random->state)
		random->state = 1;
}

static inline u64 vgpu_random_next(struct vgpu_random *random)
{
	u64 x = random->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	random->state = x;
	return x * 0x2545f4914f6cdd1dull;
}

#endif
