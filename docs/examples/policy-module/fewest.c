// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fewest: the context that holds the fewest SMs gets the next one. The README shows it.
 */
#include "vgpu_policy_file.h"

VGPU_OP(rank, u64, fewest_held, const struct vgpu_sched_context *ctx) { return ctx->held; }
VGPU_OP(schedule, void, fewest_schedule, struct vgpu_exec *exec)
{
	struct vgpu_sched_context *ctx;
	struct vgpu_ksr *ksr;
	int sm;

	VGPU_WHILE((ctx = vgpu_exec_waiting(exec)) && vgpu_exec_has_room_for(exec, ctx))
		vgpu_exec_admit(exec, ctx);
	VGPU_WHILE((ksr = vgpu_exec_issuable(exec)) && (sm = vgpu_exec_idle_sm(exec)) >= 0)
		vgpu_exec_assign(exec, (u32)sm, ksr);
}
VGPU_POLICY(fewest, VGPU_OPS(.schedule = fewest_schedule, .rank = fewest_held));
