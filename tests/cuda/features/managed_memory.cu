/* SPDX-License-Identifier: MIT */
/*
 * managed_memory: host and device use the same memory in turn and at the same time; copies, fills,
 * prefetches and advice of it; small and large allocations; what is refused.
 */
#include <pthread.h>

#include "../common.h"

#define N 100000

struct list {
	list *next;
	int value;
};

__global__ void add(int *a, const int *b, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		a[i] += b[i];
}

__global__ void sum(const list *head, int *total)
{
	for (; head; head = head->next)
		*total += head->value;
}

__global__ void count_up(unsigned int *counter, int rounds)
{
	for (int n = 0; n < rounds; n++)
		atomicAdd(counter, 1);
}

static void in_turn(void)
{
	int *a, *b;

	CHECK(cudaMallocManaged(&a, N * sizeof(int)));
	CHECK(cudaMallocManaged(&b, N * sizeof(int), cudaMemAttachHost));
	for (int i = 0; i < N; i++) {
		a[i] = i;
		b[i] = 3;
	}
	for (int round = 1; round <= 3; round++) {
		add<<<20, 128>>>(a, b, N);
		CHECK_LAUNCH();
		for (int i = 0; i < N; i += 97)
			expect_same("in turn", i, a[i], i + 3 * round);
	}
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

/* Structures that point to each other, as the host built them. */
static void pointers(void)
{
	list *head = NULL, *node;
	int *total;

	CHECK(cudaMallocManaged(&total, sizeof(*total)));
	*total = 0;
	for (int i = 1; i <= 500; i++) {
		CHECK(cudaMallocManaged(&node, sizeof(*node)));
		node->next = head;
		node->value = i;
		head = node;
	}
	sum<<<1, 1>>>(head, total);
	CHECK_LAUNCH();
	expect_same("list", 0, *total, 500 * 501 / 2);
	while (head) {
		node = head;
		head = head->next;
		CHECK(cudaFree(node));
	}
	CHECK(cudaFree(total));
}

static void copies(void)
{
	static int plain[1000];
	int *managed, *other, *device;
	cudaPointerAttributes attributes;

	CHECK(cudaMallocManaged(&managed, sizeof(plain)));
	CHECK(cudaMallocManaged(&other, sizeof(plain)));
	CHECK(cudaMalloc(&device, sizeof(plain)));
	for (int i = 0; i < 1000; i++)
		plain[i] = i;
	/* managed memory may be called the host's or the device's */
	CHECK(cudaMemcpy(managed, plain, sizeof(plain), cudaMemcpyHostToDevice));
	EXPECT(managed[999] == 999);
	CHECK(cudaMemcpy(other, managed, sizeof(plain), cudaMemcpyHostToHost));
	EXPECT(other[999] == 999);
	managed[999] = 5;
	CHECK(cudaMemcpy(device, managed, sizeof(plain), cudaMemcpyHostToDevice));
	managed[999] = 6;
	CHECK(cudaMemcpy(other, device, sizeof(plain), cudaMemcpyDeviceToHost));
	EXPECT(other[999] == 5);
	CHECK(cudaMemcpy(plain, managed, sizeof(plain), cudaMemcpyDefault));
	EXPECT(plain[999] == 6);
	CHECK(cudaMemset(managed, 1, 8));
	CHECK(cudaDeviceSynchronize());
	EXPECT(managed[1] == 0x01010101 && managed[2] == 2);
	CHECK(cudaMemcpy2D(other, 8, managed, 4, 4, 3, cudaMemcpyDefault));
	EXPECT(other[0] == 0x01010101 && other[2] == 0x01010101 && other[4] == 2);
	CHECK(cudaPointerGetAttributes(&attributes, managed + 3));
	EXPECT(attributes.type == cudaMemoryTypeManaged &&
	       attributes.devicePointer == managed + 3 && attributes.hostPointer == managed + 3);
	CHECK(cudaFree(managed));
	CHECK(cudaFree(other));
	CHECK(cudaFree(device));
}

static void hints(void)
{
	int *a, *b, device = 0;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocManaged(&a, N * sizeof(int)));
	CHECK(cudaMallocManaged(&b, N * sizeof(int)));
	for (int i = 0; i < N; i++) {
		a[i] = 1;
		b[i] = i;
	}
	CHECK(cudaMemAdvise(b, N * sizeof(int), cudaMemAdviseSetReadMostly, device));
	CHECK(cudaMemAdvise(a, 100, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
	CHECK(cudaMemPrefetchAsync(a, N * sizeof(int), device, stream));
	CHECK(cudaMemPrefetchAsync(b + 5, (N - 5) * sizeof(int), device, stream));
	CHECK(cudaStreamAttachMemAsync(stream, a));
	add<<<20, 128, 0, stream>>>(a, b, N);
	CHECK(cudaMemPrefetchAsync(a, N * sizeof(int), cudaCpuDeviceId, stream));
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < N; i += 89)
		expect_same("prefetched", i, a[i], i + 1);
	EXPECT_ERROR(cudaMemPrefetchAsync(a, N * sizeof(int) + 1, device), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPrefetchAsync(a, 0, device), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPrefetchAsync((void *)64, 4, device), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPrefetchAsync(a, 4, 99), cudaErrorInvalidDevice);
	EXPECT_ERROR(cudaMemAdvise(a, 4, (cudaMemoryAdvise)77, device), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemAdvise((void *)64, 4, cudaMemAdviseSetReadMostly, 0),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemAdvise(a, 4, cudaMemAdviseSetAccessedBy, 99), cudaErrorInvalidDevice);
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaStreamDestroy(stream));
	(void)cudaGetLastError();
}

