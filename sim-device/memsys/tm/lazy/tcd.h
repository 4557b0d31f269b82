/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: temporal conflict detection (WarpTM; thesis 002, 4.1)
 *
 * A partition has the time of the last store to each address, in a recency filter: never before the
 * true one. Each transactional load of memory asks for it. A transaction starts with its first
 * load, when that leaves the core. One that only reads, and whose addresses have all been stored to
 * before that, has read what memory had then: it commits *silently*, without validation. Time is
 * the host's, one clock of the device; what happens at the same time counts as later.
 *
 * As published times change with the writes. A commit takes time, though, and a transaction that
 * starts in the middle of one may load one word behind its write and another before it: neither
 * has been stored to since, and what it has read never was there together. So a load of what a
 * transaction that commits has in its write log, by the last-writer history, counts as a conflict
 * (VGPU_TCD_PENDING): who could be in the middle has its log at all its partitions.
 */
#ifndef VGPU_TCD_H
#define VGPU_TCD_H

#include "warptm.h"

/**
 * struct vgpu_tcd_reads - of a transaction, at its core; all 0 at first
 * @start: time of the first load; @latest: 1 + that of the latest store that was found, 0: none
 */
struct vgpu_tcd_reads {
	u64 start;
	u64 latest;
	bool has_begun;
};

/** vgpu_tcd_store - @address is stored to at @now, by a transaction or not */
void vgpu_tcd_store(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address, u64 now);
/**
 * vgpu_tcd_load - a transaction loads @address: part of the answer
 *
 * 1 + the time of the last store, 0 for none; what is beyond all times, if one is to come.
 */
u64 vgpu_tcd_load(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 address);
/** vgpu_tcd_start - a load leaves the core at @now */
void vgpu_tcd_start(const struct vgpu_wtm *wtm, struct vgpu_tcd_reads *reads, u64 now);
/** vgpu_tcd_answer - what vgpu_tcd_load() has said is there */
void vgpu_tcd_answer(struct vgpu_tcd_reads *reads, u64 stored);
/** vgpu_tcd_is_silent - has a transaction that stores nothing committed with this? */
bool vgpu_tcd_is_silent(const struct vgpu_wtm *wtm, const struct vgpu_tcd_reads *reads);

#endif
