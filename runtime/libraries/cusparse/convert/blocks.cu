// SPDX-License-Identifier: MIT
/*
 * Between CSR and BSR. The entries are sorted by block row and block column; a block row is a
 * thread's, which sees a block begin where the column changes.
 */
#include "rows.h"

namespace sparse
{

// The block rows and columns of the entries, of which a warp has a row
static __global__ void number_blocks(int m, index_array offsets, index_array columns, int block,
				     int *rows, int *cols)
{
	int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;

	for (; row < m; row += (int64_t)gridDim.x * blockDim.x / 32)
		for (int64_t e = offsets.get(row) + threadIdx.x % 32; e < offsets.get(row + 1);
		     e += 32) {
			rows[e] = (int)(row / block);
			cols[e] = (int)(columns.get(e) / block);
		}
}

// first and last: of a block row's entries in the order
static __device__ __forceinline__ void entries(int64_t row, int m, int block, index_array offsets,
					       int64_t *first, int64_t *last)
{
	*first = offsets.get(row * block);
	*last = offsets.get((row + 1) * block < m ? (row + 1) * block : m);
}

static __global__ void count_blocks(int m, int block, index_array offsets, const int *cols,
				    const int *order, index_array counts)
{
	counts.base = 0;
	SPARSE_EACH(row, (m + block - 1) / block)
	{
		int64_t first, last;
		int count = 0, before = -1;

		entries(row, m, block, offsets, &first, &last);
		for (int64_t i = first; i < last; i++)
			if (cols[order[i]] != before) {
				before = cols[order[i]];
				count++;
			}
		counts.set(row + 1, count);
	}
}

template <class T>
static __global__ void fill_blocks(int m, int block, bool by_columns, index_array offsets,
				   index_array columns, const T *values, const int *order,
				   index_array new_offsets, index_array new_columns, T *new_values)
{
	SPARSE_EACH(row, (m + block - 1) / block)
	{
		int64_t first, last, next = new_offsets.get(row) - 1, before = -1;

		entries(row, m, block, offsets, &first, &last);
		for (int64_t i = first; i < last; i++) {
			int64_t e = order[i], column = columns.get(e), r = row * block;

			while (e >= offsets.get(r + 1))
				r++;
			if (column / block != before) {
				before = column / block;
				new_columns.set(++next, before);
				for (int k = 0; k < block * block; k++)
					new_values[next * block * block + k] = zero_of<T>();
			}
			r %= block;
			column %= block;
			new_values[next * block * block +
				   (by_columns ? column * block + r : r * block + column)] =
				values[e];
		}
	}
}

// A thread for each row of the matrix in CSR: each block gives it a row of elements.
template <class T>
static __global__ void unfold(int64_t rows, int block, bool by_columns, index_array offsets,
			      index_array columns, const T *values, index_array new_offsets,
			      index_array new_columns, T *new_values)
{
	SPARSE_EACH(row, rows)
	{
		int64_t first = offsets.get(row / block), last = offsets.get(row / block + 1);
		int64_t in = row % block;
		int64_t to = first * block * block + in * (last - first) * block;

		if (!row)
			new_offsets.set(0, 0);
		new_offsets.set(row + 1, to + (last - first) * block);
		for (int64_t b = first; b < last; b++)
			for (int64_t k = 0; k < block; k++, to++) {
				new_columns.set(to, columns.get(b) * block + k);
				new_values[to] =
					values[b * block * block +
					       (by_columns ? k * block + in : in * block + k)];
			}
	}
}

// Memory of a conversion: how the entries are sorted by blocks
struct sorted_blocks {
	temporary memory;
	int nnz, *cols, *order;

