/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the last-writer history of a partition (KILO TM; thesis 002, table 4.5)
 *
 * For each word the latest commit id that has it in its write log, whether that commits or not. A
 * set-associative table has the recent ones; what is displaced from it, the earliest of its set,
 * is in a recency filter, whose ways have the latest commit id of all words that map to a row. What
 * is found is never earlier than the true one: errors cost validations only. Nothing is ever taken
 * out: who asks compares with the commit ids that have left.
 */
#ifndef VGPU_LWHR_H
#define VGPU_LWHR_H

#include "warptm.h"

/** vgpu_lwhr_store - @cid, later than all before, has @address in its write log */
void vgpu_lwhr_store(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address, u64 cid);
/** vgpu_lwhr_find - the latest that may have @address in its write log; 0: none */
u64 vgpu_lwhr_find(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address);

#endif
