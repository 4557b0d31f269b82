// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The SM driver (Tanasic 2.3, figure 5.2): it sets an SM up for a kernel, issues thread blocks
 * until the SM is fully occupied, and issues another whenever one ends; preempted blocks come
 * before new ones (5.2.3), but of cooperative kernels (rotate.c). A reserved SM gets no more
 * blocks: when the last has left, it is set up for the kernel that reserved it.
 *
 * What an SM will issue after its setup is claimed when the setup begins. A kernel with few blocks
 * so takes as many SMs as it can fill, and the next kernel gets the others at once. With
 * block_placement=breadth an SM claims one block then, and gets others beside the kernel's other
 * SMs (spread.c).
 *
 * A block that ends goes one way: counted, its place claimed for the next block, or the SM empty;
 * an empty SM goes to who reserved it, its kernel completes if that was its last block, and the
 * policy is asked, once, at the end.
 */
#include "../sim/work.h"
#include "children/children.h"
#include "exec.h"

/* SM @sm has nothing any more; the policy is not asked yet. */
static void release_sm(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_ksr *ksr = smst->ksr;

	vgpu_account_sm(exec, sm, VGPU_SM_IDLE);
	vgpu_event_cancel(exec->sim, &smst->preempt);
	vgpu_event_cancel(exec->sim, &smst->move);
	if (unlikely(hw->moving))
		vgpu_sm_stop_move(hw);
	vgpu_event_cancel(exec->sim, &smst->local);
	hw->halted = false;
	if (unlikely(smst->room))
		vgpu_spread_end(exec, sm);
	if (!--ksr->sms && ksr->started)
		vgpu_exec_stops(exec, ksr);
	exec->leaving_count -= smst->leaving;
	if (unlikely(exec->checkpointing | exec->watched)) {
		vgpu_checkpoint_over(exec, smst);
		vgpu_exec_unwatch(exec, sm);
	}
	vgpu_event_cancel(exec->sim, &smst->look);
	smst->ksr = NULL;
	smst->leaving = false;
	smst->stalled = false;
	smst->draining = false;
	smst->switched = false;
	smst->announcer = 0;
	smst->standing = 0;
	vgpu_leave_over(smst);
	smst->turn = VGPU_NEVER;
	vgpu_runqueue_sm(exec, sm);
	exec->idle[sm / 64] |= 1ull << (sm % 64);
	exec->idle_count++;
}

/* End the reservation of @sm. Returns the kernel that it was for, NULL: none. */
static struct vgpu_ksr *end_reservation(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_ksr *next = exec->smst[sm].next;

	if (next)
		vgpu_exec_set_next(exec, sm, NULL);
	return next;
}

static void report_preemption(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *from, u64 requested)
{
	vgpu_trace_kernel(exec, VGPU_TRACE_PREEMPT_END, from, sm, requested, 0);
	vgpu_account_preemption(exec, from, sm, requested);
	exec->ops->preempted(exec->owner, from->ctx->sched.id, sm, requested);
}

/* Idle @sm goes to @next if that can use it. A kernel that is being aborted has none. */
static void hand_over(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *next)
{
	if (next && next->unclaimed)
		vgpu_sm_driver_setup(exec, sm, next);
}

/* Shared SM @sm has nothing but kernels it is being set up for. */
static bool is_set_up(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];

	return !exec->sms[sm].resident_count && !smst->saving && !smst->restoring;
}

void vgpu_sm_driver_update(struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	enum vgpu_sm_state state;

	if (vgpu_event_pending(&smst->setup.event) ||
	    (vgpu_smst_is_shared(smst) && is_set_up(exec, sm)))
		state = VGPU_SM_SETUP;
	else if (exec->sms[sm].resident_count)
		state = smst->leaving ? VGPU_SM_RESERVED : VGPU_SM_RUNNING;
	else if (smst->saving)
		state = VGPU_SM_SAVING;
	else if (smst->restoring || smst->off_count)
		state = VGPU_SM_RESTORING;
	else
		state = VGPU_SM_RUNNING;
	if (state != smst->state)
		vgpu_account_sm(exec, sm, state);
}

/* ---- setup and issue ---------------------------------------------------- */

