// SPDX-License-Identifier: MIT
/* What the tests of the import share. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imp_test.h"

struct imp_options imp_test_options(void)
{
	return (struct imp_options){ .device = IMP_NONE,
				     .to_ns = ~0ull,
				     .step = "ProfilerStep#" };
}

struct imp_timeline *imp_test_timeline(const struct imp_options *options)
{
	struct imp_timeline *timeline = calloc(1, sizeof(*timeline));

	assert_non_null(timeline);
	timeline->options = options;
	timeline->path = "file";
	return timeline;
}

void imp_test_free(struct imp_timeline *timeline)
{
	imp_timeline_free(timeline);
	free(timeline);
}

int imp_test_read(struct imp_timeline *timeline, const char *text, size_t bytes)
{
	char path[] = "/tmp/vgpu-import-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, bytes), bytes);
	close(fd);
	timeline->path = path;
	err = imp_read_pytorch(timeline);
	unlink(path);
	timeline->path = "file";
	/* a refusal names the file */
	assert_int_equal(err != 0, timeline->message[0] != 0);
	if (err)
		assert_true(!strncmp(timeline->message, path, strlen(path)));
	return err;
}

int imp_test_events(struct imp_timeline *timeline, const char *events)
{
	size_t size = strlen(events) + 64;
	char *text = malloc(size);
	int err;

	snprintf(text, size, "{\"schemaVersion\": 1, \"traceEvents\": [%s]}", events);
	err = imp_test_read(timeline, text, strlen(text));
	free(text);
	return err;
}

/* ---- simulation --------------------------------------------------------- */

static int write_phase(void *arg, const struct wl_phase *phase, u64 traced)
{
	(void)traced;
	return imp_write_phase(arg, phase);
}

struct sink {
	struct imp_test_run *run;
	u64 starts[4096];		/* by launch id */
};

static void record(void *arg, const struct vgpu_trace_record *record)
{
	struct sink *sink = arg;
	struct imp_test_run *run = sink->run;

	if (record->type == VGPU_TRACE_KERNEL_START && record->kernel < 4096)
		sink->starts[record->kernel] = record->time;
	if (record->type != VGPU_TRACE_KERNEL_END || record->kernel >= 4096)
		return;
	run->kernels = realloc(run->kernels, (run->kernel_count + 1) * sizeof(*run->kernels));
	assert_non_null(run->kernels);
	run->kernels[run->kernel_count++] = record->time - sink->starts[record->kernel];
}

struct imp_test_run imp_test_simulate(struct imp_timeline *timeline, const char *gpu)
{
	struct imp_test_run run = {};
	struct imp_plan plan = { .timeline = timeline, .emit = write_phase };
	struct sink *sink = calloc(1, sizeof(*sink));
	struct wl_setup setup = { .until_ps = VGPU_NEVER, .trace = record, .trace_arg = sink };
	char message[WL_MESSAGE_BYTES] = "";
	struct wl_outcome outcome;
	struct wl_job job;
	size_t size;
	FILE *file = open_memstream(&run.job, &size);

	assert_non_null(sink);
	sink->run = &run;
	assert_int_equal(vgpu_config_preset(&setup.config, gpu), 0);
	plan.config = &setup.config;
	plan.arg = file;
	fputs("[global]\nrepeat=1\n[a]\nhost=one\n", file);
	if (imp_timeline_order(timeline))
		fail_msg("%s", timeline->message);
	assert_int_equal(imp_plan(&plan), 0);
	run.report = plan.report;
	fclose(file);
	file = fmemopen(run.job, size, "r");
	if (wl_job_read(file, "job", &job, message))
		fail_msg("%s\n%s", message, run.job);
	fclose(file);
	if (wl_replay(&setup, "job", job.processes, 1, &outcome, message))
		fail_msg("%s", message);
	run.took_ps = outcome.processes[0].turnaround_ps;
	wl_outcome_free(&outcome);
	wl_job_free(&job);
	free(sink);
	return run;
}

void imp_test_run_free(struct imp_test_run *run)
{
	free(run->job);
	free(run->kernels);
}
