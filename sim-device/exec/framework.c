// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The scheduling framework (Tanasic 5.2.3): command buffers, active queue, KSRT and SMST, and the
 * steps by which a policy moves kernels through them: admit, assign, reserve.
 */
#include "children/children.h"
#include "exec.h"

/* ---- contexts ----------------------------------------------------------- */

int vgpu_exec_open(struct vgpu_exec *exec, struct vgpu_exec_context *ctx)
{
	u32 need;
	int err = vgpu_runqueue_reserve(exec, exec->context_count + 1);

	ctx->exec = exec;
	if (!err)
		err = vgpu_children_open(ctx);
	if (err)
		return err;
	ctx->sched.tokens = VGPU_TOKENS_SHARE;
	ctx->most_sms = ~0u;
	ctx->given_sms = ~0u;
	ctx->limit_sms = ~0u;
	vgpu_list_init(&ctx->behind);
	for (need = 0; need < VGPU_KSR_NEEDS; need++)
		vgpu_list_init(&ctx->kernels[need]);
	vgpu_list_init(&ctx->running);
	vgpu_list_init(&ctx->coming);
	vgpu_list_add_tail(&ctx->node, &exec->contexts);
	exec->context_count++;
	return 0;
}

void vgpu_exec_drain_states(struct vgpu_exec_context *ctx)
{
	struct vgpu_exec *exec = ctx->exec;
	u32 i;

	for (i = 0; i < exec->config->sms; i++)
		vgpu_sm_drain_states(&exec->sms[i], ctx->memory);
}

void vgpu_exec_close(struct vgpu_exec_context *ctx)
{
	struct vgpu_exec *exec = ctx->exec;

	vgpu_exec_drain_states(ctx);
	vgpu_account_close(exec, ctx);
	vgpu_children_close(ctx);
	vgpu_list_del(&ctx->node);
	exec->outside.asked = NULL;
	exec->context_count--;
}

static void set_most_sms(struct vgpu_exec_context *ctx)
{
	ctx->most_sms = ctx->limit_sms < ctx->given_sms ? ctx->limit_sms : ctx->given_sms;
	vgpu_runqueue_update(ctx->exec, ctx);
}

void vgpu_exec_set_sms(struct vgpu_exec_context *ctx, u32 sms)
{
	ctx->given_sms = sms;
	set_most_sms(ctx);
	vgpu_exec_schedule(ctx->exec);
}

void vgpu_exec_limit_sms(struct vgpu_exec_context *ctx, u32 sms)
{
	ctx->limit_sms = sms ? sms : ~0u;
	set_most_sms(ctx);
}

/* ---- command buffers ---------------------------------------------------- */

static void fill_buffer(struct vgpu_exec *exec, struct vgpu_exec_context *ctx, struct vgpu_job *job)
{
	ctx->job = job;
	vgpu_runqueue_update(exec, ctx);
}

void vgpu_exec_arrive(struct vgpu_job *job)
{
	struct vgpu_exec_context *ctx = job->ctx;
	struct vgpu_exec *exec = ctx->exec;

	job->order = exec->arrivals++;
	job->arrived = exec->sim->now;
	vgpu_account_arrival(exec, ctx);
	if (unlikely(job->priority))
		ctx->prefers = exec->prefers = true;
	/* The buffer holds one: this one, or that, waits in the dispatcher. */
	if (ctx->job)
		vgpu_stream_wait_behind(exec, ctx, job);
	else
		fill_buffer(exec, ctx, job);
}

static void arrival_fire(struct vgpu_event *event)
{
	struct vgpu_job *job = vgpu_container_of(event, struct vgpu_job, arrival);
	struct vgpu_exec *exec = job->ctx->exec;
	bool waits = job->ctx->job;

	vgpu_exec_arrive(job);
	if (!waits)
		vgpu_exec_schedule(exec);
}

void vgpu_exec_submit(struct vgpu_exec *exec, struct vgpu_job *job)
{
	u64 waited = exec->sim->now - job->submitted, latency = exec->config->launch_ps;
	u64 left = waited < latency ? latency - waited : 0, dispatch = exec->config->dispatch_ps;

	job->arrival.fire = arrival_fire;
	vgpu_event_after(exec->sim, &job->arrival,
			 vgpu_announce_launch(job->ctx, job->submitted,
					      left > dispatch ? left : dispatch));
}

