/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Atomics of a warp, at the places that place.h finds: lane by lane, lowest first, so that
 * even sums of floats are the same in every run. Only one thread uses atomics of memory of the
 * device at a time (struct vgpu_lanes.apart); that of the host is used by processes and other
 * devices meanwhile. Part of impl.h.
 */
#ifndef VGPU_LANES_ATOMIC_H
#define VGPU_LANES_ATOMIC_H

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

/* ---- all lanes at once -------------------------------------------------- */

lanes_inline vu atomv(u32 flags, vu old, vu b, vu c)
{
	switch (VGPU_F_ATOM(flags)) {
	case VGPU_ATOM_ADD:
		return flags & VGPU_F_ATOM_FLOAT ? canonical_v((vu)((vf)old + (vf)b)) : old + b;
	case VGPU_ATOM_MIN:
		return choose(flags & VGPU_F_ATOM_SIGNED ? (vu)((vs)old < (vs)b) : (vu)(old < b),
			      old, b);
	case VGPU_ATOM_MAX:
		return choose(flags & VGPU_F_ATOM_SIGNED ? (vu)((vs)old > (vs)b) : (vu)(old > b),
			      old, b);
	case VGPU_ATOM_AND:
		return old & b;
	case VGPU_ATOM_OR:
		return old | b;
	case VGPU_ATOM_XOR:
		return old ^ b;
	case VGPU_ATOM_EXCH:
		return b;
	case VGPU_ATOM_CAS:
		return choose((vu)(old == b), c, old);
	case VGPU_ATOM_INC:
		return (old + 1) & (vu)(old < b);
	default:	/* DEC */
		return choose((vu)(old == 0) | (vu)(old > b), b, old - 1);
	}
}

lanes_inline vuq atomvq(u32 flags, vuq old, vuq b, vuq c)
{
	switch (VGPU_F_ATOM(flags)) {
	case VGPU_ATOM_ADD:
		return flags & VGPU_F_ATOM_FLOAT ? canonical_vq((vuq)((vd)old + (vd)b)) : old + b;
	case VGPU_ATOM_MIN:
		return chooseq(flags & VGPU_F_ATOM_SIGNED ? (vuq)((vsq)old < (vsq)b) :
							    (vuq)(old < b),
			       old, b);
	case VGPU_ATOM_MAX:
		return chooseq(flags & VGPU_F_ATOM_SIGNED ? (vuq)((vsq)old > (vsq)b) :
							    (vuq)(old > b),
			       old, b);
	case VGPU_ATOM_AND:
		return old & b;
	case VGPU_ATOM_OR:
		return old | b;
	case VGPU_ATOM_XOR:
		return old ^ b;
	case VGPU_ATOM_EXCH:
		return b;
	default:	/* CAS */
		return chooseq((vuq)(old == b), c, old);
	}
}

#if LANES_VECTOR == 32
#define UP1(v, below)	__builtin_shufflevector(below, v, 0, 8, 9, 10, 11, 12, 13, 14)
#define UP2(v, below)	__builtin_shufflevector(below, v, 0, 1, 8, 9, 10, 11, 12, 13)
#define UP4(v, below)	__builtin_shufflevector(below, v, 0, 1, 2, 3, 8, 9, 10, 11)
#define UP1Q(v, below)	__builtin_shufflevector(below, v, 0, 4, 5, 6)
#define UP2Q(v, below)	__builtin_shufflevector(below, v, 0, 1, 4, 5)

/*
 * Integers at one place that holds @v: what lanes find there is what those before them make
 * together, whatever the order in which that is worked out. @none: the operand that changes
 * nothing. Returns what is left there.
 */
lanes_inline u32 scan(u32 flags, u32 v, const u32 *b, u32 m, u32 none_, u32 *out)
{
	vu none = splat(none_), before = splat(v);

	EACH_VECTOR(k) {
		vu x = m == FULL ? vu_at(b, k) : choose(lanes_of(m, k), vu_at(b, k), none), found;

		x = atomv(flags, x, UP1(x, none), none);
		x = atomv(flags, x, UP2(x, none), none);
		x = atomv(flags, x, UP4(x, none), none);
		found = atomv(flags, before, UP1(x, none), none);
		((vu *)out)[k] = m == FULL ? found : choose(lanes_of(m, k), found, vu_at(out, k));
		before = atomv(flags, before, splat(x[7]), none);
	}
	return before[0];
}

