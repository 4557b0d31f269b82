/* SPDX-License-Identifier: MIT */
/*
 * sgemm: C = A B' with columns one after another. A block computes 128 x 16 elements, a thread a
 * row of 16 of them: it reads A from memory, and B through shared memory, eight columns at a time.
 * All blocks go through the columns of A and B together, and so use the same pages at the same
 * time. At its end a block reads and writes its tile of C, 16 columns.
 */
#include "chapter6.h"

#define TILE_M 128
#define TILE_N 16
#define TILE_K 8
#define OCCUPANCY 14

__global__ void sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha,
		      float beta)
{
	__shared__ float bs[TILE_K][TILE_N];
	int row = blockIdx.x * TILE_M + threadIdx.y * TILE_N + threadIdx.x;
	int column = blockIdx.y * TILE_N;
	float sum[TILE_N];

#pragma unroll
	for (int i = 0; i < TILE_N; i++)
		sum[i] = 0;
	for (int at = 0; at < k; at += TILE_K) {
		bs[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column + threadIdx.x];
		__syncthreads();
		for (int j = 0; j < TILE_K; j++) {
			float mine = a[(at + j) * m + row];

#pragma unroll
			for (int i = 0; i < TILE_N; i++)
				sum[i] += mine * bs[j][i];
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < TILE_N; i++) {
		float *to = &c[(column + i) * m + row];

		*to = *to * beta + alpha * sum[i];
	}
}

int main(int argc, char **argv)
{
	int rows = (int)parse_size(argc, argv, "sgemm", "rows in tiles of 128", 10, 1, 64);
	/* m, n and k are 1024, 1056 and 992 in Parboil's medium */
	int m = rows * TILE_M, n = rows * 66 / 8 * TILE_N, k = 992;
	float *a = managed_floats((size_t)m * k, 1), *b = managed_floats((size_t)n * k, 2);
	float *c = managed_new<float>((size_t)m * n);

	start_kernel();
	sgemm<<<dim3(rows, n / TILE_N), dim3(TILE_N, TILE_K),
		pad(OCCUPANCY, TILE_N * TILE_K * 4)>>>(a, b, c, m, n, k, 1, 0);
	end_kernel();
	for (size_t at = 0; at < (size_t)m * n; at += 1999) {
		double sum = 0;

		for (int i = 0; i < k; i++)
			sum += (double)a[(size_t)i * m + at % m] * b[(size_t)i * n + at / m];
		expect_near("c", (long)at, c[at], sum, (double)k * k * F32_ROUND);
	}
	return finish();
}
