/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where the bytes of an access lie: addresses of all lanes, checked and translated before the first
 * byte moves, so that an access that needs a translation or faults leaves no trace and can be
 * restarted. Part of impl.h.
 *
 * Offsets in shared and local memory are up to 56 bits of a program's choice. A processor that goes
 * on as if one were in range, before it knows, must not read there: they are masked, not only
 * compared (inside(), vgpu_index()). For global memory there is nothing to mask: what is taken from
 * an entry of the TLB is a page of this context whether or not it is the right one.
 */
#ifndef VGPU_LANES_PLACE_H
#define VGPU_LANES_PLACE_H

#include "vec.h"

enum space { GENERIC, GLOBAL, SHARED, LOCAL };

#define MEM_DONE VGPU_LANES_BUDGET /* of the functions here: the access has been made */

lanes_inline u32 *reg32(const struct vgpu_lanes *s, u32 n)
{
	return s->warp->regs + n * VGPU_LANES;
}

lanes_inline u64 *reg64(const struct vgpu_lanes *s, u32 n)
{
	return (u64 *)(s->warp->regs + n * VGPU_LANES);
}

lanes_noinline enum vgpu_lanes_end mem_fault(struct vgpu_lanes *s, u32 reason, u32 lane, u32 bytes,
					     bool write)
{
	s->reason = reason;
	s->lane = lane;
	s->address = s->addr[lane];
	s->bytes = bytes;
	s->write = write;
	return VGPU_LANES_FAULT;
}

/* The page of @address by the TLB or what is held for a restart; NULL: must be translated. */
lanes_inline u8 *page_of(struct vgpu_lanes *s, u64 address, bool write)
{
	u64 page = address >> VGPU_PAGE_SHIFT;
	const struct vgpu_tlb_entry *e = &s->tlb[page & (VGPU_TLB_ENTRIES - 1)];

	if (likely(e->page == page)) {
		u8 *p = write ? e->write : e->read;

		if (likely(p != NULL))
			return p;
	}
	e = vgpu_lanes_held(s, page);
	return likely(!e) ? NULL : write ? e->write : e->read;
}

/*
 * @lane has no translation: what is not in the TLB becomes an access of the lanes in @m, all of
 * whose addresses are in addr[]. Every path that finds a page missing ends here.
 */
lanes_noinline enum vgpu_lanes_end translate(struct vgpu_lanes *s, u32 m, u32 lane, u32 bytes,
					     bool write, bool atomic)
{
	/* what it becomes if there is no translation */
	mem_fault(s, VGPU_FAULT_UNMAPPED, lane, bytes, write);
	s->accessing = m;
	s->atomic = atomic;
	s->one_page = false;
	return VGPU_LANES_TRANSLATE;
}

/*
 * The highest lane in @m. Lanes that do not execute take its part: what holds for all then holds
 * for the access.
 */
lanes_inline u32 last_lane(u32 m)
{
	return VGPU_LANES - 1 - (u32)__builtin_clz(m);
}

/*
 * addr[] of all lanes: base register a, or none, plus imm. Shared and local offsets wrap at 32
 * bits.
 */
lanes_inline void addresses(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
			    enum space space, bool absolute)
{
	vuq *d = (vuq *)s->addr;
	u32 last = last_lane(m);

	if (absolute) {
		u64 v = space >= SHARED ? (u32)i->imm : i->imm;

		EACH_VECTORQ(k)
			d[k] = splatq(v);
	} else if (space >= SHARED) {
		const u32 *a = reg32(s, i->a);
		vu imm = splat((u32)i->imm), start = splat(a[last]);

		EACH_VECTOR(k) {
			vu o = choose(lanes_of(m, k), vu_at(a, k), start) + imm;

			d[2 * k] = widen(LOW_HALF(o));
			d[2 * k + 1] = widen(HIGH_HALF(o));
		}
	} else {
		const u64 *a = reg64(s, i->a);
		vuq imm = splatq(i->imm), start = splatq(a[last]);

		if (m == FULL)
			EACH_VECTORQ(k)
				d[k] = vuq_at(a, k) + imm;
		else
			EACH_VECTORQ(k)
				d[k] = chooseq(lanes_ofq(m, k), vuq_at(a, k), start) + imm;
	}
}

