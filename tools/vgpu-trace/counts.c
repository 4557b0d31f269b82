// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: counters of kernels, as lists and in comparison with those of another run.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "counts_csv.h"

#define NONE	(~0ull)
#define HUGE_CHANGE	1e300	/* from nothing to something */

int counts_find(const char *name)
{
	for (int n = 0; n < VGPU_COUNTER_COUNT; n++)
		if (!strcmp(name, vgpu_counter_names[n]))
			return n;
	return -1;
}

/* ---- reading ------------------------------------------------------------ */

struct counts_row *counts_row(struct counts *counts, const char *name)
{
	struct counts_row *row;
	size_t n;

	for (n = 0; n < counts->count; n++)
		if (!strncmp(counts->rows[n].name, name, sizeof(row->name) - 1))
			return &counts->rows[n];
	if (trace_array_grow(&counts->rows, &counts->room, counts->count, sizeof(*row))) {
		fputs("vgpu-trace: out of memory\n", stderr);
		return NULL;
	}
	row = &counts->rows[counts->count++];
	memset(row, 0, sizeof(*row));
	snprintf(row->name, sizeof(row->name), "%s", name);
	for (n = 0; n < VGPU_COUNTER_COUNT; n++)
		row->value[n] = NONE;
	return row;
}

void counts_add(uint64_t *sum, uint64_t value)
{
	if (value != NONE)
		*sum = (*sum == NONE ? 0 : *sum) + value;
}

void counts_free(struct counts *counts)
{
	free(counts->rows);
	memset(counts, 0, sizeof(*counts));
}

