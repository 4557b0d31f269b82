/* SPDX-License-Identifier: MIT */
/*
 * several_devices: every device the program sees, each with its own memory, symbols and kernels,
 * from one thread that changes between them and from one thread a device. With one device it is a
 * round of one.
 */
#include "../common.h"

#include <thread>
#include <vector>

__constant__ int constant;
__device__ int variable;

__global__ void fill(int *out, int n, int device)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = i * 3 + constant + device;
	if (!i)
		variable = 1000 + device;
}

static const int n = 10000;

static void work(int device)
{
	std::vector<int> back(n);
	int *out, seen = 0, current = -1, c = 100 * device;
	cudaStream_t stream;

	CHECK(cudaSetDevice(device));
	CHECK(cudaGetDevice(&current));
	expect_same("current device", device, current, device);
	CHECK(cudaMemcpyToSymbol(constant, &c, sizeof(c)));
	CHECK(cudaMalloc(&out, n * sizeof(*out)));
	CHECK(cudaStreamCreate(&stream));
	fill<<<(n + 255) / 256, 256, 0, stream>>>(out, n, device);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(back.data(), out, n * sizeof(*out), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < n; i++)
		expect_same("element", i, back[i], i * 3 + 101 * device);
	CHECK(cudaMemcpyFromSymbol(&seen, variable, sizeof(seen)));
	expect_same("variable", device, seen, 1000 + device);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(out));
}

/* From the first device's memory to the last one's, and freed from wherever. */
static void across(int count)
{
	std::vector<int> from(n), back(n);
	int *first, *last;

	for (int i = 0; i < n; i++)
		from[i] = i ^ 0x55aa;
	CHECK(cudaSetDevice(0));
	CHECK(cudaMalloc(&first, n * sizeof(int)));
	CHECK(cudaMemcpy(first, from.data(), n * sizeof(int), cudaMemcpyHostToDevice));
	CHECK(cudaSetDevice(count - 1));
	CHECK(cudaMalloc(&last, n * sizeof(int)));
	CHECK(cudaMemset(first, 0, sizeof(int)));
	CHECK(cudaMemcpy(last, first, n * sizeof(int), cudaMemcpyDefault));
	CHECK(cudaSetDevice(0));
	CHECK(cudaMemcpy(back.data(), last, n * sizeof(int), cudaMemcpyDeviceToHost));
	expect_same("copied", 0, back[0], 0);
	for (int i = 1; i < n; i++)
		expect_same("copied", i, back[i], from[i]);
	CHECK(cudaMemset(last, 0, n * sizeof(int)));
	CHECK(cudaMemcpyPeer(last, count - 1, first, 0, n * sizeof(int)));
	CHECK(cudaMemcpy(back.data(), last, n * sizeof(int), cudaMemcpyDeviceToHost));
	expect_same("copied to a peer", n - 1, back[n - 1], from[n - 1]);
	EXPECT_ERROR(cudaMemcpyPeer(last, count, first, 0, 4), cudaErrorInvalidDevice);
	CHECK(cudaFree(last));
	CHECK(cudaSetDevice(count - 1));
	CHECK(cudaFree(first));
}

int main(int argc, char **argv)
{
	std::vector<std::thread> threads;
	int count = 0;

	parse_size(argc, argv, "several_devices", NULL, 0, 0, 0);
	CHECK(cudaGetDeviceCount(&count));
	EXPECT(count >= 1);
	printf("  %d device%s\n", count, count == 1 ? "" : "s");
	for (int round = 0; round < 2; round++)
		for (int device = 0; device < count; device++)
			work(device);
	across(count);
	EXPECT_ERROR(cudaSetDevice(count), cudaErrorInvalidDevice);
	for (int device = 0; device < count; device++)
		threads.emplace_back(work, device);
	for (auto &thread : threads)
		thread.join();
	return finish();
}
