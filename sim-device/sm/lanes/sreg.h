/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Special registers: what the lanes of a warp are. Part of impl.h. */
#ifndef VGPU_LANES_SREG_H
#define VGPU_LANES_SREG_H

/*
 * t / by, rounded down, of small numbers: t + 1/2 is further from a multiple than the quotient is
 * rounded, to 2^20.
 */
lanes_inline vu small_div(vu t, u32 by)
{
	return (vu)truncated_vf((floats_vs((vs)t) + 0.5f) * (1.0f / (float)by));
}

/* Index of the threads in the block: x fastest. */
lanes_inline void thread_index(const struct vgpu_lanes *s, u32 *o, u32 axis)
{
	const u32 *size = s->launch->block;
	vu first = splat(s->warp->index * VGPU_LANES);

	if (size[0] >= s->launch->threads) {	/* one row */
		EACH_VECTOR(k)
			((vu *)o)[k] = axis ? (vu){} : first + vu_at(lane_iota, k);
		return;
	}
	EACH_VECTOR(k) {
		vu t = first + vu_at(lane_iota, k), row = small_div(t, size[0]), plane;

		if (axis == 0) {
			t -= row * size[0];
		} else {
			plane = small_div(row, size[1]);
			t = axis == 1 ? row - plane * size[1] : plane;
		}
		((vu *)o)[k] = t;
	}
}

/* The registers that are the same in all lanes; @cycles: of the warp */
lanes_inline u32 special_uniform(const struct vgpu_lanes *s, u32 which, u64 cycles)
{
	const struct vgpu_launch *launch = s->launch;

	switch (which) {
	case VGPU_SR_NTID_X:
	case VGPU_SR_NTID_Y:
	case VGPU_SR_NTID_Z:
		return launch->block[which - VGPU_SR_NTID_X];
	case VGPU_SR_CTAID_X:
	case VGPU_SR_CTAID_Y:
	case VGPU_SR_CTAID_Z:
		return s->block[which - VGPU_SR_CTAID_X];
	case VGPU_SR_NCTAID_X:
	case VGPU_SR_NCTAID_Y:
	case VGPU_SR_NCTAID_Z:
		return launch->grid[which - VGPU_SR_NCTAID_X];
	case VGPU_SR_WARPID:
		return s->warp->index;
	case VGPU_SR_NWARPID:
		return launch->warps;
	case VGPU_SR_SMID:
		return s->sm_index;
	case VGPU_SR_NSMID:
		return s->sm_count;
	case VGPU_SR_GRIDID:
		return launch->id;
	case VGPU_SR_DYNSHARED:
		return launch->dynamic_shared;
	default:	/* CLOCK */
		return (u32)(s->clock + cycles);
	}
}

lanes_noinline void special32(const struct vgpu_lanes *s, u32 *o, u32 which, u64 cycles)
{
	u32 v;

	switch (which) {
	case VGPU_SR_TID_X:
	case VGPU_SR_TID_Y:
	case VGPU_SR_TID_Z:
		thread_index(s, o, which - VGPU_SR_TID_X);
		return;
	case VGPU_SR_LANEID:
		EACH_VECTOR(k)
			((vu *)o)[k] = vu_at(lane_iota, k);
		return;
	case VGPU_SR_LANEMASK_EQ:
		EACH_VECTOR(k)
			((vu *)o)[k] = vu_at(lane_bit, k);
		return;
	case VGPU_SR_LANEMASK_LT:
		EACH_VECTOR(k)
			((vu *)o)[k] = vu_at(lane_bit, k) - 1;
		return;
	case VGPU_SR_LANEMASK_LE:
		EACH_VECTOR(k)
			((vu *)o)[k] = vu_at(lane_bit, k) * 2 - 1;
		return;
	case VGPU_SR_LANEMASK_GT:
		EACH_VECTOR(k)
			((vu *)o)[k] = 0 - vu_at(lane_bit, k) * 2;
		return;
	case VGPU_SR_LANEMASK_GE:
		EACH_VECTOR(k)
			((vu *)o)[k] = 0 - vu_at(lane_bit, k);
		return;
	}
	v = special_uniform(s, which, cycles);
	EACH_VECTOR(k)
		((vu *)o)[k] = splat(v);
}

#endif
