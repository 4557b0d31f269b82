// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Leftover: what GPUs of today do with kernels that may run at the same time (SMK 3). Kernels have
 * their blocks issued in the order of their admission: all blocks of one are issued before the next
 * gets what they left of the SMs. Nobody is preempted. Of the kernels of one context the most
 * important has the turn of the first (streams).
 */
#include "common.h"

/* The most important kernel of the context of @ksr that has blocks to issue: itself, or another. */
static struct vgpu_ksr *most_important(struct vgpu_ksr *ksr)
{
	struct vgpu_ksr *found = vgpu_exec_issuable_of(vgpu_exec_context_of(ksr));

	/* none: its context has all SMs that it may have, of which it may share those */
	return found ? found : ksr;
}

static void leftover_schedule(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr = NULL;

	vgpu_policy_admit_all(exec);
	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		while (vgpu_exec_has_blocks(ksr)) {
			struct vgpu_ksr *next = most_important(ksr);
			int sm = vgpu_policy_emptiest_sm(exec, next, false);

			if (sm < 0)
				break;
			vgpu_exec_dispatch(exec, (u32)sm, next);
		}
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
