// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What policies and mechanisms ask of the engine (../vgpu_policy.h) that needs no more than a look,
 * and their selection.
 */
#include "exec.h"

/* ---- looks -------------------------------------------------------------- */

u64 vgpu_exec_now(const struct vgpu_exec *exec)
{
	return exec->sim->now;
}

u64 vgpu_exec_time_after(const struct vgpu_exec *exec, u64 delay)
{
	return vgpu_time_after(exec->sim, delay);
}

const struct vgpu_config *vgpu_exec_config(const struct vgpu_exec *exec)
{
	return exec->config;
}

bool vgpu_exec_share_by_priority(const struct vgpu_exec *exec)
{
	return exec->share_by_priority;
}

void *vgpu_exec_policy_data(struct vgpu_exec *exec)
{
	return exec->policy_data;
}

struct vgpu_sched_context *vgpu_exec_next_context(struct vgpu_exec *exec,
						  const struct vgpu_sched_context *sched)
{
	struct vgpu_exec_context *ctx;

	if (sched)
		ctx = vgpu_list_after(vgpu_exec_of_sched(sched), &exec->contexts,
				      struct vgpu_exec_context, node);
	else
		ctx = vgpu_list_first(&exec->contexts, struct vgpu_exec_context, node);
	return ctx ? &ctx->sched : NULL;
}

struct vgpu_ksr *vgpu_exec_next_kernel(struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	if (unlikely(exec->outside.wrong))
		return NULL;
	return ksr ? vgpu_list_after(ksr, &exec->active_queue, struct vgpu_ksr, node) :
		     vgpu_list_first(&exec->active_queue, struct vgpu_ksr, node);
}

struct vgpu_sched_context *vgpu_exec_context_of(const struct vgpu_ksr *ksr)
{
	return &ksr->ctx->sched;
}

u64 vgpu_exec_launch_arrived(const struct vgpu_sched_context *sched)
{
	const struct vgpu_job *job = vgpu_exec_of_sched(sched)->job;

	return job ? job->arrived : VGPU_NEVER;
}

u64 vgpu_exec_oldest_command(const struct vgpu_sched_context *sched)
{
	const struct vgpu_exec_context *ctx = vgpu_exec_of_sched(sched);

	return ctx->exec->ops->oldest_command(ctx);
}

bool vgpu_exec_has_room(const struct vgpu_exec *exec)
{
	return exec->ksr_free_count > 0;
}

bool vgpu_exec_has_room_for(const struct vgpu_exec *exec, const struct vgpu_sched_context *ctx)
{
	return exec->ksr_free_count >
	       (ctx->active_kernels ? exec->processes - vgpu_pqueue_count(&exec->active) : 0);
}

static int number_of(const struct vgpu_list *list)
{
	const struct vgpu_smst *smst = vgpu_list_first(list, struct vgpu_smst, node);

	return smst ? (int)vgpu_smst_number(smst) : -1;
}

int vgpu_exec_idle_sm(const struct vgpu_exec *exec)
{
	u32 i;

	if (exec->idle_count && likely(!exec->outside.wrong))
		for (i = 0; i < VGPU_IDLE_WORDS; i++)
			if (exec->idle[i])
				return (int)(i * 64) + __builtin_ctzll(exec->idle[i]);
	return -1;
}

int vgpu_exec_unreserved_sm(const struct vgpu_exec *exec)
{
	return number_of(&exec->unreserved);
}

int vgpu_exec_victim(struct vgpu_exec *exec, const struct vgpu_sched_context *sched)
{
	const struct vgpu_exec_context *ctx = vgpu_exec_of_sched(sched);

	if (exec->policy->victim)
		return exec->policy->victim(exec, sched);
	return number_of(vgpu_list_empty(&ctx->coming) ? &ctx->running : &ctx->coming);
}

int vgpu_exec_next_sm_of(const struct vgpu_exec *exec, const struct vgpu_sched_context *sched,
			 int sm)
{
	const struct vgpu_exec_context *ctx = vgpu_exec_of_sched(sched);
	const struct vgpu_smst *smst;

	if (sm < 0)
		return number_of(&ctx->running);
	smst = vgpu_list_after(&exec->smst[sm], &ctx->running, struct vgpu_smst, node);
	return smst ? (int)vgpu_smst_number(smst) : -1;
}

/* ---- for mechanisms ----------------------------------------------------- */

static void preempt_fire(struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, preempt);

	smst->preempt_fn(smst->exec, vgpu_smst_number(smst));
}

void vgpu_preemption_at_time(struct vgpu_exec *exec, u32 sm, u64 time,
			     void (*fn)(struct vgpu_exec *exec, u32 sm))
{
	vgpu_exec_at_time(exec, sm, time, fn);
	exec->smst[sm].own_fn = fn != vgpu_exec_save;
}

void vgpu_exec_at_time(struct vgpu_exec *exec, u32 sm, u64 time,
		       void (*fn)(struct vgpu_exec *exec, u32 sm))
{
	struct vgpu_smst *smst = &exec->smst[sm];

	smst->own_fn = false;
	smst->preempt_fn = fn;
	smst->preempt.fire = preempt_fire;
	vgpu_event_at(exec->sim, &smst->preempt, time);
}

u64 vgpu_exec_halt(struct vgpu_exec *exec, u32 sm)
{
	return vgpu_sm_halt(&exec->sms[sm]);
}