/*
 * The page with offset @offset of local memory, which is about to be written or read. NULL: to be
 * written, and there is none.
 */
lanes_inline u8 *local_page(const struct vgpu_lanes *s, u32 offset, bool write)
{
	u32 number = offset >> VGPU_LOCAL_SHIFT;
	const struct vgpu_local_page *table = s->warp->local[number / VGPU_LOCAL_TABLE];

	if (unlikely(!table || !table[number % VGPU_LOCAL_TABLE].memory))
		return write ? NULL : (u8 *)(unsigned long)s->zeros;
	return table[number % VGPU_LOCAL_TABLE].memory;
}

/* How many pages of 64 KB there are in @pages, numbers of pages of 4 KB, beyond one */
lanes_noinline u32 more_pages(const u64 *pages, u32 count)
{
	u32 shift = VGPU_COUNTED_PAGE_SHIFT - VGPU_PAGE_SHIFT, more = 0;

	for (u32 n = 1; n < count; n++) {
		u32 j = 0;

		while (j < n && (pages[j] ^ pages[n]) >> shift)
			j++;
		more += j == n;
	}
	return more;
}

/* Fill ptr[] and in_local of the lanes in @m, one by one: any mixture of spaces and pages. */
lanes_noinline enum vgpu_lanes_end resolve(struct vgpu_lanes *s, u32 m, enum space space, u32 bytes,
					   bool write, bool atomic)
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
			in = window == VGPU_SHARED_WINDOW ? SHARED :
			     window == VGPU_LOCAL_WINDOW  ? LOCAL :
							    GLOBAL;
		}
		if (in == GLOBAL) {
			if (a >= VGPU_ADDRESS_LIMIT)
				return mem_fault(s, VGPU_FAULT_UNMAPPED, l, bytes, write);
			base = page_of(s, a, write);
			if (!base)
				return translate(s, m, l, bytes, write, atomic);
			page = a >> VGPU_PAGE_SHIFT;
			s->ptr[l] = base + (a & (VGPU_PAGE_SIZE - 1));
			pages[count] = page;
			touched[count++] = 1u << (a >> VGPU_SEGMENT_SHIFT & 31);
		} else if (in == SHARED) {
			if (offset > s->shared_bytes || s->shared_bytes - offset < bytes)
				return mem_fault(s, VGPU_FAULT_SHARED_RANGE, l, bytes, write);
			s->ptr[l] = s->shared + vgpu_index(offset, s->shared_bytes);
		} else {
			if (atomic)
				return mem_fault(s, VGPU_FAULT_ADDRESS_SPACE, l, bytes, write);
			if (offset > s->local_bytes || s->local_bytes - offset < bytes)
				return mem_fault(s, VGPU_FAULT_LOCAL_RANGE, l, bytes, write);
			offset = vgpu_index(offset, s->local_bytes);
			base = local_page(s, (u32)offset, write);
			page = ~0ull;
			if (!base) {
				s->window = a - offset;
				translate(s, m, l, bytes, write, false);
				return VGPU_LANES_LOCAL;
			}
			s->ptr[l] = base + vgpu_in_local_page(l, (u32)offset);
			s->in_local |= 1u << l;
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
		s->ptr[l] = s->ptr[last_lane(m)];
	s->accesses += !!count;
	if (unlikely(s->count_pages) && count)
		s->more_pages += more_pages(pages, count);
	s->held = 0;
	return MEM_DONE;
}

/* ---- all lanes in one piece: a page, shared memory, the warp's local memory ---- */

