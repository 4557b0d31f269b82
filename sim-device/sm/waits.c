// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which branches of a kernel may be of a loop in which lanes wait for what others do. Such a loop
 * has an instruction by which a lane learns what others have written: an atomic that returns the
 * old value, a load with an order beyond weak (volatile is one) or past the caches of an SM, a
 * fence. Execution that has passed it and comes there again has taken a branch back across it. So
 * every loop with such an instruction has a branch that is found here, and others find nothing.
 */
#include "lanes.h"
#include "verify.h"

bool vgpu_insn_observes(const struct vgpu_insn *i)
{
	u32 order = VGPU_MEM_ORDER(i->mem), cache = VGPU_MEM_CACHE(i->mem);

	switch (i->op) {
	case VGPU_OP_ATOM:
	case VGPU_OP_ATOMG:
	case VGPU_OP_ATOMS:
	case VGPU_OP_ATOMQ:
	case VGPU_OP_ATOMGQ:
	case VGPU_OP_ATOMSQ:
		return !(i->flags & VGPU_F_ATOM_NORET);
	case VGPU_OP_LD:
	case VGPU_OP_LDG:
	case VGPU_OP_LDS:
		return order == VGPU_ORDER_RELAXED || order == VGPU_ORDER_ACQUIRE ||
		       (order == VGPU_ORDER_WEAK &&
			(cache == VGPU_CACHE_CG || cache == VGPU_CACHE_CV));
	case VGPU_OP_MEMBAR:
		return true;
	}
	return false;
}

void vgpu_find_waits(struct vgpu_insn *code, u32 count)
{
	u32 behind = 0;		/* the last of those so far, from 1 */

	for (u32 n = 0; n < count; n++) {
		struct vgpu_insn *i = &code[n];

		if (vgpu_insn_observes(i))
			behind = n + 1;
		if (i->op == VGPU_OP_BRA && VGPU_BRA_TARGET(i->imm) < behind)
			i->flags = VGPU_F_BRA_WAITS;
	}
}
