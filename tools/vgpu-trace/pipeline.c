// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: the stages of instructions (trace_pipeline=1), one row an instruction and one column
 * a cycle, as computer architects read them; as text, as a picture, or as a log of Konata, a
 * viewer of pipelines (its format Kanata 0004).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "vgpu_isa.h"

#define ROWS_MOST	2000u	/* of text and picture */
#define COLUMNS_MOST	2000u

static const char *const names[VGPU_OP_COUNT] = {
#define NAME(name, class, dst, a, b, c) [VGPU_OP_##name] = #name,
	VGPU_ISA(NAME)
#undef NAME
};

int trace_instruction(struct trace *t, const struct vgpu_trace_record *rec, uint32_t context)
{
	struct instruction *i;

	if (trace_array_grow(&t->instructions, &t->instruction_room, t->instruction_count,
			     sizeof(*t->instructions)))
		return -1;
	i = &t->instructions[t->instruction_count++];
	*i = (struct instruction){
		.sm = rec->sm,
		.context = context,
		.kernel = rec->kernel,
		.op = rec->queue >> 24,
		.pc = rec->queue & 0xffffff,
		.fetch = rec->seq,
		.issue = (uint32_t)(rec->a >> 32) == 0xffffffff ? 0 : rec->seq + (rec->a >> 32),
		.end = rec->seq + (uint32_t)rec->a,
		.block = rec->b >> 16,
		.warp = rec->b >> 8 & 0xff,
		.flags = rec->b & 0xff,
	};
	return 0;
}

static int by_fetch(const void *a, const void *b)
{
	const struct instruction *x = a, *y = b;

	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	if (x->fetch != y->fetch)
		return x->fetch < y->fetch ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->warp != y->warp)
		return x->warp < y->warp ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

void trace_sort_instructions(struct trace *t)
{
	if (t->instruction_count)
		qsort(t->instructions, t->instruction_count, sizeof(*t->instructions), by_fetch);
}

/* The stage of @i in @cycle; 0: none. */
static char stage_at(const struct instruction *i, uint64_t cycle)
{
	if (cycle < i->fetch || cycle > i->end)
		return 0;
	if (cycle == i->fetch)
		return 'F';
	if (cycle == i->end)
		return !(i->flags & VGPU_TRACED_SQUASHED) ? 'C' :
		       i->flags & VGPU_TRACED_FAULTED	  ? '!' : 'x';
	if (!i->issue || cycle < i->issue)
		return '.';
	if (cycle == i->issue)
		return 'I';
	return cycle == i->issue + 1 ? 'O' : 'E';
}

static const char *label(const struct instruction *i, char *text, size_t size)
{
	snprintf(text, size, "%s%s", i->op < VGPU_OP_COUNT ? names[i->op] : "?",
		 i->flags & VGPU_TRACED_REPLAYED ? " (replayed)" : "");
	return text;
}

/* Is @i in what was asked for? */
static int is_shown(const struct stretch *s, const struct instruction *i)
{
	return (s->sm == ~0u || i->sm == s->sm) && i->end >= s->first && i->fetch <= s->last;
}

static size_t shown(const struct trace *t, const struct stretch *s, const struct instruction **rows,
		    size_t most, uint64_t *first, uint64_t *last)
{
	size_t count = 0;

	*first = UINT64_MAX;
	*last = 0;
	for (size_t n = 0; n < t->instruction_count && count < most; n++) {
		const struct instruction *i = &t->instructions[n];

		if (!is_shown(s, i))
			continue;
		rows[count++] = i;
		*first = i->fetch < *first ? i->fetch : *first;
		*last = i->end > *last ? i->end : *last;
	}
	if (*last > s->last)
		*last = s->last;
	if (count && *last - *first >= COLUMNS_MOST)
		*last = *first + COLUMNS_MOST - 1;
	return count;
}

/* Below its instruction, a row for each line that its access has asked L2 for */
static void put_exchanges(const struct trace *t, const struct instruction *i, uint64_t first,
			  uint64_t last, FILE *out)
{
	size_t count, at = 0;
	const struct message *m = trace_messages_of(t, i, &count);
	struct exchange e;
	char text[64];

	while (trace_next_exchange(m, count, &at, &e)) {
		uint64_t end = e.answer ? e.answer->arrives : e.ask->arrives;

		fprintf(out, "%20s %-20s ", "", trace_exchange_name(&e, text, sizeof(text)));
		for (uint64_t cycle = first; cycle <= end && cycle <= last; cycle++) {
			char where = trace_exchange_at(&e, cycle);

			fputc(where ? where : ' ', out);
		}
		fputc('\n', out);
	}
}

