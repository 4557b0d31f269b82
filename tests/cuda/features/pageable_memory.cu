/* SPDX-License-Identifier: MIT */
/*
 * pageable_memory: kernels use memory of the process that no call of CUDA knows: heap, stack,
 * globals, containers, mapped files; while threads of the host use it; and memory of the device
 * beside it. Where the device cannot do that, that it says so and refuses it.
 */
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "../common.h"

#define N 5000

static int globals[N];

struct node {
	node *next;
	int value;
};

__global__ void add(int *to, const int *from, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		to[i] += from[i];
}

__global__ void sum(const node *head, int *total)
{
	for (; head; head = head->next)
		*total += head->value;
}

__global__ void count_up(unsigned int *counter, int rounds)
{
	for (int n = 0; n < rounds; n++)
		atomicAdd_system(counter, 1u);
}

static void check_add(const char *what, int *to, int *from)
{
	for (int i = 0; i < N; i++) {
		to[i] = i;
		from[i] = 2 * i;
	}
	for (int round = 1; round <= 2; round++) {
		add<<<7, 96>>>(to, from, N);
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < N; i++)
			if (to[i] != i + 2 * i * round)
				mismatch("%s: word %d is %d in round %d", what, i, to[i], round);
		/* seen at once by the next kernel */
		for (int i = 0; i < N; i++)
			from[i]++, to[i]--;
	}
}

static void check_list(void)
{
	node *head = nullptr;
	int total = 0, want = 0;

	for (int n = 0; n < 200; n++) {
		head = new node{ head, n };
		want += n;
	}
	sum<<<1, 1>>>(head, &total);
	CHECK(cudaDeviceSynchronize());
	if (total != want)
		mismatch("a list: %d instead of %d", total, want);
	while (head) {
		node *next = head->next;

		delete head;
		head = next;
	}
}

static void check_file(void)
{
	FILE *file = tmpfile();
	int *words, *from = (int *)malloc(N * sizeof(int)), word;

	if (!file || ftruncate(fileno(file), N * sizeof(int)))
		return mismatch("no temporary file");
	words = (int *)mmap(nullptr, N * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED,
			    fileno(file), 0);
	if (words == MAP_FAILED)
		return mismatch("the file cannot be mapped");
	check_add("a file", words, from);
	if (pread(fileno(file), &word, sizeof(word), 99 * sizeof(int)) != sizeof(word) ||
	    word != words[99])
		mismatch("the file has %d and not %d", word, words[99]);
	munmap(words, N * sizeof(int));
	fclose(file);
	free(from);
}

static unsigned int counter;

static void *count_here(void *rounds)
{
	for (size_t n = (size_t)rounds; n; n--)
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	return nullptr;
}

static void check_atomics(void)
{
	pthread_t thread;

	count_up<<<4, 64>>>(&counter, 20);
	if (pthread_create(&thread, nullptr, count_here, (void *)100000))
		return mismatch("no thread");
	CHECK(cudaDeviceSynchronize());
	pthread_join(thread, nullptr);
	if (counter != 4 * 64 * 20 + 100000)
		mismatch("a counter of host and device is %u", counter);
}

