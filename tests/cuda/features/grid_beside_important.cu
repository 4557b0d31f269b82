// SPDX-License-Identifier: MIT
/*
 * A cooperative grid that takes the whole device, in a stream of no priority, and short kernels of
 * an important one that come one after the other meanwhile: they need not wait for its end, and its
 * blocks wait for each other and not for ever.
 */
#include "../common.h"

#include <cooperative_groups.h>

#define THREADS	1024
#define ROUNDS	8
#define SHORTS	10

/* In each round every block adds to the sum, and then sees that all have. */
static __global__ void rounds(unsigned int *sum, unsigned int *wrong, int count)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	for (int round = 1; round <= count; round++) {
		if (threadIdx.x == 0)
			atomicAdd(sum, blockIdx.x + 1);
		grid.sync();
		if (*(volatile unsigned int *)sum != round * (gridDim.x * (gridDim.x + 1) / 2))
			atomicAdd(wrong, 1u);
		grid.sync();
	}
}

static __global__ void add(unsigned int *out, unsigned int n)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] += n;
}

int main(int argc, char **argv)
{
	unsigned int *sum, *wrong, *out, got[2], *values;
	int on_sm, sms, count, blocks;
	cudaEvent_t first, all;
	float left = 0;
	cudaStream_t low, high;
	void *arguments[] = { &sum, &wrong, &count };

	parse_size(argc, argv, "grid_beside_important", NULL, 0, 0, 0);
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, rounds, THREADS, 0));
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	blocks = on_sm * sms;
	CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 0));
	CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -5));
	CHECK(cudaEventCreate(&first));
	CHECK(cudaEventCreate(&all));
	CHECK(cudaMalloc(&sum, sizeof(*sum)));
	CHECK(cudaMalloc(&wrong, sizeof(*wrong)));
	CHECK(cudaMalloc(&out, 4 * THREADS * sizeof(*out)));
	CHECK(cudaMemset(sum, 0, sizeof(*sum)));
	CHECK(cudaMemset(wrong, 0, sizeof(*wrong)));
	CHECK(cudaMemset(out, 0, 4 * THREADS * sizeof(*out)));
	/* what the first launch of a stream needs is there then */
	count = 0;
	CHECK(cudaLaunchCooperativeKernel((const void *)rounds, dim3(1), dim3(THREADS), arguments,
					  0, low));
	CHECK(cudaDeviceSynchronize());
	count = ROUNDS;
	CHECK(cudaLaunchCooperativeKernel((const void *)rounds, dim3(blocks), dim3(THREADS),
					  arguments, 0, low));
	CHECK(cudaEventRecord(all, low));
	for (unsigned int n = 1; n <= SHORTS; n++) {
		add<<<4, THREADS, 0, high>>>(out, n);
		if (n == 1)
			CHECK(cudaEventRecord(first, high));
		CHECK(cudaStreamSynchronize(high));
	}
	CHECK(cudaStreamSynchronize(low));
	/* the first did not wait for the grid */
	CHECK(cudaEventElapsedTime(&left, first, all));
	EXPECT(left > 0);
	CHECK(cudaMemcpy(&got[0], sum, sizeof(*sum), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&got[1], wrong, sizeof(*wrong), cudaMemcpyDeviceToHost));
	EXPECT(got[0] == (unsigned int)count * (blocks * (blocks + 1u) / 2));
	EXPECT(got[1] == 0);
	values = (unsigned int *)malloc(4 * THREADS * sizeof(*values));
	CHECK(cudaMemcpy(values, out, 4 * THREADS * sizeof(*values), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 4 * THREADS; i++)
		EXPECT(values[i] == SHORTS * (SHORTS + 1) / 2);
	free(values);
	CHECK(cudaStreamDestroy(low));
	CHECK(cudaStreamDestroy(high));
	CHECK(cudaEventDestroy(first));
	CHECK(cudaEventDestroy(all));
	CHECK(cudaFree(sum));
	CHECK(cudaFree(wrong));
	CHECK(cudaFree(out));
	return finish();
}
