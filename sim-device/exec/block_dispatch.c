// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Single blocks come to shared SMs and leave them (SMK 5.1, figure 3): dispatch, eviction by a
 * partial context switch, and who gets the room. See residents.c.
 */
#include "residents.h"

/* ---- blocks come -------------------------------------------------------- */

static void setup_fire(struct vgpu_event *event)
{
	struct vgpu_sharer *resident =
		vgpu_container_of(event, struct vgpu_sharer, setup.event);
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_exec *exec = smst->exec;
	u32 sm = vgpu_smst_number(smst);

	while (resident->claimed) {
		resident->claimed--;
		if (!vgpu_sm_driver_give(exec, sm, resident->ksr)) {
			/* its context ends */
			resident->claimed++;
			break;
		}
	}
	vgpu_sm_driver_update(exec, sm);
}

/* The SM has nothing: its last block may have left just now. */
static void wake(struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	if (smst->state == VGPU_SM_IDLE) {
		exec->idle[sm / 64] &= ~(1ull << (sm % 64));
		exec->idle_count--;
	}
	vgpu_account_sm(exec, sm, VGPU_SM_SETUP);
	smst->shared_config = ksr->shared_config;
	vgpu_sm_share(&exec->sms[sm], &ksr->launch, exec->config->kernels_per_sm);
}

/* One block more of @resident takes its part. */
static void take_part(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_ksr *ksr = resident->ksr;
	bool held = vgpu_residents_hold(smst, ksr->ctx);
	u32 sm = vgpu_smst_number(smst);

	if (!smst->used.blocks)
		wake(exec, sm, ksr);
	else
		vgpu_account_residents(exec, sm);
	resident->turns = 0;
	if (!resident->blocks++ && !ksr->sms++ && ksr->started)
		vgpu_exec_runs(exec, ksr);
	vgpu_sharer_count_holder(exec, resident, held);
	vgpu_resources_add(&smst->used, &ksr->needs, 1);
	ksr->unclaimed--;
	vgpu_runqueue_kernel(exec, ksr);
}

/* The SM is set up for @resident; the trace has what one of its blocks takes. */
static void trace_setup(struct vgpu_exec *exec, const struct vgpu_sharer *resident)
{
	const struct vgpu_resources *needs = &resident->ksr->needs;
	u32 sm = vgpu_smst_number(resident->smst);
	struct vgpu_resources all;

	vgpu_exec_sm_resources(exec, sm, &all);
	vgpu_trace_kernel(exec, VGPU_TRACE_SM_SETUP, resident->ksr, sm,
			  vgpu_resources_share(needs, &all) | needs->threads / 32 << 40,
			  needs->registers << 32 | needs->shared_bytes);
}

/* What @resident has claimed waits for @time longer: its room is in use. */
static void wait_for_room(struct vgpu_exec *exec, struct vgpu_sharer *resident, u64 time)
{
	struct vgpu_event *event = &resident->setup.event;
	u64 before = vgpu_event_pending(event) ? vgpu_event_time(event) : exec->sim->now;

	vgpu_event_cancel(exec->sim, event);
	event->fire = setup_fire;
	vgpu_event_at(exec->sim, event, vgpu_time_add(before, time));
}

/* @resident, of whose kernel a block is to be issued, gets one. */
static void give_block(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	u32 sm = vgpu_smst_number(resident->smst);

	take_part(exec, resident);
	if (resident->blocks == 1) {
		trace_setup(exec, resident);
		resident->setup.event.fire = setup_fire;
		vgpu_event_in_row(exec->sim, &resident->setup, exec->config->sm_setup_ps);
	}
	resident->claimed++;
	if (unlikely(resident->smst->in_place)) {
		u64 moves = vgpu_checkpoint_make_room_beside(exec, resident->smst);

		if (moves)
			wait_for_room(exec, resident, moves);
	}
	if (vgpu_event_pending(&resident->setup.event))
		return;
	if (vgpu_sm_driver_give(exec, sm, resident->ksr))
		resident->claimed--;
	vgpu_sm_driver_update(exec, sm);
}

/* One block of @resident's kernel comes when there is room. */
static void add_promise(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	bool held = vgpu_residents_hold(resident->smst, resident->ksr->ctx);

	resident->coming++;
	resident->ksr->coming++;
	vgpu_sharer_count_holder(exec, resident, held);
	vgpu_resources_add(&resident->smst->coming_part, &resident->ksr->needs, 1);
}

/* A trial: it has the room, and does not come. */
static void try_give(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_smst *smst = resident->smst;

	if (!smst->used.blocks && !smst->coming_part.blocks)
		smst->shared_config = resident->ksr->shared_config;
	add_promise(exec, resident);
}