static unsigned int *shared;

static void *host_counts(void *argument)
{
	(void)argument;
	for (int n = 0; n < 2000; n++)
		__atomic_fetch_add(&shared[1024], 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Threads of the host and the device in the same pages at the same time. */
static void at_the_same_time(void)
{
	pthread_t threads[3];

	CHECK(cudaMallocManaged(&shared, 2 * 4096));
	shared[0] = shared[1024] = 0;
	for (pthread_t &thread : threads)
		EXPECT(pthread_create(&thread, NULL, host_counts, NULL) == 0);
	for (int n = 0; n < 10; n++)
		count_up<<<4, 32>>>(shared, 20);
	CHECK_LAUNCH();
	for (pthread_t thread : threads)
		pthread_join(thread, NULL);
	expect_same("device", 0, (int)shared[0], 10 * 4 * 32 * 20);
	expect_same("host", 0, (int)shared[1024], 3 * 2000);
	CHECK(cudaFree(shared));
}

static void what_is_refused(void)
{
	int *a = NULL;

	EXPECT_ERROR(cudaMallocManaged(&a, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMallocManaged((int **)NULL, 4), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMallocManaged(&a, 4, cudaMemAttachSingle), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMallocManaged(&a, 1ull << 60), cudaErrorMemoryAllocation);
	CHECK(cudaMallocManaged(&a, 100000));
	EXPECT_ERROR(cudaFree(a + 1), cudaErrorInvalidValue);
	CHECK(cudaFree(a));
	EXPECT_ERROR(cudaFree(a), cudaErrorInvalidValue);
	(void)cudaGetLastError();
}

int main(int argc, char **argv)
{
	int managed = -1, concurrent = -1, *one;

	parse_size(argc, argv, "managed_memory", NULL, 0, 0, 0);
	CHECK(cudaDeviceGetAttribute(&managed, cudaDevAttrManagedMemory, 0));
	CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
	EXPECT(managed == 1 && concurrent == 1);
	in_turn();
	pointers();
	copies();
	hints();
	at_the_same_time();
	what_is_refused();
	/* a reset ends what is on the device, too */
	CHECK(cudaMallocManaged(&one, 4));
	*one = 1;
	CHECK(cudaDeviceReset());
	in_turn();
	return finish();
}
