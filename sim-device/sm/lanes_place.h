/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where the bytes of an access lie: addresses of all lanes, checked and translated before the first byte moves, so that an
 * access that needs a translation or faults leaves no trace and can be restarted. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_PLACE_H
#define VGPU_LANES_PLACE_H

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

#endif
