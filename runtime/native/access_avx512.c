// SPDX-License-Identifier: MIT
/*
 * Loads and stores of generated code; see access.h. Compiled for AVX-512. What is counted and
 * checked is what lanes_place.h and lanes_mem.h of sim-device/sm count and check; unusual cases are
 * left to them. Sixteen lanes (eight of 64 bits) are a row, which is one vector in memory, or at
 * one place, or taken one by one, which on some processors is faster than to gather.
 */
#include "where_avx512.h"

/* ---- loads -------------------------------------------------------------------- */

#define WORD(n)	(*(const int *)(uintptr_t)p[n])
#define QUAD(n)	(*(const long long *)(uintptr_t)p[n])

/* The words at sixteen addresses, at eight */
lanes_inline v16 words_at(const u64 *p)
{
	return _mm512_set_epi32(WORD(15), WORD(14), WORD(13), WORD(12), WORD(11), WORD(10), WORD(9),
				WORD(8), WORD(7), WORD(6), WORD(5), WORD(4), WORD(3), WORD(2),
				WORD(1), WORD(0));
}

lanes_inline v16 quads_at(const u64 *p)
{
	return _mm512_set_epi64(QUAD(7), QUAD(6), QUAD(5), QUAD(4), QUAD(3), QUAD(2), QUAD(1),
				QUAD(0));
}

/* Addresses of eight lanes; those that are not in @k have the one at @other. */
lanes_inline v16 addresses(const u8 *base, __m256i o, __mmask8 k, u32 other)
{
	o = _mm256_mask_mov_epi32(_mm256_set1_epi32((int)other), k, o);
	return _mm512_add_epi64(_mm512_cvtepu32_epi64(o), _mm512_set1_epi64((s64)(uintptr_t)base));
}

lanes_inline void load4(const struct where *w, u32 m, u32 offset, u32 *to)
{
	UNROLL for (u32 h = 0; h < 2; h++) {
		__mmask16 k = half_of(m, h);
		const u8 *base = w->base + offset;
		v16 v;
		u32 start;

		if (!k)
			continue;
		if (row(w->o[h], k, 2, &start)) {
			v = _mm512_maskz_loadu_epi32(k, base + (s32)start);
		} else if (same(w->o[h], k, &start)) {
			v = _mm512_set1_epi32(*(const int *)(base + start));
		} else {
			u64 p[16] __attribute__((aligned(64)));

			_mm512_store_si512(p, addresses(base, _mm512_castsi512_si256(w->o[h]),
							(__mmask8)k, start));
			_mm512_store_si512(p + 8,
					   addresses(base, _mm512_extracti64x4_epi64(w->o[h], 1),
						     (__mmask8)(k >> 8), start));
			v = words_at(p);
		}
		put(to + 16 * h, k, v);
	}
}

lanes_inline __m256i quarter(const struct where *w, u32 q)
{
	return q & 1 ? _mm512_extracti64x4_epi64(w->o[q / 2], 1) :
		       _mm512_castsi512_si256(w->o[q / 2]);
}

lanes_inline void load8(const struct where *w, u32 m, u32 offset, u64 *to)
{
	const u8 *base = w->base + offset;

	UNROLL for (u32 q = 0; q < 4; q++) {
		v16 o = _mm512_castsi256_si512(quarter(w, q)), v;
		__mmask8 k = quarter_of(m, q);
		u32 start;

		if (!k)
			continue;
		if (row(o, k, 3, &start)) {
			v = _mm512_maskz_loadu_epi64(k, base + (s32)start);
		} else if (same(o, k, &start)) {
			v = _mm512_set1_epi64(*(const long long *)(base + start));
		} else {
			u64 p[8] __attribute__((aligned(64)));

			_mm512_store_si512(p,
					   addresses(base, _mm512_castsi512_si256(o), k, start));
			v = quads_at(p);
		}
		putq(to + 8 * q, k, v);
	}
}

