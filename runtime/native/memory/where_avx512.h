/* SPDX-License-Identifier: MIT */
/*
 * Where the bytes of an access lie: for the files of native/ that are compiled for AVX-512. All
 * lanes are looked at in one piece: a page, shared memory, or the warp's local memory. Their places
 * are offsets from where that begins.
 */
#ifndef VGPU_NATIVE_WHERE_AVX512_H
#define VGPU_NATIVE_WHERE_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "access.h"

#define FULL	0xffffffffu
#define UNROLL	_Pragma("GCC unroll 4")
/* sizes and spaces are constants where these are used */
#define lanes_inline	static inline __attribute__((always_inline))

typedef __m512i v16;

/** struct where - @base + 32-bit offsets of the lanes; what inactive lanes have is not used */
struct where {
	u8 *base;
	v16 o[2];
	bool page;
};

lanes_inline const u32 *reg32(const struct vgpu_lanes *s, u32 n)
{
	return s->warp->regs + n * VGPU_LANES;
}

lanes_inline const u64 *reg64(const struct vgpu_lanes *s, u32 n)
{
	return (const u64 *)(s->warp->regs + n * VGPU_LANES);
}

lanes_inline v16 iota(void)
{
	return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

lanes_inline __mmask16 half_of(u32 m, u32 h)
{
	return (__mmask16)(m >> 16 * h);
}

lanes_inline __mmask8 quarter_of(u32 m, u32 q)
{
	return (__mmask8)(m >> 8 * q);
}

/* To registers, the elements in @k */
lanes_inline void put(u32 *to, __mmask16 k, v16 v)
{
	_mm512_mask_store_epi32(to, k, v);
}

lanes_inline void putq(u64 *to, __mmask8 k, v16 v)
{
	_mm512_mask_store_epi64(to, k, v);
}

lanes_inline u8 *tlb_page(const struct vgpu_lanes *s, u64 page, bool write)
{
	const struct vgpu_tlb_entry *e = &s->tlb[page & (VGPU_TLB_ENTRIES - 1)];

	if (unlikely(e->page != page))
		return NULL;
	return write ? e->write : e->read;
}

lanes_inline bool in_range(struct where *w, u32 m, u32 bytes, u32 limit)
{
	v16 most = _mm512_set1_epi32((int)(limit - bytes)), low = _mm512_set1_epi32((int)bytes - 1);
	u32 bad = 0;

	if (unlikely(limit < bytes))
		return false;
	UNROLL for (u32 h = 0; h < 2; h++) {
		bad |= _mm512_mask_cmpgt_epu32_mask(half_of(m, h), w->o[h], most);
		bad |= _mm512_mask_test_epi32_mask(half_of(m, h), w->o[h], low);
	}
	return !bad;
}

lanes_inline bool in_shared(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			     u32 bytes, bool absolute, struct where *w)
{
	v16 imm = _mm512_set1_epi32((int)(u32)i->imm);

	UNROLL for (u32 h = 0; h < 2; h++)
		w->o[h] = absolute ? imm :
				     _mm512_add_epi32(
					     _mm512_load_si512(reg32(s, i->a) + 16 * h), imm);
	w->base = s->shared;
	w->page = false;
	return in_range(w, m, bytes, s->shared_bytes);
}

/* All lanes in one page of local memory */
lanes_inline bool in_local(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u32 bytes,
			    bool write, bool absolute, struct where *w)
{
	u32 first = (u32)i->imm + (absolute ? 0 : reg32(s, i->a)[__builtin_ctz(m)]), number;
	const struct vgpu_local_page *table;
	u32 other = 0;

	in_shared(s, i, m, bytes, absolute, w);
	if (!in_range(w, m, bytes, s->local_bytes))
		return false;
	number = first >> VGPU_LOCAL_SHIFT;
	UNROLL for (u32 h = 0; h < 2; h++) {
		v16 lane = _mm512_add_epi32(iota(), _mm512_set1_epi32((int)(16 * h)));

		other |= _mm512_mask_cmpneq_epu32_mask(
			half_of(m, h), _mm512_srli_epi32(w->o[h], VGPU_LOCAL_SHIFT),
			_mm512_set1_epi32((int)number));
		/* vgpu_in_local_page() */
		w->o[h] = _mm512_or_si512(
			_mm512_and_si512(w->o[h], _mm512_set1_epi32(3)),
			_mm512_or_si512(
				_mm512_slli_epi32(
					_mm512_and_si512(w->o[h],
							 _mm512_set1_epi32(VGPU_LOCAL_SPAN - 4)),
					5),
				_mm512_slli_epi32(lane, 2)));
	}
	if (other)
		return false;
	table = s->warp->local[number / VGPU_LOCAL_TABLE];
	if (table && table[number % VGPU_LOCAL_TABLE].memory)
		w->base = table[number % VGPU_LOCAL_TABLE].memory;
	else if (write)
		return false;
	else
		w->base = (u8 *)(uintptr_t)s->zeros;
	return true;
}

lanes_inline v16 join(v16 low, v16 high)
{
	return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
				  _mm512_cvtepi64_epi32(high), 1);
}

