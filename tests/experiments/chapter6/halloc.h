/* SPDX-License-Identifier: MIT */
/*
 * An allocator for kernels that places memory as Halloc does (A. V. Adinetz, D. Pleiter, "Halloc: a
 * high-throughput dynamic memory allocator for GPGPU architectures", 2014), for figure 6.14: the
 * programs of table 4.2 come with Halloc and allocate by it. Written anew after its description and
 * its published defaults. Where memory lies decides how many pages threads touch at the same time.
 *
 * Memory is slabs of 4 MB, each for blocks of one size: 16, 24, 32, 48, ... 3072 bytes. All threads
 * allocate from one slab of each size, its head. The allocations of a size are counted; one after
 * the other begin to look 11 blocks apart, small ones in groups of up to four. Who finds the block
 * in use looks again some way further on. When 83.5 % of the head are in use another slab becomes
 * the head.
 *
 * Left out: larger allocations, the sizes of allocations (a slab has one size), and that slabs
 * become heads again: nothing here frees what it keeps.
 */
#ifndef TESTS_EXPERIMENTS_HALLOC_H
#define TESTS_EXPERIMENTS_HALLOC_H

#include "common.h"

#define HALLOC_SLAB	(4u << 20)
#define HALLOC_CLASSES	16u
#define HALLOC_LEAST	16u
#define HALLOC_WORDS	(HALLOC_SLAB / HALLOC_LEAST / 32)
#define HALLOC_APART	11u
#define HALLOC_TRIES	31u
#define HALLOC_STEP	64u

/**
 * struct halloc - an allocator; a parameter of kernels
 * @memory: the slabs; NULL: there is no allocator
 * @bits: of each slab HALLOC_WORDS words, a bit for each block in use
 * @used: of each slab, its blocks in use
 * @size_of: of each slab, its class
 * @turns: of each class, allocations so far
 * @heads: of each class, 1 + the slab that is filled; 0: none yet
 * @locks: of each class, whether somebody replaces its head
 * @taken: slabs that have been a head
 * @slabs: how many there are
 * @steps: of each class, how far on one looks at most: a prime
 */
struct halloc {
	unsigned char *memory;
	unsigned *bits;
	unsigned *used;
	unsigned *size_of;
	unsigned *turns;
	unsigned *heads;
	unsigned *locks;
	unsigned *taken;
	unsigned slabs;
	unsigned steps[HALLOC_CLASSES];
};

__host__ __device__ static inline unsigned halloc_size(unsigned cls)
{
	return (cls & 1 ? 3 : 2) << (cls / 2 + 3);
}

__host__ __device__ static inline unsigned halloc_group(unsigned cls)
{
	return cls < 2 ? 4 : cls < 4 ? 2 : 1;
}

__host__ __device__ static inline unsigned halloc_blocks(unsigned cls)
{
	return HALLOC_SLAB / halloc_size(cls) / halloc_group(cls) * halloc_group(cls);
}

__device__ static inline unsigned halloc_class(unsigned bytes)
{
	unsigned cls = 0;

	while (halloc_size(cls) < bytes)
		cls++;
	return cls;
}

/* Adds one for each lane that has the same counter, in one atomic; returns what it was before. */
__device__ static inline unsigned halloc_count(unsigned *counters, unsigned index)
{
	unsigned same = __match_any_sync(__activemask(), index), leader = __ffs(same) - 1;
	unsigned lane = threadIdx.x % 32, old = 0;

	if (lane == leader)
		old = atomicAdd(&counters[index], __popc(same));
	return __shfl_sync(same, old, leader) + __popc(same & ((1u << lane) - 1));
}

__device__ static inline unsigned halloc_busy(unsigned cls)
{
	return (unsigned)(halloc_blocks(cls) * 835ull / 1000);
}

/*
 * Have another head in the place of @seen if that is busy, by one lane of a warp. Returns the head;
 * 0: it is busy, and no slab is left.
 */