struct place {
	/* lane l's bytes are at base + o[l]; where the piece begins if it does not execute */
	vu o[NV];
	u8 *base;
	u32 last;	/* o of the highest active lane */
	bool page;
	bool local;
};

/* Offsets in @p: all aligned, and so many bytes follow each? 0 where not, whatever is done then. */
lanes_inline bool inside(struct place *p, u32 bytes, u32 limit)
{
	vu most = splat(limit - bytes), bad = {};

	if (unlikely(limit < bytes))
		return false;
	EACH_VECTOR(k) {
		vu beyond = (vu)(p->o[k] > most);

		bad |= beyond | (p->o[k] & splat(bytes - 1));
		p->o[k] &= ~beyond;
	}
	p->last = vgpu_index(p->last, limit);
	return all_zero(bad);
}

/* @v in the lanes of @m, 0 in the others */
lanes_inline vu only(u32 m, int k, vu v)
{
	return m == FULL ? v : v & lanes_of(m, k);
}

/* From offsets in local memory, all in one page, to those in the page. */
lanes_inline bool in_one_local_page(const struct vgpu_lanes *s, u32 m, bool write, struct place *p)
{
	vu other = {};

	EACH_VECTOR(k) {
		other |= only(m, k, p->o[k] ^ splat(p->last));
		/* vgpu_in_local_page() */
		p->o[k] = (p->o[k] & (VGPU_LOCAL_SPAN - 4)) * VGPU_LANES |
			  vu_at(lane_iota, k) << 2 | (p->o[k] & 3);
	}
	if (!all_zero(other & ~(VGPU_LOCAL_SPAN - 1)))
		return false;
	p->base = local_page(s, p->last, write);
	p->last = vgpu_in_local_page(last_lane(m), p->last);
	p->local = true;
	return p->base != NULL;
}

lanes_inline bool near_window(const struct vgpu_lanes *s, u32 m, enum space space, u32 bytes,
			      bool write, bool atomic, struct place *p)
{
	if (space == SHARED) {
		p->base = s->shared;
		return inside(p, bytes, s->shared_bytes);
	}
	if (atomic || !inside(p, bytes, s->local_bytes))
		return false;
	return in_one_local_page(s, m, write, p);
}

/*
 * Find the place of an access whose lanes all lie in one piece. False: they do not, the page must
 * be translated, or it is a fault; nothing has happened.
 */
lanes_inline bool near(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
		       enum space space, u32 bytes, bool write, bool atomic, bool absolute,
		       struct place *p)
{
	u64 at, origin, wrong = ~(u64)(VGPU_PAGE_SIZE - 1) | (bytes - 1);
	u32 last = last_lane(m);
	vuq d[NVQ], any = {};
	enum space in = space;

