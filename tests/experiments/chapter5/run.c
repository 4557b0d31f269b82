// SPDX-License-Identifier: MIT
/*
 * Running the mixes, by the method of Tanasic 5.3.1: every application alone once, then every mix
 * under every configuration until each process has completed its runs. Work is given out to
 * processes of this machine one run at a time; each run is a device of its own, so the order does
 * not matter.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chapter5.h"

const struct config_of configs[CONFIGS] = {
	[FCFS] = { "fcfs", "fcfs", "none", "fcfs", false },
	[FCFS_BATCHES] = { "fcfs batches", "fcfs", "none", "fcfs", false, true },
	[NPQ] = { "npq", "npq", "none", "npq", true },
	[PPQX_DRAIN] = { "ppq-exclusive drain", "ppq-exclusive", "drain", "npq", true },
	[PPQX_SWITCH] = { "ppq-exclusive switch", "ppq-exclusive", "switch", "npq", true },
	[PPQS_DRAIN] = { "ppq-shared drain", "ppq-shared", "drain", "npq", true },
	[PPQS_SWITCH] = { "ppq-shared switch", "ppq-shared", "switch", "npq", true },
	[DSS_DRAIN] = { "dss drain", "dss", "drain", "fcfs", false },
	[DSS_SWITCH] = { "dss switch", "dss", "switch", "fcfs", false },
};

/*
 * One cudaMemcpy() is one command, so that nothing of others comes between. The limit bounds what
 * the device model keeps of the pages: 22 MB for each process.
 */
#define COPY_MOST	(1ull << 30)

/* What the workers share. */
struct board {
	u32 next;			/* run to give out */
	u32 done;
	u64 blocks;
	bool failed;
};

/* The "Time/TB" of table 5.2: kernel time over blocks an SM, as if there were one SM. */
static u64 printed_block_ps(const char *name)
{
	const struct wl_parboil_kernel *kernel = wl_parboil_kernels;

	while (strcmp(kernel->name, name))
		kernel++;
	return kernel->kernel_ps * kernel->tbs_per_sm / kernel->tbs;
}

/* Permille, at most what a job file may say. */
static u32 vary(const struct study *study, const struct wl_phase *phase)
{
	u32 cv = phase->kernel.block_cv_permille * study->assume.variation_percent / 100;

	return cv < 1000 ? cv : 1000;
}

static int make_process(struct wl_process *process, const struct study *study, u32 app,
			u32 priority)
{
	u32 i;
	int err;

	memset(process, 0, sizeof(*process));
	snprintf(process->name, sizeof(process->name), "%s", wl_apps[app].name);
	process->priority = priority;
	process->repeat = study->repeat;
	err = wl_app_expand(wl_apps[app].name, 0, process);
	for (i = 0; i < process->phase_count; i++) {
		struct wl_phase *phase = &process->phases[i];

		if (phase->kind == WL_CPU)
			phase->amount = (u64)((double)phase->amount * study->cpu_factor[app]);
		else if (phase->kind == WL_KERNEL && study->assume.printed_blocks)
			phase->kernel.block_ps = printed_block_ps(phase->name);
		if (phase->kind == WL_KERNEL)
			phase->kernel.block_cv_permille = vary(study, phase);
	}
	if (!err && study->extra_us[app] > 0) {
		struct wl_phase cpu = { .kind = WL_CPU,
					.amount = (u64)(study->extra_us[app] * VGPU_US) };

		err = wl_process_add(process, &cpu);
	}
	return err;
}

/* CPU time of one run of @app, as parboil_host.c has it. */
static double cpu_us(u32 app)
{
	struct wl_process process = {};
	u64 sum = 0;
	u32 i;

	if (!wl_app_expand(wl_apps[app].name, 0, &process))
		for (i = 0; i < process.phase_count; i++)
			sum += process.phases[i].kind == WL_CPU ? process.phases[i].amount : 0;
	free(process.phases);
	return (double)sum / 1e6;
}

