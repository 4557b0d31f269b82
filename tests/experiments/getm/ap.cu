// SPDX-License-Identifier: MIT
/*
 * AP: data mining, which sets of items are in many records together (Apriori). First the items are
 * counted, then pairs of items that are frequent, then triples all of whose pairs are. A set has a
 * place in a leaf, of few, found by its first two items; a leaf is a list. The critical section is
 * to go through it and count the set, or append it. Sets and counts have to be the CPU's.
 */
#include "getm.h"

#define ITEMS	32	/* a set, or a record, is a word with a bit for each */
#define LEAVES	64
#define RARE	50	/* frequent: in one of so many records */

/* A set of a leaf; 0 is none */
struct node {
	unsigned set, count, next, pad;
};

/**
 * struct leaves - the sets of one size
 * @first: of each leaf
 * @partner: items with which an item is frequent as a pair; while pairs are counted, all frequent
 */
struct leaves {
	unsigned *first, *locks, *used;
	struct node *nodes;
	const unsigned *partner;
	unsigned capacity, set_size;
};

static __host__ __device__ unsigned leaf_of(unsigned a, unsigned b)
{
	return (a * 8 + b) % LEAVES;
}

/* Items of record @n: number i with a chance of 2 in 4 + i */
static unsigned record_of(unsigned seed, unsigned n)
{
	unsigned record = 0;

	for (unsigned item = 0; item < ITEMS; item++)
		record |= (unsigned)(draw(seed, n * ITEMS + item) % (4 + item) < 2) << item;
	return record;
}

__global__ void count_items(const unsigned *records, unsigned count, unsigned *items,
			    unsigned threads)
{
	if (my_number() >= threads)
		return;
	for (unsigned n = my_number(); n < count; n += threads)
		for (unsigned left = records[n]; left; left &= left - 1)
			atomicAdd(&items[__ffs((int)left) - 1], 1);
}

/* Count @set; *@spare is a node of this thread, 0: it needs one */
template <enum form form>
static __device__ void count_set(const struct leaves *leaves, unsigned leaf, unsigned set,
				 unsigned *spare)
{
	struct node *nodes = leaves->nodes;
	unsigned fresh = *spare ? *spare : atomicAdd(leaves->used, 1) + 1;
	bool found;

	/* too few only if sets are lost */
	if (fresh > leaves->capacity)
		return;
	atomically<form>(leaves->locks, leaf, [&] {
		unsigned *link = &leaves->first[leaf];

		while (*link && nodes[*link].set != set)
			link = &nodes[*link].next;
		found = *link;
		if (found) {
			nodes[*link].count++;
		} else {
			nodes[fresh].set = set;
			nodes[fresh].count = 1;
			*link = fresh;
		}
	});
	*spare = found ? fresh : 0;
}

template <enum form form>
__global__ void count_sets(const unsigned *records, unsigned count, struct leaves leaves,
			   unsigned threads)
{
	const unsigned *partner = leaves.partner;
	unsigned spare = 0;

	if (my_number() >= threads)
		return;
	for (unsigned n = my_number(); n < count; n += threads)
		for (unsigned as = records[n]; as; as &= as - 1) {
			unsigned a = (unsigned)__ffs((int)as) - 1;

			for (unsigned bs = as & (as - 1) & partner[a]; bs; bs &= bs - 1) {
				unsigned b = (unsigned)__ffs((int)bs) - 1, pair = 1u << a | 1u << b;
				/* one turn for the pair, or one for each third item */
				unsigned cs = leaves.set_size == 2 ? 1 :
					      bs & (bs - 1) & partner[a] & partner[b];

				for (; cs; cs &= cs - 1)
					count_set<form>(&leaves, leaf_of(a, b),
							leaves.set_size == 2 ? pair :
							pair | (cs & -cs), &spare);
			}
		}
}

/* What is the same for sets of any size: the sets, and what each item goes with */
struct mining {
	const struct options *o;
	const unsigned *record;		/* of the host */
	unsigned *records;
	unsigned partner[ITEMS];
};

/* Sets of @size in the records, with partners alone, go to counts[a][b][c]; how many in all */
static unsigned count_here(const struct mining *m, unsigned size,
			   unsigned counts[ITEMS][ITEMS][ITEMS])
{
	unsigned sum = 0;

	for (unsigned n = 0; n < m->o->work.size; n++)
		for (unsigned a = 0; a < ITEMS; a++)
			for (unsigned b = a + 1; b < ITEMS; b++) {
				unsigned record = m->record[n], third;

				if (!(record >> a & record >> b & m->partner[a] >> b & 1))
					continue;
				third = record & m->partner[a] & m->partner[b];
				for (unsigned c = b + 1; size == 3 && c < ITEMS; c++) {
					counts[a][b][c] += third >> c & 1;
					sum += third >> c & 1;
				}
				counts[a][b][0] += size == 2;
				sum += size == 2;
			}
	return sum;
}

