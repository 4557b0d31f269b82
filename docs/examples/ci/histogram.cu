// SPDX-License-Identifier: MIT
/*
 * A test of what blocks share: counts in shared memory by atomics, added up in managed memory.
 */
#include <cuda_runtime.h>
#include <cstdio>

__global__ void histogram(const unsigned char *bytes, int n, unsigned int *counts)
{
	__shared__ unsigned int mine[256];

	mine[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[bytes[i]], 1);
	__syncthreads();
	atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

int main()
{
	const int n = 1 << 16;
	unsigned int expected[256] = {}, *counts;
	unsigned char *bytes;

	if (cudaMallocManaged(&bytes, n) || cudaMallocManaged(&counts, 256 * sizeof(*counts)))
		return std::printf("no device: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
	for (int i = 0; i < n; i++) {
		bytes[i] = i * 7919 >> 4;
		expected[bytes[i]]++;
	}
	for (int i = 0; i < 256; i++)
		counts[i] = 0;
	histogram<<<8, 256>>>(bytes, n, counts);
	if (cudaError_t error = cudaDeviceSynchronize())
		return std::printf("histogram: %s\n", cudaGetErrorString(error)), 1;
	for (int i = 0; i < 256; i++)
		if (counts[i] != expected[i])
			return std::printf("%d: %u times, not %u\n", i, counts[i], expected[i]), 1;
	return 0;
}
