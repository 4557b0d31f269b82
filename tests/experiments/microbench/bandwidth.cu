/* SPDX-License-Identifier: MIT */
/*
 * bandwidth: what the levels of the memory hierarchy and of translation deliver to one SM and to
 * all, and what limits how many misses are in flight. Loads that need nothing of each other, of
 * many warps; first so many, then twice as many.
 */
#include "microbench.h"

#define SMS	16	/* table 6.1; less, if the device has less */

/* ---- loads of a warp ----------------------------------------------------------------------- */

enum how { CACHED, PASSING };	/* may enter the L1, or not */

template <how HOW, int OFFSET = 0>
__device__ static inline unsigned int load(unsigned long long at)
{
	unsigned int value;

	if (HOW == CACHED)
		asm volatile("ld.global.u32 %0, [%1+%2];"
			     : "=r"(value) : "l"(at), "n"(OFFSET) : "memory");
	else
		asm volatile("ld.global.cg.u32 %0, [%1+%2];"
			     : "=r"(value) : "l"(at), "n"(OFFSET) : "memory");
	return value;
}

/* Where it is written, or the compiler would do all that at the end. */
__device__ static inline void add(unsigned int &sum, unsigned int value)
{
	asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum) : "r"(value));
}

/*
 * COUNT loads, of which each is STEP bytes behind the one before, and behind the last of LAP the
 * first again. A result is used 8 loads later: an instruction beside each load, so that the warp
 * scheduler, which takes one warp a cycle and stops at a load, can keep up with a load a cycle.
 */
template <how HOW, int COUNT, int LAP, int STEP, int N = 0>
__device__ static inline void loads(unsigned long long at, unsigned int *v, unsigned int &sum)
{
	if constexpr (N < COUNT) {
		add(sum, v[N % 8]);
		v[N % 8] = load<HOW, N % LAP * STEP>(at);
		loads<HOW, COUNT, LAP, STEP, N + 1>(at, v, sum);
	}
}

/* The same; all of them are done when it is */
template <how HOW, int COUNT, int LAP, int STEP>
__device__ static inline void sum_loads(unsigned long long at, unsigned int &sum)
{
	unsigned int v[8] = {};

	loads<HOW, COUNT, LAP, STEP>(at, v, sum);
#pragma unroll
	for (int k = 0; k < 8; k++)
		add(sum, v[k]);
}

/* ---- where a warp loads -------------------------------------------------------------------- */

/**
 * struct area - the bytes of a kernel
 * @block, @warp: bytes from one to the next
 * @lane: bytes from a lane to the next, of @lines lines; 0: all lanes load the same word
 * @started: counts blocks
 * @times: of each block: begin and end of both parts
 */
struct area {
	char *memory;
	unsigned int block, warp, lane, lines;
	unsigned int *started;
	long long *times;
};

__device__ static inline unsigned long long address_of(const area &a)
{
	unsigned int lane = threadIdx.x % 32;

	return (unsigned long long)a.memory + (unsigned long long)blockIdx.x * a.block +
	       threadIdx.x / 32 * a.warp + lane % a.lines * LINE + lane / a.lines * a.lane;
}

/* Until all blocks are here, for the @time th time: each has an SM of its own. */
__device__ static inline void meet(const area &a, unsigned int time)
{
	__syncthreads();
	if (!threadIdx.x) {
		atomicAdd(a.started, 1u);
		while (*(volatile unsigned int *)a.started < time * gridDim.x)
			;
	}
	__syncthreads();
}

/* A part of the kernel is written down; @sum makes that its loads are made. */
__device__ static inline void write_times(const area &a, const long long *t, unsigned int sum)
{
	if (!threadIdx.x)
		for (int n = 0; n < 4; n++)
			a.times[blockIdx.x * 4 + n] = t[n];
	if (sum == 0xfedcba98)
		*a.started = sum;
}

