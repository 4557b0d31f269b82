/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: a warp that commits, at its core (thesis 002, 4.1)
 *
 * Two round trips. Its log has gone to all partitions; each that has some of it sends a verdict.
 * When all are there the lanes that none has failed commit: this decision goes to the same
 * partitions. Each that writes, or could have, acknowledges. When all have, or when no lane
 * commits, the warp goes on; lanes that failed begin again.
 */
#ifndef VGPU_WTM_CORE_H
#define VGPU_WTM_CORE_H

#include "warptm.h"

/**
 * struct vgpu_wtm_commit - all 0: there is none
 * @cid: commit id
 * @lanes: that want to commit; @failed: of these, that must not
 * @verdicts, @acks: that are missing
 */
struct vgpu_wtm_commit {
	u64 cid;
	u32 lanes;
	u32 failed;
	u16 verdicts;
	u16 acks;
	u16 unused[2];
};

/** vgpu_wtm_commit_begin - the log of @lanes has been sent, words of it to @partitions, not 0 */
void vgpu_wtm_commit_begin(struct vgpu_wtm_commit *commit, u64 cid, u32 lanes, u32 partitions);
/** vgpu_wtm_commit_verdict - a verdict has come; true: all have, vgpu_wtm_commit_lanes() decides */
bool vgpu_wtm_commit_verdict(struct vgpu_wtm_commit *commit,
			     const struct vgpu_wtm_verdict *verdict);
/** vgpu_wtm_commit_ack - an acknowledgement has come; true: all have, and the warp goes on */
bool vgpu_wtm_commit_ack(struct vgpu_wtm_commit *commit);

/* Lanes that commit, when all verdicts are there */
static inline u32 vgpu_wtm_commit_lanes(const struct vgpu_wtm_commit *commit)
{
	return commit->lanes & ~commit->failed;
}

#endif
