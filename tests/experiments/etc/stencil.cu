/* SPDX-License-Identifier: MIT */
/*
 * Stencils: FDTD (Polybench, two dimensions), LPS (the Laplace solver of the CUDA SDK's time, three
 * dimensions), SRAD (Rodinia: two kernels that go through the same image in turn).
 */
#include <string.h>

#include "etc.h"

#define NF	1024
#define FDTD_STEPS 2
#define NX	128
#define NY	128
#define NZ	96
#define NS	1024
#define SRAD_STEPS 2
#define LAMBDA	0.5f

static float *ex, *ey, *hz, *copy, *u, *v, *image, *c, *dn, *ds, *dw, *de;

static __global__ void electric(int n, float *ex, float *ey, const float *hz)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	size_t at = (size_t)i * n + j;

	if (i > 0)
		ey[at] -= 0.5f * (hz[at] - hz[at - n]);
	if (j > 0)
		ex[at] -= 0.5f * (hz[at] - hz[at - 1]);
}

static __global__ void magnetic(int n, const float *ex, const float *ey, float *hz)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	size_t at = (size_t)i * n + j;

	if (i < n - 1 && j < n - 1)
		hz[at] -= 0.7f * (ex[at + 1] - ex[at] + ey[at + n] - ey[at]);
}

static void prepare_fdtd(void)
{
	ex = etc_input((size_t)NF * NF, 1);
	ey = etc_input((size_t)NF * NF, 2);
	hz = etc_input((size_t)NF * NF, 3);
	free(copy);
	copy = (float *)malloc(3 * sizeof(float) * NF * NF);
	memcpy(copy, ex, sizeof(float) * NF * NF);
	memcpy(copy + NF * NF, ey, sizeof(float) * NF * NF);
	memcpy(copy + 2 * NF * NF, hz, sizeof(float) * NF * NF);
}

static void run_fdtd(void)
{
	dim3 grid(NF / 32, NF / 8), block(32, 8);

	for (int t = 0; t < FDTD_STEPS; t++) {
		electric<<<grid, block>>>(NF, ex, ey, hz);
		magnetic<<<grid, block>>>(NF, ex, ey, hz);
	}
}

static double check_fdtd(void)
{
	float *x = copy, *y = copy + NF * NF, *z = copy + 2 * NF * NF;
	double most = 0;

	for (int t = 0; t < FDTD_STEPS; t++) {
		for (int i = 0; i < NF; i++)
			for (int j = 0; j < NF; j++) {
				size_t at = (size_t)i * NF + j;

				if (i > 0)
					y[at] -= 0.5f * (z[at] - z[at - NF]);
				if (j > 0)
					x[at] -= 0.5f * (z[at] - z[at - 1]);
			}
		for (int i = 0; i < NF - 1; i++)
			for (int j = 0; j < NF - 1; j++) {
				size_t at = (size_t)i * NF + j;

				z[at] -= 0.7f * (x[at + 1] - x[at] + y[at + NF] - y[at]);
			}
	}
	for (int n = 0; n < 1000; n++) {
		unsigned at = etc_random(NF * NF);
		double error = etc_error(hz[at], z[at]);

		most = error > most ? error : most;
	}
	return most;
}

#define AT(z, y, x)	(((size_t)(z) * NY + (y)) * NX + (x))

static __global__ void laplace(const float *a, float *b)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < 1 || y < 1 || x >= NX - 1 || y >= NY - 1)
		return;
	for (int z = 1; z < NZ - 1; z++)
		b[AT(z, y, x)] = (a[AT(z, y, x - 1)] + a[AT(z, y, x + 1)] + a[AT(z, y - 1, x)] +
				  a[AT(z, y + 1, x)] + a[AT(z - 1, y, x)] + a[AT(z + 1, y, x)]) /
				 6.0f;
}

static void prepare_lps(void)
{
	u = etc_input((size_t)NX * NY * NZ, 4);
	v = etc_alloc((size_t)NX * NY * NZ);
}

static void run_lps(void)
{
	laplace<<<dim3(NX / 32, NY / 4), dim3(32, 4)>>>(u, v);
}

