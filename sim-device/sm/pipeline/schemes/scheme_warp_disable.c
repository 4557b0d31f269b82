// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Warp disable (Tanasic 6.3.1): an access holds its warp until nothing can make it fault any more.
 * Nothing younger can have been executed when it faults, so it alone is replayed, by its program
 * counter. Until it has committed (figure 6.4), or only until its last TLB check (figure 6.5): from
 * then on it cannot fault.
 */
#include "../scheme.h"

const struct vgpu_fault_scheme vgpu_scheme_wd_commit = {
	.name = "wd-commit",
	.preemptible = true,
	.read = vgpu_pipe_release,
	.committed = vgpu_pipe_fetch_on,
};

const struct vgpu_fault_scheme vgpu_scheme_wd_lastcheck = {
	.name = "wd-lastcheck",
	.preemptible = true,
	.read = vgpu_pipe_release,
	.checked = vgpu_pipe_fetch_on,
};
