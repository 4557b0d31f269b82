// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: SMs that several kernels share, in the picture. The height of a row is the whole SM;
 * each kernel has a layer of it, as high as its dominant share, averaged over a pixel. What they
 * have together may be more than the SM where each has much of another resource: the layers then
 * fill the row. What is being saved or restored is dark or grey, as elsewhere.
 */
#include <math.h>
#include <string.h>

#include "svg.h"

#define LAYERS	64u	/* kernels in one column, those that are drawn */

/** struct layer - a kernel in a column; shares of the SM, of its blocks that run and that move */
struct layer {
	const struct part *part;
	double doing[MOVES + 1];	/* running is the last */
	double blocks;
};

/** struct column - a pixel's worth of time of an SM */
struct column {
	uint64_t index;
	uint32_t sm, count;
	struct layer layers[LAYERS];	/* by process and launch, sums of share x picoseconds */
};

/** struct painter - columns become rectangles: equal ones next to each other are one */
struct painter {
	const struct picture *pic;
	uint64_t width;			/* of a column, picoseconds */
	struct column now;
	struct column drawn;		/* not written yet; as shares of the SM */
	uint64_t drawn_end;		/* index of the first column behind it */
};

/* ---- writing ------------------------------------------------------------- */

static void rectangle(const struct painter *p, double y, double height, const struct layer *layer,
		      double share, const char *doing)
{
	const struct picture *pic = p->pic;
	uint64_t start = pic->from + p->drawn.index * p->width;
	uint64_t end = pic->from + p->drawn_end * p->width;
	char from[32], to[32];

	end = end < pic->to ? end : pic->to;
	fprintf(pic->out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"",
		svg_x(pic, start), y, svg_x(pic, end) - svg_x(pic, start), height);
	svg_colour(pic->out, layer->part->context, layer->part->kernel);
	fputs("\"><title>", pic->out);
	svg_text(pic->out, pic->trace->processes[layer->part->context].name);
	fprintf(pic->out, ", launch %u, %.3g thread blocks, %.1f %% of the SM%s, %s to %s",
		layer->part->kernel, layer->blocks, 100 * share, doing,
		trace_time_text(start, from, sizeof(from)), trace_time_text(end, to, sizeof(to)));
	fputs("</title></rect>\n", pic->out);
}

static void shade(const struct painter *p, double y, double height, const char *fill)
{
	const struct picture *pic = p->pic;
	uint64_t end = pic->from + p->drawn_end * p->width;
	double x = svg_x(pic, pic->from + p->drawn.index * p->width);

	fprintf(pic->out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
		"fill-opacity=\"0.75\" pointer-events=\"none\"/>\n",
		x, y, svg_x(pic, end < pic->to ? end : pic->to) - x, height, fill);
}

/* From the bottom of the row upwards. */
static void write_column(const struct painter *p)
{
	static const char *const words[MOVES + 1] = { "", " being saved", " being restored", "" };
	static const char *const fills[MOVES + 1] = { NULL, "#222", "#888", NULL };
	const struct column *c = &p->drawn;
	double total = 0, scale, y;

	for (uint32_t i = 0; i < c->count; i++)
		for (unsigned int d = 0; d <= MOVES; d++)
			total += c->layers[i].doing[d];
	scale = p->pic->sm_row / (total > 1 ? total : 1);
	y = svg_y(p->pic, c->sm) + p->pic->sm_row;
	for (uint32_t i = 0; i < c->count; i++) {
		for (unsigned int d = MOVES + 1; d-- > 0;) {
			double share = c->layers[i].doing[d], height = share * scale;

			if (height < 0.05)
				continue;
			y -= height;
			rectangle(p, y, height, &c->layers[i], share, words[d]);
			if (fills[d])
				shade(p, y, height, fills[d]);
		}
	}
}

/* Would @a and @b look the same, but for a quarter of a pixel? */
static int same(const struct column *a, const struct column *b)
{
	if (a->sm != b->sm || a->count != b->count)
		return 0;
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->layers[i].part != b->layers[i].part)
			return 0;
		for (unsigned int d = 0; d <= MOVES; d++)
			if (fabs(a->layers[i].doing[d] - b->layers[i].doing[d]) > 0.008)
				return 0;
	}
	return 1;
}

/* The present column is complete. */
static void end_column(struct painter *p)
{
	struct column *c = &p->now;

	if (!c->count)
		return;
	for (uint32_t i = 0; i < c->count; i++) {
		for (unsigned int d = 0; d <= MOVES; d++)
			c->layers[i].doing[d] /= (double)p->width;
		c->layers[i].blocks /= (double)p->width;
	}
	if (p->drawn.count && p->drawn_end == c->index && same(&p->drawn, c)) {
		p->drawn_end++;
	} else {
		write_column(p);
		p->drawn = *c;
		p->drawn_end = c->index + 1;
	}
	c->count = 0;
}

/* ---- collecting ---------------------------------------------------------- */

static struct layer *layer_of(struct column *c, const struct part *part)
{
	uint32_t at = 0;

	while (at < c->count && (c->layers[at].part->context < part->context ||
				 (c->layers[at].part->context == part->context &&
				  c->layers[at].part->kernel < part->kernel)))
		at++;
	if (at < c->count && c->layers[at].part->context == part->context &&
	    c->layers[at].part->kernel == part->kernel)
		return &c->layers[at];
	if (c->count == LAYERS)
		return NULL;
	memmove(&c->layers[at + 1], &c->layers[at], (c->count - at) * sizeof(c->layers[0]));
	c->count++;
	c->layers[at] = (struct layer){ .part = part };
	return &c->layers[at];
}

static void collect(struct column *c, const struct present *list, size_t count, uint64_t time)
{
	for (size_t i = 0; i < count; i++) {
		struct layer *layer = layer_of(c, list[i].part);
		double one = list[i].part->share * (double)time;

		if (!layer)
			return;
		layer->doing[MOVES] += one * list[i].running;
		layer->doing[MOVE_SAVE] += one * list[i].saving;
		layer->doing[MOVE_RESTORE] += one * list[i].restoring;
		layer->blocks += (double)time * present_blocks(&list[i]);
	}
}

/* A stretch in which nothing changes: in the columns that it covers. */
static int stretch(void *arg, uint32_t sm, uint64_t from, uint64_t to, const struct present *list,
		   size_t count)
{
	struct painter *p = arg;
	uint64_t first = p->pic->from;

	from = from > first ? from : first;
	while (from < to) {
		uint64_t index = (from - first) / p->width;
		uint64_t end = first + (index + 1) * p->width;

		if (p->now.sm != sm || p->now.index != index)
			end_column(p);
		p->now.sm = sm;
		p->now.index = index;
		end = end < to ? end : to;
		collect(&p->now, list, count, end - from);
		from = end;
		/* whole columns of the same are one */
		if (to - from > p->width && !((from - first) % p->width)) {
			end_column(p);
			collect(&p->now, list, count, p->width);
			p->now.index = index + 1;
			end_column(p);
			index = (to - first) / p->width;
			p->drawn_end = index;
			from = first + index * p->width;
		}
	}
	return 0;
}

int svg_shared(const struct picture *pic)
{
	struct painter p = { .pic = pic, .width = (uint64_t)(1 / pic->scale + 0.5) };
	int err;

	p.width = p.width ? p.width : 1;
	err = trace_presence(pic->trace, stretch, &p);
	end_column(&p);
	write_column(&p);
	return err;
}
