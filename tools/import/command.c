// SPDX-License-Identifier: MIT
/*
 * Import of timelines: `vgpu-trace import', its options, the job file around the processes, and
 * what it says of each: what came over, how far off it is, what was left out.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import.h"

#define FILES_MAX	64u
/* Of the names of processes, as job files have them. */
#define NAME_CHARACTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"
#define STEP_NAME	"ProfilerStep#"
#define SECONDS_MAX	"9007199254740"		/* 2^53 ns, in microseconds, cut */

static const char usage[] =
	"usage: vgpu-trace import [options] FILE...\n"
	"\n"
	"Writes a job file for vgpu-sim and vgpu-run, a process for each FILE: a Chrome trace\n"
	"of PyTorch's profiler (.json, .json.gz), or a report of Nsight Systems that nsys\n"
	"exported as sqlite. On standard error it says what came over and how far off it is.\n"
	"\n"
	"  -o, --output JOB   the job file; default: standard output\n"
	"  -g, --gpu PRESET   the device; default: after the name of the GPU in the first file\n"
	"  -d, --device N     of a file with several devices; default: the one with most commands\n"
	"  -f, --from US, -t, --to US  what was issued in this time after the beginning\n"
	"  -s, --steps N, --steps A-B  the first N steps, or those from A to B; 1 is the first\n"
	"  -S, --step-name TEXT  annotations of steps begin so; default: ProfilerStep#\n"
	"  -n, --name NAME    of the process; for each FILE in turn; default: after the file\n"
	"  -c, --check        run each process alone on the device, and say how far off it is\n"
	"  -q, --quiet        say nothing of what went well\n"
	"  -h, --help         print this help\n"
	"\n"
	"exit status: 0 success, 1 the job file could not be written, 2 wrong usage, or a file\n"
	"that is refused\n";

/** struct import - one call of the command */
struct import {
	struct imp_options options;
	const char *output;
	const char *names[FILES_MAX];
	u32 name_count;
	bool quiet, checks;
	FILE *out;
	struct imp_check *check;	/* of the present file; NULL: it is not checked */
	bool unwritten;
	char preset[VGPU_NAME_BYTES];
	struct vgpu_config config;
	char used[FILES_MAX][WL_NAME_BYTES];
	u32 used_count;
};

static int complain(const char *option, const char *value, const char *right)
{
	fprintf(stderr, "vgpu-trace: %s %s: must be %s\n", option, value, right);
	return -1;
}

static int take_steps(struct import *import, const char *value)
{
	static const char right[] = "N or FIRST-LAST, 1 is the first step";
	const char *dash = strchr(value, '-');
	u64 first = 1, last;
	char text[16] = "";

	if (dash && (size_t)(dash - value) < sizeof(text)) {
		memcpy(text, value, (size_t)(dash - value));
		if (wl_decimal(text, 0, &first))
			return complain("--steps", value, right);
	}
	if (wl_decimal(dash ? dash + 1 : value, 0, &last) || !first || first > last ||
	    last > IMP_ITEMS_MAX)
		return complain("--steps", value, right);
	import->options.first_step = (u32)first;
	import->options.last_step = (u32)last;
	return 0;
}

static int take_us(const char *option, const char *value, u64 *ns)
{
	if (wl_decimal(value, 3, ns) || *ns > IMP_NS_MAX)
		return complain(option, value,
				"microseconds, at most three digits after the decimal point, "
				"up to " SECONDS_MAX);
	return 0;
}

static int take_name(struct import *import, const char *value)
{
	if (!*value || strlen(value) >= WL_NAME_BYTES ||
	    value[strspn(value, NAME_CHARACTERS)] || !strcmp(value, "global"))
		return complain("--name", value,
				"a name of 1..31 letters, digits, . _ + -, other than global");
	if (import->name_count == FILES_MAX)
		return complain("--name", value, "one of at most 64");
	import->names[import->name_count++] = value;
	return 0;
}

