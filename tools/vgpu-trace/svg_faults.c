// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: page faults in the picture, as in figure 6.2 of Tanasic's dissertation: on top how
 * many are in flight on the whole device; below, of some SMs, how many warps do not wait for pages
 * (dark), and how many do (pale, above).
 */
#include "svg.h"

#define SMS		4u	/* that are drawn: the first ones that have waited */
#define FLIGHT_HEIGHT	96.0
#define SM_HEIGHT	56.0
#define BETWEEN		12.0
#define TITLE		34.0
#define STEP		0.5	/* pixels that are told apart */

/** struct curve - one timeline: a filled step function, at most one step every STEP pixels */
struct curve {
	const struct picture *pic;
	double bottom, scale;	/* pixels of one */
	double x;		/* of the step that is being put together */
	uint32_t most, last;	/* in it, and at its end */
};

static uint32_t value_of(const struct level *level, int all)
{
	return level->value + (all ? level->waiting : 0);
}

static double curve_y(const struct curve *curve, uint32_t value)
{
	return curve->bottom - (double)value * curve->scale;
}

static void curve_step(const struct curve *curve)
{
	if (curve->most != curve->last)
		fprintf(curve->pic->out, "H%.1fV%.1f", curve->x, curve_y(curve, curve->most));
	fprintf(curve->pic->out, "H%.1fV%.1f", curve->x, curve_y(curve, curve->last));
}

static void curve_add(struct curve *curve, uint64_t time, uint32_t value)
{
	const struct picture *pic = curve->pic;
	double x = svg_x(pic, time < pic->from ? pic->from : time > pic->to ? pic->to : time);

	x = (double)(uint64_t)(x / STEP) * STEP;
	if (x > curve->x) {
		curve_step(curve);
		curve->x = x;
		curve->most = value;
	}
	if (value > curve->most)
		curve->most = value;
	curve->last = value;
}

/** struct busy - blocks of an SM that follow each other without a break, up to a time */
struct busy {
	size_t next;		/* index of the next block in trace.spans */
	uint64_t begin, end;
};

/*
 * When SM @sm began to be busy with what it was at @time. Its first record is of the first warp
 * that waits: until then none did.
 */
static uint64_t busy_since(struct busy *busy, const struct trace *trace, uint32_t sm,
			   uint64_t time)
{
	for (; busy->next < trace->span_count; busy->next++) {	/* by start in an SM */
		const struct span *s = &trace->spans[busy->next];

		if (s->sm > sm || (s->sm == sm && s->start > time))
			break;
		if (s->sm < sm)
			continue;
		if (s->start > busy->end)
			busy->begin = s->start;
		busy->end = s->end > busy->end ? s->end : busy->end;
	}
	return busy->end >= time ? busy->begin : time;
}

/* The numbers of @sm; @all: with the warps that wait. */
static void curve_draw(const struct picture *pic, uint32_t sm, int all, double bottom,
		       double scale, const char *fill)
{
	struct curve curve = { .pic = pic, .bottom = bottom, .scale = scale, .x = LEFT };
	const struct trace *t = pic->trace;
	struct busy busy = { 0 };
	int idle = sm != FAULTS;

	fprintf(pic->out, "<path fill=\"%s\" d=\"M%.1f %.1f", fill, LEFT, bottom);
	for (size_t i = 0; i < t->level_count; i++) {
		const struct level *level = &t->levels[i];
		uint32_t warps = level->value + level->waiting;

		if (level->sm != sm)
			continue;
		if (idle)
			curve_add(&curve, busy_since(&busy, t, sm, level->time), warps);
		idle = sm != FAULTS && !warps;
		curve_add(&curve, level->time, value_of(level, all));
	}
	curve_step(&curve);
	fprintf(pic->out, "H%.1fV%.1fZ\"/>\n", svg_x(pic, pic->to), bottom);
}

static uint32_t most_warps(const struct trace *trace, const uint32_t *sms, uint32_t count)
{
	uint32_t most = 1;

	for (size_t i = 0; i < trace->level_count; i++)
		for (uint32_t n = 0; n < count; n++)
			if (trace->levels[i].sm == sms[n] &&
			    value_of(&trace->levels[i], 1) > most)
				most = value_of(&trace->levels[i], 1);
	return most;
}

/* The SMs that are drawn, in their order; how many. */
static uint32_t chosen(const struct trace *trace, uint32_t *sms)
{
	uint32_t count = 0;

	for (uint32_t sm = 0; sm < trace->sms && count < SMS; sm++) {
		for (size_t i = 0; i < trace->level_count; i++) {
			if (trace->levels[i].sm == sm) {
				sms[count++] = sm;
				break;
			}
		}
	}
	return count;
}

static void label(const struct picture *pic, double bottom, double height, uint32_t most,
		  const char *format, uint32_t sm)
{
	fprintf(pic->out,
		"<rect x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"#f4f4f4\" "
		"fill-opacity=\"0.6\"/><text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\" "
		"fill=\"#444\">",
		LEFT, bottom - height, WIDTH - LEFT - RIGHT, height, LEFT - 34,
		bottom - height / 2 + 4);
	fprintf(pic->out, format, sm);
	fprintf(pic->out,
		"</text><g font-size=\"10\" fill=\"#666\" text-anchor=\"end\">"
		"<text x=\"%.0f\" y=\"%.1f\">%u</text><text x=\"%.0f\" y=\"%.1f\">0</text></g>\n",
		LEFT - 6, bottom - height + 9, most, LEFT - 6, bottom);
}

double svg_faults_height(const struct trace *trace)
{
	uint32_t sms[SMS];

	if (!trace->fault_count)
		return 0;
	return TITLE + FLIGHT_HEIGHT + chosen(trace, sms) * (BETWEEN + SM_HEIGHT) + AXIS;
}

void svg_faults(const struct picture *pic, double top)
{
	const struct trace *t = pic->trace;
	double bottom = top + TITLE + FLIGHT_HEIGHT;
	uint32_t sms[SMS], count, warps;

	if (!t->fault_count)
		return;
	count = chosen(t, sms);
	warps = most_warps(t, sms, count);
	fprintf(pic->out,
		"<text x=\"10\" y=\"%.1f\" fill=\"#666\">page faults in flight on the device; "
		"below, warps of some SMs: dark: active, pale: waiting for pages</text>\n",
		top + 20);
	svg_axis(pic, top + TITLE - 4, bottom + count * (BETWEEN + SM_HEIGHT));
	label(pic, bottom, FLIGHT_HEIGHT, t->faults_most, "faults in flight", 0);
	if (t->faults_most)
		curve_draw(pic, FAULTS, 0, bottom, FLIGHT_HEIGHT / t->faults_most, "#c0392b");
	for (uint32_t n = 0; n < count; n++) {
		bottom += BETWEEN + SM_HEIGHT;
		label(pic, bottom, SM_HEIGHT, warps, "warps of SM %u", sms[n]);
		curve_draw(pic, sms[n], 1, bottom, SM_HEIGHT / warps, "#bcd3ea");
		curve_draw(pic, sms[n], 0, bottom, SM_HEIGHT / warps, "#1f5fa6");
	}
}
