// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Warp disable until the last TLB check (Tanasic 6.3.1, figure 6.5): from then on the access cannot
 * fault, and the warp fetches again.
 */
#include "scheme.h"

const struct vgpu_fault_scheme vgpu_scheme_wd_lastcheck = {
	.name = "wd-lastcheck",
	.preemptible = true,
	.read = vgpu_pipe_release,
	.checked = vgpu_pipe_fetch_on,
};
