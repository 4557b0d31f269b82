// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Throttling (the thesis of ETC, 3.6.3): an SM stops to fetch instructions of a context; what is in
 * its pipeline completes, and its blocks stay resident. The thesis has one context. Here blocks of
 * several may be on an SM, and those of others do not notice.
 */
#include "sm.h"

void vgpu_block_throttle(struct vgpu_block *block, bool on)
{
	const struct vgpu_block_kind *kind = block->launch->kind;

	if (block->throttled == on || !kind->throttle)
		return;
	block->throttled = on;
	kind->throttle(block);
}

static void throttle_blocks(struct vgpu_sm *sm, u32 context, bool on)
{
	struct vgpu_block *block;

	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node)
		if (block->launch->context == context)
			vgpu_block_throttle(block, on);
}

bool vgpu_sm_throttle(struct vgpu_sm *sm, u32 context, u64 order)
{
	if (sm->throttled_count == VGPU_SM_KERNELS_MOST || vgpu_sm_throttles(sm, context))
		return false;
	/* how much of a slice has been executed so far is not to make a difference */
	sm->timing->finish(sm);
	sm->throttled[sm->throttled_count++] = (struct vgpu_throttled){ context, order };
	throttle_blocks(sm, context, true);
	return true;
}

void vgpu_sm_unthrottle(struct vgpu_sm *sm, u32 context)
{
	u32 n = 0;

	while (n < sm->throttled_count && sm->throttled[n].context != context)
		n++;
	if (n == sm->throttled_count)
		return;
	sm->throttled[n] = sm->throttled[--sm->throttled_count];
	sm->timing->finish(sm);
	throttle_blocks(sm, context, false);
}
