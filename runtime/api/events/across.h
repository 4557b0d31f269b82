/* SPDX-License-Identifier: MIT */
/*
 * Streams that wait for an event of another context, of the same device or of another one. No
 * device knows of the commands of another context, so a function in the stream (host_call.h) does
 * the waiting, with a thread of the runtime. A context that dies or is closed is waited for no
 * longer.
 */
#ifndef VGPU_RT_ACROSS_H
#define VGPU_RT_ACROSS_H

#include "state.h"

/* What comes next in @stream waits for command @seq of @queue, of @context. With the lock held. */
vgpuError_t rt_event_hold_across(struct rt_state *context, struct rt_queue *queue, uint64_t seq,
				 struct vgpuStream *stream);

#endif