/* All lanes in one page, or, where @generic, in shared memory */
lanes_inline bool in_page(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u32 bytes,
			   bool write, bool absolute, bool generic, struct where *w)
{
	u64 first = i->imm + (absolute ? 0 : reg64(s, i->a)[__builtin_ctz(m)]);
	u64 origin = first & ~(u64)(VGPU_PAGE_SIZE - 1);
	u64 wrong = ~(u64)(VGPU_PAGE_SIZE - 1) | (bytes - 1);
	bool shared = generic && first >> 56 == VGPU_SHARED_WINDOW >> 56;
	u32 bad = 0;
	v16 d[4];

	if (shared) {
		origin = VGPU_SHARED_WINDOW;
		wrong = ~0xffffffffull;
	} else if (unlikely(first >= VGPU_ADDRESS_LIMIT)) {
		return false;
	}
	UNROLL for (u32 q = 0; q < 4; q++) {
		v16 add = _mm512_set1_epi64((s64)(i->imm - origin));

		d[q] = absolute ? add :
				  _mm512_add_epi64(_mm512_load_si512(reg64(s, i->a) + 8 * q), add);
		bad |= _mm512_mask_test_epi64_mask(quarter_of(m, q), d[q],
						   _mm512_set1_epi64((s64)wrong));
	}
	if (bad)
		return false;
	w->o[0] = join(d[0], d[1]);
	w->o[1] = join(d[2], d[3]);
	w->page = !shared;
	if (shared) {
		w->base = s->shared;
		return in_range(w, m, bytes, s->shared_bytes);
	}
	w->base = tlb_page(s, first >> VGPU_PAGE_SHIFT, write);
	return w->base != NULL;
}

enum space { GENERIC, GLOBAL, SHARED, LOCAL };

lanes_inline bool locate(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u32 bytes,
			  enum space space, bool write, bool absolute, struct where *w)
{
	switch (space) {
	case SHARED:
		return in_shared(s, i, m, bytes, absolute, w);
	case LOCAL:
		return in_local(s, i, m, bytes, write, absolute, w);
	default:
		return in_page(s, i, m, bytes, write, absolute, space == GENERIC, w);
	}
}

/* ---- how lanes lie to each other -------------------------------------------- */

lanes_inline u32 first_of(v16 v, u32 m)
{
	/* of the first lane in m, which are 16 */
	return (u32)_mm_cvtsi128_si32(
		_mm512_castsi512_si128(_mm512_maskz_compress_epi32((__mmask16)m, v)));
}

/* Are all elements in @m the same? *@what: which */
lanes_inline bool same(v16 v, __mmask16 m, u32 *what)
{
	*what = m & 1 ? (u32)_mm_cvtsi128_si32(_mm512_castsi512_si128(v)) : first_of(v, m);
	return !_mm512_mask_cmpneq_epu32_mask(m, v, _mm512_set1_epi32((int)*what));
}

/* Are all lanes in @m at one place? */
lanes_inline bool all_same(const struct where *w, u32 m, u32 *place)
{
	v16 at;

	*place = half_of(m, 0) ? first_of(w->o[0], half_of(m, 0)) :
				 first_of(w->o[1], half_of(m, 1));
	at = _mm512_set1_epi32((int)*place);
	return !_mm512_mask_cmpneq_epu32_mask(half_of(m, 0), w->o[0], at) &&
	       !_mm512_mask_cmpneq_epu32_mask(half_of(m, 1), w->o[1], at);
}

lanes_inline bool row(v16 o, __mmask16 m, u32 shift, u32 *start)
{
	return same(_mm512_sub_epi32(o, _mm512_slli_epi32(iota(), shift)), m, start);
}

/* The access is made: count its segments. */
lanes_inline void touch(struct vgpu_lanes *s, const struct where *w, u32 m)
{
	u32 first, last, begin[2];
	v16 bits = _mm512_setzero_si512();

	if (!w->page)
		return;
	/* the usual row */
	if (m == FULL && row(w->o[0], 0xffff, 2, &begin[0]) && row(w->o[1], 0xffff, 2, &begin[1]) &&
	    begin[1] == begin[0] + 64) {
		first = begin[0] >> VGPU_SEGMENT_SHIFT;
		last = (begin[0] + 124) >> VGPU_SEGMENT_SHIFT;
		s->segments += last - first + 1;
		return;
	}
	UNROLL for (u32 h = 0; h < 2; h++)
		bits = _mm512_or_si512(
			bits, _mm512_maskz_sllv_epi32(
				      half_of(m, h), _mm512_set1_epi32(1),
				      _mm512_srli_epi32(w->o[h], VGPU_SEGMENT_SHIFT)));
	s->segments += (u32)__builtin_popcount((u32)_mm512_reduce_or_epi32(bits));
}

#endif