static int by_duration(const void *a, const void *b)
{
	const struct counts_row *x = a, *y = b;

	if (x->duration_ps != y->duration_ps)
		return x->duration_ps < y->duration_ps ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void sort(struct counts *counts)
{
	if (counts->count)
		qsort(counts->rows, counts->count, sizeof(*counts->rows), by_duration);
}

int counts_of_trace(struct counts *counts, const struct trace *trace)
{
	for (size_t i = 0; i < trace->kernel_count; i++) {
		const struct kernel *k = &trace->kernels[i];
		struct counts_row *row;

		if (!k->counts)
			continue;
		row = counts_row(counts, k->name);
		if (!row)
			return -1;
		row->launches++;
		row->duration_ps += k->end > k->start ? k->end - k->start : 0;
		for (int n = 0; n < VGPU_COUNTER_COUNT; n++)
			counts_add(&row->value[n], k->counts[n]);
	}
	sort(counts);
	return 0;
}

/* What the file begins with: 't' a trace, 'j' JSON, 'c' CSV, 0 something else */
static int kind_of(FILE *file)
{
	char text[8] = "";
	size_t bytes = fread(text, 1, sizeof(text), file);

	rewind(file);
	if (bytes == sizeof(text) && !memcmp(text, TRACE_MAGIC, sizeof(text)))
		return 't';
	if (bytes && text[0] == '{')
		return 'j';
	return bytes >= 6 && !memcmp(text, "scope,", 6) ? 'c' : 0;
}

int counts_is_file(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
	int kind = file ? kind_of(file) : 0;

	if (file)
		fclose(file);
	return kind == 'j' || kind == 'c';
}

static int load_trace(struct counts *counts, FILE *file, const char *path)
{
	struct trace trace;
	int err = trace_read(file, path, &trace);

	if (err)
		return -1;
	err = counts_of_trace(counts, &trace);
	trace_free(&trace);
	return err;
}

int counts_load(struct counts *counts, const char *path)
{
	FILE *file = fopen(path, "rb");
	int err = -1;

	memset(counts, 0, sizeof(*counts));
	if (!file) {
		fprintf(stderr, "vgpu-trace: %s: %s\n", path, strerror(errno));
		return -1;
	}
	switch (kind_of(file)) {
	case 't':
		err = load_trace(counts, file, path);
		break;
	case 'j':
		err = counts_read_json(counts, file, path);
		break;
	case 'c':
		err = counts_read_csv(counts, file, path);
		break;
	default:
		fprintf(stderr, "vgpu-trace: %s is no trace and no file of VGPU_STATS\n", path);
	}
	fclose(file);
	if (!err && !counts->count) {
		fprintf(stderr,
			"vgpu-trace: %s has no counters of kernels: was kernel_statistics=1 set?\n",
			path);
		err = -1;
	}
	if (err)
		counts_free(counts);
	sort(counts);
	return err;
}

/* ---- lists -------------------------------------------------------------- */

/* What the kernel is called, without arguments */
static char *short_name(const struct counts_row *row, char *text, size_t size)
{
	struct kernel kernel = { .module = ~0u };

	snprintf(kernel.name, sizeof(kernel.name), "%.*s", (int)sizeof(kernel.name) - 1,
		 row->name);
	if (!row->name[0])
		snprintf(text, size, "profiled kernels");
	else
		trace_kernel_name(&kernel, text, size);
	return text;
}

void counts_print(const struct counts *counts, FILE *out)
{
	char name[NAME_BYTES], time[32];

	if (counts->count)
		fputs("Counters of kernels, those of 0 left out\n", out);
	for (size_t i = 0; i < counts->count; i++) {
		const struct counts_row *row = &counts->rows[i];

		fprintf(out, "  %s: %" PRIu64 " launch%s, %s\n",
			short_name(row, name, sizeof(name)), row->launches,
			row->launches == 1 ? "" : "es",
			trace_time_text(row->duration_ps, time, sizeof(time)));
		fprintf(out, "    %-24s %18s %18s\n", "", "total", "of a launch");
		for (int n = 0; n < VGPU_COUNTER_COUNT; n++)
			if (row->value[n] != NONE && row->value[n])
				fprintf(out, "    %-24s %18" PRIu64 " %18.1f\n",
					vgpu_counter_names[n], row->value[n],
					(double)row->value[n] / (double)row->launches);
	}
}

int counts_stats(const char *path, FILE *out)
{
	struct counts counts;

	if (counts_load(&counts, path))
		return 1;
	counts_print(&counts, out);
	counts_free(&counts);
	return 0;
}

/* ---- comparison --------------------------------------------------------- */

/** struct change - of a number from one run to the other */
struct change {
	const char *name;
	uint64_t a, b;
	double relative;	/* of @a */
};

static double relative(uint64_t a, uint64_t b)
{
	if (a)
		return ((double)b - (double)a) / (double)a;
	return b ? HUGE_CHANGE : 0;
}

static int by_change(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	double p = x->relative < 0 ? -x->relative : x->relative;
	double q = y->relative < 0 ? -y->relative : y->relative;

	return p < q ? 1 : p > q ? -1 : 0;
}

static void print_change(const struct change *c, FILE *out)
{
	fprintf(out, "    %-24s %18" PRIu64 " %18" PRIu64 " ", c->name, c->a, c->b);
	if (c->a)
		fprintf(out, "%+10.2f%%\n", 100 * c->relative);
	else
		fprintf(out, "%11s\n", c->b ? "new" : "");
}

/* What differs, the largest change first; what only one of the devices counts is left out. */
static void compare(const struct counts_row *a, const struct counts_row *b, bool all, FILE *out)
{
	struct change changes[VGPU_COUNTER_COUNT + 2] = {
		{ "launches", a->launches, b->launches, relative(a->launches, b->launches) },
		{ "duration_ps", a->duration_ps, b->duration_ps,
		  relative(a->duration_ps, b->duration_ps) },
	};
	unsigned int count = 2, same = 0, one = 0;
	char name[NAME_BYTES];

	for (int n = 0; n < VGPU_COUNTER_COUNT; n++) {
		one += (a->value[n] == NONE) != (b->value[n] == NONE);
		if (a->value[n] == NONE || b->value[n] == NONE)
			continue;
		if (a->value[n] == b->value[n] && !all) {
			same++;
			continue;
		}
		changes[count++] = (struct change){
			vgpu_counter_names[n], a->value[n], b->value[n],
			relative(a->value[n], b->value[n]),
		};
	}
	qsort(changes + 2, count - 2, sizeof(*changes), by_change);
	fprintf(out, "  %s\n    %-24s %18s %18s %11s\n", short_name(a, name, sizeof(name)), "", "A",
		"B", "B - A");
	for (unsigned int n = 0; n < count; n++)
		print_change(&changes[n], out);
	if (same)
		fprintf(out, "    %u counters are the same\n", same);
	if (one)
		fprintf(out, "    %u counters are in one run only\n", one);
}

static bool is_wanted(const struct counts_row *row, const char *wanted)
{
	char name[NAME_BYTES];

	return !wanted || !strcmp(row->name, wanted) ||
	       !strcmp(short_name(row, name, sizeof(name)), wanted);
}

static const struct counts_row *row_named(const struct counts *counts, const char *name)
{
	for (size_t i = 0; i < counts->count; i++)
		if (!strcmp(counts->rows[i].name, name))
			return &counts->rows[i];
	return NULL;
}

/* Kernels of @counts that are not in @other. Returns how many. */
static int only_in(const struct counts *counts, const struct counts *other, const char *wanted,
		   const char *which, FILE *out)
{
	char name[NAME_BYTES], time[32];
	int found = 0;

	for (size_t i = 0; i < counts->count; i++) {
		const struct counts_row *row = &counts->rows[i];

		if (row_named(other, row->name) || !is_wanted(row, wanted))
			continue;
		found++;
		fprintf(out, "  %s: only in %s, %" PRIu64 " launch%s, %s\n",
			short_name(row, name, sizeof(name)), which, row->launches,
			row->launches == 1 ? "" : "es",
			trace_time_text(row->duration_ps, time, sizeof(time)));
	}
	return found;
}

static int diff(const struct counts *a, const struct counts *b, const char *wanted, bool all,
		FILE *out)
{
	char name[NAME_BYTES];
	int found = 0;

	for (size_t i = 0; i < a->count; i++) {
		const struct counts_row *other = row_named(b, a->rows[i].name);

		if (!other || !is_wanted(&a->rows[i], wanted))
			continue;
		compare(&a->rows[i], other, all, out);
		found++;
	}
	found += only_in(a, b, wanted, "A", out);
	found += only_in(b, a, wanted, "B", out);
	if (found)
		return 0;
	fprintf(stderr, "vgpu-trace: no kernel is called %s; there are", wanted);
	for (size_t i = 0; i < a->count; i++)
		fprintf(stderr, "%s %s", i ? "," : "", short_name(&a->rows[i], name, sizeof(name)));
	fputc('\n', stderr);
	return 1;
}

static const char diff_usage[] =
	"usage: vgpu-trace diff [options] A B\n"
	"\n"
	"Compares what kernels did in two runs: files of VGPU_STATS (JSON, CSV), or traces of a\n"
	"device with kernel_statistics=1. Kernels that took longest in A come first, of each the\n"
	"counters that changed most.\n"
	"\n"
	"  -k, --kernel NAME  only this kernel\n"
	"  -a, --all          also counters that are the same\n"
	"  -h, --help         print this help\n"
	"\n"
	"exit status: 0 success, 1 a file could not be read or there is no such kernel, 2 wrong\n"
	"usage\n";

int counts_diff(int argc, char **argv)
{
	static const struct option options[] = { { "kernel", required_argument, NULL, 'k' },
						 { "all", no_argument, NULL, 'a' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	const char *wanted = NULL;
	struct counts a, b;
	bool all = false;
	int opt, status;

	while ((opt = getopt_long(argc, argv, "k:ah", options, NULL)) != -1) {
		switch (opt) {
		case 'k': wanted = optarg; break;
		case 'a': all = true; break;
		case 'h': fputs(diff_usage, stdout); return 0;
		default: fputs("try `vgpu-trace diff --help'\n", stderr); return 2;
		}
	}
	if (optind + 2 != argc) {
		fputs("vgpu-trace: two files are needed; try `vgpu-trace diff --help'\n", stderr);
		return 2;
	}
	if (counts_load(&a, argv[optind]))
		return 1;
	if (counts_load(&b, argv[optind + 1])) {
		counts_free(&a);
		return 1;
	}
	status = diff(&a, &b, wanted, all, stdout);
	counts_free(&a);
	counts_free(&b);
	return status;
}
