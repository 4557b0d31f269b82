// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Timestamps of a warp; see warp.h.
 */
#include "warp.h"

void vgpu_tm_warp_request(const struct vgpu_tm_warp *warp, u64 granule, enum vgpu_tm_kind kind,
			  u32 id, struct vgpu_tm_request *request)
{
	*request = (struct vgpu_tm_request){
		.granule = granule, .ts = warp->warpts, .id = id, .wid = warp->wid,
		.kind = (u8)kind, .epoch = warp->epoch,
	};
}

bool vgpu_tm_warp_answer(struct vgpu_tm_warp *warp, const struct vgpu_tm_answer *answer)
{
	if (answer->request.epoch != warp->epoch)
		return false;
	warp->observed = vgpu_tm_later(warp->observed, answer->time);
	warp->aborted |= answer->result == VGPU_TM_ABORT;
	return true;
}

u64 vgpu_tm_warp_end(const struct vgpu_tm *tm, struct vgpu_tm_warp *warp,
		     struct vgpu_random *random)
{
	u32 doublings;

	warp->warpts = vgpu_tm_later(warp->warpts, warp->observed) + 1;
	warp->observed = 0;
	if (!warp->aborted) {
		warp->aborts = 0;
		return 0;
	}
	warp->aborted = false;
	doublings = ++warp->aborts;
	if (doublings > tm->setup.backoff_doublings)
		doublings = tm->setup.backoff_doublings;
	if (!tm->setup.backoff)
		return 0;
	return (vgpu_random_next(random) >> 32) * ((u64)tm->setup.backoff << doublings) >> 32;
}

void vgpu_tm_warp_rollover(struct vgpu_tm_warp *warp)
{
	warp->warpts = 0;
	warp->observed = 0;
	warp->aborted = false;
	warp->epoch++;
}
