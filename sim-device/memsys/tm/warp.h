/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: timestamps of a warp (thesis 002, 4.4.1, 4.5.1)
 *
 * All transactions of a warp execute at its warpts. An attempt ends for all its threads together:
 * then warpts = max(warpts, observed rts, observed wts) + 1, whether they have committed or not, so
 * that those which have aborted are later than what they met. After an abort the warp waits for a
 * random time, with each one in a row below twice as much ("probabilistically increasing backoff"):
 * without it two transactions may abort each other for ever.
 */
#ifndef VGPU_TM_WARP_H
#define VGPU_TM_WARP_H

#include "../../sim/random.h"
#include "tm.h"

/**
 * struct vgpu_tm_warp - all 0 at first but @wid
 * @warpts: logical time of its transactions
 * @observed: latest time of answers of this attempt
 * @aborts: attempts in a row in which a thread has aborted
 * @wid: global number
 * @epoch: rollovers
 * @aborted: a thread has, in this attempt
 */
struct vgpu_tm_warp {
	u64 warpts;
	u64 observed;
	u32 aborts;
	u16 wid;
	u8 epoch;
	bool aborted;
};

/** vgpu_tm_warp_request - the message of an access; @id is the host's */
void vgpu_tm_warp_request(const struct vgpu_tm_warp *warp, u64 granule, enum vgpu_tm_kind kind,
			  u32 id, struct vgpu_tm_request *request);
/** vgpu_tm_warp_answer - SUCCESS or ABORT has come; false: it is from before a rollover */
bool vgpu_tm_warp_answer(struct vgpu_tm_warp *warp, const struct vgpu_tm_answer *answer);
/** vgpu_tm_warp_end - the log has been sent. Returns how many cycles the warp waits */
u64 vgpu_tm_warp_end(const struct vgpu_tm *tm, struct vgpu_tm_warp *warp,
		     struct vgpu_random *random);
/** vgpu_tm_warp_rollover - the core rolls over: the attempt is over, and nothing is sent for it */
void vgpu_tm_warp_rollover(struct vgpu_tm_warp *warp);

#endif
