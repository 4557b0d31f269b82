// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Blocks leave an SM one by one.
 *
 * DOC: how a block leaves
 *
 * A block that is to leave before it has ended does so in one of three ways (enum vgpu_leave): it
 * *drains*, which is to run to its end and be followed by none; it is *saved* while its neighbours
 * run (a partial context switch, SMK 5.1); or it is *flushed*: what it has done is dropped, and it
 * runs again from its start, on any SM. That is right only as long as it has done nothing that
 * cannot be repeated (sm/repeat.c), which is looked at when it is dropped and not before.
 *
 * A mechanism with vgpu_preemption.choose says which, for each block: of a reserved SM (all of its
 * blocks leave, and it is handed over when the last one has), or one that a policy by block evicts.
 * Policies by block have blocks saved if the mechanism does not choose.
 *
 * A block that drains may take longer than was estimated, or for ever. So when that estimate and
 * deadline_ps have passed it is chosen for again, and is not left to drain a second time.
 *
 * What was estimated when a block was told is kept (struct vgpu_told) until it has left, for the
 * trace and the accounts.
 */
#include "exec.h"

static struct vgpu_told *told_of(struct vgpu_exec *exec, const struct vgpu_block *block)
{
	return &exec->smst[block->sm->index].told[block->slot];
}

static void trace_leave(struct vgpu_exec *exec, enum vgpu_trace_type type, struct vgpu_ksr *ksr,
			u32 sm, enum vgpu_leave how, u64 index, u64 latency, u64 lost)
{
	if (unlikely(exec->trace->on))
		vgpu_trace_emit(exec->trace,
				&(struct vgpu_trace_record){ .type = (u16)type,
							     .sm = (u16)sm,
							     .context = ksr->ctx->sched.id,
							     .queue = how,
							     .kernel = ksr->launch.id,
							     .seq = index,
							     .a = latency,
							     .b = lost });
}

/* Block @index of @ksr has left @sm as @how; @lost is what that cost. */
static void report_left(struct vgpu_exec *exec, struct vgpu_ksr *ksr, u32 sm, u64 index,
			enum vgpu_leave how, const struct vgpu_told *told, u64 lost)
{
	if (!told->chosen)
		return;
	trace_leave(exec, VGPU_TRACE_LEAVE_END, ksr, sm, how, index, exec->sim->now - told->time,
		    lost);
	vgpu_account_left(exec, ksr, how, told, lost);
}

/* ---- flush -------------------------------------------------------------- */

/* How often @block, on an SM, was dropped. One that has followed another in its slot never was. */
static u32 flushes_of(const struct vgpu_block *block)
{
	return vgpu_block_index(block) == block->index ? block->flushes : 0;
}

/* @block, off its SM, has lost @ran. */
static void count_flush(struct vgpu_exec *exec, struct vgpu_block *block, u64 ran)
{
	struct vgpu_checkpoint *c = vgpu_checkpoint_of(exec, block);

	c->lost = (block->flushes ? c->lost : 0) + ran;
	block->flushes += block->flushes < 255;
}

/* @block is dropped. Its SM may be empty then, and nothing is done about it. */
static void drop(struct vgpu_exec *exec, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	struct vgpu_sm *sm = block->sm;
	struct vgpu_told told = *told_of(exec, block);
	bool shared = !exec->smst[sm->index].ksr;
	u64 ran = vgpu_block_ran(block);

	if (shared)
		vgpu_account_block(block);
	block->stopping = false;
	vgpu_sm_detach(sm, block);
	vgpu_block_restart(block);
	block->state = VGPU_BLOCK_PREEMPTED;
	block->dropped = true;
	if (block->checkpoint)
		vgpu_checkpoint_drop(exec, block);
	count_flush(exec, block, ran);
	vgpu_account_blocks(exec, ksr, VGPU_BLOCK_RUNNING, VGPU_BLOCK_PREEMPTED, 1);
	vgpu_account_flush(ksr, sm->index, ran);
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_FLUSH, ksr, sm->index, block->index, ran);
	vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_PREEMPT, ksr, sm->index, block->index,
			  block->slot);
	report_left(exec, ksr, sm->index, block->index, VGPU_LEAVE_FLUSH, &told, ran);
	vgpu_exec_to_ptbq(exec, block);
	if (shared)
		vgpu_residents_left(exec, sm->index, block, told.time);
}

