/* SPDX-License-Identifier: MIT */
/*
 * heap: memory that a kernel allocates, in device memory without copies. Each thread, warp or block
 * allocates ROUNDS times, and its threads write all 128-byte lines of what it got. With "arena" the
 * memory is from a counter instead of malloc(), which costs little: what is left is page faults.
 *
 * usage: heap [PATTERN [BLOCKS-OF-THREADS]]	patterns: see below
 */
#include "chapter6.h"

#define THREADS 128
#define ROUNDS 4
#define LINE (128 / sizeof(unsigned))

static const struct pattern {
	const char *name;
	/* threads that share what one of them allocates, and its bytes */
	unsigned group, bytes;
	/* each is freed before the next is allocated */
	bool freed;
	bool arena;
	int blocks;
} patterns[] = {
	{ "small", 1, 64, false, false, 256 },
	{ "large", 1, 1024, false, false, 32 },
	{ "free", 1, 64, true, false, 256 },
	{ "warp", 32, 4096, false, false, 256 },
	{ "block", THREADS, 65536, false, false, 256 },
	{ "arena", THREADS, 65536, false, true, 256 },
};

struct item {
	item *next;
	unsigned words[];
};

__device__ static unsigned char *arena;
__device__ static unsigned long long arena_used;

__device__ static void *from_arena(unsigned bytes)
{
	return arena + atomicAdd(&arena_used, (unsigned long long)bytes);
}

__global__ void allocate(pattern how, unsigned long long *sum)
{
	__shared__ item *shared[THREADS];
	unsigned words = (how.bytes - sizeof(item)) / sizeof(unsigned);
	unsigned member = threadIdx.x % how.group, leader = threadIdx.x - member;
	unsigned id = blockIdx.x * THREADS + threadIdx.x, last = 0;
	unsigned long long mine = 0;
	item *list = NULL, *block;

	for (unsigned n = 0; n < ROUNDS; n++) {
		if (!member)
			shared[leader] = (item *)(how.arena ? from_arena(how.bytes) :
							      malloc(how.bytes));
		__syncthreads();
		block = shared[leader];
		if (!block)
			return;
		if (!member)
			block->next = list;
		for (unsigned i = member * LINE; i < words; i += how.group * LINE) {
			block->words[i] = id + n;
			last = i;
		}
		list = block;
		mine += how.freed ? block->words[last] : 0;
		__syncthreads();
		if (how.freed && !member)
			free(block);
	}
	for (; !how.freed && list; list = list->next)
		mine += list->words[last];
	sum[id] = mine;
}

static const pattern *find_pattern(const char *name)
{
	for (const pattern &p : patterns)
		if (!strcmp(p.name, name))
			return &p;
	fprintf(stderr, "heap: no pattern '%s'; see the head of heap.cu\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const pattern *how = find_pattern(argc > 1 ? argv[1] : "small");
	int skip = argc > 1, blocks;
	unsigned long long *sum, *got;
	unsigned char *memory = NULL;
	size_t threads, need;

	blocks = (int)parse_size(argc - skip, argv + skip, "heap", "blocks of threads", how->blocks,
				 1, 4096);
	threads = (size_t)blocks * THREADS;
	need = threads / how->group * ROUNDS * how->bytes;
	sum = device_new<unsigned long long>(threads);
	got = (unsigned long long *)host_alloc(threads * sizeof(*got));
	CHECK(cudaMemset(sum, 0, threads * sizeof(*sum)));
	if (how->arena)
		memory = device_new<unsigned char>(need);
	else
		CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * need + (1 << 20)));
	CHECK(cudaMemcpyToSymbol(arena, &memory, sizeof(memory)));
	start_kernel();
	allocate<<<blocks, THREADS>>>(*how, sum);
	end_kernel();
	host_from(got, sum, threads);
	for (size_t id = 0; id < threads; id++)
		expect_same("sum", (long)id, got[id],
			    (unsigned long long)(ROUNDS * id + ROUNDS * (ROUNDS - 1) / 2));
	return finish();
}
