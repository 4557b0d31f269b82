// SPDX-License-Identifier: MIT
/*
 * Limits of launches by kernels: how many are pending, how deep they are, what a launch may ask
 * for. Each is an error of the launch, and what was launched before runs.
 */
#include "../common.h"

#define PENDING	64
#define TAILS	300

static __global__ void add(unsigned int *sum)
{
	atomicAdd(sum, 1u);
}

/* More launches than may be pending: whoever launches one too many is told. */
static __global__ void flood(unsigned int *sum, unsigned int *refused, int count)
{
	for (int i = 0; i < count; i++) {
		add<<<1, 1>>>(sum);
		if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded)
			atomicAdd(refused, 1u);
	}
}

/* Each launches the next inside itself, until the launch fails. */
static __global__ void deeper(unsigned int *depth, unsigned int *error)
{
	++*depth;
	deeper<<<1, 1>>>(depth, error);
	*error = cudaGetLastError();
	/* of the last alone there is one */
	if (*error)
		error[1] = *depth;
}

/* The depth counts for those that are in others, not for a row of tail launches. */
static __global__ void again(unsigned int *count, unsigned int *error, int left)
{
	++*count;
	if (left)
		again<<<1, 1, 0, cudaStreamTailLaunch>>>(count, error, left - 1);
	if (cudaGetLastError())
		*error = 1;
}

struct large {
	char bytes[4000];
};

static __global__ void takes_large(struct large value, unsigned int *sum)
{
	for (int i = threadIdx.x; i < 4000; i += blockDim.x)
		atomicAdd(sum, (unsigned int)value.bytes[i]);
}

static __global__ void gives_large(unsigned int *sum, unsigned int *error)
{
	struct large value;

	for (int i = 0; i < 4000; i++)
		value.bytes[i] = i % 7;
	takes_large<<<1, 64>>>(value, sum);
	*error = cudaGetLastError();
}

static __global__ void __launch_bounds__(64) bounded(unsigned int *sum)
{
	extern __shared__ unsigned int memory[];

	memory[threadIdx.x] = 1;
	atomicAdd(sum, memory[threadIdx.x]);
}

static __global__ void ask(unsigned int *sum, unsigned int *errors, int *values)
{
	struct cudaFuncAttributes attributes;
	size_t limit;

	bounded<<<1, 64, 1024>>>(sum);
	errors[0] = cudaGetLastError();
	bounded<<<1, 65, 1024>>>(sum);
	errors[1] = cudaGetLastError();
	bounded<<<1, 64, 1 << 20>>>(sum);
	errors[2] = cudaGetLastError();
	bounded<<<dim3(1, 70000), 64>>>(sum);
	errors[3] = cudaGetLastError();
	bounded<<<1, dim3(1, 1, 65)>>>(sum);
	errors[4] = cudaGetLastError();
	errors[5] = cudaFuncGetAttributes(&attributes, (const void *)bounded);
	values[0] = attributes.maxThreadsPerBlock;
	values[1] = attributes.numRegs;
	errors[6] = cudaFuncGetAttributes(&attributes, values);
	errors[7] = cudaGetLastError();
	errors[8] = cudaDeviceGetAttribute(&values[2], cudaDevAttrMaxThreadsPerBlock, 0);
	errors[9] = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
	values[3] = (int)limit;
	errors[10] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&values[4],
								   (const void *)bounded, 64, 0);
	for (const char *a = cudaGetErrorString(cudaErrorInvalidValue), *b = "invalid argument";
	     *a || *b; a++, b++)
		if (*a != *b) {
			values[5] = 1;
			break;
		}
}

int main(int argc, char **argv)
{
	unsigned int *words, got[64];
	struct cudaFuncAttributes attributes;
	int *values, found[6], occupancy;
	size_t limit;

	parse_size(argc, argv, "launch_limits", NULL, 0, 0, 0);
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
	EXPECT(limit == 2048);
	EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 0),
		     cudaErrorInvalidValue);
	cudaGetLastError();
	CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, PENDING));
	CHECK(cudaMalloc(&words, sizeof(got)));
	CHECK(cudaMalloc(&values, sizeof(found)));
	CHECK(cudaMemset(words, 0, sizeof(got)));
	CHECK(cudaMemset(values, 0, sizeof(found)));
	flood<<<1, 1>>>(words, words + 1, PENDING + 10);
	CHECK_LAUNCH();
	EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100),
		     cudaErrorInvalidValue);
	cudaGetLastError();
	/* all of them are over: there are as many again */
	flood<<<1, 1>>>(words, words + 1, PENDING);
	CHECK_LAUNCH();
	deeper<<<1, 1>>>(words + 2, words + 3);
	CHECK_LAUNCH();
	again<<<1, 1>>>(words + 5, words + 6, TAILS);
	CHECK_LAUNCH();
	gives_large<<<1, 1>>>(words + 7, words + 8);
	CHECK_LAUNCH();
	ask<<<1, 1>>>(words + 9, words + 10, values);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, words, sizeof(got), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(found, values, sizeof(found), cudaMemcpyDeviceToHost));
	EXPECT(got[0] == 2 * PENDING);
	EXPECT(got[1] == 10);
	/* the first, and 24 in it */
	EXPECT(got[2] == 25);
	EXPECT(got[3] == cudaErrorLaunchMaxDepthExceeded);
	EXPECT(got[4] == 25);
	EXPECT(got[5] == TAILS + 1);
	EXPECT(got[6] == 0);
	/* 571 times 0 + ... + 6, and 0 + 1 + 2 */
	EXPECT(got[7] == 571 * 21 + 3);
	EXPECT(got[8] == cudaSuccess);
	EXPECT(got[9] == 64);
	EXPECT(got[10] == cudaSuccess);
	EXPECT(got[11] == cudaErrorInvalidValue);
	EXPECT(got[12] == cudaErrorInvalidValue);
	EXPECT(got[13] == cudaErrorInvalidConfiguration);
	EXPECT(got[14] == cudaErrorInvalidConfiguration);
	EXPECT(got[15] == cudaSuccess);
	EXPECT(got[16] == cudaErrorInvalidDeviceFunction);
	EXPECT(got[17] == cudaErrorInvalidDeviceFunction);
	EXPECT(got[18] == cudaSuccess && got[19] == cudaSuccess && got[20] == cudaSuccess);
	CHECK(cudaFuncGetAttributes(&attributes, bounded));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occupancy, bounded, 64, 0));
	EXPECT(found[0] == attributes.maxThreadsPerBlock && found[1] == attributes.numRegs);
	EXPECT(found[2] == 1024);
	EXPECT(found[3] == PENDING);
	EXPECT(found[4] == occupancy);
	EXPECT(found[5] == 0);
	CHECK(cudaFree(words));
	CHECK(cudaFree(values));
	return finish();
}
