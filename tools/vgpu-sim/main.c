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
	"each alone and then all together, and prints metrics (docs/metrics.md).\n"
	"\n"
	"  --gpu NAME         preset of the device (k20c, or gpu= of the job file)\n"
	"  --policy NAME      scheduling policy (fcfs, or policy=), or the path of a shared object "
	"with one\n"
	"  --preempt NAME     preemption mechanism (none, or preempt=)\n"
	"  --set KEY=VALUE    set a field of the device's configuration, or a knob; may be "
	"repeated\n"
	"  --seed N           seed of the random generator (1, or seed=)\n"
	"  --until US         stop the combined run at that virtual time, even if processes "
	"have not completed\n"
	"  --json, --csv      print JSON or CSV instead of the table\n"
	"  --trace FILE       also write the combined run in Chrome trace format (opens in "
	"Perfetto)\n"
	"  --records FILE     also write its trace records, for vgpu-trace\n"
	"  --svg FILE         also draw the SMs over virtual time\n"
	"  --speed            also print thread blocks per second of real time\n"
	"  --list             print devices, policies, mechanisms, applications and fields\n"
	"  -h, --help         print this help\n"
	"\n"
	"exit status: 0 success, 1 failed or not completed, 2 wrong usage or invalid job file\n";

/* --policy names a file: its policy. 0, or the exit status. */
static int policy_of_file(struct wl_options *o)
{
	const char *wrong, *name = sim_policy_load(o->policy, &wrong);

	if (!name)
		return wl_wrong(o, "--policy ", o->policy, wrong);
	o->policy = name;
	return 0;
}

int main(int argc, char **argv)
{
	struct wl_options o = { .tool = "vgpu-sim" };
	struct wl_setup setup = {};
	struct wl_job job;
	int status;

	sim_memory_init();
	status = wl_options_take(&o, argc, argv, usage, true);

	if (status >= 0)
		return status;
	status = o.policy && strchr(o.policy, '/') ? policy_of_file(&o) : 0;
	if (status)
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
