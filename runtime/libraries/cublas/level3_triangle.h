/* SPDX-License-Identifier: MIT */
/* trmm, trsm and trsmBatched, on the kernel of triangle.h; a product that is not in place is one of
 * product.h. */
#ifndef CUBLAS_LEVEL3_TRIANGLE_H
#define CUBLAS_LEVEL3_TRIANGLE_H

#include "triangle.h"

namespace blas
{

static bool bad_triangle(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
			 cublasDiagType_t diag, int64_t m, int64_t n, int64_t lda, int64_t ldb)
{
	return bad_side(side) || bad_fill(uplo) || bad_op(trans) || bad_diag(diag) || m < 0 ||
	       n < 0 || lda < at_least_one(side == CUBLAS_SIDE_LEFT ? m : n) ||
	       ldb < at_least_one(m);
}

/* X op(T) = B is op(T)^T X^T = B^T, where conjugation stays. */
template <class T> static operand<T> from_left(operand<T> t, cublasSideMode_t side)
{
	int64_t rows = t.rows;

	if (side == CUBLAS_SIDE_LEFT)
		return t;
	t.rows = t.cols;
	t.cols = rows;
	t.upper = !t.upper;
	return t;
}

template <class T>
cublasStatus_t strip(cublasHandle_t handle, bool solve, cublasSideMode_t side, int64_t m,
			    int64_t n, scalar<T> alpha, operand<T> t, operand<T> b, operand<T> x,
			    int64_t count)
{
	int64_t size = side == CUBLAS_SIDE_LEFT ? m : n, cols = side == CUBLAS_SIDE_LEFT ? n : m;

	return launch(handle, strip_kernel<T>,
		      dim3(blocks_for(cols, STRIP_COLS), 1, count < 65535 ? count : 65535),
		      dim3(STRIP_THREADS), solve, size, cols, alpha, from_left(t, side),
		      from_left(b, side), from_left(x, side), count);
}

#define BLAS_STRIP(T)                                                                              \
	template cublasStatus_t strip<T>(cublasHandle_t, bool, cublasSideMode_t, int64_t, int64_t, \
					 scalar<T>, operand<T>, operand<T>, operand<T>, int64_t);
BLAS_STRIP(float)
BLAS_STRIP(double)
BLAS_STRIP(cuComplex)
BLAS_STRIP(cuDoubleComplex)

template <class T>
static cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
			   cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
			   const T *alpha, const T *a, int64_t lda, T *b, int64_t ldb)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_triangle(side, uplo, trans, diag, m, n, lda, ldb));
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !b);
	scalar<T> by = scalar_at<T>(handle, alpha);
	BLAS_REFUSE_IF(!a && !known_zero(by));
	operand<T> t = view_of_half(a, lda, trans, TRIANGULAR, uplo, diag == CUBLAS_DIAG_UNIT);
	operand<T> x = view((const T *)b, ldb, CUBLAS_OP_N);
	return strip(handle, true, side, m, n, by, t, x, x, 1);
}

template <class T>
static cublasStatus_t
trsm_batched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
	     cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n, const T *alpha,
	     const T *const *a, int64_t lda, T *const *b, int64_t ldb, int64_t count)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_triangle(side, uplo, trans, diag, m, n, lda, ldb) || count < 0);
	if (!m || !n || !count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !a || !b);
	operand<T> t = view_of_half((const T *)NULL, lda, trans, TRIANGULAR, uplo,
				    diag == CUBLAS_DIAG_UNIT);
	operand<T> x = view((const T *)NULL, ldb, CUBLAS_OP_N);
	t.list = a;
	x.list = b;
	return strip(handle, true, side, m, n, scalar_at<T>(handle, alpha), t, x, x, count);
}

template <class T>
static cublasStatus_t trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
			   cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
			   const T *alpha, const T *a, int64_t lda, const T *b, int64_t ldb, T *c,
			   int64_t ldc)
{
	scalar<T> zero = {zero_of<T>(), NULL, 0};

	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_triangle(side, uplo, trans, diag, m, n, lda, ldb) ||
		       ldc < at_least_one(m));
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !c);
	scalar<T> by = scalar_at<T>(handle, alpha);
	BLAS_REFUSE_IF((!a || !b) && !known_zero(by));
	BLAS_REFUSE_IF(b == c && ldb != ldc);
	operand<T> t = view_of_half(a, lda, trans, TRIANGULAR, uplo, diag == CUBLAS_DIAG_UNIT);
	operand<T> v = view(b, ldb, CUBLAS_OP_N);
	if (b == c)
		return strip(handle, false, side, m, n, by, t, v, v, 1);
	return side == CUBLAS_SIDE_LEFT ? multiply<T>(handle, m, n, m, by, t, v, zero,
						      place(c, ldc), 1, rounds<T>(handle))
					: multiply<T>(handle, m, n, n, by, v, t, zero,
						      place(c, ldc), 1, rounds<T>(handle));
}

} // namespace blas

#endif
