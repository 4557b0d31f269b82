// SPDX-License-Identifier: MIT
/*
 * CL and CLto: cloth, a net of particles whose edges want their length back. After a step under
 * gravity each edge moves both of its ends, by whole numbers, one as far as the other the opposite
 * way. In CL all that an edge does is one critical section; in CLto ("transaction-optimised") the
 * way is found before it, which then has the addition alone.
 *
 * Each edge also sums up how far it has moved its ends. So at the end a particle has to be where
 * gravity and the sums of its edges have brought it, and all together have to be where gravity
 * alone would have brought them.
 */
#include "getm.h"

#define LENGTH	4096	/* of an edge at rest */
#define APART	5120	/* ends of edges at first, and up to JITTER to each side */
#define JITTER	512
#define GRAVITY	64	/* of a step */
#define WORDS	4	/* of a particle: x, y, z, and one free */

/* The ends of an edge, and how far it has moved them */
struct edge {
	unsigned ends[2];
	int moved[3];
};

/* How far an edge moves its end a: half of what it is too long, towards b */
static __device__ void find_way(const int *a, const int *b, int way[3])
{
	float along[3], length = 0;

	for (int n = 0; n < 3; n++) {
		along[n] = (float)(b[n] - a[n]);
		length += along[n] * along[n];
	}
	length = sqrtf(length);
	for (int n = 0; n < 3; n++)
		way[n] = length < 1 ? 0 : (int)(along[n] * (length - LENGTH) / (2 * length));
}

static __device__ void move_ends(int *a, int *b, const int way[3])
{
	for (int n = 0; n < 3; n++) {
		a[n] += way[n];
		b[n] -= way[n];
	}
}

template <enum form form>
__global__ void cl(int *at, unsigned *locks, struct edge *edges, unsigned count, unsigned threads)
{
	if (my_number() >= threads)
		return;
	for (unsigned n = my_number(); n < count; n += threads) {
		unsigned first = edges[n].ends[0], second = edges[n].ends[1];
		int *a = at + first * WORDS, *b = at + second * WORDS;
		int way[3];

		atomically<form>(locks, first, second, [&] {
			find_way(a, b, way);
			move_ends(a, b, way);
		});
		for (int axis = 0; axis < 3; axis++)
			edges[n].moved[axis] += way[axis];
	}
}

template <enum form form>
__global__ void clto(int *at, unsigned *locks, struct edge *edges, unsigned count, unsigned threads)
{
	if (my_number() >= threads)
		return;
	for (unsigned n = my_number(); n < count; n += threads) {
		unsigned first = edges[n].ends[0], second = edges[n].ends[1];
		int *a = at + first * WORDS, *b = at + second * WORDS;
		int way[3];

		find_way(a, b, way);
		atomically<form>(locks, first, second, [&] { move_ends(a, b, way); });
		for (int axis = 0; axis < 3; axis++)
			edges[n].moved[axis] += way[axis];
	}
}

__global__ void fall(int *at, unsigned particles)
{
	if (my_number() < particles)
		at[my_number() * WORDS + 1] -= GRAVITY;
}

/* A square net of which @side^2 particles are enough for @count edges */
static unsigned side_of(unsigned count)
{
	unsigned side = 2;

	while (2ul * side * (side - 1) < count)
		side++;
	return side;
}

/* @count edges of the net in an order at random, so that neighbours are seldom in one warp */
static struct edge *edges_of(unsigned side, unsigned count, unsigned seed)
{
	struct edge *edges = host_array<struct edge>(2ul * side * (side - 1));
	unsigned have = 0;

	for (unsigned n = 0; n < side * side; n++) {
		if (n % side + 1 < side)
			edges[have++] = (struct edge){ { n, n + 1 }, {} };
		if (n / side + 1 < side)
			edges[have++] = (struct edge){ { n, n + side }, {} };
	}
	for (unsigned n = have - 1; n; n--) {
		unsigned other = (unsigned)(draw(seed, n) % (n + 1));
		struct edge was = edges[n];

		edges[n] = edges[other];
		edges[other] = was;
	}
	return edges;
}

static int *net_of(unsigned side, unsigned seed)
{
	int *at = host_array<int>((size_t)side * side * WORDS);

	for (unsigned n = 0; n < side * side; n++) {
		unsigned long long drawn = draw(~seed, n);

		at[n * WORDS] = (int)(n % side * APART + drawn % (2 * JITTER));
		at[n * WORDS + 1] = (int)(n / side * APART + (drawn >> 20) % (2 * JITTER));
		at[n * WORDS + 2] = (int)((drawn >> 40) % (2 * JITTER));
	}
	return at;
}

/* @want: where the particles were */
static bool check(const struct options *o, unsigned side, int *want, const int *at,
		  const struct edge *edges)
{
	long sum[3] = { 0, 0, 0 }, moved = 0;

	for (unsigned n = 0; n < side * side; n++) {
		want[n * WORDS + 1] -= (int)o->work.rounds * GRAVITY;
		for (int axis = 0; axis < 3; axis++)
			sum[axis] += at[n * WORDS + axis] - want[n * WORDS + axis];
	}
	if (sum[0] || sum[1] || sum[2])
		return wrong("the cloth is %ld, %ld, %ld away from where gravity brings it",
			     sum[0], sum[1], sum[2]);
	for (unsigned n = 0; n < o->work.size; n++)
		for (int axis = 0; axis < 3; axis++) {
			want[edges[n].ends[0] * WORDS + axis] += edges[n].moved[axis];
			want[edges[n].ends[1] * WORDS + axis] -= edges[n].moved[axis];
			moved += labs(edges[n].moved[axis]);
		}
	for (unsigned n = 0; n < side * side * WORDS; n++)
		if (at[n] != want[n])
			return wrong("particle %u is at %d, not at %d", n / WORDS, at[n], want[n]);
	return moved || wrong("no edge has moved anything");
}

static bool run(const struct options *o, unsigned long *sections)
{
	static void (*const plain[])(int *, unsigned *, struct edge *, unsigned, unsigned) =
		ALL_FORMS(cl);
	static void (*const optimised[])(int *, unsigned *, struct edge *, unsigned, unsigned) =
		ALL_FORMS(clto);
	unsigned side = side_of(o->work.size), words = side * side * WORDS;
	struct edge *edges = edges_of(side, o->work.size, o->seed);
	int *want = net_of(side, o->seed), *end = host_array<int>(words);
	int *at = device_array(words, want);
	unsigned *locks = device_array<unsigned>(side * side, NULL);
	struct edge *all = device_array(o->work.size, edges);

	for (unsigned round = 0; round < o->work.rounds; round++) {
		fall<<<(side * side + BLOCK - 1) / BLOCK, BLOCK>>>(at, side * side);
		CHECK(cudaGetLastError());
		launch(o, strcmp(o->work.name, "CL") ? optimised : plain, o->work.threads, at,
		       locks, all, o->work.size, o->work.threads);
	}
	to_host(end, at, words);
	to_host(edges, all, o->work.size);
	*sections = (unsigned long)o->work.size * o->work.rounds;
	return check(o, side, want, end, edges);
}

int main(int argc, char **argv)
{
	static const struct workload works[] = {
		{ "CL", 60000, 23040, 2 }, { "CLto", 60000, 23040, 2 },
	};

	return run_workload(works, run, argc, argv);
}