/*
 * Flush @block. Where its instructions take effect after they have been issued it has to stop
 * first, and vgpu_leave_stopped() does the rest. Returns whether it has left.
 */
static bool flush(struct vgpu_exec *exec, struct vgpu_block *block)
{
	if (block->launch->kind->in_flight && !vgpu_block_stop(block))
		return false;
	if (!vgpu_block_repeats(block)) {
		block->leave = VGPU_LEAVE_SAVE;
		vgpu_exec_stop_and_save(exec, block);
		return false;
	}
	drop(exec, block);
	return true;
}

/* ---- an SM that is being preempted -------------------------------------- */

static bool is_empty(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];

	return !exec->sms[sm].resident_count && !smst->saving && !smst->restoring &&
	       !smst->off_count;
}

/* Blocks of reserved @sm have left. */
static void settle_reserved(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	if (is_empty(exec, sm)) {
		vgpu_sm_driver_empty(exec, sm);
		return;
	}
	if (!exec->sms[sm].resident_count)
		vgpu_event_cancel(exec->sim, &smst->preempt);
	vgpu_sm_driver_update(exec, sm);
}

/* A block that drains: until when it is waited for. */
static u64 limit_of(const struct vgpu_exec *exec, const struct vgpu_told *told)
{
	u64 wait = exec->config->deadline_ps;

	if (told->latency != VGPU_NEVER && told->latency > wait)
		wait = told->latency;
	/* one that ends just then has ended in time */
	return vgpu_time_add(vgpu_time_add(told->time, wait), 1);
}

static void choose_again(struct vgpu_exec *exec, u32 sm);

/* Look again when the first of those that drain is late. */
static void wait_for_drains(struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_block *block;
	u64 first = VGPU_NEVER;

	if (!exec->smst[sm].drains)
		return;
	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node) {
		u64 limit = limit_of(exec, told_of(exec, block));

		if (block->leave == VGPU_LEAVE_DRAIN && limit < first)
			first = limit;
	}
	if (first != VGPU_NEVER)
		vgpu_exec_at_time(exec, sm, first, choose_again);
}

/* @block leaves as @how, from now on. Returns whether it has left. */
static bool leave_as(struct vgpu_exec *exec, struct vgpu_block *block, enum vgpu_leave how)
{
	block->leave = how;
	told_of(exec, block)->stop = exec->sim->now;
	switch (how) {
	case VGPU_LEAVE_DRAIN:
		vgpu_block_throttle(block, false);
		exec->smst[block->sm->index].drains++;
		return false;
	case VGPU_LEAVE_FLUSH:
		return flush(exec, block);
	default:
		vgpu_exec_stop_and_save(exec, block);
		return false;
	}
}

/* The chooser of its SM chooses for @block, not told yet. Returns whether it has left. */
static bool choose_for(struct vgpu_exec *exec, struct vgpu_block *block)
{
	u32 sm = block->sm->index;
	struct vgpu_preemption_estimate estimate;
	enum vgpu_leave how;

	how = exec->smst[sm].chooser->choose(exec, block, false, &estimate);
	*told_of(exec, block) = (struct vgpu_told){
		.time = exec->sim->now,
		.latency = estimate.latency,
		.lost = estimate.cost + estimate.lost,
		.chosen = true,
	};
	trace_leave(exec, VGPU_TRACE_LEAVE_CHOSEN, vgpu_ksr_of(block->launch), sm, how,
		    vgpu_block_index(block), estimate.latency, estimate.cost + estimate.lost);
	return leave_as(exec, block, how);
}

/* Some that were to drain are late. */
static void choose_again(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_block *block, *next;
	struct vgpu_preemption_estimate estimate;
	bool left = false;

	if (!smst->drains)
		return;
	vgpu_sm_settle(&exec->sms[sm]);
	vgpu_list_for_each_safe(block, next, &exec->sms[sm].resident, struct vgpu_block, node) {
		if (block->leave != VGPU_LEAVE_DRAIN ||
		    limit_of(exec, told_of(exec, block)) > exec->sim->now)
			continue;
		smst->drains--;
		left |= leave_as(exec, block,
				 smst->chooser->choose(exec, block, true, &estimate));
	}
	wait_for_drains(exec, sm);
	if (smst->ksr)
		settle_reserved(exec, sm);
	else if (left)
		vgpu_residents_settle(exec, sm);
}

