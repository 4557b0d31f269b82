// SPDX-License-Identifier: MIT
/* Level 2 of cuBLAS: arguments and launches; the kernels are in level2.h. */
#include "context.h"
#include "level2.h"

namespace blas
{

template <int STORAGE, class T>
static matrix<T, STORAGE> matrix_of(const T *a, int64_t ld, int64_t rows, int64_t cols,
				    cublasOperation_t op)
{
	matrix<T, STORAGE> m = {};

	m.a = a;
	m.ld = ld;
	m.rows = rows;
	m.cols = cols;
	m.turned = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
	m.conj = is_complex<T>::value && (op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG);
	return m;
}

// Of which a half is there; k: diagonals beside the main one, of a band
template <int STORAGE, class T>
static matrix<T, STORAGE> half_of(const T *a, int64_t ld, int64_t n, int64_t k, enum shape shape,
				  cublasFillMode_t uplo, cublasOperation_t op = CUBLAS_OP_N,
				  bool unit = false)
{
	matrix<T, STORAGE> m = matrix_of<STORAGE>(a, ld, n, n, op);

	m.shape = shape;
	m.upper = uplo == CUBLAS_FILL_MODE_UPPER;
	m.unit = unit;
	m.kl = m.ku = k;
	return m;
}

template <int STORAGE, class T>
static cublasStatus_t mv(cublasHandle_t handle, const T *alpha, matrix<T, STORAGE> a, const T *x,
			 int64_t incx, const T *beta, T *y, int64_t incy)
{
	int64_t rows = a.turned ? a.cols : a.rows, cols = a.turned ? a.rows : a.cols;
	int lanes = a.turned && STORAGE != PACKED ? 32 : 1;

	BLAS_REFUSE_IF(!incx || !incy);
	if (!rows || !cols)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !beta);
	scalar<T> by = scalar_at<T>(handle, alpha), old = scalar_at<T>(handle, beta);
	if (known_zero(by) && known_one(old))
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!y || (!known_zero(by) && (!a.a || !x)));
	return launch(handle, mv_kernel<T, STORAGE>, dim3(blocks_for(rows * lanes, ROW_THREADS)),
		      dim3(ROW_THREADS), by, a, first(x, cols, incx), incx, old,
		      first(y, rows, incy), incy, lanes);
}

template <class T>
static cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
			   const T *alpha, const T *a, int64_t lda, const T *x, int64_t incx,
			   const T *beta, T *y, int64_t incy)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_op(trans) || m < 0 || n < 0 || lda < at_least_one(m));
	return mv(handle, alpha, matrix_of<FULL>(a, lda, m, n, trans), x, incx, beta, y, incy);
}

template <class T>
static cublasStatus_t gbmv(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
			   int64_t kl, int64_t ku, const T *alpha, const T *a, int64_t lda,
			   const T *x, int64_t incx, const T *beta, T *y, int64_t incy)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_op(trans) || m < 0 || n < 0 || kl < 0 || ku < 0 || lda < kl + ku + 1);
	matrix<T, BAND> band = matrix_of<BAND>(a, lda, m, n, trans);
	band.kl = kl;
	band.ku = ku;
	return mv(handle, alpha, band, x, incx, beta, y, incy);
}

