/* SPDX-License-Identifier: MIT */
/*
 * memory_advice_effects: values are right under all advice for managed memory, whoever reads and
 * writes it: host and device in turn, several threads of the host beside kernels, prefetches,
 * atomics of both sides on one word.
 */
#include <pthread.h>

#include "../common.h"

#define N	(96 * 1024)
#define THREADS 4

__global__ void add(int *a, int n, int value)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		a[i] += value;
}

__global__ void sum(const int *a, int n, unsigned long long *total)
{
	unsigned long long own = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		own += a[i];
	atomicAdd(total, own);
}

__global__ void count_up(unsigned int *counter, int rounds)
{
	for (int n = 0; n < rounds; n++)
		atomicAdd_system(counter, 1);
}

/* The six of CUDA for both locations, those that undo behind each. */
struct step {
	cudaMemoryAdvise advice;
	int device;
};

static const step steps[] = {
	{ cudaMemAdviseSetReadMostly, 0 },
	{ cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId },
	{ cudaMemAdviseUnsetReadMostly, 0 },
	{ cudaMemAdviseSetAccessedBy, 0 },
	{ cudaMemAdviseUnsetPreferredLocation, 0 },
	{ cudaMemAdviseSetPreferredLocation, 0 },
	{ cudaMemAdviseUnsetAccessedBy, 0 },
	{ cudaMemAdviseSetReadMostly, 0 },
	{ cudaMemAdviseSetAccessedBy, cudaCpuDeviceId },
	{ cudaMemAdviseUnsetReadMostly, 0 },
	{ cudaMemAdviseUnsetPreferredLocation, 0 },
	{ cudaMemAdviseUnsetAccessedBy, cudaCpuDeviceId },
};

static unsigned long long *total;

static unsigned long long device_sum(const int *a, int n)
{
	*total = 0;
	sum<<<12, 128>>>(a, n, total);
	CHECK_LAUNCH();
	return *total;
}

static unsigned long long host_sum(const int *a, int n)
{
	unsigned long long result = 0;

	for (int i = 0; i < n; i++)
		result += a[i];
	return result;
}

/* Both read, twice; one writes; both read. */
static void in_turn(void)
{
	unsigned long long expected = (unsigned long long)N * (N - 1) / 2;
	int *a;

	CHECK(cudaMallocManaged(&a, N * sizeof(int)));
	for (int i = 0; i < N; i++)
		a[i] = i;
	for (const step &one : steps) {
		/* a part of it, so that ranges of different advice lie beside each other */
		CHECK(cudaMemAdvise(a + 3000, (N - 5000) * sizeof(int), one.advice, one.device));
		for (int round = 0; round < 2; round++) {
			expect_same("device reads", one.advice, device_sum(a, N), expected);
			expect_same("host reads", one.advice, host_sum(a, N), expected);
		}
		for (int i = 0; i < N; i++)
			a[i]++;
		expected += N;
		expect_same("device reads", one.advice, device_sum(a, N), expected);
		add<<<12, 128>>>(a, N, 2);
		CHECK_LAUNCH();
		expected += 2 * N;
		expect_same("host reads", one.advice, host_sum(a, N), expected);
		CHECK(cudaMemPrefetchAsync(a, N * sizeof(int), 0));
		expect_same("device reads", one.advice, device_sum(a, N), expected);
		CHECK(cudaMemPrefetchAsync(a, N * sizeof(int), cudaCpuDeviceId));
		expect_same("host reads", one.advice, host_sum(a, N), expected);
		CHECK(cudaMemset(a, 0, N * sizeof(int)));
		expected = 0;
		expect_same("device reads", one.advice, device_sum(a, N), expected);
	}
	CHECK(cudaFree(a));
}

