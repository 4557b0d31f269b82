/* SPDX-License-Identifier: MIT */
/*
 * Lanes in several pages: where the bytes of each lie, by the TLB, and how many segments they are.
 * For access_avx512.c. The usual case are pages near each other, as those of one array: all their
 * translations are taken out of the TLB at once, and each lane finds its own among them.
 */
#ifndef VGPU_NATIVE_PAGES_AVX512_H
#define VGPU_NATIVE_PAGES_AVX512_H

#include <stddef.h>

#include "where_avx512.h"

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
 * The same, of numbers that differ in 16 bits only. Beside each half of a register with the numbers
 * of the high lanes are those of the low ones, the second time with their halves exchanged: turned
 * seven times, each has met each.
 */
lanes_inline u32 different_near(v16 low, v16 high)
{
	__m256i a = _mm512_cvtepi32_epi16(low), b = _mm512_cvtepi32_epi16(high);
	v16 first = _mm512_inserti64x4(_mm512_castsi256_si512(a),
				       _mm256_permute4x64_epi64(a, 0x4e), 1);
	v16 second = _mm512_inserti64x4(_mm512_castsi256_si512(b), b, 1);
	v16 found_low = _mm512_conflict_epi32(low), found_high = _mm512_conflict_epi32(high);
	u32 again = _mm512_test_epi32_mask(found_high, found_high);
	v16 least = _mm512_xor_si512(second, first);
	u32 met;

#define TURN(n)											\
	least = _mm512_min_epu16(								\
		least, _mm512_xor_si512(second, _mm512_alignr_epi8(first, first, 2 * (n))))
	TURN(1); TURN(2); TURN(3); TURN(4); TURN(5); TURN(6); TURN(7);
#undef TURN
	met = _mm512_testn_epi16_mask(least, least);
	again |= (met | met >> 16) & 0xffff;
	return VGPU_LANES - (u32)__builtin_popcount(again) -
	       (u32)__builtin_popcount(_mm512_test_epi32_mask(found_low, found_low));
}

/* Segments of addresses, which differ in 31 bits of their numbers; @near: in 16 */
lanes_inline void count_different(struct vgpu_lanes *s, const v16 *at, bool near)
{
	v16 n[4], low, high;

	UNROLL for (u32 q = 0; q < 4; q++)
		n[q] = _mm512_srli_epi64(at[q], VGPU_SEGMENT_SHIFT);
	low = join(n[0], n[1]);
	high = join(n[2], n[3]);
	s->segments += near ? different_near(low, high) : different(low, high);
}

enum found { ABSENT, FAR, FOUND };

/** struct near - lanes in a page, and maybe in the next: those in @behind, at @next + w.o */
struct near {
	struct where w;
	u8 *next;
	u32 behind;
};

/* The first of the lanes in @m is in shared or local memory, by a generic address. */
lanes_inline bool in_window_of_sm(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	return reg64(s, i->a)[__builtin_ctz(m)] + i->imm >= VGPU_ADDRESS_LIMIT;
}

/*
 * Lanes none of which is before the segment of the first of them, or a page or more behind its
 * beginning: the usual case. Their segments are counted. FAR: they do not lie so.
 */
lanes_inline enum found in_next_bytes(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				      u32 bytes, struct near *n)
{
	u64 first = reg64(s, i->a)[__builtin_ctz(m)] + i->imm;
	u64 origin = first >> VGPU_SEGMENT_SHIFT << VGPU_SEGMENT_SHIFT;
	u32 start = (u32)origin & (VGPU_PAGE_SIZE - 1), limit = VGPU_PAGE_SIZE - start;
	v16 from[4], all = _mm512_setzero_si512(), bits;
	u64 wrong = ~(u64)(VGPU_PAGE_SIZE - 1) | (bytes - 1);

	UNROLL for (u32 q = 0; q < 4; q++) {
		from[q] = _mm512_maskz_add_epi64(quarter_of(m, q),
						 _mm512_load_si512(reg64(s, i->a) + 8 * q),
						 _mm512_set1_epi64((s64)(i->imm - origin)));
		all = _mm512_or_si512(all, from[q]);
	}
	if (_mm512_test_epi64_mask(all, _mm512_set1_epi64((s64)wrong)) ||
	    first >= VGPU_ADDRESS_LIMIT)
		return FAR;
	n->w.o[0] = join(from[0], from[1]);
	n->w.o[1] = join(from[2], from[3]);
	n->w.page = true;
	n->w.base = tlb_page(s, first >> VGPU_PAGE_SHIFT, false);
	if (!n->w.base)
		return ABSENT;
	n->w.base += start;
	n->behind = 0;
	n->next = NULL;
	if (start) {
		v16 most = _mm512_set1_epi32((int)limit - 1);

		n->behind = _mm512_cmpgt_epu32_mask(n->w.o[0], most) |
			    (u32)_mm512_cmpgt_epu32_mask(n->w.o[1], most) << 16;
	}
	if (n->behind) {
		u8 *next = tlb_page(s, (first >> VGPU_PAGE_SHIFT) + 1, false);

		if (!next)
			return ABSENT;
		n->next = (u8 *)((uintptr_t)next - limit);
	}
	/* lanes that do not execute are where the first one is */
	bits = _mm512_or_si512(_mm512_sllv_epi32(_mm512_set1_epi32(1),
						 _mm512_srli_epi32(n->w.o[0], VGPU_SEGMENT_SHIFT)),
			       _mm512_sllv_epi32(_mm512_set1_epi32(1),
						 _mm512_srli_epi32(n->w.o[1], VGPU_SEGMENT_SHIFT)));
	s->segments += (u32)__builtin_popcount((u32)_mm512_reduce_or_epi32(bits));
	return FOUND;
}

