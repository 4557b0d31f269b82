/* SPDX-License-Identifier: MIT */
/*
 * spmv: a sparse matrix in compressed rows (CSR) times a vector, twice: one thread per row, where
 * rows of different length diverge, and one warp per row, where shuffles add the lanes up. Some
 * rows are empty and one is long.
 */
#include "common.h"

#include <vector>

#define BDIM 128

__global__ void spmv_thread(int rows, const int *start, const int *cols, const float *vals,
			    const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0.0f;

	if (row >= rows)
		return;
	for (int i = start[row]; i < start[row + 1]; i++)
		sum += vals[i] * __ldg(&x[cols[i]]);
	y[row] = sum;
}

__global__ void spmv_warp(int rows, const int *start, const int *cols, const float *vals,
			  const float *x, float *y)
{
	int lane = threadIdx.x % 32;
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	float sum = 0.0f;

	if (row >= rows)
		return;
	for (int i = start[row] + lane; i < start[row + 1]; i += 32)
		sum += vals[i] * __ldg(&x[cols[i]]);
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, d);
	if (lane == 0)
		y[row] = sum;
}

int main(int argc, char **argv)
{
	int rows = (int)parse_size(argc, argv, "spmv", "rows and columns", 2000, 1, 1 << 22);
	std::vector<int> start(1, 0), cols;
	std::vector<float> vals, x(rows), got(rows);
	std::vector<double> want(rows), bound(rows);
	struct lcg g = { 5 };

	for (int row = 0; row < rows; row++) {
		int entries = row == rows / 2 ? 700 : row % 9 == 3 ? 0 : (int)lcg_below(&g, 24);

		x[row] = lcg_float(&g, -1.0f, 1.0f);
		for (int i = 0; i < entries; i++) {
			cols.push_back((int)lcg_below(&g, rows));
			vals.push_back(lcg_float(&g, -2.0f, 2.0f));
		}
		start.push_back((int)cols.size());
	}
	/* A row of k terms, in any order, fused or not: within k roundings of sum |a x|. */
	for (int row = 0; row < rows; row++) {
		for (int i = start[row]; i < start[row + 1]; i++) {
			double p = (double)vals[i] * x[cols[i]];

			want[row] += p;
			bound[row] += fabs(p);
		}
		bound[row] *= (start[row + 1] - start[row] + 6) * F32_ROUND;
	}

	int *dev_start = device_from(start.data(), start.size());
	int *dev_cols = device_from(cols.data(), cols.size());
	float *dev_vals = device_from(vals.data(), vals.size());
	float *dev_x = device_from(x.data(), x.size()), *dev_y;
	size_t bytes = rows * sizeof(float);

	CHECK(cudaMalloc((void **)&dev_y, bytes));
	for (int warp = 0; warp < 2; warp++) {
		int threads = warp ? rows * 32 : rows, blocks = (threads + BDIM - 1) / BDIM;

		CHECK(cudaMemset(dev_y, 0xff, bytes));
		if (warp)
			spmv_warp<<<blocks, BDIM>>>(rows, dev_start, dev_cols, dev_vals, dev_x,
						    dev_y);
		else
			spmv_thread<<<blocks, BDIM>>>(rows, dev_start, dev_cols, dev_vals, dev_x,
						      dev_y);
		CHECK_LAUNCH();
		CHECK(cudaMemcpy(got.data(), dev_y, bytes, cudaMemcpyDeviceToHost));
		for (int row = 0; row < rows; row++)
			expect_near(warp ? "warp per row" : "thread per row", row, got[row],
				    want[row], bound[row]);
	}
	CHECK(cudaFree(dev_start));
	CHECK(cudaFree(dev_cols));
	CHECK(cudaFree(dev_vals));
	CHECK(cudaFree(dev_x));
	CHECK(cudaFree(dev_y));
	return finish();
}
