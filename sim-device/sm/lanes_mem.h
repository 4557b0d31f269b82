/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loads, stores and atomics of a warp. All lanes' addresses are checked and translated before the first byte moves: an
 * access that needs a translation or faults leaves no trace and can be restarted. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_MEM_H
#define VGPU_LANES_MEM_H

#include "lanes_shared.h"

enum space { GENERIC, GLOBAL, SHARED, LOCAL };

#define MEM_DONE	VGPU_LANES_BUDGET	/* of the functions here: the access has been made */

lanes_inline u32 *reg32(const struct vgpu_lanes *s, u32 n)
{
	return s->warp->regs + n * VGPU_LANES;
}

lanes_inline u64 *reg64(const struct vgpu_lanes *s, u32 n)
{
	return (u64 *)(s->warp->regs + n * VGPU_LANES);
}

lanes_noinline enum vgpu_lanes_end mem_fault(struct vgpu_lanes *s, u32 reason, u32 lane, u32 bytes, bool write)
{
	s->reason = reason;
	s->lane = lane;
	s->address = s->addr[lane];
	s->bytes = bytes;
	s->write = write;
	return VGPU_LANES_FAULT;
}

/* The page of @address by the TLB or what is held for a restart; NULL: must be translated. */
lanes_inline u8 *page_of(const struct vgpu_lanes *s, u64 address, bool write)
{
	u64 page = address >> VGPU_PAGE_SHIFT;
	const struct vgpu_tlb_entry *e = &s->tlb[page & (VGPU_TLB_ENTRIES - 1)];

	if (likely(e->page == page)) {
		u8 *p = write ? e->write : e->read;

		if (likely(p != NULL))
			return p;
	}
	for (u32 n = 0; unlikely(n < s->held); n++) {
		if (s->hold[n].page == page) {
			u8 *p = write ? s->hold[n].write : s->hold[n].read;

			if (p)
				return p;
		}
	}
	return NULL;
}

lanes_noinline enum vgpu_lanes_end translate(struct vgpu_lanes *s, u32 lane, u32 bytes, bool write)
{
	mem_fault(s, VGPU_FAULT_UNMAPPED, lane, bytes, write);	/* what it becomes if there is no translation */
	return VGPU_LANES_TRANSLATE;
}

/*
 * addr[] of all lanes: base register a, or none, plus imm. Shared and local offsets wrap at 32 bits. Lanes that do not
 * execute get the first one's that does: what holds for all of addr[] then holds for the access.
 */
lanes_inline void addresses(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space, bool absolute)
{
	vuq *d = (vuq *)s->addr;
	u32 first = (u32)__builtin_ctz(m);

	if (absolute) {
		u64 v = space >= SHARED ? (u32)i->imm : i->imm;

		EACH_VECTORQ(k)
			d[k] = splatq(v);
	} else if (space >= SHARED) {
		const u32 *a = reg32(s, i->a);
		vu imm = splat((u32)i->imm), start = splat(a[first]);

		EACH_VECTOR(k) {
			vu o = choose(lanes_of(m, k), vu_at(a, k), start) + imm;

			d[2 * k] = widen(LOW_HALF(o));
			d[2 * k + 1] = widen(HIGH_HALF(o));
		}
	} else {
		const u64 *a = reg64(s, i->a);
		vuq imm = splatq(i->imm), start = splatq(a[first]);

		if (m == FULL)
			EACH_VECTORQ(k)
				d[k] = vuq_at(a, k) + imm;
		else
			EACH_VECTORQ(k)
				d[k] = chooseq(lanes_ofq(m, k), vuq_at(a, k), start) + imm;
	}
}