/* Is a block to be saved that has to stay, as its SM stalls, until its pages have come? */
static bool has_to_stall(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_preemption_estimate estimate;
	struct vgpu_block *block;

	if (!exec->stall)
		return false;
	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node)
		if (vgpu_block_waits(block) != VGPU_WAIT_NONE &&
		    exec->smst[sm].chooser->choose(exec, block, false, &estimate) ==
			    VGPU_LEAVE_SAVE)
			return true;
	return false;
}

/* The SM executes nothing until it can be saved as a whole, so nothing drains. */
static void leave_stalled(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_preemption_estimate estimate;
	struct vgpu_block *block, *next;

	vgpu_list_for_each_safe(block, next, &exec->sms[sm].resident, struct vgpu_block, node)
		if (!block->launch->kind->in_flight && vgpu_block_repeats(block) &&
		    smst->chooser->choose(exec, block, false, &estimate) == VGPU_LEAVE_FLUSH)
			choose_for(exec, block);
	smst->chooser = NULL;
	vgpu_sm_driver_update(exec, sm);
	vgpu_exec_save_all(exec, sm);
}

/* An event of its own: blocks that are flushed have left when it returns. */
static void leave_now(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_block *block, *next;

	vgpu_sm_settle(&exec->sms[sm]);
	if (has_to_stall(exec, sm)) {
		leave_stalled(exec, sm);
		return;
	}
	vgpu_list_for_each_safe(block, next, &exec->sms[sm].resident, struct vgpu_block, node) {
		/* it was to be swapped out, and will have stopped soon */
		if (block->stopping) {
			*told_of(exec, block) = (struct vgpu_told){
				.time = exec->sim->now,
				.stop = exec->sim->now,
			};
			block->leave = VGPU_LEAVE_SAVE;
		} else {
			choose_for(exec, block);
		}
	}
	wait_for_drains(exec, sm);
	settle_reserved(exec, sm);
}

void vgpu_exec_leave_blocks(struct vgpu_exec *exec, u32 sm)
{
	exec->smst[sm].chooser = exec->preemption;
	vgpu_exec_at_time(exec, sm, exec->sim->now, leave_now);
}

/* ---- what the rest of the engine calls ----------------------------------- */

bool vgpu_leave_shared(struct vgpu_exec *exec, struct vgpu_block *block, bool by_choice)
{
	struct vgpu_smst *smst = &exec->smst[block->sm->index];
	u32 sm = block->sm->index;
	bool left;

	/* it has been stopped for a base checkpoint (base_block.c): it is saved instead */
	if (unlikely(block->checkpoint & VGPU_CHECKPOINT_STOPS)) {
		*told_of(exec, block) = (struct vgpu_told){
			.time = exec->sim->now,
			.stop = exec->sim->now,
		};
		block->checkpoint = 0;
		block->leave = VGPU_LEAVE_SAVE;
		return false;
	}
	if (!by_choice || !exec->preemption->choose) {
		*told_of(exec, block) = (struct vgpu_told){ .time = exec->sim->now };
		return leave_as(exec, block, VGPU_LEAVE_SAVE);
	}
	smst->chooser = exec->preemption;
	vgpu_sm_settle(&exec->sms[sm]);
	left = choose_for(exec, block);
	wait_for_drains(exec, sm);
	return left;
}

/* Test: a block of @sm, which goes on, has been dropped: it comes back, or another. */
static void refill(struct vgpu_exec *exec, u32 sm)
{
	if (vgpu_sm_driver_claim(exec, sm))
		vgpu_sm_driver_issue(exec, sm);
	vgpu_sm_driver_update(exec, sm);
}

void vgpu_leave_stopped(struct vgpu_exec *exec, struct vgpu_block *block)
{
	u32 sm = block->sm->index;

	if (!vgpu_block_repeats(block)) {
		block->leave = VGPU_LEAVE_SAVE;
		vgpu_exec_block_stopped(exec, block);
		return;
	}
	drop(exec, block);
	if (!exec->smst[sm].ksr)
		vgpu_residents_settle(exec, sm);
	else if (exec->smst[sm].leaving)
		settle_reserved(exec, sm);
	else
		refill(exec, sm);
}

void vgpu_leave_saving(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	smst->saves[(smst->saves_first + smst->saves_count++) % VGPU_SM_SLOTS] =
		smst->told[block->slot];
}

u64 vgpu_leave_drained(const struct vgpu_exec *exec, const struct vgpu_smst *smst)
{
	return vgpu_time_add(smst->saves[smst->saves_first].stop, exec->config->pipeline_drain_ps);
}

