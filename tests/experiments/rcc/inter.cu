// SPDX-License-Identifier: MIT
/*
 * Programs whose blocks share data that they write, after table 3.4 of thesis 002: what is shared
 * and how, not the code, which for some of them is not published. Fences are where a weakly ordered
 * GPU needs them.
 */
#include "rcc.h"

#define BLOCKS	32
#define THREADS	128
#define ALL	(BLOCKS * THREADS)

/* ---- BFS: nodes read the levels of their neighbours, and write those that are not known ---- */

#define NODES	8192
#define DEGREE	4

__global__ void bfs(const int *edge, int *level, unsigned *frontier, unsigned *more,
		    unsigned *count)
{
	unsigned me = blockIdx.x * THREADS + threadIdx.x, meets = 0;

	for (int depth = 0; depth < 32; depth++) {
		unsigned *now = frontier + (depth & 1) * NODES;
		unsigned *next = frontier + (~depth & 1) * NODES;

		for (unsigned n = me; n < NODES; n += ALL) {
			if (!now[n])
				continue;
			now[n] = 0;
			for (unsigned e = 0; e < DEGREE; e++) {
				int to = edge[n * DEGREE + e];

				if (level[to] >= 0)
					continue;
				level[to] = depth + 1;
				next[to] = 1;
				more[depth] = 1;
			}
		}
		all_blocks(count, ++meets);
		if (!more[depth])
			break;
	}
}

static bool run_bfs()
{
	static int edge[NODES * DEGREE], level[NODES], want[NODES], queue[NODES];
	static unsigned frontier[2 * NODES];
	unsigned head = 0, tail = 0;

	for (unsigned n = 0; n < NODES * DEGREE; n++)
		edge[n] = random_below(4) ? (n / DEGREE + random_below(64)) % NODES :
					    random_below(NODES);
	for (unsigned n = 0; n < NODES; n++)
		level[n] = want[n] = n ? -1 : 0;
	frontier[0] = 1;
	int *at = device_array(NODES, level);
	bfs<<<BLOCKS, THREADS>>>(device_array(NODES * DEGREE, edge), at,
				 device_array(2 * NODES, frontier),
				 device_array<unsigned>(32, NULL),
				 device_array<unsigned>(1, NULL));
	to_host(level, at, NODES);
	queue[tail++] = 0;
	while (head < tail) {
		int n = queue[head++];

		for (unsigned e = 0; e < DEGREE; e++)
			if (want[edge[n * DEGREE + e]] < 0) {
				want[edge[n * DEGREE + e]] = want[n] + 1;
				queue[tail++] = edge[n * DEGREE + e];
			}
	}
	return !memcmp(level, want, sizeof(level));
}

/* ---- BH: bodies go down a tree that all build, whose upper nodes do not change any more ---- */

#define BODIES	2048
#define CELLS	8192	/* of the tree, after the bodies in numbers */
#define LOCKED	(-2)

static __host__ __device__ int quadrant(int x, int y, int bit)
{
	return (x >> bit & 1) | (y >> bit & 1) << 1;
}

__global__ void bh(const int *x, const int *y, int *child, unsigned *cells)
{
	for (unsigned body = blockIdx.x * THREADS + threadIdx.x; body < BODIES; body += ALL) {
		int cell = 0, bit = 15;
		bool done = false;

		while (!done) {
			int *slot = &child[cell * 4 + quadrant(x[body], y[body], bit)];
			int there = *(volatile int *)slot;

			if (there >= BODIES) {
				cell = there - BODIES;
				bit--;
				continue;
			}
			if (there == LOCKED || atomicCAS(slot, there, LOCKED) != there)
				continue;
			if (there < 0) {
				__threadfence();
				atomicExch(slot, (int)body);
				done = true;
				continue;
			}
			/* a body is there: both go into a new cell */
			int fresh = (int)atomicAdd(cells, 1);

			for (int q = 0; q < 4; q++)
				child[fresh * 4 + q] = -1;
			child[fresh * 4 + quadrant(x[there], y[there], bit - 1)] = there;
			__threadfence();
			atomicExch(slot, fresh + BODIES);
		}
	}
}

static bool run_bh()
{
	static int x[BODIES], y[BODIES], child[CELLS * 4];
	unsigned found = 0;

	for (unsigned n = 0; n < BODIES; n++) {
		/* no two in one place: the low bits are their own */
		x[n] = (int)(random_below(1 << 11) << 5 | (n & 31));
		y[n] = (int)(random_below(1 << 10) << 6 | n >> 5);
	}
	memset(child, -1, sizeof(child));
	int *at = device_array(CELLS * 4, child);
	unsigned one = 1;

	bh<<<BLOCKS, THREADS>>>(device_array(BODIES, x), device_array(BODIES, y), at,
				device_array(1, &one));
	to_host(child, at, CELLS * 4);
	for (unsigned n = 0; n < BODIES; n++) {
		int cell = 0, bit = 15, there;

		while ((there = child[cell * 4 + quadrant(x[n], y[n], bit--)]) >= BODIES)
			cell = there - BODIES;
		found += there == (int)n;
	}
	return found == BODIES;
}

