/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the lanes of a warp stand: the reconvergence stack (Tanasic 2.4). Part of lanes_impl.h. */
#ifndef VGPU_LANES_WARP_H
#define VGPU_LANES_WARP_H

#include "lanes_stack.h"

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
	return reconv_next(w) ? MEM_DONE : VGPU_LANES_EXIT;
}

#endif
