// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which SMs are throttled for a context (the thesis of ETC, 3.6.3), for who decides that
 * (placement/throttlers.c): SMs that have blocks of it, all but one at most. An SM that is to
 * leave, or that has no block of the context any more, is throttled for it no more. When the SMs
 * that run have none left, those that are throttled have what is left of its work, and all of them
 * go on. While a context has a cooperative kernel none is: its blocks wait for each other.
 */
#include "exec.h"

static bool has_blocks(const struct vgpu_sm *sm, u32 context)
{
	const struct vgpu_block *block;

	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node)
		if (block->launch->context == context)
			return true;
	return false;
}

/* A block of it moves, or is swapped out, or is to come. */
static bool has_others(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];

	return smst->saving || smst->restoring || smst->off_count || smst->claimed;
}

u32 vgpu_exec_running_sms(const struct vgpu_exec_context *ctx)
{
	const struct vgpu_exec *exec = ctx->exec;
	u32 running = 0;

	for (u32 sm = 0; sm < exec->config->sms; sm++)
		running += has_blocks(&exec->sms[sm], ctx->sched.id) &&
			   !vgpu_sm_throttles(&exec->sms[sm], ctx->sched.id);
	return running;
}

static void trace(const struct vgpu_exec_context *ctx, u32 sm, bool on)
{
	struct vgpu_exec *exec = ctx->exec;

	if (unlikely(exec->trace->on))
		vgpu_trace_emit(exec->trace,
				&(struct vgpu_trace_record){ .type = VGPU_TRACE_THROTTLE,
							     .sm = (u16)sm,
							     .context = ctx->sched.id,
							     .a = on,
							     .b = ctx->throttled });
}

static void release(struct vgpu_exec_context *ctx, u32 sm)
{
	vgpu_sm_unthrottle(&ctx->exec->sms[sm], ctx->sched.id);
	ctx->throttled--;
	trace(ctx, sm, false);
}

bool vgpu_exec_throttle(struct vgpu_exec_context *ctx, u32 sm)
{
	struct vgpu_exec *exec = ctx->exec;
	u32 id = ctx->sched.id;

	if (sm >= exec->config->sms || exec->smst[sm].leaving || ctx->cooperative ||
	    !has_blocks(&exec->sms[sm], id) || vgpu_sm_throttles(&exec->sms[sm], id) ||
	    vgpu_exec_running_sms(ctx) < 2 ||
	    !vgpu_sm_throttle(&exec->sms[sm], id, exec->throttles++))
		return false;
	ctx->throttled++;
	ctx->throttles++;
	trace(ctx, sm, true);
	return true;
}

u32 vgpu_exec_throttle_some(struct vgpu_exec_context *ctx, u32 count)
{
	u32 done = 0;

	for (u32 sm = ctx->exec->config->sms; sm-- && done < count;)
		done += vgpu_exec_throttle(ctx, sm);
	return done;
}

bool vgpu_exec_unthrottle_last(struct vgpu_exec_context *ctx)
{
	const struct vgpu_exec *exec = ctx->exec;
	u32 last = exec->config->sms;
	u64 order = 0;

	for (u32 sm = 0; ctx->throttled && sm < exec->config->sms; sm++)
		for (u32 n = 0; n < exec->sms[sm].throttled_count; n++) {
			const struct vgpu_throttled *t = &exec->sms[sm].throttled[n];

			if (t->context == ctx->sched.id && t->order >= order) {
				order = t->order;
				last = sm;
			}
		}
	if (last == exec->config->sms)
		return false;
	release(ctx, last);
	return true;
}

void vgpu_exec_unthrottle(struct vgpu_exec_context *ctx)
{
	for (u32 sm = 0; ctx->throttled && sm < ctx->exec->config->sms; sm++)
		if (vgpu_sm_throttles(&ctx->exec->sms[sm], ctx->sched.id))
			release(ctx, sm);
}

static void look_at(struct vgpu_exec_context *ctx)
{
	struct vgpu_exec *exec = ctx->exec;

	for (u32 sm = 0; ctx->throttled && sm < exec->config->sms; sm++)
		if (vgpu_sm_throttles(&exec->sms[sm], ctx->sched.id) &&
		    !has_blocks(&exec->sms[sm], ctx->sched.id) && !has_others(exec, sm))
			release(ctx, sm);
	if (ctx->throttled && !vgpu_exec_running_sms(ctx))
		vgpu_exec_unthrottle(ctx);
}

static void look_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, throttle_look);
	struct vgpu_exec_context *ctx;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		if (ctx->throttled)
			look_at(ctx);
}

void vgpu_throttle_look(struct vgpu_exec *exec)
{
	exec->throttle_look.fire = look_fire;
	if (!vgpu_event_pending(&exec->throttle_look))
		vgpu_event_after(exec->sim, &exec->throttle_look, 0);
}

void vgpu_throttle_leaves(struct vgpu_exec_context *ctx, u32 sm)
{
	if (!vgpu_sm_throttles(&ctx->exec->sms[sm], ctx->sched.id))
		return;
	release(ctx, sm);
	vgpu_throttle_look(ctx->exec);
}
