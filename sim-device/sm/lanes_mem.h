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

/* addr[] of all lanes: base register a, or none, plus imm. Shared and local offsets wrap at 32 bits. */
lanes_inline void addresses(struct vgpu_lanes *s, const struct vgpu_insn *i, enum space space, bool absolute)
{
	vuq *d = (vuq *)s->addr;

	if (absolute) {
		u64 v = space >= SHARED ? (u32)i->imm : i->imm;

		EACH_VECTORQ(k)
			d[k] = splatq(v);
	} else if (space >= SHARED) {
		const u32 *a = reg32(s, i->a);
		u32 imm = (u32)i->imm;

		EACH_LANE(l)
			s->addr[l] = a[l] + imm;
	} else {
		const vuq *a = (const vuq *)reg64(s, i->a);

		EACH_VECTORQ(k)
			d[k] = a[k] + splatq(i->imm);
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
	s->held = 0;
	return MEM_DONE;
}

/* OR of how the lanes of @m differ from @first; 0: one address for all */
lanes_inline u64 spread(const struct vgpu_lanes *s, u32 m, u64 first)
{
	const vuq *a = (const vuq *)s->addr;
	vuq d = {};
	u64 all = 0;

	if (m == FULL)
		EACH_VECTORQ(k)
			d |= a[k] ^ splatq(first);
	else
		EACH_VECTORQ(k)
			d |= (a[k] ^ splatq(first)) & lanes_ofq(m, k);
	UNROLL for (u32 n = 0; n < LANES_VECTOR / 8; n++)
		all |= d[n];
	return all;
}

/* What an access is like when one range of memory takes it all */
struct range {
	u8 *at;		/* first active lane's bytes */
	u64 first;	/* its address */
	u64 spread;
};

/*
 * The common case: all active lanes in one page, or all in bounds of shared memory, and aligned. Returns MEM_DONE with
 * *r filled, or what resolve() would; r->at NULL: not that case.
 */
lanes_inline enum vgpu_lanes_end one_range(struct vgpu_lanes *s, u32 m, enum space space, u32 bytes, bool write,
					   struct range *r)
{
	u32 lane = (u32)__builtin_ctz(m);

	r->at = NULL;
	r->first = s->addr[lane];
	r->spread = spread(s, m, r->first);
	if (unlikely((r->first | r->spread) & (bytes - 1)))
		return MEM_DONE;
	if (space == SHARED) {
		/* the highest address any lane can have by the bits that vary */
		if ((r->first | r->spread) + bytes > s->shared_bytes)
			return MEM_DONE;
		r->at = s->shared + r->first;
		return MEM_DONE;
	}
	if (r->spread >> VGPU_PAGE_SHIFT || r->first >= VGPU_ADDRESS_LIMIT)
		return MEM_DONE;
	r->at = page_of(s, r->first, write);
	if (unlikely(!r->at))
		return translate(s, lane, bytes, write);
	s->held = 0;
	r->at += r->first & (VGPU_PAGE_SIZE - 1);
	return MEM_DONE;
}

lanes_inline void count_segments(struct vgpu_lanes *s, u32 m, const struct range *r)
{
	u32 touched = 0;

	if (r->spread >> VGPU_SEGMENT_SHIFT == 0) {
		s->segments++;
		return;
	}
	EACH_ACTIVE(l, m)
		touched |= 1u << (s->addr[l] >> VGPU_SEGMENT_SHIFT & 31);
	s->segments += popcount32(touched);
}

lanes_inline void pointers(struct vgpu_lanes *s, const struct range *r)
{
	u64 delta = (u64)(unsigned long)r->at - r->first;
	vuq *p = (vuq *)s->ptr;

	EACH_VECTORQ(k)
		p[k] = ((const vuq *)s->addr)[k] + splatq(delta);
}

#define LOAD_LANES(reg, type, step)								\
	do {											\
		for (u32 n = 0; n < count; n++) {						\
			__typeof__(reg(s, 0)) to = reg(s, i->dst + n * (step));			\
			if (m == FULL)								\
				for (u32 l = 0; l < VGPU_LANES; l++)				\
					to[l] = (__typeof__(*to))((const type *)s->ptr[l])[n];	\
			else									\
				EACH_ACTIVE(l, m)						\
					to[l] = (__typeof__(*to))((const type *)s->ptr[l])[n];	\
		}										\
	} while (0)

lanes_noinline void load_lanes(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 count = VGPU_F_COUNT(i->flags);

	switch (VGPU_F_SIZE(i->flags)) {
	case 1:
		if (i->flags & VGPU_F_SEXT)
			LOAD_LANES(reg32, s8, 1);
		else
			LOAD_LANES(reg32, u8, 1);
		break;
	case 2:
		if (i->flags & VGPU_F_SEXT)
			LOAD_LANES(reg32, s16, 1);
		else
			LOAD_LANES(reg32, u16, 1);
		break;
	case 4:
		LOAD_LANES(reg32, u32, 1);
		break;
	case 8:
		LOAD_LANES(reg64, u64, 2);
		break;
	}
}

/* In the order of the lanes: of several that write the same place the highest wins. */
#define STORE_LANES(reg, type, step)								\
	do {											\
		EACH_ACTIVE(l, m)								\
			for (u32 n = 0; n < count; n++)						\
				((type *)s->ptr[l])[n] = (type)reg(s, i->b + n * (step))[l];	\
	} while (0)

lanes_noinline void store_lanes(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 count = VGPU_F_COUNT(i->flags);

	switch (VGPU_F_SIZE(i->flags)) {
	case 1:
		STORE_LANES(reg32, u8, 1);
		break;
	case 2:
		STORE_LANES(reg32, u16, 1);
		break;
	case 4:
		STORE_LANES(reg32, u32, 1);
		break;
	case 8:
		STORE_LANES(reg64, u64, 2);
		break;
	}
}

lanes_inline u32 access_bytes(const struct vgpu_insn *i)
{
	return VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags);
}

