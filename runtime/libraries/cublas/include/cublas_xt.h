/* SPDX-License-Identifier: MIT */
/* Level 3 of cublasXt: matrices of the host, in tiles; see cublas_level1.h. No guard. */
#define CUBLAS_EACH(list) list(S, float) list(D, double) list(C, cuComplex) list(Z, cuDoubleComplex)
#define CUBLAS_RANK                                                                               \
	cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k
#define CUBLAS_TRI                                                                                \
	cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                    \
		cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n

/* name, elements, types of alpha and beta, function */
#define CUBLAS_SYMM(name, T, function)                                                            \
	CUBLAS_CALL(name, (cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, \
		size_t m, size_t n, const T *alpha, const T *a, size_t lda, const T *b,           \
		size_t ldb, const T *beta, T *c, size_t ldc),                                     \
		function, (handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc))
#define CUBLAS_SYRK(name, T, R, function)                                                         \
	CUBLAS_CALL(name, (CUBLAS_RANK, const R *alpha, const T *a, size_t lda, const R *beta,    \
		T *c, size_t ldc),                                                                \
		function, (handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc))
#define CUBLAS_SYR2K(name, T, R, function)                                                        \
	CUBLAS_CALL(name, (CUBLAS_RANK, const T *alpha, const T *a, size_t lda, const T *b,       \
		size_t ldb, const R *beta, T *c, size_t ldc),                                     \
		function, (handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc))

#define CUBLAS_LIST(L, T)                                                                         \
	CUBLAS_CALL(L##gemm, (cublasXtHandle_t handle, cublasOperation_t transa,                  \
		cublasOperation_t transb, size_t m, size_t n, size_t k, const T *alpha,           \
		const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c, size_t ldc), \
		gemm, (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))     \
	CUBLAS_SYMM(L##symm, T, symm)                                                             \
	CUBLAS_CALL(L##spmm, (cublasXtHandle_t handle, cublasSideMode_t side,                     \
		cublasFillMode_t uplo, size_t m, size_t n, const T *alpha, const T *ap,           \
		const T *b, size_t ldb, const T *beta, T *c, size_t ldc),                         \
		spmm, (handle, side, uplo, m, n, alpha, ap, b, ldb, beta, c, ldc))                \
	CUBLAS_SYRK(L##syrk, T, T, syrk)                                                          \
	CUBLAS_SYR2K(L##syr2k, T, T, syr2k)                                                       \
	CUBLAS_SYR2K(L##syrkx, T, T, syrkx)                                                       \
	CUBLAS_CALL(L##trmm, (CUBLAS_TRI, const T *alpha, const T *a, size_t lda, const T *b,     \
		size_t ldb, T *c, size_t ldc),                                                    \
		trmm, (handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc))     \
	CUBLAS_CALL(L##trsm, (CUBLAS_TRI, const T *alpha, const T *a, size_t lda, T *b,           \
		size_t ldb),                                                                      \
		trsm, (handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb))
CUBLAS_EACH(CUBLAS_LIST)
#undef CUBLAS_LIST

#define CUBLAS_LIST(L, T, R)                                                                      \
	CUBLAS_SYMM(L##hemm, T, hemm)                                                             \
	CUBLAS_SYRK(L##herk, T, R, herk)                                                          \
	CUBLAS_SYR2K(L##her2k, T, R, her2k)                                                       \
	CUBLAS_SYR2K(L##herkx, T, R, herkx)
CUBLAS_LIST(C, cuComplex, float)
CUBLAS_LIST(Z, cuDoubleComplex, double)
#undef CUBLAS_LIST

#undef CUBLAS_EACH
#undef CUBLAS_RANK
#undef CUBLAS_TRI
#undef CUBLAS_SYMM
#undef CUBLAS_SYRK
#undef CUBLAS_SYR2K
