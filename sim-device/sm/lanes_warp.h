/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the lanes of a warp are: special registers; and where they stand: the reconvergence stack (Tanasic 2.4) and what
 * waits on it. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_WARP_H
#define VGPU_LANES_WARP_H

/* Index of the threads in the block: x fastest. */
lanes_noinline void thread_index(const struct vgpu_lanes *s, u32 *o, u32 axis)
{
	const u32 *size = s->launch->block;
	u32 t = s->warp->index * VGPU_LANES;
	u32 at[3] = { t % size[0], t / size[0] % size[1], t / size[0] / size[1] };

	for (u32 l = 0; l < VGPU_LANES; l++) {
		o[l] = at[axis];
		if (++at[0] == size[0]) {
			at[0] = 0;
			if (++at[1] == size[1]) {
				at[1] = 0;
				at[2]++;
			}
		}
	}
}

lanes_noinline void special32(const struct vgpu_lanes *s, u32 *o, u32 which)
{
	const struct vgpu_launch *launch = s->launch;
	u32 v;

	switch (which) {
	case VGPU_SR_TID_X:
	case VGPU_SR_TID_Y:
	case VGPU_SR_TID_Z:
		thread_index(s, o, which - VGPU_SR_TID_X);
		return;
	case VGPU_SR_NTID_X:
	case VGPU_SR_NTID_Y:
	case VGPU_SR_NTID_Z:
		v = launch->block[which - VGPU_SR_NTID_X];
		break;
	case VGPU_SR_CTAID_X:
	case VGPU_SR_CTAID_Y:
	case VGPU_SR_CTAID_Z:
		v = s->block[which - VGPU_SR_CTAID_X];
		break;
	case VGPU_SR_NCTAID_X:
	case VGPU_SR_NCTAID_Y:
	case VGPU_SR_NCTAID_Z:
		v = launch->grid[which - VGPU_SR_NCTAID_X];
		break;
	case VGPU_SR_LANEID:
		EACH_LANE(l)
			o[l] = l;
		return;
	case VGPU_SR_WARPID:
		v = s->warp->index;
		break;
	case VGPU_SR_NWARPID:
		v = launch->warps;
		break;
	case VGPU_SR_SMID:
		v = s->sm_index;
		break;
	case VGPU_SR_NSMID:
		v = s->sm_count;
		break;
	case VGPU_SR_GRIDID:
		v = launch->id;
		break;
	case VGPU_SR_LANEMASK_EQ:
		EACH_LANE(l)
			o[l] = 1u << l;
		return;
	case VGPU_SR_LANEMASK_LT:
		EACH_LANE(l)
			o[l] = (1u << l) - 1;
		return;
	case VGPU_SR_LANEMASK_LE:
		EACH_LANE(l)
			o[l] = (2u << l) - 1;
		return;
	case VGPU_SR_LANEMASK_GT:
		EACH_LANE(l)
			o[l] = ~((2u << l) - 1);
		return;
	case VGPU_SR_LANEMASK_GE:
		EACH_LANE(l)
			o[l] = ~((1u << l) - 1);
		return;
	case VGPU_SR_DYNSHARED:
		v = launch->dynamic_shared;
		break;
	default:	/* CLOCK */
		v = (u32)(s->clock + s->warp->cycles);
	}
	EACH_LANE(l)
		o[l] = v;
}

/* ---- the reconvergence stack -------------------------------------------------------------------------------------- */

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

static enum vgpu_lanes_end reconv_next(struct vgpu_lanes *s);

/*
 * The running entry has come to its reconvergence point or has no lane left: take up what is on the stack. MEM_DONE, or
 * what ends the run: nothing is there, the warp has exited; or all that is there waits for lanes that cannot come.
 */
lanes_noinline enum vgpu_lanes_end reconv_pop(struct vgpu_lanes *s)
{
	struct vgpu_warp *w = s->warp;

	if (unlikely(w->waiting))
		return reconv_next(s);
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
 * The lanes in @taken of the running entry go to the target of branch @i, the others on. A side that is at the
 * reconvergence point already has nothing to run. When the point is the one at which the entry itself ends there is no need
 * for another entry that waits there, so a loop left by its lanes one after the other does not grow the stack. The
 * side that jumps waits. False: the stack is full, which the bound on its depth excludes.
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
