/* SPDX-License-Identifier: MIT */
/*
 * The benchmark's kernels as scalar C, one thread of an ordinary processor: the yardstick. See
 * kernels.cu.
 */
#ifndef VGPU_BENCH_SCALAR_H
#define VGPU_BENCH_SCALAR_H

#ifdef __cplusplus
extern "C" {
#endif

/* c = a * b, all n x n, row-major */
void scalar_sgemm(int n, const float *a, const float *b, float *c);
/* accelerations of n bodies (x, y, z, mass) */
void scalar_nbody(int n, const float *bodies, float *acceleration);
/* bins[256] += counts of the bytes */
void scalar_histogram(int n, const unsigned char *data, unsigned int *bins);
/* y = matrix * x, CSR */
void scalar_spmv(int rows, const int *row, const int *column, const float *value, const float *x,
		 float *y);
/* y += a * x */
void scalar_saxpy(int n, float a, const float *x, float *y);
/* one Jacobi step of a 7-point stencil on n x n x n; the border stays */
void scalar_stencil(int n, const float *in, float *out);
/* sum[0] of n floats, in eight parts */
void scalar_reduce(int n, const float *x, float *sum);

#ifdef __cplusplus
}
#endif
#endif
