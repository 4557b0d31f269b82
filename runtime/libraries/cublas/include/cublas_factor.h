/* SPDX-License-Identifier: MIT */
/* Factorisations of many small matrices, and packed triangles; see cublas_level1.h. No guard. */
#define CUBLAS_LIST(L, T)                                                                          \
	CUBLAS_CALL(L##getrfBatched,                                                               \
		    (cublasHandle_t handle, int n, T *const a[], int lda, int *pivots, int *info,  \
		     int count),                                                                   \
		    getrf, (handle, n, a, lda, pivots, info, count))                               \
	CUBLAS_CALL(L##getriBatched,                                                               \
		    (cublasHandle_t handle, int n, const T *const a[], int lda, const int *pivots, \
		     T *const c[], int ldc, int *info, int count),                                 \
		    getri, (handle, n, a, lda, pivots, c, ldc, info, count))                       \
	CUBLAS_CALL(L##getrsBatched,                                                               \
		    (cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,              \
		     const T *const a[], int lda, const int *pivots, T *const b[], int ldb,        \
		     int *info, int count),                                                        \
		    getrs, (handle, trans, n, nrhs, a, lda, pivots, b, ldb, info, count))          \
	CUBLAS_CALL(L##matinvBatched,                                                              \
		    (cublasHandle_t handle, int n, const T *const a[], int lda, T *const c[],      \
		     int ldc, int *info, int count),                                               \
		    matinv, (handle, n, a, lda, c, ldc, info, count))                              \
	CUBLAS_CALL(L##geqrfBatched,                                                               \
		    (cublasHandle_t handle, int m, int n, T *const a[], int lda, T *const tau[],   \
		     int *info, int count),                                                        \
		    geqrf, (handle, m, n, a, lda, tau, info, count))                               \
	CUBLAS_CALL(L##gelsBatched,                                                                \
		    (cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs,       \
		     T *const a[], int lda, T *const c[], int ldc, int *info, int *device_info,    \
		     int count),                                                                   \
		    gels, (handle, trans, m, n, nrhs, a, lda, c, ldc, info, device_info, count))   \
	CUBLAS_CALL(                                                                               \
		L##tpttr,                                                                          \
		(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *ap, T *a, int lda), \
		tpttr, (handle, uplo, n, ap, a, lda))                                              \
	CUBLAS_CALL(                                                                               \
		L##trttp,                                                                          \
		(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *a, int lda, T *ap), \
		trttp, (handle, uplo, n, a, lda, ap))
CUBLAS_LIST(S, float)
CUBLAS_LIST(D, double)
CUBLAS_LIST(C, cuComplex)
CUBLAS_LIST(Z, cuDoubleComplex)
#undef CUBLAS_LIST
