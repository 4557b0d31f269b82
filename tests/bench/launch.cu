// SPDX-License-Identifier: MIT
/*
 * Cost of one empty launch through a transport (VGPU_TRANSPORT), next to one failing ioctl in the
 * same run: launched and waited for one at a time, and per launch when a thousand are queued before
 * the wait. And what the calls alone take of 20 launches, and of one of a graph of 20 kernels; the
 * wait for them is not counted.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "bench.h"

#define RUNS	9
#define BATCH	1000
#define NODES	20
#define ROUNDS	50

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

static cudaStream_t stream;
static cudaGraphExec_t exec;

static void capture_graph(void)
{
	cudaGraph_t graph;

	if (cudaStreamCreate(&stream) != cudaSuccess ||
	    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) != cudaSuccess)
		exit(1);
	for (int i = 0; i < NODES; i++)
		empty<<<1, 32, 0, stream>>>();
	if (cudaStreamEndCapture(stream, &graph) != cudaSuccess ||
	    cudaGraphInstantiateWithFlags(&exec, graph, 0) != cudaSuccess ||
	    cudaGraphDestroy(graph) != cudaSuccess)
		exit(1);
}

static double calls_alone(int count, bool as_graph)
{
	double sum = 0;

	for (int i = 0; i < count; i++) {
		double start = bench_seconds();

		if (as_graph && cudaGraphLaunch(exec, stream) != cudaSuccess)
			exit(1);
		for (int n = 0; n < NODES && !as_graph; n++)
			empty<<<1, 32, 0, stream>>>();
		sum += bench_seconds() - start;
		if (cudaStreamSynchronize(stream) != cudaSuccess)
			exit(1);
	}
	return sum / count;
}

static double twenty_launches(int count)
{
	return calls_alone(count, false);
}

static double one_graph(int count)
{
	return calls_alone(count, true);
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
	double base, launches, graph;

	if (cudaFree(0) != cudaSuccess)
		return 1;
	printf("transport: %s\n", transport ? transport : "default");
	base = measure("failing ioctl", failing_ioctl, BATCH, 0);
	measure("empty launch and wait", one_by_one, BATCH, base);
	measure("empty launch, 1000 queued", queued, BATCH, base);
	capture_graph();
	launches = measure("calls of 20 launches", twenty_launches, ROUNDS, 0);
	graph = measure("call of a graph of 20", one_graph, ROUNDS, 0);
	printf("%-28s %10.2f times\n", "20 launches by one graph", launches / graph);
	return 0;
}
