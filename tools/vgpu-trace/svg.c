// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: the timeline as a picture. SMs against virtual time, one colour a process, two shades
 * to tell its kernels apart; the copy engines in the top rows. Stretches of one kernel that touch
 * are drawn as one.
 */
#include <stdint.h>
#include <stdlib.h>

#include "svg.h"

#define TOP	52.0	/* title */
#define KEY	20.0	/* line of the legend */
#define MERGE	0.35	/* pixels: gaps below this are not drawn */

/* Text inside the picture may be a file's name: five characters mean something to XML. */
void svg_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		case '\'': fputs("&#39;", out); break;
		default: fputc((unsigned char)*text < ' ' ? '?' : *text, out);
		}
	}
}

/* Eight hues that people tell apart; further processes get the same ones, paler, then greyer. */
void svg_colour(FILE *out, uint32_t process, uint32_t kernel)
{
	static const uint16_t hues[] = { 2, 215, 128, 42, 275, 185, 320, 88 };
	uint32_t round = process / 8 % 3;

	fprintf(out, "hsl(%u,%u%%,%u%%)", hues[process % 8], 68 - 18 * round,
		(kernel % 2 ? 45 : 58) + 9 * round);
}

double svg_y(const struct picture *pic, uint32_t sm)
{
	if (trace_is_copy_engine(sm))
		return pic->rows_top + (double)(sm - trace_copy_engine(0)) * (ROW + GAP);
	return pic->rows_top + (double)pic->trace->copy_engines * (ROW + GAP) +
	       (double)sm * (pic->sm_row + GAP);
}

static double rows_bottom(const struct picture *pic)
{
	return svg_y(pic, pic->trace->sms);
}

static double row_height(const struct picture *pic, uint32_t sm)
{
	return trace_is_copy_engine(sm) ? ROW : pic->sm_row;
}

static void bar(const struct picture *pic, const struct span *s, uint64_t end, uint64_t blocks)
{
	double x = svg_x(pic, s->start), width = svg_x(pic, end) - x;
	char from[32], to[32];

	fprintf(pic->out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" fill=\"", x,
		svg_y(pic, s->sm), width < 0.4 ? 0.4 : width, row_height(pic, s->sm));
	svg_colour(pic->out, s->context, s->kernel);
	fputs("\"><title>", pic->out);
	svg_text(pic->out, pic->trace->processes[s->context].name);
	if (trace_is_copy_engine(s->sm))
		fprintf(pic->out, ", %llu copies", (unsigned long long)blocks);
	else
		fprintf(pic->out, ", launch %u, %llu thread blocks", s->kernel,
			(unsigned long long)blocks);
	fprintf(pic->out, ", %s to %s</title></rect>\n",
		trace_time_text(s->start, from, sizeof(from)),
		trace_time_text(end, to, sizeof(to)));
}

/*
 * A draining SM runs on: a line below its blocks. While contexts move they fill the row, hatched by
 * colour alone.
 */
static void move_bar(const struct picture *pic, const struct span *m)
{
	static const char *const fills[MOVES] = { "#222", "#222", "#888" };
	double height = m->slot == MOVE_DRAIN ? 4.0 : pic->sm_row;
	double x = svg_x(pic, m->start), width = svg_x(pic, m->end) - x;
	char from[32], to[32];

	fprintf(pic->out,
		"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" fill=\"%s\" "
		"fill-opacity=\"0.75\"><title>",
		x, svg_y(pic, m->sm) + pic->sm_row - height, width < 0.4 ? 0.4 : width, height,
		fills[m->slot]);
	svg_text(pic->out, pic->trace->processes[m->context].name);
	fprintf(pic->out, ", launch %u, %s", m->kernel, trace_move_names[m->slot]);
	if (m->what)
		fprintf(pic->out, " %llu bytes", (unsigned long long)m->what);
	fprintf(pic->out, ", %s to %s</title></rect>\n",
		trace_time_text(m->start, from, sizeof(from)),
		trace_time_text(m->end, to, sizeof(to)));
}

/* A round step that puts six to fifteen marks on the axis */
static uint64_t step_of(uint64_t length)
{
	uint64_t step = 1;

	while (length / step > 15) {
		if (length / (step * 2) <= 15)
			return step * 2;
		if (length / (step * 5) <= 15)
			return step * 5;
		step *= 10;
	}
	return step;
}

void svg_axis(const struct picture *pic, double top, double bottom)
{
	uint64_t step = step_of(pic->to - pic->from);
	char text[32];

	for (uint64_t time = pic->from; time <= pic->to; time += step) {
		fprintf(pic->out,
			"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
			"fill=\"#444\">%s</text>\n",
			svg_x(pic, time), svg_x(pic, time), top, bottom + 2, svg_x(pic, time),
			bottom + 16, trace_time_text(time - pic->from, text, sizeof(text)));
	}
}

/* One line: what is shown, and what is dark. */
static void subtitle(const struct picture *pic)
{
	if (pic->trace->part_count > 1)
		fputs("SMs against virtual time: the height of a row is an SM, a kernel has its "
		      "dominant share; one colour a process, two shades to tell its kernels apart",
		      pic->out);
	else
		fputs("streaming multiprocessors against virtual time; one colour a process, two "
		      "shades to tell its kernels apart",
		      pic->out);
	if (pic->trace->move_count && pic->trace->part_count > 1)
		fputs("; dark: saving contexts, grey: restoring", pic->out);
	else if (pic->trace->move_count)
		fputs("; black below: draining, dark: saving contexts, grey: restoring them",
		      pic->out);
}

