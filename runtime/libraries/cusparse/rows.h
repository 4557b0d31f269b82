/* SPDX-License-Identifier: MIT */
/*
 * A matrix of any format as a list of entries for each row: what products and solutions read.
 * A transposed one is sorted anew, in the caller's buffer, so that each row of the result is
 * added up by one thread or warp in the order of the entries: no atomic additions, the same bytes
 * every time.
 */
#ifndef CUSPARSE_ROWS_H
#define CUSPARSE_ROWS_H

#include "sort.h"

namespace sparse
{

enum row_form { BY_OFFSETS, BY_SORTED_ROWS, IN_BLOCKS, BLOCKED_ELL, SLICED };

struct matrix_rows {
	row_form form;
	int64_t rows, cols, nnz;
	index_array offsets; /* BY_SORTED_ROWS: the row of each entry */
	index_array columns;
	const int *order; /* where the values of the entries are; NULL: as the entries */
	bool conjugate;
	int64_t tall, wide;
	bool by_columns; /* elements in a block */
	int64_t offsets_stride, columns_stride, values_stride;

	__device__ __forceinline__ int64_t lower_bound(int64_t row) const
	{
		int64_t low = 0, high = nnz;

		while (low < high) {
			int64_t middle = low + (high - low) / 2;

			if (offsets.get(middle) < row)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}
	/* The entries of a row have the numbers FIRST to LAST - 1. */
	__device__ __forceinline__ void range(int64_t row, int64_t *first, int64_t *last) const
	{
		switch (form) {
		case BY_OFFSETS:
			*first = offsets.get(row);
			*last = offsets.get(row + 1);
			break;
		case BY_SORTED_ROWS:
			*first = lower_bound(row);
			*last = lower_bound(row + 1);
			break;
		case IN_BLOCKS:
			*first = offsets.get(row / tall) * wide;
			*last = offsets.get(row / tall + 1) * wide;
			break;
		case BLOCKED_ELL:
			*first = 0;
			*last = wide;
			break;
		case SLICED:
			*first = 0;
			*last = (offsets.get(row / tall + 1) - offsets.get(row / tall)) / tall;
			break;
		}
	}
	/* The column of entry E of a row, and where its value is; a column below 0: none */
	__device__ __forceinline__ int64_t entry(int64_t row, int64_t e, int64_t *value) const
	{
		int64_t in_row, column, at;

		switch (form) {
		case BY_OFFSETS:
		case BY_SORTED_ROWS:
			*value = order ? order[e] : e;
			return columns.get(e);
		case IN_BLOCKS:
			in_row = row % tall;
			column = e % wide;
			*value = e / wide * tall * wide +
				 (by_columns ? column * tall + in_row : in_row * wide + column);
			return columns.get(e / wide) * wide + column;
		case BLOCKED_ELL:
			column = columns.get(row / tall * (wide / tall) + e / tall);
			*value = row * wide + e;
			return column < 0 ? -1 : column * tall + e % tall;
		default:
			at = offsets.get(row / tall) + e * tall + row % tall;
			*value = at;
			return columns.get(at);
		}
	}
	__device__ __forceinline__ matrix_rows in_batch(int64_t i) const
	{
		matrix_rows m = *this;

		m.offsets = offsets.from(i * offsets_stride);
		m.columns = columns.from(i * columns_stride);
		return m;
	}
};

/*
 * Bytes that make_rows() needs of a buffer: 0 where the format gives rows by itself. NOT_SUPPORTED
 * for a transposed matrix in blocks.
 */
cusparseStatus_t rows_bytes(const cusparseSpMatDescr *m, cusparseOperation_t op, size_t *bytes);
/* OP(m). Of a batch only what needs no buffer can be. */
cusparseStatus_t make_rows(cusparseHandle_t handle, const cusparseSpMatDescr *m,
			   cusparseOperation_t op, void *buffer, matrix_rows *rows);
/*
 * The transposed matrix of one in CSR: rows of entries (sorted), their columns, where they were.
 * Arrays of ints for nnz entries, and scratch memory behind what sort_bytes() says for as many.
 */
inline size_t transpose_bytes(int64_t nnz)
{
	return 4 * padded(nnz * sizeof(int)) + sort_bytes(nnz);
}
cusparseStatus_t transpose(cusparseHandle_t handle, int64_t rows, int64_t cols, int64_t nnz,
			   index_array offsets, index_array columns, int *new_rows,
			   index_array new_columns, int *order, void *scratch);

/* Lanes for a row: what its length is on average decides. */
inline int lanes_for(int64_t rows, int64_t nnz)
{
	int64_t each = rows ? nnz / rows : 0;

	return each < 12 ? 1 : each < 48 ? 8 : 32;
}

/* For each row: bytes of the entries of a matrix, of all kinds */
inline int64_t entries_of(const cusparseSpMatDescr *m)
{
	return m->format == CUSPARSE_FORMAT_BSR		     ? m->nnz * m->tall * m->wide
	       : m->format == CUSPARSE_FORMAT_SLICED_ELLPACK ? m->wide
							     : m->nnz;
}

#if defined(__CUDACC__) || defined(__CUDA__)
template <class T> __device__ __forceinline__ T lane_at(T v, int by)
{
	return __shfl_xor_sync(~0u, v, by);
}
__device__ __forceinline__ cuComplex lane_at(cuComplex v, int by)
{
	return pair(__shfl_xor_sync(~0u, v.x, by), __shfl_xor_sync(~0u, v.y, by));
}
__device__ __forceinline__ cuDoubleComplex lane_at(cuDoubleComplex v, int by)
{
	return pair(__shfl_xor_sync(~0u, v.x, by), __shfl_xor_sync(~0u, v.y, by));
}
/* The sum of a group of neighbouring lanes, for each; all lanes of the warp are there. */
template <class T> __device__ __forceinline__ T sum_of_lanes(T v, int lanes)
{
	for (int by = lanes / 2; by; by /= 2)
		v = plus(v, lane_at(v, by));
	return v;
}
#endif

} // namespace sparse

#endif
