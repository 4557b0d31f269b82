/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the lanes of a warp say to each other, and what they are: shuffles, votes, special registers, the reconvergence
 * stack (Tanasic 2.4). Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_WARP_H
#define VGPU_LANES_WARP_H

/* shfl as PTX has it; a source lane that does not execute gives what its register holds. Returns "source in range". */
lanes_noinline u32 shuffle(u32 *o, const u32 *a, const u32 *b, const u32 *c, u32 how)
{
	u32 in_range = 0;

	for (u32 l = 0; l < VGPU_LANES; l++) {
		u32 segment = c[l] >> 8 & 31, clamp = c[l] & 31, n = b[l] & 31;
		u32 low = l & segment, high = low | (clamp & ~segment);
		s32 j;
		bool ok;

		switch (how) {
		case VGPU_SHFL_UP:
			j = (s32)(l - n);
			ok = j >= (s32)high;
			break;
		case VGPU_SHFL_DOWN:
			j = (s32)(l + n);
			ok = j <= (s32)high;
			break;
		case VGPU_SHFL_BFLY:
			j = (s32)(l ^ n);
			ok = j <= (s32)high;
			break;
		default:
			j = (s32)(low | (n & ~segment));
			ok = j <= (s32)high;
		}
		if (ok)
			in_range |= 1u << l;
		o[l] = a[ok ? (u32)j & 31 : l];
	}
	return in_range;
}

lanes_inline u32 vote(u32 how, u32 preds, u32 m)
{
	u32 yes = preds & m;

	switch (how) {
	case VGPU_VOTE_ALL:
		return yes == m ? FULL : 0;
	case VGPU_VOTE_ANY:
		return yes ? FULL : 0;
	default:
		return yes == m || !yes ? FULL : 0;
	}
}

lanes_noinline void match32(u32 *o, const u32 *a, u32 m)
{
	EACH_ACTIVE(l, m) {
		vu v = splat(a[l]);
		u32 same = 0;

		EACH_VECTOR(k)
			same |= mask_of((vu)(((const vu *)a)[k] == v)) << k * (LANES_VECTOR / 4);
		o[l] = same & m;
	}
}

lanes_noinline void match64(u32 *o, const u64 *a, u32 m)
{
	EACH_ACTIVE(l, m) {
		u32 same = 0;

		EACH_ACTIVE(j, m)
			same |= (u32)(a[j] == a[l]) << j;
		o[l] = same;
	}
}

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

/*
 * The reconvergence stack. The running entry has come to its reconvergence point or has no lane left: take up what
 * waits. False: nothing does, the warp has exited.
 */
lanes_noinline bool reconv_pop(struct vgpu_warp *w)
{
	while (w->depth) {
		const struct vgpu_reconv *e = &w->stack[--w->depth];

		w->pc = e->pc;
		w->reconv = e->reconv;
		w->active = e->mask & w->live;
		if (w->active && w->pc != w->reconv)
			return true;
	}
	w->active = 0;
	return false;
}

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
