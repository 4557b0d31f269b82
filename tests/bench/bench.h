/* SPDX-License-Identifier: MIT */
/* What the benchmarks share: clocks, the median and spread of a few runs. */
#ifndef VGPU_BENCH_H
#define VGPU_BENCH_H

#include <stdlib.h>
#include <time.h>

static inline double bench_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What this process has used: others may have the processor meanwhile. */
static inline double bench_processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct bench_stat {
	double min, median, max;
};

/* Sorts @values. */
static inline struct bench_stat bench_stat(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), bench_compare);
	return (struct bench_stat) { values[0], values[count / 2], values[count - 1] };
}

#endif
