// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Priorities of streams: launches of one context among each other (docs/policies.md). As CUDA says:
 * pending work of a more important stream comes before that of others, and does not preempt what
 * runs. So launches that wait are in this order, and active kernels are, too; and an SM that runs a
 * less important kernel of the same context gets no more blocks of that as soon as a more important
 * one wants an SM: it drains, whatever the mechanism.
 *
 * A context's place among others does not depend on it. Where blocks of several kernels share SMs,
 * no SM drains: the policy picks blocks, in the same order (leftover) or by shares.
 */
#include "exec.h"

void vgpu_stream_wait_behind(struct vgpu_exec *exec, struct vgpu_exec_context *ctx,
			     struct vgpu_job *job)
{
	struct vgpu_list *behind = &ctx->behind;
	struct vgpu_job *other;

	if (unlikely(job->priority > ctx->job->priority)) {
		struct vgpu_job *first = ctx->job;
		u64 order = first->order;

		/* the context keeps its place among those that wait */
		first->order = job->order;
		job->order = order;
		ctx->job = job;
		vgpu_list_add(&first->node, &ctx->behind);
		vgpu_runqueue_update(exec, ctx);
		return;
	}
	/* without priorities, to the end at once */
	if (likely(!ctx->prefers)) {
		vgpu_list_add_tail(&job->node, &ctx->behind);
		return;
	}
	vgpu_list_for_each(other, &ctx->behind, struct vgpu_job, node)
		if (unlikely(other->priority < job->priority)) {
			behind = &other->node;
			break;
		}
	vgpu_list_insert(&job->node, behind);
}

/* An SM that runs the least important kernel of @ctx, if that is less than @priority; NULL: none */
static struct vgpu_smst *least_important(const struct vgpu_exec_context *ctx, u32 priority)
{
	struct vgpu_smst *smst, *least = NULL;

	vgpu_list_for_each(smst, &ctx->running, struct vgpu_smst, node)
		if (smst->ksr->priority < priority) {
			priority = smst->ksr->priority;
			least = smst;
		}
	return least;
}

static void prefer(struct vgpu_exec *exec, const struct vgpu_exec_context *ctx)
{
	struct vgpu_smst *smst;
	struct vgpu_ksr *wanting;

	while ((wanting = vgpu_list_first(&ctx->kernels[VGPU_KSR_WANTING], struct vgpu_ksr,
					  need[VGPU_KSR_WANTING]))) {
		smst = least_important(ctx, wanting->priority);
		if (!smst)
			return;
		vgpu_exec_drain(exec, vgpu_smst_number(smst), wanting);
	}
}

void vgpu_streams_prefer(struct vgpu_exec *exec)
{
	const struct vgpu_exec_context *ctx;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		if (unlikely(ctx->prefers))
			prefer(exec, ctx);
}
