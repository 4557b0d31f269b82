/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loads, stores and parameters of a warp: rows and single places whole, the rest lane by lane
 * (each.h). Part of impl.h.
 */
#ifndef VGPU_LANES_MEM_H
#define VGPU_LANES_MEM_H

#include "local.h"
#include "quarters.h"

/* ---- all lanes at one address, or each at the next word ----------------- */

/* What is at @p to the lanes in @m of the registers from slot @dst on. */
lanes_inline void load_one(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			   const u8 *p)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);

	for (u32 n = 0; n < count; n++, p += size) {
		u64 v = size == 8	       ? *(const u64 *)p :
			size == 4	       ? *(const u32 *)p :
			size == 2	       ? i->flags & VGPU_F_SEXT ? (u32) * (const s16 *)p :
									  *(const u16 *)p :
			i->flags & VGPU_F_SEXT ? (u32) * (const s8 *)p :
						 *p;

		if (size == 8) {
			vuq *to = (vuq *)reg64(s, i->dst + 2 * n);

			if (m == FULL)
				EACH_VECTORQ(k)
					to[k] = splatq(v);
			else
				EACH_VECTORQ(k)
					to[k] = chooseq(lanes_ofq(m, k), splatq(v), to[k]);
		} else {
			vu *to = (vu *)reg32(s, i->dst + n);

			if (m == FULL)
				EACH_VECTOR(k)
					to[k] = splat((u32)v);
			else
				EACH_VECTOR(k)
					to[k] = choose(lanes_of(m, k), splat((u32)v), to[k]);
		}
	}
}

/* To @p: the highest lane wins. */
lanes_inline void store_one(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u8 *p)
{
	u32 last = last_lane(m);

	for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++) {
		switch (i->flags & 3) {
		case 0:
			p[n] = (u8)reg32(s, i->b + n)[last];
			break;
		case 1:
			((u16 *)p)[n] = (u16)reg32(s, i->b + n)[last];
			break;
		case 2:
			((u32 *)p)[n] = reg32(s, i->b + n)[last];
			break;
		default:
			((u64 *)p)[n] = reg64(s, i->b + 2 * n)[last];
		}
	}
}

/* ---- a row of bytes or of pairs of bytes, all lanes --------------------- */

#if LANES_VECTOR == 32
#define ROW_LOAD(insn, bytes)									\
	EACH_VECTOR(k)										\
		__asm__(insn " %1, %0" : "=x"(to[k]) : "m"(*(const u8 (*)[bytes])(p + k * (bytes))))

lanes_noinline void load_row(u32 *dst, const u8 *p, u32 flags)
{
	vu *to = (vu *)dst;

	switch (flags & (1 | VGPU_F_SEXT)) {
	case 0:
		ROW_LOAD("vpmovzxbd", 8);
		break;
	case 1:
		ROW_LOAD("vpmovzxwd", 16);
		break;
	case VGPU_F_SEXT:
		ROW_LOAD("vpmovsxbd", 8);
		break;
	default:
		ROW_LOAD("vpmovsxwd", 16);
	}
}
#undef ROW_LOAD

/* Words of four vectors that were packed twice in each half, in order */
#define PACKED_TWICE(v)	((vu)__builtin_shufflevector((vu)(v), (vu)(v), 0, 4, 1, 5, 2, 6, 3, 7))
#else
typedef u8 vb __attribute__((vector_size(16)));
typedef u8 vb_any __attribute__((vector_size(16), aligned(1)));
typedef u16 vh __attribute__((vector_size(16)));
typedef u16 vh_any __attribute__((vector_size(16), aligned(1)));

/* Zeros below each element of the low and the high half */
#define LOW_ABOVE(v)	__builtin_shufflevector((vh){}, v, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_ABOVE(v)	__builtin_shufflevector((vh){}, v, 4, 12, 5, 13, 6, 14, 7, 15)

/* What stands at the top of each element of @v, to the bottom, with or without its sign */
lanes_inline vu from_top(vh v, int bits, u32 flags)
{
	return flags & VGPU_F_SEXT ? (vu)((vs)v >> (32 - bits)) : (vu)v >> (32 - bits);
}