lanes_inline u64 scanq(u32 flags, u64 v, const u64 *b, u32 m, u64 none_, u64 *out)
{
	vuq none = splatq(none_), before = splatq(v);

	EACH_VECTORQ(k) {
		vuq x = m == FULL ? vuq_at(b, k) : chooseq(lanes_ofq(m, k), vuq_at(b, k), none),
		    found;

		x = atomvq(flags, x, UP1Q(x, none), none);
		x = atomvq(flags, x, UP2Q(x, none), none);
		found = atomvq(flags, before, UP1Q(x, none), none);
		((vuq *)out)[k] =
			m == FULL ? found : chooseq(lanes_ofq(m, k), found, vuq_at(out, k));
		before = atomvq(flags, before, splatq(x[3]), none);
	}
	return before[0];
}

/* The operand that changes nothing; has it one? Sums of floats depend on the order. */
lanes_inline bool no_operand(u32 flags, bool wide, u64 *none)
{
	u64 top = wide ? 1ull << 63 : 1ull << 31;

	switch (VGPU_F_ATOM(flags)) {
	case VGPU_ATOM_ADD:
		*none = 0;
		return !(flags & VGPU_F_ATOM_FLOAT);
	case VGPU_ATOM_OR:
	case VGPU_ATOM_XOR:
		*none = 0;
		return true;
	case VGPU_ATOM_AND:
		*none = ~0ull;
		return true;
	case VGPU_ATOM_MIN:
		*none = flags & VGPU_F_ATOM_SIGNED ? top - 1 : ~0ull;
		return true;
	case VGPU_ATOM_MAX:
		*none = flags & VGPU_F_ATOM_SIGNED ? top : 0;
		return true;
	default:
		return false;
	}
}
#endif

/* @DO for the operation that @flags say, as a constant */
#define BY_OPERATION(flags, DO)									\
	switch ((flags) & (15 | VGPU_F_ATOM_SIGNED | VGPU_F_ATOM_FLOAT)) {			\
	case VGPU_ATOM_ADD: DO(VGPU_ATOM_ADD); break;						\
	case VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT: DO(VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT); break;	\
	case VGPU_ATOM_CAS: DO(VGPU_ATOM_CAS); break;						\
	case VGPU_ATOM_EXCH: DO(VGPU_ATOM_EXCH); break;						\
	case VGPU_ATOM_MIN: DO(VGPU_ATOM_MIN); break;						\
	case VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED: DO(VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED); break;	\
	case VGPU_ATOM_MAX: DO(VGPU_ATOM_MAX); break;						\
	case VGPU_ATOM_MAX | VGPU_F_ATOM_SIGNED: DO(VGPU_ATOM_MAX | VGPU_F_ATOM_SIGNED); break;	\
	case VGPU_ATOM_AND: DO(VGPU_ATOM_AND); break;						\
	case VGPU_ATOM_OR: DO(VGPU_ATOM_OR); break;						\
	case VGPU_ATOM_XOR: DO(VGPU_ATOM_XOR); break;						\
	case VGPU_ATOM_INC: DO(VGPU_ATOM_INC); break;						\
	default: DO(flags);									\
	}

/* A row of words at @p: no two lanes meet. */
#define ROW_ALL(flags)										\
	EACH_VECTOR(k) {									\
		vu old = ((const vu_any *)p)[k];						\
		((vu_any *)p)[k] = atomv(flags, old, vu_at(b, k), vu_at(c, k));			\
		((vu *)out)[k] = old;								\
	}
#define ROW_ALLQ(flags)										\
	EACH_VECTORQ(k) {									\
		vuq old = (vuq)((const vu_any *)p)[k];						\
		((vu_any *)p)[k] = (vu)atomvq(flags, old, vuq_at(b, k), vuq_at(c, k));		\
		((vuq *)out)[k] = old;								\
	}

lanes_noinline void atomic_row_full(u8 *p, u32 flags, const u32 *b, const u32 *c, u32 *out)
{
	BY_OPERATION(flags, ROW_ALL)
}

lanes_noinline void atomic_row_fullq(u8 *p, u32 flags, const u64 *b, const u64 *c, u64 *out)
{
	BY_OPERATION(flags, ROW_ALLQ)
}

