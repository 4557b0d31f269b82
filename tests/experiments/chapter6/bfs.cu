/* SPDX-License-Identifier: MIT */
/*
 * bfs: one level of a breadth-first search with queues. The nodes of the old queue are all over
 * the graph, and so are the nodes that they reach; new ones go to the queue of the block, and from
 * there to the one of all.
 */
#include "chapter6.h"

#define THREADS 128
#define DEGREE 8
#define ROOM (THREADS * DEGREE)

__global__ void bfs(const int *edges, int *level, const int *old, int *queue, int *tail, int now)
{
	__shared__ int found[ROOM], count, base;
	int node = old[blockIdx.x * THREADS + threadIdx.x];

	if (!threadIdx.x)
		count = 0;
	__syncthreads();
	for (int i = 0; i < DEGREE; i++) {
		int to = edges[node * DEGREE + i];

		if (level[to] < 0 && atomicCAS(&level[to], -1, now) == -1)
			found[atomicAdd(&count, 1)] = to;
	}
	__syncthreads();
	if (!threadIdx.x)
		base = atomicAdd(tail, count);
	__syncthreads();
	for (int i = threadIdx.x; i < count; i += THREADS)
		queue[base + i] = found[i];
}

int main(int argc, char **argv)
{
	int blocks = (int)parse_size(argc, argv, "bfs", "blocks of 128 nodes", 1024, 1, 8192);
	int width = blocks * THREADS, nodes = width * 4, reached = 0;
	int *edges = managed_new<int>((size_t)nodes * DEGREE), *level = managed_new<int>(nodes);
	int *old = managed_new<int>(width), *queue = managed_new<int>(nodes);
	int *tail = managed_new<int>(1);
	char *want = (char *)host_alloc(nodes);
	struct lcg g = { 18 };

	*tail = 0;
	for (int i = 0; i < nodes * DEGREE; i++)
		edges[i] = (int)lcg_below(&g, nodes);
	for (int i = 0; i < nodes; i++)
		level[i] = -1;
	for (int i = 0; i < width; i++) {
		old[i] = (int)lcg_below(&g, nodes);
		level[old[i]] = 0;
	}
	for (int i = 0; i < width * DEGREE; i++) {
		int to = edges[old[i / DEGREE] * DEGREE + i % DEGREE];

		reached += level[to] < 0 && !want[to];
		want[to] |= level[to] < 0;
	}
	start_kernel();
	bfs<<<blocks, THREADS>>>(edges, level, old, queue, tail, 1);
	end_kernel();
	expect_same("reached", 0, *tail, reached);
	for (int i = 0; i < *tail; i += 3)
		expect_same("level", queue[i], level[queue[i]], 1);
	for (int i = 0; i < nodes; i += 3)
		expect_same("found", i, level[i] == 1, (bool)want[i]);
	return finish();
}
