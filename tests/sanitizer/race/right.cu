/* SPDX-License-Identifier: MIT */
/* Programs that look like those with races and have none: nothing may be reported of them. */
#include "cases.h"

#define N	128
#define BLOCKS	6

__device__ int data, flag, tickets, lock, next_ticket, serving, counter;
__device__ int words[BLOCKS * N];
__device__ volatile int volatile_words[BLOCKS];

static void clear(void)
{
	static const int zeros[BLOCKS * N] = {};

	CHECK(cudaMemcpyToSymbol(data, zeros, 4));
	CHECK(cudaMemcpyToSymbol(flag, zeros, 4));
	CHECK(cudaMemcpyToSymbol(tickets, zeros, 4));
	CHECK(cudaMemcpyToSymbol(lock, zeros, 4));
	CHECK(cudaMemcpyToSymbol(next_ticket, zeros, 4));
	CHECK(cudaMemcpyToSymbol(serving, zeros, 4));
	CHECK(cudaMemcpyToSymbol(counter, zeros, 4));
	CHECK(cudaMemcpyToSymbol(words, zeros, sizeof(zeros)));
}

#define SIMPLE(name, blocks, threads)                            \
	static void name(void)                                   \
	{                                                        \
		clear();                                         \
		k_##name<<<blocks, threads>>>(ints(BLOCKS * N)); \
		done();                                          \
	}

#define BARRIER(id, threads) asm volatile("bar.sync " #id ", " #threads ";" : : : "memory")

__global__ void k_barriers(int *out)
{
	__shared__ int s[N];

	for (int t = 0; t < 3; t++) {
		s[threadIdx.x] = threadIdx.x + t;
		__syncthreads();
		out[blockIdx.x * N + threadIdx.x] += s[N - 1 - threadIdx.x];
		__syncthreads();
	}
}
SIMPLE(barriers, BLOCKS, N)

/* atomicAdd(), atomicMax() of other types, as the CUDA guide makes them of atomicCAS() */
__device__ static void add(double *p, double x)
{
	unsigned long long *words = (unsigned long long *)p, old = *words, assumed;

	do {
		assumed = old;
		old = atomicCAS(words, assumed,
				(unsigned long long)__double_as_longlong(
					x + __longlong_as_double((long long)assumed)));
	} while (assumed != old);
}

__device__ static void maximum(float *p, float x)
{
	int *word = (int *)p, old = *word, assumed;

	while (__int_as_float(old) < x) {
		assumed = old;
		old = atomicCAS(word, assumed, __float_as_int(x));
		if (old == assumed)
			break;
	}
}

__global__ void k_compare_loops(int *out)
{
	__shared__ double sum;
	__shared__ float most;

	if (threadIdx.x == 0) {
		sum = 0;
		most = 0;
	}
	__syncthreads();
	add(&sum, threadIdx.x);
	maximum(&most, threadIdx.x % 7);
	maximum((float *)(out + 16), blockIdx.x);
	__syncthreads();
	if (threadIdx.x == 0)
		add((double *)out, sum + most);
}
SIMPLE(compare_loops, BLOCKS, N)

