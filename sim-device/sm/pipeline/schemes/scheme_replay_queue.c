// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Replay queue (Tanasic 6.3.2, figures 6.6 and 6.7): the warp goes on when the access has been
 * issued. Its sources are released only when it has passed its last TLB check, so it can read them
 * again. What is to be replayed is in the queue, and in the context: no registers.
 */
#include "../scheme.h"

static u64 context_bytes(const struct vgpu_pipe_block *pb)
{
	return (u64)vgpu_pipe_replays(pb) * VGPU_REPLAY_BYTES;
}

const struct vgpu_fault_scheme vgpu_scheme_replay_queue = {
	.name = "replay-queue",
	.preemptible = true,
	.issued = vgpu_pipe_fetch_on,
	.checked = vgpu_pipe_release,
	.context_bytes = context_bytes,
};
