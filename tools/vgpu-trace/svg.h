/* SPDX-License-Identifier: MIT */
/*
 * vgpu-trace: what the parts of the picture share: where a time is.
 */
#ifndef VGPU_TRACE_SVG_H
#define VGPU_TRACE_SVG_H

#include "trace.h"

#define WIDTH	1240.0	/* of the picture, pixels */
#define LEFT	130.0	/* where time 0 is */
#define RIGHT	20.0
#define ROW	18.0
#define GAP	3.0	/* between rows */
#define AXIS	30.0	/* height of what is written below the rows */

struct picture {
	const struct trace *trace;
	FILE *out;
	uint64_t from, to;	/* picoseconds */
	double rows_top, scale;
};

static inline double svg_x(const struct picture *pic, uint64_t time)
{
	return LEFT + (double)(time - pic->from) * pic->scale;
}

/* Lines at round times from @top to @bottom, and the times below. */
void svg_axis(const struct picture *pic, double top, double bottom);

/* svg_faults.c: what is below the SMs if there were page faults, from @top on; its height. */
double svg_faults_height(const struct trace *trace);
void svg_faults(const struct picture *pic, double top);

/* svg_managed.c: what is below that if data of managed memory moved; its height. */
double svg_managed_height(const struct trace *trace);
void svg_managed(const struct picture *pic, double top);

#endif
