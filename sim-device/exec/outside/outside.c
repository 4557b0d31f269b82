// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Policies and mechanisms from outside (vgpu_policy_add()): what they decide is checked, and a
 * device goes on without them.
 *
 * - A decision that cannot be carried out is not. The policy is ejected in an event of its own,
 *   right after the present one, as its code may still be running; until then no query finds
 *   anything, so that its loops end.
 * - It is ejected too if a context with work has had no SM for policy_watchdog_ps of virtual time,
 *   or if there is work, SMs are preempted again and again, and nothing is executed for as long.
 *   Contexts that may have no SM are not asked about.
 * - It is ejected if its timer fires without end at one virtual time.
 *
 * fcfs follows, or npq, which needs no memory, if there is none. What a mechanism has begun ends as
 * a context switch, which follows it.
 */
#include "../../sim/text.h"
#include "../exec.h"

#define LOOKS		4u	/* in policy_watchdog_ps */
#define TIMER_REPEATS	1000u	/* at one virtual time */
#define CHURN		1000u	/* preemptions with nothing executed */

/* ---- a policy goes ------------------------------------------------------- */

static void drop_policy(struct vgpu_exec *exec, const char *reason)
{
	const char *name = exec->policy->name;

	exec->outside.wrong = NULL;
	vgpu_event_cancel(exec->sim, &exec->outside.eject);
	vgpu_event_cancel(exec->sim, &exec->outside.look);
	if (vgpu_exec_set_policy(exec, exec->outside.next))
		vgpu_exec_select_policy(exec, exec->outside.next_small, NULL);
	exec->ops->dropped(exec->owner, "policy", name, reason, exec->policy->name);
}

static void eject_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, outside.eject);

	drop_policy(exec, exec->outside.reason);
}

void vgpu_exec_drop_policy(struct vgpu_exec *exec, const struct vgpu_policy *policy)
{
	if (exec->policy == policy)
		drop_policy(exec, "it was unloaded");
}

/* The text of why it is ejected; the first reason stays. */
static struct vgpu_text why(struct vgpu_exec *exec, const char *what)
{
	struct vgpu_text text = {
		.at = exec->outside.reason,
		.size = sizeof(exec->outside.reason),
	};

	vgpu_text_put(&text, what);
	return text;
}

static void eject(struct vgpu_exec *exec)
{
	exec->outside.wrong = exec->outside.reason;
	exec->outside.eject.fire = eject_fire;
	vgpu_event_at(exec->sim, &exec->outside.eject, exec->sim->now);
}

bool vgpu_exec_wrong(struct vgpu_exec *exec, const char *what, u32 sm, const char *file, int line)
{
	struct vgpu_text text;

	if (!exec->outside.selected) {
		vgpu_broken(file, line, what);
		return false;
	}
	if (exec->outside.wrong)
		return false;
	text = why(exec, what);
	if (sm != VGPU_NO_SM) {
		vgpu_text_put(&text, ": SM ");
		vgpu_text_put_u64(&text, sm);
	}
	eject(exec);
	return false;
}

void vgpu_exec_eject(struct vgpu_exec *exec, const char *reason)
{
	vgpu_exec_wrong(exec, reason, VGPU_NO_SM, __FILE__, __LINE__);
}

/* ---- what a policy may pass ------------------------------------------------ */

const struct vgpu_policy *vgpu_exec_policy(const struct vgpu_exec *exec)
{
	return exec->policy;
}

struct vgpu_exec *vgpu_exec_of_context(const struct vgpu_sched_context *ctx)
{
	return vgpu_exec_of_sched(ctx)->exec;
}

/* Policies go from one to the next: it is looked for behind the one that was asked about last. */
bool vgpu_exec_is_context(struct vgpu_exec *exec, const struct vgpu_sched_context *sched)
{
	struct vgpu_exec_context *ctx = exec->outside.asked;

	if (ctx && &ctx->sched == sched)
		return true;
	ctx = ctx ? vgpu_list_after(ctx, &exec->contexts, struct vgpu_exec_context, node) : NULL;
	if (ctx && &ctx->sched == sched) {
		exec->outside.asked = ctx;
		return true;
	}
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		if (&ctx->sched == sched) {
			exec->outside.asked = ctx;
			return true;
		}
	return false;
}

bool vgpu_exec_is_kernel(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	u64 offset = (u64)((const u8 *)ksr - (const u8 *)exec->ksrt);

	/* what is announced is the last of a trial */
	if (offset >= (u64)exec->ksr_count * sizeof(*ksr))
		return exec->trial && exec->active_queue.prev == &ksr->node;
	return offset % sizeof(*ksr) == 0 && ksr->ctx;
}

/* ---- timers without end --------------------------------------------------- */

void vgpu_outside_timer(struct vgpu_exec *exec)
{
	if (exec->outside.timer_at != exec->sim->now) {
		exec->outside.timer_at = exec->sim->now;
		exec->outside.timer_repeats = 0;
	} else if (++exec->outside.timer_repeats > TIMER_REPEATS && !exec->outside.wrong) {
		why(exec, "its timer fires without end and no time passes");
		eject(exec);
	}
}

/* ---- the watchdog --------------------------------------------------------- */

/* What it has executed, in units that only ever grow. */
static u64 executed(const struct vgpu_exec_context *ctx)
{
	return ctx->ended_blocks + ctx->instructions;
}

static bool may_have_sms(const struct vgpu_exec_context *ctx)
{
	return ctx->most_sms && ctx->sched.tokens;
}