u64 vgpu_leave_saved(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_told *told = &smst->saves[smst->saves_first];

	smst->saves_first = (smst->saves_first + 1) % VGPU_SM_SLOTS;
	smst->saves_count--;
	report_left(exec, vgpu_ksr_of(block->launch), sm, block->index, VGPU_LEAVE_SAVE, told,
		    vgpu_exec_switch_cost(exec, block));
	return told->time;
}

void vgpu_leave_ended(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	const struct vgpu_told *told = &smst->told[block->slot];

	report_left(exec, ksr, sm, block->index, VGPU_LEAVE_DRAIN, told, 0);
	if (block->leave != VGPU_LEAVE_DRAIN)
		return;
	smst->drains--;
	if (!smst->ksr) {
		vgpu_account_preemption(exec, ksr, sm, told->time);
		exec->ops->preempted(exec->owner, ksr->ctx->sched.id, sm, told->time);
	}
}

void vgpu_leave_over(struct vgpu_smst *smst)
{
	smst->chooser = NULL;
	smst->drains = 0;
	smst->saves_count = 0;
}

void vgpu_leave_test(struct vgpu_exec *exec, struct vgpu_block *block)
{
	u32 sm = block->sm->index;

	*told_of(exec, block) = (struct vgpu_told){ .time = exec->sim->now };
	block->leave = VGPU_LEAVE_FLUSH;
	if (block->launch->kind->in_flight && !vgpu_block_stop(block))
		return;
	drop(exec, block);
	refill(exec, sm);
}

/* ---- what mechanisms ask ------------------------------------------------- */

u64 vgpu_exec_block_drain_time(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	(void)exec;
	return block->launch->kind->expected(block);
}

u64 vgpu_exec_block_stop_time(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	const struct vgpu_block_kind *kind = block->launch->kind;
	u64 least = exec->config->pipeline_drain_ps;
	u64 stops = kind->stops_in ? kind->stops_in(block) : 0;
	u64 waits = exec->stall && kind->wait_left ? kind->wait_left(block) : 0;

	least = stops > least ? stops : least;
	return waits > least ? waits : least;
}

u64 vgpu_exec_block_save_time(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	return vgpu_exec_move_time(exec->config, vgpu_block_context_bytes(block));
}

u64 vgpu_exec_block_dirty_time(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	return vgpu_exec_move_time(exec->config, vgpu_checkpoint_would_save(exec, block));
}

bool vgpu_exec_block_repeats(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	u32 most = exec->config->flushes_most;

	return (!most || flushes_of(block) < most) && vgpu_block_repeats(block);
}

u64 vgpu_exec_block_lost(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	return flushes_of(block) ? vgpu_checkpoint_of(exec, block)->lost : 0;
}

u64 vgpu_exec_block_ran(const struct vgpu_exec *exec, const struct vgpu_block *block)
{
	(void)exec;
	return vgpu_block_ran(block);
}

static u64 saturating_add(u64 a, u64 b)
{
	return a < VGPU_NEVER - b ? a + b : VGPU_NEVER;
}

void vgpu_exec_estimate_blocks(struct vgpu_exec *exec, u32 sm,
			       enum vgpu_leave (*choose)(struct vgpu_exec *exec,
							 const struct vgpu_block *block, bool late,
							 struct vgpu_preemption_estimate *estimate),
			       struct vgpu_preemption_estimate *estimate)
{
	struct vgpu_preemption_estimate one;
	const struct vgpu_block *block;
	u64 stop = 0, saves = 0, longest = 0;

	*estimate = (struct vgpu_preemption_estimate){};
	vgpu_sm_settle(&exec->sms[sm]);
	vgpu_list_for_each(block, &exec->sms[sm].resident, struct vgpu_block, node) {
		if (choose(exec, block, false, &one) == VGPU_LEAVE_SAVE) {
			u64 save = vgpu_exec_block_save_time(exec, block);

			/* they stop together, and are moved one after the other */
			saves += save;
			stop = one.latency == VGPU_NEVER	? VGPU_NEVER :
			       one.latency - save > stop	? one.latency - save :
								  stop;
		} else if (one.latency > longest) {
			longest = one.latency;
		}
		estimate->cost = saturating_add(estimate->cost, one.cost);
		estimate->lost = saturating_add(estimate->lost, one.lost);
	}
	saves = saturating_add(stop, saves);
	estimate->latency = saves > longest ? saves : longest;
}
