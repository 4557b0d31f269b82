// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An SM as the engine sees it: its context registers, which blocks are resident, and which of the
 * two kinds of kernel makes them advance.
 */
#include "../core/device.h"
#include "warps.h"

#define ALIGN	64u

int vgpu_sm_init(struct vgpu_sm *sm, struct vgpu_device *dev, u32 index)
{
	struct vgpu_sm_run *run;
	u8 *memory;

	memset(sm, 0, sizeof(*sm));
	sm->dev = dev;
	sm->index = index;
	sm->resident_end = &sm->resident;
	sm->step.fire = vgpu_compiled_step;
	memory = vgpu_mem_alloc(sizeof(*run) + ALIGN);
	if (vgpu_tlb_init(&sm->tlb) || !memory || vgpu_profiled_init(sm)) {
		vgpu_tlb_fini(&sm->tlb);
		vgpu_mem_free(memory);
		return -ENOMEM;
	}
	run = (struct vgpu_sm_run *)(memory + (0 - (unsigned long)memory) % ALIGN);
	run->memory = memory;
	run->run = vgpu_cpu_has_avx2() ? vgpu_lanes_run_avx2 : vgpu_lanes_run_sse2;
	vgpu_cost_fill(run->cost, &dev->config);
	run->lanes.cost = run->cost;
	run->lanes.sm_index = index;
	run->lanes.sm_count = dev->config.sms;
	sm->run = run;
	return 0;
}

void vgpu_sm_fini(struct vgpu_sm *sm)
{
	VGPU_CHECK(!sm->resident_count);
	vgpu_event_cancel(sm->dev, &sm->step);
	vgpu_profiled_fini(sm);
	vgpu_tlb_fini(&sm->tlb);
	if (sm->run) {
		vgpu_warps_drain(sm->run);
		vgpu_mem_free(sm->run->memory);
	}
	sm->run = NULL;
}

void vgpu_sm_setup(struct vgpu_sm *sm, const struct vgpu_launch *launch)
{
	VGPU_CHECK(!sm->resident_count);
	/* The TLB changes hands with the first slice that uses it. */
	sm->context = launch->context;
	sm->as = launch->as;
}

int vgpu_sm_issue(struct vgpu_sm *sm, struct vgpu_block *block)
{
	int error;

	block->sm = sm;
	if (block->launch->kernel) {
		error = vgpu_compiled_start(block);
		if (error) {
			block->sm = NULL;
			return error;
		}
	}
	block->slot = (u32)__builtin_ctzll(~sm->slots_used);
	sm->slots_used |= 1ull << block->slot;
	block->next = NULL;
	block->link = sm->resident_end;
	*block->link = block;
	sm->resident_end = &block->next;
	sm->resident_count++;
	if (!block->launch->kernel)
		vgpu_profiled_issue(block);
	else if (!vgpu_event_pending(&sm->step))
		vgpu_event_after(sm->dev, &sm->step, 0);
	return 0;
}

void vgpu_sm_remove(struct vgpu_sm *sm, struct vgpu_block *block)
{
	*block->link = block->next;
	if (block->next)
		block->next->link = block->link;
	else
		sm->resident_end = block->link;
	block->next = NULL;
	block->sm = NULL;
	sm->slots_used &= ~(1ull << block->slot);
	sm->resident_count--;
}

u64 vgpu_sm_halt(struct vgpu_sm *sm)
{
	sm->halted = true;
	return vgpu_event_pending(&sm->step) ? vgpu_event_time(&sm->step) : sm->dev->now;
}

void vgpu_sm_detach(struct vgpu_sm *sm, struct vgpu_block *block)
{
	if (!block->launch->kernel)
		vgpu_profiled_detach(block);
	vgpu_sm_remove(sm, block);
	/*
	 * A step with nothing to do does nothing; it must not stand for blocks that are issued
	 * later.
	 */
	if (!sm->resident_count)
		vgpu_event_cancel(sm->dev, &sm->step);
}

void vgpu_block_release(struct vgpu_block *block)
{
	if (block->launch->kernel)
		vgpu_compiled_release(block);
}

u64 vgpu_block_context_bytes(const struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;
	u64 bytes = (u64)launch->regs_per_block * sizeof(u32) + launch->shared_bytes;

	/*
	 * of a compiled block also predicates, reconvergence stacks and barriers, as far as they
	 * are in use
	 */
	if (block->warps) {
		for (u32 n = 0; n < block->warps->count; n++)
			bytes += VGPU_PREDS * sizeof(u32) +
				 (1 + block->warps->warp[n].depth) * sizeof(struct vgpu_reconv);
		bytes += sizeof(block->warps->barriers);
	}
	return bytes;
}