void vgpu_exec_dispatch(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_sharer *resident;

	if (!VGPU_DECISION(exec, sm < exec->config->sms && ksr && exec->policy->by_block &&
				 vgpu_exec_has_blocks(ksr) && vgpu_exec_fits(exec, sm, ksr) &&
				 !exec->outside.wrong, sm,
			   "it dispatches a block that there is not, or where it does not fit")) {
		if (!exec->outside.selected)
			vgpu_exec_broken(ksr);
		return;
	}
	resident = vgpu_sharer_get(&exec->smst[sm], ksr);
	ksr->decided++;
	if (unlikely(exec->trial))
		try_give(exec, resident);
	else
		give_block(exec, resident);
}

/* ---- blocks leave ------------------------------------------------------- */

/* A block of @resident gives its part back. */
void vgpu_sharer_leave(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_ksr *ksr = resident->ksr;

	vgpu_account_residents(exec, vgpu_smst_number(smst));
	vgpu_resources_sub(&smst->used, &ksr->needs, 1);
	if (!--resident->blocks) {
		vgpu_event_cancel(exec->sim, &resident->setup.event);
		if (!--ksr->sms && ksr->started)
			vgpu_exec_stops(exec, ksr);
	}
	vgpu_sharer_count_holder(exec, resident, true);
	vgpu_sharer_put(resident);
}

static void tell_to_leave(struct vgpu_sharer *resident)
{
	resident->leaving++;
	resident->ksr->decided--;
	vgpu_resources_add(&resident->smst->leaving_part, &resident->ksr->needs, 1);
}

void vgpu_sharer_has_left(struct vgpu_sharer *resident)
{
	resident->leaving--;
	vgpu_resources_sub(&resident->smst->leaving_part, &resident->ksr->needs, 1);
}

/* @resident's kernel gets what was promised to it, or does without. */
void vgpu_sharer_end_promise(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	resident->coming--;
	resident->ksr->coming--;
	vgpu_sharer_count_holder(exec, resident, true);
	vgpu_resources_sub(&resident->smst->coming_part, &resident->ksr->needs, 1);
}

void vgpu_sharer_drop_promises(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	while (resident->coming) {
		vgpu_sharer_end_promise(exec, resident);
		resident->ksr->decided--;
	}
}

/* The first of @smst that has been promised room, and has it now; NULL: none has. */
static struct vgpu_sharer *first_with_room(const struct vgpu_exec *exec,
					     const struct vgpu_smst *smst)
{
	struct vgpu_sharer *resident;
	struct vgpu_resources all;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node) {
		if (!resident->coming || !vgpu_sharer_may_come(exec, smst, resident))
			continue;
		all = vgpu_smst_resources(exec, smst, smst->used.blocks, resident->ksr);
		if (vgpu_resources_fit(&smst->used, &resident->ksr->needs, &all))
			return resident;
	}
	return NULL;
}

static void keep_promises(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	struct vgpu_sharer *resident;

	while ((resident = first_with_room(exec, smst))) {
		struct vgpu_ksr *ksr = resident->ksr;

		vgpu_sharer_end_promise(exec, resident);
		if (ksr->unclaimed && exec->policy->by_block) {
			give_block(exec, resident);
			continue;
		}
		/* another SM has had its last block */
		ksr->decided--;
		vgpu_sharer_put(resident);
	}
}

static void fall_idle(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_account_sm(exec, sm, VGPU_SM_IDLE);
	vgpu_event_cancel(exec->sim, &smst->move);
	vgpu_event_cancel(exec->sim, &smst->preempt);
	vgpu_exec_unwatch(exec, sm);
	smst->announcer = 0;
	vgpu_leave_over(smst);
	exec->idle[sm / 64] |= 1ull << (sm % 64);
	exec->idle_count++;
}

/* Everything of a shared SM but the policy: it may be idle now. */
void vgpu_residents_fill(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	/* one that the policy before has not left yet may have partitions already */
	if (smst->ksr)
		return;
	keep_promises(exec, smst);
	if (smst->state == VGPU_SM_IDLE)
		return;
	if (smst->used.blocks)
		vgpu_sm_driver_update(exec, sm);
	else
		fall_idle(exec, sm);
}

/* A block that has not begun to be restored is in the PTBQ again. false: there is none. */
static bool unrestore(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	const struct vgpu_block *moves = vgpu_sharer_restoring(resident);
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_block *block, *found = NULL;

	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node)
		if (block->state == VGPU_BLOCK_RESTORING &&
		    block->launch == &resident->ksr->launch && block != moves)
			found = block;
	if (!found)
		return false;
	vgpu_list_del(&found->node);
	found->state = VGPU_BLOCK_PREEMPTED;
	smst->restoring--;
	vgpu_account_blocks(exec, resident->ksr, VGPU_BLOCK_RESTORING, VGPU_BLOCK_PREEMPTED, 1);
	vgpu_list_add(&found->node, &resident->ksr->ptbq);
	return true;
}

