// SPDX-License-Identifier: MIT
/*
 * vgpu-smi counts: what kernels did (docs/statistics.md), of each launch, stream, context or SM: a
 * line each, with -a all of its counters behind it; or CSV with the columns of a VGPU_STATS file,
 * which vgpu-trace stats and diff read.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counts_csv.h"
#include "smi.h"

static const char *const scopes[VGPU_NL_COUNTS_SCOPES] = {
	[VGPU_NL_COUNTS_LAUNCH] = "launch", [VGPU_NL_COUNTS_STREAM] = "stream",
	[VGPU_NL_COUNTS_CONTEXT] = "context", [VGPU_NL_COUNTS_SM] = "sm",
};

static bool is_counted(const struct client_counts *c, unsigned int counter)
{
	return c->value[counter] != ~0ull;
}

static double occupancy(const struct client_counts *c)
{
	return vgpu_counts_achieved(c->value, c->sm_warps);
}

/* ---- a line each ---------------------------------------------------------- */

static void head(enum vgpu_nl_counts scope)
{
	printf("%3s %5s %6s %6s %-15s %8s %9s %6s %12s %s\n", "GPU",
	       scope == VGPU_NL_COUNTS_SM ? "SM" : "Ctx",
	       scope <= VGPU_NL_COUNTS_STREAM ? "Stream" : "",
	       scope == VGPU_NL_COUNTS_LAUNCH ? "Launch" : "",
	       scope == VGPU_NL_COUNTS_LAUNCH ? "Kernel" : "Process", "Launches", "Time", "Occup.",
	       "Instructions", "Faults");
}

static void number(bool there, uint32_t value, int width)
{
	if (there)
		printf("%*" PRIu32 " ", width, value);
	else
		printf("%*s ", width, "");
}

static const char *owner(const struct client_counts *c, char *text, size_t size)
{
	if (c->scope == VGPU_NL_COUNTS_SM)
		return "";
	if (c->scope != VGPU_NL_COUNTS_LAUNCH)
		return c->pid ? client_process_name(c->pid, text, size) : "";
	return c->kernel[0] ? client_kernel_name(c->kernel, text, size) : "profiled";
}

static void line(const struct client_counts *c)
{
	char name[VGPU_NL_KERNEL_BYTES], time[32];

	printf("%3" PRIu32 " ", c->device);
	number(true, c->scope == VGPU_NL_COUNTS_SM ? c->sm : c->context, 5);
	number(c->scope <= VGPU_NL_COUNTS_STREAM, c->queue, 6);
	number(c->scope == VGPU_NL_COUNTS_LAUNCH, c->launch, 6);
	printf("%-15.15s %8" PRIu64 " %9s %5.1f%% %12" PRIu64 " %6" PRIu64 "\n",
	       owner(c, name, sizeof(name)), c->launches,
	       client_time_text(c->duration, time, sizeof(time)), occupancy(c),
	       c->value[VGPU_COUNT_INSTRUCTIONS], c->value[VGPU_COUNT_PAGE_FAULTS]);
}

static void all(const struct client_counts *c)
{
	for (unsigned int n = 0; n < VGPU_COUNTER_COUNT; n++)
		if (is_counted(c, n) && c->value[n])
			printf("      %-24s %20" PRIu64 "\n", vgpu_counter_names[n],
			       c->value[n]);
}

/* ---- CSV ------------------------------------------------------------------ */

/* All counters: devices differ. */
static bool columns[VGPU_COUNTER_COUNT];

static void csv_head(void)
{
	for (unsigned int n = 0; n < VGPU_COUNTER_COUNT; n++)
		columns[n] = true;
	vgpu_csv_head(stdout, ",device,pid", columns);
}

