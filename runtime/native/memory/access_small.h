/* SPDX-License-Identifier: MIT */
/*
 * What generated code for vectors of less than 64 bytes calls; compiled once for each kind of them.
 * The file that includes this says how many BYTES they have, and the names of the functions.
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

/* All ones for the lanes in @m of vector @n */
static inline words active(u32 m, u32 n)
{
	words bit = ((const words *)bits)[n % (16 / WORDS)];

	return (words)((m >> 16 * (n / (16 / WORDS)) & bit) == bit);
}

/* Vector @n of a register becomes @v in the lanes in @m */
static inline void put(u32 *to, u32 m, u32 n, words v)
{
	words *d = (words *)to + n;

	*d = m == ~0u ? v : (v & active(m, n)) | (*d & ~active(m, n));
}

/* ---- words in rows, or of one place each half ------------------------------------ */

/* Lanes @m of half @h: are they a row of words, or at one place? @start: of the first lane */
static inline void half_shape(const u32 *o, u32 h, u32 m, u32 *start, bool *row, bool *place)
{
	u32 first = (u32)__builtin_ctz(m), at = o[first], begin = at - 4 * (first & 15);
	words no_row = {}, no_place = {};

#pragma GCC unroll 4
	for (u32 n = 0; n < 16 / WORDS; n++) {
		u32 vector = h * (16 / WORDS) + n;
		words value = ((const words *)o)[vector];

		no_row |= (value - begin - ((const words *)offsets)[n]) & active(m, vector);
		no_place |= (value - at) & active(m, vector);
	}
	*row = is_zero(no_row);
	*place = is_zero(no_place);
	*start = *row ? begin : at;
}

static void find_shape(const struct vgpu_lanes *s, struct shape *shape, u32 reg, u32 m)
{
	const u32 *o = s->warp->regs + reg * VGPU_LANES;
	bool rows = true, places = true;
	u32 start[2] = { 0, 0 };

	for (u32 h = 0; h < 2 && (rows || places); h++) {
		u32 half = m & 0xffffu << 16 * h;
		bool row, place;

		if (!half)
			continue;
		half_shape(o, h, half, &start[h], &row, &place);
		rows &= row;
		places &= place;
	}
	vgpu_shape_set(s, shape, reg, m, start, rows, places);
}

/* ---- lane by lane ---------------------------------------------------------------- */

/*
 * Offsets of elements of @size bytes; those of inactive lanes are the first active one's. False:
 * one is not inside shared memory, or not aligned.
 */
static inline bool find_offsets(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				u32 size, u32 *o)
{
	const u32 *a = s->warp->regs + i->a * VGPU_LANES;
	u32 imm = (u32)i->imm, first = a[__builtin_ctz(m)] + imm;
	words bad = {};

	if (s->shared_bytes < size)
		return false;
#pragma GCC unroll 8
	for (u32 n = 0; n < VGPU_LANES / WORDS; n++) {
		words to = ((const words *)a)[n] + imm;

		if (m != ~0u)
			to = (to & active(m, n)) | (first & ~active(m, n));
		bad |= (words)(to > s->shared_bytes - size) | (to & (size - 1));
		((words *)o)[n] = to;
	}
	return is_zero(bad);
}

#define AT(type, l)	((u32)*(const type *)(from + o[l]))
#define FOUR(type, l)	AT(type, l), AT(type, (l) + 1), AT(type, (l) + 2), AT(type, (l) + 3)
#if BYTES == 32
#define VECTOR(type, l)	((words){ FOUR(type, l), FOUR(type, (l) + 4) })
#else
#define VECTOR(type, l)	((words){ FOUR(type, l) })
#endif
#define LOAD(name, type)									\
	static inline void name(u32 *to, const u8 *from, const u32 *o, u32 m)			\
	{											\
		_Pragma("GCC unroll 8") for (u32 n = 0; n < VGPU_LANES / WORDS; n++)		\
			put(to, m, n, VECTOR(type, n * WORDS));					\
	}
LOAD(load_u8, u8)
LOAD(load_s8, s8)
LOAD(load_u16, u16)
LOAD(load_s16, s16)
LOAD(load_u32, u32)