/* Fill ptr[] of the lanes in @m, one by one: any mixture of spaces and pages. */
lanes_noinline enum vgpu_lanes_end resolve(struct vgpu_lanes *s, u32 m, enum space space, u32 bytes, bool write,
					   bool atomic)
{
	u64 page = ~0ull;	/* of the lane before */
	u8 *base = NULL;
	u64 pages[VGPU_LANES];		/* each stretch of lanes in one page, */
	u32 touched[VGPU_LANES];	/* and the segments of it */
	u32 count = 0;

	EACH_ACTIVE(l, m) {
		u64 a = s->addr[l], offset = a;
		enum space in = space;

		if (unlikely(a & (bytes - 1)))
			return mem_fault(s, VGPU_FAULT_MISALIGNED, l, bytes, write);
		if (in <= GLOBAL && a >> VGPU_PAGE_SHIFT == page) {
			s->ptr[l] = base + (a & (VGPU_PAGE_SIZE - 1));
			touched[count - 1] |= 1u << (a >> VGPU_SEGMENT_SHIFT & 31);
			continue;
		}
		if (in == GENERIC) {
			u64 window = a & VGPU_WINDOW_MASK;

			offset = a & ~VGPU_WINDOW_MASK;
			in = window == VGPU_SHARED_WINDOW ? SHARED : window == VGPU_LOCAL_WINDOW ? LOCAL : GLOBAL;
		}
		if (in == GLOBAL) {
			if (a >= VGPU_ADDRESS_LIMIT)
				return mem_fault(s, VGPU_FAULT_UNMAPPED, l, bytes, write);
			base = page_of(s, a, write);
			if (!base)
				return translate(s, l, bytes, write);
			page = a >> VGPU_PAGE_SHIFT;
			s->ptr[l] = base + (a & (VGPU_PAGE_SIZE - 1));
			pages[count] = page;
			touched[count++] = 1u << (a >> VGPU_SEGMENT_SHIFT & 31);
		} else if (in == SHARED) {
			if (offset > s->shared_bytes || s->shared_bytes - offset < bytes)
				return mem_fault(s, VGPU_FAULT_SHARED_RANGE, l, bytes, write);
			s->ptr[l] = s->shared + offset;
		} else {
			if (atomic)
				return mem_fault(s, VGPU_FAULT_ADDRESS_SPACE, l, bytes, write);
			if (offset > s->local_bytes || s->local_bytes - offset < bytes)
				return mem_fault(s, VGPU_FAULT_LOCAL_RANGE, l, bytes, write);
			s->ptr[l] = s->warp->local + (u64)l * s->local_bytes + offset;
		}
	}
	/* segments of a page that several stretches have count once */
	for (u32 n = 0; n < count; n++) {
		u32 before = 0;

		for (u32 j = 0; j < n; j++)
			before |= pages[j] == pages[n] ? touched[j] : 0;
		s->segments += popcount32(touched[n] & ~before);
	}
	EACH_ACTIVE(l, ~m)
		s->ptr[l] = s->ptr[__builtin_ctz(m)];
	s->held = 0;
	return MEM_DONE;
}

/* OR of how addr[] differs from @first; 0: one address for all */
lanes_inline u64 spread(const struct vgpu_lanes *s, u64 first)
{
	vuq d = {};
	u64 all = 0;

	EACH_VECTORQ(k)
		d |= vuq_at(s->addr, k) ^ splatq(first);
	UNROLL for (u32 n = 0; n < LANES_VECTOR / 8; n++)
		all |= d[n];
	return all;
}

/* How many different segments addr[] has in one page. */
lanes_inline u32 segments_of_page(const struct vgpu_lanes *s)
{
#if LANES_VECTOR == 32
	vuq touched = {};
	u64 all = 0;

	EACH_VECTORQ(k)
		touched |= (vuq){ 1, 1, 1, 1 } << (vuq_at(s->addr, k) >> VGPU_SEGMENT_SHIFT & 31);
	UNROLL for (u32 n = 0; n < LANES_VECTOR / 8; n++)
		all |= touched[n];
	return popcount32((u32)all);
#else
	u32 touched = 0;

	for (u32 l = 0; l < VGPU_LANES; l++)
		touched |= 1u << (s->addr[l] >> VGPU_SEGMENT_SHIFT & 31);
	return popcount32(touched);
#endif
}