/* Bytes and pairs of them, from the words around them */
lanes_inline void load_small(const struct where *w, u32 m, u32 size, bool sext, u32 *to)
{
	UNROLL for (u32 h = 0; h < 2; h++) {
		__mmask16 k = half_of(m, h);
		v16 low = _mm512_and_si512(w->o[h], _mm512_set1_epi32(3)), v, left;
		u32 start;

		if (!k)
			continue;
		if (k == 0xffff && row(w->o[h], k, size == 1 ? 0 : 1, &start)) {
			const u8 *p = w->base + start;

			if (size == 1)
				v = sext ? _mm512_cvtepi8_epi32(
						   _mm_loadu_si128((const __m128i *)p)) :
					   _mm512_cvtepu8_epi32(
						   _mm_loadu_si128((const __m128i *)p));
			else
				v = sext ? _mm512_cvtepi16_epi32(
						   _mm256_loadu_si256((const __m256i *)p)) :
					   _mm512_cvtepu16_epi32(
						   _mm256_loadu_si256((const __m256i *)p));
			put(to + 16 * h, k, v);
			continue;
		}
		v = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), k,
						_mm512_andnot_si512(_mm512_set1_epi32(3), w->o[h]),
						w->base, 1);
		/* to the top and back */
		left = _mm512_sub_epi32(_mm512_set1_epi32((int)(32 - 8 * size)),
					_mm512_slli_epi32(low, 3));
		v = _mm512_sllv_epi32(v, left);
		v = sext ? _mm512_srai_epi32(v, 32 - 8 * size) :
			   _mm512_srli_epi32(v, 32 - 8 * size);
		put(to + 16 * h, k, v);
	}
}

/* Elements, each lane's behind each other */
lanes_inline void load_elements(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				const struct where *w, u32 size, u32 count)
{
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;

	for (u32 n = 0; n < count; n++) {
		if (size == 8) {
			load8(w, m, 8 * n, (u64 *)(to + 2 * n * VGPU_LANES));
		} else if (size == 4) {
			load4(w, m, 4 * n, to + n * VGPU_LANES);
		} else {
			struct where here = *w;

			for (u32 h = 0; h < 2; h++)
				here.o[h] = _mm512_add_epi32(w->o[h],
							     _mm512_set1_epi32((int)(size * n)));
			load_small(&here, m, size, i->flags & VGPU_F_SEXT, to + n * VGPU_LANES);
		}
	}
}

/* ---- stores ------------------------------------------------------------------- */

lanes_inline void store4(const struct where *w, u32 m, u32 offset, const u32 *from)
{
	u8 *base = w->base + offset;

	UNROLL for (u32 h = 0; h < 2; h++) {
		__mmask16 k = half_of(m, h);
		v16 v = _mm512_load_si512(from + 16 * h);
		u32 start;

		if (!k)
			continue;
		if (row(w->o[h], k, 2, &start))
			_mm512_mask_storeu_epi32(base + (s32)start, k, v);
		else if (same(w->o[h], k, &start))
			*(u32 *)(base + start) = from[16 * h + 31 - (u32)__builtin_clz(k)];
		else	/* the highest lane wins */
			_mm512_mask_i32scatter_epi32(base, k, w->o[h], v, 1);
	}
}

lanes_inline void store8(const struct where *w, u32 m, u32 offset, const u64 *from)
{
	u8 *base = w->base + offset;

	UNROLL for (u32 q = 0; q < 4; q++) {
		v16 o = _mm512_castsi256_si512(quarter(w, q)), v = _mm512_load_si512(from + 8 * q);
		__mmask8 k = quarter_of(m, q);
		u32 start;

		if (!k)
			continue;
		if (row(o, k, 3, &start))
			_mm512_mask_storeu_epi64(base + (s32)start, k, v);
		else
			_mm512_mask_i32scatter_epi64(base, k, _mm512_castsi512_si256(o), v, 1);
	}
}

