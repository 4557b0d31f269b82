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
#include "../core/device.h"
#include "policy.h"

#define WEIGHT_MAX	1024

bool vgpu_policy_has_share(const struct vgpu_context *ctx)
{
	return vgpu_context_is_process(ctx) && ctx->standing.tokens == VGPU_TOKENS_SHARE;
}

static u64 weight_of(const struct vgpu_device *dev, const struct vgpu_context *ctx, s32 lowest)
{
	s64 above = (s64)ctx->priority - lowest;

	if (!dev->exec.share_by_priority)
		return 1;
	return (u64)(above < WEIGHT_MAX ? above + 1 : WEIGHT_MAX);
}

u32 vgpu_policy_share(struct vgpu_device *dev)
{
	const struct vgpu_context_table *table = &dev->contexts;
	u64 given = 0, weights = 0;
	s32 lowest = 0x7fffffff;
	u32 sms, rest, i;

	for (i = 0; i < table->count; i++) {
		struct vgpu_context *ctx = table->list[i];

		ctx->standing.budget = 0;
		if (vgpu_policy_has_share(ctx)) {
			lowest = ctx->priority < lowest ? ctx->priority : lowest;
		} else if (vgpu_context_is_process(ctx)) {
			ctx->standing.budget = ctx->standing.tokens;
			given += ctx->standing.tokens;
		}
	}
	sms = given < dev->config.sms ? dev->config.sms - (u32)given : 0;
	for (i = 0; i < table->count; i++)
		if (vgpu_policy_has_share(table->list[i]))
			weights += weight_of(dev, table->list[i], lowest);
	for (rest = sms, i = 0; i < table->count; i++) {
		struct vgpu_context *ctx = table->list[i];

		if (!vgpu_policy_has_share(ctx))
			continue;
		ctx->standing.budget = (u32)(sms * weight_of(dev, ctx, lowest) / weights);
		rest -= ctx->standing.budget;
		/* So that nobody starves under dss, where more tokens than SMs do no harm. */
		if (!ctx->standing.budget)
			ctx->standing.budget = 1;
	}
	return weights ? rest : 0;
}
