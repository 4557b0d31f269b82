/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the commit unit (thesis 002, 4.4.1, 4.5.3)
 *
 * What reaches it cannot fail. Entries of logs are coalesced in a ring buffer of regions: the
 * writes of those of one granule are added, and their bytes are one write. All entries of a granule
 * that are here at the same time are of one warp, which has it locked. A region that leaves is
 * written, if some of it commits, and unlocked by as many writes: both in the same instant.
 */
#ifndef VGPU_TM_COMMIT_H
#define VGPU_TM_COMMIT_H

#include "tm.h"

/**
 * struct vgpu_tm_drained - a region that has left the ring
 * @slot: its place there, for the host's bytes
 * @commits: they have to be written
 * @lost: there have not been so many writes, a defect
 */
struct vgpu_tm_drained {
	u64 granule;
	struct vgpu_tm_cost cost;
	u32 slot;
	bool commits;
	bool lost;
};

/**
 * vgpu_tm_commit_add - an entry of a log is at its partition
 *
 * *@slot: the place of its region, to which the host adds the bytes. False: the ring is full, and
 * the entry is tried again when a region has left.
 */
bool vgpu_tm_commit_add(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			const struct vgpu_tm_log *log, u32 *slot);
/** vgpu_tm_commit_drain - the oldest region leaves; false: there is none */
bool vgpu_tm_commit_drain(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			  struct vgpu_tm_drained *drained);

#endif
