// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Consistency check of the execution engine: every sum and every list that is kept up to date is
 * computed again from the tables. Unit tests call it after each step; vgpu.ko is built without it.
 */
#include "exec.h"

/** struct tally - what the tables hold, counted by hand */
struct tally {
	u64 blocks;
	u64 save_area;
	u64 sm_time[VGPU_SM_STATES];
};

/* The blocks of @list belong to @ksr; returns how many they are, ~0: they do not. */
static u32 count_blocks(const struct vgpu_exec *exec, const struct vgpu_list *list,
			const struct vgpu_ksr *ksr, u64 *bytes)
{
	const struct vgpu_block *block;
	u32 count = 0;

	vgpu_list_for_each(block, list, struct vgpu_block, node) {
		if (block->launch != &ksr->launch || block->launch->context != ksr->ctx->sched.id)
			return ~0u;
		if (bytes)
			*bytes += vgpu_checkpoint_area(exec, block);
		count++;
	}
	return count;
}

/* ---- accounts ----------------------------------------------------------- */

/* Blocks of @hw that will be swapped out when they have stopped. */
static u32 count_leaving(const struct vgpu_sm *hw)
{
	const struct vgpu_block *block;
	u32 count = 0;

	vgpu_list_for_each(block, &hw->resident, struct vgpu_block, node)
		count += block->stopping;
	return count;
}

/* @sm holds what it may, and what it has claimed besides gets the places of blocks that leave. */
static bool places_agree(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	u32 occupancy = smst->ksr->occupancy;

	if (smst->state == VGPU_SM_SETUP)
		return smst->claimed <= occupancy;
	return vgpu_smst_places(exec, sm) <= occupancy &&
	       smst->claimed <= smst->saving + count_leaving(&exec->sms[sm]) &&
	       vgpu_smst_places(exec, sm) + smst->off_count + smst->claimed <=
		       occupancy + VGPU_EXTRA_BLOCKS_MOST &&
	       !(smst->leaving && smst->claimed);
}

/* ---- shared SMs --------------------------------------------------------- */

static u32 count_of(const struct vgpu_list *list, const struct vgpu_ksr *ksr, u32 state)
{
	const struct vgpu_block *block;
	u32 count = 0;

	vgpu_list_for_each(block, list, struct vgpu_block, node)
		count += block->launch == &ksr->launch && block->state == state;
	return count;
}

static u32 count_stopping(const struct vgpu_list *list, const struct vgpu_ksr *ksr)
{
	const struct vgpu_block *block;
	u32 count = 0;

	vgpu_list_for_each(block, list, struct vgpu_block, node)
		count += block->launch == &ksr->launch && block->leave;
	return count;
}

/* The blocks of one resident are those that its entry counts; *blocks += how many are there. */
static bool sharer_agrees(const struct vgpu_exec *exec, u32 sm, const struct vgpu_sharer *sharer,
			  u32 *blocks, struct tally *tally)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_list *resident = &exec->sms[sm].resident;
	u32 on = count_of(resident, sharer->ksr, VGPU_BLOCK_RUNNING);
	u32 saving = count_of(&smst->moving, sharer->ksr, VGPU_BLOCK_SAVING);
	u32 restoring = count_of(&smst->moving, sharer->ksr, VGPU_BLOCK_RESTORING);
	const struct vgpu_block *block;

	vgpu_list_for_each(block, resident, struct vgpu_block, node)
		if (block->launch == &sharer->ksr->launch)
			tally->save_area += vgpu_checkpoint_area(exec, block);
	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node)
		if (block->launch == &sharer->ksr->launch)
			tally->save_area += vgpu_checkpoint_area(exec, block);
	*blocks += on + saving + restoring;
	return sharer->ksr->ctx && on + saving + restoring + sharer->claimed == sharer->blocks &&
	       count_stopping(&smst->moving, sharer->ksr) +
			       count_stopping(resident, sharer->ksr) ==
		       sharer->leaving &&
	       (sharer->blocks || sharer->coming || sharer->partition != VGPU_NO_PARTITION);
}