lanes_inline void store_small(const struct where *w, u32 m, u32 size, u32 offset, const u32 *from)
{
	u32 o[VGPU_LANES] __attribute__((aligned(64))), start[2] = { 0, 0 };
	u8 *base = w->base + offset;
	bool rows = true;

	UNROLL for (u32 h = 0; h < 2; h++)
		rows &= !half_of(m, h) ||
			row(w->o[h], half_of(m, h), size == 1 ? 0 : 1, &start[h]);
	if (rows) {
		for (u32 h = 0; h < 2; h++) {
			v16 v = _mm512_load_si512(from + 16 * h);

			if (!half_of(m, h))
				continue;
			if (size == 1)
				_mm512_mask_cvtepi32_storeu_epi8(base + (s32)start[h],
								 half_of(m, h), v);
			else
				_mm512_mask_cvtepi32_storeu_epi16(base + (s32)start[h],
								  half_of(m, h), v);
		}
		return;
	}
	_mm512_store_si512(o, w->o[0]);
	_mm512_store_si512(o + 16, w->o[1]);
	for (u32 left = m; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		if (size == 1)
			base[o[l]] = (u8)from[l];
		else
			*(u16 *)(base + o[l]) = (u16)from[l];
	}
}

lanes_inline void store_elements(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				 const struct where *w, u32 size, u32 count)
{
	const u32 *from = reg32(s, i->b);

	for (u32 n = 0; n < count; n++) {
		if (size == 8)
			store8(w, m, 8 * n, (const u64 *)(from + 2 * n * VGPU_LANES));
		else if (size == 4)
			store4(w, m, 4 * n, from + n * VGPU_LANES);
		else
			store_small(w, m, size, size * n, from + n * VGPU_LANES);
	}
}

/* ---- lanes in several pages --------------------------------------------------- */

/* How many different ones, of all lanes */
static u32 different(v16 low, v16 high)
{
	__mmask16 again_low, again_high;
	v16 found;

	found = _mm512_conflict_epi32(low);
	again_low = _mm512_test_epi32_mask(found, found);
	found = _mm512_conflict_epi32(high);
	again_high = _mm512_test_epi32_mask(found, found);
#define TURN(n) again_high |= _mm512_cmpeq_epi32_mask(high, _mm512_alignr_epi32(low, low, n))
	TURN(0); TURN(1); TURN(2); TURN(3); TURN(4); TURN(5); TURN(6); TURN(7);
	TURN(8); TURN(9); TURN(10); TURN(11); TURN(12); TURN(13); TURN(14); TURN(15);
#undef TURN
	return VGPU_LANES - (u32)__builtin_popcount(again_low) -
	       (u32)__builtin_popcount(again_high);
}

/*
 * The same where lanes are in few pages: each is looked up once, and its segments are bits of a
 * word. @at: addresses, aligned. False: they are in more pages, or one has no translation.
 */
lanes_inline bool in_few_pages(struct vgpu_lanes *s, const v16 *at, const u64 *where, bool write,
			       u64 *p)
{
	u32 left = FULL, segments = 0;

	for (u32 pages = 0; left; pages++) {
		u64 page = where[__builtin_ctz(left)] >> VGPU_PAGE_SHIFT;
		u8 *base = tlb_page(s, page, write);
		v16 touched = _mm512_setzero_si512();
		u32 here = 0;

		if (pages == 3 || !base)
			return false;
		UNROLL for (u32 q = 0; q < 4; q++) {
			__mmask8 k = _mm512_mask_cmpeq_epu64_mask(
				quarter_of(left, q), _mm512_srli_epi64(at[q], VGPU_PAGE_SHIFT),
				_mm512_set1_epi64((s64)page));
			v16 segment = _mm512_and_si512(
				_mm512_srli_epi64(at[q], VGPU_SEGMENT_SHIFT),
				_mm512_set1_epi64(31));

			touched = _mm512_mask_or_epi64(
				touched, k, touched,
				_mm512_sllv_epi64(_mm512_set1_epi64(1), segment));
			putq(p + 8 * q, k,
			     _mm512_add_epi64(
				     _mm512_and_si512(at[q],
						      _mm512_set1_epi64(VGPU_PAGE_SIZE - 1)),
				     _mm512_set1_epi64((s64)(uintptr_t)base)));
			here |= (u32)k << 8 * q;
		}
		segments += (u32)__builtin_popcount((u32)_mm512_reduce_or_epi64(touched));
		left &= ~here;
	}
	s->segments += segments;
	return true;
}

