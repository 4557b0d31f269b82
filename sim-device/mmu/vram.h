/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * VRAM: how much of it is promised, and the frames that back it. Frames come from the host one by
 * one, when a page is first written.
 */
#ifndef VGPU_VRAM_H
#define VGPU_VRAM_H

#include "../platform.h"

struct vgpu_device;

struct vgpu_vram {
	u64 promised;		/* bytes */
	u64 frames;		/* in use */
	u64 page_tables;	/* alive, all address spaces */
};

/* Promise or take back @bytes. -ENOMEM: more than is left. */
int vgpu_vram_promise(struct vgpu_device *dev, u64 bytes);
void vgpu_vram_unpromise(struct vgpu_device *dev, u64 bytes);
/* One zeroed frame, NULL: the host has none. */
u8 *vgpu_vram_get(struct vgpu_device *dev, u32 context);
void vgpu_vram_put(struct vgpu_device *dev, u8 *frame);

#endif
