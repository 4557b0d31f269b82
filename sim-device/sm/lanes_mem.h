/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loads, stores and atomics of a warp. All lanes' addresses are checked and translated before the first byte moves: an
 * access that needs a translation or faults leaves no trace and can be restarted. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_MEM_H
#define VGPU_LANES_MEM_H

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
	u64 page[VGPU_LANES];
	u32 touched[VGPU_LANES];	/* segments of it */
	u32 pages = 0, segments = 0;

	EACH_ACTIVE(l, m) {
		u64 a = s->addr[l], offset = a;
		enum space in = space;

		if (a & (bytes - 1))
			return mem_fault(s, VGPU_FAULT_MISALIGNED, l, bytes, write);
		if (in == GENERIC) {
			u64 window = a & VGPU_WINDOW_MASK;

			offset = a & ~VGPU_WINDOW_MASK;
			in = window == VGPU_SHARED_WINDOW ? SHARED : window == VGPU_LOCAL_WINDOW ? LOCAL : GLOBAL;
		}
		if (in == GLOBAL) {
			u32 n = pages;
			u8 *p;

			if (a >= VGPU_ADDRESS_LIMIT)
				return mem_fault(s, VGPU_FAULT_UNMAPPED, l, bytes, write);
			p = page_of(s, a, write);
			if (!p)
				return translate(s, l, bytes, write);
			s->ptr[l] = p + (a & (VGPU_PAGE_SIZE - 1));
			while (n && page[n - 1] != a >> VGPU_PAGE_SHIFT)
				n--;
			if (!n) {
				page[pages] = a >> VGPU_PAGE_SHIFT;
				touched[pages] = 0;
				n = ++pages;
			}
			touched[n - 1] |= 1u << (a >> VGPU_SEGMENT_SHIFT & 31);
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
	for (u32 n = 0; n < pages; n++)
		segments += popcount32(touched[n]);
	s->segments += segments;
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

/* Lane l is at first + l x bytes, for every lane? */
lanes_inline bool in_a_row(const struct vgpu_lanes *s, u64 first, u32 shift)
{
	const vuq *a = (const vuq *)s->addr;
	vuq d = {};
	u64 all = 0;

	EACH_VECTORQ(k) {
		vuq want;

		for (u32 n = 0; n < LANES_VECTOR / 8; n++)
			want[n] = (u64)(k * (LANES_VECTOR / 8) + (int)n) << shift;
		d |= a[k] ^ (want + splatq(first));
	}
	UNROLL for (u32 n = 0; n < LANES_VECTOR / 8; n++)
		all |= d[n];
	return !all;
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

lanes_inline enum vgpu_lanes_end mem_load(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
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
		if (end == MEM_DONE)
			load_lanes(s, i, m);
		return end;
	}
	if (space != SHARED)
		count_segments(s, m, &r);
	if (m == FULL && (i->flags & 15) == 2) {	/* 4 bytes, one element */
		vu *to = (vu *)reg32(s, i->dst);

		if (!r.spread) {
			vu v = splat(*(const u32 *)r.at);

			EACH_VECTOR(k)
				to[k] = v;
			return MEM_DONE;
		}
		if (in_a_row(s, r.first, 2)) {
			EACH_VECTOR(k)
				to[k] = ((const vu_any *)r.at)[k];
			return MEM_DONE;
		}
	} else if (m == FULL && (i->flags & 15) == 3) {
		vuq *to = (vuq *)reg64(s, i->dst);

		if (!r.spread) {
			vuq v = splatq(*(const u64 *)r.at);

			EACH_VECTORQ(k)
				to[k] = v;
			return MEM_DONE;
		}
		if (in_a_row(s, r.first, 3)) {
			EACH_VECTORQ(k)
				to[k] = ((const vuq_any *)r.at)[k];
			return MEM_DONE;
		}
	}
	pointers(s, &r);
	load_lanes(s, i, m);
	return MEM_DONE;
}

lanes_inline enum vgpu_lanes_end mem_store(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space)
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
		if (end == MEM_DONE)
			store_lanes(s, i, m);
		return end;
	}
	if (space != SHARED)
		count_segments(s, m, &r);
	if (m == FULL && (i->flags & 15) == 2 && in_a_row(s, r.first, 2)) {
		const vu *from = (const vu *)reg32(s, i->b);

		EACH_VECTOR(k)
			((vu_any *)r.at)[k] = from[k];
		return MEM_DONE;
	}
	if (m == FULL && (i->flags & 15) == 3 && in_a_row(s, r.first, 3)) {
		const vuq *from = (const vuq *)reg64(s, i->b);

		EACH_VECTORQ(k)
			((vuq_any *)r.at)[k] = from[k];
		return MEM_DONE;
	}
	pointers(s, &r);
	store_lanes(s, i, m);
	return MEM_DONE;
}

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
