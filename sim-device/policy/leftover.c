// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Leftover: what GPUs of today do with kernels that may run at the same time (SMK 3). Kernels have
 * their blocks issued in the order of their admission: all blocks of one are issued before the next
 * gets what they left of the SMs. Nobody is preempted.
 */
#include "common.h"

static void leftover_schedule(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr = NULL;
	int sm;

	vgpu_policy_admit_all(exec);
	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		while (vgpu_exec_has_blocks(ksr) &&
		       (sm = vgpu_policy_emptiest_sm(exec, ksr, false)) >= 0)
			vgpu_exec_dispatch(exec, (u32)sm, ksr);
		/* at the limit of its context's SMs it wants none of the others */
		if (vgpu_exec_has_blocks(ksr) && vgpu_exec_may_hold_more(ksr))
			return;
	}
}

const struct vgpu_policy vgpu_policy_leftover = {
	.name = "leftover",
	.by_block = true,
	.schedule = leftover_schedule,
};
