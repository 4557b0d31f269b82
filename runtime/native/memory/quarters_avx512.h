/* SPDX-License-Identifier: MIT */
/*
 * Lanes in several pages of which eight at a time are a row of elements, or at one place: those of
 * a block that is 8 or 16 threads wide, mostly. For access_avx512.c. Each quarter of the warp needs
 * one look at the TLB, and one vector or element of memory.
 */
#ifndef VGPU_NATIVE_QUARTERS_AVX512_H
#define VGPU_NATIVE_QUARTERS_AVX512_H

#include "pages_avx512.h"

/*
 * struct quarters - where the elements of the quarters lie that have active lanes: @at is the place
 * of the lowest lane of a row, active or not, or the one place
 */
struct quarters {
	u8 *at[4];
	bool row[4];
};

/* An address that no lane has */
#define NOWHERE	(~0ull)

/*
 * Elements of @size bytes. Where they are FOUND their segments are counted. ABSENT: a page has no
 * translation. FAR: a quarter does not lie so, or in two pages.
 */
lanes_inline enum found in_quarters(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				    u32 size, bool write, struct quarters *to)
{
	u64 first[4], last[4];
	u32 again, unused = 0;
	v16 segments;

	*to = (struct quarters){ 0 };
	UNROLL for (u32 q = 0; q < 4; q++) {
		__mmask8 k = quarter_of(m, q);
		u32 low = (u32)__builtin_ctz(k | 0x100u) & 7;
		u32 high = 31 - (u32)__builtin_clz(k | 1u);
		u64 lowest = reg64(s, i->a)[8 * q + low];
		v16 from, row;
		u8 *page;

		first[q] = last[q] = NOWHERE;
		if (!k) {
			unused++;
			continue;
		}
		from = _mm512_sub_epi64(_mm512_load_si512(reg64(s, i->a) + 8 * q),
					_mm512_set1_epi64((s64)lowest));
		row = _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
					 _mm512_set1_epi64(size));
		row = _mm512_sub_epi64(row, _mm512_set1_epi64(low * size));
		to->row[q] = !_mm512_mask_cmpneq_epi64_mask(k, from, row);
		if (!to->row[q] && _mm512_mask_test_epi64_mask(k, from, from))
			return FAR;
		lowest += i->imm;
		first[q] = lowest;
		last[q] = to->row[q] ? lowest + (high - low) * size : lowest;
		if (lowest & (size - 1) || (first[q] ^ last[q]) >> VGPU_PAGE_SHIFT)
			return FAR;
		page = tlb_page(s, lowest >> VGPU_PAGE_SHIFT, write);
		if (!page)
			return ABSENT;
		to->at[q] = page + (lowest & (VGPU_PAGE_SIZE - 1));
		if (to->row[q])
			to->at[q] -= low * size;
	}
	segments = _mm512_srli_epi64(_mm512_set_epi64((s64)last[3], (s64)first[3], (s64)last[2],
						      (s64)first[2], (s64)last[1], (s64)first[1],
						      (s64)last[0], (s64)first[0]),
				     VGPU_SEGMENT_SHIFT);
	segments = _mm512_conflict_epi64(segments);
	again = _mm512_test_epi64_mask(segments, segments);
	s->segments += 8 - (u32)__builtin_popcount(again) - (unused > 0);
	return FOUND;
}

/* The words of quarter @q, those in @k */
lanes_inline __m256i words_of_quarter(const struct quarters *n, u32 q, __mmask8 k)
{
	return !k	   ? _mm256_setzero_si256() :
	       n->row[q] ? _mm256_maskz_loadu_epi32(k, n->at[q]) :
			   _mm256_set1_epi32(*(const int *)n->at[q]);
}

lanes_inline void load_quarters(const struct quarters *n, u32 m, u32 size, u32 *to)
{
	if (size == 4) {
		UNROLL for (u32 h = 0; h < 2; h++) {
			v16 v = _mm512_castsi256_si512(
				words_of_quarter(n, 2 * h, quarter_of(m, 2 * h)));

			put(to + 16 * h, half_of(m, h),
			    _mm512_inserti64x4(v,
					       words_of_quarter(n, 2 * h + 1,
								quarter_of(m, 2 * h + 1)),
					       1));
		}
		return;
	}
	UNROLL for (u32 q = 0; q < 4; q++) {
		__mmask8 k = quarter_of(m, q);

		if (k)
			putq((u64 *)to + 8 * q, k,
			     n->row[q] ? _mm512_maskz_loadu_epi64(k, n->at[q]) :
					 _mm512_set1_epi64(*(const long long *)n->at[q]));
	}
}

/* Of lanes at one place the highest wins. */
lanes_inline void store_quarters(const struct quarters *n, u32 m, u32 size, const u32 *from)
{
	UNROLL for (u32 q = 0; q < 4; q++) {
		__mmask8 k = quarter_of(m, q);
		u32 high = 8 * q + 31 - (u32)__builtin_clz(k | 1u);

		if (!k)
			continue;
		if (n->row[q] && size == 4)
			_mm256_mask_storeu_epi32(n->at[q], k,
						 _mm256_load_si256((const void *)(from + 8 * q)));
		else if (n->row[q])
			_mm512_mask_storeu_epi64(n->at[q], k,
						 _mm512_load_si512((const u64 *)from + 8 * q));
		else if (size == 4)
			*(u32 *)n->at[q] = from[high];
		else
			*(u64 *)n->at[q] = ((const u64 *)from)[high];
	}
}

#endif