static int replay(const struct assumption *assume, const struct config_of *config, u64 seed,
		  const struct wl_process *processes, u32 count, struct wl_outcome *outcome)
{
	struct wl_setting knobs[1 + SETTINGS_MOST] = { { "transfer_policy", config->transfer } };
	struct wl_setup setup = {
		.knobs = knobs, .knob_count = 1, .until_ps = VGPU_NEVER, .copy_max = COPY_MOST
	};
	char message[WL_MESSAGE_BYTES];
	u32 i;

	vgpu_config_preset(&setup.config, "k20c");
	for (i = 0; i < assume->setting_count; i++) {
		const struct wl_setting *set = &assume->settings[i];
		int err = vgpu_config_set(&setup.config, set->key, set->value);

		if (err == -ENOENT) {
			knobs[setup.knob_count++] = *set;
		} else if (err) {
			fprintf(stderr, "chapter5: --set %s=%s: not in its range\n", set->key,
				set->value);
			return -1;
		}
	}
	snprintf(setup.config.policy, sizeof(setup.config.policy), "%s", config->policy);
	snprintf(setup.config.preemption, sizeof(setup.config.preemption), "%s",
		 config->preemption);
	if (config->batches)
		setup.config.fcfs_batch = 1;
	setup.config.seed = seed;
	if (!wl_replay(&setup, "chapter5", processes, count, outcome, message))
		return 0;
	fprintf(stderr, "chapter5: %s\n", message);
	return -1;
}

static double microseconds(u64 ps)
{
	return (double)ps / 1e6;
}

/* How long one run of @app takes alone, microseconds; below 0: it failed. */
static double alone(const struct study *study, u32 app)
{
	struct wl_process process;
	struct wl_outcome outcome;
	int err = make_process(&process, study, app, 0);
	double us;

	if (!err)
		err = replay(&study->assume, &configs[FCFS], 1, &process, 1, &outcome);
	free(process.phases);
	if (err)
		return -1;
	us = microseconds(outcome.processes[0].turnaround_ps) / (double)outcome.processes[0].runs;
	wl_outcome_free(&outcome);
	return us;
}

/* Class 2: SHORT below 5 ms, MEDIUM up to 115 ms; nothing bounds LONG. */
static double longest_us(u32 app)
{
	switch (wl_apps[app].class2) {
	case WL_SHORT:
		return 4950;
	case WL_MEDIUM:
		return 115000;
	default:
		return 0;
	}
}

static int run_alone(struct study *study)
{
	const struct assumption assume = study->assume;
	u32 app;

	for (app = 0; app < WL_APPS; app++) {
		double whole, cpu = cpu_us(app);

		study->assume.printed_blocks = false;
		if (assume.same_length)
			study->assume.setting_count = 0;
		study->cpu_factor[app] = assume.cpu_percent[wl_apps[app].class2] / 100.0;
		whole = alone(study, app);
		study->assume = assume;
		study->isolated_us[app] = alone(study, app);
		if (assume.same_length && cpu > 0 && whole > 0) {
			study->cpu_factor[app] += (whole - study->isolated_us[app]) / cpu;
			if (study->cpu_factor[app] < 0)
				study->cpu_factor[app] = 0;
			study->isolated_us[app] = alone(study, app);
		}
		if (assume.longest && study->isolated_us[app] > 0 &&
		    study->isolated_us[app] < longest_us(app)) {
			study->extra_us[app] = longest_us(app) - study->isolated_us[app];
			study->isolated_us[app] = alone(study, app);
		}
		if (whole < 0 || study->isolated_us[app] < 0)
			return -1;
	}
	return 0;
}

/* Eyerman and Eeckhout's metrics (docs/metrics.md), against the applications alone. */
static void fill_result(struct result *result, const struct study *study, const struct mix *mix,
			const struct wl_outcome *outcome)
{
	double least = 0, most = 0;
	u32 i;

	memset(result, 0, sizeof(*result));
	for (i = 0; i < mix->size; i++) {
		const struct wl_process_outcome *process = &outcome->processes[i];
		double ntt;

		result->runs[i] = process->runs;
		result->turnaround_us[i] =
			microseconds(process->turnaround_ps) / (double)process->runs;
		ntt = result->turnaround_us[i] / study->isolated_us[mix->apps[i]];
		result->ntt[i] = ntt;
		result->antt += ntt / mix->size;
		result->stp += 1 / ntt;
		least = !i || ntt < least ? ntt : least;
		most = !i || ntt > most ? ntt : most;
		result->blocks += process->info.blocks;
	}
	result->fairness = least / most;
	result->preemptions = outcome->preemptions.count;
	if (outcome->preemptions.count)
		result->latency_us = microseconds(outcome->preemptions.total_ps) /
				     (double)outcome->preemptions.count;
	result->latency_p99_us = microseconds(vgpu_latency_percentile(&outcome->preemptions, 99));
	result->time_us = microseconds(outcome->time_ps);
	result->done = true;
}

