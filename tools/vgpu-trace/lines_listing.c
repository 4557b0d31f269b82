// SPDX-License-Identifier: MIT
/*
 * vgpu-trace --lines, --listing: the code of the kernels, as the runtime has written it
 * (VGPU_CODE), and the source with what each of its lines and their instructions have cost.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

/* ---- the code --------------------------------------------------------------- */

static struct line_kernel *kernel_of(const struct trace *trace, const char *line, uint32_t *count)
{
	struct line_kernel *kernel;
	unsigned int module, index;
	uint64_t pid;

	*count = 0;
	if (sscanf(line, "kernel %" SCNu64 " %u %u %u", &pid, &module, &index, count) != 4)
		return NULL;
	for (kernel = trace->line_kernels; kernel; kernel = kernel->next)
		if (trace->processes[kernel->launch.context].pid == pid &&
		    kernel->launch.module == module && kernel->launch.index == index)
			return kernel;
	return NULL;
}

/* "PC\tLINE\tFILE\tINSTRUCTION\n"; @line is taken apart. false: it is something else */
static bool read_instruction(struct line_kernel *kernel, char *line)
{
	char *field[4], *next = line, *end;
	unsigned long pc, number;
	struct line_row *row;

	line[strcspn(line, "\n")] = 0;
	for (int n = 0; n < 4; n++) {
		if (!next)
			return false;
		field[n] = next;
		next = n < 3 ? strchr(next, '\t') : NULL;
		if (next)
			*next++ = 0;
	}
	pc = strtoul(field[0], &end, 10);
	if (*end || end == field[0])
		return false;
	number = strtoul(field[1], &end, 10);
	/* what the trace has nothing of needs no text */
	if (*end || !kernel || pc >= kernel->count)
		return !*end;
	row = &kernel->rows[pc];
	free(row->text);
	free(row->file);
	row->text = strdup(field[3]);
	row->file = number ? strdup(field[2]) : NULL;
	row->line = (unsigned int)number;
	kernel->has_lines |= number != 0;
	return row->text && (!number || row->file);
}

int trace_code(struct trace *trace, const char *path)
{
	FILE *file = fopen(path, "r");
	struct line_kernel *kernel = NULL;
	uint32_t left = 0, count = 0;
	char *line = NULL;
	size_t room = 0;
	bool good = file;

	while (good && getline(&line, &room, file) > 0) {
		if (left) {
			good = read_instruction(kernel, line);
			left--;
			continue;
		}
		kernel = kernel_of(trace, line, &count);
		good = count;
		left = count;
	}
	free(line);
	if (!file || ferror(file))
		fprintf(stderr, "vgpu-trace: %s: %s\n", path, strerror(errno));
	else if (!good)
		fprintf(stderr, "vgpu-trace: %s is not a file of VGPU_CODE\n", path);
	if (file)
		fclose(file);
	return good ? 0 : -1;
}

/* ---- the listing ------------------------------------------------------------ */

/** struct listing - of one kernel */
struct listing {
	const struct line_kernel *kernel;
	uint64_t stalls;
	FILE *out;
};

#define BLANK	"                          "

static void margin(const struct listing *l, const struct line_row *row)
{
	uint64_t stalls = line_stalls(row);

	if (!stalls && !row->counts[VGPU_LINE_ISSUED]) {
		fputs(BLANK, l->out);
		return;
	}
	fprintf(l->out, "%6.1f%% %8" PRIu64 " %8" PRIu64 " ",
		line_percent(stalls, l->stalls), row->counts[VGPU_LINE_ISSUED], stalls);
}

/* The largest reasons of @row, as "memory 70, operand 3". */
static void reasons(const struct listing *l, const struct line_row *row)
{
	static const char *const names[VGPU_LINE_COUNTS] = {
		"",	  "memory",  "operand", "unit", "queue",
		"branch", "barrier", "fetch",	"page", "end",
	};
	struct line_row left = *row;
	const char *before = "  // ";

	for (;;) {
		uint32_t most = VGPU_LINE_ISSUED + 1;

		for (uint32_t what = most; what < VGPU_LINE_COUNTS; what++)
			if (left.counts[what] > left.counts[most])
				most = what;
		if (!left.counts[most])
			return;
		fprintf(l->out, "%s%s %" PRIu64, before, names[most], left.counts[most]);
		left.counts[most] = 0;
		before = ", ";
	}
}

