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

/* Does @from, which has @less SMs less by then, give one to @by, which has @more? */
static bool gives(const struct vgpu_sched_context *from, u32 less,
		  const struct vgpu_sched_context *by, s64 more)
{
	return (s64)from->held - less >= by->held + more + 2;
}

/* An SM to preempt for @ctx, which wants one; -1: nobody has two more than it. */
static int surplus_sm(struct vgpu_exec *exec, const struct vgpu_sched_context *ctx)
{
	int sm = vgpu_exec_unreserved_sm(exec);
	const struct vgpu_sched_context *most;

	if (sm >= 0)
		return sm;
	most = vgpu_exec_holding(exec);
	return most && gives(most, 0, ctx, 0) ? vgpu_exec_victim(exec, most) : -1;
}

static u32 spart_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			    const struct vgpu_sched_context *from, u32 taken)
{
	(void)exec;
	return vgpu_policy_count_moves(by, from, taken, gives);
}

static void spart_schedule(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr;
	int sm;

	vgpu_policy_admit_all(exec);
	vgpu_policy_assign_idle(exec);
	while ((ksr = vgpu_exec_wanting(exec)) &&
	       (sm = surplus_sm(exec, vgpu_exec_context_of(ksr))) >= 0)
		if (vgpu_exec_reserve(exec, (u32)sm, ksr))
			return;
}

const struct vgpu_policy vgpu_policy_spart = {
	.name = "spart",
	.schedule = spart_schedule,
	.rank = spart_rank,
	.would_take = spart_would_take,
};
