/* SPDX-License-Identifier: MIT */
/*
 * vgpu-trace: issues and stalls of instructions (trace_lines=1), as the trace has them, and the
 * code of the kernels, as VGPU_CODE has it. Inside lines*.c.
 */
#ifndef VGPU_TRACE_LINES_H
#define VGPU_TRACE_LINES_H

#include <stdbool.h>

#include "trace.h"

/** struct line_row - an instruction of a kernel; by @line the rows of the source are made */
struct line_row {
	uint64_t counts[VGPU_LINE_COUNTS];
	char *text;		/* NULL: not known */
	char *file;		/* NULL: no source line is known */
	unsigned int line;
};

/** struct line_kernel - a kernel of a process, all launches and SMs together */
struct line_kernel {
	struct line_kernel *next;
	struct kernel launch;	/* the first */
	struct line_row *rows;	/* by pc */
	uint32_t count, room;
	uint64_t none;		/* stalls of no instruction: schedulers without warps */
	bool has_lines;
};

/* The stalls of @row, all reasons; its share of those of @kernel, per cent. */
uint64_t line_stalls(const struct line_row *row);
uint64_t line_kernel_stalls(const struct line_kernel *kernel);
double line_percent(uint64_t part, uint64_t all);

/* Are they of the same line of the source? */
bool line_same(const struct line_row *a, const struct line_row *b);
/* Add the counts of @row to those of @sum. */
void line_add(struct line_row *sum, const struct line_row *row);

#endif