void vgpu_exec_command_ended(struct vgpu_exec_context *ctx)
{
	struct vgpu_exec *exec = ctx->exec;

	if (exec->policy->command_ended)
		exec->policy->command_ended(exec, &ctx->sched);
}

/* The launch in the buffer of @ctx leaves it, and the next one comes in. */
static struct vgpu_job *empty_buffer(struct vgpu_exec *exec, struct vgpu_exec_context *ctx)
{
	struct vgpu_job *job = ctx->job;
	struct vgpu_job *next = vgpu_list_first(&ctx->behind, struct vgpu_job, node);

	vgpu_pqueue_remove(&exec->waiting, &ctx->waiting);
	ctx->job = NULL;
	if (next) {
		vgpu_list_del(&next->node);
		fill_buffer(exec, ctx, next);
	}
	return job;
}

/* ---- active queue and KSRT ---------------------------------------------- */

struct vgpu_fault vgpu_exec_fault_of(const struct vgpu_ksr *ksr, enum vgpu_fault_reason reason)
{
	return (struct vgpu_fault){
		.reason = reason,
		.queue = ksr->job->queue,
		.seq = ksr->job->seq,
		.module = ksr->launch.module,
		.kernel = ksr->launch.kernel_index,
	};
}

struct vgpu_fault vgpu_exec_overrun(const struct vgpu_ksr *ksr)
{
	struct vgpu_fault fault = vgpu_exec_fault_of(ksr, VGPU_FAULT_WATCHDOG);
	const struct vgpu_exec *exec = ksr->exec;
	u32 sm;

	for (sm = 0; sm < exec->config->sms; sm++)
		if ((exec->smst[sm].ksr == ksr || vgpu_sharer_find(&exec->smst[sm], ksr)) &&
		    vgpu_sm_find_thread(&exec->sms[sm], &ksr->launch, &fault))
			break;
	return fault;
}

void vgpu_exec_broken(struct vgpu_ksr *ksr)
{
	struct vgpu_fault fault;

	/* nothing has happened (trial.c) */
	if (unlikely(ksr->exec->trial)) {
		ksr->coming = ksr->unclaimed;
		return;
	}
	fault = vgpu_exec_fault_of(ksr, VGPU_FAULT_MODEL);
	ksr->exec->ops->fault(ksr->ctx, &fault);
}

static void watchdog_fire(struct vgpu_event *event)
{
	struct vgpu_ksr *ksr = vgpu_container_of(event, struct vgpu_ksr, watchdog);
	struct vgpu_fault fault = vgpu_exec_overrun(ksr);

	ksr->exec->ops->fault(ksr->ctx, &fault);
}

void vgpu_exec_runs(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	u64 most = exec->config->watchdog_ps;
	u64 ran;

	vgpu_account_kernel(exec, ksr, VGPU_KERNEL_RUNNING);
	ran = ksr->time[VGPU_KERNEL_RUNNING];
	if (most)
		vgpu_event_after(exec->sim, &ksr->watchdog, ran < most ? most - ran : 0);
}

void vgpu_exec_stops(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	vgpu_account_kernel(exec, ksr, VGPU_KERNEL_PREEMPTED);
	vgpu_event_cancel(exec->sim, &ksr->watchdog);
}

void vgpu_exec_set_watchdog(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node) {
		vgpu_event_cancel(exec->sim, &ksr->watchdog);
		if (ksr->state == VGPU_KERNEL_RUNNING)
			vgpu_exec_runs(exec, ksr);
	}
}

bool vgpu_exec_context_waits(const struct vgpu_exec_context *ctx)
{
	return (ctx->job || ctx->sched.active_kernels) && vgpu_list_empty(&ctx->running) &&
	       !vgpu_residents_run(ctx->exec, ctx);
}

const struct vgpu_ksr *vgpu_exec_blocker(const struct vgpu_exec *exec)
{
	const struct vgpu_exec_context *ctx, *waits = NULL;
	const struct vgpu_ksr *ksr;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		if (vgpu_exec_context_waits(ctx) &&
		    (!waits || ctx->sched.priority > waits->sched.priority))
			waits = ctx;
	if (!waits)
		return NULL;
	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node)
		if (ksr->sms && !ksr->launch.stopped &&
		    ksr->ctx->sched.priority <= waits->sched.priority)
			return ksr;
	return NULL;
}

