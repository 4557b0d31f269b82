// SPDX-License-Identifier: MIT
/*
 * Loads and stores of generated code; see access.h. Compiled for AVX-512. What is counted and
 * checked is what lanes_place.h and lanes_mem.h of sim-device/sm count and check; unusual cases are
 * left to them. Sixteen lanes (eight of 64 bits) are a row, which is one vector in memory, or at
 * one place, or taken one by one, which on some processors is faster than to gather.
 */
#include "pages_avx512.h"

/* ---- loads -------------------------------------------------------------------- */

/*
 * Addresses in @p are loaded from there one by one, and not taken out of the vectors that were
 * stored: that takes several times as long.
 */
#define IN_MEMORY(p)	__asm__("" : "+m"(p))

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

/* Sixteen words, of which those in @k are used, at least one, at @base + @o */
lanes_inline v16 half4(const u8 *base, v16 o, __mmask16 k)
{
	u64 p[16] __attribute__((aligned(64)));
	u32 start;

	if (row(o, k, 2, &start))
		return _mm512_maskz_loadu_epi32(k, base + (s32)start);
	if (same(o, k, &start))
		return _mm512_set1_epi32(*(const int *)(base + start));
	_mm512_store_si512(p, addresses(base, _mm512_castsi512_si256(o), (__mmask8)k, start));
	_mm512_store_si512(p + 8, addresses(base, _mm512_extracti64x4_epi64(o, 1),
					    (__mmask8)(k >> 8), start));
	IN_MEMORY(p);
	return words_at(p);
}

lanes_inline v16 quarter8(const u8 *base, __m256i o, __mmask8 k)
{
	u64 p[8] __attribute__((aligned(64)));
	v16 wide = _mm512_castsi256_si512(o);
	u32 start;

	if (row(wide, k, 3, &start))
		return _mm512_maskz_loadu_epi64(k, base + (s32)start);
	if (same(wide, k, &start))
		return _mm512_set1_epi64(*(const long long *)(base + start));
	_mm512_store_si512(p, addresses(base, o, k, start));
	IN_MEMORY(p);
	return quads_at(p);
}

lanes_inline void load4(const struct where *w, u32 m, u32 offset, u32 *to)
{
	UNROLL for (u32 h = 0; h < 2; h++) {
		__mmask16 k = half_of(m, h);

		if (k)
			put(to + 16 * h, k, half4(w->base + offset, w->o[h], k));
	}
}

lanes_inline __m256i quarter(const struct where *w, u32 q)
{
	return q & 1 ? _mm512_extracti64x4_epi64(w->o[q / 2], 1) :
		       _mm512_castsi512_si256(w->o[q / 2]);
}

