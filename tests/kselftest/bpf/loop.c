// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * loop: a policy whose loops do not end, within each other.
 */
#include "vgpu_policy_file.h"

VGPU_OP(schedule, void, loop_schedule, struct vgpu_exec *exec)
{
	VGPU_WHILE(vgpu_exec_now(exec) != VGPU_NEVER) {
		VGPU_WHILE(vgpu_exec_idle_sm(exec) != -2)
			;
	}
}

VGPU_POLICY(b-loop,
	VGPU_OPS(.schedule = loop_schedule));
