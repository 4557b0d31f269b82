// SPDX-License-Identifier: MIT
/* Products of matrices: gemm in all its forms, and what is a gemm of a symmetric, Hermitian or
 * triangular matrix. */
#include "multiply.h"

namespace blas
{

// Whether the mode of the handle has floats rounded as tensor cores do.
template <class T> static bool rounds(cublasHandle_t handle)
{
	return (sizeof(real_of<T>) == 4) && (handle->math & 15) == CUBLAS_TF32_TENSOR_OP_MATH;
}

static bool bad_product(cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
			int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
	bool turna = transa == CUBLAS_OP_T || transa == CUBLAS_OP_C;
	bool turnb = transb == CUBLAS_OP_T || transb == CUBLAS_OP_C;

	return bad_op(transa) || bad_op(transb) || m < 0 || n < 0 || k < 0 ||
	       lda < at_least_one(turna ? k : m) || ldb < at_least_one(turnb ? n : k) ||
	       ldc < at_least_one(m);
}

/*
 * What all forms of gemm do after their arguments have been looked at: nothing, or the product.
 * Pointers may be missing where they are not read.
 */
template <class T>
static cublasStatus_t product(cublasHandle_t handle, int64_t m, int64_t n, int64_t k,
			      const T *alpha, operand<T> a, operand<T> b, const T *beta,
			      target<T> c, int64_t count)
{
	typedef compute_of<T> S;

	if (!m || !n || !count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !beta);
	scalar<S> by = scalar_at<S>(handle, alpha), old = scalar_at<S>(handle, beta);
	if ((!k || known_zero(by)) && known_one(old))
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!c.base && !c.list);
	BLAS_REFUSE_IF(k && !known_zero(by) && ((!a.base && !a.list) || (!b.base && !b.list)));
	return multiply<S>(handle, m, n, k, by, a, b, old, c, count, rounds<T>(handle));
}

template <class T>
static cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa,
			   cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
			   const T *alpha, const T *a, int64_t lda, const T *b, int64_t ldb,
			   const T *beta, T *c, int64_t ldc)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_product(transa, transb, m, n, k, lda, ldb, ldc));
	return product(handle, m, n, k, alpha, view(a, lda, transa), view(b, ldb, transb), beta,
		       place(c, ldc), 1);
}

template <class T>
static cublasStatus_t
gemm_batched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
	     int64_t n, int64_t k, const T *alpha, const T *const *a, int64_t lda,
	     const T *const *b, int64_t ldb, const T *beta, T *const *c, int64_t ldc, int64_t count)
{
	operand<T> va = view((const T *)NULL, lda, transa), vb = view((const T *)NULL, ldb, transb);
	target<T> vc = place((T *)NULL, ldc);

	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_product(transa, transb, m, n, k, lda, ldb, ldc) || count < 0);
	va.list = a;
	vb.list = b;
	vc.list = c;
	return product(handle, m, n, k, alpha, va, vb, beta, vc, count);
}

template <class T>
static cublasStatus_t gemm_strided(cublasHandle_t handle, cublasOperation_t transa,
				   cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
				   const T *alpha, const T *a, int64_t lda, int64_t stridea,
				   const T *b, int64_t ldb, int64_t strideb, const T *beta, T *c,
				   int64_t ldc, int64_t stridec, int64_t count)
{
	operand<T> va = view(a, lda, transa), vb = view(b, ldb, transb);
	target<T> vc = place(c, ldc);

	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_product(transa, transb, m, n, k, lda, ldb, ldc) || count < 0);
	va.stride = stridea;
	vb.stride = strideb;
	vc.stride = stridec;
	return product(handle, m, n, k, alpha, va, vb, beta, vc, count);
}

template <class T>
static cublasStatus_t half_product(cublasHandle_t handle, enum shape shape, cublasSideMode_t side,
				   cublasFillMode_t uplo, int64_t m, int64_t n, const T *alpha,
				   const T *a, int64_t lda, const T *b, int64_t ldb, const T *beta,
				   T *c, int64_t ldc)
{
	int64_t k = side == CUBLAS_SIDE_LEFT ? m : n;

	BLAS_REFUSE_IF(bad_side(side) || bad_fill(uplo) || m < 0 || n < 0 ||
		       lda < at_least_one(k) || ldb < at_least_one(m) || ldc < at_least_one(m));
	operand<T> va = view_of_half(a, lda, CUBLAS_OP_N, shape, uplo, false),
		   vb = view(b, ldb, CUBLAS_OP_N);
	return side == CUBLAS_SIDE_LEFT
		       ? product(handle, m, n, k, alpha, va, vb, beta, place(c, ldc), 1)
		       : product(handle, m, n, k, alpha, vb, va, beta, place(c, ldc), 1);
}

template <class T>
static cublasStatus_t symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
			   int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda,
			   const T *b, int64_t ldb, const T *beta, T *c, int64_t ldc)
{
	BLAS_CHECK(handle);
	return half_product(handle, SYMMETRIC, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c,
			    ldc);
}

template <class T>
static cublasStatus_t hemm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
			   int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda,
			   const T *b, int64_t ldb, const T *beta, T *c, int64_t ldc)
{
	BLAS_CHECK(handle);
	return half_product(handle, HERMITIAN, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c,
			    ldc);
}

} // namespace blas

#include "level3_rank.h"
#include "level3_triangle.h"
#include "level3_more.h"

#define BLAS_LIST "cublas_level3.h"
#include "entries.h"
#define BLAS_LIST "cublas_batched.h"
#include "entries.h"
