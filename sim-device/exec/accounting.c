// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accounts: how long every SM, kernel and thread block was in which state, and for whom. Time is
 * entered when a state ends, so that the sums close exactly. SMs keep theirs in the SMST, kernels
 * and blocks in the KSR until the kernel ends, contexts all of it.
 *
 * What launches do is counted where they do it; the last part begins and ends that.
 *
 * What does not change is not touched: a block that follows another one in its slot costs nothing
 * here.
 */
#include "../sim/text.h"
#include "exec.h"

/* What @account has for SMs in @state; not for idle ones, which belong to nobody. */
static u64 *sm_part(struct vgpu_account *account, enum vgpu_sm_state state)
{
	static const u16 parts[VGPU_SM_STATES] = {
		[VGPU_SM_SETUP] = offsetof(struct vgpu_account, sm_setup),
		[VGPU_SM_RUNNING] = offsetof(struct vgpu_account, sm_running),
		[VGPU_SM_RESERVED] = offsetof(struct vgpu_account, sm_reserved),
		[VGPU_SM_SAVING] = offsetof(struct vgpu_account, sm_saving),
		[VGPU_SM_RESTORING] = offsetof(struct vgpu_account, sm_restoring),
	};

	return (u64 *)((u8 *)account + parts[state]);
}

/* The dominant share of its SM that @resident has. */
static u64 weight_of(const struct vgpu_sharer *resident, const struct vgpu_resources *all)
{
	struct vgpu_resources used = {};

	vgpu_resources_add(&used, &resident->ksr->needs, resident->blocks);
	return vgpu_resources_share(&used, all);
}

/*
 * What of @elapsed is the part of @resident, by the dominant shares of all on its SM. Their parts
 * add up to @elapsed.
 */
static u64 part_of(const struct vgpu_exec *exec, const struct vgpu_sharer *resident, u64 elapsed)
{
	const struct vgpu_smst *smst = resident->smst;
	const struct vgpu_sharer *other;
	u64 sum = 0, before = 0, weight = 0;
	struct vgpu_resources all;

	vgpu_exec_sm_resources(exec, vgpu_smst_number(smst), &all);
	vgpu_list_for_each(other, &smst->residents, struct vgpu_sharer, node) {
		if (other == resident) {
			before = sum;
			weight = weight_of(other, &all);
		}
		sum += weight_of(other, &all);
	}
	return vgpu_mul_div(elapsed, before + weight, sum) - vgpu_mul_div(elapsed, before, sum);
}

/* Not inline, and called last: an SM of one kernel would save registers for it. */
static __attribute__((__noinline__)) void add_residents(struct vgpu_exec *exec,
							const struct vgpu_smst *smst,
							enum vgpu_sm_state state, u64 elapsed)
{
	const struct vgpu_sharer *resident;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		*sm_part(&resident->ksr->ctx->account, state) += part_of(exec, resident, elapsed);
}

void vgpu_account_sm(struct vgpu_exec *exec, u32 sm, enum vgpu_sm_state state)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_sm *hw = &exec->sms[sm];
	u64 elapsed = exec->sim->now - smst->since;
	enum vgpu_sm_state before = smst->state;

	smst->time[before] += elapsed;
	if (smst->ksr) {
		struct vgpu_exec_context *ctx = smst->ksr->ctx;

		*sm_part(&ctx->account, before) += elapsed;
		/* profiled kernels have none */
		if (hw->instructions != smst->instructions) {
			ctx->instructions += hw->instructions - smst->instructions;
			ctx->thread_instructions +=
				hw->thread_instructions - smst->thread_instructions;
		}
	}
	smst->since = exec->sim->now;
	if (hw->instructions != smst->instructions) {
		smst->instructions = hw->instructions;
		smst->thread_instructions = hw->thread_instructions;
	}
	smst->state = state;
	if (unlikely(vgpu_smst_is_shared(smst)))
		add_residents(exec, smst, before, elapsed);
}

void vgpu_account_residents(struct vgpu_exec *exec, u32 sm)
{
	vgpu_account_sm(exec, sm, exec->smst[sm].state);
}

void vgpu_account_block(struct vgpu_block *block)
{
	struct vgpu_exec_context *ctx = vgpu_ksr_of(block->launch)->ctx;
	struct vgpu_block_count count = vgpu_block_count(block);

	ctx->instructions += count.instructions;
	ctx->thread_instructions += count.thread_instructions;
	vgpu_block_count_again(block);
}

/* ---- kernels ------------------------------------------------------------ */

