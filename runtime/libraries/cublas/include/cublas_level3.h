/* SPDX-License-Identifier: MIT */
/* Level 3: matrices; see cublas_level1.h. No guard. */
#define CUBLAS_EACH(list) list(S, float) list(D, double) list(C, cuComplex) list(Z, cuDoubleComplex)
#define CUBLAS_H cublasHandle_t handle
#define CUBLAS_OPS cublasOperation_t transa, cublasOperation_t transb
#define CUBLAS_MNK CUBLAS_INT m, CUBLAS_INT n, CUBLAS_INT k
#define CUBLAS_RANK cublasFillMode_t uplo, cublasOperation_t trans, CUBLAS_INT n, CUBLAS_INT k
#define CUBLAS_TRI cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,          \
	cublasDiagType_t diag, CUBLAS_INT m, CUBLAS_INT n

/* name, elements, type of beta, function: C = alpha A B + beta C in one of its forms */
#define CUBLAS_SYMM(name, T, function)                                                             \
	CUBLAS_CALL(name, (CUBLAS_H, cublasSideMode_t side, cublasFillMode_t uplo, CUBLAS_INT m,   \
		CUBLAS_INT n, const T *alpha, const T *a, CUBLAS_INT lda, const T *b,              \
		CUBLAS_INT ldb, const T *beta, T *c, CUBLAS_INT ldc),                              \
		function, (handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc))
#define CUBLAS_SYRK(name, T, R, function)                                                          \
	CUBLAS_CALL(name, (CUBLAS_H, CUBLAS_RANK, const R *alpha, const T *a, CUBLAS_INT lda,      \
		const R *beta, T *c, CUBLAS_INT ldc),                                              \
		function, (handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc))
#define CUBLAS_SYR2K(name, T, R, function)                                                         \
	CUBLAS_CALL(name, (CUBLAS_H, CUBLAS_RANK, const T *alpha, const T *a, CUBLAS_INT lda,      \
		const T *b, CUBLAS_INT ldb, const R *beta, T *c, CUBLAS_INT ldc),                  \
		function, (handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
#define CUBLAS_GEMM(name, T)                                                                       \
	CUBLAS_CALL(name, (CUBLAS_H, CUBLAS_OPS, CUBLAS_MNK, const T *alpha, const T *a,           \
		CUBLAS_INT lda, const T *b, CUBLAS_INT ldb, const T *beta, T *c, CUBLAS_INT ldc),  \
		gemm, (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))

#define CUBLAS_LIST(L, T)                                                                          \
	CUBLAS_GEMM(L##gemm_v2, T)                                                                 \
	CUBLAS_SYMM(L##symm_v2, T, symm)                                                           \
	CUBLAS_SYRK(L##syrk_v2, T, T, syrk)                                                        \
	CUBLAS_SYR2K(L##syr2k_v2, T, T, syr2k)                                                     \
	CUBLAS_SYR2K(L##syrkx, T, T, syrkx)                                                        \
	CUBLAS_CALL(L##trmm_v2, (CUBLAS_H, CUBLAS_TRI, const T *alpha, const T *a, CUBLAS_INT lda, \
		const T *b, CUBLAS_INT ldb, T *c, CUBLAS_INT ldc),                                 \
		trmm, (handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc))      \
	CUBLAS_CALL(L##trsm_v2, (CUBLAS_H, CUBLAS_TRI, const T *alpha, const T *a, CUBLAS_INT lda, \
		T *b, CUBLAS_INT ldb),                                                             \
		trsm, (handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb))              \
	CUBLAS_CALL(L##geam, (CUBLAS_H, CUBLAS_OPS, CUBLAS_INT m, CUBLAS_INT n, const T *alpha,    \
		const T *a, CUBLAS_INT lda, const T *beta, const T *b, CUBLAS_INT ldb, T *c,       \
		CUBLAS_INT ldc),                                                                   \
		geam, (handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c, ldc))         \
	CUBLAS_CALL(L##dgmm, (CUBLAS_H, cublasSideMode_t side, CUBLAS_INT m, CUBLAS_INT n,         \
		const T *a, CUBLAS_INT lda, const T *x, CUBLAS_INT incx, T *c, CUBLAS_INT ldc),    \
		dgmm, (handle, side, m, n, a, lda, x, incx, c, ldc))
CUBLAS_EACH(CUBLAS_LIST)
#undef CUBLAS_LIST

#define CUBLAS_LIST(L, T, R)                                                                       \
	CUBLAS_GEMM(L##gemm3m, T)                                                                  \
	CUBLAS_SYMM(L##hemm_v2, T, hemm)                                                           \
	CUBLAS_SYRK(L##herk_v2, T, R, herk)                                                        \
	CUBLAS_SYR2K(L##her2k_v2, T, R, her2k)                                                     \
	CUBLAS_SYR2K(L##herkx, T, R, herkx)
CUBLAS_LIST(C, cuComplex, float)
CUBLAS_LIST(Z, cuDoubleComplex, double)
#undef CUBLAS_LIST

#ifdef __cplusplus
CUBLAS_GEMM(Hgemm, __half)
#endif

#undef CUBLAS_EACH
#undef CUBLAS_H
#undef CUBLAS_OPS
#undef CUBLAS_MNK
#undef CUBLAS_RANK
#undef CUBLAS_TRI
#undef CUBLAS_SYMM
#undef CUBLAS_SYRK
#undef CUBLAS_SYR2K
#undef CUBLAS_GEMM
