/* SPDX-License-Identifier: MIT */
/* Races of shared memory: between the warps of a block, and between the lanes of a warp. */
#include "cases.h"

#define N 128

__global__ void k_missing_barrier(int *out)
{
	__shared__ int s[N];

	s[threadIdx.x] = threadIdx.x;			/* missing_barrier 1 */
	out[threadIdx.x] = s[N - 1 - threadIdx.x];	/* missing_barrier 2 */
}

static void missing_barrier(void)
{
	k_missing_barrier<<<1, N>>>(ints(N));
	done();
}

__global__ void k_read_then_write(int *out)
{
	__shared__ int s[N];
	int v;

	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	v = s[(threadIdx.x + 40) % N];	/* read_then_write 1 */
	s[threadIdx.x] = v + 1;		/* read_then_write 2 */
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x];
}

static void read_then_write(void)
{
	k_read_then_write<<<1, N>>>(ints(N));
	done();
}

__global__ void k_reduction(int *out)
{
	__shared__ int s[N];

	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	for (int d = N / 2; d > 0; d /= 2) {
		if (threadIdx.x < d)
			s[threadIdx.x] += s[threadIdx.x + d];	/* reduction 12 */
	}
	out[threadIdx.x] = threadIdx.x ? 0 : s[0];		/* reduction 2 */
}

static void reduction(void)
{
	k_reduction<<<1, N>>>(ints(N));
	done();
}

/* A scan with a barrier behind the write of a step, but none in front of it. */
__global__ void k_scan_war(int *out)
{
	__shared__ int s[N];

	s[threadIdx.x] = 1;
	__syncthreads();
	for (int d = 1; d < N; d *= 2) {
		int v = s[threadIdx.x];

		if (threadIdx.x >= d)
			v += s[threadIdx.x - d];	/* scan_war 1 */
		s[threadIdx.x] = v;			/* scan_war 2 */
		__syncthreads();
	}
	out[threadIdx.x] = s[threadIdx.x];
}

static void scan_war(void)
{
	k_scan_war<<<1, N>>>(ints(N));
	done();
}

__global__ void k_tile_reload(const int *in, int *out)
{
	__shared__ int tile[N];
	int sum = 0;

	for (int t = 0; t < 4; t++) {
		tile[threadIdx.x] = in[t * N + threadIdx.x] + t;	/* tile_reload 1 */
		__syncthreads();
		for (int k = 0; k < N; k++)
			sum += tile[k];					/* tile_reload 2 */
	}
	out[threadIdx.x] = sum;
}

static void tile_reload(void)
{
	k_tile_reload<<<1, N>>>(ints(4 * N), ints(N));
	done();
}

__global__ void k_warp_exchange(int *out)
{
	__shared__ int s[32];

	s[threadIdx.x] = threadIdx.x;		/* warp_exchange 1 */
	out[threadIdx.x] = s[31 - threadIdx.x];	/* warp_exchange 2 */
}

static void warp_exchange(void)
{
	k_warp_exchange<<<1, 32>>>(ints(32));
	done();
}

__global__ void k_warp_broadcast(int *out)
{
	__shared__ int s;

	if (threadIdx.x == 0)
		s = out[0] + 5;		/* warp_broadcast 1 */
	out[threadIdx.x] = s;		/* warp_broadcast 2 */
}

static void warp_broadcast(void)
{
	k_warp_broadcast<<<1, 32>>>(ints(32));
	done();
}

__global__ void k_warp_war(int *out)
{
	__shared__ int s[32];
	int v;

	s[threadIdx.x] = threadIdx.x;
	__syncwarp();
	v = s[threadIdx.x ^ 1];		/* warp_war 1 */
	s[threadIdx.x] = v;		/* warp_war 2 */
	__syncwarp();
	out[threadIdx.x] = s[threadIdx.x ^ 3];
}

static void warp_war(void)
{
	k_warp_war<<<1, 32>>>(ints(32));
	done();
}

/* One instruction, different values, one place: which one stays is open. */
__global__ void k_one_instruction(int *out)
{
	__shared__ int s[4];

	s[threadIdx.x & 3] = threadIdx.x;	/* one_instruction 12 */
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x & 3];
}

