/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
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

void vgpu_device_trace(struct vgpu_device *dev, bool on)
{
	dev->tracing = on && dev->ops->trace;
}