/* -1: wrong, 1: only help was asked for */
static int take_options(struct import *import, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "gpu", required_argument, NULL, 'g' },
		{ "device", required_argument, NULL, 'd' },
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "steps", required_argument, NULL, 's' },
		{ "step-name", required_argument, NULL, 'S' },
		{ "name", required_argument, NULL, 'n' },
		{ "check", no_argument, NULL, 'c' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int opt, err = 0;
	u64 device;

	while (!err &&
	       (opt = getopt_long(argc, argv, "o:g:d:f:t:s:S:n:cqh", options, NULL)) != -1) {
		switch (opt) {
		case 'o': import->output = optarg; break;
		case 'g': import->options.gpu = optarg; break;
		case 'd':
			if (wl_decimal(optarg, 0, &device) || device >= IMP_NONE)
				err = complain("--device", optarg, "a number");
			else
				import->options.device = (u32)device;
			break;
		case 'f':
			err = take_us("--from", optarg, &import->options.from_ns);
			break;
		case 't':
			err = take_us("--to", optarg, &import->options.to_ns);
			break;
		case 's': err = take_steps(import, optarg); break;
		case 'S': import->options.step = optarg; break;
		case 'n': err = take_name(import, optarg); break;
		case 'c': import->checks = true; break;
		case 'q': import->quiet = true; break;
		case 'h': fputs(usage, stdout); return 1;
		default: fputs("try `vgpu-trace import --help'\n", stderr); return -1;
		}
	}
	if (!err && import->options.from_ns >= import->options.to_ns)
		err = complain("--to", "US", "later than --from");
	if (!err && import->checks && !import->output) {
		fputs("vgpu-trace: --check needs --output\n", stderr);
		err = -1;
	}
	return err;
}

/* ---- names and devices -------------------------------------------------- */

static bool is_used(const struct import *import, const char *name)
{
	u32 i;

	for (i = 0; i < import->used_count; i++)
		if (!strcmp(import->used[i], name))
			return true;
	return !strcmp(name, "global");
}

/* The name of process @index: as asked for, or the file's up to its first dot. Unique. */
static const char *name_process(struct import *import, const char *path, u32 index)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char *name = import->used[import->used_count];
	char stem[WL_NAME_BYTES - 4];
	u32 i;

	for (i = 0; base[i] && base[i] != '.' && i < sizeof(stem) - 1; i++)
		stem[i] = strchr(NAME_CHARACTERS, base[i]) ? base[i] : '_';
	stem[i] = 0;
	snprintf(name, WL_NAME_BYTES, "%s",
		 index < import->name_count ? import->names[index] : *stem ? stem : "process");
	for (i = 2; is_used(import, name); i++)
		snprintf(name, WL_NAME_BYTES, "%s-%u", *stem ? stem : "process", i);
	import->used_count++;
	return name;
}

static int list_presets(char *text, size_t size)
{
	size_t length = 0;
	const char *name;
	unsigned int i;

	for (i = 0; (name = vgpu_config_preset_name(i)) && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "",
					   name);
	return 0;
}

/* The device is that of the first file, unless it is asked for. */
static int choose_preset(struct import *import, struct imp_timeline *timeline)
{
	const char *gpu = timeline->gpu ? timeline->gpu->name : "";
	const char *preset = import->options.gpu;
	char list[WL_MESSAGE_BYTES / 2];

	list_presets(list, sizeof(list));
	if (!preset && !*import->preset)
		preset = imp_preset_of(gpu);
	if (!preset && !*import->preset) {
		if (*gpu)
			return imp_refuse(timeline, "no preset is a '%s'; --gpu must be one of %s",
					  gpu, list);
		return imp_refuse(timeline,
				  "the file does not name its GPU; --gpu must be one of %s", list);
	}
	if (*import->preset)
		return 0;
	if (vgpu_config_preset(&import->config, preset))
		return imp_refuse(timeline, "--gpu %s: must be one of %s", preset, list);
	snprintf(import->preset, sizeof(import->preset), "%s", preset);
	if (fprintf(import->out, "[global]\ngpu=%s\nrepeat=1\n", preset) < 0)
		import->unwritten = true;
	return 0;
}

