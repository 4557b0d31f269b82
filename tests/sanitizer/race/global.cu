/* SPDX-License-Identifier: MIT */
/* Races of global memory in one kernel: between blocks, between warps, and inside a warp. */
#include "cases.h"

#define N	128
#define BLOCKS	6

__device__ int data, flag, tickets, lock_a, lock_b, counter;
__device__ int words[BLOCKS * N];

static void clear(void)
{
	static const int zeros[BLOCKS * N] = {};

	CHECK(cudaMemcpyToSymbol(data, zeros, 4));
	CHECK(cudaMemcpyToSymbol(flag, zeros, 4));
	CHECK(cudaMemcpyToSymbol(tickets, zeros, 4));
	CHECK(cudaMemcpyToSymbol(lock_a, zeros, 4));
	CHECK(cudaMemcpyToSymbol(lock_b, zeros, 4));
	CHECK(cudaMemcpyToSymbol(counter, zeros, 4));
	CHECK(cudaMemcpyToSymbol(words, zeros, sizeof(zeros)));
}

#define SIMPLE(name, blocks, threads)                \
	static void name(void)                       \
	{                                            \
		clear();                             \
		k_##name<<<blocks, threads>>>(ints(BLOCKS * N)); \
		done();                              \
	}

__global__ void k_blocks_write(int *out)
{
	if (threadIdx.x == 0)
		out[0] = blockIdx.x;			/* blocks_write 12 */
}
SIMPLE(blocks_write, BLOCKS, 32)

__global__ void k_blocks_read(int *out)
{
	int next = (blockIdx.x + 1) % gridDim.x;

	words[blockIdx.x * N + threadIdx.x] = 1;		/* blocks_read 1 */
	__syncthreads();
	out[blockIdx.x * N + threadIdx.x] = words[next * N + threadIdx.x];	/* blocks_read 2 */
}
SIMPLE(blocks_read, BLOCKS, N)

/* Every element from its old neighbours, in place. */
__global__ void k_in_place(int *out)
{
	int i = blockIdx.x * N + threadIdx.x, left, right;

	left = i > 0 ? out[i - 1] : 0;				/* in_place 1 */
	right = i < BLOCKS * N - 1 ? out[i + 1] : 0;		/* in_place 1 */
	out[i] = left + right + 1;				/* in_place 2 */
}
SIMPLE(in_place, BLOCKS, N)

__global__ void k_block_atomics(int *out)
{
	asm volatile("red.relaxed.cta.global.add.u32 [%0], 1;"	/* block_atomics 12 */
		     : : "l"(out) : "memory");
}
SIMPLE(block_atomics, BLOCKS, 32)

__global__ void k_atomic_then_read(int *out)
{
	atomicAdd(&counter, 1);					/* atomic_then_read 1 */
	out[blockIdx.x * 32 + threadIdx.x] = counter;		/* atomic_then_read 2 */
}
SIMPLE(atomic_then_read, BLOCKS, 32)

__global__ void k_reset_in_kernel(int *out)
{
	if (blockIdx.x == 0 && threadIdx.x == 0)
		counter = 1;					/* reset_in_kernel 1 */
	out[blockIdx.x * 32 + threadIdx.x] = atomicAdd(&counter, 1);	/* reset_in_kernel 2 */
}
SIMPLE(reset_in_kernel, BLOCKS, 32)

/* Block 0 hands data to block 1. Of each case something else is missing. */
#define WAIT_FOR(f)				\
	while (atomicAdd(&(f), 0) == 0)		\
		;

__global__ void k_no_release(int *out)
{
	if (blockIdx.x == 0) {
		data = 42;			/* no_release 1 */
		atomicExch(&flag, 1);
	} else {
		WAIT_FOR(flag);
		__threadfence();
		out[0] = data;			/* no_release 2 */
	}
}
SIMPLE(no_release, 2, 1)

__global__ void k_no_acquire(int *out)
{
	if (blockIdx.x == 0) {
		data = 42;			/* no_acquire 1 */
		__threadfence();
		atomicExch(&flag, 1);
	} else {
		WAIT_FOR(flag);
		out[0] = data;			/* no_acquire 2 */
	}
}
SIMPLE(no_acquire, 2, 1)

__global__ void k_fence_of_block(int *out)
{
	if (blockIdx.x == 0) {
		data = 42;			/* fence_of_block 1 */
		__threadfence_block();
		atomicExch(&flag, 1);
	} else {
		WAIT_FOR(flag);
		__threadfence();
		out[0] = data;			/* fence_of_block 2 */
	}
}
SIMPLE(fence_of_block, 2, 1)

