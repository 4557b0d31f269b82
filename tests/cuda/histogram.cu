/* SPDX-License-Identifier: MIT */
/*
 * histogram: how often each byte value occurs, twice. One kernel sends every byte to a global
 * atomic; the other counts in shared memory per block and adds the blocks up with global atomics (a
 * grid-stride loop, so a block sees many bytes). Half of the input is one value: atomics collide.
 */
#include "common.h"

#define BINS 256
#define BDIM 192
#define MAX_BLOCKS 24

__global__ void count_global(const unsigned char *data, int n, unsigned *bins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&bins[data[i]], 1u);
}

__global__ void count_shared(const unsigned char *data, int n, unsigned *bins)
{
	__shared__ unsigned local[BINS];

	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		local[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[data[i]], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		if (local[i])
			atomicAdd(&bins[i], local[i]);
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "histogram", "bytes of input", 80000, 1, 1 << 28);
	unsigned char *data = (unsigned char *)host_alloc(n), *dev_data;
	unsigned want[BINS] = { 0 }, got[BINS], *dev_bins;
	int blocks = (n + BDIM - 1) / BDIM;
	struct lcg g = { 256 };

	for (int i = 0; i < n; i++) {
		data[i] = lcg_below(&g, 2) ? 77 : (unsigned char)lcg_below(&g, BINS);
		want[data[i]]++;
	}
	CHECK(cudaMalloc((void **)&dev_data, n));
	CHECK(cudaMalloc((void **)&dev_bins, sizeof(got)));
	CHECK(cudaMemcpy(dev_data, data, n, cudaMemcpyHostToDevice));

	CHECK(cudaMemset(dev_bins, 0, sizeof(got)));
	count_global<<<blocks, BDIM>>>(dev_data, n, dev_bins);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, dev_bins, sizeof(got), cudaMemcpyDeviceToHost));
	compare_exact("global", got, want, BINS);

	CHECK(cudaMemset(dev_bins, 0, sizeof(got)));
	count_shared<<<blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS, BDIM>>>(dev_data, n, dev_bins);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, dev_bins, sizeof(got), cudaMemcpyDeviceToHost));
	compare_exact("shared", got, want, BINS);

	CHECK(cudaFree(dev_data));
	CHECK(cudaFree(dev_bins));
	free(data);
	return finish();
}