__device__ static inline unsigned halloc_replace(const halloc &h, unsigned cls, unsigned seen)
{
	volatile unsigned *head = &h.heads[cls], *lock = &h.locks[cls], *used = h.used;
	unsigned slab = 0;

	if (atomicCAS(&h.locks[cls], 0u, 1u)) {
		while (*head == seen && *lock)
			;
		return *head;
	}
	if (*head == seen && (!seen || used[seen - 1] >= halloc_busy(cls))) {
		slab = atomicAdd(h.taken, 1u);
		if (slab < h.slabs) {
			h.size_of[slab] = cls;
			__threadfence();
			*head = slab + 1;
		}
	}
	__threadfence();
	*lock = 0;
	return slab < h.slabs ? *head : 0;
}

__device__ static inline void *halloc_get(const halloc &h, size_t bytes)
{
	unsigned cls = halloc_class((unsigned)bytes), group = halloc_group(cls);
	unsigned n = halloc_blocks(cls), busy = halloc_busy(cls), tries = 0;
	unsigned turn = halloc_count(h.turns, cls), head = *(volatile unsigned *)&h.heads[cls];
	unsigned first = ((turn & ~(group - 1)) * HALLOC_APART + (turn & (group - 1))) % n;
	unsigned at = first;
	void *memory = NULL;

	for (;;) {
		bool full = !head;

		while (!full) {
			unsigned slab = head - 1, bit = 1u << at % 32;

			if (!(atomicOr(&h.bits[slab * HALLOC_WORDS + at / 32], bit) & bit)) {
				memory = h.memory + (size_t)slab * HALLOC_SLAB +
					 (size_t)at * halloc_size(cls);
				full = halloc_count(h.used, slab) + 1 == busy;
				break;
			}
			full = tries % 2 && *(volatile unsigned *)&h.used[slab] >= busy;
			tries++;
			at = (first + tries * (tries * HALLOC_STEP % h.steps[cls])) % n;
			full = full || tries % (HALLOC_TRIES + 1) == HALLOC_TRIES;
		}
		if (full) {
			unsigned same = __match_any_sync(__activemask(), cls);
			unsigned leader = __ffs(same) - 1, next = 0;

			if (threadIdx.x % 32 == leader)
				next = halloc_replace(h, cls, head);
			head = __shfl_sync(same, next, leader);
		}
		if (memory || !head)
			return memory;
	}
}

__device__ static inline void halloc_put(const halloc &h, void *memory)
{
	size_t offset = (unsigned char *)memory - h.memory;
	unsigned slab = (unsigned)(offset / HALLOC_SLAB);
	unsigned at = (unsigned)(offset % HALLOC_SLAB) / halloc_size(h.size_of[slab]);

	atomicAnd(&h.bits[slab * HALLOC_WORDS + at / 32], ~(1u << at % 32));
	atomicSub(&h.used[slab], 1u);
}

static inline bool halloc_prime(unsigned n)
{
	for (unsigned d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n > 1;
}

/* An allocator of so many slabs, which nobody has touched. */
static inline halloc halloc_new(unsigned slabs)
{
	halloc h = {};
	size_t words = slabs * (HALLOC_WORDS + 2) + 3 * HALLOC_CLASSES + 1;
	unsigned *all;

	CHECK(cudaMalloc((void **)&h.memory, (size_t)slabs * HALLOC_SLAB));
	CHECK(cudaMalloc((void **)&all, words * sizeof(*all)));
	CHECK(cudaMemset(all, 0, words * sizeof(*all)));
	h.slabs = slabs;
	h.bits = all;
	h.used = h.bits + slabs * HALLOC_WORDS;
	h.size_of = h.used + slabs;
	h.turns = h.size_of + slabs;
	h.heads = h.turns + HALLOC_CLASSES;
	h.locks = h.heads + HALLOC_CLASSES;
	h.taken = h.locks + HALLOC_CLASSES;
	for (unsigned cls = 0; cls < HALLOC_CLASSES; cls++) {
		unsigned n = halloc_blocks(cls), step = n / 256 + n / 64;

		while (step > 2 && (!halloc_prime(step) || n % step == 0))
			step--;
		h.steps[cls] = step;
	}
	return h;
}

#endif
