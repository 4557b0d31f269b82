/* SPDX-License-Identifier: MIT */
/*
 * What the programs of chapter 6 share: managed memory whose pages nobody has touched yet, inputs
 * that the host writes into it, and the virtual time of the one kernel that is measured. A program
 * prints "NAME: kernel N ns" and the closing line of tests/cuda/common.h.
 */
#ifndef TESTS_EXPERIMENTS_CHAPTER6_H
#define TESTS_EXPERIMENTS_CHAPTER6_H

#include "common.h"

/* n elements that neither side has touched. */
template <typename T> static inline T *managed_new(size_t n)
{
	T *memory;

	CHECK(cudaMallocManaged((void **)&memory, n * sizeof(T)));
	return memory;
}

/* The same with numbers in [0, 1), written by the host. */
static inline float *managed_floats(size_t n, uint64_t seed)
{
	struct lcg g = { seed };
	float *memory = managed_new<float>(n);

	for (size_t i = 0; i < n; i++)
		memory[i] = lcg_float(&g, 0, 1);
	return memory;
}

/* From START_KERNEL to END_KERNEL in virtual time; what is between must be one launch. */
static struct {
	cudaEvent_t start, end;
} kernel_time;

static inline void start_kernel(void)
{
	CHECK(cudaEventCreate(&kernel_time.start));
	CHECK(cudaEventCreate(&kernel_time.end));
	CHECK(cudaEventRecord(kernel_time.start));
}

static inline void end_kernel(void)
{
	float ms;

	CHECK(cudaGetLastError());
	CHECK(cudaEventRecord(kernel_time.end));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventElapsedTime(&ms, kernel_time.start, kernel_time.end));
	printf("%s: kernel %.0f ns\n", test.name, (double)ms * 1e6);
}

#endif