/* ---- what is said ------------------------------------------------------- */

static void say_skipped(const struct imp_timeline *timeline)
{
	static const char *const reasons[IMP_SKIPS] = {
		[IMP_SKIP_TIME] = "times: numbers, not negative; a command takes an hour at most",
		[IMP_SKIP_SHAPE] = "grid, block (up to 1024 threads), registers or shared memory",
		[IMP_SKIP_BYTES] = "bytes: 1..2^46 of a copy",
		[IMP_SKIP_KEY] = "stream, device or correlation: numbers up to 2^32",
		[IMP_SKIP_COPY] = "a copy neither to, from nor inside a device",
		[IMP_SKIP_DEVICE] = "another device or process; --device chooses",
		[IMP_SKIP_WINDOW] = "outside the window",
	};
	unsigned int i;

	for (i = 0; i < IMP_SKIPS; i++)
		if (timeline->skipped[i])
			fprintf(stderr, "  left out %llu (the first: %s): %s\n",
				(unsigned long long)timeline->skipped[i], timeline->skip_place[i],
				reasons[i]);
}

static void report(const struct import *import, const struct imp_timeline *timeline,
		const struct imp_report *r)
{
	double traced = (double)r->traced_ps / 1e6, expected = (double)r->expected_ps / 1e6;

	fprintf(stderr,
		"%s: %llu kernels, %llu copies in %u streams; %llu syncs, %llu waits, %llu "
		"pauses\n",
		timeline->path, (unsigned long long)r->kernels, (unsigned long long)r->copies,
		timeline->streams, (unsigned long long)r->syncs, (unsigned long long)r->waits,
		(unsigned long long)r->pauses);
	fprintf(stderr,
		"  took %.3f us on %s; expected alone on %s: %.3f us, %+.2f %%; %llu of %llu "
		"kernels within 5 %%\n",
		traced, timeline->gpu && *timeline->gpu->name ? timeline->gpu->name : "its GPU",
		import->preset, expected, traced > 0 ? (expected / traced - 1) * 100 : 0.0,
		(unsigned long long)r->close, (unsigned long long)r->kernels);
	if (timeline->gpu && timeline->gpu->sms && timeline->gpu->sms != import->config.sms)
		fprintf(stderr, "  its GPU has %u SMs, %s %u; blocks take what fits the latter\n",
			timeline->gpu->sms, import->preset, import->config.sms);
	if (r->clipped)
		fprintf(stderr,
			"  blocks of %llu kernels need more than an SM of %s has: they take all "
			"of it\n",
			(unsigned long long)r->clipped, import->preset);
	if (r->syncs_left_out)
		fprintf(stderr,
			"  left out %llu syncs: other threads went on meanwhile, or for which "
			"stream cannot be said\n",
			(unsigned long long)r->syncs_left_out);
	say_skipped(timeline);
}

/* ---- one file ----------------------------------------------------------- */

static int emit(void *arg, const struct wl_phase *phase, u64 traced)
{
	struct import *import = arg;

	import->unwritten |= imp_write_phase(import->out, phase) != 0;
	if (import->check && phase->kind == WL_KERNEL &&
	    imp_check_add(import->check, phase->stream, traced))
		return -1;
	return import->unwritten;
}

/* What has been written down of process @index, simulated. */
static int check_file(struct import *import, u32 index, const struct imp_report *r)
{
	struct imp_check *check = import->check;
	char message[WL_MESSAGE_BYTES] = "";

	if (fflush(import->out)) {
		import->unwritten = true;
		return -1;
	}
	if (imp_check_run(check, import->output, index, &import->config, message)) {
		fprintf(stderr, "vgpu-trace: %s\n", message);
		return -1;
	}
	fprintf(stderr, "  simulated alone on %s: %.3f us, %+.2f %%; %llu of %llu kernels within "
			"5 %%\n",
		import->preset, (double)check->took_ps / 1e6,
		r->traced_ps ? ((double)check->took_ps / (double)r->traced_ps - 1) * 100 : 0.0,
		(unsigned long long)check->close, (unsigned long long)r->kernels);
	return 0;
}

