/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: rollover of logical time (thesis 002, 3.4.4)
 *
 * Only L2 makes timestamps larger, so a partition sees first that one will not fit (ROLLOVER). It
 * stalls and sends STALL round a ring of the partitions. Each sets its timestamps to 0, stalls, and
 * sends it on; of several the one of the partition with the lowest number wins. When it is back all
 * are stalled: FLUSH goes to all L1s. Each sets its clocks to 0, purges all lines and answers; then
 * RESUME goes round.
 *
 * A stalled partition handles no request and no fetched line; it keeps them. What is in a queue
 * then, or in an MSHR, has timestamps of before: messages carry the number of the rollovers of who
 * sent them, and another number than the receiver's makes their times 0.
 */
#ifndef VGPU_PROTOCOL_ROLLOVER_H
#define VGPU_PROTOCOL_ROLLOVER_H

#include "protocol.h"

enum vgpu_coh_ring_state { VGPU_COH_RUNS, VGPU_COH_STALLED, VGPU_COH_FLUSHING };

enum vgpu_coh_ring_event {
	VGPU_COH_RING_BEGIN,	/* an event has returned ROLLOVER */
	VGPU_COH_RING_STALL,	/* has come round the ring */
	VGPU_COH_RING_RESUME,
	VGPU_COH_RING_FLUSHED,	/* from an L1 */
};

/**
 * struct vgpu_coh_ring_out - what it leads to
 * @zero: vgpu_coh_zero_l2() for all lines of the partition
 * @flush: FLUSH to all L1s
 * @sends: to the next partition: @event with @origin
 */
struct vgpu_coh_ring_out {
	bool zero;
	bool flush;
	bool sends;
	u8 event;
	u16 origin;
};

/** vgpu_coh_ring - @event, which partition @origin has begun, is at partition @index */
void vgpu_coh_ring(const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
		   u32 index, enum vgpu_coh_ring_event event, u32 origin,
		   struct vgpu_coh_ring_out *out);
/** vgpu_coh_zero_l2 - the line, and what waits in its MSHR, is from time 0 */
void vgpu_coh_zero_l2(struct vgpu_coh_l2_line *line);
/** vgpu_coh_flush_core - FLUSH has come to an L1, which then purges all its lines and answers */
void vgpu_coh_flush_core(struct vgpu_coh_core *core);

#endif
