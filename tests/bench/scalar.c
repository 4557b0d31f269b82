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

void scalar_saxpy(int n, float a, const float *x, float *y)
{
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}

void scalar_stencil(int n, const float *in, float *out)
{
	int plane = n * n;

	for (int z = 1; z < n - 1; z++)
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				int i = z * plane + y * n + x;

				out[i] = 0.25f * in[i] +
					 0.125f * (in[i + plane] + in[i - plane] + in[i - n] +
						   in[i + n] + in[i + 1] + in[i - 1]);
			}
}

void scalar_reduce(int n, const float *x, float *sum)
{
	float parts[8] = { 0 };

	for (int i = 0; i < n; i++)
		parts[i & 7] += x[i];
	*sum = ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
	       ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}
