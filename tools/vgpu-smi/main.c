// SPDX-License-Identifier: MIT
/*
 * vgpu-smi: what users of nvidia-smi type, for vgpu devices: the table, lists, CSV; and setting
 * knobs. Options first.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "smi.h"

static const char usage[] =
	"usage: vgpu-smi [options]                            show devices and processes\n"
	"       vgpu-smi set [-i N] KNOB=VALUE...             policy=dss preemption=switch "
	"watchdog_us=...\n"
	"       vgpu-smi set [-i N] -c CONTEXT | -p PID WHAT  priority=N, tokens=N, tokens=share,\n"
	"                                                 memory_budget=BYTES, =device\n"
	"       vgpu-smi inject [-i N] [-c CONTEXT | -p PID] xid NUMBER | ecc corrected | ecc "
	"uncorrected |\n"
	"                              offline | hang | recover   faults for monitors (root)\n"
	"       vgpu-smi events                               print events, one per line\n"
	"       vgpu-smi counts [-i N] [-b launch|stream|context|sm] [-a | -c]\n"
	"                                         what kernels did (set kernel_statistics=1)\n"
	"       vgpu-smi dmon [-d SECONDS] [-c COUNT]         a line a device, again and again\n"
	"       vgpu-smi pmon [-d SECONDS] [-c COUNT]         a line a context, again and again\n"
	"\n"
	"  -L, --list-gpus              list the devices, one per line\n"
	"  -q, --query                  print all information\n"
	"  -x, --xml-format             of -q: as XML\n"
	"      --query-gpu=FIELDS       CSV, one line per device (--help-query-gpu)\n"
	"      --query-compute-apps=FIELDS  CSV, one line per context (--help-query-compute-apps)\n"
	"  -s, --sms                    print who has how much of each SM\n"
	"      --format=csv[,noheader][,nounits]\n"
	"  -i, --id=N                   only this device: number, UUID or bus\n"
	"  -l, --loop=SECONDS           repeat until interrupted; -lms, --loop-ms=MILLISECONDS\n"
	"  -f, --filename=FILE          print to FILE\n"
	"  -h, --help                   print this help\n"
	"  -V, --version                print the version of the interface\n"
	"\n" CLIENT_STATUS_HELP;

enum { QUERY_GPU = 256, QUERY_APPS, FORMAT, HELP_GPU, HELP_APPS, LOOP_MS };

/** struct options - what was asked for */
struct options {
	const char *gpu, *apps;		/* fields */
	struct csv csv;
	double loop;			/* seconds, 0: once */
	int only;			/* a device, -1: all */
	unsigned long count;		/* of looks, 0: once, or for ever with loop */
	void (*monitor)(const struct view *view, bool first);
	bool list, full, sms, xml, format;
};

static int wrong(const char *what, const char *value)
{
	fprintf(stderr, "vgpu-smi: %s%s; try vgpu-smi --help\n", what, value);
	return CLIENT_USAGE;
}

/* ---- looking ------------------------------------------------------------ */

const struct client_device *view_before(const struct view *view, const struct client_device *d)
{
	size_t i = (size_t)(d - view->devices);

	return view->before && view->before[i].index == d->index &&
			       view->before[i].time <= d->time ?
		       &view->before[i] :
		       NULL;
}

/* NULL: it was not there. */
static const struct client_context *context_before(const struct view *view,
						   const struct client_context *c)
{
	for (size_t i = 0; i < view->count_before; i++) {
		const struct client_context *before = &view->contexts_before[i];

		if (before->device == c->device && before->id == c->id && view->elapsed > 0)
			return before;
	}
	return NULL;
}

double view_faults(const struct view *view, const struct client_context *c)
{
	const struct client_context *before = context_before(view, c);

	return before ? (double)(c->page_faults - before->page_faults) / view->elapsed : 0;
}

double view_host_faults(const struct view *view, const struct client_context *c)
{
	const struct client_context *before = context_before(view, c);

	return before ? (double)(c->host_page_faults - before->host_page_faults) / view->elapsed :
			0;
}

unsigned int view_utilization(const struct view *view, const struct client_device *d)
{
	const struct client_device *before = view_before(view, d);

	return before ? client_utilization(before, d) : 0;
}

unsigned int view_copy_share(const struct view *view, const struct client_device *d)
{
	const struct client_device *before = view_before(view, d);

	return before ? client_copy_share(before, d) : 0;
}

/* The device of @c now, and at the look before; NULL: it was not there. */
static const struct client_device *device_of(const struct view *view,
					     const struct client_context *c,
					     const struct client_device **before)
{
	for (size_t i = 0; i < view->device_count; i++) {
		*before = view_before(view, &view->devices[i]);
		if (view->devices[i].index == c->device && *before)
			return &view->devices[i];
	}
	return NULL;
}

