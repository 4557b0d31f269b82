/* SPDX-License-Identifier: MIT */
/*
 * launch_stack: kernels that kernels launch have the stack that the program has set, whether it is
 * set before their module is loaded or later, and whoever launches them; one that is too small is a
 * fault.
 */
#include "../common.h"

#define DEEP 600
#define LANES 8

/* A volatile word keeps the compiler from making a loop of it. */
static __host__ __device__ __attribute__((noinline)) int sum_down(int n, const volatile int *x)
{
	return n < 0 ? 0 : x[n & 3] + sum_down(n - 1, x) * 3 % 1000003;
}

__global__ void deep(int *out, int depth)
{
	volatile int numbers[4];

	for (int i = 0; i < 4; i++)
		numbers[i] = threadIdx.x + i;
	out[threadIdx.x] = sum_down(depth, numbers);
}

/* Launches the other at the last level, so that some are launched by launched ones. */
__global__ void parent(int *out, int depth, int levels)
{
	if (levels)
		parent<<<1, 1>>>(out, depth, levels - 1);
	else
		deep<<<1, LANES>>>(out, depth);
}

static void expect_deep(int depth, int levels)
{
	int *dev = device_new<int>(LANES), got[LANES];

	parent<<<1, 1>>>(dev, depth, levels);
	CHECK_LAUNCH();
	host_from(got, dev, LANES);
	for (int t = 0; t < LANES; t++) {
		int numbers[4] = { t, t + 1, t + 2, t + 3 };

		expect_same("deep", t, got[t], sum_down(depth, numbers));
	}
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	int *dev;

	parse_size(argc, argv, "launch_stack", NULL, 0, 0, 0);
	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 128 << 10));
	expect_deep(DEEP, 0);
	expect_deep(DEEP, 2);
	/* larger, when there is work that has the table as it was */
	dev = device_new<int>(LANES);
	parent<<<1, 1>>>(dev, DEEP, 1);
	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 256 << 10));
	expect_deep(2 * DEEP, 1);
	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
	expect_deep(5, 1);
	parent<<<1, 1>>>(dev, 50000, 0);
	CHECK(cudaGetLastError());
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	return finish();
}