static int read_file(struct imp_timeline *timeline)
{
	static const char magic[] = "SQLite format 3";
	char head[sizeof(magic)] = "";
	struct stat there;
	FILE *file;
	size_t got;

	/* what can be read once only is no database */
	if (!stat(timeline->path, &there) && !S_ISREG(there.st_mode))
		return imp_read_pytorch(timeline);
	file = fopen(timeline->path, "rb");
	if (!file)
		return imp_refuse(timeline, "%s", strerror(errno));
	got = fread(head, 1, sizeof(head), file);
	fclose(file);
	if (got == sizeof(head) && !memcmp(head, magic, sizeof(magic)))
		return imp_read_nsys(timeline);
	return imp_read_pytorch(timeline);
}

static int import_file(struct import *import, const char *path, u32 index)
{
	struct imp_timeline *timeline = calloc(1, sizeof(*timeline));
	struct imp_plan plan = { .timeline = timeline, .config = &import->config, .emit = emit,
				 .arg = import };
	int err = -1;

	if (!timeline)
		return -1;
	timeline->options = &import->options;
	timeline->path = path;
	if (read_file(timeline) || imp_timeline_order(timeline) ||
	    choose_preset(import, timeline)) {
		fprintf(stderr, "vgpu-trace: %s\n", timeline->message);
		/* it may be all that there was */
		say_skipped(timeline);
		goto out;
	}
	if (import->checks)
		import->check = calloc(1, sizeof(*import->check));
	fprintf(import->out, "\n[%s]\nhost=one\n", name_process(import, path, index));
	err = imp_plan(&plan);
	if (err && !import->unwritten)
		fprintf(stderr, "vgpu-trace: %s: out of memory\n", path);
	if (!err && !import->quiet)
		report(import, timeline, &plan.report);
	if (!err && import->check)
		err = check_file(import, index, &plan.report);
out:
	if (import->check)
		imp_check_free(import->check);
	free(import->check);
	import->check = NULL;
	imp_timeline_free(timeline);
	free(timeline);
	return err;
}

/* Half a job file helps nobody; what is no file stays, /dev/full for one. */
static void remove_output(const char *path)
{
	struct stat there;

	if (!lstat(path, &there) && S_ISREG(there.st_mode))
		unlink(path);
}

static int import_all(struct import *import, int argc, char **argv)
{
	int i, err = 0;

	import->out = import->output ? fopen(import->output, "w") : stdout;
	if (!import->out) {
		fprintf(stderr, "vgpu-trace: %s: %s\n", import->output, strerror(errno));
		return 1;
	}
	for (i = 0; i < argc && !err; i++)
		err = import_file(import, argv[i], (u32)i);
	import->unwritten |= ferror(import->out) != 0;
	if (import->output ? fclose(import->out) : fflush(import->out))
		import->unwritten = true;
	if (import->unwritten)
		fprintf(stderr, "vgpu-trace: the job file could not be written\n");
	if (import->output && (err || import->unwritten))
		remove_output(import->output);
	return import->unwritten ? 1 : err ? 2 : 0;
}

int imp_main(int argc, char **argv)
{
	struct import *import = calloc(1, sizeof(*import));
	int status = 2;

	if (!import)
		return 1;
	import->options.device = IMP_NONE;
	import->options.to_ns = ~0ull;
	import->options.step = STEP_NAME;
	switch (take_options(import, argc, argv)) {
	case 0:
		if (argc - optind < 1 || argc - optind > (int)FILES_MAX)
			fputs("vgpu-trace: import needs 1..64 files; try `vgpu-trace import "
			      "--help'\n",
			      stderr);
		else
			status = import_all(import, argc - optind, argv + optind);
		break;
	case 1:
		status = 0;
		break;
	}
	free(import);
	return status;
}
