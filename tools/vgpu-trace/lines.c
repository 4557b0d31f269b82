// SPDX-License-Identifier: MIT
/*
 * vgpu-trace --lines: what each line of a kernel's source has cost, or each of its instructions
 * where the lines are not known (docs/pipeline.md).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

/* Columns of the table, with the class of enum vgpu_stall that each belongs to. */
static const char *const titles[VGPU_LINE_COUNTS] = {
	[VGPU_LINE_ISSUED] = "issues", [VGPU_LINE_MEMORY] = "memory",
	[VGPU_LINE_OPERAND] = "operand", [VGPU_LINE_UNIT] = "unit",
	[VGPU_LINE_QUEUE] = "queue", [VGPU_LINE_BRANCH] = "branch",
	[VGPU_LINE_BARRIER] = "barrier", [VGPU_LINE_FETCH] = "fetch",
	[VGPU_LINE_PAGE] = "page", [VGPU_LINE_END] = "end",
};

/* ---- records -------------------------------------------------------------- */

static struct line_kernel *find_kernel(struct trace *trace, const struct kernel *k)
{
	struct line_kernel **at = &trace->line_kernels, *kernel;

	for (; *at; at = &(*at)->next)
		if ((*at)->launch.context == k->context && (*at)->launch.module == k->module &&
		    (*at)->launch.index == k->index)
			return *at;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return NULL;
	kernel->launch = *k;
	*at = kernel;
	return kernel;
}

static struct line_row *row_of(struct line_kernel *kernel, uint32_t pc)
{
	if (pc >= kernel->room) {
		uint32_t room = pc + 64;
		struct line_row *rows = realloc(kernel->rows, room * sizeof(*rows));

		if (!rows)
			return NULL;
		memset(rows + kernel->room, 0, (room - kernel->room) * sizeof(*rows));
		kernel->rows = rows;
		kernel->room = room;
	}
	if (pc >= kernel->count)
		kernel->count = pc + 1;
	return &kernel->rows[pc];
}

#define PC_MOST	0xffffffu	/* of a record of a device */

int trace_line(struct trace *trace, const struct vgpu_trace_record *rec)
{
	const struct kernel *k = trace_kernel(trace, rec->kernel);
	struct line_kernel *kernel;
	struct line_row *row;

	if (!k || rec->seq >= VGPU_LINE_COUNTS || (rec->queue > PC_MOST && rec->queue != ~0u)) {
		trace->unmatched++;
		return 0;
	}
	kernel = find_kernel(trace, k);
	if (!kernel)
		return -1;
	if (rec->queue == ~0u) {
		kernel->none += rec->a;
		return 0;
	}
	row = row_of(kernel, rec->queue);
	if (!row)
		return -1;
	row->counts[rec->seq] += rec->a;
	return 0;
}

void trace_free_lines(struct trace *trace)
{
	while (trace->line_kernels) {
		struct line_kernel *kernel = trace->line_kernels;

		trace->line_kernels = kernel->next;
		for (uint32_t pc = 0; pc < kernel->room; pc++) {
			free(kernel->rows[pc].text);
			free(kernel->rows[pc].file);
		}
		free(kernel->rows);
		free(kernel);
	}
}

/* ---- sums ------------------------------------------------------------------ */

uint64_t line_stalls(const struct line_row *row)
{
	uint64_t sum = 0;

	for (uint32_t what = VGPU_LINE_ISSUED + 1; what < VGPU_LINE_COUNTS; what++)
		sum += row->counts[what];
	return sum;
}

uint64_t line_kernel_stalls(const struct line_kernel *kernel)
{
	uint64_t sum = kernel->none;

	for (uint32_t pc = 0; pc < kernel->count; pc++)
		sum += line_stalls(&kernel->rows[pc]);
	return sum;
}

double line_percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

void line_add(struct line_row *sum, const struct line_row *row)
{
	for (uint32_t what = 0; what < VGPU_LINE_COUNTS; what++)
		sum->counts[what] += row->counts[what];
}

bool line_same(const struct line_row *a, const struct line_row *b)
{
	return a->file && b->file && a->line == b->line && !strcmp(a->file, b->file);
}

static struct line_row sum_of(const struct line_kernel *kernel)
{
	struct line_row sum = { .counts[VGPU_LINE_END] = kernel->none };

	for (uint32_t pc = 0; pc < kernel->count; pc++)
		line_add(&sum, &kernel->rows[pc]);
	return sum;
}

/* ---- the table ---------------------------------------------------------- */