static double check_lps(void)
{
	double most = 0;

	for (int n = 0; n < 100; n++) {
		int x = 1 + (int)etc_random(NX - 2), y = 1 + (int)etc_random(NY - 2),
		    z = 1 + (int)etc_random(NZ - 2);
		double want = ((double)u[AT(z, y, x - 1)] + u[AT(z, y, x + 1)] +
			       u[AT(z, y - 1, x)] + u[AT(z, y + 1, x)] + u[AT(z - 1, y, x)] +
			       u[AT(z + 1, y, x)]) / 6;
		double error = etc_error(v[AT(z, y, x)], want);

		most = error > most ? error : most;
	}
	return most;
}

static __global__ void srad1(int n, const float *image, float *c, float *dn, float *ds, float *dw,
			     float *de)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	size_t at = (size_t)i * n + j;
	float own = image[at] + 1.0f, g, l;

	dn[at] = image[i ? at - n : at] + 1.0f - own;
	ds[at] = image[i < n - 1 ? at + n : at] + 1.0f - own;
	dw[at] = image[j ? at - 1 : at] + 1.0f - own;
	de[at] = image[j < n - 1 ? at + 1 : at] + 1.0f - own;
	g = (dn[at] * dn[at] + ds[at] * ds[at] + dw[at] * dw[at] + de[at] * de[at]) / (own * own);
	l = (dn[at] + ds[at] + dw[at] + de[at]) / own;
	c[at] = 1.0f / (1.0f + 0.5f * g + 0.0625f * l * l);
}

static __global__ void srad2(int n, float *image, const float *c, const float *dn, const float *ds,
			     const float *dw, const float *de)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	size_t at = (size_t)i * n + j;
	float south = c[i < n - 1 ? at + n : at], east = c[j < n - 1 ? at + 1 : at];

	image[at] += 0.25f * LAMBDA *
		     (c[at] * dn[at] + south * ds[at] + c[at] * dw[at] + east * de[at]);
}

static void prepare_srad(void)
{
	size_t count = (size_t)NS * NS / 2;

	image = etc_input(count, 6);
	c = etc_alloc(count);
	dn = etc_alloc(count);
	ds = etc_alloc(count);
	dw = etc_alloc(count);
	de = etc_alloc(count);
}

/* Of half the image: rows of 724, rounded down to 704 */
#define SIDE	704

static void run_srad(void)
{
	dim3 grid(SIDE / 32, SIDE / 8), block(32, 8);

	for (int t = 0; t < SRAD_STEPS; t++) {
		srad1<<<grid, block>>>(SIDE, image, c, dn, ds, dw, de);
		srad2<<<grid, block>>>(SIDE, image, c, dn, ds, dw, de);
	}
}

/* What the second kernel had: c is of the image before it, which is image less what it added. */
static double check_srad(void)
{
	double most = 0;

	for (int n = 0; n < 1000; n++) {
		int i = (int)etc_random(SIDE - 1), j = (int)etc_random(SIDE - 1);
		size_t at = (size_t)i * SIDE + j;
		double added = 0.25 * LAMBDA *
			       ((double)c[at] * dn[at] + (double)c[at + SIDE] * ds[at] +
				(double)c[at] * dw[at] + (double)c[at + 1] * de[at]);
		double own = image[at] - added + 1, g, l, error;

		g = ((double)dn[at] * dn[at] + (double)ds[at] * ds[at] + (double)dw[at] * dw[at] +
		     (double)de[at] * de[at]) / (own * own);
		l = ((double)dn[at] + ds[at] + dw[at] + de[at]) / own;
		error = etc_error(c[at], 1 / (1 + 0.5 * g + 0.0625 * l * l));
		most = error > most ? error : most;
	}
	return most;
}

struct app apps_stencil[3] = {
	{ "fdtd", NO_SHARING, prepare_fdtd, run_fdtd, check_fdtd },
	{ "lps", NO_SHARING, prepare_lps, run_lps, check_lps },
	{ "srad", SHARING, prepare_srad, run_srad, check_srad },
};
