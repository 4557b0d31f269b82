/* SPDX-License-Identifier: MIT */
/*
 * spmv: a sparse matrix times a vector, the matrix in jagged diagonal form: rows are sorted by
 * their length; then come the first elements of all rows, the second ones, and so on. A thread has
 * a row, so it reads from as many places far apart as the row has elements: the first blocks touch
 * most pages of the matrix. Lengths for each warp are in constant memory. The result is small, and
 * written in the order of the rows before sorting.
 *
 * The matrix is one of finite elements, of the size of Parboil's large, Dubcova3: 146689 rows with
 * 25 elements on average, most of them near the diagonal.
 */
#include "chapter6.h"

#define THREADS 192
#define WARP 32
#define MOST 64
#define WARPS 12000
#define OCCUPANCY 10

__constant__ int column_start[MOST];
__constant__ unsigned char warp_length[WARPS];

template <bool together>
__global__ void spmv(const float *value, const int *column, const int *order, const float *x,
		     float *y, int rows)
{
	int row = blockIdx.x * THREADS + threadIdx.x;
	float sum = 0;

	if (row >= rows)
		return;
	for (int i = 0; i < warp_length[row / WARP]; i++) {
		int at = column_start[i] + row;

		if (together)
			touch(row % 2 ? (const void *)&value[at] : &column[at]);
		sum += value[at] * x[column[at]];
	}
	y[order[row]] = sum;
}

static int *lengths;

static int longer(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return lengths[left] != lengths[right] ? lengths[right] - lengths[left] : left - right;
}

int main(int argc, char **argv)
{
	int rows = (int)parse_size(argc, argv, "spmv", "rows", 146689, 1024, WARPS * WARP);
	int warps = (rows + WARP - 1) / WARP, padded = warps * WARP, all = 0, start[MOST];
	int *order = managed_new<int>(rows), *column;
	float *value, *x = managed_floats(rows, 7), *y = managed_new<float>(rows);
	unsigned char *length = (unsigned char *)host_alloc(WARPS);
	struct lcg g = { 8 };

	lengths = (int *)host_alloc(rows * sizeof(int));
	for (int row = 0; row < rows; row++) {
		lengths[row] = 9 + (int)lcg_below(&g, 32);
		order[row] = row;
	}
	qsort(order, rows, sizeof(int), longer);
	for (int warp = 0; warp < warps; warp++)
		length[warp] = (unsigned char)lengths[order[warp * WARP]];
	/* the elements with number i of all warps that have such */
	for (int i = 0, first = 0; i < MOST; i++) {
		int with = 0;

		while (with < warps && length[with] > i)
			with++;
		start[i] = first;
		first += with * WARP;
		all = first;
	}
	value = managed_new<float>(all);
	column = managed_new<int>(all);
	for (int i = 0; i < MOST; i++)
		for (int row = 0; row < padded && length[row / WARP] > i; row++) {
			bool there = row < rows && i < lengths[order[row]];
			int near = lcg_below(&g, 2) ? 16 : 1024;
			int to = there ? order[row] + (int)lcg_below(&g, 2 * near + 1) - near : 0;

			value[start[i] + row] = there ? lcg_float(&g, 0, 1) : 0;
			column[start[i] + row] = to < 0 ? 0 : to >= rows ? rows - 1 : to;
		}
	CHECK(cudaMemcpyToSymbol(column_start, start, sizeof(start)));
	CHECK(cudaMemcpyToSymbol(warp_length, length, WARPS));
	auto kernel = VARIANT(spmv);

	start_kernel();
	kernel<<<(rows + THREADS - 1) / THREADS, THREADS, pad(OCCUPANCY, 0)>>>(value, column, order,
									       x, y, rows);
	end_kernel();
	for (int row = 0; row < rows; row += 13) {
		double sum = 0;

		for (int i = 0; i < lengths[order[row]]; i++)
			sum += (double)value[start[i] + row] * x[column[start[i] + row]];
		expect_near("y", row, y[order[row]], sum, MOST * MOST * F32_ROUND);
	}
	return finish();
}