__global__ void k_reduction(int *out)
{
	__shared__ int s[N];

	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	for (int d = N / 2; d > 0; d /= 2) {
		if (threadIdx.x < d)
			s[threadIdx.x] += s[threadIdx.x + d];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = s[0];
}
SIMPLE(reduction, BLOCKS, N)

__global__ void k_double_buffer(int *out)
{
	__shared__ int s[2][N];
	int sum = 0;

	for (int t = 0; t < 6; t++) {
		s[t & 1][threadIdx.x] = t + threadIdx.x;
		__syncthreads();
		sum += s[t & 1][(threadIdx.x + 64) % N];
	}
	out[threadIdx.x] = sum;
}
SIMPLE(double_buffer, 1, N)

__global__ void k_warps(int *out)
{
	__shared__ int s[N];
	int v = threadIdx.x, lane = threadIdx.x % 32, first = threadIdx.x - lane;

	for (int d = 16; d > 0; d /= 2) {
		s[threadIdx.x] = v;
		__syncwarp();
		v += s[first + (lane ^ d)];
		__syncwarp();
	}
	out[threadIdx.x] = v;
}
SIMPLE(warps, 1, N)

/* Halves of a warp with masks of their own, each in a branch */
__global__ void k_half_warps(int *out)
{
	__shared__ int s[32];

	s[threadIdx.x] = threadIdx.x;
	if (threadIdx.x < 16) {
		__syncwarp(0xffff);
		out[threadIdx.x] = s[15 - threadIdx.x];
	} else {
		__syncwarp(0xffff0000);
		out[threadIdx.x] = s[47 - threadIdx.x];
	}
	__syncwarp();
	s[threadIdx.x ^ 16] = 7;
}
SIMPLE(half_warps, 1, 32)

__global__ void k_shuffles(int *out)
{
	int v = threadIdx.x;

	for (int d = 16; d > 0; d /= 2)
		v += __shfl_xor_sync(0xffffffff, v, d);
	out[blockIdx.x * N + threadIdx.x] = v;
}
SIMPLE(shuffles, BLOCKS, N)

/* Producers and consumers at named barriers */
__global__ void k_named_barriers(int *out)
{
	__shared__ int s[64];

	for (int t = 0; t < 4; t++) {
		if (threadIdx.x < 64) {
			s[threadIdx.x] = t;
			BARRIER(1, 128);
			BARRIER(2, 128);
		} else {
			BARRIER(1, 128);
			out[threadIdx.x] += s[threadIdx.x - 64];
			BARRIER(2, 128);
		}
	}
}
SIMPLE(named_barriers, 1, N)

__global__ void k_two_pairs(int *out)
{
	__shared__ int s[N];
	int pair = threadIdx.x / 64;

	s[threadIdx.x] = threadIdx.x;
	if (pair)
		BARRIER(1, 64);
	else
		BARRIER(2, 64);
	out[threadIdx.x] = s[threadIdx.x ^ 32];
}
SIMPLE(two_pairs, 1, N)

__global__ void k_histogram(int *out)
{
	__shared__ int s[16];

	if (threadIdx.x < 16)
		s[threadIdx.x] = 0;
	__syncthreads();
	for (int i = 0; i < 10; i++)
		atomicAdd(&s[(threadIdx.x * 7 + i) % 16], 1);
	__syncthreads();
	if (threadIdx.x < 16)
		atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}
SIMPLE(histogram, BLOCKS, N)

__global__ void k_lock_fences(int *out)
{
	if (threadIdx.x == 0) {
		while (atomicCAS(&lock, 0, 1) != 0)
			;
		__threadfence();
		*out += 1;
		__threadfence();
		atomicExch(&lock, 0);
	}
}
SIMPLE(lock_fences, BLOCKS, 64)

/* Every lane of every warp takes it. */
__global__ void k_lanes_lock(int *out)
{
	bool mine = false;

	while (!mine) {
		if (atomicCAS(&lock, 0, 1) == 0) {
			__threadfence();
			*out += 1;
			__threadfence();
			atomicExch(&lock, 0);
			mine = true;
		}
	}
}
SIMPLE(lanes_lock, 3, 64)

__global__ void k_ticket_lock(int *out)
{
	volatile int *now = &serving;
	int mine;

	if (threadIdx.x)
		return;
	mine = atomicAdd(&next_ticket, 1);
	while (*now != mine)
		;
	__threadfence();
	*out += mine;
	__threadfence();
	*now = mine + 1;
}
SIMPLE(ticket_lock, BLOCKS, 32)

/* The sample of the CUDA guide: no fence behind the ticket, but a barrier. */
__global__ void k_last_block(int *out)
{
	__shared__ bool last;

	if (threadIdx.x == 0) {
		words[blockIdx.x] = blockIdx.x;
		__threadfence();
		last = atomicInc((unsigned *)&tickets, gridDim.x) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x < gridDim.x)
		out[threadIdx.x] = words[threadIdx.x];
}
SIMPLE(last_block, BLOCKS, 64)

/* All threads fence, then one of them takes the ticket behind a barrier. */
__global__ void k_all_fence(int *out)
{
	__shared__ bool last;

	words[blockIdx.x * N + threadIdx.x] = 1;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicAdd(&tickets, 1) == (int)gridDim.x - 1;
	__syncthreads();
	if (last)
		for (int b = 0; b < BLOCKS; b++)
			out[threadIdx.x] += words[b * N + threadIdx.x];
}
SIMPLE(all_fence, BLOCKS, N)

__global__ void k_volatile_results(int *out)
{
	__shared__ bool last;

	if (threadIdx.x == 0) {
		volatile_words[blockIdx.x] = blockIdx.x;
		__threadfence();
		last = atomicAdd(&tickets, 1) == (int)gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x < gridDim.x)
		out[threadIdx.x] = volatile_words[threadIdx.x];
}
SIMPLE(volatile_results, BLOCKS, 64)

__global__ void k_flag_fences(int *out)
{
	volatile int *f = &flag;

	if (blockIdx.x == 0) {
		data = 42;
		__threadfence();
		*f = 1;
	} else {
		while (!*f)
			;
		__threadfence();
		out[blockIdx.x] = data;
	}
}
SIMPLE(flag_fences, BLOCKS, 1)

__global__ void k_block_flag(int *out)
{
	__shared__ int item;
	__shared__ volatile int there;

	if (threadIdx.x == 0)
		there = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		item = 42;
		__threadfence_block();
		there = 1;
	} else if (threadIdx.x == 32) {
		while (!there)
			;
		__threadfence_block();
		out[0] = item;
	}
}
SIMPLE(block_flag, 1, 64)

