// SPDX-License-Identifier: MIT
/*
 * Workloads: the command line that vgpu-sim and vgpu-run share, from options to what is printed.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum {
	OPT_GPU = 256,
	OPT_POLICY,
	OPT_PREEMPT,
	OPT_SET,
	OPT_SEED,
	OPT_UNTIL,
	OPT_JSON,
	OPT_CSV,
	OPT_TRACE,
	OPT_RECORDS,
	OPT_SVG,
	OPT_SPEED,
	OPT_LIST
};

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
	{ "records", required_argument, NULL, OPT_RECORDS },
	{ "svg", required_argument, NULL, OPT_SVG },
	{ "speed", no_argument, NULL, OPT_SPEED },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

int wl_wrong(const struct wl_options *o, const char *what, const char *value, const char *right)
{
	fprintf(stderr, "%s: %s%s: %s\n", o->tool, what, value, right);
	return 2;
}

static int take_setting(struct wl_options *o, char *text)
{
	char *value = strchr(text, '=');

	if (!value || value == text)
		return wl_wrong(o, "--set ", text, "must be KEY=VALUE; --list shows the keys");
	if (o->setting_count == WL_SETTINGS_MAX)
		return wl_wrong(o, "--set ", text, "at most 64 settings are possible");
	*value++ = 0;
	o->settings[o->setting_count++] = (struct wl_setting){ .key = text, .value = value };
	return 0;
}

int wl_options_take(struct wl_options *o, int argc, char **argv, const char *usage, bool simulates)
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
		case OPT_RECORDS: o->records = optarg; break;
		case OPT_SVG: o->svg = optarg; break;
		case OPT_SPEED: o->speed = true; break;
		case OPT_LIST: o->list = true; break;
		case OPT_SET:
			if (take_setting(o, optarg))
				return 2;
			break;
		case 'h': fputs(usage, stdout); return 0;
		default: fprintf(stderr, "try `%s --help'\n", o->tool); return 2;
		}
	}
	if (!simulates && (o->list || o->until))
		return wl_wrong(o, o->list ? "--list" : "--until", "",
				"only vgpu-sim has this option");
	if (o->list)
		return -1;
	if (optind + 1 != argc) {
		fprintf(stderr, "%s: one job file is needed; try `%s --help'\n", o->tool, o->tool);
		return 2;
	}
	if (o->json && o->csv) {
		fprintf(stderr, "%s: use either --json or --csv\n", o->tool);
		return 2;
	}
	o->path = argv[optind];
	return -1;
}

int wl_options_job(const struct wl_options *o, struct wl_job *job)
{
	const char *path = o->path;
	char message[WL_MESSAGE_BYTES];
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	int err;

	if (!file)
		return wl_wrong(o, path, "", strerror(errno));
	err = wl_job_read(file, path, job, message);
	if (file != stdin)
		fclose(file);
	if (err)
		fprintf(stderr, "%s: %s\n", o->tool, message);
	return err ? 2 : 0;
}

/* The first that was said: on the command line, in the job file, else @otherwise. */
static const char *first_of(const char *option, const char *job, const char *otherwise)
{
	return option ? option : *job ? job : otherwise;
}

static int set_name(const struct wl_options *o, struct vgpu_config *config, const char *field,
		    const char *value)
{
	return vgpu_config_set(config, field, value) ?
	       wl_wrong(o, field, "", "must be a name of at most 31 characters") : 0;
}

int wl_options_setup(struct wl_options *o, const struct wl_job *job, struct wl_setup *setup)
{
	const char *gpu = first_of(o->gpu, job->gpu, "k20c");
	u32 i, knobs = 0;
	u64 seed;
	int err;

	if (vgpu_config_preset(&setup->config, gpu))
		return wl_wrong(o, "gpu ", gpu,
				"unknown device; vgpu-sim --list shows the devices");
	if (set_name(o, &setup->config, "policy",
		     first_of(o->policy, job->policy, setup->config.policy)) ||
	    set_name(o, &setup->config, "preemption",
		     first_of(o->preempt, job->preempt, setup->config.preemption)))
		return 2;
	if (job->has_seed)
		setup->config.seed = job->seed;
	if (o->seed) {
		if (wl_decimal(o->seed, 0, &seed) || seed > ~0ull >> 1)
			return wl_wrong(o, "--seed ", o->seed, "must be a number, 0..2^63-1");
		setup->config.seed = seed;
	}
	for (i = 0; i < o->setting_count; i++) {
		err = vgpu_config_set(&setup->config, o->settings[i].key, o->settings[i].value);
		if (err == -ENOENT)
			o->settings[knobs++] = o->settings[i];
		else if (err)
			return wl_wrong(o, "--set ", o->settings[i].key,
					"invalid value for this field");
	}
	setup->knobs = o->settings;
	setup->knob_count = knobs;
	setup->until_ps = VGPU_NEVER;
	if (o->until &&
	    (wl_decimal(o->until, WL_US_DECIMALS, &setup->until_ps) || !setup->until_ps))
		return wl_wrong(
			o, "--until ", o->until,
			"must be microseconds, above 0, at most six digits after the decimal "
			"point");
	return 0;
}

static int print_study(const struct wl_options *o, const struct wl_study *study)
{
	int err;

	if (o->json)
		err = wl_print_json(study, o->speed, stdout);
	else if (o->csv)
		err = wl_print_csv(study, o->speed, stdout);
	else
		err = wl_print_table(study, o->speed, stdout);
	if (err || fflush(stdout)) {
		fprintf(stderr, "%s: standard output: %s\n", o->tool, strerror(errno));
		return 1;
	}
	if (study->together.unfinished) {
		fprintf(stderr, "%s: %u of %u processes had not completed their runs at --until\n",
			o->tool, study->together.unfinished, study->job->process_count);
		return 1;
	}
	if (*study->together.dropped) {
		fprintf(stderr, "%s: %s has followed it\n", o->tool, study->together.dropped);
		return 1;
	}
	return 0;
}

int wl_options_study(const struct wl_options *o, const struct wl_job *job, struct wl_setup *setup)
{
	struct wl_recorder recorder = {};
	struct wl_study study;
	char message[WL_MESSAGE_BYTES];
	int status;

	if (o->trace || o->records || o->svg) {
		if (wl_record(&recorder, o->tool, o->records))
			return 1;
		setup->trace = wl_record_take;
		setup->trace_arg = &recorder;
	}
	if (wl_study_run(&study, job, setup, message)) {
		fprintf(stderr, "%s: %s\n", o->tool, message);
		wl_record_end(&recorder);
		return 2;
	}
	status = print_study(o, &study);
	if (recorder.file && wl_record_write(&recorder, job, o->trace, o->svg))
		status = 1;
	wl_record_end(&recorder);
	wl_study_free(&study);
	return status;
}
