// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Warp disable until commit (Tanasic 6.3.1, figure 6.4): an access holds its warp until it has
 * committed. Nothing younger can have been executed when it faults, so it alone is replayed, by its
 * program counter.
 */
#include "scheme.h"

const struct vgpu_fault_scheme vgpu_scheme_wd_commit = {
	.name = "wd-commit",
	.preemptible = true,
	.read = vgpu_pipe_release,
	.committed = vgpu_pipe_fetch_on,
};
