// SPDX-License-Identifier: MIT
/*
 * Cost of one empty launch through a transport (VGPU_TRANSPORT), next to one failing ioctl in the
 * same run: launched and waited for one at a time, and per launch when a thousand are queued before
 * the wait.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "bench.h"

#define RUNS	9
#define BATCH	1000

__global__ void empty(void)
{
}

static double one_by_one(int count)
{
	double start = bench_seconds();

	for (int i = 0; i < count; i++) {
		empty<<<1, 32>>>();
		if (cudaDeviceSynchronize() != cudaSuccess)
			exit(1);
	}
	return (bench_seconds() - start) / count;
}

static double queued(int count)
{
	double start = bench_seconds();

	for (int i = 0; i < count; i++)
		empty<<<1, 32>>>();
	if (cudaDeviceSynchronize() != cudaSuccess)
		exit(1);
	return (bench_seconds() - start) / count;
}

static double failing_ioctl(int count)
{
	double start = bench_seconds();

	for (int i = 0; i < count; i++)
		if (ioctl(0, 0xb7ff, 0) != -1)
			exit(1);
	return (bench_seconds() - start) / count;
}

static double measure(const char *what, double (*run)(int), int count, double base)
{
	double values[RUNS];
	struct bench_stat stat;

	run(count);
	for (int i = 0; i < RUNS; i++)
		values[i] = run(count) * 1e6;
	stat = bench_stat(values, RUNS);
	printf("%-28s %10.3f us  %8.3f..%-8.3f", what, stat.median, stat.min, stat.max);
	if (base > 0)
		printf("  %8.1f x a failing ioctl", stat.median / base);
	printf("\n");
	return stat.median;
}

int main(void)
{
	const char *transport = getenv("VGPU_TRANSPORT");
	double base;

	if (cudaFree(0) != cudaSuccess)
		return 1;
	printf("transport: %s\n", transport ? transport : "default");
	base = measure("failing ioctl", failing_ioctl, BATCH, 0);
	measure("empty launch and wait", one_by_one, BATCH, base);
	measure("empty launch, 1000 queued", queued, BATCH, base);
	return 0;
}
