// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The scheduling framework (Tanasic 5.2.3): command buffers, active queue, KSRT, SMST, and the
 * services by which a policy moves kernels through them.
 */
#include "../core/device.h"
#include "../core/trace.h"
#include "../policy/policy.h"
#include "../preempt/preempt.h"

/* ---- command buffers ---------------------------------------------------- */

static void fill_buffer(struct vgpu_device *dev, struct vgpu_context *ctx,
			struct vgpu_command *command)
{
	ctx->buffer.command = command;
	vgpu_exec_reorder(dev, ctx);
}

static void arrival_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	struct vgpu_command *command = vgpu_container_of(event, struct vgpu_command, arrival);
	struct vgpu_context *ctx = command->queue->ctx;
	struct vgpu_command_buffer *buffer = &ctx->buffer;

	command->order = dev->exec.arrivals++;
	command->arrived = dev->now;
	vgpu_account_arrival(dev, ctx);
	command->engine_next = NULL;
	if (!buffer->command) {
		fill_buffer(dev, ctx, command);
		dev->exec.policy->kernel_arrived(dev, ctx);
		return;
	}
	/* The buffer holds one command: this one waits in the dispatcher. */
	if (buffer->head)
		buffer->tail->engine_next = command;
	else
		buffer->head = command;
	buffer->tail = command;
}

void vgpu_exec_submit(struct vgpu_device *dev, struct vgpu_command *command)
{
	command->arrival.fire = arrival_fire;
	vgpu_event_after(dev, &command->arrival, dev->config.launch_ps);
}

static struct vgpu_command *take_from_buffer(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	struct vgpu_command_buffer *buffer = &ctx->buffer;
	struct vgpu_command *command = buffer->command;
	struct vgpu_command *next = buffer->head;

	vgpu_tournament_leave(&dev->exec.waiting, &buffer->node);
	buffer->command = NULL;
	if (next) {
		buffer->head = next->engine_next;
		fill_buffer(dev, ctx, next);
	}
	return command;
}

/* ---- active queue and KSRT ---------------------------------------------- */

bool vgpu_exec_has_room(const struct vgpu_device *dev)
{
	return dev->exec.ksr_free_count > 0;
}

bool vgpu_exec_has_room_for(const struct vgpu_device *dev, const struct vgpu_context *ctx)
{
	const struct vgpu_exec *exec = &dev->exec;

	return exec->ksr_free_count >
	       (ctx->standing.active_kernels ?
			exec->processes - vgpu_tournament_count(&exec->active) :
			0);
}

static void watchdog_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	struct vgpu_ksr *ksr = vgpu_container_of(event, struct vgpu_ksr, watchdog);
	struct vgpu_fault fault = {
		.reason = VGPU_FAULT_WATCHDOG,
		.queue = ksr->command->queue->index,
		.seq = ksr->command->seq,
		.module = ksr->launch.module,
		.kernel = ksr->launch.kernel_index,
	};

	vgpu_context_die(dev, ksr->ctx, &fault);
}

void vgpu_exec_runs(struct vgpu_device *dev, struct vgpu_ksr *ksr)
{
	u64 most = dev->config.watchdog_ps;
	u64 ran;

	vgpu_account_kernel(dev, ksr, VGPU_KERNEL_RUNNING);
	ran = ksr->time[VGPU_KERNEL_RUNNING];
	if (most)
		vgpu_event_after(dev, &ksr->watchdog, ran < most ? most - ran : 0);
}

void vgpu_exec_stops(struct vgpu_device *dev, struct vgpu_ksr *ksr)
{
	vgpu_account_kernel(dev, ksr, VGPU_KERNEL_PREEMPTED);
	vgpu_event_cancel(dev, &ksr->watchdog);
}

struct vgpu_ksr *vgpu_exec_admit(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	struct vgpu_exec *exec = &dev->exec;
	struct vgpu_ksr *ksr = exec->ksr_free[--exec->ksr_free_count];
	struct vgpu_command *command;

	if (!ctx->standing.active_kernels++)
		ctx->standing.since = exec->admissions + 1;
	command = take_from_buffer(dev, ctx);
	memset(ksr, 0, sizeof(*ksr));
	vgpu_command_shape(command, &ksr->launch);
	ksr->launch.id = ++exec->launches;
	ksr->launch.context = ctx->id;
	ksr->launch.as = ctx->as;
	ksr->ctx = ctx;
	ksr->command = command;
	ksr->order = ++exec->admissions;
	ksr->since = command->arrived;
	ksr->occupancy =
		vgpu_occupancy(&dev->config, ksr->launch.threads, ksr->launch.regs_per_block,
			       ksr->launch.shared_bytes, &ksr->shared_config);
	ksr->watchdog.fire = watchdog_fire;
	ksr->prev = exec->active_tail;
	if (exec->active_tail)
		exec->active_tail->next = ksr;
	else
		exec->active_head = ksr;
	exec->active_tail = ksr;
	exec->active_count++;
	ksr->unclaimed = ksr->launch.blocks;
	vgpu_exec_claimed(dev, ksr);
	vgpu_trace_kernel(dev, VGPU_TRACE_DECISION, ksr, VGPU_NO_SM, VGPU_DECISION_ADMIT, 0);
	return ksr;
}

