/* SPDX-License-Identifier: MIT */
/*
 * device_heap: the limits of the heap of malloc() in kernels: its size, how it is set and when not,
 * what happens when it is full, and what becomes of a kernel that frees what it may not.
 */
#include "../common.h"

#define THREADS 256
#define BLOCK 1000
#define DEFAULT ((size_t)8 << 20)

struct chain {
	struct chain *next;
	unsigned thread;
};

__device__ struct chain *chains[THREADS];
__device__ unsigned blocks, wrong;
__device__ char *kept;

/* Every thread takes blocks until there are none. */
__global__ void fill_heap(void)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	struct chain *link;

	chains[t] = NULL;
	while ((link = (struct chain *)malloc(BLOCK)) != NULL) {
		link->next = chains[t];
		link->thread = t;
		chains[t] = link;
		atomicAdd(&blocks, 1);
	}
}

__global__ void empty_heap(void)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	struct chain *next;

	for (struct chain *link = chains[t]; link; link = next) {
		if (link->thread != t)
			atomicAdd(&wrong, 1);
		next = link->next;
		free(link);
	}
}

struct guarded {
	int value[100];
	__device__ guarded()
	{
		for (int i = 0; i < 100; i++)
			value[i] = i;
	}
};

/* new without memory is a null pointer, and no constructor runs. */
__global__ void new_in_full_heap(void)
{
	guarded *volatile one = new guarded;
	guarded *volatile many = new guarded[5];

	wrong += one != NULL;
	wrong += many != NULL;
	delete one;
	delete[] many;
}

__global__ void allocate(void)
{
	kept = (char *)malloc(100);
	kept[0] = 42;
}

__global__ void free_twice(void)
{
	free(kept);
	free(kept);
}

__global__ void free_inside(void)
{
	free(kept + 16);
}

__global__ void free_pointer(void *p)
{
	free(p);
}

__global__ void free_local(int n)
{
	volatile int array[8];

	for (int i = 0; i < 8; i++)
		array[i] = n;
	free((void *)array);
}

static void expect_full(const char *what, size_t limit)
{
	unsigned zero = 0, got[2];

	for (int round = 0; round < 2; round++) {
		CHECK(cudaMemcpyToSymbol(blocks, &zero, sizeof(zero)));
		fill_heap<<<THREADS / 64, 64>>>();
		if (round == 0)
			new_in_full_heap<<<1, 1>>>();
		empty_heap<<<THREADS / 64, 64>>>();
		CHECK_LAUNCH();
		CHECK(cudaMemcpyFromSymbol(&got[round], blocks, sizeof(got[round])));
		if ((size_t)got[round] * BLOCK < limit / 8 * 7)
			mismatch("%s: a heap of %zu bytes had %u blocks of %d", what, limit,
				 got[round], BLOCK);
		CHECK(cudaMemcpyFromSymbol(&zero, wrong, sizeof(zero)));
		expect_same(what, round, zero, 0u);
	}
	expect_same(what, 2, got[1], got[0]);
}

static size_t limit_now(void)
{
	size_t limit = 0;

	CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
	return limit;
}

/* The error is the context's; a reset makes a new one, with an empty heap. */
static void expect_end(const char *what)
{
	cudaError_t error = cudaDeviceSynchronize();

	if (error != cudaErrorLaunchFailure)
		mismatch("%s: got %s, expected cudaErrorLaunchFailure", what,
			 cudaGetErrorName(error));
	CHECK(cudaDeviceReset());
}

int main(int argc, char **argv)
{
	size_t free_bytes, total;
	char *pointer, byte;

	parse_size(argc, argv, "device_heap", NULL, 0, 0, 0);
	expect_same("default", 0, limit_now(), DEFAULT);
	EXPECT_ERROR(cudaDeviceGetLimit(NULL, cudaLimitMallocHeapSize), cudaErrorInvalidValue);
	CHECK(cudaMemGetInfo(&free_bytes, &total));
	EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitMallocHeapSize, total * 2),
		     cudaErrorMemoryAllocation);
	cudaGetLastError();
	expect_same("after a refusal", 0, limit_now(), DEFAULT);
	expect_full("default", DEFAULT);
	EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitMallocHeapSize, DEFAULT), cudaErrorInvalidValue);

	CHECK(cudaDeviceReset());
	cudaGetLastError();
	expect_same("after a reset", 0, limit_now(), DEFAULT);
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, DEFAULT / 4));
	/* the module is loaded now, with a heap; no kernel has used it yet */
	CHECK(cudaMemcpyToSymbol(wrong, "\0\0\0", 4));
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, DEFAULT / 2));
	expect_same("set", 0, limit_now(), DEFAULT / 2);
	expect_full("half", DEFAULT / 2);

	/* memory of the heap is for kernels only */
	allocate<<<1, 1>>>();
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromSymbol(&pointer, kept, sizeof(pointer)));
	EXPECT_ERROR(cudaMemcpy(&byte, pointer, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaFree(pointer), cudaErrorInvalidValue);
	cudaGetLastError();

	free_twice<<<1, 1>>>();
	expect_end("a double free");
	allocate<<<1, 1>>>();
	free_inside<<<1, 1>>>();
	expect_end("an address inside a block");
	CHECK(cudaMalloc((void **)&pointer, 256));
	free_pointer<<<1, 1>>>(pointer);
	expect_end("memory of cudaMalloc");
	free_local<<<1, 1>>>(3);
	expect_end("a local variable");
	expect_full("after the errors", DEFAULT);
	return finish();
}