/* Addresses of eight lanes that are in either page, those in @behind in the next */
lanes_inline v16 at_either(const struct near *n, __m256i o, __mmask8 behind, u32 offset)
{
	v16 base = _mm512_mask_mov_epi64(_mm512_set1_epi64((s64)(uintptr_t)n->w.base), behind,
					 _mm512_set1_epi64((s64)(uintptr_t)n->next));

	return _mm512_add_epi64(_mm512_add_epi64(_mm512_cvtepu32_epi64(o), base),
				_mm512_set1_epi64(offset));
}

/* Pages whose translations are looked at together: two groups of eight, or four */
#define GROUP	8u
#define WINDOW	(4 * GROUP)

/* Of a group that begins with page @first, a multiple of GROUP: where the bytes are, or 0 */
lanes_inline v16 group(const struct vgpu_lanes *s, u64 first, bool write)
{
	const struct vgpu_tlb_entry *e = &s->tlb[first & (VGPU_TLB_ENTRIES - 1)];
	v16 low = _mm512_loadu_si512(e), middle = _mm512_loadu_si512((const u8 *)e + 64),
	    high = _mm512_loadu_si512((const u8 *)e + 128), page, bytes;
	v16 wanted = _mm512_add_epi64(_mm512_set1_epi64((s64)first),
				      _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));

	_Static_assert(sizeof(*e) == 24 && offsetof(struct vgpu_tlb_entry, page) == 0 &&
			       offsetof(struct vgpu_tlb_entry, read) == 8 &&
			       offsetof(struct vgpu_tlb_entry, write) == 16,
		       "every third word is of the same kind");
	page = _mm512_permutex2var_epi64(low, _mm512_set_epi64(0, 0, 15, 12, 9, 6, 3, 0), middle);
	page = _mm512_mask_permutexvar_epi64(page, 0xc0, _mm512_set_epi64(5, 2, 0, 0, 0, 0, 0, 0),
					     high);
	if (write) {
		bytes = _mm512_permutex2var_epi64(
			low, _mm512_set_epi64(0, 0, 0, 14, 11, 8, 5, 2), middle);
		bytes = _mm512_mask_permutexvar_epi64(
			bytes, 0xe0, _mm512_set_epi64(7, 4, 1, 0, 0, 0, 0, 0), high);
	} else {
		bytes = _mm512_permutex2var_epi64(
			low, _mm512_set_epi64(0, 0, 0, 13, 10, 7, 4, 1), middle);
		bytes = _mm512_mask_permutexvar_epi64(
			bytes, 0xe0, _mm512_set_epi64(6, 3, 0, 0, 0, 0, 0, 0), high);
	}
	return _mm512_maskz_mov_epi64(_mm512_cmpeq_epi64_mask(page, wanted), bytes);
}

/*
 * Addresses @at whose pages are near each other: places of their bytes to @p, and the segments are
 * counted. ABSENT: a page has no translation. FAR: the pages are not near each other.
 */
