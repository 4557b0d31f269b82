// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * H3 hashes; see h3.h.
 */
#include "../../sim/random.h"
#include "h3.h"

void vgpu_tm_h3_fill(u32 h3[2 * VGPU_TM_WAYS][64], u64 seed)
{
	struct vgpu_random random;

	vgpu_random_seed(&random, seed);
	for (u32 hash = 0; hash < 2 * VGPU_TM_WAYS; hash++)
		for (u32 bit = 0; bit < 64; bit++)
			h3[hash][bit] = (u32)(vgpu_random_next(&random) >> 32);
}

u32 vgpu_tm_h3(const u32 matrix[64], u64 key)
{
	u32 hash = 0;

	for (; key; key &= key - 1)
		hash ^= matrix[__builtin_ctzll(key)];
	return hash;
}

u32 vgpu_tm_h3_row(const u32 matrix[64], u64 key, u32 rows)
{
	return (u32)((u64)vgpu_tm_h3(matrix, key) * rows >> 32);
}

u32 vgpu_tm_precise_row(const struct vgpu_tm *tm, u32 way, u64 granule)
{
	return vgpu_tm_h3_row(tm->h3[way], granule, tm->setup.precise_rows);
}

u32 vgpu_tm_approximate_row(const struct vgpu_tm *tm, u32 way, u64 granule)
{
	return vgpu_tm_h3_row(tm->h3[VGPU_TM_WAYS + way], granule, tm->setup.approximate_rows);
}
