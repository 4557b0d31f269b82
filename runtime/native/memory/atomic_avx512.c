// SPDX-License-Identifier: MIT
/*
 * Atomics of 32 bits of generated code, as sim-device/sm/lanes/atomic.h has them: lane by lane, or
 * of all lanes at one word.
 * Those that others than this device may meet are left to it. Compiled for AVX-512.
 */
#include "where_avx512.h"

lanes_inline u32 atom(u32 operation, u32 old, u32 b, u32 c)
{
	switch (operation & (15 | VGPU_F_ATOM_SIGNED | VGPU_F_ATOM_FLOAT)) {
	case VGPU_ATOM_ADD:
		return old + b;
	case VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT: {
		float x, y;

		__builtin_memcpy(&x, &old, 4);
		__builtin_memcpy(&y, &b, 4);
		x += y;
		__builtin_memcpy(&old, &x, 4);
		return x != x ? 0x7fffffff : old;
	}
	case VGPU_ATOM_MIN:
		return old < b ? old : b;
	case VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED:
		return (s32)old < (s32)b ? old : b;
	case VGPU_ATOM_MAX:
		return old > b ? old : b;
	case VGPU_ATOM_MAX | VGPU_F_ATOM_SIGNED:
		return (s32)old > (s32)b ? old : b;
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

/* ---- all lanes at one word ------------------------------------------------------ */

/* What changes nothing, for operations in whose order lanes may be taken together */
lanes_inline bool has_neutral(u32 operation, u32 *neutral)
{
	switch (operation) {
	case VGPU_ATOM_ADD:
	case VGPU_ATOM_OR:
	case VGPU_ATOM_XOR:
	case VGPU_ATOM_MAX:
		*neutral = 0;
		return true;
	case VGPU_ATOM_AND:
	case VGPU_ATOM_MIN:
		*neutral = ~0u;
		return true;
	case VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED:
		*neutral = 0x7fffffff;
		return true;
	case VGPU_ATOM_MAX | VGPU_F_ATOM_SIGNED:
		*neutral = 0x80000000;
		return true;
	}
	return false;
}

lanes_inline v16 together(u32 operation, v16 a, v16 b)
{
	switch (operation) {
	case VGPU_ATOM_ADD:
		return _mm512_add_epi32(a, b);
	case VGPU_ATOM_OR:
		return _mm512_or_si512(a, b);
	case VGPU_ATOM_XOR:
		return _mm512_xor_si512(a, b);
	case VGPU_ATOM_AND:
		return _mm512_and_si512(a, b);
	case VGPU_ATOM_MAX:
		return _mm512_max_epu32(a, b);
	case VGPU_ATOM_MIN:
		return _mm512_min_epu32(a, b);
	case VGPU_ATOM_MAX | VGPU_F_ATOM_SIGNED:
		return _mm512_max_epi32(a, b);
	default:
		return _mm512_min_epi32(a, b);
	}
}

/* Of each lane, all lanes up to it */
lanes_inline v16 up_to(u32 operation, v16 v, v16 neutral)
{
	v = together(operation, v, _mm512_alignr_epi32(v, neutral, 15));
	v = together(operation, v, _mm512_alignr_epi32(v, neutral, 14));
	v = together(operation, v, _mm512_alignr_epi32(v, neutral, 12));
	return together(operation, v, _mm512_alignr_epi32(v, neutral, 8));
}

lanes_inline v16 last_of(v16 v)
{
	return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v);
}

/* @out: NULL if nobody looks at it */
lanes_inline void at_one_word(u32 *p, u32 m, u32 operation, const u32 *b, const u32 *c, u32 *out)
{
	v16 none, low, high, start = _mm512_set1_epi32((int)*p);
	u32 neutral;

	if (!has_neutral(operation, &neutral)) {
		u32 v = *p;

		for (u32 left = m; left; left &= left - 1) {
			u32 l = (u32)__builtin_ctz(left), old = v;

			v = atom(operation, old, b[l], c[l]);
			if (out)
				out[l] = old;
		}
		*p = v;
		return;
	}
	none = _mm512_set1_epi32((int)neutral);
	low = _mm512_mask_mov_epi32(none, half_of(m, 0), _mm512_load_si512(b));
	high = _mm512_mask_mov_epi32(none, half_of(m, 1), _mm512_load_si512(b + 16));
	low = together(operation, start, up_to(operation, low, none));
	high = together(operation, last_of(low), up_to(operation, high, none));
	*p = (u32)_mm_cvtsi128_si32(_mm512_castsi512_si128(last_of(high)));
	if (!out)
		return;
	/* each gets what the lanes before it have made */
	put(out + 16, half_of(m, 1), _mm512_alignr_epi32(high, low, 15));
	put(out, half_of(m, 0), _mm512_alignr_epi32(low, start, 15));
}

/* ---- any lanes ------------------------------------------------------------------- */

/* Lane by lane, lowest first */
lanes_inline u32 atomic(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space,
			 u32 operation)
{
	u32 o[VGPU_LANES] __attribute__((aligned(64)));
	const u32 *b = reg32(s, i->b), *c = reg32(s, i->c);
	bool noret = i->flags & VGPU_F_ATOM_NORET;
	u32 *out = noret ? (u32 *)s->out : s->warp->regs + i->dst * VGPU_LANES, place;
	struct where w;

	/* the interpreter says why */
	if (s->apart && space != SHARED)
		return 1;
	if (!locate(s, i, m, 4, space, true, i->flags & VGPU_F_ATOM_ABS, &w))
		return 1;
	touch(s, &w, m);
	if (all_same(&w, m, &place)) {
		at_one_word((u32 *)(w.base + place), m, operation, b, c, noret ? NULL : out);
		return 0;
	}
	_mm512_store_si512(o, w.o[0]);
	_mm512_store_si512(o + 16, w.o[1]);
	if (m == FULL && operation == VGPU_ATOM_ADD && noret) {
		for (u32 l = 0; l < VGPU_LANES; l++)
			*(u32 *)(w.base + o[l]) += b[l];
		return 0;
	}
	for (u32 left = m; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left), *p = (u32 *)(w.base + o[l]), old = *p;

		*p = atom(operation, old, b[l], c[l]);
		out[l] = old;
	}
	return 0;
}