	p->page = false;
	p->local = false;
	if (space >= SHARED) {
		const u32 *a = reg32(s, i->a);

		p->last = (absolute ? 0 : a[last]) + (u32)i->imm;
		if (absolute)
			EACH_VECTOR(k)
				p->o[k] = splat(p->last);
		else if (m == FULL)
			EACH_VECTOR(k)
				p->o[k] = vu_at(a, k) + splat((u32)i->imm);
		else
			EACH_VECTOR(k)
				p->o[k] = (vu_at(a, k) + splat((u32)i->imm)) & lanes_of(m, k);
		return near_window(s, m, space, bytes, write, atomic, p);
	}
	at = (absolute ? 0 : reg64(s, i->a)[last]) + i->imm;
	origin = at & ~(u64)(VGPU_PAGE_SIZE - 1);
	if (space == GENERIC && unlikely(at >= VGPU_SHARED_WINDOW)) {
		origin = at & VGPU_WINDOW_MASK;
		wrong = ~0xffffffffull;
		in = origin == VGPU_SHARED_WINDOW ? SHARED :
		     origin == VGPU_LOCAL_WINDOW  ? LOCAL :
						    GLOBAL;
	}
	if (unlikely(in == GENERIC || in == GLOBAL) && at >= VGPU_ADDRESS_LIMIT)
		return false;
	/* a glance at one saves most that are in vain */
	if (!absolute && unlikely((reg64(s, i->a)[__builtin_ctz(m)] + i->imm - origin) & wrong))
		return false;
	if (absolute)
		EACH_VECTORQ(k)
			d[k] = splatq(at - origin);
	else if (m == FULL)
		EACH_VECTORQ(k)
			d[k] = vuq_at(reg64(s, i->a), k) + splatq(i->imm - origin);
	else
		EACH_VECTORQ(k)
			d[k] = (vuq_at(reg64(s, i->a), k) + splatq(i->imm - origin)) &
			       lanes_ofq(m, k);
	EACH_VECTORQ(k)
		any |= d[k];
	if (!all_zero((vu)(any & splatq(wrong))))
		return false;
	EACH_VECTOR(k)
		p->o[k] = IN_ORDER(LOW_WORDS(d[2 * k], d[2 * k + 1]));
	p->last = (u32)(at - origin);
	if (space == GENERIC && unlikely(in >= SHARED))
		return near_window(s, m, in, bytes, write, atomic, p);
	p->page = true;
	p->base = page_of(s, at, write);
	return p->base != NULL;
}

/* Does each active lane lie behind the one before? Words of 1 << shift bytes. */
lanes_inline bool in_row(const struct place *p, u32 m, u32 shift)
{
	vu start = splat(p->last - (last_lane(m) << shift)), d = {};

	EACH_VECTOR(k)
		d |= only(m, k, p->o[k] ^ ((vu_at(lane_iota, k) << shift) + start));
	return all_zero(d);
}

/* Where the first lane of a row has its word, or would have it if it were active. */
lanes_inline u8 *row_start(const struct place *p, u32 m, u32 shift)
{
	return (u8 *)((unsigned long)p->base + p->last - (last_lane(m) << shift));
}

lanes_inline bool at_one_place(const struct place *p, u32 m)
{
	vu d = {};

	EACH_VECTOR(k)
		d |= only(m, k, p->o[k] ^ splat(p->last));
	return all_zero(d);
}

/* The access will be made: count its segments. */
lanes_inline void touch(struct vgpu_lanes *s, const struct place *p, u32 m)
{
	vu touched = {};
	u64 all = 0;

	if (!p->page)
		return;
	s->held = 0;
	EACH_VECTOR(k) {
		vu n = p->o[k] >> VGPU_SEGMENT_SHIFT;

#if LANES_VECTOR == 32
		touched |= only(m, k, splat(1) << n);
#else
		/* 2^n; 2^31 does not fit, which is the same bits */
		touched |= only(m, k, (vu)truncated_vf((vf)((n + 127) << 23)));
#endif
	}
	UNROLL for (u32 n = 0; n < LANES_VECTOR / 8; n++)
		all |= ((vuq)touched)[n];
	s->segments += popcount32((u32)(all | all >> 32));
	s->accesses++;
}

lanes_inline void touch_row(struct vgpu_lanes *s, const struct place *p, u32 m, u32 shift)
{
	u32 from = p->last - ((last_lane(m) - (u32)__builtin_ctz(m)) << shift);
	u32 more = (p->last >> VGPU_SEGMENT_SHIFT) - (from >> VGPU_SEGMENT_SHIFT);

	if (unlikely(more > 1 && m != FULL)) {	/* there may be nobody in between */
		touch(s, p, m);
		return;
	}
	if (p->page) {
		s->held = 0;
		s->segments += more + 1;
		s->accesses++;
	}
}

lanes_inline void touch_one(struct vgpu_lanes *s, const struct place *p)
{
	if (p->page) {
		s->held = 0;
		s->segments++;
		s->accesses++;
	}
}