/* Some lanes: in a row of scratch */
lanes_inline void atomic_row(struct vgpu_lanes *s, u8 *p, u32 flags, const u32 *b, const u32 *c,
			     u32 *out, u32 m)
{
	u32 *row = (u32 *)s->y, *found = (u32 *)s->z;

	if (m == FULL) {
		atomic_row_full(p, flags, b, c, out);
		return;
	}
	load_some(row, p, 2, m);
	atomic_row_full((u8 *)row, flags, b, c, found);
	store_some(p, row, 2, m);
	blend(out, found, m);
}

lanes_inline void atomic_rowq(struct vgpu_lanes *s, u8 *p, u32 flags, const u64 *b, const u64 *c,
			      u64 *out, u32 m)
{
	if (m == FULL) {
		atomic_row_fullq(p, flags, b, c, out);
		return;
	}
	load_some((u32 *)s->y, p, 3, m);
	atomic_row_fullq((u8 *)s->y, flags, b, c, s->z);
	store_some(p, (const u32 *)s->y, 3, m);
	blendq(out, s->z, m);
}

/* All at one place: the value stays in a register. */
#define ONE(type, f, flags)									\
	do {											\
		type v = *(type *)p;								\
		EACH_ACTIVE(l, m) {								\
			type new_ = f(flags, v, b[l], c[l]);					\
			out[l] = v;								\
			v = new_;								\
		}										\
		*(type *)p = v;									\
	} while (0)
#define ONE32(flags)	ONE(u32, atom32, flags)
#define ONE64(flags)	ONE(u64, atom64, flags)
#define SCAN32(flags)	*(u32 *)p = scan(flags, *(u32 *)p, b, m, (u32)none, out)
#define SCAN64(flags)	*(u64 *)p = scanq(flags, *(u64 *)p, b, m, none, out)

/*
 * One sum after the other, without a look at each: a NaN stays one, so that the last shows whether
 * there was any. False: there was, nothing has happened. @found: scratch, because operands and
 * result may be one register.
 */
#define SUM_ONE(name, type, real, bits, as, blend, found_)					\
	lanes_inline bool name(u8 *p, const type *b, type *out, u32 m, type *found)		\
	{											\
		real v = as(*(type *)p);							\
		EACH_ACTIVE(l, m) {								\
			found[l] = bits(v);							\
			v += as(b[l]);								\
		}										\
		if (unlikely(v != v))								\
			return false;								\
		*(type *)p = bits(v);								\
		blend(out, found, m);								\
		return true;									\
	}
SUM_ONE(sum_one, u32, float, bits_f, as_f, blend, found)
SUM_ONE(sum_oneq, u64, double, bits_d, as_d, blendq, found)
#undef SUM_ONE

/* Each finds what the one before left. */
lanes_inline void exchange_one(u8 *p, const u32 *b, u32 *out)
{
	u32 v = *(u32 *)p, left = b[VGPU_LANES - 1];

	/* downwards: operand and result may be one register */
	for (int k = NV - 1; k > 0; k--)
		((vu *)out)[k] = *(const vu_any *)(b + k * (LANES_VECTOR / 4) - 1);
	for (u32 l = LANES_VECTOR / 4 - 1; l > 0; l--)
		out[l] = b[l - 1];
	out[0] = v;
	*(u32 *)p = left;
}

/* Mostly one lane finds what it compares with, or none. False: more do, nothing has happened. */
lanes_inline bool compare_one(u8 *p, const u32 *b, const u32 *c, u32 *out, u32 m)
{
	u32 v = *(u32 *)p, equal = 0, again = 0, at, left;

	EACH_VECTOR(k)
		equal |= mask_of((vu)(vu_at(b, k) == splat(v))) << k * (LANES_VECTOR / 4);
	equal &= m;
	if (!equal) {
		EACH_VECTOR(k)
			((vu *)out)[k] = choose(lanes_of(m, k), splat(v), vu_at(out, k));
		return true;
	}
	at = (u32)__builtin_ctz(equal);
	left = c[at];
	EACH_VECTOR(k)
		again |= mask_of((vu)(vu_at(b, k) == splat(left))) << k * (LANES_VECTOR / 4);
	if (again & m & ~((2u << at) - 1))
		return false;
	EACH_VECTOR(k) {
		vu found = choose((vu)((vs)vu_at(lane_iota, k) > (vs)splat(at)), splat(left),
				  splat(v));

		((vu *)out)[k] = choose(lanes_of(m, k), found, vu_at(out, k));
	}
	*(u32 *)p = left;
	return true;
}

