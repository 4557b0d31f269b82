/* SPDX-License-Identifier: MIT */
/*
 * Counters of kernels as lines of CSV (docs/statistics.md), of a VGPU_STATS file and of vgpu-smi
 * counts; names of counters, and the formulas of what is derived from them.
 */
#ifndef VGPU_COUNTS_CSV_H
#define VGPU_COUNTS_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu_count.h"

#define VGPU_CSV_NONE		(~0u)		/* no such number */
#define VGPU_CSV_NOT_COUNTED	(~(uint64_t)0)

/** struct vgpu_csv_launch - what only a whole launch has */
struct vgpu_csv_launch {
	uint32_t grid[3], block[3];
	uint64_t started_ps;
	double theoretical;		/* occupancy, percent */
	bool complete;
};

/**
 * struct vgpu_csv_line - a line
 * @label, @kernel: any bytes; NULL: nothing
 * @number, @context, @queue, @sm: VGPU_CSV_NONE: of several
 * @launch: NULL: it is a part of one, or a sum
 * @achieved: occupancy, percent
 * @value: VGPU_CSV_NOT_COUNTED: nothing there
 */
struct vgpu_csv_line {
	const char *scope, *label, *kernel;
	uint32_t number, context, queue, sm;
	uint64_t launches, duration_ps, preempted_ps;
	const struct vgpu_csv_launch *launch;
	double achieved;
	uint64_t value[VGPU_COUNTER_COUNT];
};

extern const char *const vgpu_counter_names[VGPU_COUNTER_COUNT];

/*
 * @more: columns before those of counters, each behind a comma, "" for none; @columns: the counters
 * that have one
 */
void vgpu_csv_head(FILE *out, const char *more, const bool columns[VGPU_COUNTER_COUNT]);
void vgpu_csv_line(FILE *out, const struct vgpu_csv_line *line, const char *more,
		   const bool columns[VGPU_COUNTER_COUNT]);

/* Of @sm_warps for which an SM has room, those that were there while it had any, in percent */
double vgpu_counts_achieved(const uint64_t value[VGPU_COUNTER_COUNT], uint32_t sm_warps);
/* ... those of as many blocks as fit */
double vgpu_counts_theoretical(uint32_t blocks, uint32_t warps_per_block, uint32_t sm_warps);

#endif
