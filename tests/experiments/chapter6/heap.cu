/* SPDX-License-Identifier: MIT */
/*
 * heap: many small allocations by the threads of a kernel, and their first use (Tanasic 6.5.4). One
 * launch of blocks of 128 threads is measured.
 *
 * The three programs of table 4.2, which come with Halloc:
 *	strings	a string of the two strings of 31 characters that each thread has already
 *	graph	a vertex with one to eight edges at random, in a list
 *	points	an element of a list, which goes to the front of the list of one of 32^3 cells
 * and three patterns after its measurements of throughput:
 *	phase	four times 16 bytes, written; to be freed in another phase
 *	mixed	the same with 16 to 128 bytes: half as many of twice the size
 *	private	four times 16 bytes, freed again, twice
 *
 * Memory is from malloc(), or from an allocator that places it as Halloc does (halloc.h). A second
 * kernel, which is not measured, reads everything again.
 *
 * usage: heap [PATTERN[-halloc] [BLOCKS-OF-THREADS]]
 */
#include "chapter6.h"
#include "halloc.h"

#define THREADS 128
#define EACH 4
#define SIDE 32
#define CELLS (SIDE * SIDE * SIDE)
#define DEGREE 8
#define WORD sizeof(unsigned long long)
#define LENGTH 31

struct item {
	item *next;
	unsigned id;
};

/* What the threads share: memory for each of them, and the lists of the cells. */
struct place {
	unsigned long long **pointers;
	item **cells;
	unsigned *fails;
	unsigned n;
	halloc from;
};

__host__ __device__ static inline unsigned mix(unsigned seed)
{
	seed ^= seed >> 16;
	seed *= 0x85ebca6bu;
	seed ^= seed >> 13;
	seed *= 0xc2b2ae35u;
	return seed ^ seed >> 16;
}

/* For allocation i of thread id. */
__host__ __device__ static inline unsigned random_of(unsigned id, unsigned i)
{
	return mix(id * 9 + i + 1);
}

__device__ static inline void *get(const place &p, size_t bytes)
{
	void *memory;

	memory = p.from.memory ? halloc_get(p.from, bytes) : malloc(bytes);
	if (!memory)
		atomicAdd(p.fails, 1);
	return memory;
}

__device__ static inline void put(const place &p, void *memory)
{
	if (p.from.memory)
		halloc_put(p.from, memory);
	else
		free(memory);
}

/* ---- strings ------------------------------------------------------------ */

__device__ static unsigned long long *new_string(const place &p, char of)
{
	unsigned long long *s = (unsigned long long *)get(p, LENGTH + 1);

	for (unsigned i = 0; s && i < (LENGTH + 1) / WORD; i++)
		s[i] = 0x0101010101010101ull * of >> (i == LENGTH / WORD ? 8 : 0);
	return s;
}

/* The two strings of a thread, by a kernel of their own. */
__device__ static void make_strings(const place &p, unsigned id)
{
	p.pointers[id] = new_string(p, 'a' + id % 16);
	p.pointers[p.n + id] = new_string(p, 'A' + id % 16);
}

/* The byte of the terminating zero in a word; 8: there is none. */
__device__ static inline unsigned end_of(unsigned long long word)
{
	unsigned long long high = 0x8080808080808080ull;
	unsigned long long zeros = (word - 0x0101010101010101ull) & ~word & high;

	return zeros ? (__ffsll(zeros) - 1) / 8 : WORD;
}

__device__ static inline unsigned length_of(const unsigned long long *s)
{
	unsigned n = 0, end;

	do {
		end = end_of(*s++);
		n += end;
	} while (end == WORD);
	return n;
}

/* Word by word. */
__device__ static void strings(const place &p, unsigned id)
{
	const unsigned long long *a = p.pointers[id], *b = p.pointers[p.n + id];
	unsigned long long *both, word, rest = 0;
	unsigned end;

	if (!a || !b)
		return;
	both = (unsigned long long *)get(p, length_of(a) + length_of(b) + 1);
	p.pointers[2 * p.n + id] = both;
	if (!both)
		return;
	for (end = end_of(*a); end == WORD; end = end_of(*a))
		*both++ = *a++;
	if (end)
		rest = *a;
	for (;;) {
		unsigned bits = 8 * end;

		word = *b++;
		*both++ = rest | word << bits;
		rest = bits ? word >> (64 - bits) : 0;
		if (end_of(word) == WORD)
			continue;
		if (end_of(word) + end >= WORD)
			*both = rest;
		break;
	}
}

__device__ static bool strings_right(const place &p, unsigned id)
{
	const char *s = (const char *)p.pointers[2 * p.n + id];

	for (unsigned i = 0; i < 2 * LENGTH; i++)
		if (s[i] != (i < LENGTH ? 'a' : 'A') + (char)(id % 16))
			return false;
	return !s[2 * LENGTH];
}

/* ---- lists -------------------------------------------------------------- */

__device__ static void points(const place &p, unsigned id)
{
	item *mine = (item *)get(p, sizeof(item));

	if (!mine)
		return;
	mine->id = id;
	mine->next = (item *)atomicExch((unsigned long long *)&p.cells[random_of(id, 0) % CELLS],
					(unsigned long long)mine);
}

/* Each is in the list of its cell. */
__device__ static bool points_right(const place &p, unsigned id)
{
	const item *at = p.cells[random_of(id, 0) % CELLS];

	while (at && at->id != id)
		at = at->next;
	return at;
}

