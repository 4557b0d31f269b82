// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the policy will do by itself at a known time, as at the end of a turn: the mechanism in use
 * may prepare SMs for it, as for a launch that is announced (announce.c).
 *
 * DOC: turns
 *
 * After each decision, and when an SM has been handed over, the policy is asked when it will give
 * SMs to another context without any launch, and to which (vgpu_policy.next_change). So long before
 * as a launch is taken to need (pep_launch_ps) the mechanism is told. When it has come, what was
 * prepared is kept for pep_keep_ps, as the SMs are being preempted then; when something else has
 * come of it, because a kernel or a context has ended, that is forgotten at once.
 *
 * SMs are prepared for one such change at a time. Time for which they stand counts for the context
 * that will get them, which owes nothing for it.
 */
#include "exec.h"

static void turn_fire(struct vgpu_event *event);

/* The event comes when there is something to do. */
static void plan(struct vgpu_exec *exec)
{
	struct vgpu_turn *t = &exec->turn;
	u64 first = t->prepare < t->until ? t->prepare : t->until;

	t->event.fire = turn_fire;
	if (first == VGPU_NEVER)
		vgpu_event_cancel(exec->sim, &t->event);
	else
		vgpu_event_at(exec->sim, &t->event, first);
}

static void forget(struct vgpu_exec *exec)
{
	struct vgpu_turn *t = &exec->turn;

	if (t->prepared_by)
		vgpu_announce_forget(exec, t->prepared_by, true);
	t->prepared_by = 0;
	t->until = VGPU_NEVER;
}

/* The kernel that @ctx has waiting; of several not how many blocks. false: it wants no SMs */
static bool describe(const struct vgpu_exec_context *ctx, struct vgpu_announcement *what)
{
	const struct vgpu_ksr *ksr = vgpu_exec_issuable_of(&ctx->sched);

	if (!ksr)
		return false;
	what->needs = ksr->needs;
	if (ksr->need[VGPU_KSR_ISSUABLE].next == &ctx->kernels[VGPU_KSR_ISSUABLE])
		what->blocks = ksr->unclaimed;
	return true;
}

static void prepare(struct vgpu_exec *exec)
{
	struct vgpu_turn *t = &exec->turn;
	const struct vgpu_exec_context *ctx = vgpu_exec_find_context(exec, t->by);
	struct vgpu_announcement what = { .at = t->at };

	forget(exec);
	t->prepare = VGPU_NEVER;
	if (!exec->preemption->announced || !ctx || !describe(ctx, &what))
		return;
	t->prepared_by = t->by;
	t->prepared_at = t->at;
	exec->preemption->announced(exec, &ctx->sched, &what);
}

static void turn_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, turn.event);
	struct vgpu_turn *t = &exec->turn;

	if (t->until <= exec->sim->now)
		forget(exec);
	if (t->prepare <= exec->sim->now)
		prepare(exec);
	plan(exec);
}

/* Something else will come now, or the same at another time: see to what has been prepared. */
static void settle(struct vgpu_exec *exec)
{
	struct vgpu_turn *t = &exec->turn;
	const struct vgpu_exec_context *ctx = vgpu_exec_find_context(exec, t->prepared_by);

	if (!t->prepared_by || t->until != VGPU_NEVER)
		return;
	if (t->prepared_at <= exec->sim->now || (ctx && !vgpu_list_empty(&ctx->coming)))
		t->until = vgpu_time_after(exec->sim, exec->config->pep_keep_ps);
	else if (t->by == t->prepared_by)
		t->prepared_at = t->at;
	else
		forget(exec);
}

static bool is_prepared(const struct vgpu_turn *t)
{
	return t->by == t->prepared_by && t->until == VGPU_NEVER;
}

void vgpu_turn_update(struct vgpu_exec *exec)
{
	const struct vgpu_sched_context *by = NULL;
	u64 at = VGPU_NEVER, lead = exec->config->pep_launch_ps, now = exec->sim->now;
	struct vgpu_turn *t = &exec->turn;

	if (exec->preemption->announced)
		at = exec->policy->next_change(exec, &by);
	if (at == VGPU_NEVER)
		by = NULL;
	if (at == t->at && (by ? by->id : 0) == t->by)
		return;
	t->at = at;
	t->by = by ? by->id : 0;
	settle(exec);
	if (!by || is_prepared(t))
		t->prepare = VGPU_NEVER;
	else
		t->prepare = at > vgpu_time_add(now, lead) ? at - lead : now;
	plan(exec);
}

void vgpu_turn_init(struct vgpu_exec *exec)
{
	exec->turn.at = VGPU_NEVER;
	exec->turn.prepare = VGPU_NEVER;
	exec->turn.until = VGPU_NEVER;
}

void vgpu_turn_end(struct vgpu_exec *exec)
{
	forget(exec);
	exec->turn.at = VGPU_NEVER;
	exec->turn.by = 0;
	exec->turn.prepare = VGPU_NEVER;
	plan(exec);
}
