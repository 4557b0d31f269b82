// SPDX-License-Identifier: MIT
/*
 * vgpu-sim: scheduling studies in user space. A job file of profiled processes on the device model,
 * each alone and all together (Tanasic 5.3.1); prints turnaround, throughput, fairness,
 * preemptions, utilisation. docs/vgpu-sim.md.
 */
#include "sim.h"

static const char usage[] =
	"usage: vgpu-sim [options] JOBFILE\n"
	"\n"
	"Replays the processes of a job file (docs/jobfiles.md; - is standard input) on the "
	"device model,\n"
	"each alone and then all together, and prints how they fared (docs/metrics.md).\n"
	"\n"
	"  --gpu NAME         the device (k20c, or gpu= of the job file)\n"
	"  --policy NAME      scheduling policy (fcfs, or policy=)\n"
	"  --preempt NAME     preemption mechanism (none, or preempt=)\n"
	"  --set KEY=VALUE    change a field of the device's configuration, or a knob; may be "
	"repeated\n"
	"  --seed N           seed of the random generator (1, or seed=)\n"
	"  --until US         stop the run together at that virtual time, whatever has been "
	"completed\n"
	"  --json, --csv      print that in place of the table\n"
	"  --trace FILE       also write the run together in Chrome trace format (opens in "
	"Perfetto)\n"
	"  --records FILE     also write its trace records, for vgpu-trace\n"
	"  --svg FILE         also draw SMs against virtual time\n"
	"  --speed            also print thread blocks per second of real time\n"
	"  --list             print devices, policies, mechanisms, applications and fields\n"
	"  -h, --help         this text\n"
	"\n"
	"exit status: 0 done, 1 something failed or was not completed, 2 wrong usage or job file\n";

int main(int argc, char **argv)
{
	struct wl_options o = { .tool = "vgpu-sim" };
	struct wl_setup setup = {};
	struct wl_job job;
	int status = wl_options_take(&o, argc, argv, usage, true);

	if (status >= 0)
		return status;
	if (o.list)
		return sim_list(stdout);
	status = wl_options_job(&o, &job);
	if (status)
		return status;
	status = wl_options_setup(&o, &job, &setup);
	if (!status)
		status = wl_options_study(&o, &job, &setup);
	wl_job_free(&job);
	return status;
}
