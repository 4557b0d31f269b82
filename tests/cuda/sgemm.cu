/* SPDX-License-Identifier: MIT */
/*
 * sgemm: C = alpha A B + beta C for row-major float matrices. Every block computes one tile of C
 * and walks over the tiles of A and B that it needs, kept in shared memory between two barriers.
 * The matrices are not square, so that rows and columns cannot be taken for each other.
 */
#include "common.h"

#define TILE 16

__global__ void sgemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
		      float *c)
{
	__shared__ float ta[TILE][TILE];
	__shared__ float tb[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int col = blockIdx.x * TILE + tx;
	int row = blockIdx.y * TILE + ty;
	float sum = 0.0f;

	for (int base = 0; base < k; base += TILE) {
		ta[ty][tx] = row < m && base + tx < k ? a[row * k + base + tx] : 0.0f;
		tb[ty][tx] = col < n && base + ty < k ? b[(base + ty) * n + col] : 0.0f;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += ta[ty][i] * tb[i][tx];
		__syncthreads();
	}
	if (row < m && col < n)
		c[row * n + col] = alpha * sum + beta * c[row * n + col];
}

/*
 * The reference sums in double. A float dot product of k terms, in any order, fused or not, is
 * within k roundings of sum |a b| (Higham, Accuracy and Stability, 3.1; the padding of the last
 * tile adds exact zeros); scaling and adding beta c rounds three times more.
 */
static void verify(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
		   const float *before, const float *got)
{
	for (int row = 0; row < m; row++)
		for (int col = 0; col < n; col++) {
			double sum = 0.0, size = 0.0, old = beta * (double)before[row * n + col];

			for (int i = 0; i < k; i++) {
				double p = (double)a[row * k + i] * b[i * n + col];

				sum += p;
				size += fabs(p);
			}
			expect_near("c", (long)row * n + col, got[row * n + col], alpha * sum + old,
				    (k + 4) * F32_ROUND * (fabs(alpha) * size + fabs(old)));
		}
}

int main(int argc, char **argv)
{
	int m = (int)parse_size(argc, argv, "sgemm", "rows of C; columns and depth follow from it",
				72, 1, 2048);
	int n = m - m / 8, k = m + m / 5 + 1;
	size_t a_bytes = (size_t)m * k * sizeof(float), b_bytes = (size_t)k * n * sizeof(float);
	size_t c_bytes = (size_t)m * n * sizeof(float);
	const float alpha = 1.25f, beta = -0.5f;
	struct lcg g = { 16 };
	float *a, *b, *c, *out, *dev_a, *dev_b, *dev_c;
	dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);

	a = (float *)host_alloc(a_bytes);
	b = (float *)host_alloc(b_bytes);
	c = (float *)host_alloc(c_bytes);
	out = (float *)host_alloc(c_bytes);
	for (int i = 0; i < m * k; i++)
		a[i] = lcg_float(&g, -1.0f, 1.0f);
	for (int i = 0; i < k * n; i++)
		b[i] = lcg_float(&g, -1.0f, 1.0f);
	for (int i = 0; i < m * n; i++)
		c[i] = lcg_float(&g, -1.0f, 1.0f);
	CHECK(cudaMalloc((void **)&dev_a, a_bytes));
	CHECK(cudaMalloc((void **)&dev_b, b_bytes));
	CHECK(cudaMalloc((void **)&dev_c, c_bytes));
	CHECK(cudaMemcpy(dev_a, a, a_bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dev_b, b, b_bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dev_c, c, c_bytes, cudaMemcpyHostToDevice));

	sgemm<<<grid, block>>>(m, n, k, alpha, dev_a, dev_b, beta, dev_c);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(out, dev_c, c_bytes, cudaMemcpyDeviceToHost));
	verify(m, n, k, alpha, a, b, beta, c, out);

	CHECK(cudaFree(dev_a));
	CHECK(cudaFree(dev_b));
	CHECK(cudaFree(dev_c));
	free(a);
	free(b);
	free(c);
	free(out);
	return finish();
}
