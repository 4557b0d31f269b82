/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Trace records. When nobody listens a call costs one test of a flag. Fields of a record that say
 * nothing are 0.
 */
#ifndef VGPU_TRACE_H
#define VGPU_TRACE_H

#include "device.h"

#define VGPU_NO_SM	0xffffu

void vgpu_trace_emit_name(struct vgpu_device *dev, u32 context, u32 kernel, const char *name);
void vgpu_trace_emit(struct vgpu_device *dev, const struct vgpu_trace_record *record);

static inline void vgpu_trace_context(struct vgpu_device *dev, enum vgpu_trace_type type,
				      u32 context, u64 a, u64 b)
{
	if (unlikely(dev->tracing))
		vgpu_trace_emit(dev, &(struct vgpu_trace_record){
			.type = (u16)type, .sm = VGPU_NO_SM, .context = context, .a = a, .b = b });
}

static inline void vgpu_trace_command(struct vgpu_device *dev, enum vgpu_trace_type type,
				      const struct vgpu_command *command, u64 a, u64 b)
{
	if (unlikely(dev->tracing))
		vgpu_trace_emit(dev, &(struct vgpu_trace_record){
			.type = (u16)type, .sm = VGPU_NO_SM, .context = command->queue->ctx->id,
			.queue = command->queue->index, .seq = command->seq, .a = a, .b = b });
}

static inline void vgpu_trace_kernel(struct vgpu_device *dev, enum vgpu_trace_type type,
				     const struct vgpu_ksr *ksr, u32 sm, u64 a, u64 b)
{
	if (unlikely(dev->tracing))
		vgpu_trace_emit(dev,
				&(struct vgpu_trace_record){ .type = (u16)type,
							     .sm = (u16)sm,
							     .context = ksr->ctx->id,
							     .queue = ksr->command->queue->index,
							     .kernel = ksr->launch.id,
							     .seq = ksr->command->seq,
							     .a = a,
							     .b = b });
}

static inline void vgpu_trace_name(struct vgpu_device *dev, const struct vgpu_ksr *ksr,
				   const char *name)
{
	if (unlikely(dev->tracing))
		vgpu_trace_emit_name(dev, ksr->ctx->id, ksr->launch.id, name);
}

#endif