/* Orders of PTX instead of fences */
__global__ void k_ptx_orders(int *out)
{
	if (blockIdx.x == 0) {
		data = 42;
		asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(&flag), "r"(1) : "memory");
	} else {
		int seen;

		do
			asm volatile("ld.acquire.gpu.u32 %0, [%1];"
				     : "=r"(seen) : "l"(&flag) : "memory");
		while (!seen);
		out[blockIdx.x] = data;
	}
}
SIMPLE(ptx_orders, BLOCKS, 1)

/* Each block waits for the one before it and adds what that knew. */
__global__ void k_look_back(int *out)
{
	__shared__ int before;

	if (threadIdx.x == 0) {
		int sum = 0;

		if (blockIdx.x) {
			volatile int *f = &words[blockIdx.x - 1];

			while (!*f)
				;
			__threadfence();
			sum = out[blockIdx.x - 1];
		}
		before = sum;
		out[blockIdx.x] = sum + 1;
		__threadfence();
		*(volatile int *)&words[blockIdx.x] = 1;
	}
	__syncthreads();
	out[BLOCKS + blockIdx.x * 64 + threadIdx.x] = before;
}
SIMPLE(look_back, BLOCKS, 64)

__global__ void k_grid_barrier(int *out)
{
	for (int t = 1; t <= 3; t++) {
		words[blockIdx.x * 64 + threadIdx.x] = t;
		__syncthreads();
		if (threadIdx.x == 0) {
			__threadfence();
			atomicAdd(&tickets, 1);
			while (atomicAdd(&tickets, 0) < (2 * t - 1) * (int)gridDim.x)
				;
			__threadfence();
		}
		__syncthreads();
		out[blockIdx.x * 64 + threadIdx.x] +=
			words[(blockIdx.x + 1) % gridDim.x * 64 + threadIdx.x];
		__syncthreads();
		if (threadIdx.x == 0) {
			__threadfence();
			atomicAdd(&tickets, 1);
			while (atomicAdd(&tickets, 0) < 2 * t * (int)gridDim.x)
				;
			__threadfence();
		}
		__syncthreads();
	}
}
SIMPLE(grid_barrier, 4, 64)

/* What is written is the same whoever writes it. */
__global__ void k_same_value(int *out)
{
	__shared__ int any;

	if (threadIdx.x == 0)
		any = 0;
	__syncthreads();
	if (threadIdx.x % 3 == 0)
		any = 1;
	__syncthreads();
	if (any)
		*out = 1;
}
SIMPLE(same_value, BLOCKS, N)

__global__ void k_neighbours(int *out)
{
	__shared__ __align__(4) char s[N];

	s[threadIdx.x] = (char)threadIdx.x;
	((char *)out)[blockIdx.x * N + threadIdx.x] = s[threadIdx.x];
	((short *)words)[blockIdx.x * N + threadIdx.x] = s[threadIdx.x];
	__syncthreads();
	out[1000 / 4 + blockIdx.x] = ((int *)s)[blockIdx.x];
}
SIMPLE(neighbours, 4, N)

/* Threads that have exited are not waited for. */
__global__ void k_early_exit(int *out)
{
	__shared__ int s[N];

	s[threadIdx.x] = threadIdx.x;
	if (threadIdx.x >= 70)
		return;
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x + 50];
}
SIMPLE(early_exit, 1, N)

__global__ void k_block_atomics(int *out)
{
	int *mine = out + blockIdx.x * 4;

	atomicAdd_block(mine, 1);
	__syncthreads();
	if (threadIdx.x == 0)
		mine[1] = *mine;
}
SIMPLE(block_atomics, BLOCKS, 64)

__global__ void k_float_max(int *out)
{
	int old = *(volatile int *)out, seen;

	do {
		seen = old;
		old = atomicCAS(out, seen, seen < (int)threadIdx.x ? threadIdx.x : seen);
	} while (old != seen);
}
SIMPLE(float_max, BLOCKS, 64)

