/* SPDX-License-Identifier: MIT */
/*
 * saxpy: y = a x + y, the program of Tanasic's figure 2.2: allocate on both sides, read the input,
 * copy in, one launch, copy out. The input comes from a generator instead of a file.
 */
#include "common.h"

#define BDIM 256

/*
 * a is 2, so the product is exact and the sum is rounded once, with or without a fused
 * multiply-add: the result must be the reference's, bit for bit.
 */
#define A 2.0f

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "saxpy", "elements of each vector", 100001, 1, 1 << 28);
	size_t bytes = n * sizeof(float);
	struct lcg g = { 2017 };
	float *x, *y, *want, *dev_x, *dev_y;

	x = (float *)host_alloc(bytes);
	y = (float *)host_alloc(bytes);
	want = (float *)host_alloc(bytes);
	for (int i = 0; i < n; i++) {
		x[i] = lcg_float(&g, -10.0f, 10.0f);
		y[i] = lcg_float(&g, -10.0f, 10.0f);
		want[i] = A * x[i] + y[i];
	}
	CHECK(cudaMalloc((void **)&dev_x, bytes));
	CHECK(cudaMalloc((void **)&dev_y, bytes));

	CHECK(cudaMemcpy(dev_x, x, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dev_y, y, bytes, cudaMemcpyHostToDevice));

	saxpy<<<(n + BDIM - 1) / BDIM, BDIM>>>(n, A, dev_x, dev_y);
	CHECK(cudaGetLastError());

	CHECK(cudaMemcpy(y, dev_y, bytes, cudaMemcpyDeviceToHost));

	compare_exact("y", y, want, n);
	CHECK(cudaFree(dev_x));
	CHECK(cudaFree(dev_y));
	free(x);
	free(y);
	free(want);
	return finish();
}