/* To registers: those of lanes in @m */
static void load(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, const u32 *o)
{
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;
	const u8 *from = s->shared;

	if (VGPU_F_SIZE(i->flags) == 8) {
		for (u32 left = m; left; left &= left - 1) {
			u32 l = (u32)__builtin_ctz(left);

			((u64 *)to)[l] = *(const u64 *)(from + o[l]);
		}
		return;
	}
	switch (i->flags & (3 | VGPU_F_SEXT)) {
	case 0:
		load_u8(to, from, o, m);
		break;
	case VGPU_F_SEXT:
		load_s8(to, from, o, m);
		break;
	case 1:
		load_u16(to, from, o, m);
		break;
	case 1 | VGPU_F_SEXT:
		load_s16(to, from, o, m);
		break;
	default:
		load_u32(to, from, o, m);
	}
}

/* Of lanes at one place the highest wins. */
#define STORE(type, wider)									\
	for (u32 left = m; left; left &= left - 1) {						\
		u32 l = (u32)__builtin_ctz(left);						\
												\
		*(type *)(to + o[l]) = (type)((const wider *)from)[l];				\
	}

static void store(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, const u32 *o)
{
	const u32 *from = s->warp->regs + i->b * VGPU_LANES;
	u8 *to = s->shared;

	switch (i->flags & 3) {
	case 0:
		STORE(u8, u32);
		break;
	case 1:
		STORE(u16, u32);
		break;
	case 2:
		STORE(u32, u32);
		break;
	default:
		STORE(u64, u64);
	}
}

static u32 shared_any(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 o[VGPU_LANES] __attribute__((aligned(64)));

	if (!find_offsets(s, i, m, VGPU_F_SIZE(i->flags), o))
		return vgpu_native_interpret(s, i, m);
	if (i->op == VGPU_OP_LDS)
		load(s, i, m, o);
	else
		store(s, i, m, o);
	return 0;
}

u32 SHARED(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, struct shape *shape)
{
	if (shape->kind == SHAPE_UNKNOWN) {
		find_shape(s, shape, i->a, m);
		if (vgpu_shape_has_code(shape, i))
			return SHARED_AGAIN;
	}
	return shared_any(s, i, m) ? SHARED_LEAVE : SHARED_DONE;
}

/* ---- what is no access ------------------------------------------------------------- */

/* t / by, rounded down, as small_div() of lanes/sreg.h: exact */
static inline words small_quotient(words t, u32 by)
{
	typedef s32 integers __attribute__((vector_size(BYTES)));
	typedef float floats __attribute__((vector_size(BYTES)));

	floats v = (__builtin_convertvector((integers)t, floats) + 0.5f) * (1.0f / (float)by);

	return (words)__builtin_convertvector(v, integers);
}

/* TID of a block that is no single row */
static u32 thread_index(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 *to = s->warp->regs + i->dst * VGPU_LANES, axis = (u32)i->imm - VGPU_SR_TID_X;
	const u32 *size = s->launch->block;
	words lane = ((const words *)offsets)[0] / 4;

#pragma GCC unroll 8
	for (u32 n = 0; n < VGPU_LANES / WORDS; n++) {
		words t = lane + (s->warp->index * VGPU_LANES + n * WORDS);
		words line = small_quotient(t, size[0]), plane;

		if (axis == 0) {
			t -= line * size[0];
		} else {
			plane = small_quotient(line, size[1]);
			t = axis == 1 ? line - plane * size[1] : plane;
		}
		put(to, m, n, t);
	}
	return 0;
}

static u32 count_bits(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const words *from = (const words *)(s->warp->regs + i->a * VGPU_LANES);

#pragma GCC unroll 8
	for (u32 n = 0; n < VGPU_LANES / WORDS; n++) {
		words v = from[n];

		v -= v >> 1 & 0x55555555u;
		v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
		v = (v + (v >> 4)) & 0x0f0f0f0fu;
		v += v >> 8;
		v += v >> 16;
		put(s->warp->regs + i->dst * VGPU_LANES, m, n, v & 63);
	}
	return 0;
}

native_access *FUNCTION_OF(const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_LDS:
	case VGPU_OP_STS:
		return VGPU_F_COUNT(i->flags) > 1 || i->flags & VGPU_F_ABS ? NULL : shared_any;
	case VGPU_OP_SREG:
		return i->imm <= VGPU_SR_TID_Z ? thread_index : NULL;
	case VGPU_OP_POPC:
		return count_bits;
	}
	return NULL;
}
