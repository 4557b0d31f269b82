/* SPDX-License-Identifier: MIT */
/*
 * Counters of kernels (docs/statistics.md): read from a trace, or from a VGPU_STATS file in JSON or
 * CSV, and added up by kernel.
 */
#ifndef VGPU_TRACE_COUNTS_H
#define VGPU_TRACE_COUNTS_H

#include "trace.h"

/** struct counts_row - all launches of a kernel; value ~0: the device does not count that */
struct counts_row {
	char name[512];			/* as the linker has it; empty: a profiled one */
	uint64_t launches;
	uint64_t duration_ps;
	uint64_t value[VGPU_COUNTER_COUNT];
};

struct counts {
	struct counts_row *rows;	/* the one that took longest first */
	size_t count, room;
};

/* Is @path a VGPU_STATS file, and no trace? */
int counts_is_file(const char *path);
/* On failure says why on stderr and returns -1. */
int counts_load(struct counts *counts, const char *path);
/* The kernels of @trace that were counted. -1: no memory */
int counts_of_trace(struct counts *counts, const struct trace *trace);
void counts_free(struct counts *counts);
/* counts_read.c: JSON and CSV, added to @counts; as counts_load() */
int counts_read_json(struct counts *counts, FILE *file, const char *path);
int counts_read_csv(struct counts *counts, FILE *file, const char *path);
/* The row of kernel @name, which is made if there is none; NULL: no memory, which it says */
struct counts_row *counts_row(struct counts *counts, const char *name);
/* -1: there is no such counter */
int counts_find(const char *name);
/* ~0: it was not counted, and a sum of only such is so, too. */
void counts_add(uint64_t *sum, uint64_t value);

/* A list for each kernel; nothing if there are none. */
void counts_print(const struct counts *counts, FILE *out);
/* vgpu-trace stats FILE, of a VGPU_STATS file; vgpu-trace diff. Return the exit status. */
int counts_stats(const char *path, FILE *out);
int counts_diff(int argc, char **argv);

#endif