/* @ksr leaves the active queue; no SM serves it any more. */
static void retire(struct vgpu_device *dev, struct vgpu_ksr *ksr)
{
	struct vgpu_exec *exec = &dev->exec;
	struct vgpu_smst *smst, *next;

	vgpu_account_end(dev, ksr);
	if (ksr->started)
		vgpu_trace_kernel(dev, VGPU_TRACE_KERNEL_END, ksr, VGPU_NO_SM,
				  ksr->time[VGPU_KERNEL_QUEUED], ksr->time[VGPU_KERNEL_PREEMPTED]);
	vgpu_event_cancel(dev, &ksr->watchdog);
	for (smst = ksr->ctx->standing.coming; ksr->reserved; smst = next) {
		next = smst->list_next;
		if (smst->next == ksr)
			vgpu_exec_set_next(dev, (u32)(smst - exec->smst), NULL);
	}
	ksr->ctx->standing.active_kernels--;
	vgpu_exec_reorder(dev, ksr->ctx);
	*(ksr->prev ? &ksr->prev->next : &exec->active_head) = ksr->next;
	*(ksr->next ? &ksr->next->prev : &exec->active_tail) = ksr->prev;
	exec->active_count--;
	ksr->ctx = NULL;
	exec->ksr_free[exec->ksr_free_count++] = ksr;
}

void vgpu_exec_finish(struct vgpu_device *dev, struct vgpu_ksr *ksr)
{
	struct vgpu_command *command = ksr->command;
	struct vgpu_context *ctx = ksr->ctx;

	ctx->kernels++;
	retire(dev, ksr);
	vgpu_command_done(dev, command);
	dev->exec.policy->kernel_finished(dev, ctx);
}

void vgpu_exec_abort(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	struct vgpu_exec *exec = &dev->exec;
	struct vgpu_ksr *ksr, *next;
	struct vgpu_block *block;
	u32 i;

	vgpu_tournament_leave(&exec->waiting, &ctx->buffer.node);
	memset(&ctx->buffer, 0, sizeof(ctx->buffer));
	/* None of its kernels may be given an SM that another of them gives back. */
	for (ksr = exec->active_head; ksr; ksr = ksr->next) {
		if (ksr->ctx != ctx)
			continue;
		ksr->unclaimed = 0;
		vgpu_exec_claimed(dev, ksr);
	}
	for (i = 0; i < dev->config.sms; i++)
		if (exec->smst[i].ksr && exec->smst[i].ksr->ctx == ctx)
			vgpu_sm_driver_stop(dev, i);
	for (ksr = exec->active_head; ksr; ksr = next) {
		next = ksr->next;
		if (ksr->ctx != ctx)
			continue;
		while ((block = ksr->ptbq)) {
			ksr->ptbq = block->next;
			vgpu_block_release(block);
			vgpu_block_put(exec, block);
		}
		retire(dev, ksr);
	}
	vgpu_account_abort(dev, ctx);
	exec->policy->kernel_finished(dev, ctx);
}

/* ---- SMST --------------------------------------------------------------- */

int vgpu_exec_idle_sm(const struct vgpu_device *dev)
{
	u32 i;

	if (dev->exec.idle_count)
		for (i = 0; i < VGPU_IDLE_WORDS; i++)
			if (dev->exec.idle[i])
				return (int)(i * 64) + __builtin_ctzll(dev->exec.idle[i]);
	return -1;
}

void vgpu_exec_assign(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr)
{
	VGPU_CHECK(dev->exec.smst[sm].state == VGPU_SM_IDLE && ksr->unclaimed);
	vgpu_trace_kernel(dev, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_ASSIGN, 0);
	vgpu_sm_driver_setup(dev, sm, ksr);
}

void vgpu_exec_set_next(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *next)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	struct vgpu_ksr *before = smst->next;

	smst->next = next;
	vgpu_exec_placed(dev, sm);
	if (before) {
		before->reserved--;
		before->promised -= before->occupancy;
		vgpu_exec_claimed(dev, before);
	}
	if (next) {
		next->reserved++;
		next->promised += next->occupancy;
		vgpu_exec_claimed(dev, next);
	}
}