/* The kernel's name: as many records as it takes. */
static void trace_name(const struct vgpu_trace *trace, u32 context, u32 kernel, const char *name)
{
	u32 bytes = 0;
	u32 at;

	while (bytes < VGPU_TRACE_NAME_BYTES && name[bytes])
		bytes++;
	for (at = 0; at < bytes; at += VGPU_TRACE_NAME_PIECE) {
		u32 left = bytes - at;
		u64 piece[3] = {};

		memcpy(piece, name + at, left < sizeof(piece) ? left : sizeof(piece));
		vgpu_trace_emit(trace, &(struct vgpu_trace_record){ .type = VGPU_TRACE_KERNEL_NAME,
								    .sm = VGPU_NO_SM,
								    .context = context,
								    .queue = at,
								    .kernel = kernel,
								    .seq = piece[0],
								    .a = piece[1],
								    .b = piece[2] });
	}
}

static void start_kernel(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	ksr->started = true;
	vgpu_exec_runs(exec, ksr);
	vgpu_trace_kernel(exec, VGPU_TRACE_KERNEL_START, ksr, VGPU_NO_SM, ksr->launch.blocks,
			  (u64)ksr->launch.module << 32 | ksr->launch.kernel_index);
	if (ksr->launch.kernel && unlikely(exec->trace->on))
		trace_name(exec->trace, ksr->ctx->sched.id, ksr->launch.id,
			   ksr->launch.kernel->name);
}

/* The next new block of @ksr. @spare is a struct to use for it, or NULL. NULL: no memory. */
static struct vgpu_block *new_block(struct vgpu_exec *exec, struct vgpu_ksr *ksr,
				    struct vgpu_block *spare)
{
	struct vgpu_block *block = spare ? spare : vgpu_block_get(exec, &ksr->launch);

	if (unlikely(!block))
		return NULL;
	block->index = ksr->next_block++;
	block->sm = NULL;
	block->state = VGPU_BLOCK_RUNNING;
	block->dropped = false;
	block->throttled = false;
	block->checkpoint = 0;
	block->leave = VGPU_LEAVE_NONE;
	block->flushes = 0;
	block->stopping = false;
	block->remaining_ps = 0;
	block->warps = NULL;
	return block;
}

/* Issue @block, which was dropped, to @sm: it runs from its start. false: no memory for it. */
static bool issue_again(struct vgpu_exec *exec, struct vgpu_sm *sm, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);

	vgpu_list_del(&block->node);
	block->state = VGPU_BLOCK_RUNNING;
	block->dropped = false;
	if (unlikely(vgpu_sm_issue(sm, block))) {
		vgpu_exec_drain_states(ksr->ctx);
		if (vgpu_sm_issue(sm, block)) {
			block->state = VGPU_BLOCK_PREEMPTED;
			block->dropped = true;
			vgpu_list_add(&block->node, &ksr->ptbq);
			return false;
		}
	}
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_PREEMPTED, VGPU_BLOCK_RUNNING, 1);
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_RESUME, ksr, sm->index, block->index, block->slot);
	if (unlikely(exec->watched))
		vgpu_checkpoint_came(exec, sm->index, block);
	return true;
}

/* Issue one block that has been claimed, a preempted one first. false: no memory for a new one. */
static bool issue_block(struct vgpu_exec *exec, struct vgpu_sm *sm, struct vgpu_ksr *ksr,
			struct vgpu_block *spare)
{
	struct vgpu_block *block;
	bool failed;

	if (unlikely(!vgpu_list_empty(&ksr->ptbq)) && !vgpu_ksr_new_first(ksr)) {
		if (spare)
			vgpu_block_put(exec, spare);
		block = vgpu_list_first(&ksr->ptbq, struct vgpu_block, node);
		if (block->dropped)
			return issue_again(exec, sm, block);
		vgpu_exec_restore(exec, sm->index, ksr);
		return true;
	}
	block = new_block(exec, ksr, spare);
	failed = !block || vgpu_sm_issue(sm, block);
	if (unlikely(block && failed)) {
		/* What its context keeps for later, on any SM, may be what it lacks now. */
		vgpu_exec_drain_states(ksr->ctx);
		failed = vgpu_sm_issue(sm, block);
	}
	if (unlikely(failed)) {
		if (block) {
			vgpu_block_release(block);
			vgpu_block_put(exec, block);
			ksr->next_block--;
		}
		return false;
	}
	if (unlikely(!ksr->started))
		start_kernel(exec, ksr);
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_NONE, VGPU_BLOCK_RUNNING, 1);
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_START, ksr, sm->index, block->index, block->slot);
	if (unlikely(exec->watched))
		vgpu_checkpoint_came(exec, sm->index, block);
	return true;
}

/* The same; where there is no memory the context will end. */
static bool issue(struct vgpu_exec *exec, struct vgpu_sm *sm, struct vgpu_ksr *ksr,
		  struct vgpu_block *spare)
{
	struct vgpu_fault fault;

