/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: rollover of timestamps (thesis 002, 4.5.2)
 *
 * The unit that sees a timestamp beyond the limit stalls and sends STALL round a ring of the
 * partitions. Each stalls and sends it on; of several the one of the partition with the lowest
 * number wins. When it is back all are stalled, and FLUSH goes to all cores. A core aborts what its
 * warps have begun, without logs, sets their timestamps to 0, and acknowledges to all partitions,
 * behind the logs of what it has committed. A partition that has all acknowledgements and has
 * handled these logs has nothing in flight. From the partition that has begun on, by RESUME round
 * the ring, each then empties its stall buffer and its tables, locks with them, and runs again.
 *
 * A stalled unit goes on to commit. Requests that were sent before are dropped, those of after
 * wait. Answers of before a rollover are known by their epoch (vgpu_tm_warp_answer()).
 */
#ifndef VGPU_TM_ROLLOVER_H
#define VGPU_TM_ROLLOVER_H

#include "tm.h"

enum vgpu_tm_ring_state {
	VGPU_TM_RUNS,
	VGPU_TM_STALLED_FOR_CORES,	/* acknowledgements or logs are missing, or RESUME */
	VGPU_TM_STALLED_FOR_RING,	/* the one that has begun: RESUME is not back */
};

enum vgpu_tm_ring_event {
	VGPU_TM_RING_BEGIN,	/* an access has returned ROLLOVER */
	VGPU_TM_RING_STALL,	/* has come round the ring */
	VGPU_TM_RING_RESUME,
	VGPU_TM_RING_ACK,	/* from a core */
	VGPU_TM_RING_DRAINED,	/* a region has left the commit unit */
};

/**
 * struct vgpu_tm_ring_out - what it leads to
 * @flush: FLUSH to all cores
 * @sends: to the next partition: @event with @origin
 */
struct vgpu_tm_ring_out {
	bool flush;
	bool sends;
	u8 event;
	u16 origin;
};

/** vgpu_tm_ring - @event, of a rollover that partition @origin has begun, at partition @index */
void vgpu_tm_ring(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 index,
		  enum vgpu_tm_ring_event event, u32 origin, struct vgpu_tm_ring_out *out);

#endif
