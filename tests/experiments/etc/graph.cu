/* SPDX-License-Identifier: MIT */
/*
 * The adversary of ETC: a graph whose working set all SMs share (a later paper says that ETC is
 * weak there, as fewer SMs use no fewer pages). Each round of a breadth-first search is a kernel; a
 * thread is a node, whose neighbours are at random places of the whole graph.
 */
#include "etc.h"

#define NODES	(256u << 10)
#define DEGREE	8u
#define WORDS	(NODES * DEGREE)
#define ROUNDS	6
#define FAR	1000000u

static unsigned *neighbours, *level, *next;

/* A node's level is one more than the least of its neighbours, if that is less than its own. */
static __global__ void relax(unsigned nodes, const unsigned *neighbours, const unsigned *level,
			     unsigned *next)
{
	unsigned node = blockIdx.x * blockDim.x + threadIdx.x, best;

	if (node >= nodes)
		return;
	best = level[node];
	for (unsigned k = 0; k < DEGREE; k++)
		best = min(best, level[neighbours[node * DEGREE + k]] + 1);
	next[node] = best;
}

static unsigned hash(unsigned n)
{
	n = (n ^ n >> 16) * 0x45d9f3bu;
	return n ^ n >> 13;
}

static void prepare(void)
{
	neighbours = (unsigned *)etc_alloc(WORDS);
	level = (unsigned *)etc_alloc(NODES);
	next = (unsigned *)etc_alloc(NODES);
	for (unsigned n = 0; n < WORDS; n++)
		neighbours[n] = hash(n + 1) % NODES;
	for (unsigned n = 0; n < NODES; n++)
		level[n] = n ? FAR : 0;
}

static void run(void)
{
	for (int round = 0; round < ROUNDS; round += 2) {
		relax<<<BLOCKS(NODES, 256), 256>>>(NODES, neighbours, level, next);
		relax<<<BLOCKS(NODES, 256), 256>>>(NODES, neighbours, next, level);
	}
}

/* By its neighbours, of the round before the last */
static double check(void)
{
	unsigned wrong = 0;

	for (unsigned n = 0; n < NODES; n++) {
		unsigned best = next[n];

		for (unsigned k = 0; k < DEGREE; k++) {
			unsigned other = next[neighbours[n * DEGREE + k]] + 1;

			best = other < best ? other : best;
		}
		wrong += level[n] != best;
	}
	return wrong;
}

struct app apps_graph[1] = { { "graph", IRREGULAR, prepare, run, check } };