lanes_noinline void load_row(u32 *dst, const u8 *p, u32 flags)
{
	vu *to = (vu *)dst;

	if (flags & 1)
		UNROLL for (int k = 0; k < NV; k += 2) {
			vh v = ((const vh_any *)p)[k / 2];

			to[k] = from_top((vh)LOW_ABOVE(v), 16, flags);
			to[k + 1] = from_top((vh)HIGH_ABOVE(v), 16, flags);
		}
	else
		UNROLL for (int k = 0; k < NV; k += 4) {
			vb v = ((const vb_any *)p)[k / 4];
			vh low = (vh)__builtin_shufflevector((vb){}, v, 0, 16, 1, 17, 2, 18, 3, 19,
							     4, 20, 5, 21, 6, 22, 7, 23);
			vh high = (vh)__builtin_shufflevector((vb){}, v, 8, 24, 9, 25, 10, 26, 11,
							      27, 12, 28, 13, 29, 14, 30, 15, 31);

			to[k] = from_top((vh)LOW_ABOVE(low), 8, flags);
			to[k + 1] = from_top((vh)HIGH_ABOVE(low), 8, flags);
			to[k + 2] = from_top((vh)LOW_ABOVE(high), 8, flags);
			to[k + 3] = from_top((vh)HIGH_ABOVE(high), 8, flags);
		}
}
#undef LOW_ABOVE
#undef HIGH_ABOVE

#define PACKED_TWICE(v)	((vu)(v))
#endif

lanes_noinline void store_row(u8 *p, const u32 *from, u32 flags)
{
	const vu *f = (const vu *)from;

	if (flags & 1)
		UNROLL for (int k = 0; k < NV; k += 2)
			((vu_any *)p)[k / 2] = IN_ORDER(signed_pairs((vs)(f[k] << 16) >> 16,
								     (vs)(f[k + 1] << 16) >> 16));
	else
		UNROLL for (int k = 0; k < NV; k += 4) {
			vs low = signed_pairs((vs)(f[k] & 0xff), (vs)(f[k + 1] & 0xff));
			vs high = signed_pairs((vs)(f[k + 2] & 0xff), (vs)(f[k + 3] & 0xff));

			((vu_any *)p)[k / 4] = PACKED_TWICE(unsigned_bytes(low, high));
		}
}
#undef PACKED_TWICE

#if LANES_VECTOR == 32
/* The lanes in @m of a row at @p; nothing is read or written of the others. */
lanes_inline void load_some(u32 *to, const u8 *p, u32 shift, u32 m)
{
	if (shift == 2)
		EACH_VECTOR(k)
			((vu *)to)[k] = load_masked(p + k * LANES_VECTOR, lanes_of(m, k)) |
					(vu_at(to, k) & ~lanes_of(m, k));
	else
		EACH_VECTORQ(k)
			((vu *)to)[k] =
				load_masked(p + k * LANES_VECTOR, (vu)lanes_ofq(m, k)) |
				(vu_at(to, k) & ~(vu)lanes_ofq(m, k));
}

lanes_inline void store_some(u8 *p, const u32 *from, u32 shift, u32 m)
{
	if (shift == 2)
		EACH_VECTOR(k)
			store_masked(p + k * LANES_VECTOR, lanes_of(m, k), vu_at(from, k));
	else
		EACH_VECTORQ(k)
			store_masked(p + k * LANES_VECTOR, (vu)lanes_ofq(m, k), vu_at(from, k));
}
#define SOME_IN_ROW	true
#else
/* SSE2 cannot */
#define load_some(to, p, shift, m)
#define store_some(p, from, shift, m)
#define SOME_IN_ROW	false
#endif

enum shape { SCATTERED, UNIFORM, ROW };

/*
 * How the base registers of all lanes lie to each other, for words of 1 << shift bytes. First and
 * last say what it may be. Many programs know no other shapes: what is left looks no further.
 */
lanes_inline enum shape shape32(const u32 *a, u32 shift)
{
	vu d = {};

	if (a[VGPU_LANES - 1] - a[0] == (VGPU_LANES - 1) << shift) {
		EACH_VECTOR(k)
			d |= (vu_at(a, k) - splat(a[0])) ^ vu_at(lane_iota, k) << shift;
		return all_zero(d) ? ROW : SCATTERED;
	}
	if (a[VGPU_LANES - 1] != a[0])
		return SCATTERED;
	EACH_VECTOR(k)
		d |= vu_at(a, k) ^ splat(a[0]);
	return all_zero(d) ? UNIFORM : SCATTERED;
}

lanes_inline enum shape shape64(const u64 *a, u32 shift)
{
	vuq d = {};

	if (a[VGPU_LANES - 1] - a[0] == (VGPU_LANES - 1) << shift) {
		EACH_VECTORQ(k)
			d |= (vuq_at(a, k) - splatq(a[0])) ^ vuq_at(lane_iotaq, k) << shift;
		return all_zero((vu)d) ? ROW : SCATTERED;
	}
	if (a[VGPU_LANES - 1] != a[0])
		return SCATTERED;
	EACH_VECTORQ(k)
		d |= vuq_at(a, k) ^ splatq(a[0]);
	return all_zero((vu)d) ? UNIFORM : SCATTERED;
}

/*
 * The place of the first lane's bytes when all lanes are active and lie in one of those shapes, a
 * row of single elements only, inside one page or shared memory. NULL: another case, or a page to
 * be translated.
 */
