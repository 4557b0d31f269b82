// SPDX-License-Identifier: MIT
/*
 * vgpu-run: a job file on the real driver: programs and replayed profiles as processes on
 * /dev/vgpu, each alone and all together (Tanasic 5.3.1), in lockstep, so that the same mix gives
 * the same table every time. docs/vgpu-run.md.
 */
#include <stdio.h>
#include <string.h>

#include "run.h"

static const char usage[] =
	"usage: vgpu-run [options] JOBFILE\n"
	"       vgpu-run --explain PROGRAM\n"
	"\n"
	"Runs the processes of a job file (docs/jobfiles.md; - is standard input) on /dev/vgpu0, "
	"each alone and\n"
	"then all together, and prints metrics in virtual time (docs/metrics.md). A cmd= "
	"process is a real\n"
	"program, app= and phase= are replayed by a process through the driver. Needs root and "
	"vgpu.ko.\n"
	"\n"
	"  --gpu NAME         preset of the device (k20c, or gpu= of the job file); the module "
	"must be loaded with it\n"
	"  --policy NAME      scheduling policy (fcfs, or policy=)\n"
	"  --preempt NAME     preemption mechanism (none, or preempt=)\n"
	"  --set KEY=VALUE    a knob, or a field of the configuration, which the module must "
	"be loaded with; may be repeated\n"
	"  --seed N           seed of the random generator (1, or seed=)\n"
	"  --json, --csv      print JSON or CSV instead of the table\n"
	"  --trace FILE       also write the combined run in Chrome trace format (opens in "
	"Perfetto)\n"
	"  --records FILE     also write its trace records, for vgpu-trace\n"
	"  --svg FILE         also draw the SMs over virtual time\n"
	"  --speed            also print thread blocks per second of real time\n"
	"  --explain PROGRAM  say whether and how a program of CUDA runs; nothing is run\n"
	"  -h, --help         print this help\n"
	"\n"
	"exit status: 0 success, 1 a file could not be written, 2 wrong usage, invalid job file, "
	"or a\n"
	"process could not run, 3 no vgpu device, 4 not permitted\n";

/* The knobs are changed and put back around the study. */
static int study(const struct wl_options *o, const struct wl_job *job, struct wl_setup *setup)
{
	char message[WL_MESSAGE_BYTES];
	int status = driver_begin(message);

	if (!status)
		status = wl_options_study(o, job, setup);
	else
		fprintf(stderr, "%s: %s\n", o->tool, message);
	driver_end();
	return status;
}

int main(int argc, char **argv)
{
	struct wl_options o = { .tool = "vgpu-run" };
	struct wl_setup setup = { .replay = run_mix };
	struct wl_job job;
	int status;

	if (argc == 3 && !strcmp(argv[1], "--explain"))
		return explain_program(argv[2]);
	status = wl_options_take(&o, argc, argv, usage, false);

	if (status >= 0)
		return status;
	status = wl_options_job(&o, &job);
	if (status)
		return status;
	status = wl_options_setup(&o, &job, &setup);
	if (!status)
		status = study(&o, &job, &setup);
	wl_job_free(&job);
	return status;
}