/* The same lines again and again: a lap before, then COUNT loads, then twice as many. */
template <how HOW, int COUNT, int LAP, int STEP>
__global__ void __launch_bounds__(1024) again(area a)
{
	unsigned long long at = address_of(a);
	unsigned int sum = 0;
	long long t[4];

	sum_loads<HOW, LAP, LAP, STEP>(at, sum);
	meet(a, 1);
	t[0] = now();
	sum_loads<HOW, COUNT, LAP, STEP>(at, sum);
	t[1] = now();
	meet(a, 2);
	t[2] = now();
	sum_loads<HOW, 2 * COUNT, LAP, STEP>(at, sum);
	t[3] = now();
	write_times(a, t, sum);
}

/*
 * Lines, or pages, once: COUNT, then twice as many others. WARM of them are loaded before without
 * the L1: all, so that L2 has them; or one, which is not loaded again, so that the TLB has its
 * page.
 */
template <how HOW, int WARM, int COUNT, int STEP>
__global__ void __launch_bounds__(1024) once(area a)
{
	unsigned long long at = address_of(a);
	unsigned int sum = 0;
	long long t[4];

	sum_loads<PASSING, WARM, WARM, STEP>(at, sum);
	at += WARM == 1 ? STEP : 0;
	meet(a, 1);
	t[0] = now();
	sum_loads<HOW, COUNT, COUNT, STEP>(at, sum);
	t[1] = now();
	meet(a, 2);
	t[2] = now();
	sum_loads<HOW, 2 * COUNT, 2 * COUNT, STEP>(at + COUNT * STEP, sum);
	t[3] = now();
	write_times(a, t, sum);
}

/* Lines that are stored, and have taken effect. */
template <int COUNT> __global__ void __launch_bounds__(1024) stores(area a)
{
	unsigned long long at = address_of(a);
	unsigned int sum = load<PASSING>(at);
	long long t[4];

	__syncthreads();
#pragma unroll 1
	for (int part = 0; part < 2; part++) {
		t[2 * part] = now();
		for (int n = 0; n < COUNT << part; n += 8)
#pragma unroll
			for (int k = 0; k < 8; k++)
				asm volatile("st.global.u32 [%0], %1;"
					     : : "l"(at + k * LINE), "r"(n) : "memory");
		__threadfence();
		t[2 * part + 1] = now();
	}
	write_times(a, t, sum);
}

/* A load for each element of a list of one, by each warp: how much is hidden by how many warps. */
__global__ void __launch_bounds__(1024) chases(area a, int n)
{
	unsigned long long at = address_of(a);
	long long t[4];

	*(unsigned long long *)at = at;
	__threadfence();
#pragma unroll 1
	for (int part = 0; part < 2; part++) {
		t[2 * part] = now();
		for (int i = 0; i < n << part; i += 8)
#pragma unroll
			for (int k = 0; k < 8; k++)
				asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
		t[2 * part + 1] = now();
	}
	write_times(a, t, !at);
}

/* ---- the host ------------------------------------------------------------------------------ */

typedef void (*kernel)(area);

static int sms;	/* blocks that wait for each other, each alone on its SM */

/* More shared memory than half an SM has: one block an SM. */
#define ALONE	(20 * 1024)

/* What the second part took longer than the first, of all blocks together. */
static double difference(const area &a, int blocks)
{
	long long t[SMS * 4], at[4];

	CHECK(cudaMemcpy(t, a.times, blocks * 4 * sizeof(*t), cudaMemcpyDeviceToHost));
	memcpy(at, t, sizeof(at));
	for (int n = 0; n < blocks * 4; n++)
		if (n % 2 ? t[n] > at[n % 4] : t[n] < at[n % 4])
			at[n % 4] = t[n];
	return (double)(at[3] - at[2] - (at[1] - at[0]));
}

static area make_area(int blocks, unsigned int block, unsigned int warp)
{
	char *rest = fresh(2 * PAGE);
	area a = { fresh((size_t)blocks * block), block, warp, 4, 1,
		   (unsigned int *)rest, (long long *)(rest + PAGE) };

	return a;
}

