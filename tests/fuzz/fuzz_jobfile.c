// SPDX-License-Identifier: MIT
/*
 * Fuzz target: job files. Covers the reader of vgpu-sim and vgpu-run (tools/workload/jobfile.c,
 * phase.c, number.c), the applications it expands, and the replay of what was read (replay.c,
 * walk.c) where that is short. A refusal has a message that begins with file and line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/workload/workload.h"

#define PROCESSES_MAX	8u
#define PHASES_MAX	16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Does every step take long enough for a bounded virtual time to be a bounded number of steps? */
static bool is_short(const struct wl_job *job)
{
	if (job->process_count > PROCESSES_MAX)
		return false;
	for (u32 n = 0; n < job->process_count; n++) {
		const struct wl_process *process = &job->processes[n];

		if (process->cmd || process->phase_count > PHASES_MAX)
			return false;
		for (u32 p = 0; p < process->phase_count; p++) {
			const struct wl_phase *phase = &process->phases[p];

			if (phase->kind == WL_CPU && phase->amount < VGPU_US)
				return false;
			if ((phase->kind == WL_H2D || phase->kind == WL_D2H) &&
			    phase->amount < VGPU_PAGE_SIZE)
				return false;
			if (phase->kind == WL_KERNEL && phase->kernel.block_ps < VGPU_US)
				return false;
		}
	}
	return true;
}

static void replay(const struct wl_job *job)
{
	struct wl_setup setup = { .until_ps = 100 * VGPU_US };
	char message[WL_MESSAGE_BYTES] = "";
	struct wl_outcome outcome;

	if (vgpu_config_preset(&setup.config, *job->gpu ? job->gpu : "k20c"))
		return;
	if (*job->policy && vgpu_config_set(&setup.config, "policy", job->policy))
		abort();
	if (*job->preempt && vgpu_config_set(&setup.config, "preemption", job->preempt))
		abort();
	if (vgpu_config_check(&setup.config))
		return;
	if (job->has_seed)
		setup.config.seed = job->seed;
	if (!wl_replay(&setup, job->path, job->processes, job->process_count, &outcome, message))
		wl_outcome_free(&outcome);
	else if (!message[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[WL_MESSAGE_BYTES];
	struct wl_job job;
	FILE *file;

	if (!size)
		return -1;
	file = fmemopen((void *)data, size, "r");
	if (!file)
		abort();
	if (wl_job_read(file, "job", &job, message)) {
		if (strncmp(message, "job:", 4))
			abort();
	} else {
		if (!job.process_count)
			abort();
		if (is_short(&job))
			replay(&job);
		wl_job_free(&job);
	}
	fclose(file);
	return 0;
}
