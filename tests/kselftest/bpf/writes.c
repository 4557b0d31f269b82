// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * writes: a policy that changes what is not its own. The verifier refuses it.
 */
#include "vgpu_policy_file.h"

VGPU_OP(schedule, void, writes_schedule, struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx = vgpu_exec_waiting(exec);

	if (ctx)
		ctx->priority = 1000;
}

VGPU_POLICY(b-writes,
	VGPU_OPS(.schedule = writes_schedule));