lanes_inline u8 *shaped(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space,
			bool write, enum shape *shape)
{
	u32 shift = i->flags & 3, element = 1u << shift, bytes;
	u64 at, offset;
	u8 *p;

	if (m != FULL || i->flags & VGPU_F_ABS)
		return NULL;
	*shape = space == SHARED ? shape32(reg32(s, i->a), shift) : shape64(reg64(s, i->a), shift);
	if (*shape == SCATTERED)
		return NULL;
	if (*shape == UNIFORM)
		bytes = access_bytes(i);
	else if (i->flags >> 2 & 3)
		return NULL;
	else
		bytes = element * VGPU_LANES;
	if (space == SHARED) {
		at = (u32)(reg32(s, i->a)[0] + (u32)i->imm);
		if (at & ((*shape == UNIFORM ? bytes : element) - 1) ||
		    at + bytes > s->shared_bytes)
			return NULL;
		return s->shared + vgpu_index(at, s->shared_bytes);
	}
	at = reg64(s, i->a)[0] + i->imm;
	offset = at & (VGPU_PAGE_SIZE - 1);
	if (at & ((*shape == UNIFORM ? bytes : element) - 1) || at >= VGPU_ADDRESS_LIMIT ||
	    offset + bytes > VGPU_PAGE_SIZE)
		return NULL;
	p = page_of(s, at, write);
	if (unlikely(!p))
		return NULL;
	s->held = 0;
	s->segments +=
		((offset + bytes - 1) >> VGPU_SEGMENT_SHIFT) - (offset >> VGPU_SEGMENT_SHIFT) + 1;
	s->accesses++;
	return p + offset;
}

/* ---- any load or store -------------------------------------------------- */

/*
 * The place of the first lane's word, were it active, when those in @m have theirs in a row inside
 * one page or shared memory. NULL: another case, or a page to be translated; nothing has happened.
 */
lanes_inline u8 *row_of_some(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			     enum space space, bool write)
{
	u32 shift = i->flags & 3, first = (u32)__builtin_ctz(m), last = last_lane(m), more;
	u64 at, end;
	u8 *p;

	if (!SOME_IN_ROW || space == LOCAL || (i->flags & (14 | VGPU_F_ABS)) != 2)
		return NULL;
	if (space == SHARED) {
		const u32 *a = reg32(s, i->a);
		u32 start = a[last] - (last << shift);
		vu d = {};

		at = (u32)(a[first] + (u32)i->imm);
		end = at + ((last - first) << shift);
		if (a[first] != start + (first << shift) || at & ((1u << shift) - 1) ||
		    end + (1u << shift) > s->shared_bytes)
			return NULL;
		EACH_VECTOR(k)
			d |= ((vu_at(a, k) - splat(start)) ^ vu_at(lane_iota, k) << shift) &
			     lanes_of(m, k);
		at = vgpu_index(at, s->shared_bytes);
		return all_zero(d) ? s->shared + (at - (first << shift)) : NULL;
	} else {
		const u64 *a = reg64(s, i->a);
		u64 start = a[last] - (last << shift);
		vuq d = {};

		at = a[first] + i->imm;
		end = at + ((last - first) << shift);
		if (a[first] != start + (first << shift) || at & ((1u << shift) - 1) ||
		    at >= VGPU_ADDRESS_LIMIT || (at ^ end) >> VGPU_PAGE_SHIFT)
			return NULL;
		EACH_VECTORQ(k)
			d |= ((vuq_at(a, k) - splatq(start)) ^ vuq_at(lane_iotaq, k) << shift) &
			     lanes_ofq(m, k);
		more = (u32)((end >> VGPU_SEGMENT_SHIFT) - (at >> VGPU_SEGMENT_SHIFT));
		if (!all_zero((vu)d) || more > 1)	/* there may be nobody in between */
			return NULL;
	}
	p = page_of(s, at, write);
	if (!p)
		return NULL;
	s->held = 0;
	s->segments += more + 1;
	s->accesses++;
	return p + (at & (VGPU_PAGE_SIZE - 1)) - (first << shift);
}

/* Have the first and the last of @m the same base register? */
lanes_inline bool ends_meet(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			    enum space space)
{
	u32 first = (u32)__builtin_ctz(m), last = last_lane(m);

	return space >= SHARED ? reg32(s, i->a)[first] == reg32(s, i->a)[last] :
				 reg64(s, i->a)[first] == reg64(s, i->a)[last];
}

lanes_noinline enum vgpu_lanes_end load_full(struct vgpu_lanes *s, const struct vgpu_insn *i,
					     enum space space)
{
	struct place p;