/*
 * The same anywhere: the lanes whose segment no earlier lane has. Where segments ascend only the lane before can have it. Works on
 * 31 bits of a segment's number: above them (256 GB) all lanes must be alike.
 */
lanes_noinline u32 segments_anywhere(const struct vgpu_lanes *s)
{
	u32 numbers[2 * VGPU_LANES] __attribute__((aligned(64)));
	u32 *own = numbers + VGPU_LANES, same = 0, down = 0;

	for (int k = 0; k < NVQ; k++)
		HALF_AT(vu_half, own, k) = narrow(vuq_at(s->addr, k) >> VGPU_SEGMENT_SHIFT);
	/* what stands before the first lane is no lane's */
	EACH_VECTOR(k)
		((vu *)numbers)[k] = splat(own[0] ^ 0x80000000u);
	EACH_VECTOR(k) {
		vu before = *(const vu_any *)(own - 1 + k * (LANES_VECTOR / 4)), n = vu_at(own, k);

		same |= mask_of((vu)(n == before)) << k * (LANES_VECTOR / 4);
		down |= mask_of((vu)((vs)n < (vs)before)) << k * (LANES_VECTOR / 4);
	}
	if (!(down & ~1u))
		return VGPU_LANES - popcount32(same);
	same = 0;
	for (int k = 0; k < NV; k++) {
		vu n = vu_at(own, k), found = {};

		for (int back = 1; back < (k + 1) * (LANES_VECTOR / 4); back++)
			found |= (vu)(n == *(const vu_any *)(own - back + k * (LANES_VECTOR / 4)));
		same |= mask_of(found) << k * (LANES_VECTOR / 4);
	}
	return VGPU_LANES - popcount32(same);
}

/* Where the bytes of all lanes are: at[l] + delta */
struct place {
	const u64 *at;
	u64 delta;
	u64 spread;	/* 0: all at one place */
};

/* Each lane by the TLB alone; false: one of them needs more. Fills ptr[]. What is mapped can be read. */
lanes_inline bool by_tlb(struct vgpu_lanes *s, bool write)
{
	const struct vgpu_tlb_entry *tlb = s->tlb;
	u64 wrong = 0;

	UNROLL for (u32 l = 0; l < VGPU_LANES; l++) {
		u64 page = s->addr[l] >> VGPU_PAGE_SHIFT;
		const struct vgpu_tlb_entry *e = &tlb[page & (VGPU_TLB_ENTRIES - 1)];
		u8 *p = write ? e->write : e->read;

		wrong |= e->page ^ page;
		if (write)
			wrong |= !p;
		s->ptr[l] = p;
	}
	EACH_VECTORQ(k)
		((vuq *)s->ptr)[k] += vuq_at(s->addr, k) & (VGPU_PAGE_SIZE - 1);
	return !wrong;
}

/* Offsets in addr[], aligned: does one of them leave so many bytes? */
lanes_inline bool out_of(const struct vgpu_lanes *s, u32 bytes, u64 most, u32 limit)
{
	vuq bad = {};

	if (most + bytes <= limit)	/* the highest that the bits which vary allow */
		return false;
	if (limit < bytes)
		return true;
	EACH_VECTORQ(k)
		bad |= splatq(limit - bytes) - vuq_at(s->addr, k);	/* below zero */
	return mask_ofq(bad);
}

/*
 * Where the access of the lanes in @m goes, addr[] being filled. What common cases do not have goes to resolve(), which
 * also finds out what is wrong and where.
 */
lanes_inline enum vgpu_lanes_end locate(struct vgpu_lanes *s, u32 m, enum space space, u32 bytes, bool write, bool atomic,
					struct place *p)
{
	u32 lane = (u32)__builtin_ctz(m);
	u64 first = s->addr[lane], window = 0;
	enum space in = space;
	u8 *page;