struct vgpu_ksr *vgpu_exec_admit(struct vgpu_exec *exec, struct vgpu_sched_context *sched)
{
	struct vgpu_exec_context *ctx = vgpu_exec_of_sched(sched);
	struct vgpu_ksr *ksr;
	struct vgpu_job *job;

	if (!VGPU_DECISION(exec, exec->ksr_free_count && sched && ctx->job, VGPU_NO_SM,
			   "it admits a launch that does not wait, or has no room"))
		return NULL;
	ksr = exec->ksr_free[--exec->ksr_free_count];
	if (!sched->active_kernels++) {
		ctx->active_since = exec->admissions + 1;
		exec->ops->active(ctx, true);
	}
	job = empty_buffer(exec, ctx);
	/* the launch, which is first in it, is written as a whole */
	memset((u8 *)ksr + offsetof(struct vgpu_ksr, exec), 0,
	       sizeof(*ksr) - offsetof(struct vgpu_ksr, exec));
	if (unlikely(job->by_kernel))
		vgpu_child_shape(job, &ksr->launch);
	else
		exec->ops->shape(job, &ksr->launch);
	ksr->launch.id = ++exec->launches;
	ksr->launch.context = sched->id;
	ksr->launch.queue = job->queue;
	ksr->launch.seq = job->seq;
	ksr->launch.as = ctx->as;
	ksr->launch.memory = ctx->memory;
	ksr->launch.work = ctx->work;
	ksr->launch.counts = ctx->counts;
	ksr->exec = exec;
	ksr->ctx = ctx;
	ksr->job = job;
	ksr->order = ++exec->admissions;
	ksr->priority = job->priority;
	ksr->since = job->arrived;
	ksr->occupancy =
		vgpu_occupancy(exec->config, ksr->launch.threads, ksr->launch.regs_per_block,
			       ksr->launch.shared_bytes, &ksr->shared_config);
	ksr->needs = (struct vgpu_resources){
		.registers = ksr->launch.regs_per_block,
		.shared_bytes = ksr->launch.shared_bytes,
		.threads = (ksr->launch.threads + 31) / 32 * 32,
		.blocks = 1,
	};
	ksr->watchdog.fire = watchdog_fire;
	vgpu_counts_begin(exec, ksr);
	vgpu_list_init(&ksr->ptbq);
	vgpu_list_add_tail(&ksr->node, &exec->active_queue);
	exec->active_count++;
	ksr->unclaimed = ksr->launch.blocks;
	vgpu_runqueue_kernel(exec, ksr);
	vgpu_runqueue_update(exec, ctx);
	vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, VGPU_NO_SM, VGPU_DECISION_ADMIT, 0);
	vgpu_swap_test_start(exec);
	if (unlikely(ksr->launch.cooperative))
		vgpu_rotation_begin(exec, ksr);
	return ksr;
}

/* @ksr leaves the active queue; no SM serves it any more. */
static void retire(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst, *next;

	vgpu_account_end(exec, ksr);
	if (unlikely(exec->config->trace_lines))
		for (u32 sm = 0; sm < exec->config->sms; sm++)
			vgpu_sm_report_lines(&exec->sms[sm], &ksr->launch);
	vgpu_watch_launch_end(&exec->sm_env.watch, &ksr->launch);
	vgpu_counts_end(exec, ksr);
	if (ksr->started)
		vgpu_trace_kernel(exec, VGPU_TRACE_KERNEL_END, ksr, VGPU_NO_SM,
				  ksr->time[VGPU_KERNEL_QUEUED], ksr->time[VGPU_KERNEL_PREEMPTED]);
	vgpu_event_cancel(exec->sim, &ksr->watchdog);
	if (unlikely(ksr->launch.cooperative)) {
		exec->cooperative--;
		ksr->ctx->cooperative--;
	}
	vgpu_residents_retire(exec, ksr);
	if (ksr->reserved)
		vgpu_list_for_each_safe(smst, next, &ksr->ctx->coming, struct vgpu_smst, node)
			if (smst->next == ksr)
				vgpu_exec_set_next(exec, vgpu_smst_number(smst), NULL);
	if (!--ksr->ctx->sched.active_kernels)
		exec->ops->active(ksr->ctx, false);
	vgpu_runqueue_update(exec, ksr->ctx);
	vgpu_list_del(&ksr->node);
	exec->active_count--;
	ksr->ctx = NULL;
	exec->ksr_free[exec->ksr_free_count++] = ksr;
}

