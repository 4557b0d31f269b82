// SPDX-License-Identifier: MIT
/*
 * vgpu-sim: scheduling studies in user space. A job file of profiled processes on the device model, each alone and all together
 * (Tanasic 5.3.1); prints turnaround, throughput, fairness, preemptions, utilisation. docs/vgpu-sim.md.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static const char usage[] =
	"usage: vgpu-sim [options] JOBFILE\n"
	"\n"
	"Replays the processes of a job file (docs/jobfiles.md; - is standard input) on the device model,\n"
	"each alone and then all together, and prints how they fared (docs/metrics.md).\n"
	"\n"
	"  --gpu NAME         the device (k20c, or gpu= of the job file)\n"
	"  --policy NAME      scheduling policy (fcfs, or policy=)\n"
	"  --preempt NAME     preemption mechanism (none, or preempt=)\n"
	"  --set KEY=VALUE    change a field of the device's configuration, or a knob; may be repeated\n"
	"  --seed N           seed of the random generator (1, or seed=)\n"
	"  --until US         stop the run together at that virtual time, whatever has been completed\n"
	"  --json, --csv      print that in place of the table\n"
	"  --trace FILE       also write the run together in Chrome trace format (opens in Perfetto)\n"
	"  --svg FILE         also draw SMs against virtual time\n"
	"  --speed            also print thread blocks per second of real time\n"
	"  --list             print devices, policies, mechanisms, applications and fields\n"
	"  -h, --help         this text\n"
	"\n"
	"exit status: 0 done, 1 something failed or was not completed, 2 wrong usage or job file\n";

#define SETTINGS_MAX	64

/** struct options - the command line; NULL: not given */
struct options {
	const char *gpu, *policy, *preempt, *seed, *until, *trace, *svg, *path;
	struct wl_setting settings[SETTINGS_MAX];
	u32 setting_count;
	bool json, csv, speed, list;
};

enum { OPT_GPU = 256, OPT_POLICY, OPT_PREEMPT, OPT_SET, OPT_SEED, OPT_UNTIL, OPT_JSON, OPT_CSV, OPT_TRACE, OPT_SVG,
       OPT_SPEED, OPT_LIST };

static const struct option long_options[] = {
	{ "gpu", required_argument, NULL, OPT_GPU },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "preempt", required_argument, NULL, OPT_PREEMPT },
	{ "set", required_argument, NULL, OPT_SET },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "until", required_argument, NULL, OPT_UNTIL },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "svg", required_argument, NULL, OPT_SVG },
	{ "speed", no_argument, NULL, OPT_SPEED },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/* What is wrong with the command line or the job file. */
static int wrong(const char *what, const char *value, const char *right)
{
	fprintf(stderr, "vgpu-sim: %s%s: %s\n", what, value, right);
	return 2;
}

static int take_setting(struct options *o, char *text)
{
	char *value = strchr(text, '=');

	if (!value || value == text)
		return wrong("--set ", text, "must be KEY=VALUE; --list shows the keys");
	if (o->setting_count == SETTINGS_MAX)
		return wrong("--set ", text, "more than 64 of them");
	*value++ = 0;
	o->settings[o->setting_count++] = (struct wl_setting){ .key = text, .value = value };
	return 0;
}

/* -1: go on; else the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		switch (opt) {
		case OPT_GPU: o->gpu = optarg; break;
		case OPT_POLICY: o->policy = optarg; break;
		case OPT_PREEMPT: o->preempt = optarg; break;
		case OPT_SEED: o->seed = optarg; break;
		case OPT_UNTIL: o->until = optarg; break;
		case OPT_JSON: o->json = true; break;
		case OPT_CSV: o->csv = true; break;
		case OPT_TRACE: o->trace = optarg; break;
		case OPT_SVG: o->svg = optarg; break;
		case OPT_SPEED: o->speed = true; break;
		case OPT_LIST: o->list = true; break;
		case OPT_SET:
			if (take_setting(o, optarg))
				return 2;
			break;
		case 'h': fputs(usage, stdout); return 0;
		default: fputs("try `vgpu-sim --help'\n", stderr); return 2;
		}
	}
	if (o->list)
		return -1;
	if (optind + 1 != argc) {
		fputs("vgpu-sim: one job file is needed; try `vgpu-sim --help'\n", stderr);
		return 2;
	}
	if (o->json && o->csv) {
		fputs("vgpu-sim: either --json or --csv\n", stderr);
		return 2;
	}
	o->path = argv[optind];
	return -1;
}

static int read_job(const char *path, struct wl_job *job)
{
	char message[WL_MESSAGE_BYTES];
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	int err;

	if (!file)
		return wrong(path, "", strerror(errno));
	err = wl_job_read(file, path, job, message);
	if (file != stdin)
		fclose(file);
	if (err)
		fprintf(stderr, "vgpu-sim: %s\n", message);
	return err ? 2 : 0;
}

/* The first that was said: on the command line, in the job file, else @otherwise. */
static const char *first_of(const char *option, const char *job, const char *otherwise)
{
	return option ? option : *job ? job : otherwise;
}

