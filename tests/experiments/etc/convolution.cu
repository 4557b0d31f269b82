/* SPDX-License-Identifier: MIT */
/*
 * Convolutions: 2DCONV and 3DCONV (Polybench) go through their input once; CONS, separable (CUDA
 * SDK), goes by rows into an array that it then goes through by columns.
 */
#include "etc.h"

#define N2	1408
#define NX	128
#define NY	128
#define NZ	112
#define NS	1408
#define RADIUS	8

static float *in, *between, *out;

static __global__ void conv2d(int n, const float *a, float *b)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1)
		return;
	a += (size_t)i * n + j;
	b[(size_t)i * n + j] = 0.2f * a[-n - 1] + 0.5f * a[-n] - 0.8f * a[-n + 1] - 0.3f * a[-1] +
			       0.6f * a[0] - 0.9f * a[1] + 0.4f * a[n - 1] + 0.7f * a[n] +
			       0.1f * a[n + 1];
}

static double conv2d_at(int i, int j)
{
	const float *a = in + (size_t)i * N2 + j;

	return 0.2 * a[-N2 - 1] + 0.5 * a[-N2] - 0.8 * a[-N2 + 1] - 0.3 * a[-1] + 0.6 * a[0] -
	       0.9 * a[1] + 0.4 * a[N2 - 1] + 0.7 * a[N2] + 0.1 * a[N2 + 1];
}

static void prepare_2d(void)
{
	in = etc_input((size_t)N2 * N2, 1);
	out = etc_alloc((size_t)N2 * N2);
}

static void run_2d(void)
{
	conv2d<<<dim3(BLOCKS(N2, 32), BLOCKS(N2, 8)), dim3(32, 8)>>>(N2, in, out);
}

static double check_2d(void)
{
	double most = 0;

	for (int n = 0; n < 100; n++) {
		int i = 1 + (int)etc_random(N2 - 2), j = 1 + (int)etc_random(N2 - 2);
		double error = etc_error(out[(size_t)i * N2 + j], conv2d_at(i, j));

		most = error > most ? error : most;
	}
	return most;
}

#define AT(z, y, x)	(((size_t)(z) * NY + (y)) * NX + (x))

/* A plane a launch, as Polybench does. */
static __global__ void conv3d(const float *a, float *b, int z)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < 1 || y < 1 || x >= NX - 1 || y >= NY - 1)
		return;
	b[AT(z, y, x)] = 2 * a[AT(z - 1, y - 1, x - 1)] + 4 * a[AT(z + 1, y - 1, x - 1)] +
			 5 * a[AT(z - 1, y, x)] - 7 * a[AT(z, y + 1, x)] + 6 * a[AT(z + 1, y, x)] +
			 3 * a[AT(z, y, x + 1)] - 9 * a[AT(z + 1, y + 1, x + 1)];
}

static void prepare_3d(void)
{
	in = etc_input((size_t)NX * NY * NZ, 2);
	out = etc_alloc((size_t)NX * NY * NZ);
}

static void run_3d(void)
{
	for (int z = 1; z < NZ - 1; z++)
		conv3d<<<dim3(NX / 32, NY / 8), dim3(32, 8)>>>(in, out, z);
}

static double check_3d(void)
{
	double most = 0;

	for (int n = 0; n < 100; n++) {
		int x = 1 + (int)etc_random(NX - 2), y = 1 + (int)etc_random(NY - 2),
		    z = 1 + (int)etc_random(NZ - 2);
		const float *a = in;
		double want = 2.0 * a[AT(z - 1, y - 1, x - 1)] +
			      4.0 * a[AT(z + 1, y - 1, x - 1)] + 5.0 * a[AT(z - 1, y, x)] -
			      7.0 * a[AT(z, y + 1, x)] + 6.0 * a[AT(z + 1, y, x)] +
			      3.0 * a[AT(z, y, x + 1)] - 9.0 * a[AT(z + 1, y + 1, x + 1)];
		double error = etc_error(out[AT(z, y, x)], want);

		most = error > most ? error : most;
	}
	return most;
}

static __global__ void rows(int n, const float *a, float *b)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;

	if (i >= n || j >= n)
		return;
	for (int k = -RADIUS; k <= RADIUS; k++)
		if (j + k >= 0 && j + k < n)
			sum += a[(size_t)i * n + j + k] * (float)(RADIUS + 1 - abs(k));
	b[(size_t)i * n + j] = sum;
}

static __global__ void columns(int n, const float *a, float *b)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;

	if (i >= n || j >= n)
		return;
	for (int k = -RADIUS; k <= RADIUS; k++)
		if (i + k >= 0 && i + k < n)
			sum += a[(size_t)(i + k) * n + j] * (float)(RADIUS + 1 - abs(k));
	b[(size_t)i * n + j] = sum;
}

static void prepare_cons(void)
{
	in = etc_input((size_t)NS * NS, 3);
	between = etc_alloc((size_t)NS * NS);
	out = etc_alloc((size_t)NS * NS);
}

static void run_cons(void)
{
	dim3 grid(BLOCKS(NS, 32), BLOCKS(NS, 8)), block(32, 8);

	for (int again = 0; again < 2; again++) {
		rows<<<grid, block>>>(NS, in, between);
		columns<<<grid, block>>>(NS, between, out);
	}
}

static double check_cons(void)
{
	double most = 0;

	for (int n = 0; n < 100; n++) {
		int i = RADIUS + (int)etc_random(NS - 2 * RADIUS), j = (int)etc_random(NS);
		double want = 0, error;

		for (int k = -RADIUS; k <= RADIUS; k++)
			want += (double)between[(size_t)(i + k) * NS + j] *
				(RADIUS + 1 - abs(k));
		error = etc_error(out[(size_t)i * NS + j], want);
		most = error > most ? error : most;
	}
	return most;
}

struct app apps_convolution[3] = {
	{ "2dconv", NO_SHARING, prepare_2d, run_2d, check_2d },
	{ "3dconv", NO_SHARING, prepare_3d, run_3d, check_3d },
	{ "cons", SHARING, prepare_cons, run_cons, check_cons },
};