/* Blocks that have not begun go back to their kernel at once. */
static bool take_back(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_ksr *ksr = resident->ksr;

	if (resident->claimed)
		resident->claimed--;
	else if (!unrestore(exec, resident))
		return false;
	ksr->decided--;
	ksr->unclaimed++;
	vgpu_runqueue_kernel(exec, ksr);
	vgpu_sharer_leave(exec, resident);
	return true;
}

/* The block of @ksr on @hw that came last and may be told to leave; NULL: none. */
static struct vgpu_block *newest(const struct vgpu_sm *hw, const struct vgpu_ksr *ksr)
{
	struct vgpu_block *block, *found = NULL;

	vgpu_list_for_each(block, &hw->resident, struct vgpu_block, node)
		if (block->launch == &ksr->launch && block->state == VGPU_BLOCK_RUNNING &&
		    !block->leave)
			found = block;
	return found;
}

bool vgpu_residents_evict(struct vgpu_exec *exec, struct vgpu_block *block, bool by_choice)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	u32 sm = block->sm->index;

	vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_EVICT,
			  vgpu_block_index(block));
	tell_to_leave(vgpu_sharer_find(&exec->smst[sm], ksr));
	return vgpu_leave_shared(exec, block, by_choice);
}

int vgpu_residents_evict_newest(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr,
				bool by_choice)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident = vgpu_sharer_find(smst, ksr);
	struct vgpu_block *block;

	if (!resident)
		return -EBUSY;
	if (unlikely(exec->trial)) {
		if (!vgpu_exec_evictable(exec, sm, ksr))
			return -EBUSY;
		tell_to_leave(resident);
		return 0;
	}
	resident->would_leave -= !!resident->would_leave;
	if (take_back(exec, resident)) {
		vgpu_residents_fill(exec, sm);
		return 0;
	}
	block = unlikely(smst->standing) ? vgpu_base_standing(smst, ksr) : NULL;
	if (block) {
		vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_EVICT,
				  block->index);
		tell_to_leave(resident);
		vgpu_base_leaves(exec, smst, block);
		return 0;
	}
	block = newest(&exec->sms[sm], ksr);
	if (!block)
		return -EBUSY;
	if (vgpu_residents_evict(exec, block, by_choice))
		vgpu_residents_fill(exec, sm);
	return 0;
}

int vgpu_exec_evict(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	if (!VGPU_DECISION(exec, sm < exec->config->sms && ksr && !exec->outside.wrong, sm,
			   "it evicts a block from an SM that there is not, or of no kernel"))
		return -EINVAL;
	return vgpu_residents_evict_newest(exec, sm, ksr, true);
}

int vgpu_exec_replace(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *victim, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident;
	u32 count;

	if (!VGPU_DECISION(exec, sm < exec->config->sms && victim && ksr &&
				 exec->policy->by_block && !exec->outside.wrong, sm,
			   "it replaces blocks on an SM that there is not, or of or by no kernel"))
		return -EINVAL;
	count = vgpu_exec_in_the_way(exec, sm, victim, ksr);
	if (!count)
		return -EBUSY;
	vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_REPLACE,
			  victim->launch.id);
	resident = vgpu_sharer_get(smst, ksr);
	ksr->decided++;
	add_promise(exec, resident);
	while (count--)
		if (vgpu_exec_evict(exec, sm, victim))
			break;
	return 0;
}

void vgpu_residents_settle(struct vgpu_exec *exec, u32 sm)
{
	vgpu_residents_fill(exec, sm);
	vgpu_exec_schedule(exec);
}

void vgpu_residents_left(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block, u64 told)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	struct vgpu_sharer *resident = vgpu_sharer_find(&exec->smst[sm], ksr);

	vgpu_account_preemption(exec, ksr, sm, told);
	exec->ops->preempted(exec->owner, ksr->ctx->sched.id, sm, told);
	vgpu_sharer_has_left(resident);
	vgpu_sharer_leave(exec, resident);
}

void vgpu_residents_done(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	struct vgpu_sharer *resident = vgpu_sharer_find(&exec->smst[sm], ksr);

	/* it was told to leave, and ended before it could */
	if (block->leave)
		vgpu_sharer_has_left(resident);
	else
		ksr->decided--;
	vgpu_block_put(exec, block);
	vgpu_sharer_leave(exec, resident);
	if (ksr->ended == ksr->launch.blocks)
		vgpu_exec_finish(exec, ksr);
	vgpu_residents_settle(exec, sm);
}
