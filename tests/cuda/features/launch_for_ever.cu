/* SPDX-License-Identifier: MIT */
/*
 * launch_for_ever: launches, as many as wanted or until a call fails: what a program sees of faults
 * that root injects (tests/kselftest/health.sh). The error and the next one are printed.
 */
#include "../common.h"

__global__ void count(unsigned int *x)
{
	atomicAdd(&x[threadIdx.x % 32], 1);
}

int main(int argc, char **argv)
{
	long most = parse_size(argc, argv, "launch_for_ever", "launches", 20, 1,
			       1000000000);
	unsigned int *x, counted = 0;
	cudaError_t error = cudaMalloc(&x, 32 * sizeof(*x));
	unsigned int launches = 0;

	if (!error)
		error = cudaMemset(x, 0, 32 * sizeof(*x));
	while (!error && launches < most) {
		count<<<8, 128>>>(x);
		error = cudaDeviceSynchronize();
		launches++;
	}
	if (!error)
		error = cudaMemcpy(&counted, x, sizeof(counted), cudaMemcpyDeviceToHost);
	if (error)
		mismatch("launch %u: got %s, then %s, expected cudaSuccess", launches,
			 cudaGetErrorName(error), cudaGetErrorName(cudaDeviceSynchronize()));
	EXPECT(error || counted == launches * 32);
	return finish();
}