	p->spread = spread(s, first);
	p->at = s->addr;
	if (unlikely((first | p->spread) & (bytes - 1)))
		goto other;
	if (space == GENERIC && unlikely(first >= VGPU_SHARED_WINDOW)) {
		window = first & VGPU_WINDOW_MASK;
		if (p->spread & VGPU_WINDOW_MASK || (first | p->spread) & ~VGPU_WINDOW_MASK & ~0xffffffffull)
			goto other;
		in = window == VGPU_SHARED_WINDOW ? SHARED : window == VGPU_LOCAL_WINDOW ? LOCAL : GENERIC;
	}
	if (in >= SHARED) {
		u64 most = (first | p->spread) & 0xffffffffu;
		u32 limit = in == SHARED ? s->shared_bytes : s->local_bytes;

		if (window) {
			/* checked without the window, which is given back to addr[]: a fault says it */
			if (most + bytes > limit)
				goto other;
		} else if (out_of(s, bytes, most, limit)) {
			goto other;
		}
		if (in == SHARED) {
			p->delta = (u64)(unsigned long)s->shared - window;
			return MEM_DONE;
		}
		if (atomic)
			goto other;
		p->delta = (u64)(unsigned long)s->warp->local - window;
		EACH_VECTORQ(k)
			((vuq *)s->ptr)[k] = vuq_at(s->addr, k) + product(vuq_at(lane_iotaq, k), splatq(s->local_bytes));
		p->at = (const u64 *)s->ptr;
		p->spread = 1;
		return MEM_DONE;
	}
	if (p->spread >> VGPU_PAGE_SHIFT == 0) {
		if (first >= VGPU_ADDRESS_LIMIT)
			goto other;
		page = page_of(s, first, write);
		if (unlikely(!page))
			return translate(s, lane, bytes, write);
		s->segments += p->spread >> VGPU_SEGMENT_SHIFT ? segments_of_page(s) : 1;
		s->held = 0;
		p->delta = (u64)(unsigned long)page - (first & ~(VGPU_PAGE_SIZE - 1));
		return MEM_DONE;
	}
	if (p->spread >> (VGPU_SEGMENT_SHIFT + 31) == 0 && by_tlb(s, write)) {
		s->segments += segments_anywhere(s);
		s->held = 0;
		p->at = (const u64 *)s->ptr;
		p->delta = 0;
		return MEM_DONE;
	}
other:
	p->at = (const u64 *)s->ptr;
	p->delta = 0;
	return resolve(s, m, space, bytes, write, atomic);
}

#define LOAD_LANES(type, wider)									\
	do {											\
		wider *to = (wider *)out;							\
		for (u32 n = 0; n < count; n++, delta += sizeof(type), to += VGPU_LANES)	\
			UNROLL for (u32 l = 0; l < VGPU_LANES; l++) {				\
				wider v_ = (wider)*(const type *)(unsigned long)(at[l] + delta); \
				OPAQUE(v_);							\
				to[l] = v_;							\
			}									\
	} while (0)

/* All lanes, to @out on, which is no part of what is read. */
lanes_noinline void load_lanes(const struct place *p, u32 flags, u32 *out)
{
	u32 count = VGPU_F_COUNT(flags);
	const u64 *at = p->at;
	u64 delta = p->delta;

	switch (flags & (3 | VGPU_F_SEXT)) {
	case 0:
		LOAD_LANES(u8, u32);
		break;
	case 1:
		LOAD_LANES(u16, u32);
		break;
	case VGPU_F_SEXT:
		LOAD_LANES(s8, u32);
		break;
	case 1 | VGPU_F_SEXT:
		LOAD_LANES(s16, u32);
		break;
	case 2:
	case 2 | VGPU_F_SEXT:
		LOAD_LANES(u32, u32);
		break;
	default:
		LOAD_LANES(u64, u64);
	}
}