	if (likely(issue_block(exec, sm, ksr, spare)))
		return true;
	fault = vgpu_exec_fault_of(ksr, VGPU_FAULT_NO_MEMORY);
	exec->ops->fault(ksr->ctx, &fault);
	return false;
}

void vgpu_sm_driver_resume(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	int err;

	block->state = VGPU_BLOCK_RUNNING;
	if (!exec->smst[sm].ksr)
		vgpu_block_count_again(block);
	/* It has its memory already, and a slot was kept for it. */
	err = vgpu_sm_issue(&exec->sms[sm], block);
	if (!VGPU_CHECK(!err))
		vgpu_exec_broken(ksr);
	else if (unlikely(exec->watched))
		vgpu_checkpoint_came(exec, sm, block);
	vgpu_sm_driver_update(exec, sm);
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_RESUME, ksr, sm, block->index, block->slot);
}

static void setup_fire(struct vgpu_event *event)
{
	struct vgpu_smst *smst = vgpu_container_of(event, struct vgpu_smst, setup.event);
	struct vgpu_exec *exec = smst->exec;
	u32 sm = vgpu_smst_number(smst);
	struct vgpu_sm *hw = &exec->sms[sm];
	u32 count = smst->claimed;

	vgpu_sm_setup(hw, &smst->ksr->launch);
	smst->claimed = 0;
	/* The watchdog, which the first starts, comes between the first and the others. */
	if (count && issue(exec, hw, smst->ksr, NULL) && --count) {
		vgpu_profiled_begin(hw);
		while (count-- && issue(exec, hw, smst->ksr, NULL))
			;
		vgpu_profiled_end(hw);
	}
	if (likely(hw->resident_count && !smst->leaving))
		vgpu_account_sm(exec, sm, VGPU_SM_RUNNING);
	else
		vgpu_sm_driver_update(exec, sm);
	if (smst->room)
		vgpu_spread_soon(exec);
}

void vgpu_sm_driver_setup(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_account_sm(exec, sm, VGPU_SM_SETUP);
	exec->idle[sm / 64] &= ~(1ull << (sm % 64));
	exec->idle_count--;
	smst->ksr = ksr;
	smst->turns = 0;
	vgpu_runqueue_sm(exec, sm);
	if (!ksr->sms++ && unlikely(ksr->started))
		vgpu_exec_runs(exec, ksr);
	smst->claimed = ksr->unclaimed < ksr->occupancy ? (u32)ksr->unclaimed : ksr->occupancy;
	if (exec->breadth && smst->claimed)
		vgpu_spread_setup(exec, sm);
	ksr->unclaimed -= smst->claimed;
	vgpu_runqueue_kernel(exec, ksr);
	vgpu_trace_kernel(exec, VGPU_TRACE_SM_SETUP, ksr, sm, 0, 0);
	smst->setup.event.fire = setup_fire;
	if (unlikely(smst->in_place)) {
		u64 moves = vgpu_checkpoint_make_room(exec, smst, ksr);

		if (moves) {
			vgpu_event_after(exec->sim, &smst->setup.event,
					 vgpu_time_add(moves, exec->config->sm_setup_ps));
			return;
		}
	}
	vgpu_event_in_row(exec->sim, &smst->setup, exec->config->sm_setup_ps);
}

void vgpu_sm_driver_unset(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *next)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_event_cancel(exec->sim, &smst->setup.event);
	vgpu_sm_driver_unclaim(exec, sm);
	release_sm(exec, sm);
	hand_over(exec, sm, next);
}

/* ---- a block ends ------------------------------------------------------- */

void vgpu_sm_driver_empty(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_ksr *next = end_reservation(exec, sm);
	struct vgpu_ksr *ksr = smst->ksr;
	bool finished;

	if (smst->leaving)
		report_preemption(exec, sm, ksr, smst->requested);
	release_sm(exec, sm);
	/* First the kernel it is reserved for, then the policy. */
	hand_over(exec, sm, next);
	finished = ksr->ended == ksr->launch.blocks;
	if (finished)
		vgpu_exec_finish(exec, ksr);
	/*
	 * Where the SM went to who had reserved it, nothing is free that was not. But its kernel
	 * may have blocks to issue again, and an SM that nobody could use may serve it.
	 */
	if (finished || smst->state == VGPU_SM_IDLE ||
	    (exec->idle_count && vgpu_exec_issuable(exec)))
		vgpu_exec_schedule(exec);
	else if (exec->policy->next_change)
		vgpu_turn_update(exec);
}

