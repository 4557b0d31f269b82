/* SPDX-License-Identifier: MIT */
/*
 * The evaluation of Tanasic chapter 5 (5.3.2 to 5.3.4): contents page. Random mixes of Parboil
 * applications (mixes.c) run under every configuration (run.c), become the figures' averages
 * (figures.c) and are set against what the paper reports (verdict.c) and implies (profile.c).
 */
#ifndef CHAPTER5_H
#define CHAPTER5_H

#include <stdio.h>

#include "tools/workload/parboil.h"
#include "tools/workload/workload.h"

#define SIZES		4		/* of workloads: 2, 4, 6 and 8 processes */
#define SIZE_MOST	8u
#define SETTINGS_MOST	16u		/* --set */
#define CLASSES		3u

/* ---- mixes.c ------------------------------------------------------------ */

/** struct mix - one workload: different applications, one of them of high priority */
struct mix {
	u32 size;
	u32 apps[SIZE_MOST];		/* index into wl_apps */
	u32 favoured;			/* whose priority is high, where priorities are heeded */
	u64 seed;			/* of the device */
};

/*
 * @rounds mixes of 8 and of 6, twice as many of 4, five times as many of 2 but no more than there
 * are pairs, for every application as the favoured one: "all the benchmark applications appear the
 * same number of times as the high-priority process" (5.3.2); the others are drawn without
 * repetition. At most limit[i] of 2 * (i + 1) processes. NULL: no memory.
 */
struct mix *mixes_draw(u64 seed, u32 rounds, const u32 limit[SIZES], u32 *count);

/* ---- run.c -------------------------------------------------------------- */

/*
 * What the figures compare. Under FCFS and DSS all are equal; elsewhere one process has priority,
 * in the transfer engine too. FCFS is the baseline of figures 5.4 and 5.6 to 5.8; FCFS_BATCHES is
 * the other reading of it (fcfs_batch), which has figures and verdicts of its own.
 */
enum config {
	FCFS,
	FCFS_BATCHES,
	NPQ,
	PPQX_DRAIN,
	PPQX_SWITCH,
	PPQS_DRAIN,
	PPQS_SWITCH,
	DSS_DRAIN,
	DSS_SWITCH,
	CONFIGS
};

/** struct config_of - policy, mechanism and transfer policy of a configuration */
struct config_of {
	const char *label, *policy, *preemption, *transfer;
	bool priority, batches;
};
extern const struct config_of configs[CONFIGS];

/**
 * struct result - of one mix under one configuration; plain numbers, so that workers can leave it
 * in shared memory
 */
struct result {
	bool done;
	double ntt[SIZE_MOST];
	double turnaround_us[SIZE_MOST];
	u64 runs[SIZE_MOST];
	double antt, stp, fairness;
	u64 preemptions;
	double latency_us, latency_p99_us;
	double time_us;
	u64 blocks;
};

/**
 * struct assumption - what a study takes the source to mean, or to leave open (docs/experiments.md)
 * @printed_blocks: a thread block takes the "Time/TB" of table 5.2 as it is printed, not the time
 *   that makes a kernel as long as the table says; with @same_length
 * @cpu_percent: CPU time of applications by their class 2, of that in parboil_host.c
 * @variation_percent: how much the times of thread blocks vary, of what parboil_host.c says
 * @longest: SHORT and MEDIUM applications are as long as class 2 lets them be, by a CPU phase at
 *   their end
 * @same_length: CPU time is less or more, so that applications alone are as long as without
 *   @settings and @printed_blocks
 * @settings: of the device: fields of the configuration and knobs
 */
struct assumption {
	bool longest;
	bool printed_blocks;
	bool same_length;
	u32 cpu_percent[CLASSES];	/* enum wl_class */
	u32 variation_percent;
	struct wl_setting settings[SETTINGS_MOST];
	u32 setting_count;
};

/** struct study - everything that ran: results[mix * CONFIGS + config] */
struct study {
	struct assumption assume;
	const struct mix *mixes;
	u32 mix_count;
	u32 repeat;			/* completed runs of every process (5.3.1: 3) */
	bool no_shared;			/* without PPQS_*: figure 5.5b */
	u32 workers;
	bool progress;			/* a line on stderr */
	double isolated_us[WL_APPS];
	double cpu_factor[WL_APPS];	/* of the CPU phases */
	double extra_us[WL_APPS];	/* of CPU time at the end */
	struct result *results;
};

/*
 * Run all of it, in so many processes. -1: said on stderr. What comes out does not depend on the
 * number of workers.
 */
int study_run(struct study *study);
void study_free(struct study *study);

/* Is @config run at all? */
static inline bool study_has(const struct study *study, enum config config)
{
	return !study->no_shared || (config != PPQS_DRAIN && config != PPQS_SWITCH);
}

static inline const struct result *result_of(const struct study *study, u32 mix, enum config config)
{
	return &study->results[mix * CONFIGS + config];
}

/* ---- figures.c ---------------------------------------------------------- */

/** struct average - over mixes or over their processes, with its standard error */
struct average {
	double mean, error;
	u32 count;
};

/** struct row - one number of a figure. Names are those of expected.csv; procs is 2, 4, 6 or 8. */
struct row {
	const char *figure, *metric, *policy, *mechanism, *group;
	u32 procs;
	struct average value;
};

/**
 * struct threshold - what "better ANTT" of figure 5.7 may mean; its rows have this group
 * @below: below so much of the other one
 */
struct threshold {
	const char *group;
	double below;
};
#define THRESHOLDS	3u
extern const struct threshold thresholds[THRESHOLDS];

/** struct figures - all rows */
struct figures {
	struct row *rows;
	u32 count, room;
};

/* @fcfs: the baseline, FCFS or FCFS_BATCHES. -1: no memory. */
int figures_compute(struct figures *figures, const struct study *study, enum config fcfs);
void figures_free(struct figures *figures);
/* NULL: there is no such row. */
const struct row *figures_find(const struct figures *figures, const char *figure,
			       const char *policy, const char *mechanism, const char *group,
			       u32 procs);
int figures_write(const struct figures *figures, const char *path);
/* Figure 5.7: the ANTT of every mix under three configurations, each sorted by itself. */
int figures_write_antt(const struct study *study, u32 size, enum config fcfs, const char *path);
/* One line a process of a mix and configuration: what everything else comes from. */
int figures_write_runs(const struct study *study, const char *path);

/* ---- profile.c ---------------------------------------------------------- */

/*
 * Tables in Markdown: the NTTs of every application among eight, those of the classes against
 * what the paper's numbers imply, and what sharing (5.5b) changes, by who has priority. -1: said on
 * stderr.
 */
int profile_write(const struct study *study, enum config fcfs, const char *path);

/* ---- verdict.c ---------------------------------------------------------- */

/**
 * verdict_write - what the paper reports against what we have, and the orderings it states
 * @expected: the path of expected.csv
 * @path: a table in Markdown
 *
 * -1: a file cannot be read or written, or a line of @expected names nothing that was measured:
 * said on stderr.
 */
int verdict_write(const struct figures *figures, const char *expected, const char *path);

#endif
