// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Trace records leave the device here, with the present time on them.
 */
#include "trace.h"

void vgpu_trace_emit(struct vgpu_device *dev, const struct vgpu_trace_record *record)
{
	struct vgpu_trace_record out = *record;

	out.time = dev->now;
	dev->ops->trace(dev->host, &out);
}

void vgpu_trace_emit_name(struct vgpu_device *dev, u32 context, u32 kernel, const char *name)
{
	u32 bytes = 0;
	u32 at;

	while (bytes < VGPU_TRACE_NAME_BYTES && name[bytes])
		bytes++;
	for (at = 0; at < bytes; at += VGPU_TRACE_NAME_PIECE) {
		u32 left = bytes - at;
		u64 piece[3] = {};

		memcpy(piece, name + at, left < sizeof(piece) ? left : sizeof(piece));
		vgpu_trace_emit(dev, &(struct vgpu_trace_record){ .type = VGPU_TRACE_KERNEL_NAME,
								  .sm = VGPU_NO_SM,
								  .context = context,
								  .queue = at,
								  .kernel = kernel,
								  .seq = piece[0],
								  .a = piece[1],
								  .b = piece[2] });
	}
}

void vgpu_device_trace(struct vgpu_device *dev, bool on)
{
	dev->tracing = on && dev->ops->trace;
}
