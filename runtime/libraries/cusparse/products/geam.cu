// SPDX-License-Identifier: MIT
/* Sums of two matrices in CSR whose columns ascend in each row. A row is a thread's. */
#include "products.h"

namespace sparse
{

// The next column of either list, and whose it is
struct both_rows {
	int64_t a, a_end, b, b_end;

	__device__ __forceinline__ bool next(index_array a_columns, index_array b_columns,
					     int64_t *column, bool *in_a, bool *in_b) const
	{
		int64_t left = a < a_end ? a_columns.get(a) : INT64_MAX;
		int64_t right = b < b_end ? b_columns.get(b) : INT64_MAX;

		*column = left < right ? left : right;
		*in_a = left == *column;
		*in_b = right == *column;
		return *column != INT64_MAX;
	}
};

static __global__ void count_sums(int64_t rows, index_array a_offsets, index_array a_columns,
				  index_array b_offsets, index_array b_columns, index_array counts)
{
	counts.base = 0;
	SPARSE_EACH(row, rows)
	{
		both_rows r = {a_offsets.get(row), a_offsets.get(row + 1), b_offsets.get(row),
			       b_offsets.get(row + 1)};
		int64_t column, count = 0;
		bool in_a, in_b;

		for (; r.next(a_columns, b_columns, &column, &in_a, &in_b); count++) {
			r.a += in_a;
			r.b += in_b;
		}
		counts.set(row + 1, count);
	}
}

template <class T>
static __global__ void add_rows(int64_t rows, scalar<T> alpha, index_array a_offsets,
				index_array a_columns, const T *a, scalar<T> beta,
				index_array b_offsets, index_array b_columns, const T *b,
				index_array offsets, index_array columns, T *c)
{
	T by_a = alpha.get(), by_b = beta.get();

	SPARSE_EACH(row, rows)
	{
		both_rows r = {a_offsets.get(row), a_offsets.get(row + 1), b_offsets.get(row),
			       b_offsets.get(row + 1)};
		int64_t column, to = offsets.get(row);
		bool in_a, in_b;

		for (; r.next(a_columns, b_columns, &column, &in_a, &in_b); to++) {
			T sum = zero_of<T>();

			if (in_a && !is_zero(by_a))
				sum = times(by_a, a[r.a]);
			if (in_b && !is_zero(by_b))
				sum = add_product(sum, by_b, b[r.b]);
			r.a += in_a;
			r.b += in_b;
			columns.set(to, column);
			c[to] = sum;
		}
	}
}

static cusparseStatus_t check(cusparseHandle_t handle, int m, int n, const cusparseMatDescr *a,
			      int a_nnz, const int *a_offsets, const int *a_columns,
			      const cusparseMatDescr *b, int b_nnz, const int *b_offsets,
			      const int *b_columns, const cusparseMatDescr *c, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(a);
	SPARSE_WANT_DESCR(b);
	SPARSE_WANT_DESCR(c);
	SPARSE_WANT(m >= 0 && n >= 0 && a_nnz >= 0 && b_nnz >= 0);
	SPARSE_WANT(!m || (a_offsets && b_offsets));
	SPARSE_WANT((!a_nnz || a_columns) && (!b_nnz || b_columns));
	return a->type || b->type || c->type ? CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED
					     : CUSPARSE_STATUS_SUCCESS;
}

} // namespace sparse

using namespace sparse;

SPARSE_API cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t a,
				int a_nnz, const int *a_offsets, const int *a_columns,
				const cusparseMatDescr_t b, int b_nnz, const int *b_offsets,
				const int *b_columns, const cusparseMatDescr_t c, int *c_offsets,
				int *total, void *)
{
	SPARSE_TRY(check(handle, m, n, a, a_nnz, a_offsets, a_columns, b, b_nnz, b_offsets,
			 b_columns, c, __func__));
	SPARSE_WANT(c_offsets && total);
	if (handle->mode == CUSPARSE_POINTER_MODE_HOST)
		SPARSE_TRY(sparse_can_wait(handle, __func__));
	index_array offsets = indices(c_offsets, c->base);
	if (m)
		SPARSE_TRY(launch(handle, count_sums, dim3(blocks_for(m)), dim3(THREADS), m,
				  indices(a_offsets, a->base), indices(a_columns, a->base),
				  indices(b_offsets, b->base), indices(b_columns, b->base),
				  offsets));
	SPARSE_TRY(add_up(handle, m, offsets));
	if (handle->mode == CUSPARSE_POINTER_MODE_DEVICE)
		return gather_indices(handle, 1, offsets.from(m), NULL, indices(total, 0));
	SPARSE_TRY(sparse_bring(handle, total, c_offsets + m, sizeof(int), __func__));
	*total -= c->base;
	return CUSPARSE_STATUS_SUCCESS;
}

#define SUMS(X, T)                                                                                 \
	SPARSE_API cusparse##X##csrgeam2_bufferSizeExt(                                            \
		cusparseHandle_t handle, int m, int n, const T *, const cusparseMatDescr_t a,      \
		int a_nnz, const T *, const int *a_offsets, const int *a_columns, const T *,       \
		const cusparseMatDescr_t b, int b_nnz, const T *, const int *b_offsets,            \
		const int *b_columns, const cusparseMatDescr_t c, const T *, const int *,          \
		const int *, size_t *bytes)                                                        \
	{                                                                                          \
		SPARSE_TRY(check(handle, m, n, a, a_nnz, a_offsets, a_columns, b, b_nnz,           \
				 b_offsets, b_columns, c, __func__));                              \
		SPARSE_WANT(bytes);                                                                \
		*bytes = 256;                                                                      \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	SPARSE_API cusparse##X##csrgeam2(                                                          \
		cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t a, \
		int a_nnz, const T *a_values, const int *a_offsets, const int *a_columns,          \
		const T *beta, const cusparseMatDescr_t b, int b_nnz, const T *b_values,           \
		const int *b_offsets, const int *b_columns, const cusparseMatDescr_t c,            \
		T *c_values, int *c_offsets, int *c_columns, void *)                               \
	{                                                                                          \
		SPARSE_TRY(check(handle, m, n, a, a_nnz, a_offsets, a_columns, b, b_nnz,           \
				 b_offsets, b_columns, c, __func__));                              \
		SPARSE_WANT(alpha &&beta &&c_offsets);                                             \
		SPARSE_WANT((!a_nnz || a_values) && (!b_nnz || b_values));                         \
		if (!m || (!a_nnz && !b_nnz))                                                      \
			return CUSPARSE_STATUS_SUCCESS;                                            \
		SPARSE_WANT(c_values &&c_columns);                                                 \
		return launch(handle, add_rows<T>, dim3(blocks_for(m)), dim3(THREADS), m,          \
			      scalar_at<T>(handle, alpha), indices(a_offsets, a->base),            \
			      indices(a_columns, a->base), a_values, scalar_at<T>(handle, beta),   \
			      indices(b_offsets, b->base), indices(b_columns, b->base), b_values,  \
			      indices(c_offsets, c->base), indices(c_columns, c->base), c_values); \
	}
SUMS(S, float)
SUMS(D, double)
SUMS(C, cuComplex)
SUMS(Z, cuDoubleComplex)