static int put_text(const struct trace *t, const struct stretch *s, FILE *out)
{
	const struct instruction *rows[ROWS_MOST];
	uint64_t first, last;
	size_t count = shown(t, s, rows, ROWS_MOST, &first, &last);
	char text[64];

	if (count)
		fprintf(out, "SM block.warp    pc  instruction          cycles %llu to %llu\n",
			(unsigned long long)first, (unsigned long long)last);
	for (size_t n = 0; n < count; n++) {
		const struct instruction *i = rows[n];
		uint64_t end = i->end < last ? i->end : last;

		fprintf(out, "%2u %5llu.%-4u %5u  %-20s ", i->sm, (unsigned long long)i->block,
			i->warp, i->pc, label(i, text, sizeof(text)));
		for (uint64_t cycle = first; cycle <= end; cycle++) {
			char stage = stage_at(i, cycle);

			fputc(stage ? stage : ' ', out);
		}
		fputc('\n', out);
		put_exchanges(t, i, first, last, out);
	}
	if (!count)
		fputs("no instructions: the device needs trace_pipeline=1 and timing=pipeline\n",
		      out);
	return ferror(out);
}

static const char *fill_of(char stage)
{
	switch (stage) {
	case 'F': return "#9ecae1";
	case 'I': return "#fdd0a2";
	case 'O': return "#fdae6b";
	case 'E': return "#a1d99b";
	case 'C': return "#756bb1";
	case '.': return "#eee";
	default: return "#de2d26";
	}
}

/* Thin bars along the lower edge of the instruction's row */
static void put_svg_exchanges(const struct trace *t, const struct instruction *i, uint64_t first,
			      uint64_t last, double left, double cell, double y, FILE *out)
{
	size_t count, at = 0;
	const struct message *m = trace_messages_of(t, i, &count);
	struct exchange e;
	char text[64];

	while (trace_next_exchange(m, count, &at, &e)) {
		uint64_t c = e.ask->leaves > first ? e.ask->leaves : first;
		char where;

		while (c <= last && (where = trace_exchange_at(&e, c))) {
			uint64_t from = c;

			while (c <= last && trace_exchange_at(&e, c) == where)
				c++;
			fprintf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"3\" "
				"fill=\"%s\"><title>%s</title></rect>\n",
				left + cell * (double)(from - first), y + cell - 3,
				cell * (double)(c - from), where == '=' ? "#636363" : "#3182bd",
				trace_exchange_name(&e, text, sizeof(text)));
		}
	}
}

static int put_svg(const struct trace *t, const struct stretch *s, FILE *out)
{
	const struct instruction *rows[ROWS_MOST];
	uint64_t first, last;
	size_t count = shown(t, s, rows, ROWS_MOST, &first, &last);
	double cell = 16, left = 260, width = left + cell * (double)(count ? last - first + 1 : 0);
	char text[64];

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"font-family=\"monospace\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"#fff\"/>\n", width + 20, 40 + cell * (double)count);
	for (uint64_t c = first; count && c <= last; c += 5)
		fprintf(out, "<text x=\"%.0f\" y=\"16\">%llu</text>\n",
			left + cell * (double)(c - first), (unsigned long long)(c - first + 1));
	for (size_t n = 0; n < count; n++) {
		const struct instruction *i = rows[n];
		double y = 24 + cell * (double)n;

		fprintf(out, "<text x=\"6\" y=\"%.0f\">SM%u %llu.%u %u %s</text>\n", y + 12, i->sm,
			(unsigned long long)i->block, i->warp, i->pc,
			label(i, text, sizeof(text)));
		for (uint64_t c = i->fetch > first ? i->fetch : first; c <= i->end && c <= last;) {
			char stage = stage_at(i, c);
			uint64_t from = c;

			while (c <= i->end && c <= last && stage_at(i, c) == stage)
				c++;
			fprintf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" "
				"fill=\"%s\" stroke=\"#fff\"/>"
				"<text x=\"%.0f\" y=\"%.0f\">%c</text>\n",
				left + cell * (double)(from - first), y, cell * (double)(c - from),
				cell, fill_of(stage), left + cell * (double)(from - first) + 5,
				y + 12, stage);
		}
		put_svg_exchanges(t, i, first, last, left, cell, y, out);
	}
	fputs("</svg>\n", out);
	return ferror(out);
}

/* ---- Konata ------------------------------------------------------------------ */

struct kanata_event {
	uint64_t cycle;
	size_t instruction;
	uint32_t step;		/* 0: fetch; 1 to 4: the next stages; 5: it ends */
};

static int by_cycle(const void *a, const void *b)
{
	const struct kanata_event *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->instruction != y->instruction)
		return x->instruction < y->instruction ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

/* Konata shows these where the pointer is over the instruction. */
static void put_labels(const struct trace *t, const struct instruction *i, size_t id, FILE *out)
{
	size_t count, at = 0;
	const struct message *m = trace_messages_of(t, i, &count);
	struct exchange e;
	char text[64];

	while (trace_next_exchange(m, count, &at, &e))
		fprintf(out, "L\t%zu\t1\t%s, cycles %llu to %llu \n", id,
			trace_exchange_name(&e, text, sizeof(text)),
			(unsigned long long)e.ask->leaves,
			(unsigned long long)(e.answer ? e.answer->arrives : e.ask->arrives));
}

