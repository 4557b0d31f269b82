// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Announcements: a process says that it is about to launch a kernel (PEP: Li et al., 3.2). The
 * mechanism in use may then prepare SMs for being preempted.
 *
 * DOC: announcements
 *
 * A context has one announcement at a time. It is over pep_keep_ps after the launch that follows
 * it has come to the device, or, if none comes, pep_keep_ps after it was made. What was prepared
 * for it and not used is forgotten then.
 *
 * An announcement that no launch follows costs its announcer: what SMs have stood still for it
 * (@stall) is owed. The next launch of its context comes so much later, as if all SMs had stood
 * together, and until that has come no announcement of it counts. So whoever announces for nothing
 * does so once; that is less than a launch could cost others.
 */
#include "exec.h"

struct vgpu_exec_context *vgpu_exec_find_context(const struct vgpu_exec *exec, u32 id)
{
	struct vgpu_exec_context *ctx;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		if (ctx->sched.id == id)
			return ctx;
	return NULL;
}

static void announce_fire(struct vgpu_event *event);

/* The event comes when the first announcement is over. */
static void plan(struct vgpu_exec *exec)
{
	const struct vgpu_exec_context *ctx;
	u64 first = VGPU_NEVER;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		if (ctx->announced.open && ctx->announced.until < first)
			first = ctx->announced.until;
	exec->announce.fire = announce_fire;
	if (first == VGPU_NEVER)
		vgpu_event_cancel(exec->sim, &exec->announce);
	else
		vgpu_event_at(exec->sim, &exec->announce, first);
}

void vgpu_announce_forget(struct vgpu_exec *exec, u32 id, bool for_turn)
{
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		struct vgpu_smst *smst = &exec->smst[sm];

		if (smst->announcer != id || smst->for_turn != for_turn)
			continue;
		smst->announcer = 0;
		vgpu_exec_unwatch(exec, sm);
		vgpu_trial_forget(exec, sm);
		vgpu_checkpoint_forget(exec, sm);
	}
}

static void end(struct vgpu_exec_context *ctx)
{
	struct vgpu_announced *a = &ctx->announced;
	struct vgpu_exec *exec = ctx->exec;

	a->open = false;
	vgpu_announce_forget(exec, ctx->sched.id, false);
	if (a->launched)
		return;
	a->broken = true;
	a->owed = a->stall / exec->config->sms;
	ctx->account.announcements_broken++;
}

static void announce_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, announce);
	struct vgpu_exec_context *ctx;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		if (ctx->announced.open && ctx->announced.until <= exec->sim->now)
			end(ctx);
	plan(exec);
}

void vgpu_exec_announce(struct vgpu_exec_context *ctx, const struct vgpu_announcement *what)
{
	struct vgpu_announced *a = &ctx->announced;
	struct vgpu_exec *exec = ctx->exec;

	if (!exec->preemption->announced || a->broken || (a->open && !a->launched))
		return;
	if (a->open)
		vgpu_announce_forget(exec, ctx->sched.id, false);
	ctx->account.announcements++;
	a->what = *what;
	a->time = exec->sim->now;
	a->until = vgpu_time_after(exec->sim, exec->config->pep_keep_ps);
	a->open = true;
	a->launched = false;
	a->stall = 0;
	plan(exec);
	exec->preemption->announced(exec, &ctx->sched, what);
}

/*
 * The host's part of the call is not over yet: how long from now. A launch that the process had
 * submitted before it announced one is another.
 */
static u64 lead_left(const struct vgpu_exec_context *ctx, u64 submitted)
{
	const struct vgpu_announced *a = &ctx->announced;
	u64 lead = a->what.lead ? a->what.lead : ctx->exec->config->pep_lead_ps;
	u64 passed = ctx->exec->sim->now - a->time;

	return submitted >= a->time && passed < lead ? lead - passed : 0;
}

u64 vgpu_announce_launch(struct vgpu_exec_context *ctx, u64 submitted, u64 delay)
{
	struct vgpu_announced *a = &ctx->announced;
	u64 owed = a->owed, lead;

	a->owed = 0;
	a->broken = false;
	if (a->open && !a->launched) {
		lead = lead_left(ctx, submitted);
		delay = lead > delay ? lead : delay;
		a->launched = true;
		a->until = vgpu_time_after(ctx->exec->sim,
					   vgpu_time_add(delay, ctx->exec->config->pep_keep_ps));
		plan(ctx->exec);
	}
	return vgpu_time_add(delay, owed);
}

