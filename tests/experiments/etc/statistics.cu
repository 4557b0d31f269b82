/* SPDX-License-Identifier: MIT */
/*
 * CORR and COVAR (Polybench): means, deviations and products of the columns of a matrix. A thread
 * has a column, so the lanes of a warp read words in a row. Of the products, which are M x M sums
 * over N, only a band of BAND columns beside each is computed: what is touched is the same.
 */
#include <math.h>

#include "etc.h"

#define M	1024
#define N	1792
#define BAND	4

static float *data, *mean, *deviation, *out;

static __global__ void means(const float *a, float *mean)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int i = 0; i < N; i++)
		sum += a[(size_t)i * M + j];
	mean[j] = sum / N;
}

static __global__ void deviations(const float *a, const float *mean, float *deviation)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int i = 0; i < N; i++) {
		float d = a[(size_t)i * M + j] - mean[j];

		sum += d * d;
	}
	deviation[j] = sqrtf(sum / N);
}

static __global__ void products(const float *a, const float *mean, float *out)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	float sum[BAND] = {};

	for (int i = 0; i < N; i++) {
		float own = a[(size_t)i * M + j] - mean[j];

		for (int k = 0; k < BAND; k++) {
			int other = (j + k) % M;

			sum[k] += own * (a[(size_t)i * M + other] - mean[other]);
		}
	}
	for (int k = 0; k < BAND; k++)
		out[(size_t)k * M + j] = sum[k] / N;
}

static __global__ void divide(const float *deviation, float *out)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;

	for (int k = 0; k < BAND; k++)
		out[(size_t)k * M + j] /= deviation[j] * deviation[(j + k) % M];
}

static void prepare(void)
{
	data = etc_input((size_t)M * N, 5);
	mean = etc_alloc(M);
	deviation = etc_alloc(M);
	out = etc_alloc((size_t)M * BAND);
}

static void run_covar(void)
{
	means<<<M / 128, 128>>>(data, mean);
	products<<<M / 128, 128>>>(data, mean, out);
}

static void run_corr(void)
{
	means<<<M / 128, 128>>>(data, mean);
	deviations<<<M / 128, 128>>>(data, mean, deviation);
	products<<<M / 128, 128>>>(data, mean, out);
	divide<<<M / 128, 128>>>(deviation, out);
}

static double mean_of(int j)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += data[(size_t)i * M + j];
	return sum / N;
}

static double product_of(int j, int k)
{
	double mj = mean_of(j), mk = mean_of(k), sum = 0;

	for (int i = 0; i < N; i++)
		sum += (data[(size_t)i * M + j] - mj) * (data[(size_t)i * M + k] - mk);
	return sum / N;
}

/* Sums of floats in another order: what is near 0 is compared with the largest. */
static double check(bool correlation)
{
	double most = 0;

	for (int n = 0; n < 8; n++) {
		int j = (int)etc_random(M), k = (int)etc_random(BAND), other = (j + k) % M;
		double own = product_of(j, j), want = product_of(j, other), error;

		if (correlation) {
			want /= sqrt(own * product_of(other, other));
			own = 1;
		}
		error = fabs(out[(size_t)k * M + j] - want) / own;
		most = error > most ? error : most;
	}
	return most;
}

static double check_covar(void) { return check(false); }
static double check_corr(void) { return check(true); }

struct app apps_statistics[2] = {
	{ "corr", NO_SHARING, prepare, run_corr, check_corr },
	{ "covar", NO_SHARING, prepare, run_covar, check_covar },
};