/* @change kernels of @ctx more are queued from now on. */
static void account_queued(struct vgpu_exec *exec, struct vgpu_exec_context *ctx, s32 change)
{
	ctx->account.kernel_queued += ctx->queued * (exec->sim->now - ctx->queued_since);
	ctx->queued_since = exec->sim->now;
	ctx->queued += (u32)change;
}

void vgpu_account_arrival(struct vgpu_exec *exec, struct vgpu_exec_context *ctx)
{
	account_queued(exec, ctx, 1);
	ctx->kernel_life -= exec->sim->now;
}

void vgpu_account_kernel(struct vgpu_exec *exec, struct vgpu_ksr *ksr,
			 enum vgpu_kernel_state state)
{
	if (ksr->state == VGPU_KERNEL_QUEUED)
		account_queued(exec, ksr->ctx, -1);
	ksr->time[ksr->state] += exec->sim->now - ksr->since;
	ksr->since = exec->sim->now;
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

/*
 * The time in a state is the sum of the times at which blocks left it minus the sum of those at
 * which they came; who is still there leaves now.
 */
void vgpu_account_blocks(struct vgpu_exec *exec, struct vgpu_ksr *ksr, enum vgpu_block_state from,
			 enum vgpu_block_state to, u32 count)
{
	u64 times = count * exec->sim->now;

