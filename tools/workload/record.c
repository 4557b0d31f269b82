// SPDX-License-Identifier: MIT
/*
 * Workloads: trace records of the run together, kept in a file in the format of vgpu-trace, whose
 * reader and writers make the pictures. Only tools that are linked with those use this file.
 */
#include <errno.h>
#include <string.h>

#include "tools/vgpu-trace/trace.h"
#include "options.h"

/* About two million thread blocks: what a viewer can still open. */
#define RECORDS_MAX	(4u << 20)

int wl_record(struct wl_recorder *recorder, const char *tool, const char *path)
{
	recorder->tool = tool;
	recorder->file = path ? fopen(path, "w+") : tmpfile();
	if (recorder->file && fputs(TRACE_MAGIC, recorder->file) >= 0)
		return 0;
	fprintf(stderr, "%s: %s: %s\n", recorder->tool, path ? path : "a file for the trace",
		strerror(errno));
	wl_record_end(recorder);
	return -1;
}

void wl_record_take(void *arg, const struct vgpu_trace_record *record)
{
	struct wl_recorder *recorder = arg;

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

static int write_file(const char *tool, const char *path, const struct trace *trace, bool svg)
{
	FILE *file = fopen(path, "w");
	int err;

	if (!file) {
		fprintf(stderr, "%s: %s: %s\n", tool, path, strerror(errno));
		return -1;
	}
	err = svg ? trace_svg(trace, tool, file) : trace_chrome(trace, file);
	if (fclose(file) || err) {
		fprintf(stderr, "%s: %s could not be written\n", tool, path);
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

int wl_record_write(struct wl_recorder *recorder, const struct wl_job *job, const char *chrome,
		    const char *svg)
{
	struct trace trace;
	int err = 0;

	if (recorder->failed || fflush(recorder->file) || fseek(recorder->file, 0, SEEK_SET)) {
		fprintf(stderr, "%s: the file for the trace: %s\n", recorder->tool,
			strerror(errno));
		return -1;
	}
	if (recorder->full)
		fprintf(stderr, "%s: the trace ends at %.6f us, after %u records\n", recorder->tool,
			(double)recorder->last_ps / 1e6, RECORDS_MAX);
	if (trace_read(recorder->file, "the trace", &trace))
		return -1;
	name_processes(&trace, job);
	if (chrome)
		err |= write_file(recorder->tool, chrome, &trace, false);
	if (svg)
		err |= write_file(recorder->tool, svg, &trace, true);
	trace_free(&trace);
	return err;
}

void wl_record_end(struct wl_recorder *recorder)
{
	if (recorder->file)
		fclose(recorder->file);
	recorder->file = NULL;
}