/* What is mostly read and was read by both is read without a wait: the same pointer, both ways. */
static void tables(void)
{
	int *table, *out;

	CHECK(cudaMallocManaged(&table, 5 * 4096));
	CHECK(cudaMallocManaged(&out, 5 * 4096));
	CHECK(cudaMemAdvise(table, 5 * 4096, cudaMemAdviseSetReadMostly, 0));
	for (int i = 0; i < 5 * 1024; i++)
		table[i] = out[i] = i;
	for (int round = 1; round <= 5; round++) {
		expect_same("table", round, device_sum(table, 5 * 1024), host_sum(out, 5 * 1024));
		expect_same("table", round, host_sum(table, 5 * 1024), host_sum(out, 5 * 1024));
		table[round * 1000] += 7;
		out[round * 1000] += 7;
	}
	/* small allocations share pages, and what was said goes with them */
	CHECK(cudaFree(table));
	CHECK(cudaMallocManaged(&table, 5 * 4096));
	int read_mostly = -1;
	CHECK(cudaMemRangeGetAttribute(&read_mostly, sizeof(int), cudaMemRangeAttributeReadMostly,
				       table, 5 * 4096));
	expect_same("read mostly", 0, read_mostly, 0);
	CHECK(cudaFree(table));
	CHECK(cudaFree(out));
}

/* ---- several threads --------------------------------------------------------- */

static int *shared;
static volatile bool stop;

/* Thread n of the host owns every fourth of the second half's words, and reads all of them. */
static void *use(void *argument)
{
	int n = (int)(size_t)argument, rounds = 0;

	while (!stop || !rounds) {
		rounds++;
		for (int i = N / 2 + n; i < N; i += THREADS * 64)
			shared[i]++;
		for (int i = N / 2 + n; i < N; i += THREADS * 64)
			if (shared[i] != rounds)
				return (void *)(size_t)(i + 1);
		for (int i = 0; i < N / 2; i += 1024)
			if (shared[i] < 0)
				return (void *)(size_t)(i + 1);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	int added = 0;

	CHECK(cudaMallocManaged(&shared, N * sizeof(int)));
	for (int i = 0; i < N; i++)
		shared[i] = 0;
	for (size_t n = 0; n < THREADS; n++)
		EXPECT(!pthread_create(&thread[n], NULL, use, (void *)n));
	for (const step &one : steps) {
		CHECK(cudaMemAdvise(shared + 7000, (N - 9000) * sizeof(int), one.advice,
				    one.device));
		add<<<6, 128>>>(shared, N / 2, ++added);
		*total = 0;
		sum<<<6, 128>>>(shared, N / 2, total);
		CHECK_LAUNCH();
		expect_same("beside threads", added, *total,
			    (unsigned long long)(N / 2) * added * (added + 1) / 2);
	}
	stop = true;
	for (int n = 0; n < THREADS; n++) {
		void *wrong;

		EXPECT(!pthread_join(thread[n], &wrong));
		expect_same("thread", n, (int)(size_t)wrong, 0);
	}
	CHECK(cudaFree(shared));
}

/* ---- one word ---------------------------------------------------------------- */

static void *count(void *argument)
{
	for (int n = 0; n < 2000; n++)
		__atomic_fetch_add((unsigned int *)argument, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Where both use it in place, and where it goes to and fro. */
static void atomics(void)
{
	unsigned int *counter, expected = 0;
	pthread_t thread;

	CHECK(cudaMallocManaged(&counter, 4096));
	*counter = 0;
	for (const step &one : steps) {
		CHECK(cudaMemAdvise(counter, 4096, one.advice, one.device));
		EXPECT(!pthread_create(&thread, NULL, count, counter));
		count_up<<<2, 64>>>(counter, 5);
		CHECK_LAUNCH();
		EXPECT(!pthread_join(thread, NULL));
		expected += 2000 + 2 * 64 * 5;
		expect_same("counter", one.advice, *counter, expected);
	}
	CHECK(cudaFree(counter));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "memory_advice_effects", NULL, 0, 0, 0);
	CHECK(cudaMallocManaged(&total, sizeof(*total)));
	in_turn();
	tables();
	threads();
	atomics();
	CHECK(cudaFree(total));
	return finish();
}
