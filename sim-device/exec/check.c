// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Consistency check of the execution engine: every sum and every list that is kept up to date is
 * computed again from the tables. Unit tests call it after each step; vgpu.ko is built without it.
 */
#include "../core/device.h"

/** struct tally - what the tables hold, counted by hand */
struct tally {
	u64 blocks;
	u64 save_area;
	u64 sm_time[VGPU_SM_STATES];
};

/* The blocks of @list belong to @ksr; returns how many they are, ~0: they do not. */
static u32 count_blocks(const struct vgpu_block *list, const struct vgpu_ksr *ksr, u64 *bytes)
{
	u32 count = 0;

	for (; list; list = list->next, count++) {
		if (list->launch != &ksr->launch || list->launch->context != ksr->ctx->id)
			return ~0u;
		if (bytes)
			*bytes += vgpu_block_context_bytes(list);
	}
	return count;
}

/* ---- accounts ----------------------------------------------------------- */

/* One SM: its states add up to the age of the device, and it serves one kernel of one context. */
static bool sm_agrees(const struct vgpu_device *dev, u32 sm, struct tally *tally)
{
	const struct vgpu_smst *smst = &dev->exec.smst[sm];
	const struct vgpu_sm *hw = &dev->sms[sm];
	bool idle = smst->state == VGPU_SM_IDLE;
	struct vgpu_sm_stats stats;
	unsigned int state;
	u64 time = 0;

	vgpu_device_sm_stats(dev, sm, &stats);
	for (state = 0; state < VGPU_SM_STATES; state++) {
		time += stats.time[state];
		tally->sm_time[state] += stats.time[state];
	}
	if (time != dev->now || idle != !smst->ksr ||
	    idle != !!(dev->exec.idle[sm / 64] & (1ull << (sm % 64))))
		return false;
	tally->blocks += hw->resident_count + smst->moving_count;
	switch (smst->state) {
	case VGPU_SM_IDLE:
	case VGPU_SM_SETUP:
		return !hw->resident_count && !smst->moving_count && !smst->next;
	case VGPU_SM_RUNNING:
		if (!hw->resident_count || smst->next)
			return false;
		break;
	case VGPU_SM_RESERVED:
		if (!hw->resident_count || smst->moving_count)
			return false;
		break;
	case VGPU_SM_SAVING:
		if (hw->resident_count || !smst->moving_count)
			return false;
		break;
	default:
		if (hw->resident_count || !smst->moving_count || smst->next)
			return false;
	}
	return hw->context == smst->ksr->ctx->id && hw->as == smst->ksr->ctx->as &&
	       count_blocks(hw->resident, smst->ksr, NULL) == hw->resident_count &&
	       count_blocks(smst->moving, smst->ksr, &tally->save_area) == smst->moving_count;
}

/* One kernel against the SMs that serve it and its PTBQ. */
static bool kernel_agrees(const struct vgpu_device *dev, const struct vgpu_ksr *ksr,
			  struct tally *tally)
{
	u64 blocks = ksr->ended + ksr->unclaimed;
	u32 in[VGPU_BLOCK_STATES] = {};
	u32 sms = 0, reserved = 0;
	unsigned int state;
	u32 i;

	for (i = 0; i < dev->config.sms; i++) {
		const struct vgpu_smst *smst = &dev->exec.smst[i];

		reserved += smst->next == ksr;
		if (smst->ksr != ksr)
			continue;
		sms++;
		blocks += smst->state == VGPU_SM_SETUP ? smst->claimed : 0;
		in[VGPU_BLOCK_RUNNING] += dev->sms[i].resident_count;
		in[smst->state == VGPU_SM_SAVING ? VGPU_BLOCK_SAVING : VGPU_BLOCK_RESTORING] +=
			smst->moving_count;
	}
	in[VGPU_BLOCK_PREEMPTED] = count_blocks(ksr->ptbq, ksr, &tally->save_area);
	tally->blocks += in[VGPU_BLOCK_PREEMPTED];
	for (state = 0; state < VGPU_BLOCK_STATES; state++)
		if (in[state] != ksr->blocks_in[state])
			return false;
	/*
	 * Preempted blocks are unclaimed ones, too. Tanasic 5.2.3: the PTBQ has an entry for every
	 * block that SMs can hold.
	 */
	blocks += in[VGPU_BLOCK_RUNNING] + in[VGPU_BLOCK_SAVING] + in[VGPU_BLOCK_RESTORING];
	return sms == ksr->sms && reserved == ksr->reserved && blocks == ksr->launch.blocks &&
	       ksr->link[VGPU_KSR_ISSUABLE].listed == !!ksr->unclaimed &&
	       in[VGPU_BLOCK_PREEMPTED] <= dev->config.sms * dev->config.blocks_per_sm &&
	       (ksr->state == VGPU_KERNEL_QUEUED) == !ksr->started &&
	       (!ksr->started || (ksr->state == VGPU_KERNEL_RUNNING) == !!sms);
}

/*
 * The states of the kernels and of the blocks of @ctx add up to their lives; its SM time is entered
 * in @past too.
 */
