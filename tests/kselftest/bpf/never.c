// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * never: a policy that never schedules.
 */
#include "vgpu_policy_file.h"

VGPU_OP(schedule, void, never_schedule, struct vgpu_exec *exec)
{
	(void)exec;
}

VGPU_POLICY(b-never,
	VGPU_OPS(.schedule = never_schedule));