static void frame(const struct picture *pic, const char *title, double height)
{
	const struct trace *t = pic->trace;
	char name[32];

	fprintf(pic->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n",
		WIDTH, height, WIDTH, height);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"22\" "
	      "font-size=\"16\">",
	      pic->out);
	svg_text(pic->out, title);
	fputs("</text>\n<text x=\"10\" y=\"40\" fill=\"#666\">", pic->out);
	subtitle(pic);
	fputs("</text>\n", pic->out);
	svg_axis(pic, pic->rows_top - 4, rows_bottom(pic));
	for (uint32_t row = 0; row < t->copy_engines + t->sms; row++) {
		uint32_t sm = row < t->copy_engines ? trace_copy_engine(row) :
						      row - t->copy_engines;
		double y = svg_y(pic, sm), high = row_height(pic, sm);

		fprintf(pic->out,
			"<rect x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" "
			"fill=\"#f4f4f4\"/>"
			"<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\" fill=\"#444\">",
			LEFT, y, WIDTH - LEFT - RIGHT, high, LEFT - 8,
			y + high / 2 + 4);
		if (row < t->copy_engines)
			fprintf(pic->out, "%s</text>\n",
				trace_engine_name(t, row, name, sizeof(name)));
		else
			fprintf(pic->out, "SM %u</text>\n", row - t->copy_engines);
	}
}

static double legend(const struct picture *pic)
{
	const struct trace *t = pic->trace;
	double x = 10, y = TOP + 4;

	for (uint32_t i = 0; i < t->process_count; i++) {
		if (!t->processes[i].seen)
			continue;
		if (x > WIDTH - 190) {
			x = 10;
			y += KEY;
		}
		if (pic->out) {
			fprintf(pic->out,
				"<rect x=\"%.0f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"", x,
				y);
			svg_colour(pic->out, i, 1);
			fprintf(pic->out, "\"/><text x=\"%.0f\" y=\"%.1f\">", x + 17, y + 11);
			svg_text(pic->out, t->processes[i].name);
			fprintf(pic->out, "<tspan fill=\"#888\" dx=\"6\">%llu</tspan></text>\n",
				(unsigned long long)t->processes[i].pid);
		}
		x += 150;
	}
	return y + KEY + 10;
}

int trace_svg(const struct trace *trace, const char *title, FILE *out)
{
	struct picture pic = { .trace = trace, .from = ~0ull };
	double height;

	for (size_t i = 0; i < trace->span_count; i++) {
		pic.from = trace->spans[i].start < pic.from ? trace->spans[i].start : pic.from;
		pic.to = trace->spans[i].end > pic.to ? trace->spans[i].end : pic.to;
	}
	/* processes fault when all kernels have ended; what they evicted may cross still later */
	for (size_t i = 0; i < trace->migration_count; i++) {
		const struct migration *m = &trace->migrations[i];
		uint64_t to = m->crossed < trace->end ? m->crossed : trace->end;

		if (m->outcome != MIGRATION_ARRIVED || !m->bytes)
			continue;
		pic.from = m->crosses < pic.from ? m->crosses : pic.from;
		pic.to = to > pic.to ? to : pic.to;
	}
	if (pic.to <= pic.from) {	/* nothing ran */
		pic.from = 0;
		pic.to = 1000;
	}
	pic.sm_row = trace->part_count > 1 ? SHARED_ROW : ROW;
	pic.rows_top = legend(&pic);
	pic.scale = (WIDTH - LEFT - RIGHT) / (double)(pic.to - pic.from);
	height = rows_bottom(&pic) + AXIS + svg_faults_height(trace) +
		 svg_managed_height(trace);
	pic.out = out;
	frame(&pic, title, height);
	legend(&pic);
	if (svg_shared(&pic))
		return -1;
	for (size_t i = 0; i < trace->span_count;) {
		const struct span *s = &trace->spans[i];
		uint64_t end = s->end, merged = 0;

		if (s->part) {
			i++;
			continue;
		}

		for (; i < trace->span_count; i++, merged++) {
			const struct span *n = &trace->spans[i];

			/* a damaged file may have ends before starts: one is drawn at least */
			if (merged && (n->sm != s->sm || n->part || n->context != s->context ||
				       n->kernel != s->kernel ||
				       (n->start > end &&
					(double)(n->start - end) * pic.scale > MERGE)))
				break;
			end = n->end > end ? n->end : end;
		}
		bar(&pic, s, end, merged);
	}
	for (size_t i = 0; i < trace->move_count; i++)
		if (!trace->moves[i].part)
			move_bar(&pic, &trace->moves[i]);
	svg_faults(&pic, rows_bottom(&pic) + AXIS);
	svg_managed(&pic, rows_bottom(&pic) + AXIS + svg_faults_height(trace));
	fputs("</svg>\n", out);
	return ferror(out) ? -1 : 0;
}