static void put_event(const struct trace *t, const struct kanata_event *e, size_t id,
		      size_t retired, FILE *out)
{
	static const char *const stages[] = { "F", "I", "O", "E", "C" };
	const struct instruction *i = &t->instructions[e->instruction];
	char text[64];

	if (!e->step) {
		fprintf(out, "I\t%zu\t%zu\t%u\n", id, id, i->warp);
		fprintf(out, "L\t%zu\t0\tSM%u %llu.%u %u: %s\n", id, i->sm,
			(unsigned long long)i->block, i->warp, i->pc,
			label(i, text, sizeof(text)));
		put_labels(t, i, id, out);
	}
	if (e->step < 5)
		fprintf(out, "S\t%zu\t0\t%s\n", id, stages[e->step]);
	else
		fprintf(out, "R\t%zu\t%zu\t%d\n", id, retired,
			!!(i->flags & VGPU_TRACED_SQUASHED));
}

static int put_kanata(const struct trace *t, const struct stretch *s, FILE *out)
{
	struct kanata_event *events = malloc((6 * t->instruction_count + 1) * sizeof(*events));
	size_t *ids = malloc((t->instruction_count + 1) * sizeof(*ids));
	size_t count = 0, next = 0, retired = 0;
	uint64_t cycle;

	if (!events || !ids) {
		free(events);
		free(ids);
		errno = ENOMEM;
		return -1;
	}
	for (size_t n = 0; n < t->instruction_count; n++) {
		const struct instruction *i = &t->instructions[n];
		int whole = !(i->flags & VGPU_TRACED_SQUASHED);

		if (!is_shown(s, i))
			continue;
		events[count++] = (struct kanata_event){ i->fetch, n, 0 };
		for (uint32_t k = 0; k < 3 && i->issue; k++)
			if (i->issue + k < i->end)
				events[count++] = (struct kanata_event){ i->issue + k, n, 1 + k };
		if (whole)
			events[count++] = (struct kanata_event){ i->end, n, 4 };
		events[count++] = (struct kanata_event){ i->end + 1, n, 5 };
	}
	qsort(events, count, sizeof(*events), by_cycle);
	cycle = count ? events[0].cycle : 0;
	fprintf(out, "Kanata\t0004\nC=\t%llu\n", (unsigned long long)cycle);
	for (size_t n = 0; n < count; n++) {
		const struct kanata_event *e = &events[n];

		if (e->cycle != cycle)
			fprintf(out, "C\t%llu\n", (unsigned long long)(e->cycle - cycle));
		cycle = e->cycle;
		if (!e->step)
			ids[e->instruction] = next++;
		put_event(t, e, ids[e->instruction], retired, out);
		retired += e->step == 5 && !(t->instructions[e->instruction].flags &
					     VGPU_TRACED_SQUASHED);
	}
	free(events);
	free(ids);
	return ferror(out);
}

static int ends_with(const char *path, const char *end)
{
	size_t length = strlen(path), more = strlen(end);

	return length >= more && !strcmp(path + length - more, end);
}

/* Is there nothing to draw? Then say where there is something. */
static int is_empty(const struct trace *t, const struct stretch *s)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t n = 0; n < t->instruction_count; n++) {
		const struct instruction *i = &t->instructions[n];

		if (is_shown(s, i))
			return 0;
		if (s->sm != ~0u && i->sm != s->sm)
			continue;
		first = i->fetch < first ? i->fetch : first;
		last = i->end > last ? i->end : last;
	}
	if (!t->instruction_count)
		fprintf(stderr,
			"vgpu-trace: no instruction was recorded: that takes timing=pipeline and "
			"trace_pipeline=1\n");
	else if (first > last)
		fprintf(stderr, "vgpu-trace: SM %u has executed no instruction\n", s->sm);
	else
		fprintf(stderr,
			"vgpu-trace: no instruction in cycles %llu to %llu; there are some in "
			"%llu to %llu\n",
			(unsigned long long)s->first, (unsigned long long)s->last,
			(unsigned long long)first, (unsigned long long)last);
	return 1;
}

int trace_pipeline(const struct trace *t, const struct stretch *s, const char *path)
{
	FILE *out;
	int err;

	if (is_empty(t, s))
		return 1;
	out = strcmp(path, "-") ? fopen(path, "w") : stdout;
	if (!out) {
		fprintf(stderr, "vgpu-trace: %s: %s\n", path, strerror(errno));
		return 1;
	}
	err = ends_with(path, ".svg")	 ? put_svg(t, s, out) :
	      ends_with(path, ".kanata") ? put_kanata(t, s, out) :
					   put_text(t, s, out);
	if ((out != stdout && fclose(out)) || err) {
		fprintf(stderr, "vgpu-trace: %s could not be written\n", path);
		return 1;
	}
	return 0;
}

int trace_stretch(const char *text, struct stretch *s)
{
	char end;

	*s = (struct stretch){ .sm = ~0u, .last = UINT64_MAX };
	if (!text)
		return 0;
	if (sscanf(text, "%u:%lu-%lu%c", &s->sm, &s->first, &s->last, &end) == 3 ||
	    sscanf(text, "%u%c", &s->sm, &end) == 1)
		return s->first > s->last;
	return -1;
}