static void one_instruction(void)
{
	k_one_instruction<<<1, 32>>>(ints(32));
	done();
}

__global__ void k_narrow_mask(int *out)
{
	__shared__ int s[32];

	s[threadIdx.x] = threadIdx.x;			/* narrow_mask 1 */
	if (threadIdx.x < 16)
		__syncwarp(0xffff);
	else
		__syncwarp(0xffff0000);
	out[threadIdx.x] = s[threadIdx.x ^ 16];		/* narrow_mask 2 */
}

static void narrow_mask(void)
{
	k_narrow_mask<<<1, 32>>>(ints(32));
	done();
}

#define BARRIER(id, threads) asm volatile("bar.sync " #id ", " #threads ";" : : : "memory")

/* Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2: nothing orders the two pairs. */
__global__ void k_wrong_barrier(int *out)
{
	__shared__ int s[64];

	if (threadIdx.x < 64) {
		s[threadIdx.x] = threadIdx.x;			/* wrong_barrier 1 */
		BARRIER(1, 64);
	} else {
		BARRIER(2, 64);
		out[threadIdx.x] = s[threadIdx.x - 64];		/* wrong_barrier 2 */
	}
}

static void wrong_barrier(void)
{
	k_wrong_barrier<<<1, N>>>(ints(N));
	done();
}

/* The barrier is for two warps of three. */
__global__ void k_short_barrier(int *out)
{
	__shared__ int s[32];

	if (threadIdx.x < 32)
		s[threadIdx.x] = threadIdx.x;			/* short_barrier 1 */
	if (threadIdx.x < 64)
		BARRIER(3, 64);
	out[threadIdx.x] = s[threadIdx.x % 32];			/* short_barrier 2 */
}

static void short_barrier(void)
{
	k_short_barrier<<<1, 96>>>(ints(96));
	done();
}

/* Half of each warp goes to the barrier, the other half writes. */
__global__ void k_divergent_barrier(int *out)
{
	__shared__ int s[N];

	if (threadIdx.x & 16)
		s[threadIdx.x] = threadIdx.x;			/* divergent_barrier 1 */
	else
		__syncthreads();
	out[threadIdx.x] = s[(threadIdx.x + 48) % N | 16];	/* divergent_barrier 2 */
}

static void divergent_barrier(void)
{
	k_divergent_barrier<<<1, N>>>(ints(N));
	done();
}

__global__ void k_atomic_and_read(int *out)
{
	__shared__ int sum;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, 1);		/* atomic_and_read 1 */
	out[threadIdx.x] = sum;		/* atomic_and_read 2 */
}

static void atomic_and_read(void)
{
	k_atomic_and_read<<<1, N>>>(ints(N));
	done();
}

__global__ void k_missing_init_barrier(int *out)
{
	__shared__ int count;

	if (threadIdx.x == 0)
		count = 7;			/* missing_init_barrier 1 */
	atomicAdd(&count, 1);			/* missing_init_barrier 2 */
	__syncthreads();
	out[threadIdx.x] = count;
}

static void missing_init_barrier(void)
{
	k_missing_init_barrier<<<1, N>>>(ints(N));
	done();
}

__global__ void k_shared_flag(int *out)
{
	__shared__ int data;
	__shared__ volatile int flag;

	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		data = 42;			/* shared_flag 1 */
		flag = 1;
	} else if (threadIdx.x == 32) {
		while (!flag)
			;
		__threadfence_block();
		out[0] = data;			/* shared_flag 2 */
	}
}

static void shared_flag(void)
{
	k_shared_flag<<<1, 64>>>(ints(1));
	done();
}

__global__ void k_dynamic(int *out)
{
	extern __shared__ int dynamic_words[];

	dynamic_words[threadIdx.x] = threadIdx.x;			/* dynamic_memory 1 */
	out[threadIdx.x] = dynamic_words[(threadIdx.x + 32) % N];	/* dynamic_memory 2 */
}

static void dynamic_memory(void)
{
	k_dynamic<<<1, N, N * sizeof(int)>>>(ints(N));
	done();
}

