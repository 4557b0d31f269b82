/* SPDX-License-Identifier: MIT */
/*
 * Workloads: contents page. What vgpu-sim and vgpu-run share: job files, the Parboil applications,
 * the replay of processes, the method of Tanasic 5.3.1 (each alone, then all together), the metrics
 * and their output. Times are integer picoseconds; only metrics are computed in floating point,
 * after the model has stopped.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdio.h>

#include "vgpu_device.h"

#define WL_NAME_BYTES		32	/* of processes and kernels, with the zero */
#define WL_MESSAGE_BYTES	512
#define WL_REPEAT \
	3u /* completed runs of each process, unless the job file says otherwise (Tanasic 5.3.1) */
#define WL_STREAMS_MAX		64u
#define WL_TOUCHED_MAX		(1ull << 40)	/* bytes that blocks of a process touch in a run */
#define WL_PROCESSES_MAX	4096u	/* as many as a device can have queues */

/* ---- job files (jobfile.c, phase.c) ------------------------------------- */

enum wl_phase_kind { WL_CPU, WL_H2D, WL_D2H, WL_KERNEL, WL_SYNC, WL_WAIT, WL_PHASE_KINDS };

/** struct wl_phase - one phase of a process */
struct wl_phase {
	enum wl_phase_kind kind;
	/* 0: in order with everything; others run beside each other */
	u32 stream;
	/* sync, wait: the stream that is waited for; 0: all */
	u32 target;
	u32 mark;			/* wait: its place in wl_process.marks */
	u32 line;			/* of the job file, for messages */
	/* picoseconds of a CPU, bytes of a copy, launches of a kernel, 1 */
	u64 amount;
	/* of its first launch in a run; each has memory of its own (walk.h) */
	struct vgpu_cmd_profiled kernel;
	u64 launch_ps;			/* of the host, from announcement to launch; 0: none */
	char name[WL_NAME_BYTES];	/* of the kernel */
	u32 priority;			/* ... among those of its process: VGPU_LAUNCH_PRIORITY */
};

/** struct wl_process - one section of a job file */
struct wl_process {
	char name[WL_NAME_BYTES];
	u32 line;
	u32 priority;			/* a higher number is more important */
	u32 repeat;			/* completed runs wanted */
	u64 arrival_ps;
	char *cmd;			/* a real program; NULL: the phases are replayed */
	char *timing;			/* of its kernels: VGPU_TIMING; NULL: not said */
	u64 memory_budget;		/* bytes of device memory; 0: no limit of its own */
	/* of what its blocks touch: VGPU_ADVICE_SHARED, _NOT_SHARED; _NONE: it does not say */
	u32 sharing;
	/* host=one: one thread of the host issues the phases of all streams in order */
	bool one_host;
	struct wl_phase *phases;
	u32 phase_count;
	/* host=one: what the awaited stream had pushed at each wait phase; of the walk (walk.c) */
	u64 *marks;
};

/** struct wl_job - a job file. Empty strings: not said. */
struct wl_job {
	char *path;
	char gpu[VGPU_NAME_BYTES];
	char policy[VGPU_NAME_BYTES];
	char preempt[VGPU_NAME_BYTES];
	bool has_seed;
	u64 seed;
	struct wl_process *processes;
	u32 process_count;
};

/*
 * Read a job file. -1: it is refused, @message (WL_MESSAGE_BYTES) says "path:line: the key and what
 * would be right".
 */
int wl_job_read(FILE *file, const char *path, struct wl_job *job, char *message);
void wl_job_free(struct wl_job *job);
/* Append @phase to @process. -1: no memory. */
int wl_process_add(struct wl_process *process, const struct wl_phase *phase);
/*
 * Memory that blocks touch is managed memory from this address on, a part for each phase, of which
 * each launch has its own.
 */
#define WL_TOUCHED		(1ull << 33)
/* Bytes that one launch of @kernel touches, and all launches of the phases of @process in a run. */
u64 wl_kernel_touched(const struct vgpu_cmd_profiled *kernel);
u64 wl_process_touched(const struct wl_process *process);
/* The text behind "phase=". -1: it is refused; @why (WL_MESSAGE_BYTES) says why. */
int wl_phase_parse(const char *text, struct wl_phase *phase, char *why);

/* ---- numbers as text (number.c) ----------------------------------------- */

/*
 * A decimal number with at most @decimals digits behind the point, times 10^@decimals: exact, no
 * floating point. -EINVAL: it is none; -ERANGE: too large or too fine.
 */