void vgpu_announce_stalled(struct vgpu_exec *exec, const struct vgpu_smst *smst, u64 time)
{
	struct vgpu_exec_context *ctx = vgpu_exec_find_context(exec, smst->announcer);

	if (!ctx)
		return;
	/* who has its turn owes nothing: the policy has said so, and not its process */
	if (!smst->for_turn)
		ctx->announced.stall += time;
	ctx->account.announced_stall += time;
}

void vgpu_announce_abort(struct vgpu_exec_context *ctx)
{
	vgpu_announce_forget(ctx->exec, ctx->sched.id, false);
	vgpu_announce_forget(ctx->exec, ctx->sched.id, true);
	ctx->announced = (struct vgpu_announced){};
	plan(ctx->exec);
}

/* ---- what mechanisms ask ------------------------------------------------- */

void vgpu_exec_prepare(struct vgpu_exec *exec, u32 sm, const struct vgpu_sched_context *by,
		       const struct vgpu_announcement *what, u64 time,
		       void (*fn)(struct vgpu_exec *exec, u32 sm))
{
	if (exec->smst[sm].leaving || exec->smst[sm].checkpointing)
		return;
	exec->smst[sm].announcer = by->id;
	exec->smst[sm].for_turn = what->at;
	vgpu_look_at_time(exec, sm, time, fn);
}

u64 vgpu_exec_expected(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_exec_context *ctx =
		vgpu_exec_find_context(exec, exec->smst[sm].announcer);
	u64 at, now = exec->sim->now;

	if (!ctx || (!exec->smst[sm].for_turn && !ctx->announced.open))
		return VGPU_NEVER;
	at = exec->smst[sm].for_turn ?
		     exec->turn.prepared_at :
		     vgpu_time_add(ctx->announced.time, exec->config->pep_launch_ps);
	return at > now ? at - now : 0;
}

u32 vgpu_exec_would_take(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			 const struct vgpu_announcement *what,
			 const struct vgpu_sched_context *from, u32 taken)
{
	if (by == from)
		return 0;
	if (what->at)
		return exec->policy->will_take(exec, by, from, taken);
	if (!exec->policy->would_take)
		return 0;
	return exec->policy->would_take(exec, by, from, taken);
}

u64 vgpu_exec_announced_sms(const struct vgpu_exec *exec, const struct vgpu_announcement *what)
{
	u32 occupancy = vgpu_occupancy(exec->config, (u32)what->needs.threads,
				       (u32)what->needs.registers, (u32)what->needs.shared_bytes,
				       NULL);
	u64 sms = exec->config->sms;

	if (what->blocks && occupancy && (what->blocks + occupancy - 1) / occupancy < sms)
		sms = (what->blocks + occupancy - 1) / occupancy;
	return sms > exec->idle_count ? sms - exec->idle_count : 0;
}

u64 vgpu_exec_block_left(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;
	u64 mean, ran;

	/* the mean of those that have ended (3.2); of profiled blocks more is known */
	if (launch->ended_blocks) {
		mean = launch->ended_ps / launch->ended_blocks;
		ran = vgpu_block_ran(block);
		return mean > ran ? mean - ran : 0;
	}
	return vgpu_exec_block_drain_time(exec, block);
}

u64 vgpu_exec_longest_left(struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_block *block;
	u64 longest = 0, left;

	vgpu_sm_settle(&exec->sms[sm]);
	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node) {
		left = vgpu_exec_block_left(exec, block);
		longest = left > longest ? left : longest;
	}
	return longest;
}

u64 vgpu_exec_blocks_switch_time(const struct vgpu_exec *exec, struct vgpu_block *const *blocks,
				 u32 count)
{
	u64 bytes = 0;

	while (count--)
		bytes += vgpu_block_context_bytes(blocks[count]);
	return exec->config->pipeline_drain_ps + vgpu_exec_move_time(exec->config, bytes);
}

u32 vgpu_exec_sm_of(const struct vgpu_block *block)
{
	return block->sm->index;
}

u64 vgpu_exec_switch_time(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_block *block;
	u64 bytes = 0;

	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node)
		bytes += vgpu_block_context_bytes(block);
	return exec->config->pipeline_drain_ps + vgpu_exec_move_time(exec->config, bytes);
}