lanes_noinline void atomic_one(struct vgpu_lanes *s, u8 *p, u32 flags, const u32 *b, const u32 *c,
			       u32 *out, u32 m)
{
	u32 operation = VGPU_F_ATOM(flags);
#if LANES_VECTOR == 32
	u64 none;

	if (no_operand(flags, false, &none)) {
		BY_OPERATION(flags, SCAN32)
		return;
	}
#endif
	if (operation == VGPU_ATOM_ADD && flags & VGPU_F_ATOM_FLOAT &&
	    sum_one(p, b, out, m, (u32 *)s->y))
		return;
	if (operation == VGPU_ATOM_CAS && compare_one(p, b, c, out, m))
		return;
	if (operation == VGPU_ATOM_EXCH && m == FULL) {
		exchange_one(p, b, out);
		return;
	}
	BY_OPERATION(flags, ONE32)
}

lanes_noinline void atomic_oneq(struct vgpu_lanes *s, u8 *p, u32 flags, const u64 *b, const u64 *c,
				u64 *out, u32 m)
{
#if LANES_VECTOR == 32
	u64 none;

	if (no_operand(flags, true, &none)) {
		BY_OPERATION(flags, SCAN64)
		return;
	}
#endif
	if (VGPU_F_ATOM(flags) == VGPU_ATOM_ADD && flags & VGPU_F_ATOM_FLOAT &&
	    sum_oneq(p, b, out, m, s->y))
		return;
	BY_OPERATION(flags, ONE64)
}

/*
 * Lane by lane. What four find is written at once: results between the stores to memory would make
 * those slower.
 */
#define LANE_BY_LANE(type, f, flags)							\
	do {										\
		if (m == FULL) {							\
			for (u32 l = 0; l < VGPU_LANES; l += 4) {			\
				type old[4];						\
				UNROLL for (u32 n = 0; n < 4; n++) {			\
					type *q = (type *)lane_at(at, l + n);		\
					old[n] = *q;					\
					OPAQUE(old[n]);					\
					*q = f(flags, old[n], b[l + n], c[l + n]);	\
				}							\
				UNROLL for (u32 n = 0; n < 4; n++)			\
					out[l + n] = old[n];				\
			}								\
		} else {								\
			EACH_ACTIVE(l, m) {						\
				type *q = (type *)lane_at(at, l), old = *q;		\
				*q = f(flags, old, b[l], c[l]);				\
				out[l] = old;						\
			}								\
		}									\
	} while (0)
#define EACH32(flags)	LANE_BY_LANE(u32, atom32, flags)
#define EACH64(flags)	LANE_BY_LANE(u64, atom64, flags)

/* Sums that nobody looks at, as histograms have them */
#define SUM_EACH(type)										\
	if (m == FULL && (flags & (15 | VGPU_F_ATOM_FLOAT | VGPU_F_ATOM_NORET)) == (VGPU_ATOM_ADD \
		| VGPU_F_ATOM_NORET)) { \
		UNROLL for (u32 l = 0; l < VGPU_LANES; l++)					\
			*(type *)lane_at(at, l) += b[l];					\
		return;										\
	}

#define EACH_OF(name, type, DO)									\
	lanes_noinline void name##_near(u8 *base, const u32 *offset, u32 flags, const type *b, \
		const type *c, type *out, u32 m) \
	{											\
		const struct lanes_at at_ = { .base = base, .offset = offset }, *at = &at_;	\
		SUM_EACH(type)									\
		BY_OPERATION(flags, DO)								\
	}											\
	lanes_noinline void name##_far(u8 *const *ptr, u32 flags, const type *b, const type *c, \
		type *out, u32 m) \
	{											\
		const struct lanes_at at_ = { .ptr = ptr }, *at = &at_;				\
		SUM_EACH(type)									\
		BY_OPERATION(flags, DO)								\
	}
EACH_OF(atomic_each, u32, EACH32)
EACH_OF(atomic_eachq, u64, EACH64)
#undef EACH_OF

/*
 * Where processes and other devices may use the same word at the same time: on the host; and with
 * system scope anywhere, as a process may still access a page that has just gone to the device
 */
