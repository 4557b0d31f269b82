// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The SM driver (Tanasic 2.3, figure 5.2): it sets an SM up for a kernel, issues thread blocks
 * until the SM is fully occupied, and issues another whenever one ends; preempted blocks come
 * before new ones (5.2.3). A reserved SM gets no more blocks: when the last has left, it is set up
 * for the kernel that reserved it.
 *
 * What an SM will issue after its setup is claimed when the setup begins. A kernel with few blocks
 * so takes as many SMs as it can fill, and the next kernel gets the others at once.
 */
#include "../core/device.h"
#include "../core/trace.h"
#include "../policy/policy.h"

static struct vgpu_ksr *ksr_of(struct vgpu_launch *launch)
{
	return vgpu_container_of(launch, struct vgpu_ksr, launch);
}

static struct vgpu_fault fault_of(const struct vgpu_ksr *ksr, enum vgpu_fault_reason reason)
{
	return (struct vgpu_fault){
		.reason = reason,
		.queue = ksr->command->queue->index,
		.seq = ksr->command->seq,
		.module = ksr->launch.module,
		.kernel = ksr->launch.kernel_index,
	};
}

/* SM @sm has nothing any more; nobody is told yet. */
static void leave(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_exec *exec = &dev->exec;
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_account_sm(dev, sm, VGPU_SM_IDLE);
	vgpu_event_cancel(dev, &smst->preempt);
	dev->sms[sm].halted = false;
	if (!--smst->ksr->sms && smst->ksr->started)
		vgpu_exec_stops(dev, smst->ksr);
	smst->ksr = NULL;
	vgpu_exec_placed(dev, sm);
	exec->idle[sm / 64] |= 1ull << (sm % 64);
	exec->idle_count++;
}

/* The kernel that @sm is reserved for, NULL: none. The reservation ends. */
static struct vgpu_ksr *take_next(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_ksr *next = dev->exec.smst[sm].next;

	if (next)
		vgpu_exec_set_next(dev, sm, NULL);
	return next;
}

static void report(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *from, u64 requested)
{
	vgpu_trace_kernel(dev, VGPU_TRACE_PREEMPT_END, from, sm, requested, 0);
	vgpu_account_preemption(dev, from, requested);
	if (dev->ops->preempted)
		dev->ops->preempted(dev->host, from->ctx->id, sm, requested);
}

/* Idle @sm goes to @next if that can use it. A kernel that is being aborted has none. */
static void hand_over(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *next)
{
	if (next && next->unclaimed)
		vgpu_sm_driver_setup(dev, sm, next);
}

/* ---- setup and issue ---------------------------------------------------- */

static void start_kernel(struct vgpu_device *dev, struct vgpu_ksr *ksr)
{
	ksr->started = true;
	vgpu_exec_runs(dev, ksr);
	vgpu_trace_kernel(dev, VGPU_TRACE_KERNEL_START, ksr, VGPU_NO_SM, ksr->launch.blocks,
			  (u64)ksr->launch.module << 32 | ksr->launch.kernel_index);
	if (ksr->launch.kernel)
		vgpu_trace_name(dev, ksr, ksr->launch.kernel->name);
}

/* The next new block of @ksr. @spare is a struct to use for it, or NULL. NULL: no memory. */
static struct vgpu_block *new_block(struct vgpu_exec *exec, struct vgpu_ksr *ksr,
				    struct vgpu_block *spare)
{
	struct vgpu_block *block = spare ? spare : vgpu_block_get(exec);

	if (unlikely(!block))
		return NULL;
	block->launch = &ksr->launch;
	block->index = ksr->next_block++;
	block->sm = NULL;
	block->remaining_ps = 0;
	block->warps = NULL;
	return block;
}

/*
 * Issue one block that has been claimed, a preempted one first. false: there was no memory for it,
 * and the context is gone.
 */
static bool issue(struct vgpu_device *dev, struct vgpu_sm *sm, struct vgpu_ksr *ksr,
		  struct vgpu_block *spare)
{
	struct vgpu_block *block;
	struct vgpu_fault fault;

