/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From the run loop to who watches (watch.h): for watch.h alone.
 */
#ifndef VGPU_WATCH_LANES_H
#define VGPU_WATCH_LANES_H

#include "../lanes.h"

/* Where the lanes @m of @w access memory by @insn: as registers are now, shared offsets wrapped. */
void vgpu_watch_addresses(const struct vgpu_warp *w, const struct vgpu_insn *insn, u32 m,
			  u64 *at);
/* They have done it (@failed: and were refused). */
void vgpu_watch_access(const struct vgpu_lanes *s, u32 pc, u32 m, const u64 *at, bool failed);
/* They execute an operation by member masks; @met: with all that are named */
void vgpu_watch_sync(const struct vgpu_lanes *s, const struct vgpu_insn *insn, u32 pc, u32 m,
		     const u32 *masks, bool met);
void vgpu_watch_fence(const struct vgpu_lanes *s, const struct vgpu_insn *insn, u32 pc, u32 m);
void vgpu_watch_exit(const struct vgpu_lanes *s, u32 pc, u32 m);

#endif
