// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: managed memory in the picture: how much of its data crosses the interconnect, in each
 * direction. What goes to the host because it was evicted is apart, at the bottom.
 */
#include <string.h>

#include "svg.h"

#define HEIGHT		64.0	/* of a direction */
#define BETWEEN		12.0
#define TITLE		34.0
#define BUCKETS		545u
#define BUCKET		((WIDTH - LEFT - RIGHT) / BUCKETS)	/* pixels */

/** struct rates - bytes that cross in each bucket: evicted ones, and all of a direction */
struct rates {
	double evicted[BUCKETS], all[VGPU_DIRECTIONS][BUCKETS];
	double most;
};

static int is_drawn(const struct migration *m)
{
	return m->outcome == MIGRATION_ARRIVED && m->bytes && m->crossed > m->crosses;
}

/* The interconnect is used evenly from the first byte to the last. */
static void add_rate(const struct picture *pic, const struct migration *m, double *buckets)
{
	double first = (svg_x(pic, m->crosses) - LEFT) / BUCKET;
	double last = (svg_x(pic, m->crossed) - LEFT) / BUCKET;

	if (m->crosses >= pic->to)
		return;
	for (size_t n = (size_t)first; n < BUCKETS && (double)n < last; n++) {
		double from = (double)n > first ? (double)n : first;
		double to = (double)n + 1 < last ? (double)n + 1 : last;

		buckets[n] += (double)m->bytes * (to - from) / (last - first);
	}
}

static void draw(const struct picture *pic, const double *buckets, double most, double bottom,
		 const char *fill)
{
	int height, last = 0;	/* tenths of a pixel */

	fprintf(pic->out, "<path fill=\"%s\" d=\"M%.1f %.1f", fill, LEFT, bottom);
	for (size_t n = 0; n < BUCKETS; n++, last = height) {
		height = (int)(buckets[n] / most * HEIGHT * 10 + 0.5);
		if (height != last)
			fprintf(pic->out, "H%.1fV%.1f", LEFT + (double)n * BUCKET,
				bottom - height / 10.0);
	}
	fprintf(pic->out, "H%.1fV%.1fZ\"/>\n", LEFT + (double)BUCKETS * BUCKET, bottom);
}

static void label(const struct picture *pic, double bottom, double rate, const char *name)
{
	fprintf(pic->out,
		"<rect x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"#f4f4f4\" "
		"fill-opacity=\"0.6\"/><text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\" "
		"fill=\"#444\">%s</text><g font-size=\"10\" fill=\"#666\" text-anchor=\"end\">"
		"<text x=\"%.0f\" y=\"%.1f\">%.1f GB/s</text>"
		"<text x=\"%.0f\" y=\"%.1f\">0</text></g>\n",
		LEFT, bottom - HEIGHT, WIDTH - LEFT - RIGHT, HEIGHT, LEFT - 34,
		bottom - HEIGHT / 2 + 8, name, LEFT - 6, bottom - HEIGHT + 9, rate, LEFT - 6,
		bottom);
}

double svg_managed_height(const struct trace *trace)
{
	for (size_t i = 0; i < trace->migration_count; i++)
		if (is_drawn(&trace->migrations[i]))
			return TITLE + VGPU_DIRECTIONS * HEIGHT + BETWEEN + AXIS;
	return 0;
}

void svg_managed(const struct picture *pic, double top)
{
	static struct rates rates;
	const struct trace *t = pic->trace;
	double bottom = top + TITLE + HEIGHT, rate;

	if (svg_managed_height(t) == 0)
		return;
	memset(&rates, 0, sizeof(rates));
	for (size_t i = 0; i < t->migration_count; i++) {
		const struct migration *m = &t->migrations[i];

		if (!is_drawn(m))
			continue;
		add_rate(pic, m, rates.all[m->direction]);
		if (m->cause == CAUSE_EVICTION)
			add_rate(pic, m, rates.evicted);
	}
	for (uint32_t way = 0; way < VGPU_DIRECTIONS; way++)
		for (size_t n = 0; n < BUCKETS; n++)
			if (rates.all[way][n] > rates.most)
				rates.most = rates.all[way][n];
	rate = rates.most * pic->scale / BUCKET * 1e3;
	fprintf(pic->out,
		"<text x=\"10\" y=\"%.1f\" fill=\"#666\">data of managed memory on the "
		"interconnect; to the host, dark: evicted</text>\n",
		top + 20);
	svg_axis(pic, top + TITLE - 4, bottom + BETWEEN + HEIGHT);
	label(pic, bottom, rate, "to the device");
	draw(pic, rates.all[VGPU_DIRECTION_TO_DEVICE], rates.most, bottom, "#117a65");
	bottom += BETWEEN + HEIGHT;
	label(pic, bottom, rate, "to the host");
	draw(pic, rates.all[VGPU_DIRECTION_TO_HOST], rates.most, bottom, "#e59866");
	draw(pic, rates.evicted, rates.most, bottom, "#a04000");
}