lanes_inline enum found in_window(struct vgpu_lanes *s, const v16 *at, bool write, u64 *p)
{
	u64 lowest = _mm512_reduce_min_epu64(
		_mm512_min_epu64(_mm512_min_epu64(at[0], at[1]), _mm512_min_epu64(at[2], at[3])));
	u64 first = lowest >> VGPU_PAGE_SHIFT & ~(u64)(GROUP - 1);
	v16 table[4], from[4], all = _mm512_setzero_si512();
	v16 offset = _mm512_set1_epi64(VGPU_PAGE_SIZE - 1);
	u32 beyond = 0, absent = 0;
	bool narrow;

	UNROLL for (u32 q = 0; q < 4; q++) {
		from[q] = _mm512_sub_epi64(at[q],
					   _mm512_set1_epi64((s64)(first << VGPU_PAGE_SHIFT)));
		all = _mm512_or_si512(all, from[q]);
		beyond |= _mm512_cmpge_epu64_mask(from[q],
						  _mm512_set1_epi64(2 * GROUP << VGPU_PAGE_SHIFT));
	}
	if (_mm512_cmpge_epu64_mask(all, _mm512_set1_epi64(WINDOW << VGPU_PAGE_SHIFT)))
		return FAR;
	table[0] = group(s, first, write);
	table[1] = group(s, first + GROUP, write);
	if (beyond) {
		table[2] = group(s, first + 2 * GROUP, write);
		table[3] = group(s, first + 3 * GROUP, write);
	}
	UNROLL for (u32 q = 0; q < 4; q++) {
		v16 page = _mm512_srli_epi64(from[q], VGPU_PAGE_SHIFT);
		v16 base = _mm512_permutex2var_epi64(table[0], page, table[1]);

		if (beyond)
			base = _mm512_mask_mov_epi64(
				base, _mm512_test_epi64_mask(page, _mm512_set1_epi64(2 * GROUP)),
				_mm512_permutex2var_epi64(table[2], page, table[3]));
		absent |= _mm512_testn_epi64_mask(base, base);
		_mm512_store_si512(p + 8 * q,
				   _mm512_add_epi64(base, _mm512_and_si512(at[q], offset)));
	}
	if (absent)
		return ABSENT;
	/* of 64 segments from that of the lowest: bits of a word */
	all = _mm512_setzero_si512();
	narrow = true;
	UNROLL for (u32 q = 0; q < 4; q++) {
		v16 n = _mm512_sub_epi64(_mm512_srli_epi64(at[q], VGPU_SEGMENT_SHIFT),
					 _mm512_set1_epi64((s64)(lowest >> VGPU_SEGMENT_SHIFT)));

		/* a shift by 64 or more gives 0 */
		v16 bit = _mm512_sllv_epi64(_mm512_set1_epi64(1), n);

		narrow &= _mm512_test_epi64_mask(bit, bit) == 0xff;
		all = _mm512_or_si512(all, bit);
	}
	if (narrow)
		s->segments += (u32)__builtin_popcountll((u64)_mm512_reduce_or_epi64(all));
	else
		count_different(s, at, true);
	return FOUND;
}

/*
 * Addresses of the bytes of all lanes, by the TLB; false: one of them needs more. Lanes that do not
 * execute have the last one's.
 */
lanes_inline bool anywhere(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u32 bytes,
			   bool write, u64 *p)
{
	u64 last = reg64(s, i->a)[31 - (u32)__builtin_clz(m)] + i->imm, wrong = 0;
	v16 at[4], spread = _mm512_setzero_si512();
	u32 bad = 0;

	UNROLL for (u32 q = 0; q < 4; q++) {
		at[q] = _mm512_mask_add_epi64(_mm512_set1_epi64((s64)last), quarter_of(m, q),
					      _mm512_load_si512(reg64(s, i->a) + 8 * q),
					      _mm512_set1_epi64((s64)i->imm));
		spread = _mm512_or_si512(spread,
					 _mm512_xor_si512(at[q], _mm512_set1_epi64((s64)last)));
		bad |= _mm512_test_epi64_mask(at[q], _mm512_set1_epi64((s64)bytes - 1));
	}
	bad |= _mm512_test_epi64_mask(spread,
				      _mm512_set1_epi64((s64)(~0ull << (VGPU_SEGMENT_SHIFT + 31))));
	if (bad)
		return false;
	switch (in_window(s, at, write, p)) {
	case ABSENT:
		return false;
	case FOUND:
		return true;
	case FAR:
		break;
	}
	UNROLL for (u32 q = 0; q < 4; q++)
		_mm512_store_si512(p + 8 * q, at[q]);
	for (u32 l = 0; l < VGPU_LANES; l++) {
		u64 page = p[l] >> VGPU_PAGE_SHIFT;
		const struct vgpu_tlb_entry *e = &s->tlb[page & (VGPU_TLB_ENTRIES - 1)];
		u8 *base = write ? e->write : e->read;

		wrong |= (e->page ^ page) | !base;
		p[l] = (u64)(uintptr_t)base + (p[l] & (VGPU_PAGE_SIZE - 1));
	}
	if (wrong)
		return false;
	count_different(s, at, false);
	return true;
}

#endif
