/* SPDX-License-Identifier: MIT */
/*
 * Cases of racecheck, chosen by name: `PROGRAM CASE` executes one, `PROGRAM --list` names them.
 *
 * In the sources a comment marks the lines that a report of a case has to name: `CASE 1` one of the
 * two accesses, `CASE 2` the other, `CASE 12` both. What is not marked must not be reported.
 */
#ifndef TESTS_SANITIZER_RACE_CASES_H
#define TESTS_SANITIZER_RACE_CASES_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                \
	do {                                                                       \
		cudaError_t e_ = (call);                                           \
                                                                                   \
		if (e_ != cudaSuccess) {                                           \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_)); \
			exit(2);                                                   \
		}                                                                  \
	} while (0)

/* Zeroed ints on the device */
static inline int *ints(int n)
{
	int *p;

	CHECK(cudaMalloc(&p, (size_t)n * sizeof(*p)));
	CHECK(cudaMemset(p, 0, (size_t)n * sizeof(*p)));
	CHECK(cudaDeviceSynchronize());
	return p;
}

static inline void done(void)
{
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
}

struct race_case {
	const char *name;
	void (*run)(void);
};

#define CASE(name) { #name, name }

template <int n> static int run_case(const struct race_case (&cases)[n], int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (int i = 0; i < n; i++)
			puts(cases[i].name);
		return 0;
	}
	for (int i = 0; argc == 2 && i < n; i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		cases[i].run();
		return 0;
	}
	fprintf(stderr, "usage: %s CASE | --list\n", argv[0]);
	return 2;
}

#endif
