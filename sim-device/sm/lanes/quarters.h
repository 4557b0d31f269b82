/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Words of lanes in several pages of which eight at a time are a row, or at one place: those of a
 * block that is 8 or 16 threads wide, mostly. Each quarter of the warp needs one look at the TLB.
 * Part of impl.h.
 */
#ifndef VGPU_LANES_QUARTERS_H
#define VGPU_LANES_QUARTERS_H

#include "each.h"

/*
 * struct quarters - where the words of the quarters lie that have active lanes: of a row the place
 * of the lowest lane, active or not
 */
struct quarters {
	u8 *at[4];
	bool row[4];
};

#define QUARTER_VECTORS	(NVQ / 4)	/* of 64 bits */

/* The lanes of quarter @q in @m, of which @l is one: are they a @row, or at one place? */
lanes_inline bool quarter_is(const u64 *a, u32 m, u32 q, u32 l, u32 shift, bool row)
{
	vuq d = {};

	UNROLL for (int n = 0; n < QUARTER_VECTORS; n++) {
		int k = (int)q * QUARTER_VECTORS + n;
		vuq from = vuq_at(a, k) - splatq(a[l]);

		if (row)
			from ^= (vuq_at(lane_iotaq, k) - splatq(l)) << shift;
		d |= m == FULL ? from : from & lanes_ofq(m, k);
	}
	return all_zero((vu)d);
}

/*
 * Words of 1 << shift bytes. False: a quarter does not lie so, or in two pages, or before the one
 * before it, or a page has no translation; nothing has happened.
 */
lanes_inline bool in_quarters(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			      bool write, struct quarters *p)
{
	const u64 *a = reg64(s, i->a);
	u32 shift = i->flags & 3, segments = 0, pages = 0;
	u64 before = 0;		/* the last segment, and 1 */

	if ((LANES_VECTOR != 32 && m != FULL) || (i->flags & (14 | VGPU_F_ABS)) != 2)
		return false;
	UNROLL for (u32 q = 0; q < 4; q++) {
		u32 active = m >> 8 * q & 0xff, low, high;
		u64 first, last, segment;
		u8 *page;

		if (m != FULL && !active)
			continue;
		low = m == FULL ? 8 * q : 8 * q + (u32)__builtin_ctz(active);
		high = m == FULL ? 8 * q + 7 : 8 * q + 31 - (u32)__builtin_clz(active);
		p->row[q] = a[low] != a[high];
		first = a[low] + i->imm;
		last = a[high] + i->imm;
		if (p->row[q] && last - first != (high - low) << shift)
			return false;
		if (first & ((1u << shift) - 1) || (first ^ last) >> VGPU_PAGE_SHIFT ||
		    !quarter_is(a, m, q, low, shift, p->row[q]))
			return false;
		segment = first >> VGPU_SEGMENT_SHIFT;
		if (segment + 1 < before)
			return false;
		segments += (u32)((last >> VGPU_SEGMENT_SHIFT) - segment) + (segment + 1 != before);
		/* they ascend; a quarter is in one of 4 KB */
		pages += !before || (before - 1) << VGPU_SEGMENT_SHIFT >> VGPU_COUNTED_PAGE_SHIFT !=
					    first >> VGPU_COUNTED_PAGE_SHIFT;
		before = (last >> VGPU_SEGMENT_SHIFT) + 1;
		page = page_of(s, first, write);
		if (!page)
			return false;
		p->at[q] = page + (first & (VGPU_PAGE_SIZE - 1));
		if (p->row[q])
			p->at[q] -= (low & 7) << shift;
	}
	s->held = 0;
	s->segments += segments;
	s->accesses++;
	if (unlikely(s->count_pages))
		s->more_pages += pages - 1;
	return true;
}

/* ---- words of 1 << shift bytes, vector by vector ---------------------------- */

lanes_inline vu lanes_of_words(u32 m, int k, u32 shift)
{
	return shift == 2 ? lanes_of(m, k) : (vu)lanes_ofq(m, k);
}

#if LANES_VECTOR == 32
lanes_inline vu load_masked(const u8 *p, vu mask)
{
	return (vu)__builtin_ia32_maskloadd256((const vs *)p, (vs)mask);
}

lanes_inline void store_masked(u8 *p, vu mask, vu v)
{
	__builtin_ia32_maskstored256((vs *)p, (vs)mask, (vs)v);
}
#else
/* SSE2 cannot: all lanes are active there. */
#define load_masked(p, mask)		(mask)
#define store_masked(p, mask, v)	((void)(mask))
#endif

/* Vector @k of the lanes, of a row */
lanes_inline vu row_words(const u8 *p, int k, u32 shift, u32 m)
{
	return m == FULL ? *(const vu_any *)p : load_masked(p, lanes_of_words(m, k, shift));
}

lanes_inline void put_row_words(u8 *p, vu v, int k, u32 shift, u32 m)
{
	if (m == FULL)
		*(vu_any *)p = v;
	else
		store_masked(p, lanes_of_words(m, k, shift), v);
}

lanes_inline void load_from(const struct quarters *from, u32 shift, u32 *to, u32 m)
{
	const int vectors = shift == 2 ? NV / 4 : NVQ / 4;

	UNROLL for (int q = 0; q < 4; q++) {
		const u8 *p = from->at[q];

		if (m != FULL && !(m >> 8 * q & 0xff))
			continue;
		for (int n = 0, k = q * vectors; n < vectors; n++, k++) {
			vu v = from->row[q] ? row_words(p + n * LANES_VECTOR, k, shift, m) :
			       shift == 2   ? splat(*(const u32 *)p) :
					      (vu)splatq(*(const u64 *)p);

			((vu *)to)[k] = m == FULL ? v : choose(lanes_of_words(m, k, shift), v,
							       vu_at(to, k));
		}
	}
}

/* Of lanes at one place the highest wins. */
lanes_inline void store_to(const struct quarters *to, u32 shift, const u32 *from, u32 m)
{
	const int vectors = shift == 2 ? NV / 4 : NVQ / 4;

	UNROLL for (int q = 0; q < 4; q++) {
		u32 active = m & 0xffu << 8 * q;
		u8 *p = to->at[q];

		if (m != FULL && !active)
			continue;
		if (to->row[q])
			for (int n = 0, k = q * vectors; n < vectors; n++, k++)
				put_row_words(p + n * LANES_VECTOR, vu_at(from, k), k, shift, m);
		else if (shift == 2)
			*(u32 *)p = from[last_lane(active)];
		else
			*(u64 *)p = ((const u64 *)from)[last_lane(active)];
	}
}

/* ---- all of it: as in_quarters() says --------------------------------------- */

lanes_inline bool load_quarters(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	struct quarters from = {};

	if (!in_quarters(s, i, m, false, &from))
		return false;
	if (i->flags & 1)
		load_from(&from, 3, reg32(s, i->dst), m);
	else
		load_from(&from, 2, reg32(s, i->dst), m);
	return true;
}

lanes_inline bool store_quarters(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	struct quarters to = {};

	if (!in_quarters(s, i, m, true, &to))
		return false;
	if (i->flags & 1)
		store_to(&to, 3, reg32(s, i->b), m);
	else
		store_to(&to, 2, reg32(s, i->b), m);
	return true;
}

#endif