#define BLAS_MV const T *x, int64_t incx, const T *beta, T *y, int64_t incy
#define BLAS_HALF_MV(full, band, packed, shape)                                                   \
	template <class T>                                                                        \
	static cublasStatus_t full(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,       \
				   const T *alpha, const T *a, int64_t lda, BLAS_MV)              \
	{                                                                                         \
		BLAS_CHECK(handle);                                                               \
		BLAS_REFUSE_IF(bad_fill(uplo) || n < 0 || lda < at_least_one(n));                 \
		return mv(handle, alpha, half_of<FULL>(a, lda, n, 0, shape, uplo), x, incx, beta, \
			  y, incy);                                                               \
	}                                                                                         \
	template <class T>                                                                        \
	static cublasStatus_t band(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,       \
				   int64_t k, const T *alpha, const T *a, int64_t lda, BLAS_MV)   \
	{                                                                                         \
		BLAS_CHECK(handle);                                                               \
		BLAS_REFUSE_IF(bad_fill(uplo) || n < 0 || k < 0 || lda < k + 1);                  \
		return mv(handle, alpha, half_of<BAND>(a, lda, n, k, shape, uplo), x, incx, beta, \
			  y, incy);                                                               \
	}                                                                                         \
	template <class T>                                                                        \
	static cublasStatus_t packed(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,     \
				     const T *alpha, const T *a, BLAS_MV)                         \
	{                                                                                         \
		BLAS_CHECK(handle);                                                               \
		BLAS_REFUSE_IF(bad_fill(uplo) || n < 0);                                          \
		return mv(handle, alpha, half_of<PACKED>(a, 0, n, 0, shape, uplo), x, incx, beta, \
			  y, incy);                                                               \
	}
BLAS_HALF_MV(symv, sbmv, spmv, SYMMETRIC)
BLAS_HALF_MV(hemv, hbmv, hpmv, HERMITIAN)

template <int STORAGE, class T>
static cublasStatus_t tri(cublasHandle_t handle, bool solve, matrix<T, STORAGE> a, T *x,
			  int64_t incx)
{
	BLAS_REFUSE_IF(!incx);
	if (!a.rows)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!a.a || !x);
	return launch(handle, tri_kernel<T, STORAGE>, dim3(1), dim3(TURN_THREADS), solve, a,
		      first(x, a.rows, incx), incx);
}

#define BLAS_TRI_A                                                             \
	cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
		cublasDiagType_t diag, int64_t n
#define BLAS_TRI(full, band, packed, solve)                                                      \
	template <class T>                                                                       \
	static cublasStatus_t full(BLAS_TRI_A, const T *a, int64_t lda, T *x, int64_t incx)      \
	{                                                                                        \
		BLAS_CHECK(handle);                                                              \
		BLAS_REFUSE_IF(bad_fill(uplo) || bad_op(trans) || bad_diag(diag) || n < 0 ||     \
			       lda < at_least_one(n));                                           \
		return tri(handle, solve,                                                        \
			   half_of<FULL>(a, lda, n, 0, TRIANGULAR, uplo, trans, diag), x, incx); \
	}                                                                                        \
	template <class T>                                                                       \
	static cublasStatus_t band(BLAS_TRI_A, int64_t k, const T *a, int64_t lda, T *x,         \
				   int64_t incx)                                                 \
	{                                                                                        \
		BLAS_CHECK(handle);                                                              \
		BLAS_REFUSE_IF(bad_fill(uplo) || bad_op(trans) || bad_diag(diag) || n < 0 ||     \
			       k < 0 || lda < k + 1);                                            \
		return tri(handle, solve,                                                        \
			   half_of<BAND>(a, lda, n, k, TRIANGULAR, uplo, trans, diag), x, incx); \
	}                                                                                        \
	template <class T>                                                                       \
	static cublasStatus_t packed(BLAS_TRI_A, const T *a, T *x, int64_t incx)                 \
	{                                                                                        \
		BLAS_CHECK(handle);                                                              \
		BLAS_REFUSE_IF(bad_fill(uplo) || bad_op(trans) || bad_diag(diag) || n < 0);      \
		return tri(handle, solve,                                                        \
			   half_of<PACKED>(a, 0, n, 0, TRIANGULAR, uplo, trans, diag), x, incx); \
	}
BLAS_TRI(trmv, tbmv, tpmv, false)
BLAS_TRI(trsv, tbsv, tpsv, true)

