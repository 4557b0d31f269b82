// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accounts: how long every SM, kernel and thread block was in which state, and for whom. Time is
 * entered when a state ends, so that the sums close exactly. SMs keep theirs in the SMST, kernels
 * and blocks in the KSR until the kernel ends, contexts all of it.
 *
 * What does not change is not touched: a block that follows another one in its slot costs nothing
 * here.
 */
#include "../core/device.h"

/* What @account has for SMs in @state; not for idle ones, which belong to nobody. */
static u64 *sm_part(struct vgpu_account *account, enum vgpu_sm_state state)
{
	switch (state) {
	case VGPU_SM_SETUP:
		return &account->sm_setup;
	case VGPU_SM_RUNNING:
		return &account->sm_running;
	case VGPU_SM_RESERVED:
		return &account->sm_reserved;
	case VGPU_SM_SAVING:
		return &account->sm_saving;
	default:
		return &account->sm_restoring;
	}
}

void vgpu_account_sm(struct vgpu_device *dev, u32 sm, enum vgpu_sm_state state)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	const struct vgpu_sm *hw = &dev->sms[sm];
	u64 elapsed = dev->now - smst->since;

	smst->time[smst->state] += elapsed;
	if (smst->ksr) {
		struct vgpu_context *ctx = smst->ksr->ctx;

		*sm_part(&ctx->account, smst->state) += elapsed;
		ctx->instructions += hw->instructions - smst->instructions;
		ctx->thread_instructions += hw->thread_instructions - smst->thread_instructions;
	}
	smst->since = dev->now;
	smst->instructions = hw->instructions;
	smst->thread_instructions = hw->thread_instructions;
	smst->state = state;
}

/* ---- kernels ------------------------------------------------------------ */

/* @change kernels of @ctx more are queued from now on. */
static void account_queued(struct vgpu_device *dev, struct vgpu_context *ctx, s32 change)
{
	ctx->account.kernel_queued += ctx->queued * (dev->now - ctx->queued_since);
	ctx->queued_since = dev->now;
	ctx->queued += (u32)change;
}

void vgpu_account_arrival(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	account_queued(dev, ctx, 1);
	ctx->kernel_life -= dev->now;
}

void vgpu_account_kernel(struct vgpu_device *dev, struct vgpu_ksr *ksr,
			 enum vgpu_kernel_state state)
{
	if (ksr->state == VGPU_KERNEL_QUEUED)
		account_queued(dev, ksr->ctx, -1);
	ksr->time[ksr->state] += dev->now - ksr->since;
	ksr->since = dev->now;
	ksr->state = state;
}

static u32 blocks_of(const struct vgpu_ksr *ksr)
{
	u32 sum = 0;
	u32 i;

	for (i = 0; i < VGPU_BLOCK_STATES; i++)
		sum += ksr->blocks_in[i];
	return sum;
}

static void enter_blocks(struct vgpu_device *dev, struct vgpu_ksr *ksr)
{
	u64 elapsed = dev->now - ksr->blocks_since;
	u32 i;

	if (!elapsed)
		return;
	for (i = 0; i < VGPU_BLOCK_STATES; i++)
		ksr->block_time[i] += ksr->blocks_in[i] * elapsed;
	ksr->blocks_since = dev->now;
}

void vgpu_account_blocks(struct vgpu_device *dev, struct vgpu_ksr *ksr, enum vgpu_block_state from,
			 enum vgpu_block_state to, u32 count)
{
	enter_blocks(dev, ksr);
	if (from == VGPU_BLOCK_NONE)
		ksr->block_life -= count * dev->now;
	else
		ksr->blocks_in[from] -= count;
	if (to == VGPU_BLOCK_NONE)
		ksr->block_life += count * dev->now;
	else
		ksr->blocks_in[to] += count;
}

/*
 * Add to @account what its context has of @ksr up to now; the time it was queued is entered
 * elsewhere.
 */
static void add_kernel(const struct vgpu_device *dev, const struct vgpu_ksr *ksr,
		       struct vgpu_account *account)
{
	u64 *const parts[VGPU_BLOCK_STATES] = {
		[VGPU_BLOCK_RUNNING] = &account->block_running,
		[VGPU_BLOCK_PREEMPTED] = &account->block_preempted,
		[VGPU_BLOCK_SAVING] = &account->block_saving,
		[VGPU_BLOCK_RESTORING] = &account->block_restoring,
	};
	u32 i;

	account->kernel_running += ksr->time[VGPU_KERNEL_RUNNING];
	account->kernel_preempted += ksr->time[VGPU_KERNEL_PREEMPTED];
	if (ksr->state == VGPU_KERNEL_RUNNING)
		account->kernel_running += dev->now - ksr->since;
	else if (ksr->state == VGPU_KERNEL_PREEMPTED)
		account->kernel_preempted += dev->now - ksr->since;
	for (i = 0; i < VGPU_BLOCK_STATES; i++)
		*parts[i] +=
			ksr->block_time[i] + ksr->blocks_in[i] * (dev->now - ksr->blocks_since);
}