/*
 * For those who go lane by lane: the offsets to the scratch array x. @to_last: lanes that do not
 * execute to that of the last.
 */
lanes_inline const u32 *offsets(struct vgpu_lanes *s, const struct place *p, u32 m, bool to_last)
{
	EACH_VECTOR(k)
		((vu *)s->x)[k] = to_last && m != FULL ?
					  choose(lanes_of(m, k), p->o[k], splat(p->last)) :
					  p->o[k];
	return (const u32 *)s->x;
}

/* ---- anywhere ----------------------------------------------------------- */

#if LANES_VECTOR == 32
typedef u16 vh __attribute__((vector_size(LANES_VECTOR)));

/* In both halves: elements turned by so many, or moved up, zeros below them */
#define TURNED(v, n)									\
	({ vh r_; __asm__("vpalignr %2, %1, %1, %0" : "=x"(r_) : "x"(v), "i"(2 * (n))); r_; })
#define MOVED(v, n)									\
	({ vh r_; __asm__("vpslldq %2, %1, %0" : "=x"(r_) : "x"(v), "i"(2 * (n))); r_; })
#define TWICE(v, half)                                                                           \
	((vh)__builtin_shufflevector((vuq)(v), (vuq)(v), 2 * (half), 2 * (half) + 1, 2 * (half), \
				     2 * (half) + 1))
#define HIGH_OF(v)	((vh)((vuq)(v) & (vuq){ 0, 0, ~0ull, ~0ull }))

lanes_inline u32 mask_of_bytes(vh v)
{
	typedef char vb __attribute__((vector_size(LANES_VECTOR)));

	return (u32)__builtin_ia32_pmovmskb256((vb)v);
}

/*
 * How many segments @n are, whose numbers differ in 15 bits only: the lanes whose segment no other
 * has that comes before, in an order which does not matter. All in registers: memory that has just
 * been written in other parts would have to be waited for.
 */
lanes_inline u32 different(const vu *n)
{
	vh a = (vh)(((n[0] & 0x7fff) | n[1] << 16) | 0x80008000u),
	   b = (vh)(((n[2] & 0x7fff) | n[3] << 16) | 0x80008000u);
	vh first = TWICE(a, 0), second = TWICE(a, 1), third = TWICE(b, 0);
	vh in_a = (vh)(a == first), in_b = (vh)(b == third);	/* counts in the high half only */
	vh again_a = {}, again_b = (vh)(b == first) | (vh)(b == second);

#define STEP(n) do {									\
		vh x = TURNED(first, n), y = TURNED(second, n), z = TURNED(third, n);	\
		in_a |= (vh)(a == x);							\
		in_b |= (vh)(b == z);							\
		again_b |= (vh)(b == x) | (vh)(b == y) | (vh)(b == MOVED(b, n));	\
		again_a |= (vh)(a == MOVED(a, n));					\
	} while (0)
	STEP(1);
	STEP(2);
	STEP(3);
	STEP(4);
	STEP(5);
	STEP(6);
	STEP(7);
#undef STEP
	again_a |= HIGH_OF(in_a);
	again_b |= HIGH_OF(in_b);
	return VGPU_LANES -
	       (popcount32(mask_of_bytes(again_a)) + popcount32(mask_of_bytes(again_b))) / 2;
}
#define BEFORE(v, below)	__builtin_shufflevector(below, v, 7, 8, 9, 10, 11, 12, 13, 14)
#else
#define BEFORE(v, below)	__builtin_shufflevector(below, v, 3, 4, 5, 6)
#endif

/*
 * How many segments addr[] has: the lanes whose segment no earlier lane has. Where segments ascend
 * only the lane before can have it. Works on 31 bits of a segment's number: above them (256 GB) all
 * lanes must be alike. @near: above 15.
 */
