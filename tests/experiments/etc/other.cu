/* SPDX-License-Identifier: MIT */
/*
 * SAD (Parboil: sums of absolute differences of blocks of two images), LUD (Rodinia: each of many
 * kernels goes through what is left of the same matrix), SCAN (CUDA SDK: sums of blocks, then what
 * is before each block is added).
 */
#include <math.h>

#include "etc.h"

#define WIDTH	1024
#define HEIGHT	768
#define SEARCH	4
#define NL	1408
#define STEP	64
#define LUD_SEED 3
#define COUNT	(4u << 20)
#define SCAN_BLOCK 1024

static float *now, *then, *sads, *matrix, *factor, *in, *out, *sums;

/* A thread a block of 4 x 4 pixels; SEARCH x SEARCH places. */
static __global__ void sad(const float *now, const float *then, float *sads)
{
	int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y;
	int blocks = WIDTH / 4;

	if (bx >= blocks)
		return;
	for (int p = 0; p < SEARCH * SEARCH; p++) {
		int dx = p % SEARCH, dy = p / SEARCH;
		float sum = 0;

		for (int y = 0; y < 4; y++)
			for (int x = 0; x < 4; x++) {
				int yy = min(by * 4 + y + dy, HEIGHT - 1);
				int xx = min(bx * 4 + x + dx, WIDTH - 1);

				sum += fabsf(now[(size_t)(by * 4 + y) * WIDTH + bx * 4 + x] -
					     then[(size_t)yy * WIDTH + xx]);
			}
		sads[((size_t)p * (HEIGHT / 4) + by) * blocks + bx] = sum;
	}
}

static void prepare_sad(void)
{
	now = etc_input((size_t)WIDTH * HEIGHT, 1);
	then = etc_input((size_t)WIDTH * HEIGHT, 2);
	sads = etc_alloc((size_t)SEARCH * SEARCH * (WIDTH / 4) * (HEIGHT / 4));
}

static void run_sad(void)
{
	sad<<<dim3(WIDTH / 4 / 64, HEIGHT / 4), 64>>>(now, then, sads);
}

static double check_sad(void)
{
	double most = 0;

	for (int n = 0; n < 100; n++) {
		int bx = (int)etc_random(WIDTH / 4 - 2), by = (int)etc_random(HEIGHT / 4 - 2);
		int p = (int)etc_random(SEARCH * SEARCH);
		double want = 0, error;

		for (int y = 0; y < 4; y++)
			for (int x = 0; x < 4; x++)
				want += fabs((double)now[(by * 4 + y) * WIDTH + bx * 4 + x] -
					     then[(by * 4 + y + p / SEARCH) * WIDTH + bx * 4 +
						  x + p % SEARCH]);
		error = etc_error(sads[((size_t)p * (HEIGHT / 4) + by) * (WIDTH / 4) + bx], want);
		most = error > most ? error : most;
	}
	return most;
}

/*
 * Each launch subtracts one row, times a factor, from all rows below: LU without pivoting, of which
 * only every STEP-th row is taken, so that a run is short.
 */
static __global__ void lud(int n, float *m, const float *factor, int k)
{
	int j = k + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y;

	if (j < n)
		m[(size_t)i * n + j] -= factor[i] * m[(size_t)k * n + j];
}

static void prepare_lud(void)
{
	matrix = etc_input((size_t)NL * NL, LUD_SEED);
	factor = etc_input(NL, 4);
	for (int i = 0; i < NL; i++)
		factor[i] = factor[i] / 64;
}

static void run_lud(void)
{
	for (int k = 0; k < NL - 1; k += STEP)
		lud<<<dim3(BLOCKS(NL - k, 256), NL - 1 - k), 256>>>(NL, matrix, factor, k);
}

/* A column of the result, from the input. */
static double check_lud(void)
{
	static float column[NL];
	double most = 0;

	for (int n = 0; n < 8; n++) {
		int j = (int)etc_random(NL);

		for (int i = 0; i < NL; i++)
			column[i] = etc_input_value((size_t)i * NL + j, LUD_SEED);
		for (int k = 0; k < NL - 1 && k <= j; k += STEP)
			for (int i = k + 1; i < NL; i++)
				column[i] -= factor[i] * column[k];
		for (int i = 0; i < NL; i += 7) {
			double error = etc_error(matrix[(size_t)i * NL + j], column[i]);

			most = error > most ? error : most;
		}
	}
	return most;
}

static __global__ void scan_blocks(const float *a, float *b, float *sums)
{
	__shared__ float s[SCAN_BLOCK];
	unsigned t = threadIdx.x, at = blockIdx.x * SCAN_BLOCK + t;

	s[t] = a[at];
	for (unsigned d = 1; d < SCAN_BLOCK; d *= 2) {
		float before;

		__syncthreads();
		before = t >= d ? s[t - d] : 0;
		__syncthreads();
		s[t] += before;
	}
	b[at] = s[t];
	if (t == SCAN_BLOCK - 1)
		sums[blockIdx.x] = s[t];
}

static __global__ void scan_sums(float *sums, int count)
{
	float sum = 0;

	for (int n = 0; n < count; n++) {
		float own = sums[n];

		sums[n] = sum;
		sum += own;
	}
}

static __global__ void scan_add(float *b, const float *sums)
{
	b[blockIdx.x * SCAN_BLOCK + threadIdx.x] += sums[blockIdx.x];
}

static void prepare_scan(void)
{
	in = etc_input(COUNT / 2, 5);
	out = etc_alloc(COUNT / 2);
	sums = etc_alloc(COUNT / 2 / SCAN_BLOCK);
}

static void run_scan(void)
{
	scan_blocks<<<COUNT / 2 / SCAN_BLOCK, SCAN_BLOCK>>>(in, out, sums);
	scan_sums<<<1, 1>>>(sums, COUNT / 2 / SCAN_BLOCK);
	scan_add<<<COUNT / 2 / SCAN_BLOCK, SCAN_BLOCK>>>(out, sums);
}

static double check_scan(void)
{
	double most = 0, sum = 0;

	for (unsigned n = 0; n < COUNT / 2; n++) {
		double error;

		sum += in[n];
		error = fabs(out[n] - sum) / sum;
		most = n > 100 && error > most ? error : most;
	}
	return most;
}

struct app apps_other[3] = {
	{ "sad", NO_SHARING, prepare_sad, run_sad, check_sad },
	{ "lud", SHARING, prepare_lud, run_lud, check_lud },
	{ "scan", SHARING, prepare_scan, run_scan, check_scan },
};
