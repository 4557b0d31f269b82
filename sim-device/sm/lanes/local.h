/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Local memory where all lanes have the same offset: rows of words (lanes.h). Part of impl.h.
 */
#ifndef VGPU_LANES_LOCAL_H
#define VGPU_LANES_LOCAL_H

#include "each.h"

/*
 * Where lane 0 has, or would have, its bytes when all lanes in @m have the same offset. NULL:
 * another case, or it is to be written and there is no page.
 */
lanes_inline u8 *local_row(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, bool write)
{
	u32 bytes = access_bytes(i), offset = (u32)i->imm;
	u8 *page;

	if (!(i->flags & VGPU_F_ABS)) {
		const u32 *a = reg32(s, i->a);
		u32 last = a[last_lane(m)];
		vu other = {};

		if (a[__builtin_ctz(m)] != last)
			return NULL;
		EACH_VECTOR(k)
			other |= only(m, k, vu_at(a, k) ^ splat(last));
		if (!all_zero(other))
			return NULL;
		offset += last;
	}
	if (offset & (bytes - 1) || s->local_bytes < bytes || offset > s->local_bytes - bytes)
		return NULL;
	offset = vgpu_index(offset, s->local_bytes);
	page = local_page(s, offset, write);
	return page ? page + vgpu_in_local_page(0, offset) : NULL;
}

/* Of an element of less than a word at @p: how far it is from the word's lowest bit */
lanes_inline u32 bits_below(const u8 *p)
{
	return 8 * ((unsigned long)p & 3);
}

lanes_inline vu_any *row_of_words(const u8 *p)
{
	return (vu_any *)((unsigned long)p & ~3ul);
}

/* Behind an element of less than a word, in a row */
lanes_inline const u8 *next_small(const u8 *p, u32 size)
{
	return ((unsigned long)(p + size) & 3) ? p + size : p + size - 4 + VGPU_LOCAL_ROW;
}

/* The elements at @p of the lanes in @m, which are at the same offset, to their registers */
lanes_noinline void load_local_row(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				   const u8 *p)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	u32 *to = reg32(s, i->dst);

	for (u32 n = 0; n < count; n++) {
		const vu_any *row = row_of_words(p);
		u32 below = bits_below(p), above = 32 - 8 * size - below;

		if (size == 8) {
			EACH_VECTOR(k) {
				vu low = row[k], high = row[NV + k];

				PUTQ(n, 2 * k,
				     widen(LOW_HALF(low)) | widen(LOW_HALF(high)) << 32);
				PUTQ(n, 2 * k + 1,
				     widen(HIGH_HALF(low)) | widen(HIGH_HALF(high)) << 32);
			}
			p += 2 * VGPU_LOCAL_ROW;
		} else if (size == 4) {
			EACH_VECTOR(k)
				PUT(n, k, row[k]);
			p += VGPU_LOCAL_ROW;
		} else {
			EACH_VECTOR(k) {
				vu v = row[k] << above;

				PUT(n, k,
				    i->flags & VGPU_F_SEXT ? (vu)((vs)v >> (32 - 8 * size)) :
							     v >> (32 - 8 * size));
			}
			p = next_small(p, size);
		}
	}
}

/* ... from their registers. Other lanes' words are written as they were. */
lanes_noinline void store_local_row(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				    u8 *p)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);

	for (u32 n = 0; n < count; n++) {
		vu_any *row = row_of_words(p);
		u32 below = bits_below(p);

		if (size == 8) {
			const u64 *from = reg64(s, i->b + 2 * n);

			EACH_VECTOR(k) {
				vuq x = vuq_at(from, 2 * k), y = vuq_at(from, 2 * k + 1);
				vu low = IN_ORDER(LOW_WORDS(x, y));
				vu high = IN_ORDER(LOW_WORDS(x >> 32, y >> 32));

				row[k] = choose(lanes_of(m, k), low, row[k]);
				row[NV + k] = choose(lanes_of(m, k), high, row[NV + k]);
			}
			p += 2 * VGPU_LOCAL_ROW;
		} else if (size == 4) {
			const u32 *from = reg32(s, i->b + n);

			EACH_VECTOR(k)
				row[k] = choose(lanes_of(m, k), vu_at(from, k), row[k]);
			p += VGPU_LOCAL_ROW;
		} else {
			const u32 *from = reg32(s, i->b + n);
			vu bits = splat(((1u << 8 * size) - 1) << below);

			EACH_VECTOR(k)
				row[k] = choose(only(m, k, bits), vu_at(from, k) << below, row[k]);
			p = (u8 *)next_small(p, size);
		}
	}
}

#endif