/* Block @index of @ksr, in @slot, has ended. */
static void count_end(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr, u64 index, u32 slot)
{
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_END, ksr, sm, index, slot);
	ksr->ctx->ended_blocks++;
	ksr->ended++;
	vgpu_work_add(ksr->ctx->work, VGPU_WORK_BLOCK);
	if (unlikely(ksr->launch.kernel && ksr->launch.kernel->launch_pool))
		vgpu_children_take(exec, ksr);
}

/* Claim one block of @ksr for @sm, where one has just ended. A reserved SM gets none. */
static bool claim(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	/* With many SMs the entry of this one is not in the cache, and nearly never one leaves. */
	if (!ksr->unclaimed || (unlikely(exec->leaving_count | exec->checkpointing) &&
				(exec->smst[sm].leaving || exec->smst[sm].checkpointing)))
		return false;
	if (--ksr->unclaimed <= ksr->promised + ksr->room)
		vgpu_runqueue_kernel(exec, ksr);
	return true;
}

bool vgpu_sm_driver_claim(struct vgpu_exec *exec, u32 sm)
{
	return claim(exec, sm, exec->smst[sm].ksr);
}

void vgpu_sm_driver_unclaim(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	smst->ksr->unclaimed += smst->claimed;
	smst->claimed = 0;
	vgpu_runqueue_kernel(exec, smst->ksr);
}

bool vgpu_sm_driver_issue(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_ksr *ksr = exec->smst[sm].ksr;

	/* An extra block is no reason to end: it is left for later. */
	if (!vgpu_smst_places(exec, sm) && !exec->smst[sm].off_count)
		return issue(exec, &exec->sms[sm], ksr, NULL);
	if (issue_block(exec, &exec->sms[sm], ksr, NULL))
		return true;
	ksr->unclaimed++;
	vgpu_runqueue_kernel(exec, ksr);
	return false;
}

bool vgpu_sm_driver_give(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	return issue(exec, &exec->sms[sm], ksr, NULL);
}

/* May blocks of @launch leave @sm while they wait? */
static bool switches(const struct vgpu_exec *exec, u32 sm, const struct vgpu_launch *launch)
{
	/* those of profiled kernels have no place to go back to */
	return launch->kernel && unlikely(vgpu_smst_switches(exec, &exec->smst[sm]));
}

/* A policy by block decides what comes to the place of a block, unless there is no choice. */
static bool decides(const struct vgpu_exec *exec, u32 sm)
{
	return !exec->smst[sm].ksr &&
	       (!exec->policy->by_block || exec->active_count > 1 ||
		vgpu_pqueue_count(&exec->waiting));
}

/* It matters which block ends on @sm, or which comes. */
static bool is_looked_at(const struct vgpu_exec *exec, u32 sm)
{
	/* what is known of the one that ends is over, what comes is looked at and counted */
	if (exec->bases || exec->watched || exec->counted)
		return true;
	return exec->residents && (decides(exec, sm) || exec->smst[sm].drains);
}

static bool block_followed(void *engine, u32 sm, struct vgpu_launch *launch, u32 slot, u64 *index)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(launch);
	struct vgpu_exec *exec = engine;

	if (!ksr->unclaimed || (unlikely(exec->residents | exec->bases | exec->watched |
					 exec->counted) &&
				is_looked_at(exec, sm)))
		return false;
	if (!vgpu_list_empty(&ksr->ptbq) || switches(exec, sm, launch) || !claim(exec, sm, ksr))
		return false;
	count_end(exec, sm, ksr, *index, slot);
	*index = ksr->next_block++;
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_START, ksr, sm, *index, slot);
	return true;
}

/* A block of @sm has ended, and another may have come in its place. */
static void settle(struct vgpu_exec *exec, struct vgpu_sm *sm, struct vgpu_smst *smst)
{
	if (sm->resident_count)
		return;
	if (likely(!smst->saving && !smst->restoring && !smst->off_count)) {
		vgpu_sm_driver_empty(exec, sm->index);
		return;
	}
	/* A reserved SM has nothing more to preempt; it is empty when its moves have ended. */
	vgpu_event_cancel(exec->sim, &smst->preempt);
	smst->draining = false;
	/* ... nor has one that was about to make a base checkpoint anything to save */
	if (unlikely(smst->checkpointing) && !smst->standing && !smst->leaving)
		vgpu_checkpoint_resume(exec, sm->index);
	vgpu_sm_driver_update(exec, sm->index);
}

/* @block, which was told to leave or of which something was saved, has ended by itself. */
static void forget(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block)
{
	if (block->leave)
		vgpu_leave_ended(exec, sm, block);
	if (block->checkpoint)
		vgpu_checkpoint_drop(exec, block);
}

