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

#include "smi.h"

static const char *const scopes[VGPU_NL_COUNTS_SCOPES] = {
	[VGPU_NL_COUNTS_LAUNCH] = "launch", [VGPU_NL_COUNTS_STREAM] = "stream",
	[VGPU_NL_COUNTS_CONTEXT] = "context", [VGPU_NL_COUNTS_SM] = "sm",
};

static const char *const names[VGPU_COUNTER_COUNT] = {
#define NAME(NAME, name, needs, metric, text) #name,
	VGPU_COUNTERS(NAME)
#undef NAME
};

static bool is_counted(const struct client_counts *c, unsigned int counter)
{
	return c->value[counter] != ~0ull;
}

/* Of the warps for which SMs had room while they had blocks of it, those that were there, in % */
static double occupancy(const struct client_counts *c)
{
	double room = (double)c->value[VGPU_COUNT_ACTIVE_TIME] * c->sm_warps;

	return room > 0 ? 100 * (double)c->value[VGPU_COUNT_WARP_TIME] / room : 0;
}

/* Of a launch: with as many blocks on each SM as fit */
static double theoretical(const struct client_counts *c)
{
	uint64_t warps = ((uint64_t)c->block[0] * c->block[1] * c->block[2] + 31) / 32;

	return c->sm_warps ? 100 * (double)(c->fitting * warps) / c->sm_warps : 0;
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
			printf("      %-24s %20" PRIu64 "\n", names[n], c->value[n]);
}

/* ---- CSV ------------------------------------------------------------------ */

static void csv_head(void)
{
	fputs("scope,launch,context,stream,label,kernel,sm,launches,grid,block,started_ps,"
	      "duration_ps,preempted_ps,complete,theoretical_occupancy_pct,"
	      "achieved_occupancy_pct,device,pid",
	      stdout);
	for (unsigned int n = 0; n < VGPU_COUNTER_COUNT; n++)
		printf(",%s", names[n]);
	putchar('\n');
}

/* Nothing where it is of several */
static void csv_number(bool there, uint32_t value)
{
	if (there)
		printf("%" PRIu32, value);
	putchar(',');
}

static void csv(const struct client_counts *c)
{
	bool launch = c->scope == VGPU_NL_COUNTS_LAUNCH, sm = c->scope == VGPU_NL_COUNTS_SM;

	printf("%s,", scopes[c->scope]);
	csv_number(launch, c->launch);
	csv_number(!sm, c->context);
	csv_number(c->scope <= VGPU_NL_COUNTS_STREAM, c->queue);
	/* names are those of linkers: letters, digits and the like */
	printf(",\"%s\",", c->kernel);
	csv_number(sm, c->sm);
	printf("%" PRIu64 ",", c->launches);
	if (launch)
		printf("%" PRIu32 "x%" PRIu32 "x%" PRIu32 ",%" PRIu32 "x%" PRIu32 "x%" PRIu32
		       ",%" PRIu64 ",",
		       c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
		       c->started);
	else
		fputs(",,,", stdout);
	printf("%" PRIu64 ",%" PRIu64 ",", c->duration, c->preempted);
	if (launch)
		printf("%d,%.2f,", c->complete, theoretical(c));
	else
		fputs(",,", stdout);
	printf("%.2f,%" PRIu32 ",", occupancy(c), c->device);
	if (c->pid)
		printf("%" PRIu32, c->pid);
	for (unsigned int n = 0; n < VGPU_COUNTER_COUNT; n++) {
		putchar(',');
		if (is_counted(c, n))
			printf("%" PRIu64, c->value[n]);
	}
	putchar('\n');
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
		fputs("vgpu-smi: nothing was counted; vgpu-smi set kernel_statistics=1 counts "
		      "kernels that begin from then on\n", stderr);
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
