/* SPDX-License-Identifier: MIT */
/*
 * What generated code for vectors of less than 64 bytes calls; compiled once for each kind of them.
 * The file that includes this says how many BYTES they have, and the name of the function, SHAPE.
 */
#include "access.h"

typedef u32 words __attribute__((vector_size(BYTES)));
#define WORDS	(BYTES / 4u)

static const u32 bits[16] __attribute__((aligned(64))) = {
	1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80,
	0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000,
};
static const u32 offsets[16] __attribute__((aligned(64))) = {
	0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60,
};

static inline bool is_zero(words v)
{
	typedef char chars __attribute__((vector_size(BYTES)));

#if BYTES == 32
	return __builtin_ia32_pmovmskb256((chars)(v == 0)) == -1;
#else
	return __builtin_ia32_pmovmskb128((chars)(v == 0)) == 0xffff;
#endif
}

/* Lanes @m of a half: are they a row of words, or at one place? @start: of the first lane */
static inline void half_shape(const u32 *o, u32 m, u32 *start, bool *row, bool *place)
{
	u32 first = (u32)__builtin_ctz(m), at = o[first], begin = at - 4 * first;
	words no_row = {}, no_place = {};

#pragma GCC unroll 4
	for (u32 n = 0; n < 16 / WORDS; n++) {
		words bit = ((const words *)bits)[n], active = (words)((m & bit) == bit);
		words value = ((const words *)o)[n];

		no_row |= (value - begin - ((const words *)offsets)[n]) & active;
		no_place |= (value - at) & active;
	}
	*row = is_zero(no_row);
	*place = is_zero(no_place);
	*start = *row ? begin : at;
}

void SHAPE(const struct vgpu_lanes *s, struct shape *shape, u32 reg, u32 m)
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
