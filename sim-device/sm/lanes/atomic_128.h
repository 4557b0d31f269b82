/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Atomics of 16 bytes: two 64-bit words that are exchanged as one. Part of impl.h.
 */
#ifndef VGPU_LANES_ATOMIC_128_H
#define VGPU_LANES_ATOMIC_128_H

#include "place.h"

/* Lane by lane, the lowest first: there are few of them, and results are wanted. */
lanes_inline void atomic_each_128(struct vgpu_lanes *s, u32 flags, const u64 *b, u64 *out, u32 m,
				  bool concurrent)
{
	bool compares = VGPU_F_ATOM(flags) == VGPU_ATOM_CAS128;
	u64 *low = s->z, *high = s->y;

	EACH_ACTIVE(l, m) {
		const u64 *next = compares ? b + 2 * VGPU_LANES : b;
		u64 *p = (u64 *)s->ptr[l], put[2] = { next[l], next[l + VGPU_LANES] };
		u64 found[2] = { p[0], p[1] };

		if (compares && concurrent) {
			found[0] = b[l];
			found[1] = b[l + VGPU_LANES];
			exchange_128(p, found, put);
		} else if (concurrent) {
			while (!exchange_128(p, found, put))
				;
		} else if (!compares || (found[0] == b[l] && found[1] == b[l + VGPU_LANES])) {
			p[0] = put[0];
			p[1] = put[1];
		}
		low[l] = found[0];
		high[l] = found[1];
	}
	/* operands and result may be the same registers */
	blendq(out, low, m);
	blendq(out + VGPU_LANES, high, m);
}

lanes_noinline enum vgpu_lanes_end mem_atomic_128(struct vgpu_lanes *s, const struct vgpu_insn *i,
						  u32 m, enum space space)
{
	/* far() ends the hold */
	bool concurrent = (s->held && s->on_host) || VGPU_MEM_SCOPE(i->mem) == VGPU_SCOPE_SYS;
	enum vgpu_lanes_end end;

	if (unlikely(s->apart) && space != SHARED)
		return not_apart(s, i, m, space, 16);
	end = far(s, i, m, space, 16, true, true, i->flags & VGPU_F_ATOM_ABS);
	if (likely(end == MEM_DONE))
		atomic_each_128(s, i->flags, reg64(s, i->b), reg64(s, i->dst), m, concurrent);
	return end;
}

#endif
