/* SPDX-License-Identifier: MIT */
/*
 * heap: what the benchmarks that come with Halloc do (Tanasic 6.5.4), on the allocator of malloc()
 *in kernels, in one launch each of blocks of 128 threads: many small allocations, and their first
 *use.
 *
 *	strings	two strings of 31 characters, and a third one of both
 *	points	an element of a list, which goes to the front of the list of one of 32 x 32 x 32
 *cells graph	a vertex with one to eight edges at random, in a list phase	four times 16 bytes,
 *written; they are freed in another phase, which is not measured mixed	the same with 16 to 512
 *bytes: half as many of twice the size private	four times 16 bytes, freed again, twice
 *
 * A second kernel, which is not measured, reads everything again.
 *
 * Halloc takes a slot of 4 MB at random for each allocation, ours the next free one. With SPREAD in
 *the environment memory is not from malloc(), but every 64 bytes a slot at random in 4 MB, until
 *all are taken.
 *
 * usage: heap [PATTERN [BLOCKS-OF-THREADS]]
 */
#include "chapter6.h"

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
	unsigned char *spread;
	unsigned *slots;
};

#define SLAB (4 << 20)
#define SLOT 64

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

	if (p.spread) {
		unsigned slot = atomicAdd(p.slots, 1), in = slot % (SLAB / SLOT);

		/* an odd factor and a power of two: each slot once */
		return p.spread + (size_t)(slot - in) * SLOT + in * 40503u % (SLAB / SLOT) * SLOT;
	}
	memory = malloc(bytes);
	if (!memory)
		atomicAdd(p.fails, 1);
	return memory;
}

/* ---- strings ------------------------------------------------------------ */

__device__ static char *new_string(const place &p, char of)
{
	char *s = (char *)get(p, LENGTH + 1);

	if (!s)
		return NULL;
	for (unsigned i = 0; i < (LENGTH + 1) / WORD; i++)
		((unsigned long long *)s)[i] = 0x0101010101010101ull * of;
	s[LENGTH] = 0;
	return s;
}

__device__ static void strings(const place &p, unsigned id)
{
	char *a = new_string(p, 'a' + id % 16), *b = new_string(p, 'A' + id % 16), *both;
	unsigned n = 0;

	both = (char *)get(p, 2 * LENGTH + 1);
	if (!a || !b || !both)
		return;
	for (const char *from = a; *from; from++)
		both[n++] = *from;
	for (const char *from = b; *from; from++)
		both[n++] = *from;
	both[n] = 0;
	p.pointers[id] = (unsigned long long *)both;
}

__device__ static bool strings_right(const place &p, unsigned id)
{
	const char *s = (const char *)p.pointers[id];

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
			free(p.pointers[i * p.n + id]);
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

static int find_pattern(const char *name)
{
	for (int i = 0; i < PATTERNS; i++)
		if (!strcmp(names[i], name))
			return i;
	fprintf(stderr, "heap: no pattern '%s'; see the head of heap.cu\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	int pattern = find_pattern(argc > 1 ? argv[1] : "strings"), skip = argc > 1;
	/* an SM has room for 16: four rounds */
	int blocks = (int)parse_size(argc - skip, argv + skip, "heap", "blocks of threads", 1024, 1,
				     8192);
	unsigned n = blocks * THREADS, *counts = device_new<unsigned>(3), got[2];
	place p = { device_new<unsigned long long *>((size_t)n * EACH),
		    device_new<item *>(CELLS),
		    counts,
		    n,
		    NULL,
		    counts + 2 };

	if (getenv("SPREAD")) {
		/* of the patterns whose allocations fit */
		EXPECT(pattern != MIXED && pattern != PRIVATE);
		p.spread = device_new<unsigned char>((size_t)n * (DEGREE + 1) * SLOT + SLAB);
	}
	CHECK(cudaMemset(counts, 0, 3 * sizeof(*counts)));
	CHECK(cudaMemset(p.cells, 0, CELLS * sizeof(*p.cells)));
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)n * 256 + (16 << 20)));
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
