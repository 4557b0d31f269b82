// SPDX-License-Identifier: MIT
/* What generated code for AVX2 calls; compiled for AVX2. */
#include "access.h"

typedef u32 eight __attribute__((vector_size(32)));

static bool is_zero(eight v)
{
	typedef long long four __attribute__((vector_size(32)));

	return __builtin_ia32_ptestz256((four)v, (four)v);
}

/* Lanes @m of a half: are they a row of words, or at one place? @start: of the first lane */
static void half_shape(const u32 *o, u32 m, u32 *start, bool *row, bool *place)
{
	u32 first = (u32)__builtin_ctz(m), at = o[first], begin = at - 4 * first;
	eight lane = { 0, 1, 2, 3, 4, 5, 6, 7 }, no_row = {}, no_place = {};

	for (u32 n = 0; n < 2; n++) {
		eight active = 0 - (m >> lane & 1), value = ((const eight *)o)[n];

		no_row |= (value - begin - 4 * lane) & active;
		no_place |= (value - at) & active;
		lane += 8;
	}
	*row = is_zero(no_row);
	*place = is_zero(no_place);
	*start = *row ? begin : at;
}

void vgpu_native_shape_avx2(const struct vgpu_lanes *s, struct shape *shape, u32 reg, u32 m)
{
	const u32 *o = s->warp->regs + reg * VGPU_LANES;
	bool rows = true, places = true;
	u32 start[2] = { 0, 0 };

	for (u32 h = 0; h < 2; h++) {
		u32 half = m >> 16 * h & 0xffff;
		bool row, place;

		if (!half)
			continue;
		half_shape(o + 16 * h, half, &start[h], &row, &place);
		rows &= row;
		places &= place;
	}
	vgpu_shape_set(s, shape, reg, m, start, rows, places);
}
