// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Places of lines in a partition of L2 that runs a protocol; see coherent.h.
 */
#include "coherent.h"

/* ---- a place ------------------------------------------------------------------------------ */

/* Would the line at @at leave at once? */
static bool may_go(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle)
{
	struct vgpu_cc_l2 *l2 = &memsys->coherent->l2s[index];
	struct vgpu_coh_partition partition = l2->state;
	struct vgpu_coh_l2_line line;
	struct vgpu_coh_out out;
	struct vgpu_coh_l2_step step = { &memsys->coherent->setup, &partition, &line, NULL, cycle,
					 &out };

	vgpu_cc_l2_expire(memsys, index, at, cycle);
	line = l2->ways[at].line;
	if (!line.state)
		return true;
	vgpu_coh_l2(memsys->coherent->protocol, VGPU_COH_EVICT, &step);
	return !(out.actions & (VGPU_COH_STALL | VGPU_COH_IMPOSSIBLE)) && !line.state;
}

static void evict(struct vgpu_memsys *memsys, u32 index, u32 at, u64 cycle)
{
	struct vgpu_cc_way *way = &memsys->coherent->l2s[index].ways[at];

	if (way->line.state)
		vgpu_cc_l2_event(memsys, index, at, VGPU_COH_EVICT, NULL, cycle, NULL);
	if (way->line.state && memsys->coherent->protocol->clocked)
		vgpu_cc_retry_at(memsys, index, at, way->line.exp + 1);
}

/*
 * A place for the line of @request; NONE: not now. Of the lines that would leave at once the one
 * that was used longest ago goes. If there is none, the one of all is made to go.
 */
u32 vgpu_cc_allocate(struct vgpu_memsys *memsys, u32 index, const struct vgpu_mem_request *request,
		    u64 cycle)
{
	struct vgpu_partition *p = &memsys->partitions[index];
	struct vgpu_cc_l2 *l2 = &memsys->coherent->l2s[index];
	u32 first = vgpu_partition_set(memsys, request->physical);
	u32 victim = VGPU_CC_NONE, slow = VGPU_CC_NONE;
	bool going = false;

	for (u32 at = first; at < first + memsys->config->l2_ways; at++) {
		const struct vgpu_cc_way *way = &l2->ways[at];
		bool stable = way->line.state < memsys->coherent->protocol->l2_stable;

		if (!p->tags[at]) {
			victim = at;
			break;
		}
		if (way->waits.head || !stable) {
			going |= !stable && !way->fetching;
			continue;
		}
		if (may_go(memsys, index, at, cycle)) {
			if (victim == VGPU_CC_NONE || p->used[at] < p->used[victim])
				victim = at;
		} else if (slow == VGPU_CC_NONE || p->used[at] < p->used[slow]) {
			slow = at;
		}
	}
	memsys->coherent->payer = request;
	if (victim == VGPU_CC_NONE) {
		if (slow != VGPU_CC_NONE && !going)
			evict(memsys, index, slow, cycle);
		memsys->coherent->payer = NULL;
		return VGPU_CC_NONE;
	}
	if (p->tags[victim])
		evict(memsys, index, victim, cycle);
	memsys->coherent->payer = NULL;
	p->tags[victim] = request->physical + 1;
	p->lines[victim] = (struct vgpu_l2_line){ .bytes = request->bytes };
	if (l2->ways[victim].retry)
		vgpu_cc_due_cancel(memsys, index, victim, VGPU_CC_RETRY);
	l2->ways[victim] = (struct vgpu_cc_way){};
	return victim;
}