static void tell_finished(struct vgpu_exec *exec, struct vgpu_exec_context *ctx)
{
	if (exec->policy->kernel_finished)
		exec->policy->kernel_finished(exec, &ctx->sched);
}

void vgpu_exec_finish(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	struct vgpu_exec_context *ctx = ksr->ctx;
	struct vgpu_job *job = ksr->job;
	bool stopped = ksr->launch.stopped;

	ctx->ended_kernels++;
	retire(exec, ksr);
	/* its last block has done what ends the context, and its command with it */
	if (likely(!stopped))
		vgpu_children_grid_ended(exec, job);
	tell_finished(exec, ctx);
}

void vgpu_exec_stop_context(struct vgpu_exec_context *ctx)
{
	struct vgpu_ksr *ksr;

	vgpu_sms_catch_up(&ctx->exec->sm_env);
	vgpu_list_for_each(ksr, &ctx->exec->active_queue, struct vgpu_ksr, node)
		if (ksr->ctx == ctx)
			ksr->launch.stopped = true;
}

void vgpu_exec_abort(struct vgpu_exec_context *ctx)
{
	struct vgpu_exec *exec = ctx->exec;
	struct vgpu_ksr *ksr, *next;
	u32 i;

	vgpu_announce_abort(ctx);
	vgpu_exec_unthrottle(ctx);
	vgpu_pqueue_remove(&exec->waiting, &ctx->waiting);
	ctx->job = NULL;
	vgpu_list_init(&ctx->behind);
	/* None of its kernels may be given an SM that another of them gives back. */
	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node) {
		if (ksr->ctx != ctx)
			continue;
		ksr->unclaimed = 0;
		vgpu_runqueue_kernel(exec, ksr);
	}
	for (i = 0; i < exec->config->sms; i++) {
		if (exec->smst[i].ksr && exec->smst[i].ksr->ctx == ctx)
			vgpu_sm_driver_stop(exec, i);
		else if (exec->smst[i].kernels)
			vgpu_residents_stop(exec, i, ctx);
	}
	vgpu_list_for_each_safe(ksr, next, &exec->active_queue, struct vgpu_ksr, node) {
		if (ksr->ctx != ctx)
			continue;
		vgpu_blocks_drop(exec, &ksr->ptbq);
		retire(exec, ksr);
	}
	vgpu_children_abort(ctx);
	vgpu_account_abort(exec, ctx);
	tell_finished(exec, ctx);
	vgpu_exec_schedule(exec);
}

/* ---- SMST --------------------------------------------------------------- */

void vgpu_exec_assign(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	if (!VGPU_DECISION(exec, sm < exec->config->sms && ksr &&
				 exec->smst[sm].state == VGPU_SM_IDLE && ksr->unclaimed &&
				 !exec->policy->by_block && !exec->outside.wrong, sm,
			   "it assigns an SM that is not idle, or to no kernel with blocks")) {
		if (!exec->outside.selected)
			vgpu_exec_broken(ksr);
		return;
	}
	vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_ASSIGN, 0);
	vgpu_sm_driver_setup(exec, sm, ksr);
}

void vgpu_exec_set_next(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *next)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_ksr *before = smst->next;

	smst->next = next;
	vgpu_runqueue_sm(exec, sm);
	if (before) {
		before->reserved--;
		before->promised -= before->occupancy;
		vgpu_runqueue_kernel(exec, before);
	}
	if (next) {
		next->reserved++;
		next->promised += next->occupancy;
		vgpu_runqueue_kernel(exec, next);
	}
}