__global__ void k_bytes(int *out)
{
	__shared__ char s[N];

	s[threadIdx.x] = (char)threadIdx.x;		/* single_bytes 1 */
	out[threadIdx.x] = s[threadIdx.x ^ 32];		/* single_bytes 2 */
}

static void single_bytes(void)
{
	k_bytes<<<1, N>>>(ints(N));
	done();
}

/* Threads write vectors; others read one word of each. */
__global__ void k_vectors(int *out)
{
	__shared__ int4 s[64];

	asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};"	/* vector_words 1 */
		     : : "l"(__cvta_generic_to_shared(&s[threadIdx.x])), "r"(threadIdx.x)
		     : "memory");
	out[threadIdx.x] = ((const int *)s)[4 * (threadIdx.x ^ 32) + 3];	/* vector_words 2 */
}

static void vector_words(void)
{
	k_vectors<<<1, 64>>>(ints(64));
	done();
}

/* Two buffers, but the next one is filled while others still read it: one barrier too few. */
__global__ void k_double_buffer(int *out)
{
	__shared__ int s[2][N];
	int sum = 0;

	for (int t = 0; t < 6; t++) {
		s[t & 1][threadIdx.x] = t + threadIdx.x;		/* double_buffer 1 */
		if (t & 1)
			__syncthreads();
		sum += s[t & 1][(threadIdx.x + 64) % N];		/* double_buffer 2 */
	}
	out[threadIdx.x] = sum;
}

static void double_buffer(void)
{
	k_double_buffer<<<1, N>>>(ints(N));
	done();
}

/* A shuffle moves a register; what memory holds it does not order. */
__global__ void k_shuffle_only(int *out)
{
	__shared__ int s[32];
	int v = threadIdx.x;

	s[threadIdx.x] = v;				/* shuffle_only 1 */
	v = __shfl_sync(0xffffffff, v, 3);
	out[threadIdx.x] = s[(threadIdx.x + v) % 32];	/* shuffle_only 2 */
}

static void shuffle_only(void)
{
	k_shuffle_only<<<1, 32>>>(ints(32));
	done();
}

/* Several threads each take themselves for the only one that writes. */
__global__ void k_leader(int *out)
{
	__shared__ int best;

	if (threadIdx.x == 0)
		best = 0;
	__syncthreads();
	if (threadIdx.x % 40 == 3)
		best = threadIdx.x;		/* several_leaders 12 */
	__syncthreads();
	out[threadIdx.x] = best;
}

static void several_leaders(void)
{
	k_leader<<<1, N>>>(ints(N));
	done();
}

/* The reduction of a warp as before sm_70: volatile does not hold its lanes together. */
__global__ void k_old_reduction(int *out)
{
	__shared__ volatile int s[64];

	s[threadIdx.x] = threadIdx.x;
	s[threadIdx.x + 32] = threadIdx.x;
	__syncwarp();
	s[threadIdx.x] += s[threadIdx.x + 16];	/* old_reduction 12 */
	s[threadIdx.x] += s[threadIdx.x + 8];	/* old_reduction 12 */
	out[threadIdx.x] = s[threadIdx.x];
}

static void old_reduction(void)
{
	k_old_reduction<<<1, 32>>>(ints(32));
	done();
}

int main(int argc, char **argv)
{
	static const struct race_case cases[] = {
		CASE(missing_barrier),
		CASE(read_then_write),
		CASE(reduction),
		CASE(scan_war),
		CASE(tile_reload),
		CASE(warp_exchange),
		CASE(warp_broadcast),
		CASE(warp_war),
		CASE(one_instruction),
		CASE(narrow_mask),
		CASE(wrong_barrier),
		CASE(short_barrier),
		CASE(divergent_barrier),
		CASE(atomic_and_read),
		CASE(missing_init_barrier),
		CASE(shared_flag),
		CASE(dynamic_memory),
		CASE(single_bytes),
		CASE(vector_words),
		CASE(double_buffer),
		CASE(shuffle_only),
		CASE(several_leaders),
		CASE(old_reduction),
	};

	return run_case(cases, argc, argv);
}