int vgpu_exec_reserve(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];

	VGPU_CHECK(smst->ksr);
	if (vgpu_sm_is_leaving(smst)) {
		vgpu_exec_set_next(dev, sm, ksr);
		return 0;
	}
	if (!dev->exec.preemption->begin)
		return -EOPNOTSUPP;
	vgpu_trace_kernel(dev, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_RESERVE,
			  smst->ksr->launch.id);
	/* What is not whole yet goes back where it came from: there is nothing to save of it. */
	if (smst->moving_count)
		vgpu_exec_unrestore(dev, sm);
	if (smst->state == VGPU_SM_SETUP || smst->state == VGPU_SM_RESTORING) {
		/* Nothing runs yet, and nothing is preempted: it changes hands at once. */
		vgpu_sm_driver_unset(dev, sm, ksr);
		return 0;
	}
	vgpu_account_sm(dev, sm, VGPU_SM_RESERVED);
	vgpu_exec_set_next(dev, sm, ksr);
	smst->requested = dev->now;
	vgpu_trace_kernel(dev, VGPU_TRACE_PREEMPT_START, smst->ksr, sm, ksr->launch.id, 0);
	dev->exec.preemption->begin(dev, sm);
	return 0;
}

/* ---- selection of policy and mechanism, watchdog ------------------------ */

void vgpu_exec_rerank(struct vgpu_device *dev)
{
	u32 i;

	dev->exec.processes = 0;
	for (i = 0; i < dev->contexts.count; i++)
		dev->exec.processes += vgpu_context_is_process(dev->contexts.list[i]);
	if (dev->exec.policy->prepare)
		dev->exec.policy->prepare(dev);
	for (i = 0; i < dev->contexts.count; i++)
		vgpu_exec_reorder(dev, dev->contexts.list[i]);
	dev->exec.policy->changed(dev);
}

void vgpu_exec_set_policy(struct vgpu_device *dev, const struct vgpu_policy *policy)
{
	u32 i;

	dev->exec.policy = policy;
	memset(dev->exec.policy_word, 0, sizeof(dev->exec.policy_word));
	vgpu_event_cancel(dev, &dev->exec.policy_timer);
	for (i = 0; i < dev->contexts.count; i++)
		dev->contexts.list[i]->standing.mark = 0;
	vgpu_exec_rerank(dev);
}

static void policy_timer_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	(void)event;
	dev->exec.policy->timer(dev);
}

void vgpu_exec_timer(struct vgpu_device *dev, u64 time)
{
	if (time == VGPU_NEVER)
		vgpu_event_cancel(dev, &dev->exec.policy_timer);
	else
		vgpu_event_at(dev, &dev->exec.policy_timer, time);
}

void vgpu_exec_set_preemption(struct vgpu_device *dev, const struct vgpu_preemption *preemption)
{
	dev->exec.preemption = preemption;
}

void vgpu_exec_set_watchdog(struct vgpu_device *dev)
{
	struct vgpu_ksr *ksr;

	for (ksr = dev->exec.active_head; ksr; ksr = ksr->next) {
		vgpu_event_cancel(dev, &ksr->watchdog);
		if (ksr->state == VGPU_KERNEL_RUNNING)
			vgpu_exec_runs(dev, ksr);
	}
}

int vgpu_exec_init(struct vgpu_device *dev)
{
	struct vgpu_exec *exec = &dev->exec;
	u32 sms = dev->config.sms;
	u32 kernels = dev->config.active_kernels ? dev->config.active_kernels : sms;
	u32 i;
	int err;

	exec->policy = vgpu_policy_find(dev->config.policy);
	exec->preemption = vgpu_preemption_find(dev->config.preemption);
	exec->ksrt = vgpu_mem_alloc(kernels * sizeof(*exec->ksrt));
	exec->ksr_free = vgpu_mem_alloc(kernels * sizeof(*exec->ksr_free));
	exec->smst = vgpu_mem_alloc(sms * sizeof(*exec->smst));
	if (!exec->ksrt || !exec->ksr_free || !exec->smst)
		return -ENOMEM;
	for (i = 0; i < kernels; i++)
		exec->ksr_free[i] = &exec->ksrt[kernels - 1 - i];
	for (i = 0; i < sms; i++) {
		exec->idle[i / 64] |= 1ull << (i % 64);
		exec->smst[i].moving_end = &exec->smst[i].moving;
	}
	exec->ksr_free_count = kernels;
	exec->idle_count = sms;
	exec->policy_timer.fire = policy_timer_fire;
	err = vgpu_block_pool_grow(exec, sms * dev->config.blocks_per_sm);
	/*
	 * Of every SM: its setup, its preemption, the step of its compiled blocks, the first end of
	 * its profiled ones; of every KSR: a watchdog; of the policy: its timer.
	 */
	return err ? err : vgpu_event_reserve(dev, kernels + sms * 4 + 1);
}

void vgpu_exec_fini(struct vgpu_device *dev)
{
	struct vgpu_exec *exec = &dev->exec;

	vgpu_block_pool_free(exec);
	vgpu_standing_fini(exec);
	vgpu_mem_free(exec->smst);
	vgpu_mem_free(exec->ksr_free);
	vgpu_mem_free(exec->ksrt);
}
