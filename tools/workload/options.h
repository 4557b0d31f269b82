/* SPDX-License-Identifier: MIT */
/*
 * Workloads: what the command lines of vgpu-sim and vgpu-run share: options, the job file, the
 * device that both ask for, how a study is printed and its trace recorded.
 */
#ifndef WORKLOAD_OPTIONS_H
#define WORKLOAD_OPTIONS_H

#include "workload.h"

#define WL_SETTINGS_MAX	64

/** struct wl_options - the command line; NULL: not given */
struct wl_options {
	const char *tool;		/* its name, in messages */
	const char *gpu, *policy, *preempt, *seed, *until, *trace, *records, *svg, *path;
	struct wl_setting settings[WL_SETTINGS_MAX];
	u32 setting_count;
	bool json, csv, speed, list;
};

/* What is wrong with the command line or the job file. Returns 2. */
int wl_wrong(const struct wl_options *o, const char *what, const char *value, const char *right);
/*
 * Read the command line; without @simulates there is no --until and no --list. -1: go on; else the
 * exit status.
 */
int wl_options_take(struct wl_options *o, int argc, char **argv, const char *usage, bool simulates);
/* The job file that is named. 0, or the exit status. */
int wl_options_job(const struct wl_options *o, struct wl_job *job);
/*
 * The device that is asked for. Settings that are no fields of the configuration stay, as knobs. 0,
 * or the exit status.
 */
int wl_options_setup(struct wl_options *o, const struct wl_job *job, struct wl_setup *setup);
/* Run the study, print it, write its pictures. Returns the exit status. */
int wl_options_study(const struct wl_options *o, const struct wl_job *job, struct wl_setup *setup);

/* ---- record.c ----------------------------------------------------------- */

/** struct wl_recorder - trace records on their way to a picture: in a file, not in memory */
struct wl_recorder {
	const char *tool;
	FILE *file;			/* NULL: nothing is recorded */
	u64 records;
	u64 last_ps;			/* of the last record that was kept */
	bool full;
	bool failed;
};

/*
 * Begin. @path: the file of the records; NULL: an unnamed one. -1: no file, and it was said on
 * stderr.
 */
int wl_record(struct wl_recorder *recorder, const char *tool, const char *path);
/* The trace callback of struct wl_setup; @arg is the recorder. */
void wl_record_take(void *arg, const struct vgpu_trace_record *record);
/* Write what was recorded; paths may be NULL. -1: it failed, and it was said. */
int wl_record_write(struct wl_recorder *recorder, const struct wl_job *job, const char *chrome,
		    const char *svg);
void wl_record_end(struct wl_recorder *recorder);

#endif