__global__ void k_count(int *out)
{
	__shared__ int s[N];

	s[threadIdx.x] = threadIdx.x % 3;
	if (__syncthreads_count(threadIdx.x & 1) == N / 2)
		out[threadIdx.x] = s[threadIdx.x ^ 64];
}
SIMPLE(count, 1, N)

__global__ void k_stop_flag(int *out)
{
	__shared__ volatile int stop;

	if (threadIdx.x == 0)
		stop = 0;
	__syncthreads();
	if (threadIdx.x == 70) {
		out[0] = 1;
		stop = 1;
	}
	while (!stop)
		;
}
SIMPLE(stop_flag, 1, N)

/* What a block reads of others was there before the kernel; it writes only its own. */
__global__ void k_apart(int *out)
{
	int next = (blockIdx.x + 1) % gridDim.x;

	out[blockIdx.x * N + threadIdx.x] = words[next * N + threadIdx.x];
}
SIMPLE(apart, BLOCKS, N)

/* Items behind an index that is published with a fence */
__global__ void k_queue(int *out)
{
	if (blockIdx.x == 0) {
		for (int i = 0; i < 4; i++) {
			words[i] = i + 1;
			__threadfence();
			atomicAdd(&tickets, 1);
		}
	} else {
		for (int i = 0; i < 4; i++) {
			while (atomicAdd(&tickets, 0) <= i)
				;
			__threadfence();
			out[blockIdx.x * 4 + i] = words[i];
		}
	}
}
SIMPLE(queue, 3, 1)

/* Both lanes of a pair, one after the other, with a vote that says who is done */
__global__ void k_branches(int *out)
{
	__shared__ int s[32];

	if (threadIdx.x & 1)
		s[threadIdx.x] = 1;
	__syncwarp();
	if (!(threadIdx.x & 1))
		s[threadIdx.x] = s[threadIdx.x + 1];
	__syncwarp();
	out[threadIdx.x] = s[threadIdx.x ^ 2];
}
SIMPLE(branches, 1, 32)

__global__ void put(int *p, int v)
{
	p[threadIdx.x] = v + threadIdx.x;
}

__global__ void get(const int *p, int *out)
{
	out[threadIdx.x] = p[threadIdx.x];
}

static cudaStream_t stream(unsigned flags)
{
	cudaStream_t s;

	CHECK(cudaStreamCreateWithFlags(&s, flags));
	return s;
}

static void stream_order(void)
{
	int *p = ints(N), *out = ints(N), *host;
	cudaStream_t a = stream(cudaStreamNonBlocking);

	CHECK(cudaMallocHost(&host, N * sizeof(int)));
	for (int i = 0; i < 3; i++) {
		CHECK(cudaMemcpyAsync(p, host, N * sizeof(int), cudaMemcpyHostToDevice, a));
		put<<<1, N, 0, a>>>(p, i);
		get<<<1, N, 0, a>>>(p, out);
		CHECK(cudaMemcpyAsync(host, out, N * sizeof(int), cudaMemcpyDeviceToHost, a));
		CHECK(cudaMemsetAsync(p, 0, N * sizeof(int), a));
	}
	done();
}

static void events(void)
{
	int *p = ints(N), *out = ints(N);
	cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);
	cudaEvent_t there, back;

	CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));
	for (int i = 0; i < 4; i++) {
		put<<<1, N, 0, a>>>(p, i);
		CHECK(cudaEventRecord(there, a));
		CHECK(cudaStreamWaitEvent(b, there, 0));
		get<<<1, N, 0, b>>>(p, out);
		CHECK(cudaEventRecord(back, b));
		CHECK(cudaStreamWaitEvent(a, back, 0));
	}
	done();
}

/* By way of a third stream */
static void event_chain(void)
{
	int *p = ints(N), *out = ints(N), *other = ints(N);
	cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking),
		     c = stream(cudaStreamNonBlocking);
	cudaEvent_t one, two;

	CHECK(cudaEventCreate(&one));
	CHECK(cudaEventCreate(&two));
	put<<<1, N, 0, a>>>(p, 1);
	CHECK(cudaEventRecord(one, a));
	CHECK(cudaStreamWaitEvent(c, one, 0));
	put<<<1, N, 0, c>>>(other, 1);
	CHECK(cudaEventRecord(two, c));
	CHECK(cudaStreamWaitEvent(b, two, 0));
	get<<<1, N, 0, b>>>(p, out);
	done();
}

