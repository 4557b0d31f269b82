// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Budgets of SMs, for the policies that divide them: dss and static (Tanasic 5.2.4, 5.3.4).
 *
 * The unit is the process: its kernels share its budget, however many of them are active. (5.2.4
 * counts tokens by kernel; 5.3.4 sets them equal "to all the processes". For a process with one
 * kernel at a time they are the same, and a process does not get more by launching more.) Processes
 * are the live contexts that have queues.
 *
 * Who was given tokens (vgpu_context_tokens()) has that budget. The others divide the rest of the
 * SMs by weight:
 *
 *   budget = floor(SMs x weight / sum of weights)
 *
 * All weights are 1 when sharing is equal, so that t_c = floor(N_sm / N_p) as in 5.3.4. By priority
 * (knob share_by), the weight is how far the priority lies above the lowest one, plus 1. What
 * cannot be divided is left to the policy.
 */
#include "common.h"

#define WEIGHT_MAX	1024

bool vgpu_policy_has_share(const struct vgpu_sched_context *ctx)
{
	return ctx->takes_part && ctx->tokens == VGPU_TOKENS_SHARE;
}

static u64 weight_of(const struct vgpu_exec *exec, const struct vgpu_sched_context *ctx, s32 lowest)
{
	s64 above = (s64)ctx->priority - lowest;

	if (!vgpu_exec_share_by_priority(exec))
		return 1;
	return (u64)(above < WEIGHT_MAX ? above + 1 : WEIGHT_MAX);
}

u32 vgpu_policy_share(struct vgpu_exec *exec)
{
	u32 all = vgpu_exec_config(exec)->sms;
	struct vgpu_sched_context *ctx = NULL;
	u64 given = 0, weights = 0;
	s32 lowest = 0x7fffffff;
	u32 sms, rest;

	VGPU_WHILE((ctx = vgpu_exec_next_context(exec, ctx))) {
		vgpu_budget_of(ctx)->sms = 0;
		if (vgpu_policy_has_share(ctx)) {
			lowest = ctx->priority < lowest ? ctx->priority : lowest;
		} else if (ctx->takes_part) {
			vgpu_budget_of(ctx)->sms = ctx->tokens;
			given += ctx->tokens;
		}
	}
	sms = given < all ? all - (u32)given : 0;
	VGPU_WHILE((ctx = vgpu_exec_next_context(exec, ctx)))
		if (vgpu_policy_has_share(ctx))
			weights += weight_of(exec, ctx, lowest);
	rest = sms;
	VGPU_WHILE((ctx = vgpu_exec_next_context(exec, ctx))) {
		struct vgpu_budget *budget = vgpu_budget_of(ctx);

		if (!vgpu_policy_has_share(ctx))
			continue;
		budget->sms = (u32)(sms * weight_of(exec, ctx, lowest) / weights);
		rest -= budget->sms;
		/* So that nobody starves under dss, where more tokens than SMs do no harm. */
		if (!budget->sms)
			budget->sms = 1;
	}
	return weights ? rest : 0;
}