/*
 * Addresses of the bytes of all lanes, by the TLB; false: one of them needs more. Lanes that do not
 * execute have the last one's.
 */
static bool anywhere(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u32 bytes, bool write,
		     u64 *p)
{
	u64 last = reg64(s, i->a)[31 - (u32)__builtin_clz(m)] + i->imm, wrong = 0;
	u64 where[VGPU_LANES] __attribute__((aligned(64)));
	v16 at[4], spread = _mm512_setzero_si512();
	u32 bad = 0;

	UNROLL for (u32 q = 0; q < 4; q++) {
		at[q] = _mm512_mask_add_epi64(_mm512_set1_epi64((s64)last), quarter_of(m, q),
					      _mm512_load_si512(reg64(s, i->a) + 8 * q),
					      _mm512_set1_epi64((s64)i->imm));
		_mm512_store_si512(where + 8 * q, at[q]);
		spread = _mm512_or_si512(spread,
					 _mm512_xor_si512(at[q], _mm512_set1_epi64((s64)last)));
		bad |= _mm512_test_epi64_mask(at[q], _mm512_set1_epi64((s64)bytes - 1));
	}
	bad |= _mm512_test_epi64_mask(spread,
				      _mm512_set1_epi64((s64)(~0ull << (VGPU_SEGMENT_SHIFT + 31))));
	if (bad)
		return false;
	if (in_few_pages(s, at, where, write, p))
		return true;
	for (u32 l = 0; l < VGPU_LANES; l++) {
		u64 page = where[l] >> VGPU_PAGE_SHIFT;
		const struct vgpu_tlb_entry *e = &s->tlb[page & (VGPU_TLB_ENTRIES - 1)];
		u8 *base = write ? e->write : e->read;

		wrong |= (e->page ^ page) | !base;
		p[l] = (u64)(uintptr_t)base + (where[l] & (VGPU_PAGE_SIZE - 1));
	}
	if (wrong)
		return false;
	UNROLL for (u32 q = 0; q < 4; q++)
		at[q] = _mm512_srli_epi64(at[q], VGPU_SEGMENT_SHIFT);
	s->segments += different(join(at[0], at[1]), join(at[2], at[3]));
	return true;
}

static u32 load_anywhere(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;
	u64 p[VGPU_LANES] __attribute__((aligned(64)));

	if (size < 4 || i->flags & VGPU_F_ABS || !anywhere(s, i, m, size * count, false, p))
		return 1;
	for (u32 n = 0; n < count; n++) {
		if (size == 8)
			for (u32 q = 0; q < 4; q++)
				putq((u64 *)(to + 2 * n * VGPU_LANES) + 8 * q, quarter_of(m, q),
				     quads_at(p + 8 * q));
		else
			for (u32 h = 0; h < 2; h++)
				put(to + n * VGPU_LANES + 16 * h, half_of(m, h),
				    words_at(p + 16 * h));
		for (u32 l = 0; l < VGPU_LANES; l++)
			p[l] += size;
	}
	s->held = 0;
	return 0;
}

static u32 store_anywhere(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	const u32 *from = reg32(s, i->b);
	u64 p[VGPU_LANES] __attribute__((aligned(64)));

	if (size < 4 || i->flags & VGPU_F_ABS || !anywhere(s, i, m, size * count, true, p))
		return 1;
	/* the highest lane wins */
	for (u32 left = m; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		for (u32 n = 0; n < count; n++) {
			if (size == 8)
				((u64 *)(uintptr_t)p[l])[n] =
					((const u64 *)(from + 2 * n * VGPU_LANES))[l];
			else
				((u32 *)(uintptr_t)p[l])[n] = from[n * VGPU_LANES + l];
		}
	}
	s->held = 0;
	return 0;
}

