/* SPDX-License-Identifier: MIT */
/*
 * spmv: a sparse matrix in transposed ELL form, a thread for each row. All columns of the format
 * are far apart, so the first blocks touch most pages of the matrix, and the output is small.
 */
#include "chapter6.h"

#define PER_ROW 24
#define THREADS 128

__global__ void spmv(const float *value, const int *column, const float *x, float *y, int rows)
{
	int row = blockIdx.x * THREADS + threadIdx.x;
	float sum = 0;

	for (int i = 0; i < PER_ROW; i++)
		sum += value[i * rows + row] * x[column[i * rows + row]];
	y[row] = sum;
}

int main(int argc, char **argv)
{
	int blocks = (int)parse_size(argc, argv, "spmv", "blocks of 128 rows", 1024, 1, 8192);
	int rows = blocks * THREADS;
	size_t size = (size_t)rows * PER_ROW;
	float *value = managed_floats(size, 6), *x = managed_floats(rows, 7);
	float *y = managed_new<float>(rows);
	int *column = managed_new<int>(size);
	struct lcg g = { 8 };

	for (size_t i = 0; i < size; i++)
		column[i] = (int)lcg_below(&g, rows);
	start_kernel();
	spmv<<<blocks, THREADS>>>(value, column, x, y, rows);
	end_kernel();
	for (int row = 0; row < rows; row += 61) {
		double sum = 0;

		for (int i = 0; i < PER_ROW; i++)
			sum += (double)value[i * rows + row] * x[column[i * rows + row]];
		expect_near("y", row, y[row], sum, PER_ROW * PER_ROW * F32_ROUND);
	}
	return finish();
}
