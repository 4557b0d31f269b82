/* SPDX-License-Identifier: MIT */
/*
 * matrix_fragments: products of matrices by nvcuda::wmma, as programs for tensor cores write them:
 * tiles of halves whose sums stay in fragments over the whole of k, from global and from shared
 * memory, in every shape; bytes with and without saturation; elements of fragments scaled in place.
 * All numbers are whole and small, so that every order of adding gives the same.
 */
#include <mma.h>

#include "../common.h"

using namespace nvcuda;

#define K 64

template <int m, int n>
__global__ void product(const half *a, const half *b, const float *c, float *d, float alpha)
{
	__shared__ half tile[16 * n];
	wmma::fragment<wmma::matrix_a, m, n, 16, half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, m, n, 16, half, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, m, n, 16, float> sum, fc;

	wmma::fill_fragment(sum, 0.0f);
	for (int k = 0; k < K; k += 16) {
		for (int i = threadIdx.x; i < 16 * n; i += 32)
			tile[i] = b[i / 16 * K + k + i % 16];
		__syncwarp();
		wmma::load_matrix_sync(fa, a + k, K);
		wmma::load_matrix_sync(fb, tile, 16);
		wmma::mma_sync(sum, fa, fb, sum);
		__syncwarp();
	}
	wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
	for (int i = 0; i < sum.num_elements; i++)
		fc.x[i] += alpha * sum.x[i];
	wmma::store_matrix_sync(d, fc, m, wmma::mem_col_major);
}

template <int m, int n> static void check_halves(const char *what)
{
	static half a[m * K], b[K * n];
	static float c[m * n], d[m * n];
	half *da = device_new<half>(m * K), *db = device_new<half>(K * n);
	float *dc = device_new<float>(m * n), *dd = device_new<float>(m * n);

	for (int i = 0; i < m * K; i++)
		a[i] = __float2half((float)(i * 7 % 11 - 5));
	for (int i = 0; i < K * n; i++)
		b[i] = __float2half((float)(i * 5 % 9 - 4));
	for (int i = 0; i < m * n; i++)
		c[i] = (float)(i % 100);
	CHECK(cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dc, c, sizeof(c), cudaMemcpyHostToDevice));
	product<m, n><<<1, 32>>>(da, db, dc, dd, 2.0f);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(d, dd, sizeof(d), cudaMemcpyDeviceToHost));
	for (int row = 0; row < m; row++)
		for (int col = 0; col < n; col++) {
			float want = c[row * n + col];

			for (int k = 0; k < K; k++)
				want += 2 * __half2float(a[row * K + k]) *
					__half2float(b[col * K + k]);
			expect_same(what, row * n + col, (int)d[col * m + row], (int)want);
		}
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	CHECK(cudaFree(dd));
}

__global__ void bytes(const signed char *a, const signed char *b, int *d, int start, bool saturate)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;

	wmma::fill_fragment(sum, start);
	wmma::load_matrix_sync(fa, a, 16);
	wmma::load_matrix_sync(fb, b, 16);
	if (saturate)
		wmma::mma_sync(sum, fa, fb, sum, true);
	else
		wmma::mma_sync(sum, fa, fb, sum);
	wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

static void check_bytes(bool saturate)
{
	static signed char a[256], b[256];
	static int d[256];
	signed char *da = device_new<signed char>(256), *db = device_new<signed char>(256);
	int *dd = device_new<int>(256), start = INT32_MAX - 20000;

	for (int i = 0; i < 256; i++) {
		a[i] = (signed char)(i * 37);
		b[i] = (signed char)(i * 91 + 5);
	}
	CHECK(cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice));
	bytes<<<1, 32>>>(da, db, dd, start, saturate);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(d, dd, sizeof(d), cudaMemcpyDeviceToHost));
	for (int row = 0; row < 16; row++)
		for (int col = 0; col < 16; col++) {
			long want = start;

			for (int k = 0; k < 16; k++)
				want += a[k * 16 + row] * b[k * 16 + col];
			if (saturate && want > INT32_MAX)
				want = INT32_MAX;
			expect_same("bytes", row * 16 + col, d[row * 16 + col],
				    (int)(unsigned int)want);
		}
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dd));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "matrix_fragments", NULL, 0, 0, 0);
	check_halves<16, 16>("m16n16k16");
	check_halves<32, 8>("m32n8k16");
	check_halves<8, 32>("m8n32k16");
	check_bytes(false);
	check_bytes(true);
	return finish();
}
