// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A warp that commits; see core.h.
 */
#include "core.h"

void vgpu_wtm_commit_begin(struct vgpu_wtm_commit *commit, u64 cid, u32 lanes, u32 partitions)
{
	*commit = (struct vgpu_wtm_commit){
		.cid = cid, .lanes = lanes, .verdicts = (u16)partitions,
		.acks = (u16)partitions,
	};
}

bool vgpu_wtm_commit_verdict(struct vgpu_wtm_commit *commit,
			     const struct vgpu_wtm_verdict *verdict)
{
	commit->failed |= verdict->failed;
	return !--commit->verdicts;
}

bool vgpu_wtm_commit_ack(struct vgpu_wtm_commit *commit)
{
	return !--commit->acks;
}
