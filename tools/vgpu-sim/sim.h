/* SPDX-License-Identifier: MIT */
/*
 * vgpu-sim: contents page. main.c reads the command line; record.c keeps trace records and hands them to the writers of
 * vgpu-trace; list.c prints what there is to choose from.
 */
#ifndef VGPU_SIM_H
#define VGPU_SIM_H

#include "tools/workload/workload.h"

/** struct sim_recorder - trace records on their way to a picture: in an unnamed file, not in memory */
struct sim_recorder {
	FILE *file;			/* NULL: nothing is recorded */
	u64 records;
	u64 last_ps;			/* of the last record that was kept */
	bool full;
	bool failed;
};

/* Begin. -1: no file, and it was said on stderr. */
int sim_record(struct sim_recorder *recorder);
/* The trace callback of struct wl_setup; @arg is the recorder. */
void sim_record_take(void *arg, const struct vgpu_trace_record *record);
/* Write what was recorded; paths may be NULL. -1: it failed, and it was said. */
int sim_record_write(struct sim_recorder *recorder, const struct wl_job *job, const char *chrome, const char *svg);
void sim_record_end(struct sim_recorder *recorder);

int sim_list(FILE *out);

#endif