/* What residents have adds up to what their SM counts, and fits into it. */
static bool residents_agree(const struct vgpu_exec *exec, u32 sm, struct tally *tally)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_resources used = {}, leaving = {}, coming = {}, none = {}, all;
	const struct vgpu_sharer *sharer;
	u32 kernels = 0, blocks = 0;

	vgpu_list_for_each(sharer, &smst->residents, struct vgpu_sharer, node) {
		if (!sharer_agrees(exec, sm, sharer, &blocks, tally))
			return false;
		kernels++;
		vgpu_resources_add(&used, &sharer->ksr->needs, sharer->blocks);
		vgpu_resources_add(&leaving, &sharer->ksr->needs, sharer->leaving);
		vgpu_resources_add(&coming, &sharer->ksr->needs, sharer->coming);
	}
	tally->blocks += blocks;
	vgpu_exec_sm_resources(exec, sm, &all);
	return kernels == smst->kernels && !memcmp(&used, &smst->used, sizeof(used)) &&
	       !memcmp(&leaving, &smst->leaving_part, sizeof(leaving)) &&
	       !memcmp(&coming, &smst->coming_part, sizeof(coming)) &&
	       blocks == exec->sms[sm].resident_count + smst->saving + smst->restoring &&
	       smst->saves_count == smst->saving && vgpu_resources_fit(&used, &none, &all) &&
	       (smst->state == VGPU_SM_IDLE) == !used.blocks && !smst->leaving && !smst->next;
}

/* One SM: its states add up to the age of the device, and it serves one kernel of one context. */
static bool sm_agrees(const struct vgpu_exec *exec, u32 sm, struct tally *tally)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_sm *hw = &exec->sms[sm];
	bool idle = smst->state == VGPU_SM_IDLE;
	struct vgpu_sm_stats stats;
	unsigned int state;
	u64 time = 0;
	u32 away;

	vgpu_exec_sm_stats(exec, sm, &stats);
	for (state = 0; state < VGPU_SM_STATES; state++) {
		time += stats.time[state];
		tally->sm_time[state] += stats.time[state];
	}
	if (smst->ksr && smst->used.blocks)
		return false;
	if (time != exec->sim->now || idle != (!smst->ksr && !smst->used.blocks) ||
	    idle != !!(exec->idle[sm / 64] & (1ull << (sm % 64))))
		return false;
	if (!smst->ksr)
		return residents_agree(exec, sm, tally);
	if (count_blocks(exec, &smst->moving, smst->ksr, &tally->save_area) !=
		    smst->saving + smst->restoring ||
	    count_blocks(exec, &smst->off, smst->ksr, &tally->save_area) != smst->off_count)
		return false;
	away = smst->saving + smst->restoring + smst->off_count;
	tally->blocks += hw->resident_count + away;
	if (smst->next && !smst->leaving)
		return false;
	if (smst->state != VGPU_SM_IDLE && !places_agree(exec, sm))
		return false;
	switch (smst->state) {
	case VGPU_SM_IDLE:
	case VGPU_SM_SETUP:
		return !hw->resident_count && !away && !smst->leaving;
	case VGPU_SM_RUNNING:
		if (!hw->resident_count || smst->leaving)
			return false;
		break;
	case VGPU_SM_RESERVED:
		if (!hw->resident_count || smst->restoring > 1 || smst->off_count || !smst->leaving)
			return false;
		break;
	case VGPU_SM_SAVING:
		if (hw->resident_count || !smst->saving)
			return false;
		break;
	default:
		if (hw->resident_count || smst->saving || !away ||
		    (smst->leaving && (smst->restoring != 1 || smst->off_count)))
			return false;
	}
	return hw->context == smst->ksr->ctx->sched.id && hw->as == smst->ksr->ctx->as &&
	       count_blocks(exec, &hw->resident, smst->ksr, &tally->save_area) ==
		       hw->resident_count;
}

/* What @ksr has on shared @sm. */
static void add_shared(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr, u32 *in,
		       u32 *sms, u64 *blocks, u64 *coming, u64 *decided)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_sharer *sharer = vgpu_sharer_find(smst, ksr);

	if (!sharer)
		return;
	*sms += !!sharer->blocks;
	*blocks += sharer->claimed;
	*coming += sharer->coming;
	*decided += sharer->blocks - sharer->leaving + sharer->coming;
	in[VGPU_BLOCK_RUNNING] += count_of(&exec->sms[sm].resident, ksr, VGPU_BLOCK_RUNNING);
	in[VGPU_BLOCK_SAVING] += count_of(&smst->moving, ksr, VGPU_BLOCK_SAVING);
	in[VGPU_BLOCK_RESTORING] += count_of(&smst->moving, ksr, VGPU_BLOCK_RESTORING);
}

/* One kernel against the SMs that serve it and its PTBQ. */
static bool kernel_agrees(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr,
			  struct tally *tally)
{
	u64 blocks = ksr->ended + ksr->unclaimed;
	u32 in[VGPU_BLOCK_STATES] = {};
	u32 sms = 0, reserved = 0, off = 0;
	u64 room = 0, coming = 0, decided = 0;
	unsigned int state;
	u32 i;

