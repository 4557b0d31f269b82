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
#define SHARED_ROW	32.0	/* of an SM, where kernels share SMs */
#define GAP	3.0	/* between rows */
#define AXIS	30.0	/* height of what is written below the rows */

struct picture {
	const struct trace *trace;
	FILE *out;
	uint64_t from, to;	/* picoseconds */
	double rows_top, scale;
	double sm_row;		/* height of the row of an SM */
};

static inline double svg_x(const struct picture *pic, uint64_t time)
{
	return LEFT + (double)(time - pic->from) * pic->scale;
}

/* Top of the row of SM or copy engine @sm. */
double svg_y(const struct picture *pic, uint32_t sm);
/* The colour of a kernel: the hue is that of its process, an index. */
void svg_colour(FILE *out, uint32_t process, uint32_t kernel);
/* @text as a part of the picture. */
void svg_text(FILE *out, const char *text);

/* Lines at round times from @top to @bottom, and the times below. */
void svg_axis(const struct picture *pic, double top, double bottom);

/* svg_shared.c: in the rows of SMs, those that several kernels share. -1: no memory */
int svg_shared(const struct picture *pic);

/* svg_faults.c: what is below the SMs if there were page faults, from @top on; its height. */
double svg_faults_height(const struct trace *trace);
void svg_faults(const struct picture *pic, double top);

/* svg_managed.c: what is below that if data of managed memory moved; its height. */
double svg_managed_height(const struct trace *trace);
void svg_managed(const struct picture *pic, double top);

#endif