/* The place of lanes that do not execute becomes one where nobody looks: then all can be written. @at: room for it */
lanes_inline void aside(struct place *p, u64 *at, u32 m, const u64 *nowhere)
{
	vuq there = splatq((u64)(unsigned long)nowhere - p->delta);

	EACH_VECTORQ(k)
		((vuq *)at)[k] = chooseq(lanes_ofq(m, k), vuq_at(p->at, k), there);
	p->at = at;
}

/* In the order of the lanes: of several that write the same place the highest wins. */
#define STORE_LANES(type, wider, count)								\
	do {											\
		const wider *from = (const wider *)regs;					\
		UNROLL for (u32 l = 0; l < VGPU_LANES; l++) {					\
			type *to = (type *)(unsigned long)(at[l] + delta);			\
			for (u32 n = 0; n < (count); n++)					\
				to[n] = (type)from[n * VGPU_LANES + l];				\
		}										\
	} while (0)

lanes_noinline void store_lanes(const struct place *p, u32 flags, const u32 *regs)
{
	u32 count = VGPU_F_COUNT(flags);
	const u64 *at = p->at;
	u64 delta = p->delta;

	switch (flags & 15) {
	case 0:
		STORE_LANES(u8, u32, 1);
		break;
	case 1:
		STORE_LANES(u16, u32, 1);
		break;
	case 2:
		STORE_LANES(u32, u32, 1);
		break;
	case 3:
		STORE_LANES(u64, u64, 1);
		break;
	case 2 | 1 << 2:
		STORE_LANES(u32, u32, 2);
		break;
	case 2 | 2 << 2:
		STORE_LANES(u32, u32, 4);
		break;
	case 3 | 1 << 2:
		STORE_LANES(u64, u64, 2);
		break;
	case 1 << 2:
	case 2 << 2:
		STORE_LANES(u8, u32, count);
		break;
	default:
		STORE_LANES(u16, u32, count);
	}
}

lanes_inline u32 access_bytes(const struct vgpu_insn *i)
{
	return VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags);
}

/* ---- any load or store ------------------------------------------------------------------------------------------- */

lanes_noinline enum vgpu_lanes_end load_any(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	u32 slots = VGPU_F_COUNT(i->flags) << ((i->flags & 3) == 3);
	u32 *to = reg32(s, i->dst), scratch[4 * VGPU_LANES] __attribute__((aligned(64)));
	enum vgpu_lanes_end end;
	struct place p;

	addresses(s, i, m, space, i->flags & VGPU_F_ABS);
	end = locate(s, m, space, access_bytes(i), false, false, &p);
	if (unlikely(end != MEM_DONE))
		return end;
	if (m == FULL) {
		load_lanes(&p, i->flags, to);
		return MEM_DONE;
	}
	load_lanes(&p, i->flags, scratch);
	if ((i->flags & 3) == 3)
		for (u32 n = 0; n < slots; n += 2)
			blendq((u64 *)(to + n * VGPU_LANES), (const u64 *)(scratch + n * VGPU_LANES), m);
	else
		for (u32 n = 0; n < slots; n++)
			blend(to + n * VGPU_LANES, scratch + n * VGPU_LANES, m);
	return MEM_DONE;
}

lanes_noinline enum vgpu_lanes_end store_any(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	enum vgpu_lanes_end end;
	struct place p;

	addresses(s, i, m, space, i->flags & VGPU_F_ABS);
	end = locate(s, m, space, access_bytes(i), true, false, &p);
	if (unlikely(end != MEM_DONE))
		return end;
	if (m != FULL)
		aside(&p, s->x, m, s->y);
	store_lanes(&p, i->flags, reg32(s, i->b));
	return MEM_DONE;
}

/* ---- all lanes at one address, or each at the next word ------------------------------------------------------------ */

enum shape { SCATTERED, UNIFORM, ROW };

