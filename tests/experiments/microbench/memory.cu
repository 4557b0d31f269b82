/* SPDX-License-Identifier: MIT */
/*
 * memory: what the levels of the memory hierarchy and of translation take. Latencies by lists whose
 * elements lie so that each load finds its line, or its page, where it shall; what an access to
 * several lines takes; how far the TLBs reach.
 */
#include "microbench.h"

/* ---- lists of one warp --------------------------------------------------------------------- */

/* n loads, n being a multiple of 8. */
__device__ static inline void chase(unsigned long long &at, int n)
{
	for (int i = 0; i < n; i += 8) {
#pragma unroll
		for (int k = 0; k < 8; k++)
			asm volatile("ld.global.u64 %0, [%0];" : "+l"(at) : : "memory");
	}
}

/* Cycles of @n loads, after @warm others. */
__device__ static inline long long time_chase(unsigned long long &at, int warm, int n)
{
	long long t[2];

	chase(at, warm);
#pragma unroll 1
	for (int part = 0; part < 2; part++) {
		long long from = now();

		chase(at, n << part);
		t[part] = now() - from;
	}
	return t[1] - t[0];
}

/* All lanes load the same: a line an access. */
__global__ void follow(long long *time, unsigned long long at, int warm, int n)
{
	long long cycles = time_chase(at, warm, n);

	if (!threadIdx.x)
		*time = cycles + !at;
}

/* A list through @count bytes offset(0), offset(1) ... of fresh memory, and back to the first. */
template <typename Offset> static char *make_list(int count, size_t bytes, Offset offset)
{
	char *memory = fresh(bytes), *host = (char *)calloc(1, bytes);

	for (int i = 0; i < count; i++)
		*(uint64_t *)(host + offset(i)) = (uint64_t)(memory + offset((i + 1) % count));
	CHECK(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
	free(host);
	return memory;
}

static double latency(const char *list, int warm, int n)
{
	char *time = fresh(PAGE);
	double cycles;

	follow<<<1, 32>>>((long long *)time, (unsigned long long)list, warm, n);
	CHECK_LAUNCH();
	cycles = (double)fetch(time) / n;
	CHECK(cudaFree(time));
	return cycles;
}

/* A list of so many lines behind each other, of which a lap is made before. */
static void lines(const char *name, int count)
{
	char *list = make_list(count, (size_t)count * LINE, [](int i) { return i * LINE; });

	measured(name, 0, latency(list, count, count));
	CHECK(cudaFree(list));
}

/* First a line of each page, so that the TLBs have it, then the others, which are only in DRAM. */
static void dram(void)
{
	const int pages = 16, rest = PAGE / LINE - 1;
	char *list = make_list(pages * PAGE / LINE, pages * PAGE, [=](int i) {
		return i < pages ? i * PAGE : (i - pages) / rest * PAGE +
					      ((i - pages) % rest + 1) * LINE;
	});

	measured("dram", 0, latency(list, pages, 128));
	CHECK(cudaFree(list));
}

/*
 * A line of each of so many pages: another one in each, as the caches have sets. Those of pages
 * with the same sets of L2, 64 pages apart, are 8 lines apart, too.
 */
static char *make_pages(int pages)
{
	return make_list(pages, (size_t)pages * PAGE, [](int i) {
		return (size_t)i * PAGE + (i + i / 64 * 8) * LINE % PAGE;
	});
}

static void reach(int pages)
{
	char *list = make_pages(pages);
	int laps = pages % 8 ? 8 : 1;

	measured("tlb-reach", pages, latency(list, 2 * laps * pages, laps * pages));
	CHECK(cudaFree(list));
}

/* ---- lines of an access -------------------------------------------------------------------- */

/* Each lane loads the same word again and again: the address is the datum. */
__global__ void coalesce(long long *time, char *memory, int lines)
{
	unsigned long long at = (unsigned long long)memory + threadIdx.x % lines * LINE +
				threadIdx.x / lines % 16 * 8;
	long long cycles;

	*(unsigned long long *)at = at;
	cycles = time_chase(at, 8, 64);
	time[threadIdx.x] = cycles + !at;
}

static void coalescing(void)
{
	char *time = fresh(8192), *memory = fresh(32 * LINE);

	for (int n = 1; n <= 32; n *= 2) {
		coalesce<<<1, 32>>>((long long *)time, memory, n);
		CHECK_LAUNCH();
		measured("coalescing", n, (double)fetch(time) / 64);
	}
	CHECK(cudaFree(memory));
	CHECK(cudaFree(time));
}

/* ---- atomics ------------------------------------------------------------------------------- */

__global__ void atomic_chain(long long *time, unsigned int *word)
{
	unsigned int add = 1;
	long long t[3];

#pragma unroll 1
	for (int part = 0; part < 3; part++) {
		long long from = now();

		for (int i = 0; i < 4 << part; i++)
			asm volatile("atom.global.add.u32 %0, [%1], %0;"
				     : "+r"(add) : "l"(word) : "memory");
		t[part] = now() - from;
	}
	*time = t[2] - t[1] + !add;
}

/* All lanes of 8 warps at one address. */
__global__ void atomic_one_address(long long *time, unsigned int *word)
{
	unsigned int old, sum = 0;
	long long t[3];

#pragma unroll 1
	for (int part = 0; part < 3; part++) {
		long long from = now();

		for (int i = 0; i < 4 << part; i++) {
			asm volatile("atom.global.add.u32 %0, [%1], 0;"
				     : "=r"(old) : "l"(word) : "memory");
			sum ^= old;
		}
		t[part] = now() - from;
	}
	if (!threadIdx.x)
		*time = t[2] - t[1] + sum;
}

static void atomics(void)
{
	char *time = fresh(PAGE), *word = fresh(PAGE);

	atomic_chain<<<1, 1>>>((long long *)time, (unsigned int *)word);
	CHECK_LAUNCH();
	measured("atomic", 0, (double)fetch(time) / 8);
	CHECK(cudaMemset(word, 0, PAGE));
	atomic_one_address<<<1, 256>>>((long long *)time, (unsigned int *)word);
	CHECK_LAUNCH();
	measured("atomic-rate", 32, 8 * 8 / (double)fetch(time));
	CHECK(cudaFree(word));
	CHECK(cudaFree(time));
}

int main(int argc, char **argv)
{
	static const int near[] = { 16, 32, 33, 34, 36, 40, 64, 128 };
	static const int far[] = { 512, 1024, 1032, 1088, 1152, 2048 };

	test.name = "memory";
	groups = argv + 1;
	group_count = argc - 1;
	if (wanted("latency")) {
		lines("l1", 128);
		lines("l2", 512);
		dram();
		atomics();
	}
	if (wanted("coalescing"))
		coalescing();
	if (wanted("tlb"))
		for (int pages : near)
			reach(pages);
	if (wanted("tlb-far"))
		for (int pages : far)
			reach(pages);
	return finish();
}
