// SPDX-License-Identifier: MIT
/*
 * Barriers of a whole grid: cooperative launches by all names and in a graph, what the barrier
 * orders, ranks of the grid, grids that are too large, and one that takes the whole device while a
 * kernel that waits for the host has a place on it.
 */
#include "../common.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define THREADS	128
#define ROUNDS	6

/*
 * In each round every thread adds up what its neighbours in other blocks have: right if all have
 * written. Two buffers, so one barrier a round.
 */
static __global__ void spread(unsigned int *from, unsigned int *to, int rounds, int split)
{
	cg::grid_group grid = cg::this_grid();
	unsigned int n = (unsigned int)grid.size(), rank = (unsigned int)grid.thread_rank();

	for (int round = 0; round < rounds; round++) {
		unsigned int *swap = from;

		to[rank] = from[rank] + 3 * from[(rank + blockDim.x) % n] +
			   5 * from[(rank + n - blockDim.x) % n] + 7;
		if (split) {
			auto token = grid.barrier_arrive();

			grid.barrier_wait(static_cast<decltype(token) &&>(token));
		} else {
			grid.sync();
		}
		from = to;
		to = swap;
	}
}

/* Of a block of three dimensions, by a group that may be any */
static __global__ void ranks(unsigned long long *out)
{
	cg::grid_group grid = cg::this_grid();
	cg::thread_block block = cg::this_thread_block();

	if (block.thread_rank() == 0) {
		unsigned long long *mine = out + 8 * grid.block_rank();

		mine[0] = grid.is_valid();
		mine[1] = grid.size();
		mine[2] = grid.num_blocks();
		mine[3] = grid.dim_blocks().x + 100 * grid.dim_blocks().y +
			  10000 * grid.dim_blocks().z;
		mine[4] = grid.block_index().x + 100 * grid.block_index().y +
			  10000 * grid.block_index().z;
		mine[5] = grid.thread_rank();
		mine[6] = grid.num_threads();
	}
}

static __device__ __noinline__ void wait_for_all(cg::grid_group grid)
{
	grid.sync();
}

/* The barrier in a function, and in one that calls itself */
static __device__ __noinline__ unsigned int waits(unsigned int *sum, unsigned int depth)
{
	if (!depth)
		return 0;
	if (threadIdx.x == 0)
		atomicAdd(sum, 1u);
	wait_for_all(cg::this_grid());
	unsigned int seen = *(volatile unsigned int *)sum;
	wait_for_all(cg::this_grid());
	return seen + waits(sum, depth - 1);
}

static __global__ void recursive(unsigned int *sum, unsigned int *out)
{
	unsigned int seen = waits(sum, 4);

	if (threadIdx.x == 0)
		out[blockIdx.x] = seen;
}

static __global__ void until(volatile int *flag)
{
	while (!*flag)
		;
}

static void host_spread(unsigned int *from, unsigned int *to, unsigned int n, int rounds)
{
	for (int round = 0; round < rounds; round++) {
		unsigned int *swap = from;

		for (unsigned int i = 0; i < n; i++)
			to[i] = from[i] + 3 * from[(i + THREADS) % n] +
				5 * from[(i + n - THREADS) % n] + 7;
		from = to;
		to = swap;
	}
}

static int sms(void)
{
	int value;

	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
	return value;
}

static int most_blocks(void)
{
	int on_sm;

	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, spread, THREADS, 0));
	return on_sm * sms();
}

