// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ahead: a policy with an operation that policies as BPF have not. vgpu-policy refuses it.
 */
#include "vgpu_policy_file.h"

VGPU_OP(schedule, void, ahead_schedule, struct vgpu_exec *exec)
{
	(void)exec;
}

SEC("vgpu/next_change") u64 ahead_next_change(u64 *args)
{
	return args[0];
}

VGPU_POLICY(b-ahead,
	VGPU_OPS(.schedule = ahead_schedule));
