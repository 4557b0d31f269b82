// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PEP: proactive checkpointing (Li et al., DAC 2018; the thesis, chapter 4). A launch is seen long
 * before it comes: when a process announces one, the SMs that it will take are prepared, and when
 * it comes little is left to be saved. For each of them, at the announcement (3.3, figure 4):
 *
 *	R: until the last of its blocks ends    W: a switch of all that is on it
 *	P: until the launch comes, pep_launch_ps after its announcement
 *
 *	R > P and R > W    base checkpoint now, and the blocks go on; the rest when the launch comes
 *	                   (a). If it comes before the checkpoint has been made, they are off the SM
 *	                   when it has been (b)
 *	else               the blocks drain (c). Whenever another one comes in their place it is
 *	                   looked at again, when that has run for pep_run_instructions (d, e)
 *
 * At the request: an SM whose blocks drain goes on with it if it ends before a switch would, and
 * for no longer than was estimated. All else is switched. In any case no more is saved than has
 * been written, since the base checkpoint if there is one, and what the next kernel leaves free of
 * the SM is used first (pep_in_place). Without an announcement that is all there is to it.
 *
 * A policy that will give SMs to another context at a known time, as at the end of a turn, says so,
 * and that is announced as a launch is, pep_launch_ps before: P is exact then.
 *
 * Chosen: which SMs. Those of contexts that the policy would take SMs from
 * (vgpu_policy.would_take), the least important first, the newest of each; as many as the
 * announced kernel can fill.
 */
#include "common.h"

static void look_at(struct vgpu_exec *exec, u32 sm)
{
	u64 left, launch = vgpu_exec_expected(exec, sm);

	if (launch == VGPU_NEVER) {
		vgpu_exec_unwatch(exec, sm);
		return;
	}
	/* as of those that drain: when another block has come */
	if (!vgpu_exec_can_checkpoint(exec, sm)) {
		vgpu_exec_watch(exec, sm, look_at);
		return;
	}
	left = vgpu_exec_longest_left(exec, sm);
	if (left > launch && left > vgpu_exec_switch_time(exec, sm))
		vgpu_exec_checkpoint(exec, sm, launch);
	else
		vgpu_exec_watch(exec, sm, look_at);
}

/* The same of those blocks of a shared SM that would leave: each for itself. */
static void look_at_blocks(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_block *blocks[VGPU_BLOCKS_MOST];
	u64 left, launch = vgpu_exec_expected(exec, sm), all;
	u32 count;

	if (launch == VGPU_NEVER) {
		vgpu_exec_unwatch(exec, sm);
		return;
	}
	vgpu_exec_longest_left(exec, sm);
	count = vgpu_exec_would_leave(exec, sm, blocks);
	all = vgpu_exec_blocks_switch_time(exec, blocks, count);
	vgpu_exec_watch(exec, sm, look_at_blocks);
	while (count--) {
		left = vgpu_exec_block_left(exec, blocks[count]);
		if (left > launch && left > all &&
		    vgpu_exec_can_checkpoint_block(exec, blocks[count]))
			vgpu_exec_checkpoint_block(exec, blocks[count]);
	}
}

/* Of those less than @below in rank, the context that loses SMs to @by last; NULL: none is left. */
static struct vgpu_sched_context *next_victim(struct vgpu_exec *exec,
					      const struct vgpu_sched_context *by,
					      const struct vgpu_announcement *what,
					      const struct vgpu_sched_context *before, u32 taken)
{
	struct vgpu_sched_context *ctx = NULL, *found = NULL;

	while ((ctx = vgpu_exec_next_context(exec, ctx))) {
		bool behind = !before || ctx->priority > before->priority ||
			      (ctx->priority == before->priority && ctx->id > before->id);

		if (behind && vgpu_exec_would_take(exec, by, what, ctx, taken) &&
		    (!found || ctx->priority < found->priority))
			found = ctx;
	}
	return found;
}

static void pep_announced(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
			  const struct vgpu_announcement *what)
{
	u64 signal = vgpu_exec_time_after(exec, vgpu_exec_config(exec)->pep_signal_ps);
	u64 wanted = vgpu_exec_announced_sms(exec, what);
	struct vgpu_sched_context *from = NULL;
	u32 taken = 0;

	if (vgpu_exec_try(exec, by, what)) {
		for (u32 sm = 0; sm < vgpu_exec_config(exec)->sms; sm++)
			if (vgpu_exec_would_change(exec, sm))
				vgpu_exec_prepare(exec, sm, by, what, signal,
						  look_at_blocks);
		return;
	}
	while (taken < wanted && (from = next_victim(exec, by, what, from, taken))) {
		u32 most = vgpu_exec_would_take(exec, by, what, from, taken);
		int sm = -1;

		while (taken < wanted && most &&
		       (sm = vgpu_exec_next_sm_of(exec, from, sm)) >= 0) {
			vgpu_exec_prepare(exec, (u32)sm, by, what, signal, look_at);
			taken++;
			most--;
		}
	}
}

static void pep_begin(struct vgpu_exec *exec, u32 sm)
{
	u64 left;

	if (vgpu_exec_is_watched(exec, sm) && !vgpu_exec_cooperates(exec, sm)) {
		left = vgpu_exec_longest_left(exec, sm);
		if (left <= vgpu_exec_switch_time(exec, sm)) {
			/* one that ends just then has ended in time */
			vgpu_preemption_at_time(exec, sm, vgpu_exec_time_after(exec, left + 1),
						vgpu_preemption_switch.begin);
			return;
		}
	}
	vgpu_preemption_switch.begin(exec, sm);
}

static void pep_estimate(struct vgpu_exec *exec, u32 sm, struct vgpu_preemption_estimate *estimate)
{
	u64 left;

	vgpu_preemption_switch.estimate(exec, sm, estimate);
	if (!vgpu_exec_is_watched(exec, sm) || vgpu_exec_cooperates(exec, sm))
		return;
	left = vgpu_exec_longest_left(exec, sm);
	if (left <= vgpu_exec_switch_time(exec, sm))
		*estimate = (struct vgpu_preemption_estimate){ .latency = left };
}

/* Of blocks that a policy by block has leave: as pep_begin(), each for itself. */
static enum vgpu_leave pep_choose(struct vgpu_exec *exec, const struct vgpu_block *block, bool late,
				  struct vgpu_preemption_estimate *estimate)
{
	u64 stop = vgpu_exec_block_stop_time(exec, block);
	u64 save = vgpu_exec_block_save_time(exec, block);
	u64 left = vgpu_exec_block_left(exec, block);

	if (!late && vgpu_exec_is_watched(exec, vgpu_exec_sm_of(block)) && left != VGPU_NEVER &&
	    !vgpu_exec_block_cooperates(block) &&
	    (stop == VGPU_NEVER || left <= stop + save)) {
		*estimate = (struct vgpu_preemption_estimate){ .latency = left };
		return VGPU_LEAVE_DRAIN;
	}
	save = vgpu_exec_block_dirty_time(exec, block);
	*estimate = (struct vgpu_preemption_estimate){
		.latency = stop == VGPU_NEVER ? stop : stop + save,
		.cost = 2 * save,
	};
	return VGPU_LEAVE_SAVE;
}

const struct vgpu_preemption vgpu_preemption_pep = {
	.name = "pep",
	.begin = pep_begin,
	.estimate = pep_estimate,
	.choose = pep_choose,
	.dirty = true,
	.announced = pep_announced,
};
