// SPDX-License-Identifier: MIT
/*
 * HT-H, HT-M and HT-L: threads populate a hash table with chains. An insertion makes an entry the
 * first of its chain: it reads and writes the chain's head and writes the entry's link. At the end
 * each key has to be in the chain of its hash exactly once.
 */
#include "getm.h"

/* The key of an entry. Two never have the same */
static __host__ __device__ unsigned long long key_of(unsigned seed, unsigned entry)
{
	return draw(seed, entry);
}

static __host__ __device__ unsigned chain_of(unsigned long long key, unsigned chains)
{
	return (unsigned)(key >> 32) % chains;
}

/* Entries are numbers from 1 on; 0 ends a chain */
template <enum form form>
__global__ void insert(unsigned *head, unsigned *locks, unsigned *link, unsigned long long *keys,
		       unsigned chains, unsigned threads, unsigned rounds, unsigned seed)
{
	if (my_number() >= threads)
		return;
	for (unsigned round = 0; round < rounds; round++) {
		unsigned entry = round * threads + my_number() + 1;
		unsigned long long key = key_of(seed, entry);
		unsigned chain = chain_of(key, chains);

		keys[entry] = key;
		atomically<form>(locks, chain, [&] {
			link[entry] = head[chain];
			head[chain] = entry;
		});
	}
}

static bool check(const struct options *o, const unsigned *head, const unsigned *link,
		  const unsigned long long *keys, unsigned entries)
{
	bool *seen = host_array<bool>(entries + 1);
	unsigned found = 0;

	for (unsigned chain = 0; chain < o->work.size; chain++)
		for (unsigned entry = head[chain]; entry; entry = link[entry]) {
			if (entry > entries || seen[entry])
				return wrong("entry %u is in the table twice, or none", entry);
			if (keys[entry] != key_of(o->seed, entry) ||
			    chain_of(keys[entry], o->work.size) != chain)
				return wrong("entry %u is in chain %u, or has another key", entry,
					     chain);
			seen[entry] = true;
			found++;
		}
	free(seen);
	return found == entries || wrong("%u of %u keys are in the table", found, entries);
}

static bool run(const struct options *o, unsigned long *sections)
{
	static void (*const forms[])(unsigned *, unsigned *, unsigned *, unsigned long long *,
				     unsigned, unsigned, unsigned, unsigned) = ALL_FORMS(insert);
	unsigned entries = o->work.threads * o->work.rounds;
	unsigned *head = host_array<unsigned>(o->work.size);
	unsigned *link = host_array<unsigned>(entries + 1);
	unsigned long long *keys = host_array<unsigned long long>(entries + 1);
	unsigned *heads = device_array<unsigned>(o->work.size, NULL);
	unsigned *links = device_array<unsigned>(entries + 1, NULL);
	unsigned long long *all = device_array<unsigned long long>(entries + 1, NULL);

	launch(o, forms, o->work.threads, heads, device_array<unsigned>(o->work.size, NULL), links,
	       all, o->work.size, o->work.threads, o->work.rounds, o->seed);
	to_host(head, heads, o->work.size);
	to_host(link, links, entries + 1);
	to_host(keys, all, entries + 1);
	*sections = entries;
	return check(o, head, link, keys, entries);
}

int main(int argc, char **argv)
{
	static const struct workload works[] = {
		{ "HT-H", 8000, 23040, 4 }, { "HT-M", 80000, 23040, 4 },
		{ "HT-L", 800000, 23040, 4 },
	};

	return run_workload(works, run, argc, argv);
}
