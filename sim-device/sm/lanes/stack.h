/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The reconvergence stack of a warp while none of its lanes waits for others (Tanasic 2.4). For the
 * lanes files, and for native code of a host (native.h).
 */
#ifndef VGPU_LANES_STACK_H
#define VGPU_LANES_STACK_H

#include "../lanes.h"

static inline bool reconv_push(struct vgpu_warp *w, u32 pc, u32 reconv, u32 mask)
{
	struct vgpu_reconv *e = &w->stack[w->depth];

	if (unlikely(w->depth >= VGPU_RECONV_DEPTH))
		return false;
	w->depth++;
	e->pc = pc;
	e->reconv = reconv;
	e->mask = mask;
	return true;
}

/* Lanes are taken up. Where these are all that have not exited, nobody waits for a turn. */
static inline void reconv_taken(struct vgpu_warp *w)
{
	if (w->active == w->live)
		w->rounds = 0;
}

/*
 * Take up the topmost entry with lanes that have something to do. False: there is none, the warp
 * has exited.
 */
static inline bool reconv_next(struct vgpu_warp *w)
{
	while (w->depth) {
		const struct vgpu_reconv *e = &w->stack[--w->depth];

		w->pc = e->pc;
		w->reconv = e->reconv;
		w->active = e->mask & w->live;
		if (w->active && w->pc != w->reconv) {
			reconv_taken(w);
			return true;
		}
	}
	w->active = 0;
	return false;
}

/*
 * The lanes in @taken of the running entry go to the target of branch @i, the others on. A side
 * that is at the reconvergence point already has nothing to run. When the point is the one at which
 * the entry itself ends there is no need for another entry that waits there, so a loop left by its
 * lanes one after the other does not grow the stack. The side that jumps waits. False: the stack is
 * full, which the bound on its depth excludes.
 */
static __attribute__((__noinline__, __unused__)) bool diverge(struct vgpu_warp *w,
							      const struct vgpu_insn *i, u32 taken)
{
	u32 target = VGPU_BRA_TARGET(i->imm), reconv = VGPU_BRA_RECONV(i->imm), next = w->pc + 1;

	if (target == next) {
		w->pc = next;
		return true;
	}
	if (reconv == VGPU_NO_RECONV)
		reconv = w->reconv;
	if (reconv != w->reconv && !reconv_push(w, reconv, w->reconv, w->active))
		return false;
	w->reconv = reconv;
	if (next == reconv) {
		w->pc = target;
		w->active = taken;
	} else {
		if (target != reconv && !reconv_push(w, target, reconv, taken))
			return false;
		w->pc = next;
		w->active &= ~taken;
	}
	return true;
}

#endif