__device__ static void graph(const place &p, unsigned id)
{
	item *edges = NULL;

	for (unsigned i = 0; i <= random_of(id, 0) % DEGREE; i++) {
		item *edge = (item *)get(p, sizeof(item));

		if (!edge)
			return;
		edge->id = random_of(id, 1 + i) % p.n;
		edge->next = edges;
		edges = edge;
	}
	p.pointers[id] = (unsigned long long *)edges;
}

__device__ static bool graph_right(const place &p, unsigned id)
{
	const item *edge = (const item *)p.pointers[id];

	for (unsigned i = random_of(id, 0) % DEGREE + 1; i; i--, edge = edge->next)
		if (!edge || edge->id != random_of(id, i) % p.n)
			return false;
	return !edge;
}

/* ---- phases ------------------------------------------------------------- */

__device__ static unsigned bytes_of(bool mixed, unsigned id, unsigned i)
{
	unsigned random = random_of(id, i), size = 16;

	for (; mixed && random % 2 && size < 128; random /= 2)
		size *= 2;
	return size;
}

__device__ static void allocate(const place &p, unsigned id, bool mixed)
{
	for (unsigned i = 0; i < EACH; i++) {
		unsigned bytes = bytes_of(mixed, id, i);
		unsigned long long *memory = (unsigned long long *)get(p, bytes);

		if (!memory)
			return;
		for (unsigned at = 0; at < bytes / WORD; at++)
			memory[at] = id + i;
		p.pointers[i * p.n + id] = memory;
	}
}

__device__ static bool allocated_right(const place &p, unsigned id, bool mixed)
{
	for (unsigned i = 0; i < EACH; i++) {
		const unsigned long long *memory = p.pointers[i * p.n + id];

		for (unsigned at = 0; at < bytes_of(mixed, id, i) / WORD; at++)
			if (memory[at] != id + i)
				return false;
	}
	return true;
}

__device__ static void freed(const place &p, unsigned id)
{
	for (unsigned round = 0; round < 2; round++) {
		allocate(p, id, false);
		for (unsigned i = 0; i < EACH; i++)
			put(p, p.pointers[i * p.n + id]);
	}
}

/* ---- all ---------------------------------------------------------------- */

enum pattern { STRINGS, POINTS, GRAPH, PHASE, MIXED, PRIVATE, PATTERNS };

static const char *const names[PATTERNS] = { "strings", "points", "graph",
					     "phase",	"mixed",  "private" };

__global__ void heap(place p, int pattern)
{
	unsigned id = blockIdx.x * THREADS + threadIdx.x;

	switch (pattern) {
	case STRINGS:
		strings(p, id);
		break;
	case POINTS:
		points(p, id);
		break;
	case GRAPH:
		graph(p, id);
		break;
	case PHASE:
		allocate(p, id, false);
		break;
	case MIXED:
		allocate(p, id, true);
		break;
	case PRIVATE:
		freed(p, id);
		break;
	}
}

__global__ void check(place p, int pattern, unsigned *wrong)
{
	unsigned id = blockIdx.x * THREADS + threadIdx.x;
	bool right = true;

	switch (pattern) {
	case STRINGS:
		right = strings_right(p, id);
		break;
	case POINTS:
		right = points_right(p, id);
		break;
	case GRAPH:
		right = graph_right(p, id);
		break;
	case PHASE:
		right = allocated_right(p, id, false);
		break;
	case MIXED:
		right = allocated_right(p, id, true);
		break;
	}
	if (!right)
		atomicAdd(wrong, 1);
}

__global__ void prepare(place p)
{
	make_strings(p, blockIdx.x * THREADS + threadIdx.x);
}

/* Of the first @length characters. */
static int find_pattern(const char *name, size_t length)
{
	for (int i = 0; i < PATTERNS; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return i;
	fprintf(stderr, "heap: no pattern '%s'; see the head of heap.cu\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "strings", *dash = strchr(name, '-');
	bool by_halloc = dash && !strcmp(dash, "-halloc");
	int pattern = find_pattern(name, by_halloc ? dash - name : strlen(name)), skip = argc > 1;
	/* an SM has room for 16: four rounds */
	int blocks = (int)parse_size(argc - skip, argv + skip, "heap", "blocks of threads", 1024, 1,
				     8192);
	unsigned n = blocks * THREADS, *counts = device_new<unsigned>(2), got[2];
	place p = { device_new<unsigned long long *>((size_t)n * EACH),
		    device_new<item *>(CELLS),
		    counts,
		    n,
		    {} };

	if (by_halloc)
		p.from = halloc_new(n / (HALLOC_SLAB / 512) + 16);
	CHECK(cudaMemset(counts, 0, 2 * sizeof(*counts)));
	CHECK(cudaMemset(p.cells, 0, CELLS * sizeof(*p.cells)));
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)n * 256 + (16 << 20)));
	if (pattern == STRINGS) {
		prepare<<<blocks, THREADS>>>(p);
		CHECK_LAUNCH();
	}
	start_kernel();
	heap<<<blocks, THREADS>>>(p, pattern);
	end_kernel();
	host_from(got, counts, 2);
	expect_same("failed", pattern, got[0], 0u);
	if (!got[0]) {
		check<<<blocks, THREADS>>>(p, pattern, counts + 1);
		CHECK_LAUNCH();
	}
	host_from(got, counts, 2);
	expect_same("wrong", pattern, got[1], 0u);
	return finish();
}