/* @sm is preempted, as @begin does it, and then given to @next, NULL: to nobody. */
static void begin_preemption(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *next,
			     void (*begin)(struct vgpu_exec *exec, u32 sm))
{
	struct vgpu_smst *smst = &exec->smst[sm];

	/* What is not whole yet goes back where it came from: there is nothing to save of it. */
	vgpu_exec_unrestore(exec, sm);
	if (!exec->sms[sm].resident_count && !smst->saving && !smst->restoring) {
		/* Nothing runs yet, and nothing is preempted: it changes hands at once. */
		vgpu_sm_driver_unset(exec, sm, next);
		return;
	}
	vgpu_spread_end(exec, sm);
	vgpu_sm_driver_unclaim(exec, sm);
	smst->leaving = true;
	exec->leaving_count++;
	if (unlikely(smst->ksr->ctx->throttled))
		vgpu_throttle_leaves(smst->ksr->ctx, sm);
	vgpu_sm_driver_update(exec, sm);
	vgpu_exec_set_next(exec, sm, next);
	smst->requested = exec->sim->now;
	vgpu_trace_kernel(exec, VGPU_TRACE_PREEMPT_START, smst->ksr, sm,
			  next ? next->launch.id : 0, 0);
	/* one that is about to make its base checkpoint is saved when it can make that */
	if (exec->sms[sm].resident_count && (!smst->checkpointing || smst->standing))
		begin(exec, sm);
	vgpu_exec_unwatch(exec, sm);
}

/* All of it is what the SM driver does with a reserved SM. */
static void drain_begin(struct vgpu_exec *exec, u32 sm)
{
	(void)exec;
	(void)sm;
}

void vgpu_exec_drain(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *next)
{
	begin_preemption(exec, sm, next,
			 vgpu_exec_cooperates(exec, sm) ? vgpu_exec_save_all : drain_begin);
}

int vgpu_exec_reserve(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	if (!VGPU_DECISION(exec, sm < exec->config->sms && ksr && smst->ksr &&
				 !exec->policy->by_block && !exec->outside.wrong, sm,
			   "it reserves an SM that nobody has, or for no kernel")) {
		if (!exec->outside.selected)
			vgpu_exec_broken(ksr);
		return -EINVAL;
	}
	if (smst->leaving) {
		vgpu_exec_set_next(exec, sm, ksr);
		return 0;
	}
	if (!exec->preemption->begin)
		return -EOPNOTSUPP;
	vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_RESERVE,
			  smst->ksr->launch.id);
	smst->begun_by = exec->preemption;
	begin_preemption(exec, sm, ksr, exec->preemption->begin);
	return 0;
}

/* Whatever the mechanism in use: this is not a decision of a policy. */
void vgpu_exec_save_all(struct vgpu_exec *exec, u32 sm)
{
	u64 drained = vgpu_exec_time_after(exec, exec->config->pipeline_drain_ps);
	u64 halted = vgpu_exec_halt(exec, sm);

	vgpu_exec_at_time(exec, sm, drained > halted ? drained : halted, vgpu_exec_save);
}

void vgpu_exec_take_away(struct vgpu_exec *exec, u32 sm)
{
	if (exec->smst[sm].leaving)
		vgpu_exec_set_next(exec, sm, NULL);
	else
		begin_preemption(exec, sm, NULL, vgpu_exec_save_all);
}

/* ---- the engine --------------------------------------------------------- */

static int init_sms(struct vgpu_exec *exec)
{
	u32 sms = exec->config->sms;
	u32 i;
	int err;

	exec->sms = vgpu_mem_alloc_device(sms * sizeof(*exec->sms));
	exec->smst = vgpu_mem_alloc_device(sms * sizeof(*exec->smst));
	exec->smst_tables = vgpu_mem_alloc_device(sms * sizeof(*exec->smst_tables));
	exec->due = vgpu_mem_alloc_device(sms * sizeof(*exec->due));
	if (!exec->sms || !exec->smst || !exec->smst_tables || !exec->due)
		return -ENOMEM;
	exec->sm_env = (struct vgpu_sm_env){
		.sim = exec->sim,
		.random = exec->random,
		.ops = &vgpu_sm_driver_ops,
		.engine = exec,
		.native = exec->native,
		.parallel = exec->parallel,
		.watch = exec->watch,
		.sms = exec->sms,
		.due = exec->due,
		.put_off = &exec->put_off,
		.memsys = exec->memsys,
	};
	err = vgpu_sm_env_init(&exec->sm_env, exec->config);
	if (err)
		return err;
	for (i = 0; i < sms; i++) {
		struct vgpu_smst *smst = &exec->smst[i];
		struct vgpu_smst_tables *tables = &exec->smst_tables[i];
		struct vgpu_sm *sm = &exec->sms[i];

		smst->exec = exec;
		smst->sm = i;
		smst->resident = tables->resident;
		smst->told = tables->told;
		smst->saves = tables->saves;
		smst->marks = tables->marks;
		smst->turn = VGPU_NEVER;
		vgpu_list_init(&smst->moving);
		vgpu_list_init(&smst->off);
		vgpu_residents_init(smst);
		exec->idle[i / 64] |= 1ull << (i % 64);
		sm->sim = exec->sim;
		sm->trace = exec->trace;
		sm->config = exec->config;
		sm->env = &exec->sm_env;
		err = vgpu_sm_init(sm, i);
		if (err)
			return err;
		exec->sms_made++;
	}
	exec->idle_count = sms;
	return 0;
}