	for (i = 0; i < exec->config->sms; i++) {
		const struct vgpu_smst *smst = &exec->smst[i];

		reserved += smst->next == ksr;
		if (!smst->ksr)
			add_shared(exec, i, ksr, in, &sms, &blocks, &coming, &decided);
		if (smst->ksr != ksr)
			continue;
		sms++;
		blocks += smst->claimed;
		room += smst->room;
		in[VGPU_BLOCK_RUNNING] += exec->sms[i].resident_count;
		in[VGPU_BLOCK_SAVING] += smst->saving;
		in[VGPU_BLOCK_RESTORING] += smst->restoring;
		off += smst->off_count;
	}
	in[VGPU_BLOCK_PREEMPTED] = count_blocks(exec, &ksr->ptbq, ksr, &tally->save_area);
	tally->blocks += in[VGPU_BLOCK_PREEMPTED];
	in[VGPU_BLOCK_PREEMPTED] += off;
	for (state = 0; state < VGPU_BLOCK_STATES; state++)
		if (in[state] != ksr->blocks_in[state])
			return false;
	/*
	 * Preempted blocks are unclaimed ones, too, but for those swapped out. Tanasic 5.2.3: the
	 * PTBQ has an entry for every block that SMs can hold.
	 */
	blocks += in[VGPU_BLOCK_RUNNING] + in[VGPU_BLOCK_SAVING] + in[VGPU_BLOCK_RESTORING] + off;
	return sms == ksr->sms && room == ksr->room && reserved == ksr->reserved &&
	       coming == ksr->coming && decided == ksr->decided &&
	       blocks == ksr->launch.blocks &&
	       vgpu_list_linked(&ksr->need[VGPU_KSR_ISSUABLE]) == !!ksr->unclaimed &&
	       in[VGPU_BLOCK_PREEMPTED] <=
		       exec->config->sms * (exec->config->blocks_per_sm + VGPU_EXTRA_BLOCKS_MOST) &&
	       (ksr->state == VGPU_KERNEL_QUEUED) == !ksr->started &&
	       (!ksr->started || (ksr->state == VGPU_KERNEL_RUNNING) == !!sms);
}

/*
 * The states of the kernels and of the blocks of @ctx add up to their lives; its SM time is entered
 * in @past too.
 */
static bool context_agrees(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx,
			   u64 *sm_time)
{
	u64 kernels = ctx->kernel_life + ctx->queued * exec->sim->now;
	u64 blocks = ctx->block_life;
	struct vgpu_context_info info;
	const struct vgpu_account *a = &info.account;
	const struct vgpu_ksr *ksr;
	unsigned int state;

	vgpu_account_context(exec, ctx, &info);
	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node) {
		if (ksr->ctx != ctx)
			continue;
		kernels += ksr->started ? exec->sim->now : 0;
		blocks += ksr->block_life;
		for (state = 0; state < VGPU_BLOCK_STATES; state++)
			blocks += ksr->blocks_in[state] * exec->sim->now;
	}
	sm_time[VGPU_SM_SETUP] += a->sm_setup;
	sm_time[VGPU_SM_RUNNING] += a->sm_running;
	sm_time[VGPU_SM_RESERVED] += a->sm_reserved;
	sm_time[VGPU_SM_SAVING] += a->sm_saving;
	sm_time[VGPU_SM_RESTORING] += a->sm_restoring;
	return a->kernel_queued + a->kernel_running + a->kernel_preempted == kernels &&
	       a->block_running + a->block_preempted + a->block_saving + a->block_restoring ==
		       blocks;
}

/* ---- run queues --------------------------------------------------------- */

static u32 count_sms(const struct vgpu_list *list, const struct vgpu_exec_context *holder)
{
	const struct vgpu_smst *smst;
	u32 count = 0;

	vgpu_list_for_each(smst, list, struct vgpu_smst, node)
		count += smst->holder == holder ? 1 : 1u << 20;
	return count;
}

static u32 count_kernels(const struct vgpu_exec_context *ctx, enum vgpu_ksr_need need)
{
	const struct vgpu_ksr *ksr, *last = NULL;
	u32 count = 0;

	vgpu_list_for_each(ksr, &ctx->kernels[need], struct vgpu_ksr, need[need]) {
		bool behind = !last || last->priority > ksr->priority ||
			      (last->priority == ksr->priority && ksr->order > last->order);

		count += behind ? 1 : 1u << 20;
		last = ksr;
	}
	return count;
}

/* Shared SMs that have blocks of @ctx */
static u32 count_shared(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx)
{
	u32 count = 0;

	for (u32 sm = 0; sm < exec->config->sms; sm++)
		count += vgpu_residents_hold(&exec->smst[sm], ctx);
	return count;
}

