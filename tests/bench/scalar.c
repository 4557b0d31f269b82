// SPDX-License-Identifier: MIT
/*
 * The benchmark's kernels as scalar C, compiled with -O2: what one thread of this processor does
 * with the same work.
 */
#include <math.h>

#include "scalar.h"

void scalar_sgemm(int n, const float *a, const float *b, float *c)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
}

void scalar_nbody(int n, const float *bodies, float *acceleration)
{
	for (int i = 0; i < n; i++) {
		float ax = 0, ay = 0, az = 0;

		for (int j = 0; j < n; j++) {
			float dx = bodies[4 * j] - bodies[4 * i];
			float dy = bodies[4 * j + 1] - bodies[4 * i + 1];
			float dz = bodies[4 * j + 2] - bodies[4 * i + 2];
			float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
			float scale = bodies[4 * j + 3] * inverse * inverse * inverse;

			ax += dx * scale;
			ay += dy * scale;
			az += dz * scale;
		}
		acceleration[3 * i] = ax;
		acceleration[3 * i + 1] = ay;
		acceleration[3 * i + 2] = az;
	}
}

void scalar_histogram(int n, const unsigned char *data, unsigned int *bins)
{
	for (int i = 0; i < n; i++)
		bins[data[i]]++;
}

void scalar_spmv(int rows, const int *row, const int *column, const float *value, const float *x,
		 float *y)
{
	for (int i = 0; i < rows; i++) {
		float sum = 0;

		for (int j = row[i]; j < row[i + 1]; j++)
			sum += value[j] * x[column[j]];
		y[i] = sum;
	}
}
