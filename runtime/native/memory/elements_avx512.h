/* SPDX-License-Identifier: MIT */
/*
 * Elements of lanes, for access_avx512.c: the lanes' places are known, all in one piece
 * (struct where). Sixteen lanes (eight of 64 bits) are a row, which is one vector in memory, or at
 * one place, or gathered, or taken one by one, which on most processors is faster.
 */
#ifndef VGPU_NATIVE_ELEMENTS_AVX512_H
#define VGPU_NATIVE_ELEMENTS_AVX512_H

#include "where_avx512.h"

/* ---- loads -------------------------------------------------------------------- */

/*
 * Addresses in @p are loaded from there one by one, and not taken out of the vectors that were
 * stored: that takes several times as long.
 */
#define IN_MEMORY(p)	__asm__("" : "+m"(p))

/*
 * To gather is faster: on Intel's processors from Sapphire Rapids on. Those before have been made
 * slow by what keeps others from seeing what is gathered, and AMD's always were.
 */
lanes_inline bool gathers(void)
{
	return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512bf16") &&
	       __builtin_cpu_supports("avx512vbmi2");
}

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

/* The same, by vectors of addresses which are there */
lanes_inline v16 words_of(const u64 *p)
{
	__m256i low, high;

	if (!gathers())
		return words_at(p);
	low = _mm512_i64gather_epi32(_mm512_load_si512(p), NULL, 1);
	high = _mm512_i64gather_epi32(_mm512_load_si512(p + 8), NULL, 1);
	return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

lanes_inline v16 quads_of(const u64 *p)
{
	return gathers() ? _mm512_i64gather_epi64(_mm512_load_si512(p), NULL, 1) : quads_at(p);
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
	if (gathers())
		return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), k, o, base, 1);
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
	if (gathers())
		return _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), k, o, base, 1);
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

/* Sixteen bytes, or pairs of them, in a row, of which those in @k are read */
lanes_inline v16 bytes_at(const u8 *p, __mmask16 k, bool sext)
{
	__m128i v = _mm_maskz_loadu_epi8(k, p);

	return sext ? _mm512_cvtepi8_epi32(v) : _mm512_cvtepu8_epi32(v);
}

lanes_inline v16 pairs_at(const u8 *p, __mmask16 k, bool sext)
{
	__m256i v = _mm256_maskz_loadu_epi16(k, p);

	return sext ? _mm512_cvtepi16_epi32(v) : _mm512_cvtepu16_epi32(v);
}

/* Bytes and pairs of them, in other places from the words around them */
lanes_inline void load_small(const struct where *w, u32 m, u32 size, bool sext, u32 *to)
{
	UNROLL for (u32 h = 0; h < 2; h++) {
		__mmask16 k = half_of(m, h);
		v16 low = _mm512_and_si512(w->o[h], _mm512_set1_epi32(3)), v, left;
		u32 start;

		if (!k)
			continue;
		if (row(w->o[h], k, size == 1 ? 0 : 1, &start)) {
			const u8 *p = w->base + (s32)start;

			put(to + 16 * h, k,
			    size == 1 ? bytes_at(p, k, sext) : pairs_at(p, k, sext));
			continue;
		}
		if (same(w->o[h], k, &start)) {
			const u8 *p = w->base + start;
			u32 one = size == 1 ? *p : *(const u16 *)p;

			if (sext)
				one = size == 1 ? (u32)(s8)one : (u32)(s16)one;
			put(to + 16 * h, k, _mm512_set1_epi32((int)one));
			continue;
		}
		v = half4(w->base, _mm512_andnot_si512(_mm512_set1_epi32(3), w->o[h]), k);
		/* to the top and back */
		left = _mm512_sub_epi32(_mm512_set1_epi32((int)(32 - 8 * size)),
					_mm512_slli_epi32(low, 3));
		v = _mm512_sllv_epi32(v, left);
		v = sext ? _mm512_srai_epi32(v, 32 - 8 * size) :
			   _mm512_srli_epi32(v, 32 - 8 * size);
		put(to + 16 * h, k, v);
	}
}

/* Eight words of 64 bits, of their low and high halves */
lanes_inline v16 pairs_of(const u32 *low, const u32 *high)
{
	v16 l = _mm512_cvtepu32_epi64(_mm256_load_si256((const __m256i *)low));
	v16 h = _mm512_cvtepu32_epi64(_mm256_load_si256((const __m256i *)high));

	return _mm512_or_si512(l, _mm512_slli_epi64(h, 32));
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

/*
 * The same in local memory, where a lane's words are VGPU_LOCAL_ROW apart. Less than a word is as
 * elsewhere.
 */
lanes_inline void load_local(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			     const struct where *w, u32 size, u32 count)
{
	u32 words[2 * VGPU_LANES] __attribute__((aligned(64)));
	u32 *to = s->warp->regs + i->dst * VGPU_LANES;

	if (size < 4)
		load_elements(s, i, m, w, size, count);
	else if (size == 4)
		for (u32 n = 0; n < count; n++)
			load4(w, m, VGPU_LOCAL_ROW * n, to + n * VGPU_LANES);
	else
		for (u32 n = 0; n < count; n++) {
			u64 *quads = (u64 *)(to + 2 * n * VGPU_LANES);

			load4(w, m, VGPU_LOCAL_ROW * 2 * n, words);
			load4(w, m, VGPU_LOCAL_ROW * (2 * n + 1), words + VGPU_LANES);
			UNROLL for (u32 q = 0; q < 4; q++)
				putq(quads + 8 * q, quarter_of(m, q),
				     pairs_of(words + 8 * q, words + VGPU_LANES + 8 * q));
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

lanes_inline void store_local(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			      const struct where *w, u32 size, u32 count)
{
	u32 words[2 * VGPU_LANES] __attribute__((aligned(64)));
	const u32 *from = reg32(s, i->b);

	if (size < 4)
		store_elements(s, i, m, w, size, count);
	else if (size == 4)
		for (u32 n = 0; n < count; n++)
			store4(w, m, VGPU_LOCAL_ROW * n, from + n * VGPU_LANES);
	else
		for (u32 n = 0; n < count; n++) {
			const u64 *quads = (const u64 *)(from + 2 * n * VGPU_LANES);

			UNROLL for (u32 q = 0; q < 4; q++) {
				v16 v = _mm512_load_si512(quads + 8 * q);

				_mm256_store_si256((__m256i *)words + q, _mm512_cvtepi64_epi32(v));
				_mm256_store_si256((__m256i *)words + 4 + q,
						   _mm512_cvtepi64_epi32(
							   _mm512_srli_epi64(v, 32)));
			}
			store4(w, m, VGPU_LOCAL_ROW * 2 * n, words);
			store4(w, m, VGPU_LOCAL_ROW * (2 * n + 1), words + VGPU_LANES);
		}
}

#endif