	cusparseStatus_t make(cusparseHandle_t handle, int m, int n, int block, index_array offsets,
			      index_array columns, const char *function)
	{
		int end;
		index_array last = offsets.from(m);

		SPARSE_TRY(sparse_bring(handle, &end, last.at, sizeof(end), function));
		nnz = end - offsets.base;
		SPARSE_WANT(nnz >= 0);
		SPARSE_TRY(memory.take(handle,
				       SLACK + 4 * padded(nnz * sizeof(int)) + sort_bytes(nnz)));
		places p = places_in(memory.at);
		int *rows = p.take<int>(nnz), *keys = p.take<int>(nnz);
		cols = p.take<int>(nnz);
		order = p.take<int>(nnz);
		if (!nnz)
			return CUSPARSE_STATUS_SUCCESS;
		cusparseStatus_t status =
			launch(handle, number_blocks, dim3(blocks_for((int64_t)m * 32)),
			       dim3(THREADS), m, offsets, columns, block, rows, cols);
		if (!status)
			status = sort_pairs(handle, nnz, indices(rows, 0), (m + block - 1) / block,
					    indices(cols, 0), (n + block - 1) / block, keys, order,
					    p.take<char>(0));
		if (status)
			memory.release();
		return status;
	}
};

static cusparseStatus_t check(cusparseHandle_t handle, cusparseDirection_t dir, int m, int n,
			      const cusparseMatDescr *a, const int *offsets, int block,
			      const cusparseMatDescr *c, const int *new_offsets,
			      const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(a);
	SPARSE_WANT_DESCR(c);
	SPARSE_WANT((unsigned)dir <= 1 && m >= 0 && n >= 0 && block > 0 && new_offsets);
	SPARSE_WANT(offsets || !m);
	return CUSPARSE_STATUS_SUCCESS;
}

template <class T>
static cusparseStatus_t csr2bsr(cusparseHandle_t handle, cusparseDirection_t dir, int m, int n,
				const cusparseMatDescr *a, const T *values, const int *offsets,
				const int *columns, int block, const cusparseMatDescr *c,
				T *new_values, int *new_offsets, int *new_columns,
				const char *function)
{
	sorted_blocks s;
	index_array old = indices(offsets, a->base), cols = indices(columns, a->base);
	unsigned grid = blocks_for((m + block - 1) / block);

	SPARSE_TRY(s.make(handle, m, n, block, old, cols, function));
	cusparseStatus_t status =
		launch(handle, fill_blocks<T>, dim3(grid), dim3(THREADS), m, block,
		       dir == CUSPARSE_DIRECTION_COLUMN, old, cols, values, s.order,
		       indices(new_offsets, c->base), indices(new_columns, c->base), new_values);
	cusparseStatus_t released = s.memory.release();
	return status ? status : released;
}

} // namespace sparse

using namespace sparse;

SPARSE_API cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dir, int m, int n,
			       const cusparseMatDescr_t a, const int *offsets, const int *columns,
			       int block, const cusparseMatDescr_t c, int *bsr_offsets, int *total)
{
	sorted_blocks s;

	SPARSE_TRY(check(handle, dir, m, n, a, offsets, block, c, bsr_offsets, __func__));
	SPARSE_WANT(total);
	index_array old = indices(offsets, a->base), made = indices(bsr_offsets, c->base);
	int rows = (m + block - 1) / block;
	if (m) {
		SPARSE_TRY(s.make(handle, m, n, block, old, indices(columns, a->base), __func__));
		cusparseStatus_t status =
			launch(handle, count_blocks, dim3(blocks_for(rows)), dim3(THREADS), m,
			       block, old, (const int *)s.cols, (const int *)s.order, made);
		cusparseStatus_t released = s.memory.release();
		SPARSE_TRY(status ? status : released);
	}
	SPARSE_TRY(add_up(handle, rows, made));
	if (handle->mode == CUSPARSE_POINTER_MODE_DEVICE) {
		// the number of blocks is the last offset less the base
		return gather_indices(handle, 1, made.from(rows), NULL, indices(total, 0));
	}
	SPARSE_TRY(sparse_bring(handle, total, bsr_offsets + rows, sizeof(int), __func__));
	*total -= c->base;
	return CUSPARSE_STATUS_SUCCESS;
}

#define BLOCKS(X, T)                                                                               \
	SPARSE_API cusparse##X##csr2bsr(cusparseHandle_t handle, cusparseDirection_t dir, int m,   \
					int n, const cusparseMatDescr_t a, const T *values,        \
					const int *offsets, const int *columns, int block,         \
					const cusparseMatDescr_t c, T *bsr_values,                 \
					int *bsr_offsets, int *bsr_columns)                        \
	{                                                                                          \
		SPARSE_TRY(check(handle, dir, m, n, a, offsets, block, c, bsr_offsets, __func__)); \
		if (!m)                                                                            \
			return CUSPARSE_STATUS_SUCCESS;                                            \
		return csr2bsr(handle, dir, m, n, a, values, offsets, columns, block, c,           \
			       bsr_values, bsr_offsets, bsr_columns, __func__);                    \
	}                                                                                          \
	SPARSE_API cusparse##X##bsr2csr(cusparseHandle_t handle, cusparseDirection_t dir, int mb,  \
					int nb, const cusparseMatDescr_t a, const T *values,       \
					const int *offsets, const int *columns, int block,         \
					const cusparseMatDescr_t c, T *csr_values,                 \
					int *csr_offsets, int *csr_columns)                        \
	{                                                                                          \
		int64_t rows = (int64_t)mb * block;                                                \
                                                                                                   \
		SPARSE_TRY(                                                                        \
			check(handle, dir, mb, nb, a, offsets, block, c, csr_offsets, __func__));  \
		if (!mb)                                                                           \
			return add_up(handle, 0, indices(csr_offsets, c->base));                   \
		return launch(handle, unfold<T>, dim3(blocks_for(rows)), dim3(THREADS), rows,      \
			      block, dir == CUSPARSE_DIRECTION_COLUMN, indices(offsets, a->base),  \
			      indices(columns, a->base), values, indices(csr_offsets, c->base),    \
			      indices(csr_columns, c->base), csr_values);                          \
	}
BLOCKS(S, float)
BLOCKS(D, double)
BLOCKS(C, cuComplex)
BLOCKS(Z, cuDoubleComplex)