#define ATOMIC_ON_HOST(name, type, f)								\
	lanes_noinline void name(u8 *const *ptr, u32 flags, const type *b, const type *c, \
		type *out, u32 m) \
	{											\
		EACH_ACTIVE(l, m) {								\
			type *q = (type *)ptr[l], old = __atomic_load_n(q, __ATOMIC_RELAXED);	\
			type new_;								\
			do									\
				new_ = f(flags, old, b[l], c[l]);				\
			while (!__atomic_compare_exchange_n(q, &old, new_, false, \
							    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
			out[l] = old;								\
		}										\
	}
ATOMIC_ON_HOST(atomic_on_host, u32, atom32)
ATOMIC_ON_HOST(atomic_on_hostq, u64, atom64)
#undef ATOMIC_ON_HOST

/* For few lanes it is not worth to look how they lie. */
#define FEW(m)	(popcount32(m) <= 4)

#define ATOMIC(shift, row, one, each, concurrent)						\
	do {											\
		bool absolute = i->flags & VGPU_F_ATOM_ABS;					\
		struct place p;									\
		if (unlikely((s->held && s->on_host) ||						\
			     VGPU_MEM_SCOPE(i->mem) == VGPU_SCOPE_SYS)) {			\
			enum vgpu_lanes_end end = far(s, i, m, space, 1u << shift, true, true, \
				absolute); \
			if (likely(end == MEM_DONE))						\
				concurrent(s->ptr, i->flags, b, c, out, m);			\
			return end;								\
		}										\
		if (!near(s, i, m, space, 1u << shift, true, true, absolute, &p)) {		\
			enum vgpu_lanes_end end = far(s, i, m, space, 1u << shift, true, true, \
				absolute); \
			if (unlikely(end != MEM_DONE))						\
				return end;							\
		} else if (FEW(m)) {								\
			touch(s, &p, m);							\
			each##_near(p.base, offsets(s, &p, m, false), i->flags, b, c, out, m);	\
			return MEM_DONE;							\
		} else if (absolute || ends_meet(s, i, m, space)) {				\
			if (at_one_place(&p, m)) {						\
				touch_one(s, &p);						\
				one(s, p.base + p.last, i->flags, b, c, out, m);		\
				return MEM_DONE;						\
			}									\
			touch(s, &p, m);							\
			each##_near(p.base, offsets(s, &p, m, false), i->flags, b, c, out, m);	\
			return MEM_DONE;							\
		} else if ((m == FULL || SOME_IN_ROW) && in_row(&p, m, shift)) {		\
			touch_row(s, &p, m, shift);						\
			row(s, row_start(&p, m, shift), i->flags, b, c, out, m);		\
			return MEM_DONE;							\
		} else {									\
			touch(s, &p, m);							\
			each##_near(p.base, offsets(s, &p, m, false), i->flags, b, c, out, m);	\
			return MEM_DONE;							\
		}										\
		each##_far(s->ptr, i->flags, b, c, out, m);					\
		return MEM_DONE;								\
	} while (0)

lanes_noinline enum vgpu_lanes_end mem_atomic(struct vgpu_lanes *s, const struct vgpu_insn *i,
					      u32 m, enum space space)
{
	const u32 *b = reg32(s, i->b), *c = reg32(s, i->c);
	u32 *out = i->flags & VGPU_F_ATOM_NORET ? (u32 *)s->out : reg32(s, i->dst);

	if (unlikely(s->apart) && space != SHARED)
		return not_apart(s, i, m, space, 4);
	ATOMIC(2, atomic_row, atomic_one, atomic_each, atomic_on_host);
}

lanes_noinline enum vgpu_lanes_end mem_atomicq(struct vgpu_lanes *s, const struct vgpu_insn *i,
					       u32 m, enum space space)
{
	const u64 *b = reg64(s, i->b), *c = reg64(s, i->c);
	u64 *out = i->flags & VGPU_F_ATOM_NORET ? s->out : reg64(s, i->dst);

	if (VGPU_F_ATOM_128(i->flags))
		return mem_atomic_128(s, i, m, space);
	if (unlikely(s->apart) && space != SHARED)
		return not_apart(s, i, m, space, 8);
	ATOMIC(3, atomic_rowq, atomic_oneq, atomic_eachq, atomic_on_hostq);
}

#endif
