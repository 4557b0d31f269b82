// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * VRAM accounting. A promise is counted when memory is mapped, so that a program is told at once
 * that there is not enough, as on a card; the host gives a frame only when a page is first written.
 */
#include "vram.h"
#include "../core/device.h"

int vgpu_vram_promise(struct vgpu_device *dev, u64 bytes)
{
	if (bytes > dev->config.vram_bytes - dev->vram.promised)
		return -ENOMEM;
	dev->vram.promised += bytes;
	return 0;
}

void vgpu_vram_unpromise(struct vgpu_device *dev, u64 bytes)
{
	VGPU_CHECK(dev->vram.promised >= bytes);
	dev->vram.promised -= bytes;
}

u8 *vgpu_vram_get(struct vgpu_device *dev, u32 context)
{
	u8 *frame = dev->ops->get_frame(dev->host, context);

	if (frame)
		dev->vram.frames++;
	return frame;
}

void vgpu_vram_put(struct vgpu_device *dev, u8 *frame)
{
	dev->vram.frames--;
	dev->ops->put_frame(dev->host, frame);
}
