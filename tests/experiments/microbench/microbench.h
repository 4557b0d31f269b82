/* SPDX-License-Identifier: MIT */
/*
 * What the microbenchmarks share. A kernel reads clock64() where nothing else of its block is in
 * flight, before and behind what it measures, once for a part and once for twice as much; the
 * difference of the two is what the part takes, without what surrounds it. A program prints a line
 * "measured NAME N VALUE" for each row of the table (table.c has what it should be), then the
 * closing line of tests/cuda/common.h.
 */
#ifndef TESTS_EXPERIMENTS_MICROBENCH_H
#define TESTS_EXPERIMENTS_MICROBENCH_H

#include "common.h"

#define LINE	128
#define PAGE	4096

/*
 * A barrier is executed when nothing else of its warp is in flight, and holds the warp until it has
 * been: the clock is read behind what comes before in the program, and before what comes behind.
 */
__device__ static inline long long now(void)
{
	long long t;

	asm volatile("bar.sync 0;\n\t"
		     "mov.u64 %0, %%clock64;\n\t"
		     "bar.sync 0;"
		     : "=l"(t)
		     :
		     : "memory");
	return t;
}

/* A buffer of the device whose bytes no SM has seen: in no cache, and in no TLB. */
static inline char *fresh(size_t bytes)
{
	char *memory;

	CHECK(cudaMalloc((void **)&memory, bytes));
	CHECK(cudaMemset(memory, 0, bytes));
	return memory;
}

/* The first long long of the device at @memory. */
static inline long long fetch(const void *memory)
{
	long long value;

	CHECK(cudaMemcpy(&value, memory, sizeof(value), cudaMemcpyDeviceToHost));
	return value;
}

static inline void measured(const char *name, int n, double value)
{
	printf("measured %s %d %.6g\n", name, n, value);
}

/* With arguments only these groups of rows are measured. */
static int group_count;
static char **groups;

static inline bool wanted(const char *group)
{
	for (int i = 0; i < group_count; i++)
		if (!strcmp(groups[i], group))
			return true;
	return !group_count;
}

#endif
