// SPDX-License-Identifier: MIT
/*
 * What tracing costs: the same launches with it off, with trace events on, with the ring of debugfs
 * on, and off once more, taking turns, so that what else the machine does hits all alike. Off twice
 * shows how far apart equal things are. Root, with the module.
 */
#include <cuda_runtime.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define RUNS		11
#define LAUNCHES	300
#define BLOCKS		64

#define EVENTS	"/sys/kernel/tracing/events/vgpu/enable"
#define RING	"/sys/kernel/debug/vgpu/0/trace_on"

static const struct mode {
	const char *name;
	int events, ring;
} modes[] = {
	{ "tracing off", 0, 0 },
	{ "trace events on", 1, 0 },
	{ "ring of debugfs on", 0, 1 },
	{ "tracing off, again", 0, 0 },
};
#define MODES (int)(sizeof(modes) / sizeof(modes[0]))

__global__ void empty(void)
{
}

static void set(const char *path, int on)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, on ? "1" : "0", 1) != 1) {
		fprintf(stderr, "tracing: ");
		perror(path);
		exit(1);
	}
	close(fd);
}

static double launches(void)
{
	double start = bench_seconds();

	for (int i = 0; i < LAUNCHES; i++)
		empty<<<BLOCKS, 32>>>();
	if (cudaDeviceSynchronize() != cudaSuccess)
		exit(1);
	return (bench_seconds() - start) / LAUNCHES;
}

static double one(const struct mode *mode)
{
	double seconds;

	set(EVENTS, mode->events);
	set(RING, mode->ring);
	seconds = launches();
	set(EVENTS, 0);
	set(RING, 0);
	return seconds * 1e6;
}

int main(void)
{
	static double values[MODES][RUNS];
	double base = 0;

	if (cudaFree(0) != cudaSuccess)
		return 1;
	one(&modes[0]);
	for (int run = 0; run < RUNS; run++)
		for (int i = 0; i < MODES; i++)
			values[i][run] = one(&modes[i]);
	printf("launch of %d thread blocks, %d queued\n", BLOCKS, LAUNCHES);
	for (int i = 0; i < MODES; i++) {
		struct bench_stat stat = bench_stat(values[i], RUNS);

		if (!i)
			base = stat.median;
		printf("%-28s %10.1f us  %8.1f..%-8.1f  %6.3f x off\n", modes[i].name, stat.median,
		       stat.min, stat.max, stat.median / base);
	}
	return 0;
}
