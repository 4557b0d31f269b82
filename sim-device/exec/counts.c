// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Counters of launches (vgpu_counters.h): a launch has some from its admission on, if the knob
 * kernel_statistics says so then; when it leaves the active queue the host gets them, and the
 * trace has their sums. Those of an entry of the KSRT are made when they are first needed, and are
 * kept for its next launch.
 */
#include "../sim/text.h"
#include "exec.h"

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

void vgpu_counts_begin(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	struct vgpu_counters **made = &exec->counters[ksr - exec->ksrt];
	u32 sms = exec->config->sms;

	if (likely(!exec->config->kernel_statistics))
		return;
	if (!*made)
		*made = vgpu_mem_alloc_device(sms * sizeof(**made));
	/* without memory it is not counted */
	if (!*made)
		return;
	memset(*made, 0, sms * sizeof(**made));
	for (u32 sm = 0; sm < sms; sm++)
		(*made)[sm].launch = ksr->launch.id;
	ksr->launch.counters = *made;
}

bool vgpu_counter_exists(const struct vgpu_config *config, enum vgpu_counter counter)
{
	static const u8 needs[VGPU_COUNTER_COUNT] = {
#define VGPU_COUNTER_NEEDS(NAME, name, needs, metric, text) VGPU_COUNTER_##needs,
		VGPU_COUNTERS(VGPU_COUNTER_NEEDS)
#undef VGPU_COUNTER_NEEDS
	};
	bool pipeline = vgpu_text_is(config->timing, "pipeline");

	switch (needs[counter]) {
	case VGPU_COUNTER_L2_TLB:
		return config->l2_tlb_entries;
	case VGPU_COUNTER_PIPELINE:
		return pipeline;
	case VGPU_COUNTER_CACHES:
		return pipeline && vgpu_text_is(config->memory_model, "caches");
	default:
		return true;
	}
}

/* The sum over all SMs; ~0: the device does not count it. */
static u64 sum_of(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr, u32 counter)
{
	u64 sum = 0;

	if (counter >= VGPU_COUNTER_COUNT ||
	    !vgpu_counter_exists(exec->config, (enum vgpu_counter)counter))
		return ~0ull;
	for (u32 sm = 0; sm < exec->config->sms; sm++)
		sum += ksr->launch.counters[sm].value[counter];
	return sum;
}

static void trace(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr)
{
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n += PIECE) {
		struct vgpu_trace_record record = {
			.type = VGPU_TRACE_KERNEL_COUNTS,
			.sm = VGPU_NO_SM,
			.context = ksr->ctx->sched.id,
			.queue = n,
			.kernel = ksr->launch.id,
			.seq = sum_of(exec, ksr, n),
			.a = sum_of(exec, ksr, n + 1),
			.b = sum_of(exec, ksr, n + 2),
		};

		vgpu_trace_emit(exec->trace, &record);
	}
}

void vgpu_counts_end(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	struct vgpu_launch *launch = &ksr->launch;
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
		.complete = ksr->ended == launch->blocks,
		.sms = exec->config->sms,
		.sm = launch->counters,
	};

	if (likely(!launch->counters))
		return;
	if (ksr->started)
		counts.started = ksr->job->arrived + ksr->time[VGPU_KERNEL_QUEUED];
	memcpy(counts.grid, launch->grid, sizeof(counts.grid));
	memcpy(counts.block, launch->block, sizeof(counts.block));
	if (unlikely(exec->trace->on))
		trace(exec, ksr);
	exec->ops->counted(exec->owner, &counts);
	for (u32 sm = 0; sm < exec->config->sms; sm++)
		launch->counters[sm].launch = 0;
	launch->counters = NULL;
}