/** struct place - a row of the table: a line of a source file, or an instruction */
struct place {
	struct line_row sum;
	uint32_t pc;		/* the first */
};

/* The rows of @kernel, those of one line together; how many. */
static uint32_t gather(const struct line_kernel *kernel, struct place *places)
{
	uint32_t count = 0;

	for (uint32_t pc = 0; pc < kernel->count; pc++) {
		const struct line_row *row = &kernel->rows[pc];
		uint32_t n;

		for (n = 0; n < count && !line_same(&places[n].sum, row); n++)
			;
		if (n == count)
			places[count++] = (struct place){
				.sum = { .file = row->file, .line = row->line, .text = row->text },
				.pc = pc,
			};
		line_add(&places[n].sum, row);
	}
	return count;
}

/* Most stalls first, then most issues, then in the order of the code. */
static int by_cost(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	uint64_t stalls[2] = { line_stalls(&x->sum), line_stalls(&y->sum) };

	if (stalls[0] != stalls[1])
		return stalls[0] > stalls[1] ? -1 : 1;
	if (x->sum.counts[VGPU_LINE_ISSUED] != y->sum.counts[VGPU_LINE_ISSUED])
		return x->sum.counts[VGPU_LINE_ISSUED] > y->sum.counts[VGPU_LINE_ISSUED] ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void print_row(FILE *out, const struct line_row *row, uint64_t all)
{
	fprintf(out, "%6.1f%% %10" PRIu64 " %10" PRIu64, line_percent(line_stalls(row), all),
		row->counts[VGPU_LINE_ISSUED], line_stalls(row));
	for (uint32_t what = VGPU_LINE_ISSUED + 1; what < VGPU_LINE_COUNTS; what++)
		fprintf(out, " %9" PRIu64, row->counts[what]);
}

static void print_place(FILE *out, const struct place *place)
{
	if (place->sum.file)
		fprintf(out, "  %s:%u\n", place->sum.file, place->sum.line);
	else if (place->sum.text)
		fprintf(out, "  %u: %s\n", place->pc, place->sum.text);
	else
		fprintf(out, "  instruction %u\n", place->pc);
}

static int print_kernel(const struct trace *trace, const struct line_kernel *kernel, FILE *out)
{
	struct place *places = calloc(kernel->count + 1, sizeof(*places));
	uint64_t all = line_kernel_stalls(kernel);
	struct line_row sum = sum_of(kernel);
	const struct process *process = &trace->processes[kernel->launch.context];
	char name[NAME_BYTES];
	uint32_t count;

	if (!places)
		return -1;
	count = gather(kernel, places);
	qsort(places, count, sizeof(*places), by_cost);
	fprintf(out, "%s, of %s (%" PRIu64 "): warp schedulers issued %" PRIu64
		     " instructions, and stalled for %" PRIu64 " cycles\n",
		trace_kernel_name(&kernel->launch, name, sizeof(name)),
		process->name[0] ? process->name : "a process", process->pid,
		sum.counts[VGPU_LINE_ISSUED], all);
	fprintf(out, "%7s %10s %10s", "stalls", titles[VGPU_LINE_ISSUED], "cycles");
	for (uint32_t what = VGPU_LINE_ISSUED + 1; what < VGPU_LINE_COUNTS; what++)
		fprintf(out, " %9s", titles[what]);
	fprintf(out, "  %s\n", kernel->has_lines ? "line" : "instruction");
	for (uint32_t n = 0; n < count; n++) {
		if (!line_stalls(&places[n].sum) && !places[n].sum.counts[VGPU_LINE_ISSUED])
			continue;
		print_row(out, &places[n].sum, all);
		print_place(out, &places[n]);
	}
	if (kernel->none) {
		struct line_row none = { .counts[VGPU_LINE_END] = kernel->none };

		print_row(out, &none, all);
		fputs("  of none: schedulers without warps\n", out);
	}
	print_row(out, &sum, all);
	fputs("  in all\n\n", out);
	free(places);
	return 0;
}

int trace_lines(const struct trace *trace, const char *title, FILE *out)
{
	(void)title;
	if (!trace->line_kernels) {
		fputs("vgpu-trace: the trace has no issues and stalls: the device needs "
		      "trace_lines=1 and timing=pipeline (or VGPU_TIMING)\n",
		      stderr);
		return -1;
	}
	for (const struct line_kernel *kernel = trace->line_kernels; kernel; kernel = kernel->next)
		if (print_kernel(trace, kernel, out))
			return -1;
	return 0;
}