lanes_inline void load8(const struct where *w, u32 m, u32 offset, u64 *to)
{
	UNROLL for (u32 q = 0; q < 4; q++) {
		__mmask8 k = quarter_of(m, q);

		if (k)
			putq(to + 8 * q, k, quarter8(w->base + offset, quarter(w, q), k));
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

static u32 load_anywhere(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;
	u64 p[VGPU_LANES] __attribute__((aligned(64)));

	if (size < 4 || i->flags & VGPU_F_ABS || !anywhere(s, i, m, size * count, false, p))
		return 1;
	for (u32 n = 0; n < count; n++) {
		if (n)
			UNROLL for (u32 q = 0; q < 4; q++)
				_mm512_store_si512(p + 8 * q,
						   _mm512_add_epi64(_mm512_load_si512(p + 8 * q),
								    _mm512_set1_epi64(size)));
		IN_MEMORY(p);
		if (size == 8)
			for (u32 q = 0; q < 4; q++)
				putq((u64 *)(to + 2 * n * VGPU_LANES) + 8 * q, quarter_of(m, q),
				     quads_at(p + 8 * q));
		else
			for (u32 h = 0; h < 2; h++)
				if (half_of(m, h))
					put(to + n * VGPU_LANES + 16 * h, half_of(m, h),
					    words_at(p + 16 * h));
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

/* ---- what has no translation ---------------------------------------------------- */

/* Is the page there without a look at more than the TLB and what is held? */
static bool is_there(const struct vgpu_lanes *s, u64 page, bool write)
{
	const struct vgpu_tlb_entry *held;

	if (tlb_page(s, page, write))
		return true;
	held = vgpu_lanes_held(s, page);
	return held && (held->write || !write);
}

bool vgpu_native_missing(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 bytes = VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags), bad = 0;
	bool write = i->op == VGPU_OP_STG || i->op == VGPU_OP_ST;
	u64 wrong = ~(u64)(VGPU_ADDRESS_LIMIT - 1) | (bytes - 1);
	v16 last, at;

	_Static_assert(!(VGPU_ADDRESS_LIMIT & (VGPU_ADDRESS_LIMIT - 1)), "bits beyond it");
	if (i->flags & VGPU_F_ABS)
		return false;
	last = _mm512_set1_epi64((s64)(reg64(s, i->a)[31 - (u32)__builtin_clz(m)]));
	UNROLL for (u32 q = 0; q < 4; q++) {
		at = _mm512_mask_mov_epi64(last, quarter_of(m, q),
					   _mm512_load_si512(reg64(s, i->a) + 8 * q));
		at = _mm512_add_epi64(at, _mm512_set1_epi64((s64)i->imm));
		bad |= _mm512_test_epi64_mask(at, _mm512_set1_epi64((s64)wrong));
		_mm512_store_si512(s->addr + 8 * q, at);
	}
	if (bad)
		return false;
	for (u32 left = m; left;) {
		u32 lane = (u32)__builtin_ctz(left);
		u64 page = s->addr[lane] >> VGPU_PAGE_SHIFT;

		if (!is_there(s, page, write)) {
			s->reason = VGPU_FAULT_UNMAPPED;
			s->lane = lane;
			s->address = s->addr[lane];
			s->bytes = bytes;
			s->write = write;
			s->accessing = m;
			s->atomic = false;
			return true;
		}
		UNROLL for (u32 q = 0; q < 4; q++)
			left &= ~((u32)_mm512_cmpeq_epi64_mask(
					  _mm512_srli_epi64(_mm512_load_si512(s->addr + 8 * q),
							    VGPU_PAGE_SHIFT),
					  _mm512_set1_epi64((s64)page))
				  << 8 * q);
	}
	return false;
}

/* ---- what generated code calls ------------------------------------------------ */

/* Sixteen words, or eight pairs of them, some of which lie behind the end of the page */
lanes_inline v16 half4_of_two(const struct near *n, v16 o, __mmask16 behind, u32 offset)
{
	u64 p[16] __attribute__((aligned(64)));

	_mm512_store_si512(p, at_either(n, _mm512_castsi512_si256(o), (__mmask8)behind, offset));
	_mm512_store_si512(p + 8, at_either(n, _mm512_extracti64x4_epi64(o, 1),
					    (__mmask8)(behind >> 8), offset));
	IN_MEMORY(p);
	return words_at(p);
}

lanes_inline v16 quarter8_of_two(const struct near *n, __m256i o, __mmask8 behind, u32 offset)
{
	u64 p[8] __attribute__((aligned(64)));

	_mm512_store_si512(p, at_either(n, o, behind, offset));
	IN_MEMORY(p);
	return quads_at(p);
}

lanes_inline void load_of_two(const struct near *n, u32 m, u32 size, u32 offset, u32 *to)
{
	if (size == 4)
		UNROLL for (u32 h = 0; h < 2; h++) {
			__mmask16 k = half_of(m, h), behind = half_of(n->behind, h) & k;

			if (k)
				put(to + 16 * h, k,
				    !behind	? half4(n->w.base + offset, n->w.o[h], k) :
				    behind == k ? half4(n->next + offset, n->w.o[h], k) :
						  half4_of_two(n, n->w.o[h], behind, offset));
		}
	else
		UNROLL for (u32 q = 0; q < 4; q++) {
			__mmask8 k = quarter_of(m, q), behind = quarter_of(n->behind, q) & k;

			if (k)
				putq((u64 *)to + 8 * q, k,
				     quarter8_of_two(n, quarter(&n->w, q), behind, offset));
		}
}

/* Words of generic or global memory, all addresses of which are a register and the immediate */
lanes_inline u32 load_words(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u32 size,
			    u32 count)
{
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;
	struct near n;

	switch (in_next_bytes(s, i, m, size * count, &n)) {
	case ABSENT:
		return 1;
	case FAR:
		return load_anywhere(s, i, m);
	case FOUND:
		break;
	}
	if (n.behind)
		for (u32 e = 0; e < count; e++)
			load_of_two(&n, m, size, size * e, to + e * (size / 4) * VGPU_LANES);
	else
		load_elements(s, i, m, &n.w, size, count);
	return 0;
}

#define LOAD(name, space, size_, count_)							\
	static u32 name(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)			\
	{											\
		struct where w;									\
												\
		if (space <= GLOBAL && (size_) >= 2 && !(i->flags & VGPU_F_ABS) &&		\
		    (space == GLOBAL || !in_window_of_sm(s, i, m)))				\
			return load_words(s, i, m, 1u << (size_), 1u << (count_));		\
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