/* @flag: what the kernel in stream @beside waits for, or NULL. cudaFree() waits for all. */
static void check_spread(int blocks, int split, int way, cudaStream_t stream, volatile int *flag,
			 cudaStream_t beside)
{
	unsigned int n = blocks * THREADS, *buffers[2], *want[2], *got;
	size_t bytes = n * sizeof(unsigned int);
	int rounds = ROUNDS;
	void *arguments[] = { &buffers[0], &buffers[1], &rounds, &split };

	for (int k = 0; k < 2; k++) {
		CHECK(cudaMalloc(&buffers[k], bytes));
		want[k] = (unsigned int *)malloc(bytes);
	}
	got = (unsigned int *)malloc(bytes);
	for (unsigned int i = 0; i < n; i++)
		want[0][i] = i * 2654435761u;
	CHECK(cudaMemcpyAsync(buffers[0], want[0], bytes, cudaMemcpyHostToDevice, stream));
	if (way == 0) {
		CHECK(cudaLaunchCooperativeKernel((const void *)spread, dim3(blocks), dim3(THREADS),
						  arguments, 0, stream));
	} else if (way == 2) {
		cudaGraphExec_t exec;
		cudaGraph_t graph;

		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		CHECK(cudaLaunchCooperativeKernel((const void *)spread, dim3(blocks), dim3(THREADS),
						  arguments, 0, stream));
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaGraphExecDestroy(exec));
		CHECK(cudaGraphDestroy(graph));
	} else {
		cudaLaunchAttribute attribute[1];
		cudaLaunchConfig_t config = {};

		attribute[0].id = cudaLaunchAttributeCooperative;
		attribute[0].val.cooperative = 1;
		config.gridDim = dim3(blocks);
		config.blockDim = dim3(THREADS);
		config.stream = stream;
		config.attrs = attribute;
		config.numAttrs = 1;
		CHECK(cudaLaunchKernelEx(&config, spread, buffers[0], buffers[1], rounds, split));
	}
	CHECK(cudaMemcpyAsync(got, buffers[ROUNDS % 2], bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (flag) {
		EXPECT(cudaStreamQuery(beside) == cudaErrorNotReady);
		*flag = 1;
	}
	host_spread(want[0], want[1], n, ROUNDS);
	for (unsigned int i = 0; i < n; i++)
		if (got[i] != want[ROUNDS % 2][i])
			mismatch("%d blocks, way %d, thread %u: got %u, expected %u", blocks, way,
				 i, got[i], want[ROUNDS % 2][i]);
	for (int k = 0; k < 2; k++) {
		CHECK(cudaFree(buffers[k]));
		free(want[k]);
	}
	free(got);
}

static void check_ranks(int cooperative)
{
	const dim3 blocks(3, 2, 2), threads(8, 4, 2);
	unsigned long long *out, got[12][8];
	void *arguments[] = { &out };

	CHECK(cudaMalloc(&out, sizeof(got)));
	if (cooperative)
		CHECK(cudaLaunchCooperativeKernel((const void *)ranks, blocks, threads, arguments,
						  0, 0));
	else
		ranks<<<blocks, threads>>>(out);
	CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	for (unsigned int b = 0; b < 12; b++) {
		EXPECT(got[b][0] == (unsigned long long)cooperative);
		EXPECT(got[b][1] == 768 && got[b][6] == 768);
		EXPECT(got[b][2] == 12);
		EXPECT(got[b][3] == 3 + 200 + 20000);
		EXPECT(got[b][4] == b % 3 + 100 * (b / 3 % 2) + 10000 * (b / 6));
		EXPECT(got[b][5] == 64 * b);
	}
	CHECK(cudaFree(out));
}

static void check_recursive(void)
{
	unsigned int *sum, *out, got[10];
	void *arguments[] = { &sum, &out };

	CHECK(cudaMalloc(&sum, sizeof(*sum)));
	CHECK(cudaMalloc(&out, sizeof(got)));
	CHECK(cudaMemset(sum, 0, sizeof(*sum)));
	CHECK(cudaLaunchCooperativeKernel((const void *)recursive, dim3(10), dim3(64), arguments, 0,
					  0));
	CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	for (int b = 0; b < 10; b++)
		EXPECT(got[b] == 10 + 20 + 30 + 40);
	CHECK(cudaFree(sum));
	CHECK(cudaFree(out));
}

static void check_sizes(void)
{
	unsigned int *none = NULL;
	int rounds = 0, split = 0, value = -1;
	void *arguments[] = { &none, &none, &rounds, &split };

	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, 0));
	EXPECT(value == 1);
	CHECK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)96, 0));
	EXPECT(value == 0);
	EXPECT(cudaLaunchCooperativeKernel((const void *)spread, dim3(most_blocks() + 1),
					   dim3(THREADS), arguments, 0,
					   0) == cudaErrorCooperativeLaunchTooLarge);
	EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
	CHECK(cudaLaunchCooperativeKernel((const void *)spread, dim3(most_blocks()), dim3(THREADS),
					  arguments, 0, 0));
	CHECK(cudaDeviceSynchronize());
}

/* A kernel that ends when the host says so has a place that the grid would need. */
static void check_beside(void)
{
	cudaStream_t streams[2];
	int *flag;

	for (int k = 0; k < 2; k++)
		CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
	CHECK(cudaHostAlloc(&flag, sizeof(*flag), cudaHostAllocMapped));
	*flag = 0;
	until<<<1, 32, 0, streams[0]>>>(flag);
	check_spread(most_blocks(), 0, 0, streams[1], flag, streams[0]);
	for (int k = 0; k < 2; k++) {
		CHECK(cudaStreamSynchronize(streams[k]));
		CHECK(cudaStreamDestroy(streams[k]));
	}
	CHECK(cudaFreeHost(flag));
}

int main(int argc, char **argv)
{
	cudaStream_t stream;
	int most;

	parse_size(argc, argv, "grid_sync", NULL, 0, 0, 0);
	CHECK(cudaStreamCreate(&stream));
	most = most_blocks();
	for (int way = 0; way < 3; way++) {
		if (way < 2)	/* the default stream is captured in no graph */
			check_spread(1, 0, way, 0, NULL, 0);
		check_spread(most < 7 ? most : 7, 0, way, stream, NULL, 0);
		check_spread(most < 48 ? most : 48, 1, way, stream, NULL, 0);
	}
	CHECK(cudaStreamDestroy(stream));
	check_ranks(0);
	/* smaller blocks than those of spread */
	if (most >= 12) {
		check_ranks(1);
		check_recursive();
	}
	check_sizes();
	/* on a single one the grid comes behind the other kernel */
	if (sms() > 1)
		check_beside();
	return finish();
}
