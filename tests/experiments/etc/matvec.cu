/* SPDX-License-Identifier: MIT */
/*
 * The four irregular applications (Polybench): products of a dense matrix with vectors, a thread a
 * row, so that the lanes of a warp read 32 rows at a time. ATAX and BICG go through the matrix a
 * second time by columns, MVT too; GESUMMV has two matrices.
 */
#include "etc.h"

#define N	2048

static float *a, *b, *x, *y, *z, *out1, *out2;

static __global__ void by_rows(int n, const float *m, const float *v, float *out)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (row >= n)
		return;
	for (int k = 0; k < n; k++)
		sum += m[(size_t)row * n + k] * v[k];
	out[row] = sum;
}

static __global__ void by_columns(int n, const float *m, const float *v, float *out)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (column >= n)
		return;
	for (int k = 0; k < n; k++)
		sum += m[(size_t)k * n + column] * v[k];
	out[column] = sum;
}

static __global__ void both(int n, const float *m1, const float *m2, const float *v, float *out)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum1 = 0, sum2 = 0;

	if (row >= n)
		return;
	for (int k = 0; k < n; k++) {
		sum1 += m1[(size_t)row * n + k] * v[k];
		sum2 += m2[(size_t)row * n + k] * v[k];
	}
	out[row] = 1.5f * sum1 + 2.5f * sum2;
}

#define THREADS	64
#define GRID	BLOCKS(N, THREADS), THREADS

static void prepare(void)
{
	a = etc_input((size_t)N * N, 1);
	x = etc_input(N, 2);
	y = etc_input(N, 3);
	out1 = etc_alloc(N);
	out2 = etc_alloc(N);
}

static void prepare_gesummv(void)
{
	prepare();
	b = etc_input((size_t)N * N, 4);
}

static double row_times(const float *m, const float *v, int row)
{
	double sum = 0;

	for (int k = 0; k < N; k++)
		sum += (double)m[(size_t)row * N + k] * v[k];
	return sum;
}

static double column_times(const float *m, const float *v, int column)
{
	double sum = 0;

	for (int k = 0; k < N; k++)
		sum += (double)m[(size_t)k * N + column] * v[k];
	return sum;
}

static double worst(double (*of)(int))
{
	double most = 0;

	for (int n = 0; n < 8; n++) {
		double error = of((int)etc_random(N));

		most = error > most ? error : most;
	}
	return most;
}

static void run_atax(void)
{
	by_rows<<<GRID>>>(N, a, x, out1);
	by_columns<<<GRID>>>(N, a, out1, out2);
}

static double atax_at(int n)
{
	return etc_error(out2[n], column_times(a, out1, n)) +
	       etc_error(out1[n], row_times(a, x, n));
}

static double check_atax(void) { return worst(atax_at); }

static void run_bicg(void)
{
	by_columns<<<GRID>>>(N, a, y, out1);
	by_rows<<<GRID>>>(N, a, x, out2);
}

static double bicg_at(int n)
{
	return etc_error(out1[n], column_times(a, y, n)) + etc_error(out2[n], row_times(a, x, n));
}

static double check_bicg(void) { return worst(bicg_at); }

static void run_gesummv(void)
{
	both<<<GRID>>>(N, a, b, x, out1);
}

static double gesummv_at(int n)
{
	return etc_error(out1[n], 1.5 * row_times(a, x, n) + 2.5 * row_times(b, x, n));
}

static double check_gesummv(void) { return worst(gesummv_at); }

static void run_mvt(void)
{
	by_rows<<<GRID>>>(N, a, x, out1);
	by_columns<<<GRID>>>(N, a, y, out2);
}

static double mvt_at(int n)
{
	return etc_error(out1[n], row_times(a, x, n)) + etc_error(out2[n], column_times(a, y, n));
}

static double check_mvt(void) { return worst(mvt_at); }

struct app apps_matvec[4] = {
	{ "atax", IRREGULAR, prepare, run_atax, check_atax },
	{ "bicg", IRREGULAR, prepare, run_bicg, check_bicg },
	{ "gesummv", IRREGULAR, prepare_gesummv, run_gesummv, check_gesummv },
	{ "mvt", IRREGULAR, prepare, run_mvt, check_mvt },
};