/* How the lanes' base registers lie to each other, for words of 1 << shift bytes. */
lanes_inline enum shape shape32(const u32 *a, u32 shift)
{
	vu same = {}, row = {};

	EACH_VECTOR(k) {
		vu d = ((const vu *)a)[k] - splat(a[0]);

		same |= d;
		row |= d ^ ((const vu *)lane_iota)[k] << shift;
	}
	return all_zero(row) ? ROW : all_zero(same) ? UNIFORM : SCATTERED;
}

lanes_inline enum shape shape64(const u64 *a, u32 shift)
{
	vuq same = {}, row = {};

	EACH_VECTORQ(k) {
		vuq d = ((const vuq *)a)[k] - splatq(a[0]);

		same |= d;
		row |= d ^ ((const vuq *)lane_iotaq)[k] << shift;
	}
	return all_zero((vu)row) ? ROW : all_zero((vu)same) ? UNIFORM : SCATTERED;
}

/*
 * The place of the first lane's bytes when all lanes are active and lie in one of those shapes, words of 4 or 8 bytes,
 * a row of single ones only, inside one page or shared memory. NULL: another case, or a page to be translated.
 */
lanes_inline u8 *shaped(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space, bool write,
			enum shape *shape)
{
	u32 shift = i->flags & 3, element = 1u << shift, bytes;
	u64 at, offset;
	u8 *p;

	if (m != FULL || shift < 2 || i->flags & VGPU_F_ABS)
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
		if (at & ((*shape == UNIFORM ? bytes : element) - 1) || at + bytes > s->shared_bytes)
			return NULL;
		return s->shared + at;
	}
	at = reg64(s, i->a)[0] + i->imm;
	offset = at & (VGPU_PAGE_SIZE - 1);
	if (at & ((*shape == UNIFORM ? bytes : element) - 1) || at >= VGPU_ADDRESS_LIMIT || offset + bytes > VGPU_PAGE_SIZE)
		return NULL;
	p = page_of(s, at, write);
	if (unlikely(!p))
		return NULL;
	s->held = 0;
	s->segments += ((offset + bytes - 1) >> VGPU_SEGMENT_SHIFT) - (offset >> VGPU_SEGMENT_SHIFT) + 1;
	return p + offset;
}

lanes_inline enum vgpu_lanes_end mem_load(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	enum shape shape;
	u8 *p = space == LOCAL ? NULL : shaped(s, i, m, space, false, &shape);

	if (!p) {
		if (space == SHARED && shared_words(i, m) &&
		    shared_load(s, reg32(s, i->a), (u32)i->imm, VGPU_F_COUNT(i->flags), reg32(s, i->dst)))
			return MEM_DONE;
		return load_any(s, i, m, space);
	}
	if (shape == ROW) {
		vu *to = (vu *)reg32(s, i->dst);

		EACH_VECTOR(k)
			to[k] = ((const vu_any *)p)[k];
		if ((i->flags & 3) == 3)
			EACH_VECTOR(k)
				to[NV + k] = ((const vu_any *)p)[NV + k];
	} else if ((i->flags & 3) == 2) {
		for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++) {
			vu *to = (vu *)reg32(s, i->dst + n), v = splat(((const u32 *)p)[n]);

			EACH_VECTOR(k)
				to[k] = v;
		}
	} else {
		for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++) {
			vuq *to = (vuq *)reg64(s, i->dst + 2 * n), v = splatq(((const u64 *)p)[n]);

			EACH_VECTORQ(k)
				to[k] = v;
		}
	}
	return MEM_DONE;
}

