/* SPDX-License-Identifier: MIT */
/*
 * bfs: the widest level of a breadth-first search. A block takes 512 nodes of the old queue, and
 * looks at the neighbours of each: all over the graph. New ones go to one of eight queues in shared
 * memory, and from there to the queue of all.
 *
 * The graph is random, each node with six neighbours on average, as Parboil's 1M.
 */
#include "chapter6.h"

#define THREADS 512
#define QUEUES 8
#define ROOM 400
#define NEVER 0x7fffffff

enum color { WHITE, GREY, NEXT_GREY, BLACK };

struct queues {
	int used[QUEUES];
	int node[QUEUES][ROOM];
};

__global__ void bfs(const int *old, int nodes, const int2 *node, const int2 *edge, int *color,
		    int *cost, int *queue, int *tail, int *overflow)
{
	__shared__ queues q;
	__shared__ int before[QUEUES + 1];
	int id = blockIdx.x * THREADS + threadIdx.x, mine = threadIdx.x % QUEUES;

	if (threadIdx.x < QUEUES)
		q.used[threadIdx.x] = 0;
	__syncthreads();
	if (id < nodes) {
		int from = old[id], now;
		int2 edges;

		color[from] = BLACK;
		now = cost[from];
		edges = node[from];
		for (int i = edges.x; i < edges.x + edges.y; i++) {
			int2 to = edge[i];

			if (atomicMin(&cost[to.x], now + to.y) <= now + to.y ||
			    atomicExch(&color[to.x], NEXT_GREY) == NEXT_GREY)
				continue;
			int at = atomicAdd(&q.used[mine], 1);

			if (at < ROOM)
				q.node[mine][at] = to.x;
			else
				*overflow = 1;
		}
	}
	__syncthreads();
	if (!threadIdx.x) {
		int sum = 0;

		for (int i = 0; i < QUEUES; i++) {
			before[i] = sum;
			sum += q.used[i];
		}
		before[QUEUES] = atomicAdd(tail, sum);
	}
	__syncthreads();
	for (int i = threadIdx.x / QUEUES; i < q.used[mine]; i += THREADS / QUEUES)
		queue[before[QUEUES] + before[mine] + i] = q.node[mine][i];
}

/* Each node gets 2 to 4 edges to others at random, in both directions. */
static void make_graph(int nodes, int2 **node, int2 **edge)
{
	struct lcg g = { 18 };
	int *pair = (int *)host_alloc((size_t)nodes * 4 * sizeof(int)), pairs = 0;
	int *from = (int *)host_alloc((size_t)nodes * 4 * sizeof(int)), *end;

	*node = managed_new<int2>(nodes);
	memset(*node, 0, nodes * sizeof(int2));
	for (int i = 0; i < nodes; i++) {
		int edges = 2 + (int)lcg_below(&g, 3);

		for (; edges; edges--, pairs++) {
			from[pairs] = i;
			pair[pairs] = (int)lcg_below(&g, nodes);
			(*node)[i].y++;
			(*node)[pair[pairs]].y++;
		}
	}
	*edge = managed_new<int2>((size_t)pairs * 2);
	end = (int *)host_alloc((size_t)nodes * sizeof(int));
	for (int i = 0, sum = 0; i < nodes; i++) {
		(*node)[i].x = end[i] = sum;
		sum += (*node)[i].y;
	}
	for (int i = 0; i < pairs; i++) {
		(*edge)[end[from[i]]++] = make_int2(pair[i], 1);
		(*edge)[end[pair[i]]++] = make_int2(from[i], 1);
	}
}

/* All nodes that can be reached from node 0, in the order in which they are found; how many. */
static int search(const int2 *node, const int2 *edge, int nodes, int *level, int *found)
{
	int count = 1;

	for (int i = 1; i < nodes; i++)
		level[i] = NEVER;
	found[0] = 0;
	level[0] = 0;
	for (int i = 0; i < count; i++) {
		int2 edges = node[found[i]];

		for (int e = edges.x; e < edges.x + edges.y; e++) {
			if (level[edge[e].x] != NEVER)
				continue;
			level[edge[e].x] = level[found[i]] + 1;
			found[count++] = edge[e].x;
		}
	}
	return count;
}

int main(int argc, char **argv)
{
	int nodes = (int)parse_size(argc, argv, "bfs", "thousands of nodes", 256, 8, 4096) * 1024;
	int *level = (int *)host_alloc((size_t)nodes * sizeof(int));
	int *found = (int *)host_alloc((size_t)nodes * sizeof(int));
	int *color = managed_new<int>(nodes), *cost = managed_new<int>(nodes);
	int *old = managed_new<int>(nodes), *queue = managed_new<int>(nodes);
	int *tail = managed_new<int>(2);
	int count, width[64] = {}, widest = 0, first = 0;
	int2 *node, *edge;

	make_graph(nodes, &node, &edge);
	count = search(node, edge, nodes, level, found);
	for (int i = 0; i < count; i++)
		width[level[found[i]]]++;
	for (int i = 0; i < 63; i++)
		widest = width[i] > width[widest] ? i : widest;
	for (int i = 0; i < widest; i++)
		first += width[i];
	for (int i = 0; i < nodes; i++) {
		color[i] = level[i] < widest ? BLACK : level[i] == widest ? GREY : WHITE;
		cost[i] = level[i] <= widest ? level[i] : NEVER;
	}
	for (int i = 0; i < width[widest]; i++)
		old[i] = found[first + i];
	tail[0] = tail[1] = 0;
	start_kernel();
	bfs<<<(width[widest] + THREADS - 1) / THREADS, THREADS>>>(
		old, width[widest], node, edge, color, cost, queue, tail, tail + 1);
	end_kernel();
	expect_same("reached", 0, tail[0], width[widest + 1]);
	expect_same("overflow", 0, tail[1], 0);
	for (int i = 0; i < nodes; i++)
		expect_same("cost", i, cost[i], level[i] <= widest + 1 ? level[i] : NEVER);
	for (int i = 0; i < tail[0]; i++) {
		expect_same("queue", i, level[queue[i]], widest + 1);
		level[queue[i]] = 0;
	}
	return finish();
}
