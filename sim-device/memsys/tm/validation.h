/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the validation unit (thesis 002, 4.4.1, figure 4.6)
 *
 * An access is tested when it is made, in this order:
 *
 *   1. Is the granule locked by this attempt itself? SUCCESS.
 *   2. Is the request earlier than wts (a store: than wts or rts)? ABORT.
 *   3. Is the granule locked? QUEUED: for an earlier transaction, so that nobody waits in a circle.
 *   4. SUCCESS: a load raises rts, a store sets wts and locks.
 *
 * Whose lock it is: owner is the warp, and wts the successor of the stamp of the request. The
 * second part is not in the thesis. A warp goes on when its log has been sent; without it the next
 * attempt would take a lock that waits in the commit unit for its own: a load would not see what
 * the warp has just committed, a store would keep the old wts.
 *
 * Timestamps are raised at once and stay when a transaction aborts.
 */
#ifndef VGPU_TM_VALIDATION_H
#define VGPU_TM_VALIDATION_H

#include "tm.h"

/** vgpu_tm_access - @request is at its partition; fills *@answer */
void vgpu_tm_access(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		    const struct vgpu_tm_request *request, struct vgpu_tm_answer *answer);
/**
 * vgpu_tm_retry - a request leaves the stall buffer and is validated again; false: none can
 *
 * One whose granule is not locked, or locked by its own attempt, or that fails the test of
 * timestamps by now; of those of one granule that with the smallest timestamp. Fills *@answer.
 */
bool vgpu_tm_retry(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		   struct vgpu_tm_answer *answer);
/**
 * vgpu_tm_release - the log of @writes stores to @granule has been handled
 *
 * False: there have not been so many, a defect.
 */
bool vgpu_tm_release(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u64 granule, u32 writes,
		     struct vgpu_tm_cost *cost);

#endif