void vgpu_account_end(struct vgpu_device *dev, struct vgpu_ksr *ksr)
{
	struct vgpu_context *ctx = ksr->ctx;

	vgpu_account_kernel(dev, ksr, ksr->state);
	enter_blocks(dev, ksr);
	ctx->kernel_life += dev->now;
	ctx->block_life += ksr->block_life + blocks_of(ksr) * dev->now;
	add_kernel(dev, ksr, &ctx->account);
}

void vgpu_account_abort(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	ctx->kernel_life += ctx->queued * dev->now;
	account_queued(dev, ctx, -(s32)ctx->queued);
	dev->exec.save_area -= ctx->account.save_area;
	ctx->account.save_area = 0;
}

/* ---- preemption --------------------------------------------------------- */

void vgpu_account_preemption(struct vgpu_device *dev, struct vgpu_ksr *ksr, u64 requested)
{
	u64 latency = dev->now - requested;

	ksr->ctx->account.preemptions++;
	ksr->ctx->account.preemption_time += latency;
	dev->exec.preemptions++;
	dev->exec.preemption_time += latency;
}

void vgpu_account_save(struct vgpu_device *dev, struct vgpu_ksr *ksr, u32 blocks, u64 bytes)
{
	struct vgpu_account *account = &ksr->ctx->account;
	struct vgpu_exec *exec = &dev->exec;

	account->blocks_saved += blocks;
	account->saved_bytes += bytes;
	account->save_area += bytes;
	exec->save_area += bytes;
	if (exec->save_area > exec->save_area_most)
		exec->save_area_most = exec->save_area;
}

void vgpu_account_restored(struct vgpu_device *dev, struct vgpu_ksr *ksr, u64 bytes)
{
	ksr->ctx->account.save_area -= bytes;
	dev->exec.save_area -= bytes;
}

/* ---- asked from outside ------------------------------------------------- */

static void add_account(struct vgpu_account *sum, const struct vgpu_account *account)
{
	u64 *to = (u64 *)sum;
	const u64 *from = (const u64 *)account;
	u32 i;

	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

void vgpu_account_close(struct vgpu_device *dev, const struct vgpu_context *ctx)
{
	add_account(&dev->exec.past, &ctx->account);
}

void vgpu_account_context(const struct vgpu_device *dev, const struct vgpu_context *ctx,
			  struct vgpu_context_info *info)
{
	struct vgpu_account *account = &info->account;
	const struct vgpu_ksr *ksr;
	u32 i;

	*account = ctx->account;
	account->kernel_queued += ctx->queued * (dev->now - ctx->queued_since);
	for (ksr = dev->exec.active_head; ksr; ksr = ksr->next)
		if (ksr->ctx == ctx)
			add_kernel(dev, ksr, account);
	info->instructions = ctx->instructions;
	info->thread_instructions = ctx->thread_instructions;
	for (i = 0; i < dev->config.sms; i++) {
		const struct vgpu_smst *smst = &dev->exec.smst[i];
		const struct vgpu_sm *hw = &dev->sms[i];

		if (!smst->ksr || smst->ksr->ctx != ctx)
			continue;
		*sm_part(account, smst->state) += dev->now - smst->since;
		info->instructions += hw->instructions - smst->instructions;
		info->thread_instructions += hw->thread_instructions - smst->thread_instructions;
	}
	info->sm_time = account->sm_setup + account->sm_running + account->sm_reserved +
			account->sm_saving + account->sm_restoring;
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

int vgpu_device_sm_stats(const struct vgpu_device *dev, u32 sm, struct vgpu_sm_stats *stats)
{
	const struct vgpu_smst *smst;

	if (sm >= dev->config.sms)
		return -ENOENT;
	smst = &dev->exec.smst[sm];
	stats->state = smst->state;
	stats->context = smst->ksr ? smst->ksr->ctx->id : 0;
	memcpy(stats->time, smst->time, sizeof(stats->time));
	stats->time[smst->state] += dev->now - smst->since;
	return 0;
}

void vgpu_device_stats(const struct vgpu_device *dev, struct vgpu_device_stats *stats)
{
	struct vgpu_sm_stats one;
	unsigned int state;
	u32 i;

	memset(stats, 0, sizeof(*stats));
	stats->events = dev->events_fired;
	for (i = 0; !vgpu_device_sm_stats(dev, i, &one); i++)
		for (state = 0; state < VGPU_SM_STATES; state++)
			stats->sm_time[state] += one.time[state];
	stats->preemptions = dev->exec.preemptions;
	stats->preemption_time = dev->exec.preemption_time;
	stats->save_area = dev->exec.save_area;
	stats->save_area_most = dev->exec.save_area_most;
}