	if (from == VGPU_BLOCK_NONE) {
		ksr->block_life -= times;
	} else {
		ksr->blocks_in[from] -= count;
		ksr->block_time[from] += times;
		if (unlikely(ksr->ctx->throttled) && from == VGPU_BLOCK_RUNNING)
			vgpu_throttle_look(exec);
	}
	if (to == VGPU_BLOCK_NONE) {
		ksr->block_life += times;
	} else {
		ksr->blocks_in[to] += count;
		ksr->block_time[to] -= times;
	}
}

/*
 * Add to @account what its context has of @ksr up to now; the time it was queued is entered
 * elsewhere.
 */
static void add_kernel(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr,
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
		account->kernel_running += exec->sim->now - ksr->since;
	else if (ksr->state == VGPU_KERNEL_PREEMPTED)
		account->kernel_preempted += exec->sim->now - ksr->since;
	for (i = 0; i < VGPU_BLOCK_STATES; i++)
		*parts[i] += ksr->block_time[i] + ksr->blocks_in[i] * exec->sim->now;
}

void vgpu_account_end(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	struct vgpu_exec_context *ctx = ksr->ctx;

	vgpu_account_kernel(exec, ksr, ksr->state);
	ctx->kernel_life += exec->sim->now;
	ctx->block_life += ksr->block_life + blocks_of(ksr) * exec->sim->now;
	add_kernel(exec, ksr, &ctx->account);
}

void vgpu_account_abort(struct vgpu_exec *exec, struct vgpu_exec_context *ctx)
{
	ctx->kernel_life += ctx->queued * exec->sim->now;
	account_queued(exec, ctx, -(s32)ctx->queued);
	exec->save_area -= ctx->account.save_area;
	ctx->account.save_area = 0;
}

/* ---- preemption --------------------------------------------------------- */

void vgpu_account_preemption(struct vgpu_exec *exec, struct vgpu_ksr *ksr, u32 sm, u64 requested)
{
	u64 latency = exec->sim->now - requested;

	ksr->ctx->account.preemptions++;
	ksr->ctx->account.preemption_time += latency;
	exec->preemptions++;
	exec->preemption_time += latency;
	vgpu_ksr_count(ksr, sm, VGPU_COUNT_PREEMPTIONS, 1);
	vgpu_ksr_count(ksr, sm, VGPU_COUNT_PREEMPTION_TIME, latency);
}

void vgpu_account_save(struct vgpu_exec *exec, struct vgpu_ksr *ksr, u32 sm, u32 blocks, u64 bytes)
{
	struct vgpu_account *account = &ksr->ctx->account;

	account->blocks_saved += blocks;
	account->saved_bytes += bytes;
	vgpu_ksr_count(ksr, sm, VGPU_COUNT_BLOCKS_SAVED, blocks);
	vgpu_ksr_count(ksr, sm, VGPU_COUNT_SAVED_BYTES, bytes);
	account->save_area += bytes;
	exec->save_area += bytes;
	if (exec->save_area > exec->save_area_most)
		exec->save_area_most = exec->save_area;
}

void vgpu_account_flush(struct vgpu_ksr *ksr, u32 sm, u64 ran)
{
	vgpu_ksr_count(ksr, sm, VGPU_COUNT_BLOCKS_FLUSHED, 1);
	vgpu_ksr_count(ksr, sm, VGPU_COUNT_FLUSHED_TIME, ran);
	ksr->ctx->account.blocks_flushed++;
	ksr->ctx->account.flushed_time += ran;
}

void vgpu_account_left(struct vgpu_exec *exec, struct vgpu_ksr *ksr, enum vgpu_leave how,
		       const struct vgpu_told *told, u64 lost)
{
	struct vgpu_account *account = &ksr->ctx->account;

	account->blocks_drained += how == VGPU_LEAVE_DRAIN;
	if (told->latency == VGPU_NEVER)
		return;
	account->leave_estimated += told->latency;
	account->leave_time += exec->sim->now - told->time;
	account->lost_estimated += told->lost;
	account->lost_time += lost;
}

void vgpu_account_restored(struct vgpu_exec *exec, struct vgpu_ksr *ksr, u64 bytes)
{
	ksr->ctx->account.save_area -= bytes;
	exec->save_area -= bytes;
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

void vgpu_account_close(struct vgpu_exec *exec, const struct vgpu_exec_context *ctx)
{
	add_account(&exec->past, &ctx->account);
}

/* Add what @ctx has of shared @smst, and has executed there, since it was last accounted. */
static void add_shared(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx,
		       const struct vgpu_smst *smst, struct vgpu_context_info *info)
{
	u64 elapsed = exec->sim->now - smst->since;
	const struct vgpu_sharer *resident;
	const struct vgpu_block *block;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		if (resident->ksr->ctx == ctx)
			*sm_part(&info->account, smst->state) += part_of(exec, resident, elapsed);
	vgpu_list_for_each(block, &exec->sms[vgpu_smst_number(smst)].resident, struct vgpu_block,
			   node) {
		struct vgpu_block_count count = vgpu_block_count(block);

		if (vgpu_ksr_of(block->launch)->ctx != ctx)
			continue;
		info->instructions += count.instructions;
		info->thread_instructions += count.thread_instructions;
	}
}

void vgpu_account_context(const struct vgpu_exec *exec,
			  const struct vgpu_exec_context *ctx,
			  struct vgpu_context_info *info)
{
	struct vgpu_account *account = &info->account;
	const struct vgpu_ksr *ksr;
	u32 i;

	*account = ctx->account;
	account->kernel_queued += ctx->queued * (exec->sim->now - ctx->queued_since);
	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node)
		if (ksr->ctx == ctx)
			add_kernel(exec, ksr, account);
	info->instructions = ctx->instructions;
	info->thread_instructions = ctx->thread_instructions;
	for (i = 0; i < exec->config->sms; i++) {
		const struct vgpu_smst *smst = &exec->smst[i];
		const struct vgpu_sm *hw = &exec->sms[i];

		if (vgpu_smst_is_shared(smst))
			add_shared(exec, ctx, smst, info);
		if (!smst->ksr || smst->ksr->ctx != ctx)
			continue;
		*sm_part(account, smst->state) += exec->sim->now - smst->since;
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

int vgpu_exec_sm_stats(const struct vgpu_exec *exec, u32 sm, struct vgpu_sm_stats *stats)
{
	const struct vgpu_smst *smst;

	if (sm >= exec->config->sms)
		return -ENOENT;
	smst = &exec->smst[sm];
	stats->state = smst->state;
	stats->context = smst->ksr ? smst->ksr->ctx->sched.id : vgpu_residents_first(smst);
	memcpy(stats->time, smst->time, sizeof(stats->time));
	stats->time[smst->state] += exec->sim->now - smst->since;
	return 0;
}

/* ---- counters of launches (vgpu_counters.h) ------------------------------- */

/*
 * A launch has some from its admission on, if the knob kernel_statistics says so then; when it
 * leaves the active queue the host gets them, and the trace has their sums. Those of an entry of
 * the KSRT are made when they are first needed, and are kept for its next launch.
 */
#define PIECE	3u	/* values in a trace record */

int vgpu_counts_init(struct vgpu_exec *exec, u32 kernels)
{
	exec->counters = vgpu_mem_alloc_device(kernels * sizeof(struct vgpu_counters *));
	exec->counters_room = exec->counters ? kernels : 0;
	return exec->counters ? 0 : -ENOMEM;
}

void vgpu_counts_fini(struct vgpu_exec *exec)
{
	while (exec->counters_room)
		vgpu_mem_free_device(exec->counters[--exec->counters_room]);
	vgpu_mem_free_device(exec->counters);
}

void vgpu_counts_make(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	struct vgpu_counters **made = &exec->counters[ksr - exec->ksrt];
	u32 sms = exec->config->sms;

	if (!*made)
		*made = vgpu_mem_alloc_device(sms * sizeof(**made));
	/* without memory it is not counted */
	if (!*made)
		return;
	memset(*made, 0, sms * sizeof(**made));
	for (u32 sm = 0; sm < sms; sm++)
		(*made)[sm].launch = ksr->launch.id;
	ksr->launch.counters = *made;
	exec->counted++;
}

static enum vgpu_counter_needs needs_of(enum vgpu_counter counter)
{
	static const u8 needs[VGPU_COUNTER_COUNT] = {
#define VGPU_COUNTER_NEEDS(NAME, name, needs, metric, text) VGPU_COUNTER_##needs,
		VGPU_COUNTERS(VGPU_COUNTER_NEEDS)
#undef VGPU_COUNTER_NEEDS
	};

	return (enum vgpu_counter_needs)needs[counter];
}

bool vgpu_counter_exists(const struct vgpu_config *config, enum vgpu_counter counter)
{
	bool pipeline = config->timing_by_kernel || vgpu_text_is(config->timing, "pipeline");

	switch (needs_of(counter)) {
	case VGPU_COUNTER_L2_TLB:
		return config->l2_tlb_entries;
	case VGPU_COUNTER_PIPELINE:
		return pipeline;
	case VGPU_COUNTER_CACHES:
		return pipeline && vgpu_text_is(config->memory_model, "caches");
	case VGPU_COUNTER_COHERENCE:
		return pipeline && vgpu_text_is(config->memory_model, "caches") &&
		       !vgpu_text_is(config->coherence, "gpu");
	default:
		return true;
	}
}

bool vgpu_launch_counts_has(const struct vgpu_config *config,
			    const struct vgpu_launch_counts *counts, enum vgpu_counter counter)
{
	return vgpu_counter_exists(config, counter) &&
	       (counts->pipelined || needs_of(counter) < VGPU_COUNTER_PIPELINE);
}

/* The sum over all SMs; ~0: it is not counted. */
static u64 sum_of(const struct vgpu_config *config, const struct vgpu_launch_counts *counts,
		  u32 counter)
{
	u64 sum = 0;

	if (counter >= VGPU_COUNTER_COUNT ||
	    !vgpu_launch_counts_has(config, counts, (enum vgpu_counter)counter))
		return ~0ull;
	for (u32 sm = 0; sm < counts->sms; sm++)
		sum += counts->sm[sm].value[counter];
	return sum;
}

static void trace(const struct vgpu_exec *exec, const struct vgpu_launch_counts *counts)
{
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n += PIECE) {
		struct vgpu_trace_record record = {
			.type = VGPU_TRACE_KERNEL_COUNTS,
			.sm = VGPU_NO_SM,
			.context = counts->context,
			.queue = n,
			.kernel = counts->launch,
			.seq = sum_of(exec->config, counts, n),
			.a = sum_of(exec->config, counts, n + 1),
			.b = sum_of(exec->config, counts, n + 2),
		};

		vgpu_trace_emit(exec->trace, &record);
	}
}

void vgpu_counts_tell(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	struct vgpu_launch *launch = &ksr->launch;
	const struct vgpu_timing *timing = vgpu_timing_of(launch->kind);
	struct vgpu_launch_counts counts = {
		.launch = launch->id,
		.context = ksr->ctx->sched.id,
		.queue = ksr->job->queue,
		.seq = ksr->job->seq,
		.name = launch->kernel ? launch->kernel->name : NULL,
		.registers = launch->regs_per_block,
		.shared_bytes = launch->shared_bytes,
		.warps = (launch->threads + 31) / 32,
		.occupancy = ksr->occupancy,
		.submitted = ksr->job->submitted,
		.ended = exec->sim->now,
		.preempted_ps = ksr->time[VGPU_KERNEL_PREEMPTED],
		.pipelined = timing && vgpu_text_is(timing->name, "pipeline"),
		.complete = ksr->ended == launch->blocks,
		.sms = exec->config->sms,
		.sm = launch->counters,
	};

	exec->counted--;
	if (ksr->started)
		counts.started = ksr->job->arrived + ksr->time[VGPU_KERNEL_QUEUED];
	memcpy(counts.grid, launch->grid, sizeof(counts.grid));
	memcpy(counts.block, launch->block, sizeof(counts.block));
	/* of one that never began there are no other records */
	if (unlikely(exec->trace->on) && ksr->started)
		trace(exec, &counts);
	exec->ops->counted(exec->owner, &counts);
	for (u32 sm = 0; sm < exec->config->sms; sm++)
		launch->counters[sm].launch = 0;
	launch->counters = NULL;
}
