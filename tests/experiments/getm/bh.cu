// SPDX-License-Identifier: MIT
/*
 * BH: bodies are put into an octree, the first part of Barnes and Hut's method. A body goes down
 * from the root to a slot without a cell. The critical section is to take the slot, or if a body is
 * there, to put a new cell with that body between, into which the way goes on. Cells never go away,
 * so the way down needs none. The tree does not depend on the order of bodies: it has to be the
 * CPU's, slot by slot.
 */
#include "getm.h"

#define BITS	22		/* of a coordinate */
#define EMPTY	(-1)
#define LOCKED	(-2)

/* What a slot has: a body, a cell (@bodies and more), EMPTY, or LOCKED in the form with locks */
struct tree {
	int *child;		/* 8 of a cell; cell 0 is the root */
	unsigned *used;		/* cells */
	unsigned cells;
	int bodies;
	unsigned seed;
};

/* The octant of body @n in a cell of depth @depth. No two bodies have the same place */
static __host__ __device__ int octant(unsigned seed, int n, unsigned depth)
{
	unsigned long long place = draw(seed, (unsigned)n);
	unsigned x = (unsigned)place & ((1 << BITS) - 1);
	unsigned y = (unsigned)(place >> BITS) & ((1 << BITS) - 1);
	unsigned z = (unsigned)(place >> 2 * BITS) << (3 * BITS - 64);
	unsigned bit = BITS - 1 - depth;

	return (int)((x >> bit & 1) | (y >> bit & 1) << 1 | (z >> bit & 1) << 2);
}

/* What a slot has that had @there, when @body comes; @depth is that of a new cell, @spare */
static __host__ __device__ int put_into(const struct tree *tree, int there, int body, int spare,
					unsigned depth)
{
	if (there == EMPTY)
		return body;
	tree->child[spare * 8 + octant(tree->seed, there, depth)] = there;
	return tree->bodies + spare;
}

/* The same where others do it, too: what the slot has now */
template <enum form form>
static __device__ int take_slot(const struct tree *tree, int *slot, int there, int body, int spare,
				unsigned depth)
{
	int now;

	if (form == LOCK) {
		if (there == LOCKED || atomicCAS(slot, there, LOCKED) != there)
			return LOCKED;
		__threadfence();
		now = put_into(tree, there, body, spare, depth);
		__threadfence();
		atomicExch(slot, now);
		return now;
	}
	transaction<form>([&] {
		now = *slot;
		if (now < tree->bodies) {
			now = put_into(tree, now, body, spare, depth);
			*slot = now;
		}
	});
	return now;
}

template <enum form form>
__global__ void build(struct tree tree, unsigned *sections, unsigned threads)
{
	int spare = 0;

	if (my_number() >= threads)
		return;
	for (int body = (int)my_number(); body < tree.bodies; body += (int)threads) {
		unsigned depth = 0;
		int *slot = &tree.child[octant(tree.seed, body, 0)];

		for (bool done = false; !done;) {
			int there = *(volatile int *)slot;

			if (there >= tree.bodies) {
				depth++;
				slot = &tree.child[(there - tree.bodies) * 8 +
						   octant(tree.seed, body, depth)];
				continue;
			}
			if (!spare)
				spare = (int)atomicAdd(tree.used, 1);
			/* too few only if cells are lost */
			if (spare >= (int)tree.cells)
				return;
			there = take_slot<form>(&tree, slot, there, body, spare, depth + 1);
			sections[my_number()] += there != LOCKED;
			if (there == tree.bodies + spare)
				spare = 0;
			done = there == body;
		}
	}
}

/* The tree of the CPU; false: it needs more cells */
static bool build_here(struct tree *tree)
{
	*tree->used = 1;
	for (int body = 0; body < tree->bodies; body++) {
		unsigned depth = 0;
		int *slot = &tree->child[octant(tree->seed, body, 0)];

		while (*slot != body) {
			if (*tree->used == tree->cells)
				return wrong("%u cells are too few", tree->cells);
			if (*slot < tree->bodies)
				*slot = put_into(tree, *slot, body, (int)*tree->used, depth + 1);
			if (*slot == tree->bodies + (int)*tree->used)
				++*tree->used;
			if (*slot >= tree->bodies)
				slot = &tree->child[(*slot - tree->bodies) * 8 +
						    octant(tree->seed, body, ++depth)];
		}
	}
	return true;
}

/* Cells @a of one and @b of the other have the same */
static bool same_cells(const struct tree *tree, int a, const struct tree *want, int b,
		       unsigned depth)
{
	for (int n = 0; n < 8; n++) {
		int has = tree->child[a * 8 + n], other = want->child[b * 8 + n];

		if (has >= tree->bodies && has - tree->bodies < (int)tree->cells &&
		    other >= want->bodies) {
			if (!same_cells(tree, has - tree->bodies, want, other - want->bodies,
					depth + 1))
				return false;
		} else if (has != other) {
			return wrong("octant %d of a cell at depth %u has %d, not %d", n, depth,
				     has, other);
		}
	}
	return true;
}

static bool run(const struct options *o, unsigned long *sections)
{
	static void (*const forms[])(struct tree, unsigned *, unsigned) = ALL_FORMS(build);
	unsigned most = 3 * o->work.size + o->work.threads + 64, first = 1;
	struct tree want, tree;

	if (o->work.size > MOST / 32)
		return wrong("at most %u bodies", MOST / 32);
	want.child = host_array<int>(8ul * most);
	memset(want.child, 0xff, 8ul * most * sizeof(int));
	want.used = host_array<unsigned>(1);
	want.cells = most;
	want.bodies = (int)o->work.size;
	want.seed = o->seed;
	tree = want;
	tree.child = device_array(8ul * most, want.child);
	tree.used = device_array(1, &first);
	if (!build_here(&want))
		return false;

	unsigned *taken = host_array<unsigned>(o->work.threads);
	unsigned *all = device_array<unsigned>(o->work.threads, NULL);

	launch(o, forms, o->work.threads, tree, all, o->work.threads);
	int *child = host_array<int>(8ul * most);

	to_host(child, tree.child, 8ul * most);
	to_host(taken, all, o->work.threads);
	for (unsigned n = 0; n < o->work.threads; n++)
		*sections += taken[n];
	tree.child = child;
	return same_cells(&tree, 0, &want, 0, 0);
}

int main(int argc, char **argv)
{
	static const struct workload works[] = { { "BH", 30000, 23040, 0 } };

	return run_workload(works, run, argc, argv);
}
