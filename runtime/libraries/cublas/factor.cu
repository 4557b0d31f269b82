// SPDX-License-Identifier: MIT
/* Factorisations of batches, and what is solved with them; packed triangles. */
#include "factor.h"
#include "multiply.h"

namespace blas
{

static inline dim3 blocks_of(int count)
{
	return dim3(count < 65535 ? count : 65535);
}

// What is wrong with an argument: its number, negative, where LAPACK would leave it
#define BLAS_WRONG(condition, number)                                                              \
	do {                                                                                       \
		if (condition) {                                                                   \
			*info = -(number);                                                         \
			return CUBLAS_STATUS_INVALID_VALUE;                                        \
		}                                                                                  \
	} while (0)

template <class T>
static cublasStatus_t getrf(cublasHandle_t handle, int n, T *const *a, int lda, int *pivots,
			    int *info, int count)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(n < 0 || count < 0 || lda < at_least_one(n));
	if (!count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!info || (n && !a));
	return launch(handle, getrf_kernel<T>, blocks_of(count), dim3(FACTOR_THREADS), n, a, lda,
		      pivots, info, count);
}

template <class T>
static cublasStatus_t pivot(cublasHandle_t handle, int n, int cols, T *const *b, int ldb,
			    const int *pivots, bool back, bool identity, int count)
{
	if (!pivots && !identity)
		return CUBLAS_STATUS_SUCCESS;
	return launch(handle, pivot_kernel<T>,
		      dim3(blocks_for(cols, FACTOR_THREADS), count < 65535 ? count : 65535),
		      dim3(FACTOR_THREADS), n, cols, b, ldb, pivots, back, identity, count);
}

// One triangle of the factors, of either kind
template <class T>
static cublasStatus_t solve(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op,
			    int n, int cols, const T *const *a, int lda, T *const *b, int ldb,
			    int count)
{
	scalar<T> one = { one_of<T>(), NULL, 0 };
	operand<T> t = view_of_half((const T *)NULL, lda, op, TRIANGULAR, uplo,
				    uplo == CUBLAS_FILL_MODE_LOWER);
	operand<T> x = view((const T *)NULL, ldb, CUBLAS_OP_N);

	t.list = a;
	x.list = b;
	return strip(handle, true, CUBLAS_SIDE_LEFT, n, cols, one, t, x, x, count);
}

template <class T>
static cublasStatus_t getrs(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
			    const T *const *a, int lda, const int *pivots, T *const *b, int ldb,
			    int *info, int count)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(!info);
	*info = 0;
	BLAS_WRONG(bad_op(trans) || trans == CUBLAS_OP_CONJG, 1);
	BLAS_WRONG(n < 0, 2);
	BLAS_WRONG(nrhs < 0, 3);
	BLAS_WRONG(lda < at_least_one(n), 5);
	BLAS_WRONG(ldb < at_least_one(n), 8);
	BLAS_WRONG(count < 0, 10);
	if (!n || !nrhs || !count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_WRONG(!a, 4);
	BLAS_WRONG(!b, 7);
	if (trans == CUBLAS_OP_N) {
		BLAS_TRY(pivot(handle, n, nrhs, b, ldb, pivots, false, false, count));
		BLAS_TRY(solve(handle, CUBLAS_FILL_MODE_LOWER, trans, n, nrhs, a, lda, b, ldb,
			       count));
		return solve(handle, CUBLAS_FILL_MODE_UPPER, trans, n, nrhs, a, lda, b, ldb, count);
	}
	BLAS_TRY(solve(handle, CUBLAS_FILL_MODE_UPPER, trans, n, nrhs, a, lda, b, ldb, count));
	BLAS_TRY(solve(handle, CUBLAS_FILL_MODE_LOWER, trans, n, nrhs, a, lda, b, ldb, count));
	return pivot(handle, n, nrhs, b, ldb, pivots, true, false, count);
}