static void free_area(const area &a)
{
	CHECK(cudaFree(a.memory));
	CHECK(cudaFree(a.started));
}

/* What a cycle delivers: @count loads of each warp in the first part, of @unit each. */
static void run(const char *name, int n, kernel k, int blocks, int warps, const area &a, int count,
		double unit)
{
	k<<<blocks, warps * 32, ALONE>>>(a);
	CHECK_LAUNCH();
	measured(name, n, (double)blocks * warps * count * unit / difference(a, blocks));
	free_area(a);
}

/* Each lane a word of a row of lines that all warps load. */
static void coalescing(void)
{
	for (int lines = 1; lines <= 32; lines *= 2) {
		area a = make_area(1, 32 * LINE, 0);

		a.lines = lines;
		run("coalescing-rate", lines, again<CACHED, 32, 1, 0>, 1, 32, a, 32, 1);
	}
}

static void lines(void)
{
	run("l1-bandwidth", 0, again<CACHED, 32, 4, LINE>, 1, 32,
	    make_area(1, 128 * LINE, 4 * LINE), 32, LINE);
	run("l1-misses", 0, once<CACHED, 96, 32, LINE>, 1, 8, make_area(1, 8 * 3 * PAGE, 3 * PAGE),
	    32, LINE);
	run("sm-bandwidth", 0, again<PASSING, 32, 32, LINE>, 1, 30, make_area(1, 30 * PAGE, PAGE),
	    32, LINE);
	run("sm-stores", 0, stores<32>, 1, 30, make_area(1, 30 * PAGE, PAGE), 32, LINE);
	run("l2-bandwidth", 0, again<PASSING, 64, 16, LINE>, sms, 32,
	    make_area(sms, 32 * 16 * LINE, 16 * LINE), 64, LINE);
	run("dram-bandwidth", 0, once<PASSING, 1, 10, LINE>, sms, 24, make_area(sms, 24 * PAGE,
	    PAGE), 10,
	    LINE);
}

/* Pages of which all lanes load the same word of one line. */
static area make_pages(int blocks, unsigned int block, unsigned int warp)
{
	area a = make_area(blocks, block, warp);

	a.lane = 0;
	return a;
}

static void translations(void)
{
	run("l1-tlb-misses", 0, again<CACHED, 32, 4, 32 * PAGE>, 1, 31,
	    make_pages(1, 128 * PAGE, PAGE + LINE), 32, 1);
	run("sm-walks", 0, once<PASSING, 1, 8, PAGE + LINE>, 1, 8, make_pages(1, 8 * 26 * PAGE,
	    26 * PAGE), 8,
	    1);
	/* when the first SMs have ended, walkers are idle: that takes less than a walk */
	run("walks", 0, once<PASSING, 1, 16, PAGE + LINE>, sms, 8, make_pages(sms, 8 * 50 * PAGE,
	    50 * PAGE), 16,
	    1);
}

static void occupancy(void)
{
	for (int warps = 1; warps <= 32; warps *= 2) {
		area a = make_area(1, 32 * LINE, LINE);

		a.lane = 0;
		chases<<<1, warps * 32>>>(a, 64);
		CHECK_LAUNCH();
		measured("occupancy", warps, warps * 64 / difference(a, 1));
		free_area(a);
	}
}

int main(int argc, char **argv)
{
	cudaDeviceProp device;

	CHECK(cudaGetDeviceProperties(&device, 0));
	sms = device.multiProcessorCount < SMS ? device.multiProcessorCount : SMS;
	test.name = "bandwidth";
	groups = argv + 1;
	group_count = argc - 1;
	if (wanted("coalescing"))
		coalescing();
	if (wanted("lines"))
		lines();
	if (wanted("translation"))
		translations();
	if (wanted("occupancy"))
		occupancy();
	return finish();
}