bool vgpu_exec_cooperates(const struct vgpu_exec *exec, u32 sm)
{
	return exec->smst[sm].ksr && exec->smst[sm].ksr->launch.cooperative;
}

bool vgpu_exec_block_cooperates(const struct vgpu_block *block)
{
	return block->launch->cooperative;
}

u64 vgpu_exec_drain_time(const struct vgpu_exec *exec, u32 sm)
{
	return vgpu_sm_drain_time(&exec->sms[sm]);
}

u64 vgpu_exec_wait_time(const struct vgpu_exec *exec, u32 sm)
{
	return exec->stall ? vgpu_sm_wait_time(&exec->sms[sm]) : 0;
}

int vgpu_exec_estimate(struct vgpu_exec *exec, u32 sm, struct vgpu_preemption_estimate *estimate)
{
	if (!exec->preemption->estimate)
		return -EOPNOTSUPP;
	exec->preemption->estimate(exec, sm, estimate);
	return 0;
}

/* ---- selection ---------------------------------------------------------- */

void vgpu_exec_exit_policy(struct vgpu_exec *exec)
{
	if (exec->policy && exec->policy->exit)
		exec->policy->exit(exec);
	vgpu_mem_free_device(exec->policy_data);
	exec->policy_data = NULL;
	exec->policy = NULL;
}

static void timer_fire(struct vgpu_event *event)
{
	struct vgpu_exec *exec = vgpu_container_of(event, struct vgpu_exec, policy_timer);

	if (exec->policy->timer)
		exec->policy->timer(exec);
	if (unlikely(exec->outside.selected))
		vgpu_outside_timer(exec);
	vgpu_exec_schedule(exec);
}

void vgpu_exec_timer(struct vgpu_exec *exec, u64 time)
{
	if (unlikely(exec->trial))
		return;
	exec->policy_timer.fire = timer_fire;
	if (time == VGPU_NEVER)
		vgpu_event_cancel(exec->sim, &exec->policy_timer);
	else
		vgpu_event_at(exec->sim, &exec->policy_timer, time);
}

u64 vgpu_exec_timer_time(const struct vgpu_exec *exec)
{
	return vgpu_event_pending(&exec->policy_timer) ? vgpu_event_time(&exec->policy_timer) :
							 VGPU_NEVER;
}

void vgpu_exec_reorder(struct vgpu_exec *exec, struct vgpu_sched_context *sched)
{
	vgpu_runqueue_update(exec, vgpu_exec_of_sched(sched));
}

int vgpu_exec_set_policy(struct vgpu_exec *exec, const struct vgpu_policy *policy)
{
	void *data;

	if (!VGPU_CHECK(policy->schedule && policy->context_bytes <= VGPU_POLICY_CONTEXT_BYTES))
		return -EINVAL;
	data = vgpu_mem_alloc_device(policy->data_bytes);
	if (!data)
		return -ENOMEM;
	vgpu_exec_select_policy(exec, policy, data);
	return 0;
}

void vgpu_exec_select_policy(struct vgpu_exec *exec, const struct vgpu_policy *policy, void *data)
{
	bool other_kind = exec->policy && exec->policy->by_block != policy->by_block;
	struct vgpu_exec_context *ctx;

	vgpu_exec_exit_policy(exec);
	vgpu_outside_fini(exec);
	exec->outside.wrong = NULL;
	exec->outside.selected = exec->outside.is && exec->outside.is(policy);
	exec->outside.timer_repeats = 0;
	vgpu_event_cancel(exec->sim, &exec->policy_timer);
	vgpu_turn_end(exec);
	exec->policy = policy;
	exec->ranked = policy->rank || policy->admission_rank || policy->victim_rank;
	exec->policy_data = data;
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		memset(ctx->sched.data, 0, sizeof(ctx->sched.data));
	if (exec->residents)
		vgpu_residents_forget(exec);
	if (policy->init)
		policy->init(exec);
	if (other_kind)
		vgpu_residents_vacate(exec);
	vgpu_exec_rerank(exec);
}

void vgpu_exec_rerank(struct vgpu_exec *exec)
{
	struct vgpu_exec_context *ctx;

	exec->processes = 0;
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		exec->processes += ctx->sched.takes_part;
	if (exec->policy->contexts_changed)
		exec->policy->contexts_changed(exec);
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		vgpu_runqueue_update(exec, ctx);
	vgpu_exec_schedule(exec);
}

void vgpu_exec_set_preemption(struct vgpu_exec *exec, const struct vgpu_preemption *preemption)
{
	exec->preemption = preemption;
}

/* ---- the four resources of an SM and their shares (SMK 5.2) --------------- */

/*
 * used / all in 2^-32; both below 2^44, more than devices have. Shares are compared, so equal parts
 * must be equal numbers: the part is rounded down from the exact one, and of two parts that differ
 * by 2^-32 or more the larger one is the larger number.
 */
static u64 part(u64 used, u64 all)
{
	return all ? vgpu_mul_div(used, VGPU_SHARE_ONE, all) : 0;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

u64 vgpu_resources_share(const struct vgpu_resources *used, const struct vgpu_resources *all)
{
	return larger(larger(part(used->registers, all->registers),
			     part(used->shared_bytes, all->shared_bytes)),
		      larger(part(used->threads, all->threads), part(used->blocks, all->blocks)));
}
