/* SPDX-License-Identifier: MIT */
/*
 * Between dense and sparse matrices, by lines: a line is a row or a column of the dense matrix, and
 * a row or a column of the sparse one.
 */
#ifndef CUSPARSE_DENSE_H
#define CUSPARSE_DENSE_H

#include "products.h"

namespace sparse
{

/* counts[1 + line]: the elements of each line that are not zero. A warp for each line. */
template <class C>
static __global__ void count_kernel(int64_t lines, int64_t length, dense<C> a, index_array counts)
{
	int64_t line = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;

	counts.base = 0;
	for (; line < lines; line += (int64_t)gridDim.x * blockDim.x / 32) {
		int64_t count = 0;

		for (int64_t begin = 0; begin < length; begin += 32) {
			int64_t i = begin + threadIdx.x % 32;
			bool there = i < length && !is_zero(a.get(line, i, 0));

			count += __popc(__ballot_sync(~0u, there));
		}
		if (threadIdx.x % 32 == 0)
			counts.set(1 + line, count);
	}
}

/* The elements that are not zero, where the offsets say; numbers: the lines of entries, or none */
template <class C>
static __global__ void fill_kernel(int64_t lines, int64_t length, dense<C> a, index_array offsets,
				   index_array numbers, index_array indices, value_array<C> values)
{
	int64_t line = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
	unsigned lane = threadIdx.x % 32;

	for (; line < lines; line += (int64_t)gridDim.x * blockDim.x / 32) {
		int64_t next = offsets.get(line);

		for (int64_t begin = 0; begin < length; begin += 32) {
			int64_t i = begin + lane;
			C v = i < length ? a.get(line, i, 0) : zero_of<C>();
			unsigned there = __ballot_sync(~0u, !is_zero(v));

			if (there >> lane & 1) {
				int64_t at = next + __popc(there & ((1u << lane) - 1));

				indices.set(at, i);
				values.set(at, v);
				if (numbers.at)
					numbers.set(at, line);
			}
			next += __popc(there);
		}
	}
}

template <class C>
static __global__ void zero_kernel(int64_t rows, int64_t cols, dense<C> a, int64_t count)
{
	SPARSE_EACH(i, rows * cols * count)
	{
		// neighbours are beside one another in memory
		int64_t in = i % (rows * cols);
		bool by_columns = a.down <= a.across;

		a.set(by_columns ? in % rows : in / cols, by_columns ? in / rows : in % cols,
		      i / (rows * cols), zero_of<C>());
	}
}

template <class C>
static __global__ void scatter_kernel(matrix_rows m, value_array<C> a, dense<C> b)
{
	SPARSE_EACH(row, m.rows)
	{
		int64_t first, last, column, at;

		m.range(row, &first, &last);
		for (int64_t e = first; e < last; e++) {
			column = m.entry(row, e, &at);
			if (column >= 0)
				b.set(row, column, 0, a.get(at));
		}
	}
}

inline unsigned warps_for(int64_t lines)
{
	return blocks_for(lines * 32);
}

/* Rows and columns change places. */
template <class C> dense<C> turned(dense<C> a)
{
	int64_t down = a.down;

	a.down = a.across;
	a.across = down;
	return a;
}

template <class C>
static cusparseStatus_t count(cusparseHandle_t handle, int64_t lines, int64_t length, dense<C> a,
			      index_array counts)
{
	return lines ? launch(handle, count_kernel<C>, dim3(warps_for(lines)), dim3(THREADS), lines,
			      length, a, counts)
		     : CUSPARSE_STATUS_SUCCESS;
}

template <class C>
static cusparseStatus_t fill(cusparseHandle_t handle, int64_t lines, int64_t length, dense<C> a,
			     index_array offsets, index_array numbers, index_array indices,
			     value_array<C> values)
{
	return lines ? launch(handle, fill_kernel<C>, dim3(warps_for(lines)), dim3(THREADS), lines,
			      length, a, offsets, numbers, indices, values)
		     : CUSPARSE_STATUS_SUCCESS;
}

/* a = the sparse matrix */
template <class C>
static cusparseStatus_t scatter(cusparseHandle_t handle, matrix_rows m, value_array<C> values,
				dense<C> a)
{
	if (!m.rows || !m.cols)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_TRY(launch(handle, zero_kernel<C>, dim3(blocks_for(m.rows * m.cols)), dim3(THREADS),
			  m.rows, m.cols, a, (int64_t)1));
	return launch(handle, scatter_kernel<C>, dim3(blocks_for(m.rows)), dim3(THREADS), m, values,
		      a);
}

} // namespace sparse

#endif
