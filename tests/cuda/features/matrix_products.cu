/* SPDX-License-Identifier: MIT */
/*
 * matrix_products: a product of matrices as libraries for sm_80 make it, written in PTX: cp.async
 * brings tiles to shared memory, ldmatrix loads fragments, mma.sync multiplies halves and adds
 * f32; sums of columns come together by atomics on pairs of halves. All numbers are whole and
 * small, so that every order of adding gives the same.
 */
#include "../common.h"

#define M 64
#define N 32
#define K 128
#define WARPS 4

__global__ void product(const unsigned short *a, const unsigned short *b, float *c,
			unsigned int *sums)
{
	/* a tile of A for each warp, one of B for all; rows of 16 and 8 halves */
	__shared__ __align__(16) unsigned short tile_a[WARPS][16][16], tile_b[16][8];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, four = lane % 4;
	int row = blockIdx.y * 16 * WARPS + warp * 16, col = blockIdx.x * 8;
	unsigned int at_a =
		(unsigned int)__cvta_generic_to_shared(&tile_a[warp][lane / 2][lane % 2 * 8]);
	unsigned int at_b = (unsigned int)__cvta_generic_to_shared(&tile_b[threadIdx.x % 16][0]);
	unsigned int from_a =
		(unsigned int)__cvta_generic_to_shared(&tile_a[warp][lane % 16][lane / 16 * 8]);
	float d[4] = {0, 0, 0, 0};

	for (int k = 0; k < K; k += 16) {
		unsigned int ra[4], rb[2];

		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at_a),
			     "l"(a + (row + lane / 2) * K + k + lane % 2 * 8)
			     : "memory");
		if (threadIdx.x < 16)
			asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at_b),
				     "l"(b + (k + threadIdx.x) * N + col)
				     : "memory");
		asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
		__syncthreads();
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			     : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
			     : "r"(from_a)
			     : "memory");
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
			     : "=r"(rb[0]), "=r"(rb[1])
			     : "r"(at_b)
			     : "memory");
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
			     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
			     : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]),
			       "r"(rb[1]));
		__syncthreads();
	}
	for (int i = 0; i < 2; i++) {
		int y = row + group + 8 * i, x = col + 2 * four;
		unsigned int pair;

		c[y * N + x] = d[2 * i];
		c[y * N + x + 1] = d[2 * i + 1];
		asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;"
			     : "=r"(pair)
			     : "f"(d[2 * i + 1]), "f"(d[2 * i]));
		asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(sums + x / 2), "r"(pair)
			     : "memory");
	}
}

/* The f16 of a whole number up to 2048, and back. */
static unsigned short to_half(int value)
{
	unsigned int magnitude = abs(value), exponent = 0;

	if (!value)
		return 0;
	while (magnitude >> (exponent + 1))
		exponent++;
	return (value < 0 ? 0x8000 : 0) | (15 + exponent) << 10 |
	       ((magnitude << 10 >> exponent) & 0x3ff);
}

static int from_half(unsigned short half)
{
	int exponent = (half >> 10 & 31) - 15, magnitude = (half & 0x3ff) | 0x400;

	if (!(half & 0x7fff))
		return 0;
	magnitude = exponent > 10 ? magnitude << (exponent - 10) : magnitude >> (10 - exponent);
	return half & 0x8000 ? -magnitude : magnitude;
}

int main(int argc, char **argv)
{
	static int a[M][K], b[K][N], want[M][N];
	static unsigned short half_a[M * K], half_b[K * N];
	static float c[M * N];
	unsigned int sums[N / 2] = {0};

	parse_size(argc, argv, "matrix_products", NULL, 0, 0, 0);
	for (int i = 0; i < M; i++)
		for (int k = 0; k < K; k++)
			half_a[i * K + k] = to_half(a[i][k] = (i * 7 + k * 3) % 5 - 2);
	for (int k = 0; k < K; k++)
		for (int j = 0; j < N; j++)
			half_b[k * N + j] = to_half(b[k][j] = (k * 5 + j * 11) % 3 - 1);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < K; k++)
				want[i][j] += a[i][k] * b[k][j];

	unsigned short *dev_a = device_from(half_a, M * K), *dev_b = device_from(half_b, K * N);
	float *dev_c = device_new<float>(M * N);
	unsigned int *dev_sums = device_from(sums, N / 2);

	product<<<dim3(N / 8, M / 16 / WARPS), 32 * WARPS>>>(dev_a, dev_b, dev_c, dev_sums);
	CHECK_LAUNCH();
	host_from(c, dev_c, M * N);
	host_from(sums, dev_sums, N / 2);
	for (int i = 0; i < M * N; i++)
		expect_same("product", i, (int)c[i], want[i / N][i % N]);
	for (int j = 0; j < N; j++) {
		int sum = 0;

		for (int i = 0; i < M; i++)
			sum += want[i][j];
		expect_same("sum of a column", j,
			    from_half((unsigned short)(sums[j / 2] >> j % 2 * 16)), sum);
	}
	CHECK(cudaFree(dev_a));
	CHECK(cudaFree(dev_b));
	CHECK(cudaFree(dev_c));
	CHECK(cudaFree(dev_sums));
	return finish();
}
