/* SPDX-License-Identifier: MIT */
/*
 * What the programs of this experiment share: a generator, a barrier of all blocks, which have to
 * be on the device together, and the end of each program.
 */
#ifndef EXPERIMENT_RCC_H
#define EXPERIMENT_RCC_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../arrays.h"

/* The same numbers in each run */
static inline unsigned random_below(unsigned n)
{
	static unsigned long long state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

/* All blocks are here for the @n-th time, and what they have written is seen. From 1 on */
static __device__ inline void all_blocks(unsigned *count, unsigned n)
{
	__syncthreads();
	if (!threadIdx.x) {
		__threadfence();
		atomicAdd(count, 1);
		while (*(volatile unsigned *)count < n * gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
}

static __device__ inline void lock(unsigned *word)
{
	while (atomicCAS(word, 0, 1))
		;
	__threadfence();
}

static __device__ inline void unlock(unsigned *word)
{
	__threadfence();
	atomicExch(word, 0);
}

struct program {
	const char *name;
	bool (*run)();
};

/* The one program that is named */
static inline int run_program(const struct program *programs, unsigned count, int argc, char **argv)
{
	for (unsigned n = 0; argc == 2 && n < count; n++)
		if (!strcmp(programs[n].name, argv[1])) {
			bool right = programs[n].run();

			printf("%s: %s\n", argv[1], right ? "verified" : "WRONG");
			return !right;
		}
	fprintf(stderr, "usage: %s PROGRAM, one of", argv[0]);
	for (unsigned n = 0; n < count; n++)
		fprintf(stderr, " %s", programs[n].name);
	fputc('\n', stderr);
	return 2;
}

#endif
