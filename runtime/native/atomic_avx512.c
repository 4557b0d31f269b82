// SPDX-License-Identifier: MIT
/*
 * Atomics of 32 bits of generated code, lane by lane, as sim-device/sm/lanes_atomic.h has them.
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
	default:	/* CAS */
		return old == b ? c : old;
	}
}

/* Lane by lane, lowest first */
lanes_inline u32 atomic(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, enum space space,
			 u32 operation)
{
	u32 o[VGPU_LANES] __attribute__((aligned(64)));
	const u32 *b = reg32(s, i->b), *c = reg32(s, i->c);
	u32 *out = i->flags & VGPU_F_ATOM_NORET ? (u32 *)s->out :
						  s->warp->regs + i->dst * VGPU_LANES;
	struct where w;

	/* the interpreter says why */
	if (s->apart && space != SHARED)
		return 1;
	if (!locate(s, i, m, 4, space, true, i->flags & VGPU_F_ATOM_ABS, &w))
		return 1;
	touch(s, &w, m);
	_mm512_store_si512(o, w.o[0]);
	_mm512_store_si512(o + 16, w.o[1]);
	if (m == FULL && operation == VGPU_ATOM_ADD && i->flags & VGPU_F_ATOM_NORET) {
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

#define BY_SPACE(name)	{ name##_generic, name##_global, name##_shared }

native_access *vgpu_native_atomic(const struct vgpu_insn *i, u32 space)
{
	static native_access *const by_operation[][3] = {
		BY_SPACE(atomic_add), BY_SPACE(atomic_min), BY_SPACE(atomic_max),
		BY_SPACE(atomic_and), BY_SPACE(atomic_or), BY_SPACE(atomic_xor),
		BY_SPACE(atomic_exchange), BY_SPACE(atomic_compare),
	};
	static native_access *const add_float[] = BY_SPACE(atomic_add_float);
	static native_access *const min_signed[] = BY_SPACE(atomic_min_signed);
	static native_access *const max_signed[] = BY_SPACE(atomic_max_signed);
	u32 operation = VGPU_F_ATOM(i->flags);

	/* of the whole system: others may use the word at the same time */
	if (VGPU_MEM_SCOPE(i->mem) == VGPU_SCOPE_SYS || operation > VGPU_ATOM_CAS)
		return NULL;
	if (i->flags & VGPU_F_ATOM_FLOAT)
		return operation == VGPU_ATOM_ADD ? add_float[space] : NULL;
	if (i->flags & VGPU_F_ATOM_SIGNED && operation == VGPU_ATOM_MIN)
		return min_signed[space];
	if (i->flags & VGPU_F_ATOM_SIGNED && operation == VGPU_ATOM_MAX)
		return max_signed[space];
	return i->flags & VGPU_F_ATOM_SIGNED ? NULL : by_operation[operation][space];
}