lanes_inline enum vgpu_lanes_end mem_store(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	enum shape shape;
	u8 *p = space == LOCAL ? NULL : shaped(s, i, m, space, true, &shape);
	const u32 *from = reg32(s, i->b);

	if (!p) {
		if (space == SHARED && shared_words(i, m) &&
		    shared_store(s, reg32(s, i->a), (u32)i->imm, VGPU_F_COUNT(i->flags), from))
			return MEM_DONE;
		return store_any(s, i, m, space);
	}
	if (shape == ROW) {
		EACH_VECTOR(k)
			((vu_any *)p)[k] = ((const vu *)from)[k];
		if ((i->flags & 3) == 3)
			EACH_VECTOR(k)
				((vu_any *)p)[NV + k] = ((const vu *)from)[NV + k];
	} else if ((i->flags & 3) == 2) {	/* the highest lane wins */
		for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++)
			((u32 *)p)[n] = reg32(s, i->b + n)[VGPU_LANES - 1];
	} else {
		for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++)
			((u64 *)p)[n] = reg64(s, i->b + 2 * n)[VGPU_LANES - 1];
	}
	return MEM_DONE;
}

/* ---- parameters, atomics ------------------------------------------------------------------------------------------- */

/* Parameters: one address for all lanes, in bounds by verification. */
lanes_noinline void mem_param(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const u8 *p = s->params + i->imm;
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);

	for (u32 n = 0; n < count; n++, p += size) {
		u64 v = size == 8 ? *(const u64 *)p : size == 4 ? *(const u32 *)p :
			size == 2 ? i->flags & VGPU_F_SEXT ? (u32)*(const s16 *)p : *(const u16 *)p :
			i->flags & VGPU_F_SEXT ? (u32)*(const s8 *)p : *p;

		if (size == 8) {
			vuq *to = (vuq *)reg64(s, i->dst + 2 * n);

			EACH_VECTORQ(k)
				to[k] = m == FULL ? splatq(v) : chooseq(lanes_ofq(m, k), splatq(v), to[k]);
		} else {
			vu *to = (vu *)reg32(s, i->dst + n);

			EACH_VECTOR(k)
				to[k] = m == FULL ? splat((u32)v) : choose(lanes_of(m, k), splat((u32)v), to[k]);
		}
	}
}

lanes_inline u32 atom32(u32 flags, u32 old, u32 b, u32 c)
{
	switch (VGPU_F_ATOM(flags)) {
	case VGPU_ATOM_ADD:
		if (flags & VGPU_F_ATOM_FLOAT) {
			float r = as_f(old) + as_f(b);

			return unlikely(r != r) ? NAN32 : bits_f(r);
		}
		return old + b;
	case VGPU_ATOM_MIN:
		if (flags & VGPU_F_ATOM_SIGNED)
			return (s32)old < (s32)b ? old : b;
		return old < b ? old : b;
	case VGPU_ATOM_MAX:
		if (flags & VGPU_F_ATOM_SIGNED)
			return (s32)old > (s32)b ? old : b;
		return old > b ? old : b;
	case VGPU_ATOM_AND:
		return old & b;
	case VGPU_ATOM_OR:
		return old | b;
	case VGPU_ATOM_XOR:
		return old ^ b;
	case VGPU_ATOM_EXCH:
		return b;
	case VGPU_ATOM_CAS:
		return old == b ? c : old;
	case VGPU_ATOM_INC:
		return old >= b ? 0 : old + 1;
	default:	/* DEC */
		return !old || old > b ? b : old - 1;
	}
}

lanes_inline u64 atom64(u32 flags, u64 old, u64 b, u64 c)
{
	switch (VGPU_F_ATOM(flags)) {
	case VGPU_ATOM_ADD:
		if (flags & VGPU_F_ATOM_FLOAT) {
			double r = as_d(old) + as_d(b);

			return unlikely(r != r) ? NAN64 : bits_d(r);
		}
		return old + b;
	case VGPU_ATOM_MIN:
		if (flags & VGPU_F_ATOM_SIGNED)
			return (s64)old < (s64)b ? old : b;
		return old < b ? old : b;
	case VGPU_ATOM_MAX:
		if (flags & VGPU_F_ATOM_SIGNED)
			return (s64)old > (s64)b ? old : b;
		return old > b ? old : b;
	case VGPU_ATOM_AND:
		return old & b;
	case VGPU_ATOM_OR:
		return old | b;
	case VGPU_ATOM_XOR:
		return old ^ b;
	case VGPU_ATOM_EXCH:
		return b;
	default:	/* CAS */
		return old == b ? c : old;
	}
}

