/* SPDX-License-Identifier: MIT */
/* Level 2: a matrix and vectors; see cublas_level1.h. No guard. */
#define CUBLAS_EACH(list) list(S, float) list(D, double) list(C, cuComplex) list(Z, cuDoubleComplex)
#define CUBLAS_H cublasHandle_t handle
#define CUBLAS_UPLO cublasFillMode_t uplo
#define CUBLAS_TRI \
	CUBLAS_H, CUBLAS_UPLO, cublasOperation_t trans, cublasDiagType_t diag, CUBLAS_INT n

#define CUBLAS_LIST(L, T)                                                                          \
	CUBLAS_CALL(L##gemv_v2,                                                                    \
		    (CUBLAS_H, cublasOperation_t trans, CUBLAS_INT m, CUBLAS_INT n,                \
		     const T *alpha, const T *a, CUBLAS_INT lda, const T *x, CUBLAS_INT incx,      \
		     const T *beta, T *y, CUBLAS_INT incy),                                        \
		    gemv, (handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy))            \
	CUBLAS_CALL(L##gbmv_v2,                                                                    \
		    (CUBLAS_H, cublasOperation_t trans, CUBLAS_INT m, CUBLAS_INT n, CUBLAS_INT kl, \
		     CUBLAS_INT ku, const T *alpha, const T *a, CUBLAS_INT lda, const T *x,        \
		     CUBLAS_INT incx, const T *beta, T *y, CUBLAS_INT incy),                       \
		    gbmv, (handle, trans, m, n, kl, ku, alpha, a, lda, x, incx, beta, y, incy))    \
	CUBLAS_CALL(L##trmv_v2, (CUBLAS_TRI, const T *a, CUBLAS_INT lda, T *x, CUBLAS_INT incx),   \
		    trmv, (handle, uplo, trans, diag, n, a, lda, x, incx))                         \
	CUBLAS_CALL(L##tbmv_v2,                                                                    \
		    (CUBLAS_TRI, CUBLAS_INT k, const T *a, CUBLAS_INT lda, T *x, CUBLAS_INT incx), \
		    tbmv, (handle, uplo, trans, diag, n, k, a, lda, x, incx))                      \
	CUBLAS_CALL(L##tpmv_v2, (CUBLAS_TRI, const T *a, T *x, CUBLAS_INT incx), tpmv,             \
		    (handle, uplo, trans, diag, n, a, x, incx))                                    \
	CUBLAS_CALL(L##trsv_v2, (CUBLAS_TRI, const T *a, CUBLAS_INT lda, T *x, CUBLAS_INT incx),   \
		    trsv, (handle, uplo, trans, diag, n, a, lda, x, incx))                         \
	CUBLAS_CALL(L##tbsv_v2,                                                                    \
		    (CUBLAS_TRI, CUBLAS_INT k, const T *a, CUBLAS_INT lda, T *x, CUBLAS_INT incx), \
		    tbsv, (handle, uplo, trans, diag, n, k, a, lda, x, incx))                      \
	CUBLAS_CALL(L##tpsv_v2, (CUBLAS_TRI, const T *a, T *x, CUBLAS_INT incx), tpsv,             \
		    (handle, uplo, trans, diag, n, a, x, incx))                                    \
	CUBLAS_CALL(L##symv_v2,                                                                    \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *a,              \
		     CUBLAS_INT lda, const T *x, CUBLAS_INT incx, const T *beta, T *y,             \
		     CUBLAS_INT incy),                                                             \
		    symv, (handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy))                \
	CUBLAS_CALL(L##syr_v2,                                                                     \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *x,              \
		     CUBLAS_INT incx, T *a, CUBLAS_INT lda),                                       \
		    syr, (handle, uplo, n, alpha, x, incx, a, lda))                                \
	CUBLAS_CALL(L##syr2_v2,                                                                    \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *x,              \
		     CUBLAS_INT incx, const T *y, CUBLAS_INT incy, T *a, CUBLAS_INT lda),          \
		    syr2, (handle, uplo, n, alpha, x, incx, y, incy, a, lda))
CUBLAS_EACH(CUBLAS_LIST)
#undef CUBLAS_LIST