static void host_waits(void)
{
	int *p = ints(N), *out = ints(N);
	cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);
	cudaEvent_t e;

	CHECK(cudaEventCreate(&e));
	put<<<1, N, 0, a>>>(p, 1);
	CHECK(cudaStreamSynchronize(a));
	get<<<1, N, 0, b>>>(p, out);
	CHECK(cudaEventRecord(e, b));
	CHECK(cudaEventSynchronize(e));
	put<<<1, N, 0, a>>>(p, 2);
	CHECK(cudaDeviceSynchronize());
	get<<<1, N, 0, b>>>(p, out);
	done();
}

static void host_polls(void)
{
	int *p = ints(N), *out = ints(N);
	cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);

	put<<<1, N, 0, a>>>(p, 1);
	while (cudaStreamQuery(a) == cudaErrorNotReady)
		;
	get<<<1, N, 0, b>>>(p, out);
	done();
}

/* The default stream waits for the others, and they for it. */
static void default_stream(void)
{
	int *p = ints(N), *out = ints(N);
	cudaStream_t a = stream(cudaStreamDefault), b = stream(cudaStreamDefault);

	put<<<1, N, 0, a>>>(p, 1);
	get<<<1, N>>>(p, out);
	put<<<1, N, 0, b>>>(p, 2);
	get<<<1, N>>>(p, out);
	put<<<1, N, 0, a>>>(p, 3);
	done();
}

static void both_read(void)
{
	int *p = ints(N), *out = ints(N), *more = ints(N);
	cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);

	get<<<1, N, 0, a>>>(p, out);
	get<<<1, N, 0, b>>>(p, more);
	done();
}

static void halves(void)
{
	int *p = ints(2 * N);
	cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);

	put<<<1, N, 0, a>>>(p, 1);
	put<<<1, N, 0, b>>>(p + N, 1);
	done();
}

/* Memory that comes back is another's. */
static void freed_memory(void)
{
	cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);

	for (int i = 0; i < 4; i++) {
		int *p;

		CHECK(cudaMalloc(&p, N * sizeof(*p)));
		put<<<1, N, 0, i & 1 ? a : b>>>(p, i);
		CHECK(cudaFree(p));
	}
	done();
}

static void managed(void)
{
	int *p, *out = ints(N);

	CHECK(cudaMallocManaged(&p, N * sizeof(int)));
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < N; k++)
			p[k] = k;
		put<<<1, N>>>(p, i);
		get<<<1, N>>>(p, out);
		CHECK(cudaDeviceSynchronize());
		if (p[5] != i + 5)
			exit(1);
	}
	done();
}

/* Each lane of the upper half waits for one of the lower half, by a word each, and answers. */
__global__ void k_lane_flags(int *out)
{
	__shared__ volatile int slot[16], full[16];
	int lane = threadIdx.x, pair = lane < 16 ? lane : 31 - lane, sum = 0;

	if (lane < 16)
		full[lane] = 0;
	__syncwarp();
	for (int n = 1; n <= 3; n++) {
		while (full[pair] != lane / 16)
			;
		__threadfence_block();
		if (lane < 16)
			slot[pair] = n;
		else
			sum += slot[pair];
		__threadfence_block();
		full[pair] = lane < 16;
	}
	out[lane] = sum;
}
SIMPLE(lane_flags, 1, 32)

int main(int argc, char **argv)
{
	static const struct race_case cases[] = {
		CASE(barriers),
		CASE(compare_loops),
		CASE(reduction),
		CASE(double_buffer),
		CASE(warps),
		CASE(half_warps),
		CASE(shuffles),
		CASE(named_barriers),
		CASE(two_pairs),
		CASE(histogram),
		CASE(lock_fences),
		CASE(lanes_lock),
		CASE(lane_flags),
		CASE(ticket_lock),
		CASE(last_block),
		CASE(all_fence),
		CASE(volatile_results),
		CASE(flag_fences),
		CASE(block_flag),
		CASE(ptx_orders),
		CASE(look_back),
		CASE(grid_barrier),
		CASE(same_value),
		CASE(neighbours),
		CASE(early_exit),
		CASE(block_atomics),
		CASE(float_max),
		CASE(count),
		CASE(stop_flag),
		CASE(apart),
		CASE(queue),
		CASE(branches),
		CASE(stream_order),
		CASE(events),
		CASE(event_chain),
		CASE(host_waits),
		CASE(host_polls),
		CASE(default_stream),
		CASE(both_read),
		CASE(halves),
		CASE(freed_memory),
		CASE(managed),
	};

	return run_case(cases, argc, argv);
}
