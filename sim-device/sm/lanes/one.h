/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * One instruction at a time, for native code, which has what the run loop does around it: guards,
 * budget, cycles. The module has no native code. Part of impl.h.
 */
#ifndef VGPU_LANES_ONE_H
#define VGPU_LANES_ONE_H

#ifdef LANES_ONE
enum vgpu_lanes_end LANES_ONE(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	struct vgpu_warp *w = s->warp;
	u32 *regs = w->regs, bits;
	enum vgpu_lanes_end end;

	switch (i->op) {
#include "calls.h"
	default:
		goto wait;
	}
	return VGPU_LANES_BUDGET;
wait:
	return VGPU_LANES_OTHER;
restart:
	return end;
}
#endif

#endif
