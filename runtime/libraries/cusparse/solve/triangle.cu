// SPDX-License-Identifier: MIT
/* Levels of triangular matrices, and their solution. */
#include "triangle.h"

#include <limits.h>

namespace sparse
{

enum { SOLVERS = 256 };

static __device__ __forceinline__ bool inside(bool lower, int64_t row, int64_t column)
{
	return lower ? column < row : column > row;
}

// One warp, row after row: a row's level is one above the highest that it needs.
static __global__ void level_kernel(matrix_rows m, bool lower, int *levels)
{
	for (int64_t i = 0; i < m.rows; i++) {
		int64_t row = lower ? i : m.rows - 1 - i, first, last, column, at;
		int level = 0;

		m.range(row, &first, &last);
		for (int64_t e = first + threadIdx.x; e < last; e += 32) {
			column = m.entry(row, e, &at);
			if (column >= 0 && inside(lower, row, column) && levels[column] >= level)
				level = levels[column] + 1;
		}
		for (int by = 16; by; by /= 2) {
			int other = __shfl_xor_sync(~0u, level, by);

			level = other > level ? other : level;
		}
		if (!threadIdx.x)
			levels[row] = level;
		__syncwarp();
	}
}

static __global__ void reset_kernel(int *pivot)
{
	*pivot = INT_MAX;
}

// Rows without an entry on the diagonal
static __global__ void missing_kernel(matrix_rows m, int *pivot)
{
	SPARSE_EACH(row, m.rows)
	{
		int64_t first, last, at;
		bool there = false;

		m.range(row, &first, &last);
		for (int64_t e = first; e < last && !there; e++)
			there = m.entry(row, e, &at) == row;
		if (!there)
			atomicMin(pivot, (int)row);
	}
}

cusparseStatus_t triangle_bytes(const cusparseSpMatDescr *m, cusparseOperation_t op, size_t *bytes)
{
	SPARSE_TRY(rows_bytes(m, op, bytes));
	if (m->rows >= INT32_MAX)
		return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
	*bytes = padded(*bytes) + SLACK + 4 * padded((m->rows + 1) * sizeof(int)) +
		 sort_bytes(m->rows);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t make_triangle(cusparseHandle_t handle, const cusparseSpMatDescr *m,
			       cusparseOperation_t op, bool lower, bool unit, void *buffer,
			       triangle *t)
{
	size_t bytes;
	int64_t n = m->rows;

	SPARSE_TRY(rows_bytes(m, op, &bytes));
	places p = places_in(buffer);
	void *for_rows = p.take<char>(bytes);
	SPARSE_TRY(make_rows(handle, m, op, for_rows, &t->rows));
	int *levels = p.take<int>(n + 1), *order = p.take<int>(n + 1);
	int *offsets = p.take<int>(n + 1);
	t->pivot = p.take<int>(1);
	t->lower = lower == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
	t->unit = unit;
	t->levels = levels;
	t->order = order;
	t->level_offsets = offsets;
	SPARSE_TRY(launch(handle, reset_kernel, dim3(1), dim3(1), t->pivot));
	if (!n)
		return CUSPARSE_STATUS_SUCCESS;
	if (!unit)
		SPARSE_TRY(launch(handle, missing_kernel, dim3(blocks_for(n)), dim3(THREADS),
				  t->rows, t->pivot));
	SPARSE_TRY(launch(handle, level_kernel, dim3(1), dim3(32), t->rows, t->lower, levels));
	SPARSE_TRY(identity(handle, n, order));
	SPARSE_TRY(sort(handle, n, n, levels, order, p.take<char>(0)));
	return offsets_of(handle, n, indices(levels, 0), n, indices(offsets, 0));
}

// A block for each column; a group of lanes has a row.
template <class C>
static __global__ void solve_kernel(triangle t, value_array<C> a, dense<C> b, dense<C> x, int64_t n,
				    scalar<C> alpha, int lanes)
{
	C by = alpha.get();
	int levels = t.levels[t.rows.rows - 1] + 1, groups = SOLVERS / lanes;
	int lane = threadIdx.x % lanes;

	for (int64_t j = blockIdx.x; j < n; j += gridDim.x)
		for (int level = 0; level < levels; level++) {
			int begin = t.level_offsets[level], end = t.level_offsets[level + 1];

			for (int k = begin; k < end; k += groups) {
				int at_row = k + threadIdx.x / lanes;
				int64_t row = at_row < end ? t.order[at_row] : 0, first = 0;
				int64_t last = 0, column, at;
				C sum = zero_of<C>(), diagonal = zero_of<C>();

				if (at_row < end)
					t.rows.range(row, &first, &last);
				for (int64_t e = first + lane; e < last; e += lanes) {
					column = t.rows.entry(row, e, &at);
					if (column < 0)
						continue;
					C v = conjugate_if(a.get(at), t.rows.conjugate);
					if (inside(t.lower, row, column))
						sum = add_product(sum, v, x.get(column, j, 0));
					else if (column == row)
						diagonal = v;
				}
				if (lanes > 1) {
					sum = sum_of_lanes(sum, lanes);
					diagonal = sum_of_lanes(diagonal, lanes);
				}
				if (lane || at_row >= end)
					continue;
				C v = minus(times(by, b.get(row, j, 0)), sum);
				if (!t.unit && is_zero(diagonal))
					atomicMin(t.pivot, (int)row);
				x.set(row, j, 0, t.unit ? v : divide(v, diagonal));
			}
			__syncthreads();
		}
}

template <class C>
static cusparseStatus_t solve(cusparseHandle_t handle, const triangle *t, const void *a,
			      cudaDataType type, const void *alpha, const cusparseDnMatDescr *b,
			      cusparseOperation_t op_b, const cusparseDnMatDescr *x, int64_t n)
{
	if (type != type_of<C>::value || b->type != type || x->type != type)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	if (!t->rows.rows || !n)
		return CUSPARSE_STATUS_SUCCESS;
	return launch(handle, solve_kernel<C>, dim3(n < 65535 ? n : 65535), dim3(SOLVERS), *t,
		      values<C>(a, type), dense_of<C>(b, op_b),
		      dense_of<C>(x, CUSPARSE_OPERATION_NON_TRANSPOSE), n,
		      scalar_at<C>(handle, alpha), lanes_for(t->rows.rows, t->rows.nnz));
}

cusparseStatus_t solve_triangle(cusparseHandle_t handle, const triangle *t, cudaDataType compute,
				const void *values, cudaDataType type, const void *alpha,
				const cusparseDnMatDescr *b, cusparseOperation_t op_b,
				const cusparseDnMatDescr *x, int64_t n)
{
	SPARSE_BY_TYPE(compute, C, return solve<C>(handle, t, values, type, alpha, b, op_b, x, n));
}

template <class C> static __global__ void diagonal_kernel(matrix_rows m, C *to, const C *from)
{
	SPARSE_EACH(row, m.rows)
	{
		int64_t first, last, at;

		m.range(row, &first, &last);
		for (int64_t e = first; e < last; e++)
			if (m.entry(row, e, &at) == row)
				to[at] = from[row];
	}
}

cusparseStatus_t replace_diagonal(cusparseHandle_t handle, const triangle *t, void *to,
				  const void *from, cudaDataType type)
{
	if (!t->rows.rows)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_BY_TYPE(type, C,
		       return launch(handle, diagonal_kernel<C>, dim3(blocks_for(t->rows.rows)),
				     dim3(THREADS), t->rows, (C *)to, (const C *)from));
}

} // namespace sparse