int vgpu_exec_init(struct vgpu_exec *exec, const struct vgpu_policy *policy,
		   const struct vgpu_preemption *preemption)
{
	u32 sms = exec->config->sms;
	u32 kernels = exec->config->active_kernels ? exec->config->active_kernels :
						       sms * exec->config->kernels_per_sm;
	u32 i;
	int err;

	if (!policy || !preemption)
		return -EINVAL;
	vgpu_list_init(&exec->contexts);
	vgpu_list_init(&exec->unreserved);
	vgpu_list_init(&exec->active_queue);
	exec->preemption = preemption;
	exec->timing = vgpu_timing_find(exec->config->timing);
	vgpu_turn_init(exec);
	exec->ksrt = vgpu_mem_alloc_device(kernels * sizeof(*exec->ksrt));
	exec->ksr_free = vgpu_mem_alloc_device(kernels * sizeof(*exec->ksr_free));
	if (!exec->ksrt || !exec->ksr_free)
		return -ENOMEM;
	for (i = 0; i < kernels; i++)
		exec->ksr_free[i] = &exec->ksrt[kernels - 1 - i];
	exec->ksr_free_count = kernels;
	exec->ksr_count = kernels;
	err = vgpu_counts_init(exec, kernels);
	if (!err)
		err = vgpu_block_pool_init(exec, sms * exec->config->blocks_per_sm);
	/*
	 * Of every SM: its setup, its preemption, its preparation, its moves, its local scheduler,
	 * the step of its compiled blocks, the first end of its profiled ones; of every KSR: a
	 * watchdog; the policy's timer, what it will do, the spreading of blocks, announcements,
	 * throttled contexts, the end and the watchdog
	 * of a policy from outside, and the swaps of the test.
	 */
	if (!err)
		err = vgpu_event_reserve(exec->sim, VGPU_EXEC_EVENTS(sms, kernels));
	if (err)
		return err;
	exec->events = VGPU_EXEC_EVENTS(sms, kernels);
	err = init_sms(exec);
	if (!err)
		vgpu_exec_set_on_fault(exec);
	vgpu_exec_set_placement(exec);
	return err ? err : vgpu_exec_set_policy(exec, policy);
}

void vgpu_exec_fini(struct vgpu_exec *exec)
{
	vgpu_exec_exit_policy(exec);
	vgpu_event_cancel(exec->sim, &exec->policy_timer);
	vgpu_outside_fini(exec);
	vgpu_event_cancel(exec->sim, &exec->spread);
	vgpu_event_cancel(exec->sim, &exec->announce);
	vgpu_event_cancel(exec->sim, &exec->throttle_look);
	vgpu_event_cancel(exec->sim, &exec->rotation);
	vgpu_event_cancel(exec->sim, &exec->turn.event);
	vgpu_event_cancel(exec->sim, &exec->swap_test);
	while (exec->sms_made)
		vgpu_sm_fini(&exec->sms[--exec->sms_made]);
	vgpu_sm_env_fini(&exec->sm_env);
	vgpu_event_release(exec->sim, exec->events);
	vgpu_block_pool_fini(exec);
	vgpu_counts_fini(exec);
	vgpu_runqueue_fini(exec);
	vgpu_mem_free_device(exec->due);
	vgpu_mem_free_device(exec->sms);
	vgpu_mem_free_device(exec->smst_tables);
	vgpu_mem_free_device(exec->smst);
	vgpu_mem_free_device(exec->ksr_free);
	vgpu_mem_free_device(exec->ksrt);
}