double view_sm_share(const struct view *view, const struct client_context *c)
{
	const struct client_context *before = context_before(view, c);
	const struct client_device *then, *now = device_of(view, c, &then);
	double all = now ? (double)(now->time - then->time) * (double)now->sms : 0, share;

	if (!before || all <= 0)
		return 0;
	share = (double)(c->sm_time - before->sm_time) * 100 / all;
	return share < 100 ? share : 100;
}

/* Warp instructions since the look before; 0: it was not there. */
static double issued(const struct view *view, const struct client_context *c)
{
	const struct client_context *before = context_before(view, c);

	return before ? (double)(c->instructions - before->instructions) : 0;
}

double view_issue_share(const struct view *view, const struct client_context *c)
{
	const struct client_device *then, *now = device_of(view, c, &then);
	double all = now ? (double)(now->instructions - then->instructions) : 0, sum = 0;

	/* contexts are asked after the device and may have executed more than it says */
	for (size_t i = 0; i < view->context_count; i++)
		if (view->contexts[i].device == c->device)
			sum += issued(view, &view->contexts[i]);
	all = sum > all ? sum : all;
	return all > 0 ? 100 * issued(view, c) / all : 0;
}

static void view_free(struct view *view)
{
	free(view->devices);
	free(view->before);
	free(view->contexts);
	free(view->contexts_before);
	free(view->sms);
}

static int query_devices(struct client *client, int only, struct view *view)
{
	int status = client_devices(client, only, &view->devices, &view->device_count);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	view->time = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
	if (!status)
		status = client_contexts(client, only, &view->contexts, &view->context_count);
	/* an older module does not tell */
	if (!status && client_sms(client, only, &view->sms, &view->sm_count))
		client->error[0] = 0;
	return status;
}

/*
 * What is there now; what was there before it goes from @view into before, if it is the same
 * devices.
 */
static int look_again(struct client *client, int only, struct view *view)
{
	struct view next = { 0 };
	int status = query_devices(client, only, &next);

	if (!status && next.device_count == view->device_count) {
		next.before = view->devices;
		view->devices = NULL;
	}
	next.contexts_before = view->contexts;
	next.count_before = view->context_count;
	next.elapsed = next.time - view->time;
	view->contexts = NULL;
	view_free(view);
	*view = next;
	return status;
}

static void show(const struct options *options, const struct view *view, bool first)
{
	if (options->monitor) {
		options->monitor(view, first);
	} else if (options->gpu || options->apps) {
		const char *fields = options->gpu ? options->gpu : options->apps;

		if (first)
			query_header(fields, options->apps, &options->csv);
		query(view, fields, options->apps, &options->csv);
	} else if (options->list) {
		list(view);
	} else if (options->full && options->xml) {
		xml(view);
	} else if (options->full) {
		full(view);
	} else if (options->sms) {
		sms(view);
	} else {
		table(view);
	}
	fflush(stdout);
}

/* A rate needs two looks. */
#define MOMENT_US	100000

static int watch(struct client *client, const struct options *options)
{
	struct view view = { 0 };
	bool first = true;
	int status = query_devices(client, options->only, &view);
	unsigned long looks = 0;

	if (!status && !options->list)
		usleep(MOMENT_US);
	while (!status) {
		status = look_again(client, options->only, &view);
		if (!status)
			show(options, &view, first);
		first = false;
		if (options->loop <= 0 || ferror(stdout) || ++looks == options->count)
			break;
		usleep((useconds_t)(options->loop * 1e6));
	}
	view_free(&view);
	return status ? status : ferror(stdout) ? CLIENT_FAILED : CLIENT_OK;
}

/* ---- options ------------------------------------------------------------ */

static int parse_format(char *format, struct options *options)
{
	bool csv = false;

	for (char *word = strtok(format, ","); word; word = strtok(NULL, ",")) {
		if (!strcmp(word, "csv"))
			csv = true;
		else if (!strcmp(word, "noheader"))
			options->csv.no_header = true;
		else if (!strcmp(word, "nounits"))
			options->csv.no_units = true;
		else
			return wrong("--format takes csv, noheader and nounits, not ", word);
	}
	options->format = csv;
	return csv ? CLIENT_OK : wrong("--format needs csv", "");
}

