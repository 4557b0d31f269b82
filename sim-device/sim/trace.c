// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Records that are more than one: names.
 */
#include "trace.h"

void vgpu_trace_name(const struct vgpu_trace *trace, u32 context, u32 kernel, const char *name)
{
	u32 bytes = 0;
	u32 at;

	while (bytes < VGPU_TRACE_NAME_BYTES && name[bytes])
		bytes++;
	for (at = 0; at < bytes; at += VGPU_TRACE_NAME_PIECE) {
		u32 left = bytes - at;
		u64 piece[3] = {};

		memcpy(piece, name + at, left < sizeof(piece) ? left : sizeof(piece));
		vgpu_trace_emit(trace, &(struct vgpu_trace_record){ .type = VGPU_TRACE_KERNEL_NAME,
								    .sm = VGPU_NO_SM,
								    .context = context,
								    .queue = at,
								    .kernel = kernel,
								    .seq = piece[0],
								    .a = piece[1],
								    .b = piece[2] });
	}
}