static void block_done(struct vgpu_sm *sm, struct vgpu_block *block)
{
	struct vgpu_exec *exec = sm->env->engine;
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	struct vgpu_smst *smst = &exec->smst[sm->index];
	bool others;

	count_end(exec, sm->index, ksr, block->index, block->slot);
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_RUNNING, VGPU_BLOCK_NONE, 1);
	if (unlikely(block->leave | block->checkpoint))
		forget(exec, sm->index, block);
	if (unlikely(vgpu_smst_is_shared(smst))) {
		vgpu_account_block(block);
		vgpu_block_release(block);
		vgpu_residents_done(exec, sm->index, block);
		return;
	}
	vgpu_block_release(block);
	others = unlikely(vgpu_smst_switches(exec, smst)) && !smst->leaving;
	if (!others && claim(exec, sm->index, ksr)) {
		issue(exec, sm, ksr, block);
		if (unlikely(!sm->resident_count))
			vgpu_sm_driver_update(exec, sm->index);
		return;
	}
	vgpu_block_put(exec, block);
	if (unlikely(others))
		vgpu_block_switch(exec, sm->index);
	settle(exec, sm, smst);
}

static void block_fault(struct vgpu_sm *sm, struct vgpu_block *block, struct vgpu_fault *fault)
{
	struct vgpu_exec *exec = sm->env->engine;
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);

	fault->queue = ksr->job->queue;
	fault->seq = ksr->job->seq;
	fault->module = ksr->launch.module;
	fault->kernel = ksr->launch.kernel_index;
	exec->ops->fault(ksr->ctx, fault);
}

static void block_stopped(struct vgpu_sm *sm, struct vgpu_block *block)
{
	vgpu_exec_block_stopped(sm->env->engine, block);
}

static void sm_quiet(struct vgpu_sm *sm)
{
	struct vgpu_exec *exec = sm->env->engine;

	if (exec->smst[sm->index].draining)
		vgpu_exec_at_time(exec, sm->index, exec->sim->now, vgpu_exec_save);
}

static void blocks_wait(struct vgpu_sm *sm)
{
	struct vgpu_exec *exec = sm->env->engine;

	if (vgpu_smst_switches(exec, &exec->smst[sm->index])) {
		vgpu_block_switch(exec, sm->index);
		vgpu_sm_driver_update(exec, sm->index);
	}
}

static void block_ready(struct vgpu_sm *sm, struct vgpu_block *block)
{
	struct vgpu_exec *exec = sm->env->engine;
	const struct vgpu_smst *smst = &exec->smst[sm->index];

	if (smst->stalled)
		vgpu_exec_at_time(exec, sm->index, exec->sim->now, vgpu_exec_save);
	else if (block->state == VGPU_BLOCK_PREEMPTED && vgpu_smst_switches(exec, smst))
		vgpu_block_switch_soon(exec, sm->index);
}

static void moved(struct vgpu_sm *sm)
{
	vgpu_exec_moved(sm->env->engine, sm->index);
}

static bool undisturbed(void *engine)
{
	const struct vgpu_exec *exec = engine;

	return exec->active_count == 1 &&
	       (!vgpu_pqueue_count(&exec->waiting) || exec->policy->takes_idle) &&
	       !exec->leaving_count && !exec->checkpointing && !exec->bases && !exec->watched &&
	       !exec->policy->by_block;
}

const struct vgpu_sm_ops vgpu_sm_driver_ops = {
	.block_done = block_done,
	.block_followed = block_followed,
	.block_fault = block_fault,
	.block_stopped = block_stopped,
	.sm_quiet = sm_quiet,
	.blocks_wait = blocks_wait,
	.block_ready = block_ready,
	.moved = moved,
	.undisturbed = undisturbed,
};

/* ---- stopping ----------------------------------------------------------- */

void vgpu_sm_driver_stop(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_ksr *next = end_reservation(exec, sm);
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_block *block;

	vgpu_event_cancel(exec->sim, &smst->setup.event);
	smst->claimed = 0;
	while ((block = vgpu_sm_first(hw))) {
		vgpu_sm_detach(hw, block);
		vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_END, smst->ksr, sm, block->index,
				  block->slot);
		vgpu_block_release(block);
		vgpu_block_put(exec, block);
	}
	vgpu_blocks_drop(exec, &smst->moving);
	vgpu_blocks_drop(exec, &smst->off);
	smst->saving = 0;
	smst->restoring = 0;
	smst->off_count = 0;
	smst->batch = 0;
	release_sm(exec, sm);
	hand_over(exec, sm, next);
}
