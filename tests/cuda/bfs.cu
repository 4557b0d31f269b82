/* SPDX-License-Identifier: MIT */
/*
 * bfs: level-synchronous breadth-first search. One launch a level: each thread takes one node of
 * the frontier, claims unseen neighbours with a compare-and-swap and appends them to the next
 * frontier with an atomic counter; the host reads the counter to see whether another level follows.
 * The order within a frontier is free, the level of a node is not: the comparison is exact.
 */
#include "common.h"

#include <vector>

#define BDIM 128
#define UNSEEN (-1)

__global__ void expand(const int *start, const int *edges, int *level, int depth,
		       const int *frontier, int size, int *next, int *next_size)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	if (t >= size)
		return;
	int node = frontier[t];
	for (int i = start[node]; i < start[node + 1]; i++) {
		int other = edges[i];

		if (level[other] == UNSEEN && atomicCAS(&level[other], UNSEEN, depth) == UNSEEN)
			next[atomicAdd(next_size, 1)] = other;
	}
}

/*
 * Mostly near neighbours, some far ones, and a last sixteenth of the nodes that nobody points to.
 */
static void make_graph(int nodes, std::vector<int> &start, std::vector<int> &edges)
{
	int reachable = nodes - nodes / 16, near = nodes / 40 + 2;
	struct lcg g = { 42 };

	start.push_back(0);
	for (int i = 0; i < nodes; i++) {
		for (uint32_t d = lcg_below(&g, 8); d > 0; d--)
			edges.push_back((i + (int)lcg_below(&g, near)) % reachable);
		if (lcg_below(&g, 500) == 0)
			edges.push_back((int)lcg_below(&g, reachable));
		start.push_back((int)edges.size());
	}
}

static int reference(int nodes, const std::vector<int> &start, const std::vector<int> &edges,
		     std::vector<int> &level)
{
	std::vector<int> queue(1, 0);

	level.assign(nodes, UNSEEN);
	level[0] = 0;
	for (size_t head = 0; head < queue.size(); head++)
		for (int i = start[queue[head]]; i < start[queue[head] + 1]; i++)
			if (level[edges[i]] == UNSEEN) {
				level[edges[i]] = level[queue[head]] + 1;
				queue.push_back(edges[i]);
			}
	return level[queue.back()];
}

int main(int argc, char **argv)
{
	int nodes = (int)parse_size(argc, argv, "bfs", "nodes of the graph", 16001, 1, 1 << 24);
	std::vector<int> start, edges, want, level(nodes, UNSEEN);
	int size = 1, depth = 0, levels;

	make_graph(nodes, start, edges);
	levels = reference(nodes, start, edges, want);
	level[0] = 0;

	int *dev_start = device_from(start.data(), start.size());
	int *dev_edges = device_from(edges.data(), edges.size());
	int *dev_level = device_from(level.data(), level.size());
	int *frontier[2] = { device_new<int>(nodes), device_new<int>(nodes) };
	int *dev_size = device_new<int>(1);

	CHECK(cudaMemset(frontier[0], 0, sizeof(int)));
	while (size > 0 && depth <= nodes) {
		depth++;
		CHECK(cudaMemset(dev_size, 0, sizeof(int)));
		expand<<<(size + BDIM - 1) / BDIM, BDIM>>>(dev_start, dev_edges, dev_level, depth,
							   frontier[(depth + 1) % 2], size,
							   frontier[depth % 2], dev_size);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(&size, dev_size, sizeof(int), cudaMemcpyDeviceToHost));
		if (size < 0 || size > nodes) {
			mismatch("frontier[%d]: got %d nodes, expected 0 to %d", depth, size,
				 nodes);
			return finish();
		}
	}
	expect_same("levels", 0, depth - 1, levels);
	CHECK(cudaMemcpy(level.data(), dev_level, nodes * sizeof(int), cudaMemcpyDeviceToHost));
	compare_exact("level", level.data(), want.data(), nodes);
	for (int i = 0; i < 2; i++)
		CHECK(cudaFree(frontier[i]));
	CHECK(cudaFree(dev_size));
	CHECK(cudaFree(dev_level));
	CHECK(cudaFree(dev_edges));
	CHECK(cudaFree(dev_start));
	return finish();
}