/* ---- CL: constraints between particles, in four colours, some of two blocks ---- */

#define SIDE	96

static __host__ __device__ void relax(int *a, int *b)
{
	int gap = (*b - *a - 1000) / 4;

	*a += gap;
	*b -= gap;
}

__global__ void cl(int *position, unsigned rounds, unsigned *count)
{
	unsigned me = blockIdx.x * THREADS + threadIdx.x, meets = 0;

	for (unsigned round = 0; round < rounds; round++)
		for (unsigned colour = 0; colour < 4; colour++) {
			unsigned step = colour < 2 ? 1 : SIDE, odd = colour & 1;

			for (unsigned n = me; n < SIDE * SIDE; n += ALL) {
				unsigned along = colour < 2 ? n % SIDE : n / SIDE;

				if (along % 2 == odd && along + 1 < SIDE)
					relax(&position[n], &position[n + step]);
			}
			all_blocks(count, ++meets);
		}
}

static bool run_cl()
{
	static int position[SIDE * SIDE], want[SIDE * SIDE];

	for (unsigned n = 0; n < SIDE * SIDE; n++)
		position[n] = want[n] = (int)random_below(100000);
	int *at = device_array(SIDE * SIDE, position);

	cl<<<BLOCKS, THREADS>>>(at, 3, device_array<unsigned>(1, NULL));
	to_host(position, at, SIDE * SIDE);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned colour = 0; colour < 4; colour++)
			for (unsigned n = 0; n < SIDE * SIDE; n++) {
				unsigned along = colour < 2 ? n % SIDE : n / SIDE;

				if (along % 2 == (colour & 1) && along + 1 < SIDE)
					relax(&want[n], &want[n + (colour < 2 ? 1 : SIDE)]);
			}
	return !memcmp(position, want, sizeof(want));
}

/* ---- DLB: each block has a queue of tasks, and takes some of others when it is empty ---- */

#define TASKS	256

struct queue {
	unsigned locked, count;
	unsigned task[TASKS];
};

/* -1: it is empty */
static __device__ int take(struct queue *queue)
{
	int task = -1;

	if (!*(volatile unsigned *)&queue->count)
		return -1;
	lock(&queue->locked);
	unsigned count = *(volatile unsigned *)&queue->count;

	if (count) {
		task = (int)((volatile unsigned *)queue->task)[count - 1];
		*(volatile unsigned *)&queue->count = count - 1;
	}
	unlock(&queue->locked);
	return task;
}

static __device__ void put(struct queue *queue, unsigned task)
{
	lock(&queue->locked);
	unsigned count = *(volatile unsigned *)&queue->count;

	((volatile unsigned *)queue->task)[count] = task;
	*(volatile unsigned *)&queue->count = count + 1;
	unlock(&queue->locked);
}

__global__ void dlb(struct queue *queues, const unsigned *field, unsigned *left, unsigned *leaves)
{
	__shared__ int task;
	unsigned sum = 0;

	for (;;) {
		if (!threadIdx.x) {
			task = take(&queues[blockIdx.x]);
			for (unsigned n = 1; task < 0 && n < BLOCKS; n++)
				task = take(&queues[(blockIdx.x + n) % BLOCKS]);
			if (task < 0 && !*(volatile unsigned *)left)
				task = -2;
		}
		__syncthreads();
		int mine = task;

		__syncthreads();
		if (mine == -2)
			break;
		if (mine < 0)
			continue;
		for (unsigned n = 0; n < 8; n++)
			sum += field[(threadIdx.x * 8 + n + (unsigned)mine * 64) % 4096];
		if (!threadIdx.x) {
			if (mine > 0) {
				atomicAdd(left, 2);
				put(&queues[blockIdx.x], (unsigned)mine - 1);
				put(&queues[blockIdx.x], (unsigned)mine - 1);
			} else {
				atomicAdd(&leaves[0], 1);
			}
			__threadfence();
			atomicSub(left, 1);
		}
	}
	if (sum == 12345)
		leaves[1] = 1;
}

static bool run_dlb()
{
	static struct queue queues[BLOCKS];
	static unsigned field[4096];
	unsigned left = 0, leaves[2], want = 0;

	for (unsigned n = 0; n < 4096; n++)
		field[n] = n;
	for (unsigned b = 0; b < BLOCKS; b++) {
		/* a tree for each, of which some are higher */
		queues[b].task[0] = 2 + b % 3;
		queues[b].count = 1;
		left++;
		want += 1u << (2 + b % 3);
	}
	unsigned *at = device_array<unsigned>(2, NULL);

	dlb<<<BLOCKS, THREADS>>>(device_array(BLOCKS, queues), device_array(4096, field),
				 device_array(1, &left), at);
	to_host(leaves, at, 2);
	return leaves[0] == want;
}