/* ---- what generated code calls ------------------------------------------------ */

#define LOAD(name, space, size_, count_)							\
	static u32 name(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)			\
	{											\
		struct where w;									\
												\
		if (unlikely(!locate(s, i, m, (1u << (size_)) << (count_), space, false,	\
				     i->flags & VGPU_F_ABS, &w)))				\
			return space <= GLOBAL ? load_anywhere(s, i, m) : 1;			\
		touch(s, &w, m);								\
		load_elements(s, i, m, &w, 1u << (size_), 1u << (count_));			\
		return 0;									\
	}
#define STORE(name, space, size_, count_)							\
	static u32 name(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)			\
	{											\
		struct where w;									\
												\
		if (unlikely(!locate(s, i, m, (1u << (size_)) << (count_), space, true,		\
				     i->flags & VGPU_F_ABS, &w)))				\
			return space <= GLOBAL ? store_anywhere(s, i, m) : 1;			\
		touch(s, &w, m);								\
		store_elements(s, i, m, &w, 1u << (size_), 1u << (count_));			\
		return 0;									\
	}
/* sizes 1, 2, 4, 8; so many of them */
#define SIZES(KIND, name, space)	\
	KIND(name##_1, space, 0, 0)	\
	KIND(name##_2, space, 1, 0)	\
	KIND(name##_4, space, 2, 0)	\
	KIND(name##_8, space, 3, 0)	\
	KIND(name##_4x2, space, 2, 1)	\
	KIND(name##_4x4, space, 2, 2)	\
	KIND(name##_8x2, space, 3, 1)
SIZES(LOAD, load_generic, GENERIC)
SIZES(LOAD, load_global, GLOBAL)
SIZES(LOAD, load_shared, SHARED)
SIZES(LOAD, load_local, LOCAL)
SIZES(STORE, store_generic, GENERIC)
SIZES(STORE, store_global, GLOBAL)
SIZES(STORE, store_shared, SHARED)
SIZES(STORE, store_local, LOCAL)

/* ---- which function ------------------------------------------------------------ */

#define BY_SIZE(name)                                                                        \
	{                                                                                    \
		[0] = name##_1, [1] = name##_2, [2] = name##_4, [3] = name##_8,              \
		[2 | 1 << 2] = name##_4x2, [2 | 2 << 2] = name##_4x4, [3 | 1 << 2] = name##_8x2, \
	}
static native_access *const accesses[8][16] = {
	BY_SIZE(load_generic), BY_SIZE(load_global), BY_SIZE(load_shared), BY_SIZE(load_local),
	BY_SIZE(store_generic), BY_SIZE(store_global), BY_SIZE(store_shared), BY_SIZE(store_local),
};

native_access *vgpu_native_access(const struct vgpu_insn *i)
{
	u32 shape = i->flags & 15;

	switch (i->op) {
	case VGPU_OP_LD: return accesses[0][shape];
	case VGPU_OP_LDG: return accesses[1][shape];
	case VGPU_OP_LDS: return accesses[2][shape];
	case VGPU_OP_LDL: return accesses[3][shape];
	case VGPU_OP_ST: return accesses[4][shape];
	case VGPU_OP_STG: return accesses[5][shape];
	case VGPU_OP_STS: return accesses[6][shape];
	case VGPU_OP_STL: return accesses[7][shape];
	case VGPU_OP_ATOM: return vgpu_native_atomic(i, 0);
	case VGPU_OP_ATOMG: return vgpu_native_atomic(i, 1);
	case VGPU_OP_ATOMS: return vgpu_native_atomic(i, 2);
	}
	return NULL;
}
