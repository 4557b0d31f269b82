// SPDX-License-Identifier: MIT
/*
 * A test of a kernel: every element is what the host computes, and an access out of bounds is an error of the launch.
 */
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main()
{
	const int n = 100000;
	std::vector<float> x(n), y(n);
	float *dx, *dy;
	int wrong = 0;

	for (int i = 0; i < n; i++) {
		x[i] = i;
		y[i] = 2 * i;
	}
	if (cudaMalloc(&dx, n * sizeof(float)) || cudaMalloc(&dy, n * sizeof(float)))
		return std::printf("no device: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
	cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	saxpy<<<(n + 255) / 256, 256>>>(n, 3, dx, dy);
	cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		wrong += y[i] != 5.0f * i;
	if (wrong)
		return std::printf("%d of %d elements are wrong\n", wrong, n), 1;
	cudaFree(dy);
	saxpy<<<1, 32>>>(32, 3, dx, dy);
	if (cudaDeviceSynchronize() == cudaSuccess)
		return std::printf("a kernel wrote to memory that had been freed\n"), 1;
	return 0;
}
