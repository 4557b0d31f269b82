/* SPDX-License-Identifier: MIT */
/*
 * managed: the third scene of vgpu-demo. A histogram of more data than fits into the device, in
 * managed memory: the data comes page by page, each part once in each round; the counters are used
 * all the time. The host makes the data and checks every counter.
 */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

#define WORDS	(1u << 20)	/* of data: 4 MB */
#define PART	(1u << 16)	/* that one launch reads */
#define COUNTERS (1u << 17)	/* 512 KB */
#define ROUNDS	2

#define CHECK(call)										\
	do {											\
		cudaError_t error = (call);							\
		if (error) {									\
			fprintf(stderr, "managed: %s: %s\n", #call, cudaGetErrorString(error));	\
			exit(1);								\
		}										\
	} while (0)

__global__ void count(const unsigned *data, unsigned *counters)
{
	unsigned step = gridDim.x * blockDim.x;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < PART; i += step)
		atomicAdd(&counters[data[i]], 1);
}

int main(void)
{
	static unsigned expected[COUNTERS];
	unsigned *data, *counters, random = 1, wrong = 0;

	CHECK(cudaMallocManaged(&data, WORDS * sizeof(*data)));
	CHECK(cudaMallocManaged(&counters, COUNTERS * sizeof(*counters)));
	for (unsigned i = 0; i < WORDS; i++) {
		random = random * 1664525 + 1013904223;
		data[i] = (random >> 8) % COUNTERS;
		expected[data[i]] += ROUNDS;
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned part = 0; part < WORDS; part += PART)
			count<<<16, 256>>>(data + part, counters);
	CHECK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < COUNTERS; i++)
		wrong += counters[i] != expected[i];
	printf(wrong ? "managed: WRONG: %u counters\n" : "managed: verified\n", wrong);
	return !!wrong;
}