static int run_one(const struct study *study, u32 index, struct result *result)
{
	const struct mix *mix = &study->mixes[index / CONFIGS];
	const struct config_of *config = &configs[index % CONFIGS];
	struct wl_process processes[SIZE_MOST];
	struct wl_outcome outcome;
	int err = 0;
	u32 i;

	memset(processes, 0, sizeof(processes));
	for (i = 0; i < mix->size && !err; i++)
		err = make_process(&processes[i], study, mix->apps[i],
				   config->priority && i == mix->favoured);
	if (!err)
		err = replay(&study->assume, config, mix->seed, processes, mix->size, &outcome);
	for (i = 0; i < mix->size; i++)
		free(processes[i].phases);
	if (err)
		return -1;
	fill_result(result, study, mix, &outcome);
	wl_outcome_free(&outcome);
	return 0;
}

static void work(const struct study *study, struct board *board)
{
	u32 total = study->mix_count * CONFIGS, index;

	while (!board->failed &&
	       (index = __atomic_fetch_add(&board->next, 1, __ATOMIC_RELAXED)) < total) {
		if (!study_has(study, (enum config)(index % CONFIGS)))
			continue;
		if (run_one(study, index, &study->results[index])) {
			board->failed = true;
			return;
		}
		__atomic_fetch_add(&board->blocks, study->results[index].blocks, __ATOMIC_RELAXED);
		__atomic_fetch_add(&board->done, 1, __ATOMIC_RELEASE);
	}
}

static u32 total_runs(const struct study *study)
{
	u32 c, of_mix = 0;

	for (c = 0; c < CONFIGS; c++)
		of_mix += study_has(study, (enum config)c);
	return study->mix_count * of_mix;
}

/* On a terminal a line that changes, elsewhere a line every half a minute. */
static void progress(const struct study *study, const struct board *board, time_t started)
{
	static long said = -1;
	u32 total = total_runs(study),
	    done = __atomic_load_n(&board->done, __ATOMIC_ACQUIRE);
	long seconds = (long)(time(NULL) - started), step = isatty(STDERR_FILENO) ? 1 : 30;

	if (seconds / step == said && done < total)
		return;
	said = seconds / step;
	fprintf(stderr, "%schapter5: %u of %u runs, %llu million thread blocks, %ld:%02ld%s",
		step == 1 ? "\r" : "", done, total,
		(unsigned long long)__atomic_load_n(&board->blocks, __ATOMIC_RELAXED) / 1000000,
		seconds / 60, seconds % 60, step > 1 ? "\n" : " ");
}

static int run_in_workers(struct study *study, struct board *board)
{
	time_t started = time(NULL);
	u32 i, left = 0;
	int status;

	fflush(NULL);
	for (i = 0; i < study->workers; i++) {
		pid_t pid = fork();

		if (!pid) {
			work(study, board);
			_exit(board->failed);
		}
		left += pid > 0;
	}
	if (!left)
		work(study, board);
	while (left) {
		pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid > 0) {
			left--;
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				board->failed = true;
			continue;
		}
		usleep(200000);
		if (study->progress)
			progress(study, board, started);
	}
	if (study->progress && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	return board->failed || board->done != total_runs(study) ? -1 : 0;
}

static void *shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	fprintf(stderr, "chapter5: %zu bytes for the results: %s\n", bytes, strerror(errno));
	return NULL;
}

int study_run(struct study *study)
{
	struct board *board = shared(sizeof(*board));
	int err;

	study->results = shared(study->mix_count * CONFIGS * sizeof(*study->results));
	if (!board || !study->results)
		return -1;
	err = run_alone(study);
	if (!err)
		err = run_in_workers(study, board);
	munmap(board, sizeof(*board));
	return err;
}

void study_free(struct study *study)
{
	if (study->results)
		munmap(study->results, study->mix_count * CONFIGS * sizeof(*study->results));
	study->results = NULL;
}
