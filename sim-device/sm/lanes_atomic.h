/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Atomics of a warp, at the places that lanes_place.h finds: lane by lane, lowest first, so that even sums of floats are the
 * same in every run. Part of lanes_impl.h.
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
