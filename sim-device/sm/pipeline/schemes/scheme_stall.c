// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Stall on fault (Tanasic 6.1, 6.2): the baseline. The warp fetches again when the access has been
 * issued, and its sources are released when they have been read. An access that faults can only
 * wait.
 */
#include "../scheme.h"

const struct vgpu_fault_scheme vgpu_scheme_stall = {
	.name = "stall",
	.issued = vgpu_pipe_fetch_on,
	.read = vgpu_pipe_release,
};