__global__ void k_flag_first(int *out)
{
	if (blockIdx.x == 0) {
		__threadfence();
		atomicExch(&flag, 1);
		data = 42;			/* flag_first 1 */
	} else {
		WAIT_FOR(flag);
		__threadfence();
		out[0] = data;			/* flag_first 2 */
	}
}
SIMPLE(flag_first, 2, 1)

/* The flag is an ordinary variable: fences order nothing then, and it is a race itself. */
__global__ void k_plain_flag(int *out)
{
	if (blockIdx.x == 0) {
		data = 42;
		__threadfence();
		flag = 1;			/* plain_flag 1 */
		__threadfence();
	} else {
		out[0] = flag;			/* plain_flag 2 */
	}
}
SIMPLE(plain_flag, 2, 1)

__global__ void k_plain_flag_data(int *out)
{
	if (blockIdx.x == 0) {
		data = 42;			/* plain_flag_data 1 */
		__threadfence();
		flag = 1;
	} else {
		out[0] = data;			/* plain_flag_data 2 */
	}
}
SIMPLE(plain_flag_data, 2, 1)

__global__ void k_volatile_flag(int *out)
{
	volatile int *f = &flag;

	if (blockIdx.x == 0) {
		data = 42;			/* volatile_flag 1 */
		*f = 1;
	} else {
		while (!*f)
			;
		out[0] = data;			/* volatile_flag 2 */
	}
}
SIMPLE(volatile_flag, 2, 1)

__device__ void take(int *lock)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	__threadfence();
}

__device__ void drop(int *lock)
{
	__threadfence();
	atomicExch(lock, 0);
}

__global__ void k_wrong_lock(int *out)
{
	int *lock = blockIdx.x % 2 ? &lock_a : &lock_b;

	take(lock);
	*out += 1;				/* wrong_lock 12 */
	drop(lock);
}
SIMPLE(wrong_lock, BLOCKS, 1)

__global__ void k_lock_without_fences(int *out)
{
	while (atomicCAS(&lock_a, 0, 1) != 0)
		;
	*out += 1;				/* lock_without_fences 12 */
	atomicExch(&lock_a, 0);
}
SIMPLE(lock_without_fences, BLOCKS, 1)

__global__ void k_after_unlock(int *out)
{
	int v;

	take(&lock_a);
	v = *out;				/* after_unlock 1 */
	drop(&lock_a);
	*out = v + 1;				/* after_unlock 12 */
}
SIMPLE(after_unlock, BLOCKS, 1)

/* The lanes of a warp in turn, but what they count is behind the lock. */
__global__ void k_lanes_lock(int *out)
{
	bool mine = false;

	while (!mine) {
		if (atomicCAS(&lock_a, 0, 1) == 0) {
			__threadfence();
			*out += 1;
			drop(&lock_a);
			out[1] += 1;		/* lanes_lock 12 */
			mine = true;
		}
	}
}
SIMPLE(lanes_lock, 1, 32)

/* The last block adds up what the others wrote, and nobody made it visible. */
__global__ void k_last_block(int *out)
{
	__shared__ int last;

	if (threadIdx.x == 0) {
		words[blockIdx.x] = blockIdx.x;			/* last_block 1 */
		last = atomicAdd(&tickets, 1) == (int)gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x < gridDim.x)
		out[threadIdx.x] = words[threadIdx.x];		/* last_block 2 */
}
SIMPLE(last_block, BLOCKS, 64)

/* Thread 0 says that the block has written, but has not waited for it. */
__global__ void k_early_ticket(int *out)
{
	__shared__ int last;

	words[blockIdx.x * N + threadIdx.x] = 1;		/* early_ticket 1 */
	__threadfence();
	if (threadIdx.x == 0)
		last = atomicAdd(&tickets, 1) == (int)gridDim.x - 1;
	__syncthreads();
	if (last)
		for (int b = 0; b < BLOCKS; b++)
			out[threadIdx.x] += words[b * N + threadIdx.x];	/* early_ticket 2 */
}
SIMPLE(early_ticket, BLOCKS, N)

