// SPDX-License-Identifier: MIT
/*
 * Triangular solutions of toolkit 11, with pointers, and what their analyses and those of factors
 * keep; no kernels.
 */
#include "triangle.h"

#include <limits.h>

namespace sparse
{

cusparseStatus_t find_diagonal(cusparseHandle_t handle, const triangle *t, int *diagonal);

cusparseStatus_t new_analysis(analysis **made, enum sparse_kind kind)
{
	SPARSE_WANT(made);
	*made = (analysis *)live_new(sizeof(**made), kind);
	return *made ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t delete_analysis(analysis *a, enum sparse_kind kind)
{
	void *memory;

	SPARSE_WANT(live_is(a, kind));
	memory = a->memory;
	SPARSE_WANT(live_delete(a, kind));
	return sparse_status(cudaFree(memory));
}

cusparseStatus_t analyse(cusparseHandle_t handle, analysis *a, const cusparseSpMatDescr *m,
			 cusparseOperation_t op, bool lower, bool unit, bool diagonal)
{
	size_t bytes;

	SPARSE_TRY(triangle_bytes(m, op, &bytes));
	bytes = padded(bytes);
	a->ready = false;
	SPARSE_TRY(sparse_status(cudaFree(a->memory)));
	a->memory = NULL;
	SPARSE_TRY(sparse_status(
		cudaMalloc(&a->memory, bytes + (diagonal ? (m->rows + 1) * sizeof(int) : 0))));
	a->diagonal = (int *)((char *)a->memory + bytes);
	SPARSE_TRY(make_triangle(handle, m, op, lower, unit, a->memory, &a->t));
	if (diagonal)
		SPARSE_TRY(find_diagonal(handle, &a->t, a->diagonal));
	a->base = m->base;
	a->n = m->rows;
	a->nnz = m->nnz;
	a->ready = true;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t zero_pivot(cusparseHandle_t handle, const analysis *a, int *position,
			    const char *function)
{
	int pivot = INT_MAX, found;

	SPARSE_WANT(position);
	if (a->ready)
		SPARSE_TRY(sparse_bring(handle, &pivot, a->t.pivot, sizeof(pivot), function));
	found = pivot == INT_MAX ? -1 : pivot + a->base;
	if (handle->mode == CUSPARSE_POINTER_MODE_HOST)
		*position = found;
	else
		SPARSE_TRY(sparse_status(
			cudaMemcpy(position, &found, sizeof(found), cudaMemcpyDefault)));
	return found < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op, int m, int nnz,
			      const cusparseMatDescr *descr, const void *values, const int *offsets,
			      const int *columns, const void *info, enum sparse_kind kind,
			      const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(descr);
	SPARSE_WANT(live_is(info, kind) && good_op(op) && m >= 0 && nnz >= 0);
	SPARSE_WANT(!nnz || (values && offsets && columns));
	return descr->type == CUSPARSE_MATRIX_TYPE_GENERAL ||
			       descr->type == CUSPARSE_MATRIX_TYPE_TRIANGULAR
		       ? CUSPARSE_STATUS_SUCCESS
		       : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

template <class T>
static cusparseStatus_t prepare(cusparseHandle_t handle, cusparseOperation_t op, int m, int nnz,
				const cusparseMatDescr *a, const T *values, const int *offsets,
				const int *columns, void *info)
{
	cusparseSpMatDescr matrix = csr_matrix<T>(m, m, nnz, a, values, offsets, columns);

	return analyse(handle, (analysis *)info, &matrix, op, a->fill == CUSPARSE_FILL_MODE_LOWER,
		       a->diag == CUSPARSE_DIAG_TYPE_UNIT, false);
}

template <class T>
static cusparseDnMatDescr columns_of(int64_t rows, int64_t cols, int64_t ld, const T *values)
{
	cusparseDnMatDescr m = cusparseDnMatDescr();

	m.rows = rows;
	m.cols = cols;
	m.ld = ld;
	m.values = (void *)values;
	m.type = type_of<T>::value;
	m.order = CUSPARSE_ORDER_COL;
	m.count = 1;
	return m;
}

// B may be by rows: then the columns of X are its rows, in the same memory.
template <class T>
static cusparseStatus_t solve(cusparseHandle_t handle, const analysis *info, int m, int n, int nnz,
			      const T *alpha, const T *values, const T *b, int ldb, T *x, int ldx,
			      bool by_rows)
{
	cusparseDnMatDescr mb = columns_of(m, n, ldb, b), mx = columns_of(m, n, ldx, x);

	SPARSE_WANT(alpha && info->ready && info->n == m && info->nnz == nnz);
	SPARSE_WANT(ldb >= (by_rows ? n : m) && n >= 0 && (!m || !n || (b && x)));
	if (by_rows)
		mb.order = mx.order = CUSPARSE_ORDER_ROW;
	return solve_triangle(handle, &info->t, type_of<T>::value, values, type_of<T>::value, alpha,
			      &mb, CUSPARSE_OPERATION_NON_TRANSPOSE, &mx, n);
}

} // namespace sparse

using namespace sparse;

SPARSE_INFO(Csrsv2, csrsv2, SPARSE_CSRSV2)
SPARSE_INFO(Csrsm2, csrsm2, SPARSE_CSRSM2)

#define CSR(T) const T *values, const int *offsets, const int *columns
#define GOOD(op, kind) \
	SPARSE_TRY(check(handle, op, m, nnz, a, values, offsets, columns, info, kind, __func__))
#define BUFFER_SIZE(X, T, name, size)                                                            \
	SPARSE_API cusparse##X##csrsv2_##name(cusparseHandle_t handle, cusparseOperation_t op,   \
					      int m, int nnz, const cusparseMatDescr_t a,        \
					      T *values, const int *offsets, const int *columns, \
					      csrsv2Info_t info, size *bytes)                    \
	{                                                                                        \
		GOOD(op, SPARSE_CSRSV2);                                                         \
		SPARSE_WANT(bytes);                                                              \
		*bytes = 256;                                                                    \
		return CUSPARSE_STATUS_SUCCESS;                                                  \
	}
#define SOLVE(X, T)                                                                              \
	BUFFER_SIZE(X, T, bufferSize, int)                                                       \
	BUFFER_SIZE(X, T, bufferSizeExt, size_t)                                                 \
	SPARSE_API cusparse##X##csrsv2_analysis(cusparseHandle_t handle, cusparseOperation_t op, \
						int m, int nnz, const cusparseMatDescr_t a,      \
						CSR(T), csrsv2Info_t info,                       \
						cusparseSolvePolicy_t policy, void *)            \
	{                                                                                        \
		GOOD(op, SPARSE_CSRSV2);                                                         \
		SPARSE_WANT((unsigned)policy <= 1);                                              \
		return prepare(handle, op, m, nnz, a, values, offsets, columns, info);           \
	}                                                                                        \
	SPARSE_API cusparse##X##csrsv2_solve(                                                    \
		cusparseHandle_t handle, cusparseOperation_t op, int m, int nnz, const T *alpha, \
		const cusparseMatDescr_t a, CSR(T), csrsv2Info_t info, const T *f, T *x,         \
		cusparseSolvePolicy_t, void *)                                                   \
	{                                                                                        \
		GOOD(op, SPARSE_CSRSV2);                                                         \
		return solve(handle, (analysis *)info, m, 1, nnz, alpha, values, f, m, x, m,     \
			     false);                                                             \
	}                                                                                        \
	SPARSE_API cusparse##X##csrsm2_bufferSizeExt(                                            \
		cusparseHandle_t handle, int, cusparseOperation_t op, cusparseOperation_t op_b,  \
		int m, int, int nnz, const T *, const cusparseMatDescr_t a, CSR(T), const T *,   \
		int, csrsm2Info_t info, cusparseSolvePolicy_t, size_t *bytes)                    \
	{                                                                                        \
		GOOD(op, SPARSE_CSRSM2);                                                         \
		SPARSE_WANT(bytes &&good_op(op_b));                                              \
		*bytes = 256;                                                                    \
		return CUSPARSE_STATUS_SUCCESS;                                                  \
	}                                                                                        \
	SPARSE_API cusparse##X##csrsm2_analysis(                                                 \
		cusparseHandle_t handle, int, cusparseOperation_t op, cusparseOperation_t op_b,  \
		int m, int, int nnz, const T *, const cusparseMatDescr_t a, CSR(T), const T *,   \
		int, csrsm2Info_t info, cusparseSolvePolicy_t, void *)                           \
	{                                                                                        \
		GOOD(op, SPARSE_CSRSM2);                                                         \
		SPARSE_WANT(good_op(op_b));                                                      \
		return prepare(handle, op, m, nnz, a, values, offsets, columns, info);           \
	}                                                                                        \
	SPARSE_API cusparse##X##csrsm2_solve(                                                    \
		cusparseHandle_t handle, int, cusparseOperation_t op, cusparseOperation_t op_b,  \
		int m, int n, int nnz, const T *alpha, const cusparseMatDescr_t a, CSR(T), T *b, \
		int ldb, csrsm2Info_t info, cusparseSolvePolicy_t, void *)                       \
	{                                                                                        \
		GOOD(op, SPARSE_CSRSM2);                                                         \
		SPARSE_WANT(good_op(op_b));                                                      \
		if (op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)                              \
			return CUSPARSE_STATUS_NOT_SUPPORTED;                                    \
		return solve(handle, (analysis *)info, m, n, nnz, alpha, values, b, ldb, b, ldb, \
			     op_b == CUSPARSE_OPERATION_TRANSPOSE);                              \
	}
SOLVE(S, float)
SOLVE(D, double)
SOLVE(C, cuComplex)
SOLVE(Z, cuDoubleComplex)