	if (unlikely(ksr->ptbq)) {
		if (spare)
			vgpu_block_put(&dev->exec, spare);
		vgpu_exec_restore(dev, sm->index, ksr);
		return true;
	}
	block = new_block(&dev->exec, ksr, spare);
	if (unlikely(!block || vgpu_sm_issue(sm, block))) {
		if (block) {
			vgpu_block_release(block);
			vgpu_block_put(&dev->exec, block);
		}
		fault = fault_of(ksr, VGPU_FAULT_NO_MEMORY);
		vgpu_context_die(dev, ksr->ctx, &fault);
		return false;
	}
	if (unlikely(!ksr->started))
		start_kernel(dev, ksr);
	vgpu_account_blocks(dev, ksr, VGPU_BLOCK_NONE, VGPU_BLOCK_RUNNING, 1);
	vgpu_trace_kernel(dev, VGPU_TRACE_BLOCK_START, ksr, sm->index, block->index, block->slot);
	return true;
}

/* An SM with blocks is running, unless each of them waits to be restored. */
static void settle(struct vgpu_device *dev, u32 sm)
{
	if (unlikely(dev->exec.smst[sm].moving_count && !dev->sms[sm].resident_count))
		vgpu_account_sm(dev, sm, VGPU_SM_RESTORING);
}

void vgpu_sm_driver_resume(struct vgpu_device *dev, u32 sm, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = ksr_of(block->launch);
	int err;

	if (dev->exec.smst[sm].state == VGPU_SM_RESTORING)
		vgpu_account_sm(dev, sm, VGPU_SM_RUNNING);
	/* It has its memory already, and a slot was kept for it. */
	err = vgpu_sm_issue(&dev->sms[sm], block);
	VGPU_CHECK(!err);
	vgpu_trace_kernel(dev, VGPU_TRACE_BLOCK_RESUME, ksr, sm, block->index, block->slot);
}

static void setup_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, setup);
	u32 sm = (u32)(smst - dev->exec.smst);
	u32 count = smst->claimed;

	vgpu_account_sm(dev, sm, VGPU_SM_RUNNING);
	vgpu_sm_setup(&dev->sms[sm], &smst->ksr->launch);
	smst->claimed = 0;
	while (count-- && issue(dev, &dev->sms[sm], smst->ksr, NULL))
		;
	settle(dev, sm);
}

void vgpu_sm_driver_setup(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_exec *exec = &dev->exec;
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_account_sm(dev, sm, VGPU_SM_SETUP);
	exec->idle[sm / 64] &= ~(1ull << (sm % 64));
	exec->idle_count--;
	smst->ksr = ksr;
	vgpu_exec_placed(dev, sm);
	if (!ksr->sms++ && unlikely(ksr->started))
		vgpu_exec_runs(dev, ksr);
	smst->claimed = ksr->unclaimed < ksr->occupancy ? (u32)ksr->unclaimed : ksr->occupancy;
	ksr->unclaimed -= smst->claimed;
	vgpu_exec_claimed(dev, ksr);
	vgpu_trace_kernel(dev, VGPU_TRACE_SM_SETUP, ksr, sm, 0, 0);
	smst->setup.fire = setup_fire;
	vgpu_event_after(dev, &smst->setup, dev->config.sm_setup_ps);
}

void vgpu_sm_driver_unset(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *next)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	struct vgpu_ksr *ksr = smst->ksr;

	vgpu_event_cancel(dev, &smst->setup);
	ksr->unclaimed += smst->claimed;
	smst->claimed = 0;
	vgpu_exec_claimed(dev, ksr);
	leave(dev, sm);
	hand_over(dev, sm, next);
}

/* ---- a block ends ------------------------------------------------------- */

/* The last block of @sm has left it. */
static void empty(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	struct vgpu_ksr *next = take_next(dev, sm);

	if (smst->state == VGPU_SM_RESERVED || smst->state == VGPU_SM_SAVING)
		report(dev, sm, ksr, smst->requested);
	leave(dev, sm);
	/* First the kernel it is reserved for, then the policy. */
	hand_over(dev, sm, next);
	if (ksr->ended == ksr->launch.blocks)
		vgpu_exec_finish(dev, ksr);
	if (smst->state == VGPU_SM_IDLE)
		dev->exec.policy->sm_idle(dev, sm);
}

