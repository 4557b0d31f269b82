// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Chimera (Park et al., ASPLOS 2015, as the thesis of PEP describes it: 4.3, 4.5.2): for each
 * thread block one of drain, switch and flush. Of those that it is expected to have left by within
 * the deadline (knob deadline_us) the one that loses the least work; if there is none, the fastest.
 *
 *	         until it has left                        work that is lost
 *	drain    remaining instructions x CPI so far      none
 *	switch   pipeline + save of this block            2 x save: it is restored, too
 *	flush    none                                     what it has executed, now and
 *	                                                  before earlier flushes
 *
 * Work is time in which the block executes, or would: its instructions x its CPI. As in the
 * original, each block is looked at by itself. The thesis shows where that is wrong (4.3, figure
 * 4.4): saves of several blocks wait for each other, what drains competes with them for bandwidth,
 * and CPI changes. Trace and statistics have what was estimated beside what came of it.
 *
 * Chosen: of equal ones the first in this table. What earlier flushes of the block have lost counts
 * as lost by the next: an SM that is taken again and again flushes a young block each time, and it
 * would lose a multiple of what switches cost. So it loses twice that at most, where switches meet
 * the deadline; else flushes_most bounds it. A block that was to drain and is late is chosen
 * for again among the other two (exec/leave.c), so a wrong estimate, or a block that never ends,
 * cannot keep an SM.
 */
#include "common.h"

static const struct vgpu_preemption *const ways[] = {
	&vgpu_preemption_drain,
	&vgpu_preemption_switch,
	&vgpu_preemption_flush,
};

#define WAYS	(sizeof(ways) / sizeof(*ways))

/** struct choice - a way for a block, and all work that would be lost then */
struct choice {
	const struct vgpu_preemption *way;
	struct vgpu_preemption_estimate estimate;
	u64 loss;
};

static void look_at(struct vgpu_exec *exec, const struct vgpu_block *block, struct choice *choice)
{
	const struct vgpu_preemption_estimate *estimate = &choice->estimate;

	choice->way->estimate_block(exec, block, &choice->estimate);
	choice->loss = estimate->cost + estimate->lost;
	if (choice->way->leave == VGPU_LEAVE_FLUSH)
		choice->loss += vgpu_exec_block_lost(exec, block);
}

/* Is @a better than @b? */
static bool better(const struct choice *a, const struct choice *b, u64 deadline)
{
	bool a_meets = a->estimate.latency <= deadline, b_meets = b->estimate.latency <= deadline;

	if (a_meets != b_meets)
		return a_meets;
	if (!a_meets && a->estimate.latency != b->estimate.latency)
		return a->estimate.latency < b->estimate.latency;
	return a->loss < b->loss;
}

static enum vgpu_leave chimera_choose(struct vgpu_exec *exec, const struct vgpu_block *block,
				      bool late, struct vgpu_preemption_estimate *estimate)
{
	u64 deadline = vgpu_exec_config(exec)->deadline_ps;
	struct choice best = {};

	for (u32 n = 0; n < WAYS; n++) {
		struct choice one = { .way = ways[n] };

		if (late && one.way->leave == VGPU_LEAVE_DRAIN)
			continue;
		look_at(exec, block, &one);
		/* it can always be saved, though nobody may know how long that takes */
		if (one.estimate.latency == VGPU_NEVER && one.way->leave != VGPU_LEAVE_SAVE)
			continue;
		if (!best.way || better(&one, &best, deadline))
			best = one;
	}
	*estimate = best.estimate;
	return best.way->leave;
}

static void chimera_estimate(struct vgpu_exec *exec, u32 sm,
			     struct vgpu_preemption_estimate *estimate)
{
	vgpu_exec_estimate_blocks(exec, sm, chimera_choose, estimate);
}

const struct vgpu_preemption vgpu_preemption_chimera = {
	.name = "chimera",
	.begin = vgpu_exec_leave_blocks,
	.estimate = chimera_estimate,
	.choose = chimera_choose,
};
