/* SPDX-License-Identifier: MIT */
/*
 * reduce: the sum of a vector, as a tree: a grid-stride loop per thread, halving with barriers in
 * shared memory down to one warp, shuffles within the warp, and a second launch for the sums of
 * the blocks. For unsigned integers (modulo 2^32, so exact) and for floats.
 */
#include "common.h"

#define BDIM 256
#define MAX_BLOCKS 48

template <typename T> __global__ void reduce(const T *in, int n, T *out)
{
	__shared__ T part[BDIM];
	int t = threadIdx.x;
	T sum = 0;

	for (int i = blockIdx.x * BDIM + t; i < n; i += gridDim.x * BDIM)
		sum += in[i];
	part[t] = sum;
	__syncthreads();
	for (int half = BDIM / 2; half >= 32; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t < 32) {
		sum = part[t];
		for (int d = 16; d > 0; d /= 2)
			sum += __shfl_down_sync(0xffffffffu, sum, d);
		if (t == 0)
			out[blockIdx.x] = sum;
	}
}

template <typename T> static T device_sum(const T *x, int n)
{
	int blocks = (n + BDIM - 1) / BDIM;
	T *dev_x, *dev_part, sum;

	if (blocks > MAX_BLOCKS)
		blocks = MAX_BLOCKS;
	CHECK(cudaMalloc((void **)&dev_x, n * sizeof(T)));
	CHECK(cudaMalloc((void **)&dev_part, (blocks + 1) * sizeof(T)));
	CHECK(cudaMemcpy(dev_x, x, n * sizeof(T), cudaMemcpyHostToDevice));
	reduce<T><<<blocks, BDIM>>>(dev_x, n, dev_part);
	CHECK(cudaGetLastError());
	reduce<T><<<1, BDIM>>>(dev_part, blocks, dev_part + blocks);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(&sum, dev_part + blocks, sizeof(T), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(dev_x));
	CHECK(cudaFree(dev_part));
	return sum;
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "reduce", "elements to add up", 150000, 1, 1 << 27);
	unsigned *u = (unsigned *)host_alloc(n * sizeof(*u)), usum = 0;
	float *f = (float *)host_alloc(n * sizeof(*f));
	double fsum = 0.0, fsize = 0.0;
	struct lcg g = { 1024 };
	int adds;

	for (int i = 0; i < n; i++) {
		u[i] = lcg_u32(&g);
		f[i] = lcg_float(&g, -1.0f, 1.0f);
		usum += u[i];
		fsum += f[i];
		fsize += fabsf(f[i]);
	}
	expect_same("unsigned sum", 0, device_sum(u, n), usum);
	/*
	 * No element passes through more additions than the longest loop of a thread and the two
	 * trees have, and each rounds by at most 2^-24 of a partial sum below the sum of sizes.
	 */
	adds = n / (BDIM * MAX_BLOCKS) + 1 + 8 + 1 + 8;
	expect_near("float sum", 0, device_sum(f, n), fsum, adds * F32_ROUND * fsize);
	free(u);
	free(f);
	return finish();
}