#define ATOMIC(name, operation)									\
	static u32 name##_generic(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)	\
	{											\
		return atomic(s, i, m, GENERIC, operation);					\
	}											\
	static u32 name##_global(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)	\
	{											\
		return atomic(s, i, m, GLOBAL, operation);					\
	}											\
	static u32 name##_shared(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)	\
	{											\
		return atomic(s, i, m, SHARED, operation);					\
	}
ATOMIC(atomic_add, VGPU_ATOM_ADD)
ATOMIC(atomic_add_float, VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT)
ATOMIC(atomic_min, VGPU_ATOM_MIN)
ATOMIC(atomic_min_signed, VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED)
ATOMIC(atomic_max, VGPU_ATOM_MAX)
ATOMIC(atomic_max_signed, VGPU_ATOM_MAX | VGPU_F_ATOM_SIGNED)
ATOMIC(atomic_and, VGPU_ATOM_AND)
ATOMIC(atomic_or, VGPU_ATOM_OR)
ATOMIC(atomic_xor, VGPU_ATOM_XOR)
ATOMIC(atomic_exchange, VGPU_ATOM_EXCH)
ATOMIC(atomic_compare, VGPU_ATOM_CAS)
ATOMIC(atomic_increment, VGPU_ATOM_INC)
ATOMIC(atomic_decrement, VGPU_ATOM_DEC)

#define BY_SPACE(name)	{ name##_generic, name##_global, name##_shared }

native_access *vgpu_native_atomic(const struct vgpu_insn *i, u32 space)
{
	static native_access *const by_operation[][3] = {
		BY_SPACE(atomic_add), BY_SPACE(atomic_min), BY_SPACE(atomic_max),
		BY_SPACE(atomic_and), BY_SPACE(atomic_or), BY_SPACE(atomic_xor),
		BY_SPACE(atomic_exchange), BY_SPACE(atomic_compare),
		BY_SPACE(atomic_increment), BY_SPACE(atomic_decrement),
	};
	static native_access *const add_float[] = BY_SPACE(atomic_add_float);
	static native_access *const min_signed[] = BY_SPACE(atomic_min_signed);
	static native_access *const max_signed[] = BY_SPACE(atomic_max_signed);
	u32 operation = VGPU_F_ATOM(i->flags);

	/* of the whole system: others may use the word at the same time */
	if (VGPU_MEM_SCOPE(i->mem) == VGPU_SCOPE_SYS)
		return NULL;
	if (i->flags & VGPU_F_ATOM_FLOAT)
		return operation == VGPU_ATOM_ADD ? add_float[space] : NULL;
	if (i->flags & VGPU_F_ATOM_SIGNED && operation == VGPU_ATOM_MIN)
		return min_signed[space];
	if (i->flags & VGPU_F_ATOM_SIGNED && operation == VGPU_ATOM_MAX)
		return max_signed[space];
	return i->flags & VGPU_F_ATOM_SIGNED ? NULL : by_operation[operation][space];
}