/* ---- any load or store ------------------------------------------------------------------------------------------- */

lanes_noinline enum vgpu_lanes_end load_any(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	u32 bytes = access_bytes(i);
	enum vgpu_lanes_end end;
	struct range r = { NULL, 0, 0 };

	addresses(s, i, space, i->flags & VGPU_F_ABS);
	if (space != LOCAL) {
		end = one_range(s, m, space, bytes, false, &r);
		if (unlikely(end != MEM_DONE))
			return end;
	}
	if (!r.at) {
		end = resolve(s, m, space, bytes, false, false);
		if (unlikely(end != MEM_DONE))
			return end;
	} else {
		if (space != SHARED)
			count_segments(s, m, &r);
		pointers(s, &r);
	}
	load_lanes(s, i, m);
	return MEM_DONE;
}

lanes_noinline enum vgpu_lanes_end store_any(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
{
	u32 bytes = access_bytes(i);
	enum vgpu_lanes_end end;
	struct range r = { NULL, 0, 0 };

	addresses(s, i, space, i->flags & VGPU_F_ABS);
	if (space != LOCAL) {
		end = one_range(s, m, space, bytes, true, &r);
		if (unlikely(end != MEM_DONE))
			return end;
	}
	if (!r.at) {
		end = resolve(s, m, space, bytes, true, false);
		if (unlikely(end != MEM_DONE))
			return end;
	} else {
		if (space != SHARED)
			count_segments(s, m, &r);
		pointers(s, &r);
	}
	store_lanes(s, i, m);
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
	u64 buffer[2];

	__builtin_memcpy(buffer, p, access_bytes(i));
	EACH_ACTIVE(l, m)
		s->ptr[l] = (u8 *)buffer;
	load_lanes(s, i, m);
}

lanes_inline u32 atom32(u32 flags, u32 old, u32 b, u32 c)
{
	switch (VGPU_F_ATOM(flags)) {
	case VGPU_ATOM_ADD:
		if (flags & VGPU_F_ATOM_FLOAT) {
			float r = as_f(old) + as_f(b);

			return r != r ? NAN32 : bits_f(r);
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

			return r != r ? NAN64 : bits_d(r);
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

/* Lane by lane, lowest first: a float sum is the same in every run. */
lanes_noinline enum vgpu_lanes_end mem_atomic(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m,
					      enum space space, bool wide)
{
	bool noret = i->flags & VGPU_F_ATOM_NORET;
	enum vgpu_lanes_end end;

	addresses(s, i, space, i->flags & VGPU_F_ATOM_ABS);
	end = resolve(s, m, space, wide ? 8 : 4, true, true);
	if (end != MEM_DONE)
		return end;
	if (wide) {
		const u64 *b = reg64(s, i->b), *c = reg64(s, i->c);
		u64 *d = reg64(s, i->dst);

		EACH_ACTIVE(l, m) {
			u64 *p = (u64 *)s->ptr[l], old = *p;

			*p = atom64(i->flags, old, b[l], c[l]);
			if (!noret)
				d[l] = old;
		}
	} else {
		const u32 *b = reg32(s, i->b), *c = reg32(s, i->c);
		u32 *d = reg32(s, i->dst);

		EACH_ACTIVE(l, m) {
			u32 *p = (u32 *)s->ptr[l], old = *p;

			*p = atom32(i->flags, old, b[l], c[l]);
			if (!noret)
				d[l] = old;
		}
	}
	return MEM_DONE;
}

#endif