/* ---- STN: a stencil whose blocks wait for their two neighbours ---- */

#define TILE	256

__global__ void stn(int *cells, unsigned *turn, int rounds)
{
	int b = (int)blockIdx.x;

	for (int round = 0; round < rounds; round++) {
		const int *now = cells + (round & 1) * BLOCKS * TILE;
		int *next = cells + (~round & 1) * BLOCKS * TILE;

		if (threadIdx.x < 2) {
			int other = b + (threadIdx.x ? 1 : -1);

			while (other >= 0 && other < BLOCKS &&
			       *(volatile unsigned *)&turn[other * 32] < (unsigned)round)
				;
			__threadfence();
		}
		__syncthreads();
		for (int n = b * TILE + (int)threadIdx.x; n < (b + 1) * TILE; n += THREADS)
			next[n] = n && n + 1 < BLOCKS * TILE ?
				(now[n - 1] + 2 * now[n] + now[n + 1]) / 4 : now[n];
		__threadfence();
		__syncthreads();
		if (!threadIdx.x)
			*(volatile unsigned *)&turn[b * 32] = (unsigned)round + 1;
	}
}

static bool run_stn()
{
	static int cells[2 * BLOCKS * TILE], want[2][BLOCKS * TILE];
	const int size = BLOCKS * TILE, rounds = 16;

	for (int n = 0; n < size; n++)
		cells[n] = want[0][n] = (int)random_below(100000);
	int *at = device_array(2 * size, cells);

	stn<<<BLOCKS, THREADS>>>(at, device_array<unsigned>(BLOCKS * 32, NULL), rounds);
	to_host(cells, at, size);
	for (int round = 0; round < rounds; round++) {
		const int *now = want[round & 1];

		for (int n = 0; n < size; n++)
			want[~round & 1][n] = n && n + 1 < size ?
				(now[n - 1] + 2 * now[n] + now[n + 1]) / 4 : now[n];
	}
	return !memcmp(cells, want[0], sizeof(want[0]));
}

/* ---- VPR: pairs of cells change places if that makes their nets shorter ---- */

#define PLACES	2048
#define PINS	6

__global__ void vpr(int *place, unsigned *locks, const int *net, unsigned moves)
{
	unsigned seed = blockIdx.x * THREADS + threadIdx.x;

	/* a warp moves one pair; its lanes look at the nets */
	for (unsigned move = 0; move < moves; move++) {
		unsigned warp = seed / 32, lane = seed % 32;
		unsigned h = (warp * 7919 + move * 104729) * 2654435761u;
		int a = (int)(h >> 8) % PLACES, b = (int)(h >> 20) % PLACES, gain = 0;

		a = a < 0 ? -a : a;
		b = b < 0 ? -b : b;
		if (a == b)
			continue;
		if (lane < PINS) {
			int pa = place[a], pb = place[b];
			int na = place[net[a * PINS + lane]], nb = place[net[b * PINS + lane]];

			gain = abs(pa - na) + abs(pb - nb) - abs(pb - na) - abs(pa - nb);
		}
		for (int step = 16; step; step /= 2)
			gain += __shfl_xor_sync(~0u, gain, step);
		if (gain <= 0 || lane)
			continue;
		int first = a < b ? a : b, second = a < b ? b : a;

		if (atomicCAS(&locks[first], 0, 1))
			continue;
		if (!atomicCAS(&locks[second], 0, 1)) {
			__threadfence();
			int was = *(volatile int *)&place[a];

			*(volatile int *)&place[a] = *(volatile int *)&place[b];
			*(volatile int *)&place[b] = was;
			__threadfence();
			atomicExch(&locks[second], 0);
		}
		atomicExch(&locks[first], 0);
	}
}

static bool run_vpr()
{
	static int place[PLACES], net[PLACES * PINS];
	static bool taken[PLACES];
	bool moved = false;

	for (int n = 0; n < PLACES; n++)
		place[n] = n;
	for (int n = 0; n < PLACES * PINS; n++)
		net[n] = (int)random_below(PLACES);
	int *at = device_array(PLACES, place);

	vpr<<<BLOCKS, THREADS>>>(at, device_array<unsigned>(PLACES, NULL),
				 device_array(PLACES * PINS, net), 24);
	to_host(place, at, PLACES);
	for (int n = 0; n < PLACES; n++) {
		if (place[n] < 0 || place[n] >= PLACES || taken[place[n]])
			return false;
		taken[place[n]] = true;
		moved |= place[n] != n;
	}
	return moved;
}

int main(int argc, char **argv)
{
	static const struct program programs[] = {
		{ "BFS", run_bfs }, { "BH", run_bh }, { "CL", run_cl }, { "DLB", run_dlb },
		{ "STN", run_stn }, { "VPR", run_vpr },
	};

	return run_program(programs, 6, argc, argv);
}