/* Block @index of @ksr, in @slot, has ended. */
static void count_end(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr, u64 index, u32 slot)
{
	vgpu_trace_kernel(dev, VGPU_TRACE_BLOCK_END, ksr, sm, index, slot);
	ksr->ctx->blocks++;
	ksr->ended++;
}

/* Claim one block of @ksr for @sm, where one has just ended. A reserved SM gets none. */
static bool claim(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr)
{
	if (!ksr->unclaimed || dev->exec.smst[sm].state != VGPU_SM_RUNNING)
		return false;
	if (--ksr->unclaimed <= ksr->promised)
		vgpu_exec_claimed(dev, ksr);
	return true;
}

bool vgpu_exec_block_followed(struct vgpu_device *dev, u32 sm, struct vgpu_launch *launch, u32 slot,
			      u64 *index)
{
	struct vgpu_ksr *ksr = ksr_of(launch);

	if (ksr->ptbq || !claim(dev, sm, ksr))
		return false;
	count_end(dev, sm, ksr, *index, slot);
	*index = ksr->next_block++;
	vgpu_trace_kernel(dev, VGPU_TRACE_BLOCK_START, ksr, sm, *index, slot);
	return true;
}

void vgpu_exec_block_done(struct vgpu_device *dev, struct vgpu_sm *sm, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = ksr_of(block->launch);

	count_end(dev, sm->index, ksr, block->index, block->slot);
	vgpu_account_blocks(dev, ksr, VGPU_BLOCK_RUNNING, VGPU_BLOCK_NONE, 1);
	if (ksr->launch.kernel)
		vgpu_block_release(block);
	if (claim(dev, sm->index, ksr)) {
		if (issue(dev, sm, ksr, block))
			settle(dev, sm->index);
		return;
	}
	vgpu_block_put(&dev->exec, block);
	if (sm->resident_count)
		return;
	if (unlikely(dev->exec.smst[sm->index].moving_count))
		settle(dev, sm->index);
	else
		empty(dev, sm->index, ksr);
}

void vgpu_exec_block_fault(struct vgpu_device *dev, struct vgpu_sm *sm, struct vgpu_block *block,
			   struct vgpu_fault *fault)
{
	struct vgpu_ksr *ksr = ksr_of(block->launch);

	(void)sm;
	fault->queue = ksr->command->queue->index;
	fault->seq = ksr->command->seq;
	fault->module = ksr->launch.module;
	fault->kernel = ksr->launch.kernel_index;
	vgpu_context_die(dev, ksr->ctx, fault);
}

/* ---- preemption and stopping -------------------------------------------- */

void vgpu_sm_driver_preempted(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];

	VGPU_CHECK(smst->state == VGPU_SM_SAVING && !dev->sms[sm].resident_count &&
		   !smst->moving_count);
	empty(dev, sm, smst->ksr);
	/* Its kernel has blocks to issue again: an SM that nobody could use may serve it. */
	if (dev->exec.idle_count && vgpu_exec_issuable(dev))
		dev->exec.policy->sm_idle(dev, (u32)vgpu_exec_idle_sm(dev));
}

void vgpu_sm_driver_stop(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	struct vgpu_ksr *next = take_next(dev, sm);
	struct vgpu_block *block;

	vgpu_event_cancel(dev, &smst->setup);
	smst->claimed = 0;
	while ((block = dev->sms[sm].resident)) {
		vgpu_sm_detach(&dev->sms[sm], block);
		vgpu_trace_kernel(dev, VGPU_TRACE_BLOCK_END, smst->ksr, sm, block->index,
				  block->slot);
		vgpu_block_release(block);
		vgpu_block_put(&dev->exec, block);
	}
	while ((block = smst->moving)) {
		smst->moving = block->next;
		vgpu_block_release(block);
		vgpu_block_put(&dev->exec, block);
	}
	smst->moving_end = &smst->moving;
	smst->moving_count = 0;
	leave(dev, sm);
	hand_over(dev, sm, next);
}
