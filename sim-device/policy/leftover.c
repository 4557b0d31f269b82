// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Leftover: what GPUs of today do with kernels that may run at the same time (SMK 3). Kernels have
 * their blocks issued in the order of their admission: all blocks of one are issued before the next
 * gets what they left of the SMs. Nobody is preempted.
 */
#include "common.h"

/* Of the SMs where a block of @ksr fits, the one with the lowest rSM; -1: it fits nowhere. */
static int emptiest_sm(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	u64 least = ~0ull, share;
	int found = -1;

	for (u32 sm = 0; sm < vgpu_exec_config(exec)->sms; sm++) {
		if (!vgpu_exec_fits(exec, sm, ksr))
			continue;
		share = vgpu_exec_sm_share(exec, sm, NULL);
		if (share < least) {
			least = share;
			found = (int)sm;
		}
	}
	return found;
}

void vgpu_policy_admit_all(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next;

	while ((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room_for(exec, next))
		vgpu_exec_admit(exec, next);
}

static void leftover_schedule(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr = NULL;
	int sm;

	vgpu_policy_admit_all(exec);
	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		while (vgpu_exec_has_blocks(ksr) && (sm = emptiest_sm(exec, ksr)) >= 0)
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