lanes_noinline u32 segments_anywhere(const struct vgpu_lanes *s, bool near)
{
	u32 numbers[2 * VGPU_LANES] __attribute__((aligned(64)));
	u32 *own = numbers + VGPU_LANES, same = 0, down = 0;
	vu n[NV], other;

	EACH_VECTOR(k)
		n[k] = IN_ORDER(LOW_WORDS(vuq_at(s->addr, 2 * k) >> VGPU_SEGMENT_SHIFT,
				 vuq_at(s->addr, 2 * k + 1) >> VGPU_SEGMENT_SHIFT));
	other = splat(n[0][0] ^ 0x80000000u);	/* what stands before the first lane is no lane's */
	EACH_VECTOR(k) {
		vu before = BEFORE(n[k], k ? n[k - 1] : other);

		same |= mask_of((vu)(n[k] == before)) << k * (LANES_VECTOR / 4);
		down |= mask_of((vu)((vs)n[k] < (vs)before)) << k * (LANES_VECTOR / 4);
	}
	if (!(down & ~1u))
		return VGPU_LANES - popcount32(same);
#if LANES_VECTOR == 32
	if (near)
		return different(n);
#else
	(void)near;
#endif
	EACH_VECTOR(k) {
		((vu *)numbers)[k] = other;
		((vu *)own)[k] = n[k];
	}
	same = 0;
	for (int k = 0; k < NV; k++) {
		vu found = {};

		for (int back = 1; back < (k + 1) * (LANES_VECTOR / 4); back++)
			found |= (vu)(n[k] ==
				      *(const vu_any *)(own - back + k * (LANES_VECTOR / 4)));
		same |= mask_of(found) << k * (LANES_VECTOR / 4);
	}
	return VGPU_LANES - popcount32(same);
}

#if LANES_VECTOR == 32
typedef u64 vq2_any __attribute__((vector_size(16), aligned(8)));

/* The 16 bytes at each of two addresses */
lanes_inline vuq two_words(u64 a, u64 b)
{
	return __builtin_shufflevector(*(const vq2_any *)(unsigned long)a,
				       *(const vq2_any *)(unsigned long)b, 0, 1, 2, 3);
}

#define FIRST_WORDS(a, b)	__builtin_shufflevector(a, b, 0, 4, 2, 6)
#define SECOND_WORDS(a, b)	__builtin_shufflevector(a, b, 1, 5, 3, 7)
#else
#define FIRST_WORDS(a, b)	__builtin_shufflevector(a, b, 0, 2)
#define SECOND_WORDS(a, b)	__builtin_shufflevector(a, b, 1, 3)
#endif

/*
 * Each lane by the TLB alone; false: one of them needs more. Fills ptr[]. What is mapped can be
 * read.
 */
lanes_inline bool by_tlb(struct vgpu_lanes *s, bool write)
{
#if LANES_VECTOR == 32
	vuq wrong = {};

	_Static_assert(sizeof(struct vgpu_tlb_entry) == 24 &&
			       offsetof(struct vgpu_tlb_entry, read) == 8 &&
			       offsetof(struct vgpu_tlb_entry, write) == 16,
		       "two neighbours are read at once");
	EACH_VECTORQ(k) {
		vuq n = vuq_at(s->addr, k) >> VGPU_PAGE_SHIFT & (VGPU_TLB_ENTRIES - 1);

		((vuq *)s->x)[k] = (n << 3) + (n << 4) + splatq((u64)(unsigned long)s->tlb);
	}
	EACH_VECTORQ(k) {
		const u64 *at = s->x + k * 4;
		vuq a = two_words(at[0], at[2]), b = two_words(at[1], at[3]), p;

		wrong |= FIRST_WORDS(a, b) ^ vuq_at(s->addr, k) >> VGPU_PAGE_SHIFT;
		if (write) {
			a = two_words(at[0] + 8, at[2] + 8);
			b = two_words(at[1] + 8, at[3] + 8);
		}
		p = SECOND_WORDS(a, b);
		if (write)
			wrong |= (vuq)(p == 0);
		((vuq *)s->ptr)[k] = p + (vuq_at(s->addr, k) & (VGPU_PAGE_SIZE - 1));
	}
	return all_zero((vu)wrong);
#else
	u64 wrong = 0;

	UNROLL for (u32 l = 0; l < VGPU_LANES; l++) {
		u64 page = s->addr[l] >> VGPU_PAGE_SHIFT;
		const struct vgpu_tlb_entry *e = &s->tlb[page & (VGPU_TLB_ENTRIES - 1)];
		u8 *p = write ? e->write : e->read;

		wrong |= e->page ^ page;
		if (write)
			wrong |= !p;
		s->ptr[l] = p;
	}
	EACH_VECTORQ(k)
		((vuq *)s->ptr)[k] += vuq_at(s->addr, k) & (VGPU_PAGE_SIZE - 1);
	return !wrong;
#endif
}