/* A barrier over the grid whose threads do not wait for each other in front of it. */
__global__ void k_grid_barrier(int *out)
{
	words[blockIdx.x * 64 + threadIdx.x] = 1;		/* grid_barrier 1 */
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(&tickets, 1);
		while (atomicAdd(&tickets, 0) < (int)gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
	out[blockIdx.x * 64 + threadIdx.x] =
		words[(blockIdx.x ^ 1) * 64 + threadIdx.x];	/* grid_barrier 2 */
}
SIMPLE(grid_barrier, 2, 64)

__global__ void k_slot_by_plain_count(int *out)
{
	int slot = counter++;					/* slot_by_plain_count 12 */

	out[BLOCKS + slot] = 1;
}
SIMPLE(slot_by_plain_count, BLOCKS, 1)

__global__ void k_histogram(int *out)
{
	out[(threadIdx.x * 7 + blockIdx.x) % 5]++;		/* histogram 12 */
}
SIMPLE(histogram, BLOCKS, N)

/* The item is written behind the index that says it is there. */
__global__ void k_queue(int *out)
{
	if (blockIdx.x == 0) {
		int slot = atomicAdd(&tickets, 1);

		__threadfence();
		words[slot] = 42;				/* queue 1 */
	} else {
		WAIT_FOR(tickets);
		__threadfence();
		out[0] = words[0];				/* queue 2 */
	}
}
SIMPLE(queue, 2, 1)

/* One block writes bytes, its neighbour the whole word. */
__global__ void k_byte_in_word(int *out)
{
	if (blockIdx.x == 0)
		((char *)out)[threadIdx.x] = 1;			/* byte_in_word 1 */
	else if (threadIdx.x == 0)
		out[7] = 0x10101010 + blockIdx.x;		/* byte_in_word 2 */
}
SIMPLE(byte_in_word, 2, 32)

__global__ void k_read_then_others_write(int *out)
{
	if (blockIdx.x == 0)
		out[100 + threadIdx.x] = out[threadIdx.x];	/* read_then_others_write 1 */
	else if (blockIdx.x == BLOCKS - 1)
		out[31 - threadIdx.x] = 5;			/* read_then_others_write 2 */
}
SIMPLE(read_then_others_write, BLOCKS, 32)

/* Everybody reads, then one of the readers writes. */
__global__ void k_common_word(int *out)
{
	int v = words[0];					/* common_word 1 */

	__syncthreads();
	if (blockIdx.x == 2 && threadIdx.x == 0)
		words[0] = v + 1;				/* common_word 2 */
	out[blockIdx.x * 32 + threadIdx.x] = v;
}
SIMPLE(common_word, BLOCKS, 32)

/* A level of a search marks what others of the level still read. */
__global__ void k_frontier(int *out)
{
	int i = blockIdx.x * N + threadIdx.x, next = i * 6 % (BLOCKS * N);

	if (!out[next])						/* frontier 1 */
		out[next] = i + 1;				/* frontier 12 */
}
SIMPLE(frontier, BLOCKS, N)

/* Lanes of a warp by way of global memory */
__global__ void k_lanes_in_global(int *out)
{
	out[threadIdx.x] = threadIdx.x;				/* lanes_in_global 1 */
	words[threadIdx.x] = out[threadIdx.x ^ 1];		/* lanes_in_global 2 */
}
SIMPLE(lanes_in_global, 1, 32)

/* Block 1 waits for the flag of block 0, but block 2 wrote the data. */
__global__ void k_other_writer(int *out)
{
	if (blockIdx.x == 0) {
		__threadfence();
		atomicExch(&flag, 1);
	} else if (blockIdx.x == 2) {
		data = 42;			/* other_writer 1 */
		__threadfence();
		atomicExch(&counter, 1);
	} else {
		WAIT_FOR(flag);
		__threadfence();
		out[0] = data;			/* other_writer 2 */
	}
}
SIMPLE(other_writer, 3, 1)

int main(int argc, char **argv)
{
	static const struct race_case cases[] = {
		CASE(blocks_write),
		CASE(blocks_read),
		CASE(in_place),
		CASE(block_atomics),
		CASE(atomic_then_read),
		CASE(reset_in_kernel),
		CASE(no_release),
		CASE(no_acquire),
		CASE(fence_of_block),
		CASE(flag_first),
		CASE(plain_flag),
		CASE(plain_flag_data),
		CASE(volatile_flag),
		CASE(wrong_lock),
		CASE(lock_without_fences),
		CASE(after_unlock),
		CASE(lanes_lock),
		CASE(last_block),
		CASE(early_ticket),
		CASE(grid_barrier),
		CASE(slot_by_plain_count),
		CASE(histogram),
		CASE(queue),
		CASE(byte_in_word),
		CASE(read_then_others_write),
		CASE(common_word),
		CASE(frontier),
		CASE(lanes_in_global),
		CASE(other_writer),
	};

	return run_case(cases, argc, argv);
}