	if (unlikely(!near(s, i, FULL, space, access_bytes(i), false, false, i->flags & VGPU_F_ABS,
			   &p)))
		return space <= GLOBAL && load_quarters(s, i, FULL) ? MEM_DONE :
								      load_far(s, i, FULL, space);
	touch(s, &p, FULL);
	offsets(s, &p, FULL, false);
	return load_near(s, i, FULL, p.base, p.local);
}

lanes_noinline enum vgpu_lanes_end store_full(struct vgpu_lanes *s, const struct vgpu_insn *i,
					      enum space space)
{
	struct place p;

	if (unlikely(!near(s, i, FULL, space, access_bytes(i), true, false, i->flags & VGPU_F_ABS,
			   &p)))
		return space <= GLOBAL && store_quarters(s, i, FULL) ? MEM_DONE :
								      store_far(s, i, FULL, space);
	touch(s, &p, FULL);
	offsets(s, &p, FULL, true);
	return store_near(s, i, FULL, p.base, p.local);
}

lanes_noinline enum vgpu_lanes_end load_part(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
					     enum space space)
{
	u8 *row = row_of_some(s, i, m, space, false);
	struct place p;

	if (row) {
		load_some(reg32(s, i->dst), row, i->flags & 3, m);
		return MEM_DONE;
	}
	if (unlikely(!near(s, i, m, space, access_bytes(i), false, false, i->flags & VGPU_F_ABS,
			   &p)))
		return space <= GLOBAL && load_quarters(s, i, m) ? MEM_DONE :
								   load_far(s, i, m, space);
	if (!p.local && ends_meet(s, i, m, space) && at_one_place(&p, m)) {
		touch_one(s, &p);
		load_one(s, i, m, p.base + p.last);
		return MEM_DONE;
	}
	touch(s, &p, m);
	/* of the page, no more may be there than what lanes load (pipeline/access_lines.c) */
	offsets(s, &p, m, true);
	return load_near(s, i, m, p.base, p.local);
}

lanes_noinline enum vgpu_lanes_end store_part(struct vgpu_lanes *s, const struct vgpu_insn *i,
					      u32 m, enum space space)
{
	u8 *row = row_of_some(s, i, m, space, true);
	struct place p;

	if (row) {
		store_some(row, reg32(s, i->b), i->flags & 3, m);
		return MEM_DONE;
	}
	if (unlikely(
		    !near(s, i, m, space, access_bytes(i), true, false, i->flags & VGPU_F_ABS, &p)))
		return space <= GLOBAL && store_quarters(s, i, m) ? MEM_DONE :
								    store_far(s, i, m, space);
	if (!p.local && ends_meet(s, i, m, space) && at_one_place(&p, m)) {
		touch_one(s, &p);
		store_one(s, i, m, p.base + p.last);
		return MEM_DONE;
	}
	touch(s, &p, m);
	offsets(s, &p, m, true);
	return store_near(s, i, m, p.base, p.local);
}

lanes_inline enum vgpu_lanes_end mem_load(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
					  enum space space)
{
	enum shape shape;
	u8 *p = space == LOCAL ? local_row(s, i, m, false) : shaped(s, i, m, space, false, &shape);

	if (!p)
		return m == FULL ? load_full(s, i, space) : load_part(s, i, m, space);
	if (space == LOCAL) {
		load_local_row(s, i, m, p);
	} else if (shape == ROW && !(i->flags & 2)) {
		load_row(reg32(s, i->dst), p, i->flags);
	} else if (shape == ROW) {
		vu *to = (vu *)reg32(s, i->dst);

		EACH_VECTOR(k)
			to[k] = ((const vu_any *)p)[k];
		if ((i->flags & 3) == 3)
			EACH_VECTOR(k)
				to[NV + k] = ((const vu_any *)p)[NV + k];
	} else {
		load_one(s, i, FULL, p);
	}
	return MEM_DONE;
}

lanes_inline enum vgpu_lanes_end mem_store(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
					   enum space space)
{
	enum shape shape;
	u8 *p = space == LOCAL ? local_row(s, i, m, true) : shaped(s, i, m, space, true, &shape);
	const u32 *from = reg32(s, i->b);

	if (!p)
		return m == FULL ? store_full(s, i, space) : store_part(s, i, m, space);
	if (space == LOCAL) {
		store_local_row(s, i, m, p);
	} else if (shape == ROW && !(i->flags & 2)) {
		store_row(p, from, i->flags);
	} else if (shape == ROW) {
		EACH_VECTOR(k)
			((vu_any *)p)[k] = ((const vu *)from)[k];
		if ((i->flags & 3) == 3)
			EACH_VECTOR(k)
				((vu_any *)p)[NV + k] = ((const vu *)from)[NV + k];
	} else {
		store_one(s, i, FULL, p);
	}
	return MEM_DONE;
}

/* Parameters: one address for all lanes, in bounds by verification. */
lanes_noinline void mem_param(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	load_one(s, i, m, s->params + i->imm);
}

#endif