/* The leaves have the sets of @counts, which is emptied, and no others */
static bool check(const unsigned *first, const struct node *nodes, const struct leaves *leaves,
		  unsigned counts[ITEMS][ITEMS][ITEMS])
{
	for (unsigned leaf = 0; leaf < LEAVES; leaf++)
		for (unsigned n = first[leaf]; n; n = nodes[n].next) {
			if (n > leaves->capacity || !nodes[n].count ||
			    __builtin_popcount(nodes[n].set) != (int)leaves->set_size)
				return wrong("leaf %u has %u, which is no set", leaf, n);
			unsigned set = nodes[n].set, a = (unsigned)__builtin_ctz(set);
			unsigned b = (unsigned)__builtin_ctz(set & (set - 1));
			unsigned rest = set & (set - 1) & ((set & (set - 1)) - 1);
			unsigned c = rest ? (unsigned)__builtin_ctz(rest) : 0;

			if (leaf_of(a, b) != leaf || nodes[n].count != counts[a][b][c])
				return wrong("set %#x has %u, not %u", set, nodes[n].count,
					     counts[a][b][c]);
			counts[a][b][c] = 0;
		}
	for (unsigned n = 0; n < ITEMS * ITEMS * ITEMS; n++)
		if ((&counts[0][0][0])[n])
			return wrong("a set is missing, which is in %u records",
				     (&counts[0][0][0])[n]);
	return true;
}

/* Sets of @size: counted here and there. What is frequent stays in @counts */
static bool mine(const struct mining *m, unsigned size, unsigned counts[ITEMS][ITEMS][ITEMS],
		 unsigned long *sections)
{
	static void (*const forms[])(const unsigned *, unsigned, struct leaves, unsigned) =
		ALL_FORMS(count_sets);
	static unsigned again[ITEMS][ITEMS][ITEMS];
	unsigned first[LEAVES], sum = count_here(m, size, counts);
	struct node *nodes;
	struct leaves leaves;

	leaves.capacity = sum + m->o->work.threads;
	leaves.set_size = size;
	leaves.first = device_array<unsigned>(LEAVES, NULL);
	leaves.locks = device_array<unsigned>(LEAVES, NULL);
	leaves.used = device_array<unsigned>(1, NULL);
	leaves.nodes = device_array<struct node>(leaves.capacity + 1, NULL);
	leaves.partner = device_array(ITEMS, m->partner);
	launch(m->o, forms, m->o->work.threads, (const unsigned *)m->records, m->o->work.size,
	       leaves, m->o->work.threads);
	nodes = host_array<struct node>(leaves.capacity + 1);
	to_host(first, leaves.first, LEAVES);
	to_host(nodes, leaves.nodes, leaves.capacity + 1);
	*sections += sum;
	memcpy(again, counts, sizeof(again));
	bool right = check(first, nodes, &leaves, again);

	free(nodes);
	return right;
}

static bool run(const struct options *o, unsigned long *sections)
{
	static unsigned pairs[ITEMS][ITEMS][ITEMS], triples[ITEMS][ITEMS][ITEMS];
	unsigned count = o->work.size, often = count / RARE, items[ITEMS], frequent = 0;
	unsigned *record = host_array<unsigned>(count), want[ITEMS] = {};
	struct mining m = { o, record };

	for (unsigned n = 0; n < count; n++) {
		record[n] = record_of(o->seed, n);
		for (unsigned item = 0; item < ITEMS; item++)
			want[item] += record[n] >> item & 1;
	}
	m.records = device_array(count, record);
	unsigned *at = device_array<unsigned>(ITEMS, NULL);

	count_items<<<(o->work.threads + BLOCK - 1) / BLOCK, BLOCK>>>(m.records, count, at,
								      o->work.threads);
	CHECK(cudaGetLastError());
	to_host(items, at, ITEMS);
	if (memcmp(items, want, sizeof(items)))
		return wrong("the counts of single items are wrong");
	for (unsigned item = 0; item < ITEMS; item++)
		frequent |= (unsigned)(items[item] > often) << item;
	for (unsigned item = 0; item < ITEMS; item++)
		m.partner[item] = frequent >> item & 1 ? frequent : 0;
	if (!mine(&m, 2, pairs, sections))
		return false;
	memset(m.partner, 0, sizeof(m.partner));
	for (unsigned a = 0; a < ITEMS; a++)
		for (unsigned b = a + 1; b < ITEMS; b++)
			if (pairs[a][b][0] > often) {
				m.partner[a] |= 1u << b;
				m.partner[b] |= 1u << a;
			}
	return mine(&m, 3, triples, sections);
}

int main(int argc, char **argv)
{
	static const struct workload works[] = { { "AP", 4000, 4000, 0 } };

	return run_workload(works, run, argc, argv);
}
