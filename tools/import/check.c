// SPDX-License-Identifier: MIT
/*
 * Import of timelines: how far off a job really is. It runs alone on the device model, and each
 * kernel is compared with that of the file: the n-th of its stream with the n-th of its queue.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"

int imp_check_add(struct imp_check *check, u32 stream, u64 traced)
{
	u32 *room = &check->streams[stream].room;

	if (check->streams[stream].count == *room) {
		u32 more = *room ? 2 * *room : 1024;
		u64 *grown = realloc(check->streams[stream].traced, more * sizeof(*grown));

		if (!grown)
			return -1;
		check->streams[stream].traced = grown;
		*room = more;
	}
	check->streams[stream].traced[check->streams[stream].count++] = traced;
	return 0;
}

/** struct running - the last kernel that each queue has started */
struct running {
	struct imp_check *check;
	u64 started[WL_STREAMS_MAX + 1];
};

/* Queues have the numbers of streams, as the process makes them in that order. */
static void take_record(void *arg, const struct vgpu_trace_record *record)
{
	struct running *running = arg;
	u32 stream = record->queue, n;
	u64 took, traced;

	if (stream > WL_STREAMS_MAX)
		return;
	if (record->type == VGPU_TRACE_KERNEL_START)
		running->started[stream] = record->time;
	if (record->type != VGPU_TRACE_KERNEL_END)
		return;
	n = running->check->streams[stream].ended++;
	if (n >= running->check->streams[stream].count)
		return;
	took = record->time - running->started[stream];
	traced = running->check->streams[stream].traced[n];
	if (took <= traced + traced / 20 && traced <= took + traced / 20)
		running->check->close++;
}

int imp_check_run(struct imp_check *check, const char *path, u32 index,
		  const struct vgpu_config *config, char *message)
{
	struct wl_setup setup = { .config = *config, .until_ps = VGPU_NEVER,
				  .trace = take_record };
	struct running *running = calloc(1, sizeof(*running));
	FILE *file = fopen(path, "r");
	struct wl_outcome outcome;
	struct wl_job job;
	int err = -1;

	setup.trace_arg = running;
	if (!running || !file) {
		snprintf(message, WL_MESSAGE_BYTES, "%s: %s", path, strerror(errno));
	} else if (!wl_job_read(file, path, &job, message)) {
		running->check = check;
		err = wl_replay(&setup, path, &job.processes[index], 1, &outcome, message);
		if (!err) {
			check->took_ps = outcome.processes[0].turnaround_ps;
			wl_outcome_free(&outcome);
		}
		wl_job_free(&job);
	}
	if (file)
		fclose(file);
	free(running);
	return err;
}

void imp_check_free(struct imp_check *check)
{
	u32 i;

	for (i = 0; i <= WL_STREAMS_MAX; i++)
		free(check->streams[i].traced);
}