static bool context_is_queued_right(const struct vgpu_exec *exec,
				    const struct vgpu_exec_context *ctx)
{
	u32 active = 0, issuable = 0, wanting = 0, reserved = 0;
	u32 running = count_sms(&ctx->running, ctx);
	bool more = vgpu_exec_takes_more(ctx);
	const struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node) {
		if (ksr->ctx != ctx)
			continue;
		active++;
		issuable += ksr->unclaimed > 0;
		wanting += ksr->unclaimed > ksr->promised + ksr->room;
		reserved += ksr->reserved;
		if (ksr->promised != (u64)ksr->reserved * ksr->occupancy)
			return false;
	}
	return active == ctx->sched.active_kernels &&
	       issuable == count_kernels(ctx, VGPU_KSR_ISSUABLE) &&
	       wanting == count_kernels(ctx, VGPU_KSR_WANTING) &&
	       reserved == count_sms(&ctx->coming, ctx) && !!running == ctx->sched.running &&
	       ctx->sched.held == reserved + running &&
	       ctx->shared_sms == count_shared(exec, ctx) &&
	       vgpu_pq_queued(&ctx->active) == !!active &&
	       vgpu_pq_queued(&ctx->holding) == !!ctx->sched.held &&
	       vgpu_pq_queued(&ctx->need[VGPU_KSR_ISSUABLE]) == (more && issuable) &&
	       vgpu_pq_queued(&ctx->need[VGPU_KSR_WANTING]) == (more && wanting) &&
	       vgpu_pq_queued(&ctx->waiting) == !!ctx->job;
}

static bool runqueues_agree(const struct vgpu_exec *exec)
{
	u32 sms = count_sms(&exec->unreserved, NULL) + exec->idle_count;
	const struct vgpu_exec_context *ctx;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node) {
		if (!context_is_queued_right(exec, ctx))
			return false;
		sms += ctx->sched.held;
	}
	for (u32 sm = 0; sm < exec->config->sms; sm++)
		sms += vgpu_smst_is_shared(&exec->smst[sm]);
	return sms == exec->config->sms;
}

/* ---- what is told -------------------------------------------------------- */

/* What contexts have of SMs (sm_use.c) is what SMs say; no SM has more than all of it. */
static bool uses_agree(const struct vgpu_exec *exec)
{
	const struct vgpu_exec_context *ctx;
	struct vgpu_account sum = {}, one;
	struct vgpu_sm_use use;
	u32 sm;

	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node) {
		vgpu_exec_context_use(exec, ctx, &one);
		sum.sm_blocks += one.sm_blocks;
		sum.sm_registers += one.sm_registers;
		sum.sm_shared_bytes += one.sm_shared_bytes;
		sum.sm_warps += one.sm_warps;
	}
	for (sm = 0; !vgpu_exec_sm_use(exec, sm, &use); sm++) {
		if (use.share > VGPU_SHARE_ONE ||
		    (exec->smst[sm].state == VGPU_SM_IDLE && use.blocks))
			return false;
		sum.sm_blocks -= use.blocks;
		sum.sm_registers -= use.registers;
		sum.sm_shared_bytes -= use.shared_bytes;
		sum.sm_warps -= use.warps;
	}
	return !sum.sm_blocks && !sum.sm_registers && !sum.sm_shared_bytes && !sum.sm_warps;
}

/* ---- all of it ---------------------------------------------------------- */

bool vgpu_exec_check(const struct vgpu_exec *exec)
{
	u64 sm_time[VGPU_SM_STATES] = {
		[VGPU_SM_SETUP] = exec->past.sm_setup,
		[VGPU_SM_RUNNING] = exec->past.sm_running,
		[VGPU_SM_RESERVED] = exec->past.sm_reserved,
		[VGPU_SM_SAVING] = exec->past.sm_saving,
		[VGPU_SM_RESTORING] = exec->past.sm_restoring,
	};
	struct tally tally = {};
	const struct vgpu_exec_context *ctx;
	const struct vgpu_ksr *ksr;
	unsigned int state;
	u32 active = 0;
	u32 idle = 0;
	u32 i;

	for (i = 0; i < exec->config->sms; i++) {
		if (!sm_agrees(exec, i, &tally))
			return false;
		idle += exec->smst[i].state == VGPU_SM_IDLE;
	}
	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node) {
		active++;
		if (!kernel_agrees(exec, ksr, &tally))
			return false;
	}
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node)
		if (!context_agrees(exec, ctx, sm_time))
			return false;
	for (state = VGPU_SM_SETUP; state < VGPU_SM_STATES; state++)
		if (sm_time[state] != tally.sm_time[state])
			return false;
	return tally.blocks == exec->blocks && tally.save_area == exec->save_area &&
	       idle == exec->idle_count && active == exec->active_count &&
	       runqueues_agree(exec) && uses_agree(exec);
}