static void print_instruction(const struct listing *l, uint32_t pc)
{
	const struct line_row *row = &l->kernel->rows[pc];

	margin(l, row);
	fprintf(l->out, "    %5u  %s", pc, row->text ? row->text : "?");
	reasons(l, row);
	fputc('\n', l->out);
}

/* Line @number of @file, of which the text is @text, with its instructions below. */
static void print_line(const struct listing *l, const char *file, unsigned int number,
		       const char *text)
{
	struct line_row line = { .file = (char *)(uintptr_t)file, .line = number }, sum = {};

	for (uint32_t pc = 0; pc < l->kernel->count; pc++)
		if (line_same(&l->kernel->rows[pc], &line))
			line_add(&sum, &l->kernel->rows[pc]);
	margin(l, &sum);
	fprintf(l->out, "%5u  %s\n", number, text);
	for (uint32_t pc = 0; pc < l->kernel->count; pc++)
		if (line_same(&l->kernel->rows[pc], &line))
			print_instruction(l, pc);
}

/* The first and the last line of @file that the kernel has code of. */
static void range_of(const struct line_kernel *kernel, const char *file, unsigned int *first,
		     unsigned int *last)
{
	*first = ~0u;
	*last = 0;
	for (uint32_t pc = 0; pc < kernel->count; pc++) {
		const struct line_row *row = &kernel->rows[pc];

		if (!row->file || strcmp(row->file, file))
			continue;
		*first = row->line < *first ? row->line : *first;
		*last = row->line > *last ? row->line : *last;
	}
}

#define AROUND	3u	/* lines of the source before the first */

static void print_file(const struct listing *l, const char *file)
{
	unsigned int first, last, number = 0;
	FILE *source = fopen(file, "r");
	char *text = NULL;
	size_t room = 0;

	range_of(l->kernel, file, &first, &last);
	fprintf(l->out, BLANK "%s%s\n", file, source ? "" : ", which cannot be read");
	while (source && number < last && getline(&text, &room, source) > 0) {
		text[strcspn(text, "\n")] = 0;
		if (++number + AROUND >= first)
			print_line(l, file, number, text);
	}
	/* what the source does not have */
	for (number = number < first ? first : number + 1; number <= last; number++)
		print_line(l, file, number, "");
	free(text);
	if (source)
		fclose(source);
}

/* Has a row before @pc the same file? */
static bool was_before(const struct line_kernel *kernel, uint32_t pc)
{
	for (uint32_t n = 0; n < pc; n++)
		if (kernel->rows[n].file && !strcmp(kernel->rows[n].file, kernel->rows[pc].file))
			return true;
	return false;
}

static void print_listing(const struct listing *l)
{
	const struct line_kernel *kernel = l->kernel;
	char name[NAME_BYTES];
	bool said = false;

	fprintf(l->out, "%s\n%7s %8s %8s\n", trace_kernel_name(&kernel->launch, name, sizeof(name)),
		"stalls", "issues", "cycles");
	for (uint32_t pc = 0; pc < kernel->count; pc++)
		if (kernel->rows[pc].file && !was_before(kernel, pc))
			print_file(l, kernel->rows[pc].file);
	for (uint32_t pc = 0; pc < kernel->count; pc++) {
		if (kernel->rows[pc].file)
			continue;
		if (!said)
			fputs(BLANK "instructions without a line\n", l->out);
		said = true;
		print_instruction(l, pc);
	}
	fputc('\n', l->out);
}

int trace_listing(const struct trace *trace, const char *title, FILE *out)
{
	(void)title;
	if (!trace->line_kernels)
		return trace_lines(trace, title, out);
	for (const struct line_kernel *kernel = trace->line_kernels; kernel; kernel = kernel->next)
		print_listing(&(struct listing){ kernel, line_kernel_stalls(kernel), out });
	return 0;
}
