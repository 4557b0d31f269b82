/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The trace sink of one device. While tracing is off a record costs one test of a flag. Unused
 * fields of a record are 0.
 */
#ifndef VGPU_SIM_TRACE_H
#define VGPU_SIM_TRACE_H

#include "../platform.h"
#include "sim.h"
#include "vgpu.h"

#define VGPU_NO_SM	0xffffu

/** struct vgpu_trace - @emit gets each record, with the present time on it, while @on */
struct vgpu_trace {
	const struct vgpu_sim *sim;
	bool on;
	void (*emit)(void *host, const struct vgpu_trace_record *record);
	void *host;
};

static inline void vgpu_trace_emit(const struct vgpu_trace *trace, struct vgpu_trace_record *record)
{
	record->time = trace->sim->now;
	trace->emit(trace->host, record);
}

/* Something happened to @context. */
static inline void vgpu_trace_context(const struct vgpu_trace *trace, enum vgpu_trace_type type,
				      u32 context, u64 a, u64 b)
{
	if (unlikely(trace->on))
		vgpu_trace_emit(trace, &(struct vgpu_trace_record){ .type = (u16)type,
								    .sm = VGPU_NO_SM,
								    .context = context,
								    .a = a,
								    .b = b });
}

/* Something happened to command @seq of @queue. */
static inline void vgpu_trace_command(const struct vgpu_trace *trace, enum vgpu_trace_type type,
				      u32 context, u32 queue, u64 seq, u64 a, u64 b)
{
	if (unlikely(trace->on))
		vgpu_trace_emit(trace, &(struct vgpu_trace_record){ .type = (u16)type,
								    .sm = VGPU_NO_SM,
								    .context = context,
								    .queue = queue,
								    .seq = seq,
								    .a = a,
								    .b = b });
}

#endif