template <class T>
static cublasStatus_t getri(cublasHandle_t handle, int n, const T *const *a, int lda,
			    const int *pivots, T *const *c, int ldc, int *info, int count)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(n < 0 || count < 0 || lda < at_least_one(n) || ldc < at_least_one(n));
	if (!n || !count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!a || !c || !info);
	BLAS_TRY(launch(handle, diagonal_kernel<T>, dim3(blocks_for(count, FACTOR_THREADS)),
			dim3(FACTOR_THREADS), n, a, lda, info, count));
	BLAS_TRY(pivot(handle, n, n, c, ldc, pivots, false, true, count));
	BLAS_TRY(solve(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, a, lda, c, ldc, count));
	return solve(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, n, a, lda, c, ldc, count);
}

template <class T>
static cublasStatus_t matinv(cublasHandle_t handle, int n, const T *const *a, int lda, T *const *c,
			     int ldc, int *info, int count)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(n < 0 || n > INVERSE_MOST || count < 0 || lda < at_least_one(n) ||
		       ldc < at_least_one(n));
	if (!n || !count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!a || !c || !info);
	return launch(handle, matinv_kernel<T>, blocks_of(count), dim3(2 * INVERSE_MOST), n, a, lda,
		      c, ldc, info, count);
}

template <class T>
static cublasStatus_t geqrf(cublasHandle_t handle, int m, int n, T *const *a, int lda,
			    T *const *tau, int *info, int count)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(!info);
	*info = 0;
	BLAS_WRONG(m < 0, 1);
	BLAS_WRONG(n < 0, 2);
	BLAS_WRONG(lda < at_least_one(m), 4);
	BLAS_WRONG(count < 0, 7);
	if (!m || !n || !count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_WRONG(!a, 3);
	BLAS_WRONG(!tau, 5);
	return launch(handle, geqrf_kernel<T>, blocks_of(count), dim3(FACTOR_THREADS), m, n, a, lda,
		      tau, (T *const *)NULL, 0, 0, count);
}

// Least squares of systems with at least as many rows as columns: Q R, and what R X is
template <class T>
static cublasStatus_t gels(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs,
			   T *const *a, int lda, T *const *c, int ldc, int *info, int *device_info,
			   int count)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(!info);
	*info = 0;
	BLAS_WRONG(bad_op(trans), 1);
	BLAS_WRONG(m < 0, 2);
	BLAS_WRONG(n < 0, 3);
	BLAS_WRONG(nrhs < 0, 4);
	BLAS_WRONG(lda < at_least_one(m), 6);
	BLAS_WRONG(ldc < at_least_one(m), 8);
	BLAS_WRONG(count < 0, 11);
	if (trans != CUBLAS_OP_N || m < n)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!n || !nrhs || !count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_WRONG(!a, 5);
	BLAS_WRONG(!c, 7);
	BLAS_TRY(launch(handle, geqrf_kernel<T>, blocks_of(count), dim3(FACTOR_THREADS), m, n, a,
			lda, (T *const *)NULL, c, ldc, nrhs, count));
	if (device_info)
		BLAS_TRY(launch(handle, diagonal_kernel<T>, dim3(blocks_for(count, FACTOR_THREADS)),
				dim3(FACTOR_THREADS), n, (const T *const *)a, lda, device_info,
				count));
	return solve(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, nrhs, (const T *const *)a, lda,
		     c, ldc, count);
}

template <class T>
static cublasStatus_t packing(cublasHandle_t handle, cublasFillMode_t uplo, int n, bool pack, T *ap,
			      T *a, int lda)
{
	int64_t across = blocks_for(n, 8);

	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_fill(uplo) || n < 0 || lda < at_least_one(n));
	if (!n)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!ap || !a);
	return launch(handle, pack_kernel<T>,
		      dim3(blocks_for(n, 32), across < 65535 ? across : 65535), dim3(32, 8), n,
		      uplo == CUBLAS_FILL_MODE_UPPER, pack, ap, a, lda);
}

template <class T>
static cublasStatus_t tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *ap, T *a,
			    int lda)
{
	return packing(handle, uplo, n, false, (T *)ap, a, lda);
}

template <class T>
static cublasStatus_t trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *a,
			    int lda, T *ap)
{
	return packing(handle, uplo, n, true, ap, (T *)a, lda);
}

} // namespace blas

#define BLAS_LIST "cublas_factor.h"
#define BLAS_INT_ONLY
#include "entries.h"