static int parse_numbers(int opt, const char *text, struct options *options)
{
	char *end;

	if (opt == 'i') {
		options->only = client_device_named(text);
		if (options->only < 0)
			return wrong("-i takes the number of a device, 0 to 15, its UUID or its "
				     "bus, not ",
				     text);
		return CLIENT_OK;
	}
	if (opt == 'c') {
		errno = 0;
		options->count = strtoul(text, &end, 10);
		if (*end || end == text || errno || *text == '-' || !options->count)
			return wrong("-c takes a number of looks, 1 or more, not ", text);
		return CLIENT_OK;
	}
	options->loop = strtod(text, &end) / (opt == LOOP_MS ? 1000 : 1);
	if (*end || end == text || !(options->loop >= 0.05 && options->loop <= 86400))
		return wrong(opt == LOOP_MS ? "--loop-ms takes milliseconds, 50 to 86400000, not " :
			     opt == 'd'	    ? "-d takes seconds, 0.05 to 86400, not " :
					      "-l takes seconds, 0.05 to 86400, not ",
			     text);
	return CLIENT_OK;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "list-gpus", no_argument, NULL, 'L' },
		{ "query", no_argument, NULL, 'q' },
		{ "sms", no_argument, NULL, 's' },
		{ "xml-format", no_argument, NULL, 'x' },
		{ "filename", required_argument, NULL, 'f' },
		{ "loop-ms", required_argument, NULL, LOOP_MS },
		{ "query-gpu", required_argument, NULL, QUERY_GPU },
		{ "query-compute-apps", required_argument, NULL, QUERY_APPS },
		{ "format", required_argument, NULL, FORMAT },
		{ "help-query-gpu", no_argument, NULL, HELP_GPU },
		{ "help-query-compute-apps", no_argument, NULL, HELP_APPS },
		{ "id", required_argument, NULL, 'i' },
		{ "loop", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 }
	};
	int opt, status = CLIENT_OK;

	while (!status && (opt = getopt_long(argc, argv, "+Lqsxf:i:l:hV", longs, NULL)) != -1) {
		switch (opt) {
		case 'L': options->list = true; break;
		case 'q': options->full = true; break;
		case 's': options->sms = true; break;
		case 'x': options->xml = true; break;
		case 'f':
			if (!freopen(optarg, "w", stdout)) {
				fprintf(stderr, "vgpu-smi: %s: %s\n", optarg, strerror(errno));
				return CLIENT_FAILED;
			}
			break;
		case QUERY_GPU: options->gpu = optarg; break;
		case QUERY_APPS: options->apps = optarg; break;
		case FORMAT: status = parse_format(optarg, options); break;
		case 'i':
		case 'l':
		case LOOP_MS: status = parse_numbers(opt, optarg, options); break;
		case HELP_GPU: query_help(false); exit(CLIENT_OK);
		case HELP_APPS: query_help(true); exit(CLIENT_OK);
		case 'h': fputs(usage, stdout); exit(CLIENT_OK);
		case 'V':
			printf("vgpu-smi, interface version %d\n", VGPU_UAPI_VERSION);
			exit(CLIENT_OK);
		default: fputs("try vgpu-smi --help\n", stderr); return CLIENT_USAGE;
		}
	}
	if (status)
		return status;
	if (options->xml && !options->full)
		return wrong("-x goes with -q", "");
	if (!!options->gpu + !!options->apps + options->list + options->full + options->sms > 1)
		return wrong(
			"-L, -q, -s, --query-gpu and --query-compute-apps exclude each other", "");
	if ((options->gpu || options->apps) != options->format)
		return wrong("--query-gpu and --query-compute-apps go with --format=csv", "");
	if (options->gpu || options->apps)
		return query_check(options->gpu ? options->gpu : options->apps, options->apps);
	return CLIENT_OK;
}

/* Of dmon and pmon, behind their name. */
static int parse_monitor(int argc, char **argv, struct options *options)
{
	int opt, status = CLIENT_OK;

	options->monitor = !strcmp(argv[0], "dmon") ? dmon : pmon;
	if (options->loop <= 0)
		options->loop = 1;
	optind = 0;
	while (!status && (opt = getopt(argc, argv, "+i:d:c:")) != -1) {
		if (opt == '?') {
			fputs("try vgpu-smi --help\n", stderr);
			return CLIENT_USAGE;
		}
		status = parse_numbers(opt, optarg, options);
	}
	if (!status && optind < argc)
		return wrong("dmon and pmon take -i, -d and -c, not ", argv[optind]);
	return status;
}

/* nvidia-smi's -lms N is --loop-ms=N. */
static void spell_out(int argc, char **argv)
{
	static char long_name[] = "--loop-ms";

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-lms"))
			argv[i] = long_name;
}

int main(int argc, char **argv)
{
	int (*command)(struct client *, int, char **) = NULL;
	struct options options = { .only = -1 };
	struct client client;
	int status;

	spell_out(argc, argv);
	status = parse(argc, argv, &options);
	if (status)
		return status;
	if (optind < argc) {
		if (!strcmp(argv[optind], "dmon") || !strcmp(argv[optind], "pmon")) {
			status = parse_monitor(argc - optind, argv + optind, &options);
			if (status)
				return status;
		} else if (!strcmp(argv[optind], "set"))
			command = set_command;
		else if (!strcmp(argv[optind], "inject"))
			command = inject_command;
		else if (!strcmp(argv[optind], "events"))
			command = events_command;
		else if (!strcmp(argv[optind], "counts"))
			command = counts_command;
		else
			return wrong("unknown command ", argv[optind]);
	}
	status = client_open(&client);
	if (!status)
		status = command ? command(&client, argc - optind - 1, argv + optind + 1) :
				   watch(&client, &options);
	if (client.error[0])
		fprintf(stderr, "vgpu-smi: %s\n", client.error);
	client_close(&client);
	return status;
}
