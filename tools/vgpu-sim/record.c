// SPDX-License-Identifier: MIT
/*
 * vgpu-sim: trace records of the run together, kept in an unnamed file in the format of vgpu-trace, whose reader and writers
 * make the pictures.
 */
#include <errno.h>
#include <string.h>

#include "sim.h"
#include "tools/vgpu-trace/trace.h"

/* About two million thread blocks: what a viewer can still open. */
#define RECORDS_MAX	(4u << 20)

int sim_record(struct sim_recorder *recorder)
{
	recorder->file = tmpfile();
	if (recorder->file && fputs(TRACE_MAGIC, recorder->file) >= 0)
		return 0;
	fprintf(stderr, "vgpu-sim: a file for the trace: %s\n", strerror(errno));
	sim_record_end(recorder);
	return -1;
}

void sim_record_take(void *arg, const struct vgpu_trace_record *record)
{
	struct sim_recorder *recorder = arg;

	if (recorder->full || recorder->failed)
		return;
	if (recorder->records == RECORDS_MAX) {
		recorder->full = true;
		return;
	}
	if (fwrite(record, sizeof(*record), 1, recorder->file) != 1)
		recorder->failed = true;
	recorder->records++;
	recorder->last_ps = record->time;
}

static int write_file(const char *path, const struct trace *trace, bool svg)
{
	FILE *file = fopen(path, "w");
	int err;

	if (!file) {
		fprintf(stderr, "vgpu-sim: %s: %s\n", path, strerror(errno));
		return -1;
	}
	err = svg ? trace_svg(trace, "vgpu-sim", file) : trace_chrome(trace, file);
	if (fclose(file) || err) {
		fprintf(stderr, "vgpu-sim: %s could not be written\n", path);
		return -1;
	}
	return 0;
}

/* Contexts are labelled with the number of their process, from 1. */
static void name_processes(struct trace *trace, const struct wl_job *job)
{
	for (size_t i = 0; i < trace->process_count; i++) {
		struct process *p = &trace->processes[i];

		if (p->pid && p->pid <= job->process_count)
			snprintf(p->name, sizeof(p->name), "%s", job->processes[p->pid - 1].name);
	}
}

int sim_record_write(struct sim_recorder *recorder, const struct wl_job *job, const char *chrome, const char *svg)
{
	struct trace trace;
	int err = 0;

	if (recorder->failed || fseek(recorder->file, 0, SEEK_SET)) {
		fprintf(stderr, "vgpu-sim: the file for the trace: %s\n", strerror(errno));
		return -1;
	}
	if (recorder->full)
		fprintf(stderr, "vgpu-sim: the trace ends at %.6f us, after %u records\n",
			(double)recorder->last_ps / 1e6, RECORDS_MAX);
	if (trace_read(recorder->file, "the trace", &trace))
		return -1;
	name_processes(&trace, job);
	if (chrome)
		err |= write_file(chrome, &trace, false);
	if (svg)
		err |= write_file(svg, &trace, true);
	trace_free(&trace);
	return err;
}

void sim_record_end(struct sim_recorder *recorder)
{
	if (recorder->file)
		fclose(recorder->file);
	recorder->file = NULL;
}
