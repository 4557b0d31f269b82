// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * wrong: a policy that assigns an SM that there is not.
 */
#include "vgpu_policy_file.h"

VGPU_OP(schedule, void, wrong_schedule, struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx = vgpu_exec_waiting(exec);
	struct vgpu_ksr *ksr = ctx && vgpu_exec_has_room(exec) ? vgpu_exec_admit(exec, ctx) : NULL;

	if (ksr)
		vgpu_exec_assign(exec, 1000000, ksr);
}

VGPU_POLICY(b-wrong,
	VGPU_OPS(.schedule = wrong_schedule));
