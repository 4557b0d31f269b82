/* SPDX-License-Identifier: MIT */
/*
 * What the programs of chapter 6 share: managed memory whose pages nobody has touched yet, inputs
 * that the host writes into it, and the virtual time of the one kernel that is measured. A program
 * prints "NAME: kernel N ns" and the closing line of tests/cuda/common.h.
 */
#ifndef TESTS_EXPERIMENTS_CHAPTER6_H
#define TESTS_EXPERIMENTS_CHAPTER6_H

#include "common.h"

/* What managed_new() has returned. */
static struct {
	void *memory;
	size_t bytes;
} managed[64];
static int managed_count;

/* n elements that neither side has touched. */
template <typename T> static inline T *managed_new(size_t n)
{
	T *memory;

	CHECK(cudaMallocManaged((void **)&memory, n * sizeof(T)));
	if (managed_count < 64) {
		managed[managed_count].memory = memory;
		managed[managed_count++].bytes = n * sizeof(T);
	}
	return memory;
}

/*
 * With RESIDENT in the environment all of it is on the device before the kernel begins, which so
 * raises no page faults: for figures 6.1, 6.11 and 6.12.
 */
static inline void make_resident(void)
{
	if (!getenv("RESIDENT"))
		return;
	for (int i = 0; i < managed_count; i++)
		CHECK(cudaMemPrefetchAsync(managed[i].memory, managed[i].bytes, 0));
	CHECK(cudaDeviceSynchronize());
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

/*
 * Dynamic shared memory with which an SM has room for @blocks blocks that use @bytes of it already.
 * A program says how many blocks of its kernel an SM of table 6.1 holds with the registers and the
 * shared memory of table 5.2, which another compiler counted; where ours needs fewer, this takes
 * the places of the rest. With UNPADDED in the environment it does not.
 */
#define SM_SHARED_MEMORY (32 * 1024)

static inline size_t pad(int blocks, size_t bytes)
{
	size_t share = SM_SHARED_MEMORY / blocks / 256 * 256;

	return share > bytes && !getenv("UNPADDED") ? share - bytes : 0;
}

/*
 * A warp of our device stops at an access that faults. The SMs of Tanasic go on with what does not
 * depend on it (6.4.1), so accesses that need not wait for each other fault together. With TOGETHER
 * in the environment they do here, too: before them, one more load has a lane for each of their
 * pages, and an instruction raises the faults of all its lanes at once.
 */
static inline bool together(void)
{
	return getenv("TOGETHER");
}

__device__ static inline void touch(const void *address)
{
	(void)*(const volatile unsigned char *)address;
}

/* A launch of one of the two variants of a kernel. */
#define VARIANT(kernel) (together() ? kernel<true> : kernel<false>)

/* From START_KERNEL to END_KERNEL in virtual time; what is between must be one launch. */
static struct {
	cudaEvent_t start, end;
} kernel_time;

static inline void start_kernel(void)
{
	make_resident();
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
