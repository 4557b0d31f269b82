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

#ifdef __cplusplus
}
#endif
#endif
