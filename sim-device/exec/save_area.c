// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The save area (Tanasic 5.2.2): where the contexts of preempted thread blocks are kept, and what
 * moving them costs. A context is registers, shared memory and block state; an SM moves it at its
 * share of the memory bandwidth, so that
 *
 *   time = bytes x SMs / memory_bandwidth
 *
 * A save moves all blocks of an SM together, and they are preempted when it ends. Restores of an SM
 * follow one another, and a block runs as soon as its own has ended.
 */
#include "../core/device.h"
#include "../core/trace.h"

static struct vgpu_ksr *ksr_of(const struct vgpu_block *block)
{
	return vgpu_container_of(block->launch, struct vgpu_ksr, launch);
}

static u64 move_time(const struct vgpu_config *config, u64 bytes)
{
	return vgpu_mul_div(bytes * config->sms, 1000000000000ull, config->memory_bandwidth);
}

static void append(struct vgpu_smst *smst, struct vgpu_block *block)
{
	block->next = NULL;
	*smst->moving_end = block;
	smst->moving_end = &block->next;
	smst->moving_count++;
}

/* ---- save --------------------------------------------------------------- */

static void saved_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, preempt);
	struct vgpu_ksr *ksr = smst->ksr;
	u32 sm = (u32)(smst - dev->exec.smst);

	vgpu_trace_kernel(dev, VGPU_TRACE_SAVE_END, ksr, sm, smst->moving_count,
			  smst->moving_bytes);
	*(ksr->ptbq ? &ksr->ptbq_tail->next : &ksr->ptbq) = smst->moving;
	ksr->ptbq_tail = vgpu_container_of(smst->moving_end, struct vgpu_block, next);
	ksr->unclaimed += smst->moving_count;
	smst->moving = NULL;
	smst->moving_end = &smst->moving;
	vgpu_account_blocks(dev, ksr, VGPU_BLOCK_SAVING, VGPU_BLOCK_PREEMPTED, smst->moving_count);
	smst->moving_count = 0;
	vgpu_exec_claimed(dev, ksr);
	vgpu_sm_driver_preempted(dev, sm);
}

void vgpu_exec_save(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	struct vgpu_sm *hw = &dev->sms[sm];
	struct vgpu_block *block;
	u64 bytes = 0;

	VGPU_CHECK(smst->state == VGPU_SM_RESERVED && hw->resident_count && !smst->moving_count);
	vgpu_account_sm(dev, sm, VGPU_SM_SAVING);
	while ((block = hw->resident)) {
		vgpu_sm_detach(hw, block);
		vgpu_trace_kernel(dev, VGPU_TRACE_BLOCK_PREEMPT, smst->ksr, sm, block->index,
				  block->slot);
		bytes += vgpu_block_context_bytes(block);
		append(smst, block);
	}
	smst->moving_bytes = bytes;
	vgpu_account_blocks(dev, smst->ksr, VGPU_BLOCK_RUNNING, VGPU_BLOCK_SAVING,
			    smst->moving_count);
	vgpu_account_save(dev, smst->ksr, smst->moving_count, bytes);
	vgpu_trace_kernel(dev, VGPU_TRACE_SAVE_START, smst->ksr, sm, smst->moving_count, bytes);
	smst->preempt.fire = saved_fire;
	vgpu_event_after(dev, &smst->preempt, move_time(&dev->config, bytes));
}

/* ---- restore ------------------------------------------------------------ */

static void begin_restore(struct vgpu_device *dev, struct vgpu_smst *smst);

static void restored_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, preempt);
	struct vgpu_block *block = smst->moving;
	u32 sm = (u32)(smst - dev->exec.smst);

	smst->moving = block->next;
	if (!smst->moving)
		smst->moving_end = &smst->moving;
	smst->moving_count--;
	vgpu_account_restored(dev, smst->ksr, smst->moving_bytes);
	vgpu_account_blocks(dev, smst->ksr, VGPU_BLOCK_RESTORING, VGPU_BLOCK_RUNNING, 1);
	vgpu_trace_kernel(dev, VGPU_TRACE_RESTORE_END, smst->ksr, sm, block->index, 0);
	vgpu_sm_driver_resume(dev, sm, block);
	if (smst->moving)
		begin_restore(dev, smst);
}

static void begin_restore(struct vgpu_device *dev, struct vgpu_smst *smst)
{
	const struct vgpu_block *block = smst->moving;
	u64 bytes = vgpu_block_context_bytes(block);

	smst->moving_bytes = bytes;
	vgpu_trace_kernel(dev, VGPU_TRACE_RESTORE_START, smst->ksr, (u32)(smst - dev->exec.smst),
			  block->index, bytes);
	smst->preempt.fire = restored_fire;
	vgpu_event_after(dev, &smst->preempt, move_time(&dev->config, bytes));
}

void vgpu_exec_restore(struct vgpu_device *dev, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	struct vgpu_block *block = ksr->ptbq;

	ksr->ptbq = block->next;
	append(smst, block);
	vgpu_account_blocks(dev, ksr, VGPU_BLOCK_PREEMPTED, VGPU_BLOCK_RESTORING, 1);
	if (smst->moving == block)
		begin_restore(dev, smst);
}

void vgpu_exec_unrestore(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	struct vgpu_ksr *ksr = ksr_of(smst->moving);

	vgpu_event_cancel(dev, &smst->preempt);
	vgpu_trace_kernel(dev, VGPU_TRACE_RESTORE_END, ksr, sm, smst->moving->index, 1);
	*smst->moving_end = ksr->ptbq;
	if (!ksr->ptbq)
		ksr->ptbq_tail = vgpu_container_of(smst->moving_end, struct vgpu_block, next);
	ksr->ptbq = smst->moving;
	ksr->unclaimed += smst->moving_count;
	smst->moving = NULL;
	smst->moving_end = &smst->moving;
	vgpu_account_blocks(dev, ksr, VGPU_BLOCK_RESTORING, VGPU_BLOCK_PREEMPTED,
			    smst->moving_count);
	smst->moving_count = 0;
	vgpu_exec_claimed(dev, ksr);
}