/*
 * Lane by lane, lowest first: a float sum is the same in every run. All at one place: the value stays in a register.
 */
#define ATOMIC_LANES(type, f, flags)								\
	do {											\
		if (!p.spread) {								\
			type *q = (type *)(unsigned long)(p.at[0] + p.delta), v = *q;		\
			EACH_ACTIVE(l, m) {							\
				type new_ = f(flags, v, b[l], c[l]);				\
				out[l] = v;							\
				v = new_;							\
			}									\
			*q = v;									\
		} else if (m == FULL) {								\
			for (u32 l = 0; l < VGPU_LANES; l++) {					\
				type *q = (type *)(unsigned long)(p.at[l] + p.delta), old = *q;	\
				*q = f(flags, old, b[l], c[l]);					\
				out[l] = old;							\
			}									\
		} else {									\
			EACH_ACTIVE(l, m) {							\
				type *q = (type *)(unsigned long)(p.at[l] + p.delta), old = *q;	\
				*q = f(flags, old, b[l], c[l]);					\
				out[l] = old;							\
			}									\
		}										\
	} while (0)
#define ATOMIC_CASE(type, f, flags_)	case flags_: ATOMIC_LANES(type, f, flags_); break;

lanes_noinline enum vgpu_lanes_end mem_atomic(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	const u32 *b = reg32(s, i->b), *c = reg32(s, i->c);
	u32 *out = i->flags & VGPU_F_ATOM_NORET ? (u32 *)s->out : reg32(s, i->dst);
	enum vgpu_lanes_end end;
	struct place p;

	addresses(s, i, m, space, i->flags & VGPU_F_ATOM_ABS);
	end = locate(s, m, space, 4, true, true, &p);
	if (end != MEM_DONE)
		return end;
	switch (i->flags & (15 | VGPU_F_ATOM_SIGNED | VGPU_F_ATOM_FLOAT)) {
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_ADD)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_CAS)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_EXCH)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_MIN)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_MAX)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_MAX | VGPU_F_ATOM_SIGNED)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_AND)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_OR)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_XOR)
	ATOMIC_CASE(u32, atom32, VGPU_ATOM_INC)
	default:
		ATOMIC_LANES(u32, atom32, i->flags);
	}
	return MEM_DONE;
}

lanes_noinline enum vgpu_lanes_end mem_atomicq(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	const u64 *b = reg64(s, i->b), *c = reg64(s, i->c);
	u64 *out = i->flags & VGPU_F_ATOM_NORET ? s->out : reg64(s, i->dst);
	enum vgpu_lanes_end end;
	struct place p;

	addresses(s, i, m, space, i->flags & VGPU_F_ATOM_ABS);
	end = locate(s, m, space, 8, true, true, &p);
	if (end != MEM_DONE)
		return end;
	switch (i->flags & (15 | VGPU_F_ATOM_SIGNED | VGPU_F_ATOM_FLOAT)) {
	ATOMIC_CASE(u64, atom64, VGPU_ATOM_ADD)
	ATOMIC_CASE(u64, atom64, VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT)
	ATOMIC_CASE(u64, atom64, VGPU_ATOM_CAS)
	ATOMIC_CASE(u64, atom64, VGPU_ATOM_EXCH)
	ATOMIC_CASE(u64, atom64, VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED)
	ATOMIC_CASE(u64, atom64, VGPU_ATOM_MAX | VGPU_F_ATOM_SIGNED)
	default:
		ATOMIC_LANES(u64, atom64, i->flags);
	}
	return MEM_DONE;
}

#endif