static void check_beside(void)
{
	std::vector<int> from(N, 3), to(N);
	int *device;

	CHECK(cudaMalloc(&device, N * sizeof(int)));
	CHECK(cudaMemset(device, 0, N * sizeof(int)));
	add<<<7, 96>>>(device, from.data(), N);
	add<<<7, 96>>>(to.data(), device, N);
	CHECK(cudaMemcpy(from.data(), device, N * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++)
		if (to[i] != 3 || from[i] != 3)
			mismatch("word %d is %d, %d beside device memory", i, to[i], from[i]);
	CHECK(cudaFree(device));
}

static int attribute(cudaMemRangeAttribute kind, const void *pointer, size_t bytes)
{
	int value = -77;

	CHECK(cudaMemRangeGetAttribute(&value, sizeof(value), kind, pointer, bytes));
	return value;
}

/* Prefetched in the order of the stream, and advised; or refused. */
static void check_prefetch(bool pageable)
{
	const size_t bytes = 300 << 12;
	char *memory = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int *words = (int *)(memory + 100), n = (int)((bytes - 200) / sizeof(int));
	cudaError_t want = pageable ? cudaSuccess : cudaErrorInvalidValue;
	cudaStream_t stream;
	int *from;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&from, bytes));
	CHECK(cudaMemset(from, 1, bytes));
	EXPECT_ERROR(cudaMemPrefetchAsync(words, n * sizeof(int), 0, stream), want);
	EXPECT_ERROR(cudaMemAdvise(words, 4096, cudaMemAdviseSetReadMostly, 0), want);
	EXPECT_ERROR(cudaMemAdvise(memory + 8192, 4096, cudaMemAdviseSetPreferredLocation,
				   cudaCpuDeviceId), want);
	if (pageable) {
		add<<<7, 96, 0, stream>>>(words, from, n);
		CHECK(cudaMemPrefetchAsync(words, n * sizeof(int), cudaCpuDeviceId, stream));
		add<<<7, 96, 0, stream>>>(words, from, n);
		CHECK(cudaStreamSynchronize(stream));
		for (int i = 0; i < n; i++)
			if (words[i] != 2 * 0x01010101)
				mismatch("prefetched: word %d is %#x", i, words[i]);
		if (attribute(cudaMemRangeAttributeReadMostly, memory, 8192) != 1 ||
		    attribute(cudaMemRangeAttributeReadMostly, memory, 8193) != 0 ||
		    attribute(cudaMemRangeAttributePreferredLocation, memory + 8192, 4096) !=
			    cudaCpuDeviceId ||
		    attribute(cudaMemRangeAttributeLastPrefetchLocation, words, 4096) !=
			    cudaCpuDeviceId)
			mismatch("advice on pageable memory is not as it was given");
	}
	/* with a hole, beyond the end, and memory of the device */
	munmap(memory + (20 << 12), 4096);
	EXPECT_ERROR(cudaMemPrefetchAsync(memory, bytes, 0, stream), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemAdvise(memory, bytes, cudaMemAdviseSetReadMostly, 0),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPrefetchAsync(from, bytes, 0, stream), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPrefetchAsync(words, 0, 0, stream), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPrefetchAsync(words, ~(size_t)0, 0, stream), cudaErrorInvalidValue);
	CHECK(cudaStreamSynchronize(stream));
	munmap(memory, bytes);
	CHECK(cudaFree(from));
	CHECK(cudaStreamDestroy(stream));
	(void)cudaGetLastError();
}

int main(int argc, char **argv)
{
	int stack[2 * N], pageable = -1, tables = -1;
	int *heap = (int *)malloc(2 * N * sizeof(int));
	cudaDeviceProp prop;
	cudaError_t error;

	parse_size(argc, argv, "pageable_memory", NULL, 0, 0, 0);
	CHECK(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
	CHECK(cudaDeviceGetAttribute(&tables, cudaDevAttrPageableMemoryAccessUsesHostPageTables,
				     0));
	CHECK(cudaGetDeviceProperties(&prop, 0));
	if (prop.pageableMemoryAccess != pageable || tables != pageable)
		mismatch("the attributes are %d, %d, %d", pageable, tables,
			 prop.pageableMemoryAccess);
	if (pageable) {
		check_add("heap", heap, heap + N);
		check_add("stack", stack, stack + N);
		check_add("globals", globals, heap);
		check_list();
		check_file();
		check_atomics();
		check_beside();
	}
	check_prefetch(pageable);
	add<<<1, 32>>>(pageable ? (int *)64 : heap, heap + N, 32);
	error = cudaDeviceSynchronize();
	if (error != cudaErrorIllegalAddress)
		mismatch("memory that is not the device's: %s", cudaGetErrorName(error));
	free(heap);
	return finish();
}
