// SPDX-License-Identifier: MIT
/*
 * Priorities of streams: the range, what is beyond it, and that an important launch does not wait
 * for all blocks of one that came before it. Times of the device, by events.
 */
#include "common.h"

#define BLOCKS	4000
#define THREADS	256

static __global__ void work(unsigned int *out, int rounds)
{
	unsigned int value = threadIdx.x;

	for (int i = 0; i < rounds; i++)
		value = value * 1664525u + 1013904223u;
	out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static void ranges(void)
{
	int least = 7, greatest = 7, priority = 7;
	cudaStream_t stream;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	EXPECT(least == 0);
	EXPECT(greatest == -5);
	for (int asked = 3; asked >= -9; asked -= 3) {
		CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, asked));
		CHECK(cudaStreamGetPriority(stream, &priority));
		EXPECT(priority == (asked > 0 ? 0 : asked < -5 ? -5 : asked));
		CHECK(cudaStreamDestroy(stream));
	}
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamGetPriority(stream, &priority));
	EXPECT(priority == 0);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamGetPriority(0, &priority));
	EXPECT(priority == 0);
	CHECK(cudaDeviceGetAttribute(&priority, cudaDevAttrStreamPrioritiesSupported, 0));
	EXPECT(priority == 1);
}

/*
 * A long launch, then a short one of @priority in another stream: which part of the long one's time
 * is left when that ends.
 */
static float ahead(int priority, unsigned int *words)
{
	cudaStream_t low, high;
	cudaEvent_t began, ends[2];
	float left = 0, all = 0;

	CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 0));
	CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, priority));
	for (int i = 0; i < 2; i++)
		CHECK(cudaEventCreate(&ends[i]));
	CHECK(cudaEventCreate(&began));
	CHECK(cudaEventRecord(began, low));
	CHECK(cudaStreamSynchronize(low));
	work<<<BLOCKS, THREADS, 0, low>>>(words, 400);
	CHECK(cudaEventRecord(ends[0], low));
	work<<<4, THREADS, 0, high>>>(words + BLOCKS * THREADS, 10);
	CHECK(cudaEventRecord(ends[1], high));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventElapsedTime(&left, ends[1], ends[0]));
	CHECK(cudaEventElapsedTime(&all, began, ends[0]));
	CHECK(cudaEventDestroy(began));
	for (int i = 0; i < 2; i++)
		CHECK(cudaEventDestroy(ends[i]));
	CHECK(cudaStreamDestroy(low));
	CHECK(cudaStreamDestroy(high));
	return left / all;
}

int main(int argc, char **argv)
{
	float important, equal;
	unsigned int *words;

	parse_size(argc, argv, "stream_priorities", NULL, 0, 0, 0);
	ranges();
	words = device_new<unsigned int>((BLOCKS + 4) * THREADS);
	important = ahead(-5, words);
	equal = ahead(0, words);
	EXPECT(important > 0);
	/*
	 * One that waits for all blocks of the long launch leaves a tenth. By shares, as smk has
	 * them, a launch that has none does not wait, whatever its priority.
	 */
	EXPECT(important > equal || equal > 0.2f);
	CHECK(cudaFree(words));
	return finish();
}
