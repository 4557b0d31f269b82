/* SPDX-License-Identifier: MIT */
/*
 * driver_contexts: contexts of the driver API, which the runtime's calls and launches use where one
 * is current: each has memory, variables and a fate of its own, and they compute side by side.
 */
#include "../common.h"

#include <cuda.h>

#include <thread>
#include <vector>

/* By the name that it has whatever the header's version. */
extern "C" CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);

#define DRIVER(call) expect_driver((call), CUDA_SUCCESS, #call, __LINE__)
#define DRIVER_ERROR(call, want) expect_driver((call), (want), #call, __LINE__)

static void expect_driver(CUresult got, CUresult want, const char *call, int line)
{
	if (got != want)
		mismatch("line %d, %s: got %d, expected %d", line, call, (int)got, (int)want);
}

__device__ int variable = 7;

__global__ void fill(int *out, int n, int base)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = base + i + variable;
}

__global__ void busy(int *out, int rounds)
{
	int x = threadIdx.x;

	for (int i = 0; i < rounds; i++)
		x = x * 1664525 + 1013904223;
	out[threadIdx.x] = x;
}

static const int n = 5000;

static void expect_filled(const int *memory, int base)
{
	std::vector<int> back(n);

	CHECK(cudaMemcpy(back.data(), memory, n * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		expect_same("element", i, back[i], base + i);
}

/* All of it in a context of its own. */
static void work(int number)
{
	int *memory, value = 1000 * number, seen = 0;
	CUcontext context, now;
	cudaStream_t stream;

	DRIVER(cuCtxCreate_v2(&context, 0, 0));
	CHECK(cudaMemcpyFromSymbol(&seen, variable, sizeof(seen)));
	expect_same("first value", number, seen, 7);
	CHECK(cudaMemcpyToSymbol(variable, &value, sizeof(value)));
	CHECK(cudaMalloc(&memory, n * sizeof(int)));
	CHECK(cudaStreamCreate(&stream));
	for (int round = 0; round < 3; round++) {
		fill<<<(n + 127) / 128, 128, 0, stream>>>(memory, n, round);
		CHECK(cudaGetLastError());
		CHECK(cudaStreamSynchronize(stream));
		expect_filled(memory, value + round);
	}
	DRIVER(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)memory));
	EXPECT(now == context);
	DRIVER(cuCtxDestroy(context));
}

static void side_by_side(void)
{
	std::vector<std::thread> threads;

	for (int number = 1; number <= 3; number++)
		threads.emplace_back(work, number);
	for (std::thread &thread : threads)
		thread.join();
}

/* One writes to memory of the other, which is none to it, and the other does not notice. */
static void a_fault_in_one(void)
{
	int *memory, *results, last;
	CUcontext whole, wild;

	DRIVER(cuCtxCreate_v2(&whole, 0, 0));
	CHECK(cudaMalloc(&memory, n * sizeof(int)));
	CHECK(cudaMalloc(&results, 64 * sizeof(int)));
	fill<<<(n + 127) / 128, 128>>>(memory, n, 0);
	CHECK_LAUNCH();
	busy<<<1, 64>>>(results, 20000);
	CHECK(cudaGetLastError());
	DRIVER(cuCtxCreate_v2(&wild, 0, 0));
	fill<<<1, 128>>>(memory, n, 99);
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	DRIVER_ERROR(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	DRIVER(cuCtxDestroy(wild));
	cudaGetLastError();
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(&last, results + 63, sizeof(last), cudaMemcpyDeviceToHost));
	expect_filled(memory, 7);
	fill<<<(n + 127) / 128, 128>>>(memory, n, 1);
	CHECK_LAUNCH();
	expect_filled(memory, 8);
	DRIVER(cuCtxDestroy(whole));
}

static void copies_between_contexts(void)
{
	int *from, *to;
	CUcontext a, b;

	DRIVER(cuCtxCreate_v2(&a, 0, 0));
	CHECK(cudaMalloc(&from, n * sizeof(int)));
	fill<<<(n + 127) / 128, 128>>>(from, n, 3);
	CHECK_LAUNCH();
	DRIVER(cuCtxPopCurrent(NULL));
	DRIVER(cuCtxCreate_v2(&b, 0, 0));
	CHECK(cudaMalloc(&to, n * sizeof(int)));
	EXPECT(from != to);
	DRIVER(cuMemcpyPeer((CUdeviceptr)to, b, (CUdeviceptr)from, a, n * sizeof(int)));
	expect_filled(to, 10);
	CHECK(cudaMemset(to, 0, n * sizeof(int)));
	CHECK(cudaMemcpyAsync(to, from, n * sizeof(int), cudaMemcpyDefault, 0));
	CHECK(cudaDeviceSynchronize());
	expect_filled(to, 10);
	DRIVER(cuCtxDestroy(a));
	expect_filled(to, 10);
	DRIVER(cuCtxDestroy(b));
}

/* With work in flight; what each has comes back. */
static void made_and_destroyed(void)
{
	size_t before, after, total;
	CUcontext outer;

	DRIVER(cuCtxCreate_v2(&outer, 0, 0));
	DRIVER(cuMemGetInfo(&before, &total));
	for (int round = 0; round < 12; round++) {
		CUcontext context;
		int *memory;

		DRIVER(cuCtxCreate_v2(&context, 0, 0));
		CHECK(cudaMalloc(&memory, 8 << 20));
		busy<<<1, 64>>>(memory, 2000);
		CHECK(cudaGetLastError());
		DRIVER(cuCtxDestroy(context));
	}
	DRIVER(cuMemGetInfo(&after, &total));
	expect_same("free bytes, of 4 KB", 0, (int)(after >> 12), (int)(before >> 12));
	DRIVER(cuCtxDestroy(outer));
}

/* The runtime's own context is one more. */
static void beside_the_primary_one(void)
{
	CUcontext primary, own, now;
	int *in_primary, *in_own;

	CHECK(cudaMalloc(&in_primary, n * sizeof(int)));
	fill<<<(n + 127) / 128, 128>>>(in_primary, n, 0);
	CHECK_LAUNCH();
	DRIVER(cuCtxGetCurrent(&primary));
	DRIVER(cuCtxCreate_v2(&own, 0, 0));
	EXPECT(primary && own != primary);
	CHECK(cudaMalloc(&in_own, n * sizeof(int)));
	fill<<<(n + 127) / 128, 128>>>(in_own, n, 5);
	CHECK_LAUNCH();
	CHECK(cudaDeviceReset());
	expect_filled(in_own, 12);
	EXPECT_ERROR(cudaMemcpy(in_own, in_primary, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
	cudaGetLastError();
	DRIVER(cuCtxDestroy(own));
	DRIVER(cuCtxGetCurrent(&now));
	EXPECT(now == primary);
	CHECK(cudaMalloc(&in_primary, n * sizeof(int)));
	fill<<<(n + 127) / 128, 128>>>(in_primary, n, 1);
	CHECK_LAUNCH();
	expect_filled(in_primary, 8);
	CHECK(cudaFree(in_primary));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "driver_contexts", NULL, 0, 0, 0);
	DRIVER(cuInit(0));
	side_by_side();
	a_fault_in_one();
	copies_between_contexts();
	made_and_destroyed();
	beside_the_primary_one();
	return finish();
}
