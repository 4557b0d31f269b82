/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the stall buffer (thesis 002, 4.5.2, figure 4.9)
 *
 * Requests that passed the test of timestamps and found their granule locked. A line of the buffer
 * is of one granule, and has some entries. There is no order among these but their timestamps.
 */
#ifndef VGPU_TM_STALL_H
#define VGPU_TM_STALL_H

#include "tm.h"

/** vgpu_tm_stall_add - @request waits; false: there is no place */
bool vgpu_tm_stall_add(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		       const struct vgpu_tm_request *request);
/** vgpu_tm_stall_take - request @n of line @line does not wait any more */
void vgpu_tm_stall_take(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 line, u32 n,
			struct vgpu_tm_request *request);
/** vgpu_tm_stalled - how many requests wait */
u32 vgpu_tm_stalled(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit);

#endif
