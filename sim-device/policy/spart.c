// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Spatial partitioning (SMK 2, 6.1; Adriaens et al., HPCA 2012): every process with kernels has as
 * many SMs as any other; those that are left over stay where they are. An SM is in the hands of one
 * kernel and changes them as a whole, by the preemption mechanism in use.
 *
 * SMs that are being preempted for a process count as its own. One is taken from the process that
 * has most, if it has two more than the one that gets it.
 */
#include "common.h"

static u64 spart_rank(const struct vgpu_sched_context *ctx)
{
	return ctx->held;
}

/* One SM more for the process with the fewest. false: nobody wants one, or none is to be had. */
static bool give_one(struct vgpu_exec *exec)
{
	int sm = vgpu_exec_idle_sm(exec);
	struct vgpu_sched_context *most;
	struct vgpu_ksr *fewest;

	if (sm >= 0) {
		fewest = vgpu_exec_issuable(exec);
		if (fewest)
			vgpu_exec_assign(exec, (u32)sm, fewest);
		return fewest;
	}
	fewest = vgpu_exec_wanting(exec);
	if (!fewest)
		return false;
	sm = vgpu_exec_unreserved_sm(exec);
	if (sm < 0) {
		most = vgpu_exec_holding(exec);
		if (!most || most->held < vgpu_exec_context_of(fewest)->held + 2)
			return false;
		sm = vgpu_exec_victim(exec, most);
	}
	return !vgpu_exec_reserve(exec, (u32)sm, fewest);
}

static void spart_schedule(struct vgpu_exec *exec)
{
	vgpu_policy_admit_all(exec);
	while (give_one(exec))
		;
}

const struct vgpu_policy vgpu_policy_spart = {
	.name = "spart",
	.schedule = spart_schedule,
	.rank = spart_rank,
};
