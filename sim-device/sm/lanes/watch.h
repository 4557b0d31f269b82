/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the run loop tells of itself: nothing, but in the instance of watched.c, by the functions of
 * ../watch.c. Part of impl.h.
 */
#ifndef VGPU_LANES_WATCH_H
#define VGPU_LANES_WATCH_H

#include "watch_lanes.h"

#ifdef LANES_WATCHED
#define WATCH_STATE	u64 watch_at[VGPU_LANES];
/* before an access, which may overwrite the registers with its addresses */
#define WATCH_ADDRESSES	vgpu_watch_addresses(w, i, m, watch_at)
#define WATCH_ACCESS	vgpu_watch_access(s, (u32)(i - code), m, watch_at, false)
#define WATCH_ARRIVE	vgpu_watch_sync(s, i, (u32)(i - code), m, sync_masks(s, i), false)
#define WATCH_MEET	vgpu_watch_sync(s, i, (u32)(i - code), m, sync_masks(s, i), true)
#define WATCH_MET(i, lanes, masks)							\
	do {										\
		if ((i)->op != VGPU_OP_BAR && (i)->op != VGPU_OP_BARRED)		\
			vgpu_watch_sync(s, i, (u32)((i) - s->code), lanes, masks, true);	\
	} while (0)
#define WATCH_FENCE	vgpu_watch_fence(s, i, (u32)(i - code), m)
#define WATCH_BARRIER(w, pc)	((w)->bar_pc = (pc))
#define WATCH_EXIT	vgpu_watch_exit(s, (u32)(i - code), m)
#else
#define WATCH_STATE
#define WATCH_ADDRESSES	do {} while (0)
#define WATCH_ACCESS	do {} while (0)
#define WATCH_ARRIVE	do {} while (0)
#define WATCH_MEET	do {} while (0)
#define WATCH_MET(i, lanes, masks)	do {} while (0)
#define WATCH_FENCE	do {} while (0)
#define WATCH_BARRIER(w, pc)	do {} while (0)
#define WATCH_EXIT	do {} while (0)
#endif

#endif