static void starves(struct vgpu_exec *exec, const struct vgpu_exec_context *ctx)
{
	struct vgpu_text text = why(exec, "context ");

	vgpu_text_put_u64(&text, ctx->sched.id);
	vgpu_text_put(&text, " has had work and no SM for ");
	vgpu_text_put_scaled(&text, exec->config->policy_watchdog_ps, VGPU_US);
	vgpu_text_put(&text, " us");
	eject(exec);
}

/* Is there one that has had none for too long? */
static bool look_for_starving(struct vgpu_exec *exec)
{
	u64 now = exec->sim->now;
	struct vgpu_exec_context *ctx;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node) {
		u64 mark = executed(ctx);

		if (!vgpu_exec_context_waits(ctx) || !may_have_sms(ctx)) {
			ctx->starve_since = VGPU_NEVER;
		} else if (ctx->starve_since == VGPU_NEVER || mark != ctx->starve_mark) {
			ctx->starve_mark = mark;
			ctx->starve_since = now;
		} else if (now - ctx->starve_since >= exec->config->policy_watchdog_ps) {
			starves(exec, ctx);
			return true;
		}
	}
	return false;
}

/* Are SMs preempted again and again, and nothing is executed? */
static bool look_for_churn(struct vgpu_exec *exec)
{
	const struct vgpu_exec_context *ctx;
	u64 now = exec->sim->now, mark = 0;
	struct vgpu_text text;

	/* where a context has closed the sum is another one, too */
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		mark += executed(ctx);
	if (mark != exec->outside.churn_mark) {
		exec->outside.churn_mark = mark;
		exec->outside.churn_since = now;
		exec->outside.churn_preemptions = exec->preemptions;
		return false;
	}
	if (now - exec->outside.churn_since < exec->config->policy_watchdog_ps ||
	    exec->preemptions - exec->outside.churn_preemptions < CHURN)
		return false;
	text = why(exec, "nothing was executed for ");
	vgpu_text_put_scaled(&text, exec->config->policy_watchdog_ps, VGPU_US);
	vgpu_text_put(&text, " us, in which SMs were preempted ");
	vgpu_text_put_u64(&text, exec->preemptions - exec->outside.churn_preemptions);
	vgpu_text_put(&text, " times");
	eject(exec);
	return true;
}

static bool has_work(const struct vgpu_exec *exec)
{
	return exec->active_count || vgpu_pqueue_count(&exec->waiting);
}

static void look_soon(struct vgpu_exec *exec)
{
	u64 delay = exec->config->policy_watchdog_ps / LOOKS;

	vgpu_event_after(exec->sim, &exec->outside.look, delay ? delay : 1);
}

static void look_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, outside.look);

	if (!exec->config->policy_watchdog_ps || exec->outside.wrong || look_for_starving(exec) ||
	    look_for_churn(exec))
		return;
	if (has_work(exec))
		look_soon(exec);
}

void vgpu_outside_scheduled(struct vgpu_exec *exec)
{
	u64 now = exec->sim->now;
	struct vgpu_exec_context *ctx;

	if (vgpu_event_pending(&exec->outside.look) || !exec->config->policy_watchdog_ps ||
	    exec->outside.wrong || !has_work(exec))
		return;
	/* it begins to count */
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node) {
		ctx->starve_mark = executed(ctx);
		ctx->starve_since = vgpu_exec_context_waits(ctx) ? now : VGPU_NEVER;
	}
	exec->outside.churn_since = now;
	exec->outside.churn_preemptions = exec->preemptions;
	exec->outside.look.fire = look_fire;
	look_soon(exec);
}

void vgpu_outside_watchdog_changed(struct vgpu_exec *exec)
{
	vgpu_event_cancel(exec->sim, &exec->outside.look);
	if (exec->outside.selected)
		vgpu_outside_scheduled(exec);
}

void vgpu_outside_fini(struct vgpu_exec *exec)
{
	vgpu_event_cancel(exec->sim, &exec->outside.eject);
	vgpu_event_cancel(exec->sim, &exec->outside.look);
}

/* ---- a mechanism goes ------------------------------------------------------ */

static enum vgpu_leave save_all_choose(struct vgpu_exec *exec, const struct vgpu_block *block,
				       bool late, struct vgpu_preemption_estimate *estimate)
{
	(void)late;
	exec->outside.mechanism->estimate_block(exec, block, estimate);
	return VGPU_LEAVE_SAVE;
}

/* For blocks that a mechanism that has gone was to choose for. */
static const struct vgpu_preemption chooser = {
	.name = "switch",
	.choose = save_all_choose,
};

void vgpu_exec_drop_preemption(struct vgpu_exec *exec, const struct vgpu_preemption *gone)
{
	bool selected = exec->preemption == gone;

	if (selected)
		exec->preemption = exec->outside.mechanism;
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		struct vgpu_smst *smst = &exec->smst[sm];

		if (smst->chooser == gone)
			smst->chooser = &chooser;
		if (smst->begun_by == gone && smst->own_fn && vgpu_event_pending(&smst->preempt))
			vgpu_exec_save_all(exec, sm);
		if (smst->begun_by == gone)
			smst->begun_by = NULL;
		if (gone->announced)
			vgpu_exec_unwatch(exec, sm);
	}
	if (selected)
		exec->ops->dropped(exec->owner, "preemption", gone->name, "it was unloaded",
				   exec->preemption->name);
}
