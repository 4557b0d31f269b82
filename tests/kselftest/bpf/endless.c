// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * endless: a policy with a loop of C. The verifier, which sees no end, refuses it.
 */
#include "vgpu_policy_file.h"

VGPU_OP(schedule, void, endless_schedule, struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr;

	while ((ksr = vgpu_exec_issuable(exec)))
		vgpu_exec_assign(exec, 0, ksr);
}

VGPU_POLICY(b-endless,
	VGPU_OPS(.schedule = endless_schedule));