/* Symmetric with real elements, Hermitian with complex ones: bands and packed ones are either. */
#define CUBLAS_LIST(L, band, packed, function_band, function_packed, T)                            \
	CUBLAS_CALL(L##band##_v2,                                                                  \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, CUBLAS_INT k, const T *alpha,            \
		     const T *a, CUBLAS_INT lda, const T *x, CUBLAS_INT incx, const T *beta, T *y, \
		     CUBLAS_INT incy),                                                             \
		    function_band, (handle, uplo, n, k, alpha, a, lda, x, incx, beta, y, incy))    \
	CUBLAS_CALL(L##packed##_v2,                                                                \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *a, const T *x,  \
		     CUBLAS_INT incx, const T *beta, T *y, CUBLAS_INT incy),                       \
		    function_packed, (handle, uplo, n, alpha, a, x, incx, beta, y, incy))
CUBLAS_LIST(S, sbmv, spmv, sbmv, spmv, float)
CUBLAS_LIST(D, sbmv, spmv, sbmv, spmv, double)
CUBLAS_LIST(C, hbmv, hpmv, hbmv, hpmv, cuComplex)
CUBLAS_LIST(Z, hbmv, hpmv, hbmv, hpmv, cuDoubleComplex)
#undef CUBLAS_LIST

#define CUBLAS_LIST(L, T, R)                                                              \
	CUBLAS_CALL(L##hemv_v2,                                                           \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *a,     \
		     CUBLAS_INT lda, const T *x, CUBLAS_INT incx, const T *beta, T *y,    \
		     CUBLAS_INT incy),                                                    \
		    hemv, (handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy))       \
	CUBLAS_CALL(L##her_v2,                                                            \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const R *alpha, const T *x,     \
		     CUBLAS_INT incx, T *a, CUBLAS_INT lda),                              \
		    her, (handle, uplo, n, alpha, x, incx, a, lda))                       \
	CUBLAS_CALL(L##hpr_v2,                                                            \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const R *alpha, const T *x,     \
		     CUBLAS_INT incx, T *a),                                              \
		    hpr, (handle, uplo, n, alpha, x, incx, a))                            \
	CUBLAS_CALL(L##her2_v2,                                                           \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *x,     \
		     CUBLAS_INT incx, const T *y, CUBLAS_INT incy, T *a, CUBLAS_INT lda), \
		    her2, (handle, uplo, n, alpha, x, incx, y, incy, a, lda))             \
	CUBLAS_CALL(L##hpr2_v2,                                                           \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *x,     \
		     CUBLAS_INT incx, const T *y, CUBLAS_INT incy, T *a),                 \
		    hpr2, (handle, uplo, n, alpha, x, incx, y, incy, a))
CUBLAS_LIST(C, cuComplex, float)
CUBLAS_LIST(Z, cuDoubleComplex, double)
#undef CUBLAS_LIST

#define CUBLAS_LIST(L, T)                                                             \
	CUBLAS_CALL(L##spr_v2,                                                        \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *x, \
		     CUBLAS_INT incx, T *a),                                          \
		    spr, (handle, uplo, n, alpha, x, incx, a))                        \
	CUBLAS_CALL(L##spr2_v2,                                                       \
		    (CUBLAS_H, CUBLAS_UPLO, CUBLAS_INT n, const T *alpha, const T *x, \
		     CUBLAS_INT incx, const T *y, CUBLAS_INT incy, T *a),             \
		    spr2, (handle, uplo, n, alpha, x, incx, y, incy, a))
CUBLAS_LIST(S, float)
CUBLAS_LIST(D, double)
#undef CUBLAS_LIST

#define CUBLAS_LIST(name, T, function)                                                    \
	CUBLAS_CALL(name,                                                                 \
		    (CUBLAS_H, CUBLAS_INT m, CUBLAS_INT n, const T *alpha, const T *x,    \
		     CUBLAS_INT incx, const T *y, CUBLAS_INT incy, T *a, CUBLAS_INT lda), \
		    function, (handle, m, n, alpha, x, incx, y, incy, a, lda))
CUBLAS_LIST(Sger_v2, float, geru)
CUBLAS_LIST(Dger_v2, double, geru)
CUBLAS_LIST(Cgeru_v2, cuComplex, geru)
CUBLAS_LIST(Cgerc_v2, cuComplex, gerc)
CUBLAS_LIST(Zgeru_v2, cuDoubleComplex, geru)
CUBLAS_LIST(Zgerc_v2, cuDoubleComplex, gerc)
#undef CUBLAS_LIST

#undef CUBLAS_EACH
#undef CUBLAS_H
#undef CUBLAS_UPLO
#undef CUBLAS_TRI
