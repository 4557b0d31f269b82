// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * inside: a policy that passes a pointer into a context for one to a context. The verifier refuses
 * it.
 */
#include "vgpu_policy_file.h"

VGPU_OP(schedule, void, inside_schedule, struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx = vgpu_exec_waiting(exec);

	if (ctx)
		vgpu_exec_admit(exec, (struct vgpu_sched_context *)((char *)ctx + 8));
}

VGPU_POLICY(b-inside,
	VGPU_OPS(.schedule = inside_schedule));
