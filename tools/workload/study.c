// SPDX-License-Identifier: MIT
/*
 * Workloads: the method of Tanasic 5.3.1. Every process runs alone first, as often as it has to
 * run, then all run together. Alone means on the GPU of today, under fcfs and without preemption,
 * whatever is studied: so that the isolated time, by which everything is divided, is the same for
 * all policies.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workload.h"

static bool same_work(const struct wl_process *a, const struct wl_process *b)
{
	u32 i;

	if (a->repeat != b->repeat || a->phase_count != b->phase_count || !a->cmd != !b->cmd ||
	    a->one_host != b->one_host ||
	    (a->cmd && strcmp(a->cmd, b->cmd)))
		return false;
	for (i = 0; i < a->phase_count; i++) {
		const struct wl_phase *p = &a->phases[i], *q = &b->phases[i];

		if (p->kind != q->kind || p->stream != q->stream || p->amount != q->amount ||
		    p->target != q->target ||
		    memcmp(&p->kernel, &q->kernel, sizeof(p->kernel)))
			return false;
	}
	return true;
}

static int replay(const struct wl_setup *setup, const char *path,
		  const struct wl_process *processes, u32 count, struct wl_outcome *outcome,
		  char *message)
{
	return (setup->replay ? setup->replay : wl_replay)(setup, path, processes, count, outcome,
							   message);
}

/* Process @index alone. One that does the same as an earlier one takes the same time. */
static int run_alone(struct wl_study *study, const struct wl_setup *setup, u32 index, char *message)
{
	const struct wl_job *job = study->job;
	const struct wl_process *process = &job->processes[index];
	struct wl_outcome outcome;
	u32 i;

	for (i = 0; i < index; i++) {
		if (same_work(&job->processes[i], process)) {
			study->isolated[index] = study->isolated[i];
			return 0;
		}
	}
	if (replay(setup, job->path, process, 1, &outcome, message))
		return -1;
	study->isolated[index] = outcome.processes[0];
	wl_outcome_free(&outcome);
	return 0;
}

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int run_all(struct wl_study *study, char *message)
{
	const struct wl_job *job = study->job;
	struct wl_setup alone = *study->setup;
	double start, cpu_start;
	u32 i;

	if (vgpu_config_check(&study->setup->config)) {
		snprintf(message, WL_MESSAGE_BYTES, "the device: %s",
			 vgpu_config_check(&study->setup->config));
		return -1;
	}
	strcpy(alone.config.policy, "fcfs");
	strcpy(alone.config.preemption, "none");
	alone.trace = NULL;
	alone.until_ps = VGPU_NEVER;
	study->isolated = calloc(job->process_count, sizeof(*study->isolated));
	if (!study->isolated) {
		snprintf(message, WL_MESSAGE_BYTES, "%s: out of memory", job->path);
		return -1;
	}
	for (i = 0; i < job->process_count; i++)
		if (run_alone(study, &alone, i, message))
			return -1;
	start = now(CLOCK_MONOTONIC);
	cpu_start = now(CLOCK_PROCESS_CPUTIME_ID);
	if (replay(study->setup, job->path, job->processes, job->process_count, &study->together,
		   message))
		return -1;
	study->seconds = now(CLOCK_MONOTONIC) - start;
	study->cpu_seconds = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
	if (wl_metrics_compute(&study->metrics, study->isolated, study->together.processes,
			       job->process_count)) {
		snprintf(message, WL_MESSAGE_BYTES, "%s: out of memory", job->path);
		return -1;
	}
	return 0;
}

int wl_study_run(struct wl_study *study, const struct wl_job *job, const struct wl_setup *setup,
		 char *message)
{
	u32 i;

	memset(study, 0, sizeof(*study));
	study->job = job;
	study->setup = setup;
	for (i = 0; i < job->process_count; i++) {
		if (!job->processes[i].cmd || setup->replay)
			continue;
		snprintf(
			message, WL_MESSAGE_BYTES,
			"%s:%u: [%s] has cmd=, a real program: that is for vgpu-run; a replayed "
			"process needs app= or phase=",
			job->path, job->processes[i].line, job->processes[i].name);
		return -1;
	}
	if (!run_all(study, message))
		return 0;
	wl_study_free(study);
	return -1;
}

void wl_study_free(struct wl_study *study)
{
	wl_metrics_free(&study->metrics);
	wl_outcome_free(&study->together);
	free(study->isolated);
	study->isolated = NULL;
}