int wl_decimal(const char *text, unsigned int decimals, u64 *value);
#define WL_US_DECIMALS	6	/* microseconds to picoseconds */

/* ---- the Parboil applications (parboil.c, parboil_host.c) --------------- */

/*
 * Append the phases of application @app to @process. -ENOENT: there is no such application;
 * -ENOMEM.
 */
int wl_app_expand(const char *app, u32 line, struct wl_process *process);
/* Name of application @index for listings, NULL past the end. */
const char *wl_app_name(unsigned int index);

/* ---- replay (replay.c) -------------------------------------------------- */

/** struct wl_setting - "key=value" for the running device */
struct wl_setting {
	const char *key;
	const char *value;
};

struct wl_outcome;

/**
 * struct wl_setup - the device under study
 * @knobs: set before the first process starts
 * @until_ps: stop then, whatever has been completed; VGPU_NEVER: no limit
 * @trace: NULL: nobody listens
 * @replay: what does the same on a real driver; NULL: wl_replay()
 */
struct wl_setup {
	struct vgpu_config config;
	const struct wl_setting *knobs;
	u32 knob_count;
	u64 until_ps;
	u64 copy_max;			/* bytes of one copy command; 0: VGPU_COPY_MAX */
	void (*trace)(void *arg, const struct vgpu_trace_record *record);
	void *trace_arg;
	int (*replay)(const struct wl_setup *setup, const char *path,
		      const struct wl_process *processes, u32 count, struct wl_outcome *outcome,
		      char *message);
};

/**
 * struct wl_process_outcome - what one process did; turnaround is summed over its completed runs
 */
struct wl_process_outcome {
	u64 runs;
	u64 turnaround_ps;
	struct vgpu_context_info info;	/* unfinished runs included */
};

/** struct wl_outcome - of one replay */
struct wl_outcome {
	struct wl_process_outcome *processes;
	/* processes with fewer completed runs than wanted; until_ps came first */
	u32 unfinished;
	/* policy or mechanism from outside that the device went on without, and why; or empty */
	char dropped[256];
	u64 time_ps;			/* when the last wanted run ended */
	struct vgpu_device_stats stats;
	struct vgpu_latency preemptions;
};

/**
 * wl_replay - run @count processes on a new device until each has completed its runs
 *
 * A process that has completed its runs starts again, so that the others keep their company
 * (Tanasic 5.3.1). What a process does is pushed through the same commands a real one would push.
 * -1: @message says what is wrong, with @path and line.
 */
int wl_replay(const struct wl_setup *setup, const char *path, const struct wl_process *processes,
	      u32 count, struct wl_outcome *outcome, char *message);
void wl_outcome_free(struct wl_outcome *outcome);

/* ---- the study of a workload (study.c) and its metrics (metrics.c) ------ */

/** struct wl_process_metrics - times are means over completed runs; see docs/metrics.md */
struct wl_process_metrics {
	double isolated_ps;
	double turnaround_ps;
	double ntt;
};

struct wl_metrics {
	struct wl_process_metrics *processes;
	/* every process has completed runs: the three below say something */
	bool complete;
	double antt;
	double stp;
	double fairness;
};

/** struct wl_study - a workload, each process alone and all together */
struct wl_study {
	const struct wl_job *job;
	const struct wl_setup *setup;
	struct wl_process_outcome *isolated;
	struct wl_outcome together;
	struct wl_metrics metrics;
	double seconds;			/* real time of the run together */
	double cpu_seconds;		/* and of the processor */
};

/* The method of Tanasic 5.3.1. -1: @message says what is wrong. */
int wl_study_run(struct wl_study *study, const struct wl_job *job, const struct wl_setup *setup,
		 char *message);
void wl_study_free(struct wl_study *study);
/* Eyerman and Eeckhout's metrics from isolated and shared runs. -1: no memory. */
int wl_metrics_compute(struct wl_metrics *metrics, const struct wl_process_outcome *isolated,
		       const struct wl_process_outcome *together, u32 count);
void wl_metrics_free(struct wl_metrics *metrics);

/*
 * ---- output (output.c, output_json.c). @speed: with what depends on real time. -1: it could not
 * be written. ----
 */

int wl_print_table(const struct wl_study *study, bool speed, FILE *out);
int wl_print_csv(const struct wl_study *study, bool speed, FILE *out);
int wl_print_json(const struct wl_study *study, bool speed, FILE *out);
/* Of enum vgpu_access_class, and of enum vgpu_sharing */
const char *wl_class_name(u64 access_class);
const char *wl_sharing_name(u64 sharing);

#endif
