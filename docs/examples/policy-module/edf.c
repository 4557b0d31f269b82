// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Earliest deadline first. A context that gets work has to be done with it in 10 ms if its priority
 * is 0, in half of that for each priority above, in twice that for each below. SMs go to the context
 * whose deadline comes first, and those that later ones hold are preempted for it.
 */
#include "vgpu_policy_file.h"

#define LONGEST		(10000 * VGPU_US)	/* picoseconds */

/** struct edf_context - of a context with active kernels; in vgpu_sched_context.data */
struct edf_context {
	u64 deadline;
};

/* From when its launch arrived on. */
static u64 edf_allowed(const struct vgpu_sched_context *ctx)
{
	s32 priority = ctx->priority;

	if (priority < 0)
		return LONGEST << (priority < -16 ? 16 : -priority);
	return LONGEST >> (priority > 16 ? 16 : priority);
}

VGPU_OP(rank, u64, edf_deadline, const struct vgpu_sched_context *ctx)
{
	const struct edf_context *edf = vgpu_sched_data_of(ctx, struct edf_context);

	return edf->deadline;
}

/* Of a launch that waits. */
VGPU_OP(admission_rank, u64, edf_admission_rank, const struct vgpu_sched_context *ctx)
{
	u64 arrived = vgpu_exec_launch_arrived(ctx);

	return arrived == VGPU_NEVER ? arrived : arrived + edf_allowed(ctx);
}

VGPU_OP(schedule, void, edf_schedule, struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx, *last;
	struct vgpu_ksr *ksr;
	int sm;

	VGPU_WHILE((ctx = vgpu_exec_waiting(exec)) && vgpu_exec_has_room_for(exec, ctx)) {
		struct edf_context *edf = vgpu_sched_data_of(ctx, struct edf_context);

		if (!ctx->active_kernels)
			edf->deadline = edf_admission_rank(ctx);
		vgpu_exec_admit(exec, ctx);
	}
	VGPU_WHILE((ksr = vgpu_exec_issuable(exec)) && (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
	VGPU_WHILE((ksr = vgpu_exec_wanting(exec))) {
		sm = vgpu_exec_unreserved_sm(exec);
		if (sm < 0) {
			last = vgpu_exec_holding(exec);
			if (!last || edf_deadline(last) <= edf_deadline(vgpu_exec_context_of(ksr)))
				return;
			sm = vgpu_exec_victim(exec, last);
		}
		/* the mechanism may be one that cannot preempt */
		if (sm < 0 || vgpu_exec_reserve(exec, (u32)sm, ksr))
			return;
	}
}

/* What is still active has the same time again, from now on. */
VGPU_OP(kernel_finished, void, edf_kernel_finished, struct vgpu_exec *exec,
	struct vgpu_sched_context *ctx)
{
	struct edf_context *edf = vgpu_sched_data_of(ctx, struct edf_context);

	if (!ctx->active_kernels)
		return;
	edf->deadline = vgpu_exec_time_after(exec, edf_allowed(ctx));
	vgpu_exec_reorder(exec, ctx);
}

VGPU_OP(would_take, u32, edf_would_take, struct vgpu_exec *exec,
	const struct vgpu_sched_context *by, const struct vgpu_sched_context *from, u32 taken)
{
	(void)taken;
	return vgpu_exec_time_after(exec, edf_allowed(by)) < edf_deadline(from) ? from->held : 0;
}

VGPU_POLICY(edf,
	.context_bytes = sizeof(struct edf_context),
	VGPU_OPS(.schedule = edf_schedule,
		 .rank = edf_deadline,
		 .admission_rank = edf_admission_rank,
		 .would_take = edf_would_take,
		 .kernel_finished = edf_kernel_finished));
