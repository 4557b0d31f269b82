/* SPDX-License-Identifier: MIT */
/*
 * sgemm: C = A B with tiles in shared memory. A block reads a stripe of each input, and writes its
 * tile of the output at its end.
 */
#include "chapter6.h"

#define TILE 16

__global__ void sgemm(const float *a, const float *b, float *c, int n)
{
	__shared__ float as[TILE][TILE], bs[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		as[y][x] = a[row * n + k + x];
		bs[y][x] = b[(k + y) * n + column];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += as[y][i] * bs[i][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "sgemm", "rows in tiles of 16", 40, 1, 128) * TILE;
	size_t size = (size_t)n * n;
	float *a = managed_floats(size, 1), *b = managed_floats(size, 2);
	float *c = managed_new<float>(size);

	start_kernel();
	sgemm<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
	end_kernel();
	for (size_t at = 0; at < size; at += 997) {
		double sum = 0;

		for (int k = 0; k < n; k++)
			sum += (double)a[at / n * n + k] * b[(size_t)k * n + at % n];
		expect_near("c", (long)at, c[at], sum, n * n * F32_ROUND);
	}
	return finish();
}
