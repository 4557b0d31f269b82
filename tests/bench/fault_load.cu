// SPDX-License-Identifier: MIT
/*
 * What simulating page faults costs in real time: the same kernel on memory where every access of
 * every warp is a page fault, and on memory where none is, in turn. All SMs fault all the time:
 * fault_buffer holds what they raise.
 *
 * usage: fault_load [MB]	of memory, 512 if not given
 */
#include <cuda_runtime.h>
#include <stdio.h>

#include "bench.h"

#define RUNS	7
#define GRANULE	65536

/* Each warp goes through granules of its own; between two of them it computes for a while. */
__global__ void touch(unsigned int *memory, unsigned int granules, unsigned int steps)
{
	unsigned int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, value = threadIdx.x;
	unsigned int warps = gridDim.x * blockDim.x / 32;

	for (unsigned int n = warp; n < granules; n += warps) {
		for (unsigned int i = 0; i < steps; i++)
			value = value * 1664525 + 1013904223;
		memory[(size_t)n * (GRANULE / 4) + threadIdx.x % 32] += value;
	}
}

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "fault_load: %s\n", cudaGetErrorString(error));
	exit(1);
}

struct cost {
	double real, virtual_;
};

/* Seconds of one run. */
static struct cost run(unsigned int *memory, size_t bytes, unsigned int steps)
{
	double start = bench_seconds();
	cudaEvent_t begin, end;
	struct cost cost;
	float ms;

	check(cudaEventCreate(&begin));
	check(cudaEventCreate(&end));
	check(cudaEventRecord(begin));
	touch<<<104, 128>>>(memory, (unsigned int)(bytes / GRANULE), steps);
	check(cudaEventRecord(end));
	check(cudaEventSynchronize(end));
	cost.real = bench_seconds() - start;
	check(cudaEventElapsedTime(&ms, begin, end));
	cost.virtual_ = ms / 1e3;
	check(cudaEventDestroy(begin));
	check(cudaEventDestroy(end));
	return cost;
}

static void print(const char *what, double *values, double scale, const char *unit)
{
	struct bench_stat stat = bench_stat(values, RUNS);

	printf("%-44s %9.2f %s  (%.2f to %.2f)\n", what, stat.median * scale, unit,
	       stat.min * scale, stat.max * scale);
}

static void measure(size_t bytes, unsigned int steps)
{
	double plain[RUNS], faults[RUNS], ratio[RUNS], second[RUNS], times[2] = {};

	for (int n = 0; n < RUNS; n++) {
		unsigned int *there, *away;
		struct cost a, b;

		check(cudaMalloc(&there, bytes));
		check(cudaMallocManaged(&away, bytes));
		a = run(there, bytes, steps);
		b = run(away, bytes, steps);
		plain[n] = a.real;
		faults[n] = b.real;
		ratio[n] = b.real / a.real;
		second[n] = b.real / b.virtual_ / (a.real / a.virtual_);
		times[0] = a.virtual_;
		times[1] = b.virtual_;
		check(cudaFree(there));
		check(cudaFree(away));
	}
	printf("%u steps between two accesses: %.3f ms of virtual time without faults, %.3f with\n",
	       steps, times[0] * 1e3, times[1] * 1e3);
	print("without faults", plain, 1e3, "ms");
	print("every access a fault", faults, 1e3, "ms");
	print("a run with faults, of one without", ratio, 1, "  ");
	print("the same, for one second of virtual time", second, 1, "  ");
}

int main(int argc, char **argv)
{
	size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 512) << 20;

	measure(bytes, 0);
	measure(bytes, 1000);
	return 0;
}