/* Each lane in another page of local memory; false: one is missing, or it is a fault. */
lanes_inline bool by_local_pages(struct vgpu_lanes *s, u32 m, u32 bytes, bool write)
{
	if (s->local_bytes < bytes)
		return false;
	EACH_ACTIVE(l, m) {
		u32 offset = (u32)s->addr[l];
		u8 *base;

		if (offset & (bytes - 1) || offset > s->local_bytes - bytes)
			return false;
		offset = vgpu_index(offset, s->local_bytes);
		base = local_page(s, offset, write);
		if (!base)
			return false;
		s->ptr[l] = base + vgpu_in_local_page(l, offset);
	}
	EACH_ACTIVE(l, ~m)
		s->ptr[l] = s->ptr[last_lane(m)];
	s->in_local = m;
	return true;
}

/*
 * Where an access goes that near() is not for: fills ptr[]. What common cases do not have goes to
 * resolve(), which also finds out what is wrong and where.
 */
lanes_noinline enum vgpu_lanes_end far(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
				       enum space space, u32 bytes, bool write, bool atomic,
				       bool absolute)
{
	vuq spread = {}, odd = {};

	addresses(s, i, m, space, absolute);
	s->in_local = 0;
	s->work += space == LOCAL ? VGPU_WORK_SPREAD : 0;
	if (space == LOCAL && !atomic && by_local_pages(s, m, bytes, write))
		return MEM_DONE;
	if (space >= SHARED)
		return resolve(s, m, space, bytes, write, atomic);
	EACH_VECTORQ(k) {
		spread |= vuq_at(s->addr, k) ^ splatq(s->addr[0]);
		odd |= vuq_at(s->addr, k);
	}
	if (!all_zero((vu)((spread & splatq(~0ull << (VGPU_SEGMENT_SHIFT + 31))) |
			   (odd & splatq(bytes - 1)))) ||
	    !by_tlb(s, write))
		return resolve(s, m, space, bytes, write, atomic);
	s->segments += segments_anywhere(
		s, all_zero((vu)(spread & splatq(~0ull << (VGPU_SEGMENT_SHIFT + 15)))));
	s->accesses++;
	if (unlikely(s->count_pages)) {
		u64 pages[VGPU_LANES];
		u32 count = 0;

		EACH_ACTIVE(l, m)
			pages[count++] = s->addr[l] >> VGPU_PAGE_SHIFT;
		s->more_pages += more_pages(pages, count);
	}
	s->held = 0;
	return MEM_DONE;
}

/* The atomic at which the warp stands waits until no other SM is executed. */
lanes_noinline enum vgpu_lanes_end not_apart(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
					     enum space space, u32 bytes)
{
	addresses(s, i, m, space, i->flags & VGPU_F_ATOM_ABS);
	return translate(s, m, (u32)__builtin_ctz(m), bytes, true, true);
}

#endif
