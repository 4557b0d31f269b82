// SPDX-License-Identifier: MIT
/*
 * Counters of kernels as lines of CSV; see counts_csv.h.
 */
#include <inttypes.h>

#include "counts_csv.h"

const char *const vgpu_counter_names[VGPU_COUNTER_COUNT] = {
#define VGPU_COUNTER_NAME(NAME, name, needs, metric, text) #name,
	VGPU_COUNTERS(VGPU_COUNTER_NAME)
#undef VGPU_COUNTER_NAME
};

double vgpu_counts_achieved(const uint64_t value[VGPU_COUNTER_COUNT], uint32_t sm_warps)
{
	double room = (double)value[VGPU_COUNT_ACTIVE_TIME] * sm_warps;

	return room > 0 ? 100 * (double)value[VGPU_COUNT_WARP_TIME] / room : 0;
}

double vgpu_counts_theoretical(uint32_t blocks, uint32_t warps_per_block, uint32_t sm_warps)
{
	return sm_warps ? 100.0 * blocks * warps_per_block / sm_warps : 0;
}

void vgpu_csv_head(FILE *out, const char *more, const bool columns[VGPU_COUNTER_COUNT])
{
	fprintf(out,
		"scope,launch,context,stream,label,kernel,sm,launches,grid,block,started_ps,"
		"duration_ps,preempted_ps,complete,theoretical_occupancy_pct,"
		"achieved_occupancy_pct%s",
		more);
	for (unsigned int n = 0; n < VGPU_COUNTER_COUNT; n++)
		if (columns[n])
			fprintf(out, ",%s", vgpu_counter_names[n]);
	fputc('\n', out);
}

static void number_or_none(FILE *out, uint32_t value)
{
	if (value != VGPU_CSV_NONE)
		fprintf(out, "%" PRIu32, value);
	fputc(',', out);
}

/* A line is a line: control characters are ?. */
static void quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc((unsigned char)*text < ' ' ? '?' : *text, out);
	}
	fputs("\",", out);
}

void vgpu_csv_line(FILE *out, const struct vgpu_csv_line *line, const char *more,
		   const bool columns[VGPU_COUNTER_COUNT])
{
	const struct vgpu_csv_launch *launch = line->launch;

	fprintf(out, "%s,", line->scope);
	number_or_none(out, line->number);
	number_or_none(out, line->context);
	number_or_none(out, line->queue);
	quoted(out, line->label);
	quoted(out, line->kernel);
	number_or_none(out, line->sm);
	fprintf(out, "%" PRIu64 ",", line->launches);
	if (launch)
		fprintf(out, "%" PRIu32 "x%" PRIu32 "x%" PRIu32 ",%" PRIu32 "x%" PRIu32 "x%" PRIu32
			",%" PRIu64 ",",
			launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
			launch->block[1], launch->block[2], launch->started_ps);
	else
		fputs(",,,", out);
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",", line->duration_ps, line->preempted_ps);
	if (launch)
		fprintf(out, "%d,%.2f,", launch->complete, launch->theoretical);
	else
		fputs(",,", out);
	fprintf(out, "%.2f%s", line->achieved, more);
	for (unsigned int n = 0; n < VGPU_COUNTER_COUNT; n++) {
		if (!columns[n])
			continue;
		fputc(',', out);
		if (line->value[n] != VGPU_CSV_NOT_COUNTED)
			fprintf(out, "%" PRIu64, line->value[n]);
	}
	fputc('\n', out);
}
