/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the lanes of a warp stand: the reconvergence stack (Tanasic 2.4). Part of lanes_impl.h. */
#ifndef VGPU_LANES_WARP_H
#define VGPU_LANES_WARP_H

lanes_inline bool reconv_push(struct vgpu_warp *w, u32 pc, u32 reconv, u32 mask)
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

/* lanes_sync.h: the same when some entry waits; @end is the answer when one can run */
static enum vgpu_lanes_end reconv_take(struct vgpu_lanes *s, enum vgpu_lanes_end end);

/*
 * The running entry has come to its reconvergence point or has no lane left: take up what is on the
 * stack. MEM_DONE, or what ends the run: nothing is there, the warp has exited; or all that is
 * there waits for lanes that cannot come.
 */
lanes_noinline enum vgpu_lanes_end reconv_pop(struct vgpu_lanes *s)
{
	struct vgpu_warp *w = s->warp;

	if (unlikely(w->waiting))
		return reconv_take(s, MEM_DONE);
	while (w->depth) {
		const struct vgpu_reconv *e = &w->stack[--w->depth];

		w->pc = e->pc;
		w->reconv = e->reconv;
		w->active = e->mask & w->live;
		if (w->active && w->pc != w->reconv)
			return MEM_DONE;
	}
	w->active = 0;
	return VGPU_LANES_EXIT;
}

/*
 * The lanes in @taken of the running entry go to the target of branch @i, the others on. A side
 * that is at the reconvergence point already has nothing to run. When the point is the one at which
 * the entry itself ends there is no need for another entry that waits there, so a loop left by its
 * lanes one after the other does not grow the stack. The side that jumps waits. False: the stack is
 * full, which the bound on its depth excludes.
 */
lanes_noinline bool diverge(struct vgpu_warp *w, const struct vgpu_insn *i, u32 taken)
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