static int set_name(struct vgpu_config *config, const char *field, const char *value)
{
	return vgpu_config_set(config, field, value) ? wrong(field, "", "must be a name of at most 31 characters") : 0;
}

/* The device that is asked for. Settings that are no fields of the configuration stay, as knobs. */
static int configure(struct options *o, const struct wl_job *job, struct wl_setup *setup)
{
	const char *gpu = first_of(o->gpu, job->gpu, "k20c");
	u32 i, knobs = 0;
	u64 seed;
	int err;

	if (vgpu_config_preset(&setup->config, gpu))
		return wrong("gpu ", gpu, "there is no such device; --list shows them");
	if (set_name(&setup->config, "policy", first_of(o->policy, job->policy, setup->config.policy)) ||
	    set_name(&setup->config, "preemption", first_of(o->preempt, job->preempt, setup->config.preemption)))
		return 2;
	if (job->has_seed)
		setup->config.seed = job->seed;
	if (o->seed) {
		if (wl_decimal(o->seed, 0, &seed) || seed > ~0ull >> 1)
			return wrong("--seed ", o->seed, "must be a number, 0..2^63-1");
		setup->config.seed = seed;
	}
	for (i = 0; i < o->setting_count; i++) {
		err = vgpu_config_set(&setup->config, o->settings[i].key, o->settings[i].value);
		if (err == -ENOENT)
			o->settings[knobs++] = o->settings[i];
		else if (err)
			return wrong("--set ", o->settings[i].key, "this is not a value it can have");
	}
	setup->knobs = o->settings;
	setup->knob_count = knobs;
	setup->until_ps = VGPU_NEVER;
	if (o->until && (wl_decimal(o->until, WL_US_DECIMALS, &setup->until_ps) || !setup->until_ps))
		return wrong("--until ", o->until, "must be microseconds, above 0, at most six digits behind the point");
	return 0;
}

static int print_study(const struct options *o, const struct wl_study *study)
{
	int err;

	if (o->json)
		err = wl_print_json(study, o->speed, stdout);
	else if (o->csv)
		err = wl_print_csv(study, o->speed, stdout);
	else
		err = wl_print_table(study, o->speed, stdout);
	if (err || fflush(stdout)) {
		fprintf(stderr, "vgpu-sim: standard output: %s\n", strerror(errno));
		return 1;
	}
	if (study->together.unfinished) {
		fprintf(stderr, "vgpu-sim: %u of %u processes had not completed their runs at --until\n",
			study->together.unfinished, study->job->process_count);
		return 1;
	}
	return 0;
}

static int simulate(struct options *o, const struct wl_job *job)
{
	struct sim_recorder recorder = {};
	struct wl_setup setup = {};
	struct wl_study study;
	char message[WL_MESSAGE_BYTES];
	int status = configure(o, job, &setup);

	if (status)
		return status;
	if (o->trace || o->svg) {
		if (sim_record(&recorder))
			return 1;
		setup.trace = sim_record_take;
		setup.trace_arg = &recorder;
	}
	if (wl_study_run(&study, job, &setup, message)) {
		fprintf(stderr, "vgpu-sim: %s\n", message);
		sim_record_end(&recorder);
		return 2;
	}
	status = print_study(o, &study);
	if (recorder.file && sim_record_write(&recorder, job, o->trace, o->svg))
		status = 1;
	sim_record_end(&recorder);
	wl_study_free(&study);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {};
	struct wl_job job;
	int status = take_options(argc, argv, &o);

	if (status >= 0)
		return status;
	if (o.list)
		return sim_list(stdout);
	status = read_job(o.path, &job);
	if (status)
		return status;
	status = simulate(&o, &job);
	wl_job_free(&job);
	return status;
}
