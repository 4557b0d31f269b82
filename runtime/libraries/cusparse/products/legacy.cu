// SPDX-License-Identifier: MIT
/* Products of matrices that are given by pointers: those of the generic functions. */
#include "products.h"

namespace sparse
{

template <class T>
static cusparseSpMatDescr blocks_of(cusparseDirection_t dir, int rows, int cols, int nnz,
				    const cusparseMatDescr *descr, const T *values,
				    const int *offsets, const int *columns, int block)
{
	cusparseSpMatDescr m = csr_matrix<T>(rows, cols, nnz, descr, values, offsets, columns);

	m.format = CUSPARSE_FORMAT_BSR;
	m.rows *= block;
	m.cols *= block;
	m.tall = m.wide = block;
	m.order = dir == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
	return m;
}

template <class T> static cusparseDnVecDescr vector_of(int64_t size, const T *values)
{
	cusparseDnVecDescr v = cusparseDnVecDescr();

	v.size = size;
	v.values = (void *)values;
	v.type = type_of<T>::value;
	return v;
}

template <class T>
static cusparseDnMatDescr dense_matrix(int64_t rows, int64_t cols, int64_t ld, const T *values)
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

// CALL with a buffer as the matrix needs it
template <class F>
static cusparseStatus_t with_buffer(cusparseHandle_t handle, const cusparseSpMatDescr *a,
				    cusparseOperation_t op, F call)
{
	size_t bytes;
	temporary t;

	SPARSE_TRY(rows_bytes(a, op, &bytes));
	if (!bytes)
		return call((void *)NULL);
	SPARSE_TRY(t.take(handle, bytes));
	cusparseStatus_t status = call(t.at), released = t.release();
	return status ? status : released;
}

static cusparseStatus_t general(cusparseHandle_t handle, cusparseOperation_t op, int m, int n,
				int nnz, const cusparseMatDescr *a, const void *values,
				const int *offsets, const int *columns, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(a);
	SPARSE_WANT(good_op(op) && m >= 0 && n >= 0 && nnz >= 0);
	SPARSE_WANT(!nnz || (values && offsets && columns));
	return a->type == CUSPARSE_MATRIX_TYPE_GENERAL ? CUSPARSE_STATUS_SUCCESS
						       : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

template <class T>
static cusparseStatus_t mv(cusparseHandle_t handle, cusparseOperation_t op, const T *alpha,
			   const cusparseSpMatDescr &a, const T *x, const T *beta, const T *y)
{
	cusparseDnVecDescr vx = vector_of(op ? a.rows : a.cols, x);
	cusparseDnVecDescr vy = vector_of(op ? a.cols : a.rows, y);

	SPARSE_WANT(alpha && beta && (x || !vx.size) && (y || !vy.size));
	return with_buffer(handle, &a, op, [&](void *buffer) {
		return product(handle, op, alpha, &a, &vx, beta, &vy, type_of<T>::value, buffer);
	});
}

// n: columns of C
template <class T>
static cusparseStatus_t mm(cusparseHandle_t handle, cusparseOperation_t op_a,
			   cusparseOperation_t op_b, int n, const T *alpha,
			   const cusparseSpMatDescr &a, const T *b, int ldb, const T *beta,
			   const T *c, int ldc)
{
	int64_t inner = op_a ? a.rows : a.cols, rows = op_a ? a.cols : a.rows;
	cusparseDnMatDescr mb = dense_matrix(op_b ? n : inner, op_b ? inner : n, ldb, b);
	cusparseDnMatDescr mc = dense_matrix(rows, n, ldc, c);

	SPARSE_WANT(alpha && beta && good_op(op_b) && n >= 0 && ldb >= mb.rows && ldc >= rows);
	if (!rows || !n)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_WANT((b || !inner) && c);
	return with_buffer(handle, &a, op_a, [&](void *buffer) {
		return product(handle, op_a, alpha, &a, op_b, &mb, beta, &mc, type_of<T>::value,
			       buffer);
	});
}

} // namespace sparse

using namespace sparse;

#define CSR(T) const T *values, const int *offsets, const int *columns
#define LEGACY(X, T)                                                                               \
	SPARSE_API cusparse##X##csrmv(cusparseHandle_t handle, cusparseOperation_t op, int m,      \
				      int n, int nnz, const T *alpha, const cusparseMatDescr_t a,  \
				      CSR(T), const T *x, const T *beta, T *y)                     \
	{                                                                                          \
		SPARSE_TRY(general(handle, op, m, n, nnz, a, values, offsets, columns, __func__)); \
		return mv(handle, op, alpha,                                                       \
			  csr_matrix<T>(m, n, nnz, a, values, offsets, columns), x, beta, y);      \
	}                                                                                          \
	SPARSE_API cusparse##X##csrmm2(cusparseHandle_t handle, cusparseOperation_t op_a,          \
				       cusparseOperation_t op_b, int m, int n, int k, int nnz,     \
				       const T *alpha, const cusparseMatDescr_t a, CSR(T),         \
				       const T *b, int ldb, const T *beta, T *c, int ldc)          \
	{                                                                                          \
		SPARSE_TRY(                                                                        \
			general(handle, op_a, m, k, nnz, a, values, offsets, columns, __func__));  \
		return mm(handle, op_a, op_b, n, alpha,                                            \
			  csr_matrix<T>(m, k, nnz, a, values, offsets, columns), b, ldb, beta, c,  \
			  ldc);                                                                    \
	}                                                                                          \
	SPARSE_API cusparse##X##csrmm(cusparseHandle_t handle, cusparseOperation_t op, int m,      \
				      int n, int k, int nnz, const T *alpha,                       \
				      const cusparseMatDescr_t a, CSR(T), const T *b, int ldb,     \
				      const T *beta, T *c, int ldc)                                \
	{                                                                                          \
		return cusparse##X##csrmm2(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, m, n, k,  \
					   nnz, alpha, a, values, offsets, columns, b, ldb, beta,  \
					   c, ldc);                                                \
	}                                                                                          \
	SPARSE_API cusparse##X##bsrmv(cusparseHandle_t handle, cusparseDirection_t dir,            \
				      cusparseOperation_t op, int mb, int nb, int nnzb,            \
				      const T *alpha, const cusparseMatDescr_t a, CSR(T),          \
				      int block, const T *x, const T *beta, T *y)                  \
	{                                                                                          \
		SPARSE_TRY(                                                                        \
			general(handle, op, mb, nb, nnzb, a, values, offsets, columns, __func__)); \
		SPARSE_WANT((unsigned)dir <= 1 && block > 0);                                      \
		return mv(handle, op, alpha,                                                       \
			  blocks_of(dir, mb, nb, nnzb, a, values, offsets, columns, block), x,     \
			  beta, y);                                                                \
	}                                                                                          \
	SPARSE_API cusparse##X##bsrmm(cusparseHandle_t handle, cusparseDirection_t dir,            \
				      cusparseOperation_t op_a, cusparseOperation_t op_b, int mb,  \
				      int n, int kb, int nnzb, const T *alpha,                     \
				      const cusparseMatDescr_t a, CSR(T), const int block,         \
				      const T *b, const int ldb, const T *beta, T *c, int ldc)     \
	{                                                                                          \
		SPARSE_TRY(general(handle, op_a, mb, kb, nnzb, a, values, offsets, columns,        \
				   __func__));                                                     \
		SPARSE_WANT((unsigned)dir <= 1 && block > 0);                                      \
		return mm(handle, op_a, op_b, n, alpha,                                            \
			  blocks_of(dir, mb, kb, nnzb, a, values, offsets, columns, block), b,     \
			  ldb, beta, c, ldc);                                                      \
	}
LEGACY(S, float)
LEGACY(D, double)
LEGACY(C, cuComplex)
LEGACY(Z, cuDoubleComplex)