static bool context_agrees(const struct vgpu_device *dev, const struct vgpu_context *ctx,
			   u64 *sm_time)
{
	u64 kernels = ctx->kernel_life + ctx->queued * dev->now;
	u64 blocks = ctx->block_life;
	struct vgpu_context_info info;
	const struct vgpu_account *a = &info.account;
	const struct vgpu_ksr *ksr;
	unsigned int state;

	vgpu_account_context(dev, ctx, &info);
	for (ksr = dev->exec.active_head; ksr; ksr = ksr->next) {
		if (ksr->ctx != ctx)
			continue;
		kernels += ksr->started ? dev->now : 0;
		blocks += ksr->block_life;
		for (state = 0; state < VGPU_BLOCK_STATES; state++)
			blocks += ksr->blocks_in[state] * dev->now;
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

/* ---- where contexts stand (standing.c) ----------------------------------- */

static u32 count_sms(const struct vgpu_smst *smst, const struct vgpu_context *holder)
{
	u32 count = 0;

	for (; smst; smst = smst->list_next)
		count += smst->holder == holder ? 1 : 1u << 20;
	return count;
}

static u32 count_kernels(const struct vgpu_standing *s, enum vgpu_ksr_need need)
{
	const struct vgpu_ksr *ksr;
	u32 count = 0;

	for (ksr = s->kernels[need].first; ksr; ksr = ksr->link[need].next)
		count += !ksr->link[need].next || ksr->order < ksr->link[need].next->order ?
				 1 :
				 1u << 20;
	return count;
}

static bool context_standing_agrees(const struct vgpu_device *dev, const struct vgpu_context *ctx)
{
	const struct vgpu_standing *s = &ctx->standing;
	u32 active = 0, issuable = 0, wanting = 0, reserved = 0;
	const struct vgpu_ksr *ksr;

	for (ksr = dev->exec.active_head; ksr; ksr = ksr->next) {
		if (ksr->ctx != ctx)
			continue;
		active++;
		issuable += ksr->unclaimed > 0;
		wanting += ksr->unclaimed > ksr->promised;
		reserved += ksr->reserved;
		if (ksr->promised != (u64)ksr->reserved * ksr->occupancy)
			return false;
	}
	return active == s->active_kernels && issuable == count_kernels(s, VGPU_KSR_ISSUABLE) &&
	       wanting == count_kernels(s, VGPU_KSR_WANTING) &&
	       reserved == count_sms(s->coming, ctx) &&
	       s->held == reserved + count_sms(s->running, ctx) &&
	       vgpu_entrant_is_in(&s->active) == !!active &&
	       vgpu_entrant_is_in(&s->holding) == !!s->held &&
	       vgpu_entrant_is_in(&s->need[VGPU_KSR_ISSUABLE]) == !!issuable &&
	       vgpu_entrant_is_in(&s->need[VGPU_KSR_WANTING]) == !!wanting &&
	       vgpu_entrant_is_in(&ctx->buffer.node) == !!ctx->buffer.command;
}

static bool standing_agrees(const struct vgpu_device *dev)
{
	const struct vgpu_exec *exec = &dev->exec;
	u32 sms = count_sms(exec->unreserved, NULL) + exec->idle_count;
	u32 i;

	for (i = 0; i < dev->contexts.count; i++) {
		if (!context_standing_agrees(dev, dev->contexts.list[i]))
			return false;
		sms += dev->contexts.list[i]->standing.held;
	}
	return sms == dev->config.sms;
}

/* ---- all of it ---------------------------------------------------------- */

bool vgpu_exec_check(const struct vgpu_device *dev)
{
	const struct vgpu_exec *exec = &dev->exec;
	u64 sm_time[VGPU_SM_STATES] = {
		[VGPU_SM_SETUP] = exec->past.sm_setup,
		[VGPU_SM_RUNNING] = exec->past.sm_running,
		[VGPU_SM_RESERVED] = exec->past.sm_reserved,
		[VGPU_SM_SAVING] = exec->past.sm_saving,
		[VGPU_SM_RESTORING] = exec->past.sm_restoring,
	};
	struct tally tally = {};
	const struct vgpu_ksr *ksr;
	unsigned int state;
	u32 active = 0;
	u32 idle = 0;
	u32 i;

	for (i = 0; i < dev->config.sms; i++) {
		if (!sm_agrees(dev, i, &tally))
			return false;
		idle += exec->smst[i].state == VGPU_SM_IDLE;
	}
	for (ksr = exec->active_head; ksr; ksr = ksr->next) {
		active++;
		if (!kernel_agrees(dev, ksr, &tally))
			return false;
	}
	for (i = 0; i < dev->contexts.count; i++)
		if (!context_agrees(dev, dev->contexts.list[i], sm_time))
			return false;
	for (state = VGPU_SM_SETUP; state < VGPU_SM_STATES; state++)
		if (sm_time[state] != tally.sm_time[state])
			return false;
	return tally.blocks == exec->blocks && tally.save_area == exec->save_area &&
	       idle == exec->idle_count && active == exec->active_count &&
	       standing_agrees(dev);
}
