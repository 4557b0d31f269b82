/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Accounts: how long every SM was in which state, and for whom. Time is entered when a state ends, so that the sums close
 * exactly.
 */
#include "../core/device.h"

void vgpu_account_sm(struct vgpu_device *dev, u32 sm, enum vgpu_sm_state state)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	const struct vgpu_sm *hw = &dev->sms[sm];
	u64 elapsed = dev->now - smst->since;

	smst->time[smst->state] += elapsed;
	if (smst->ksr) {
		struct vgpu_context *ctx = smst->ksr->ctx;

		ctx->sm_time += elapsed;
		ctx->instructions += hw->instructions - smst->instructions;
		ctx->thread_instructions += hw->thread_instructions - smst->thread_instructions;
	}
	smst->since = dev->now;
	smst->instructions = hw->instructions;
	smst->thread_instructions = hw->thread_instructions;
	smst->state = state;
}

void vgpu_account_context(const struct vgpu_device *dev, const struct vgpu_context *ctx, struct vgpu_context_info *info)
{
	u32 i;

	info->sm_time = ctx->sm_time;
	info->instructions = ctx->instructions;
	info->thread_instructions = ctx->thread_instructions;
	for (i = 0; i < dev->config.sms; i++) {
		const struct vgpu_smst *smst = &dev->exec.smst[i];
		const struct vgpu_sm *hw = &dev->sms[i];

		if (!smst->ksr || smst->ksr->ctx != ctx)
			continue;
		info->sm_time += dev->now - smst->since;
		info->instructions += hw->instructions - smst->instructions;
		info->thread_instructions += hw->thread_instructions - smst->thread_instructions;
	}
}

const char *vgpu_sm_state_name(unsigned int state)
{
	static const char *const names[VGPU_SM_STATES] = {
		[VGPU_SM_IDLE] = "idle",
		[VGPU_SM_SETUP] = "setup",
		[VGPU_SM_RUNNING] = "running",
		[VGPU_SM_RESERVED] = "reserved",
		[VGPU_SM_SAVING] = "saving",
		[VGPU_SM_RESTORING] = "restoring",
	};

	return state < VGPU_SM_STATES ? names[state] : NULL;
}

void vgpu_device_stats(const struct vgpu_device *dev, struct vgpu_device_stats *stats)
{
	unsigned int state;
	u32 i;

	memset(stats, 0, sizeof(*stats));
	stats->events = dev->events_fired;
	for (i = 0; i < dev->config.sms; i++) {
		const struct vgpu_smst *smst = &dev->exec.smst[i];

		for (state = 0; state < VGPU_SM_STATES; state++)
			stats->sm_time[state] += smst->time[state];
		stats->sm_time[smst->state] += dev->now - smst->since;
	}
}

/* One kernel against the SMs that serve it. */
static bool kernel_closes(const struct vgpu_device *dev, const struct vgpu_ksr *ksr)
{
	u64 blocks = ksr->ended + ksr->unclaimed;
	u32 sms = 0;
	u32 i;

	for (i = 0; i < dev->config.sms; i++) {
		const struct vgpu_smst *smst = &dev->exec.smst[i];

		if (smst->ksr != ksr)
			continue;
		sms++;
		blocks += smst->state == VGPU_SM_SETUP ? smst->claimed : dev->sms[i].resident_count + smst->moving_count;
	}
	return sms == ksr->sms && blocks == ksr->launch.blocks && ksr->link[VGPU_KSR_ISSUABLE].listed == !!ksr->unclaimed;
}

bool vgpu_account_closes(const struct vgpu_device *dev)
{
	const struct vgpu_exec *exec = &dev->exec;
	const struct vgpu_block *block;
	const struct vgpu_ksr *ksr;
	u64 blocks = 0;
	u32 active = 0;
	u32 idle = 0;
	u32 i;

	for (i = 0; i < dev->config.sms; i++) {
		const struct vgpu_smst *smst = &exec->smst[i];
		u64 time = dev->now - smst->since;
		unsigned int state;

		for (state = 0; state < VGPU_SM_STATES; state++)
			time += smst->time[state];
		if (time != dev->now)
			return false;
		if ((smst->state == VGPU_SM_IDLE) != !smst->ksr)
			return false;
		if (!!(exec->idle[i / 64] & (1ull << (i % 64))) != (smst->state == VGPU_SM_IDLE))
			return false;
		idle += smst->state == VGPU_SM_IDLE;
		blocks += dev->sms[i].resident_count + smst->moving_count;
	}
	for (ksr = exec->active_head; ksr; ksr = ksr->next) {
		active++;
		if (!kernel_closes(dev, ksr))
			return false;
		for (block = ksr->ptbq; block; block = block->next)
			blocks++;
	}
	return blocks == exec->blocks && idle == exec->idle_count && active == exec->active_count;
}