template <int STORAGE, class T, class S>
static cublasStatus_t update(cublasHandle_t handle, const S *alpha, const T *x, int64_t incx,
			     const T *y, int64_t incy, bool conj, bool both,
			     matrix<T, STORAGE> place, T *a)
{
	int64_t across = blocks_for(place.cols, 8);

	BLAS_REFUSE_IF(!incx || !incy);
	if (!place.rows || !place.cols)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha);
	scalar<T> by = scalar_at<T>(handle, alpha);
	if (known_zero(by))
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!x || !y || !a);
	return launch(handle, update_kernel<T, STORAGE>,
		      dim3(blocks_for(place.rows, 32), across < 65535 ? across : 65535),
		      dim3(32, 8), by, first(x, place.rows, incx), incx, first(y, place.cols, incy),
		      incy, conj, both, place, a);
}

#define BLAS_GER(name, conj)                                                                    \
	template <class T>                                                                      \
	static cublasStatus_t name(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, \
				   const T *x, int64_t incx, const T *y, int64_t incy, T *a,    \
				   int64_t lda)                                                 \
	{                                                                                       \
		BLAS_CHECK(handle);                                                             \
		BLAS_REFUSE_IF(m < 0 || n < 0 || lda < at_least_one(m));                        \
		return update(handle, alpha, x, incx, y, incy, conj, false,                     \
			      matrix_of<FULL>((const T *)a, lda, m, n, CUBLAS_OP_N), a);        \
	}
BLAS_GER(geru, false)
BLAS_GER(gerc, true)

#define BLAS_R cublasHandle_t handle, cublasFillMode_t uplo, int64_t n
#define BLAS_RANK(full, packed, full2, packed2, shape)                                            \
	template <class T, class S>                                                               \
	static cublasStatus_t full(BLAS_R, const S *alpha, const T *x, int64_t incx, T *a,        \
				   int64_t lda)                                                   \
	{                                                                                         \
		BLAS_CHECK(handle);                                                               \
		BLAS_REFUSE_IF(bad_fill(uplo) || n < 0 || lda < at_least_one(n));                 \
		return update(handle, alpha, x, incx, x, incx, shape == HERMITIAN, false,         \
			      half_of<FULL>((const T *)a, lda, n, 0, shape, uplo), a);            \
	}                                                                                         \
	template <class T, class S>                                                               \
	static cublasStatus_t packed(BLAS_R, const S *alpha, const T *x, int64_t incx, T *a)      \
	{                                                                                         \
		BLAS_CHECK(handle);                                                               \
		BLAS_REFUSE_IF(bad_fill(uplo) || n < 0);                                          \
		return update(handle, alpha, x, incx, x, incx, shape == HERMITIAN, false,         \
			      half_of<PACKED>((const T *)a, 0, n, 0, shape, uplo), a);            \
	}                                                                                         \
	template <class T>                                                                        \
	static cublasStatus_t full2(BLAS_R, const T *alpha, const T *x, int64_t incx, const T *y, \
				    int64_t incy, T *a, int64_t lda)                              \
	{                                                                                         \
		BLAS_CHECK(handle);                                                               \
		BLAS_REFUSE_IF(bad_fill(uplo) || n < 0 || lda < at_least_one(n));                 \
		return update(handle, alpha, x, incx, y, incy, shape == HERMITIAN, true,          \
			      half_of<FULL>((const T *)a, lda, n, 0, shape, uplo), a);            \
	}                                                                                         \
	template <class T>                                                                        \
	static cublasStatus_t packed2(BLAS_R, const T *alpha, const T *x, int64_t incx,           \
				      const T *y, int64_t incy, T *a)                             \
	{                                                                                         \
		BLAS_CHECK(handle);                                                               \
		BLAS_REFUSE_IF(bad_fill(uplo) || n < 0);                                          \
		return update(handle, alpha, x, incx, y, incy, shape == HERMITIAN, true,          \
			      half_of<PACKED>((const T *)a, 0, n, 0, shape, uplo), a);            \
	}
BLAS_RANK(syr, spr, syr2, spr2, SYMMETRIC)
BLAS_RANK(her, hpr, her2, hpr2, HERMITIAN)

} // namespace blas

#define BLAS_LIST "cublas_level2.h"
#include "entries.h"