static void csv(const struct client_counts *c)
{
	bool is_launch = c->scope == VGPU_NL_COUNTS_LAUNCH, sm = c->scope == VGPU_NL_COUNTS_SM;
	uint32_t warps = (uint32_t)(((uint64_t)c->block[0] * c->block[1] * c->block[2] + 31) / 32);
	struct vgpu_csv_launch launch = {
		.started_ps = c->started, .complete = c->complete,
		.theoretical = vgpu_counts_theoretical(c->fitting, warps, c->sm_warps),
	};
	struct vgpu_csv_line line = {
		.scope = scopes[c->scope],
		.kernel = c->kernel,
		.number = is_launch ? c->launch : VGPU_CSV_NONE,
		.context = sm ? VGPU_CSV_NONE : c->context,
		.queue = c->scope <= VGPU_NL_COUNTS_STREAM ? c->queue : VGPU_CSV_NONE,
		.sm = sm ? c->sm : VGPU_CSV_NONE,
		.launches = c->launches,
		.duration_ps = c->duration,
		.preempted_ps = c->preempted,
		.launch = is_launch ? &launch : NULL,
		.achieved = occupancy(c),
	};
	char more[32];

	memcpy(launch.grid, c->grid, sizeof(launch.grid));
	memcpy(launch.block, c->block, sizeof(launch.block));
	memcpy(line.value, c->value, sizeof(line.value));
	if (c->pid)
		snprintf(more, sizeof(more), ",%" PRIu32 ",%" PRIu32, c->device, c->pid);
	else
		snprintf(more, sizeof(more), ",%" PRIu32 ",", c->device);
	vgpu_csv_line(stdout, &line, more, columns);
}

/* ---- the command ---------------------------------------------------------- */

/** struct options - what was asked for */
struct options {
	enum vgpu_nl_counts scope;
	int only;			/* a device, -1: all */
	bool all, csv;
};

/* Of each device the launches in their order; the rest as the module has it. */
static int by_launch(const void *a, const void *b)
{
	const struct client_counts *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->launch < y->launch ? -1 : x->launch > y->launch;
}

static int show(struct client *client, const struct options *options)
{
	struct client_counts *list;
	size_t count;
	int status = client_counts(client, options->only, options->scope, &list, &count);

	if (status)
		return status;
	if (count && options->scope == VGPU_NL_COUNTS_LAUNCH)
		qsort(list, count, sizeof(*list), by_launch);
	if (!count)
		fprintf(stderr, "vgpu-smi: nothing was counted%s; vgpu-smi set kernel_statistics=1 "
			"counts kernels that begin from then on\n",
			geteuid() ? " that you may see (SMs and what others did is for root, "
			"CAP_PERFMON)" : "");
	else if (options->csv)
		csv_head();
	else
		head(options->scope);
	for (size_t i = 0; i < count; i++) {
		if (options->csv)
			csv(&list[i]);
		else
			line(&list[i]);
		if (options->all)
			all(&list[i]);
	}
	free(list);
	return fflush(stdout) || ferror(stdout) ? CLIENT_FAILED : CLIENT_OK;
}

static int wrong(struct client *client, const char *what, const char *value)
{
	snprintf(client->error, sizeof(client->error), "%s%s; try vgpu-smi --help", what, value);
	return CLIENT_USAGE;
}

static int scope_of(const char *name)
{
	for (int n = 0; n < VGPU_NL_COUNTS_SCOPES; n++)
		if (!strcmp(name, scopes[n]))
			return n;
	return -1;
}

int counts_command(struct client *client, int argc, char **argv)
{
	struct options options = { .only = -1 };
	int opt, scope;

	optind = 0;
	while ((opt = getopt(argc + 1, argv - 1, "+i:b:ac")) != -1) {
		switch (opt) {
		case 'i':
			options.only = client_device_named(optarg);
			if (options.only < 0)
				return wrong(client, "-i takes the number of a device, its UUID "
					     "or its bus, not ", optarg);
			break;
		case 'b':
			scope = scope_of(optarg);
			if (scope < 0)
				return wrong(client, "-b takes launch, stream, context or sm, not ",
					     optarg);
			options.scope = (enum vgpu_nl_counts)scope;
			break;
		case 'a': options.all = true; break;
		case 'c': options.csv = true; break;
		default: return wrong(client, "counts takes -i, -b, -a and -c", "");
		}
	}
	if (optind < argc + 1)
		return wrong(client, "counts takes -i, -b, -a and -c, not ", argv[optind - 1]);
	if (options.all && options.csv)
		return wrong(client, "-c has all counters; -a goes without it", "");
	return show(client, &options);
}
