/* SPDX-License-Identifier: MIT */
/* Many small problems at once, by pointers or by strides; see cublas_level1.h. No guard. */
#define CUBLAS_H cublasHandle_t handle
#define CUBLAS_OPS cublasOperation_t transa, cublasOperation_t transb
#define CUBLAS_MNK CUBLAS_INT m, CUBLAS_INT n, CUBLAS_INT k

#define CUBLAS_GEMM(name, by_pointers, by_stride, T)                                               \
	CUBLAS_CALL(by_pointers, (CUBLAS_H, CUBLAS_OPS, CUBLAS_MNK, const T *alpha,                \
		const T *const a[], CUBLAS_INT lda, const T *const b[], CUBLAS_INT ldb,            \
		const T *beta, T *const c[], CUBLAS_INT ldc, CUBLAS_INT count), gemm_batched,      \
		(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count))     \
	CUBLAS_CALL(by_stride, (CUBLAS_H, CUBLAS_OPS, CUBLAS_MNK, const T *alpha, const T *a,      \
		CUBLAS_INT lda, long long stridea, const T *b, CUBLAS_INT ldb, long long strideb,  \
		const T *beta, T *c, CUBLAS_INT ldc, long long stridec, CUBLAS_INT count),         \
		gemm_strided, (handle, transa, transb, m, n, k, alpha, a, lda, stridea, b, ldb,    \
		strideb, beta, c, ldc, stridec, count))
#define CUBLAS_LIST(L, T)                                                                          \
	CUBLAS_GEMM(L##gemm, L##gemmBatched, L##gemmStridedBatched, T)                             \
	CUBLAS_CALL(L##trsmBatched, (CUBLAS_H, cublasSideMode_t side, cublasFillMode_t uplo,       \
		cublasOperation_t trans, cublasDiagType_t diag, CUBLAS_INT m, CUBLAS_INT n,        \
		const T *alpha, const T *const a[], CUBLAS_INT lda, T *const b[], CUBLAS_INT ldb,  \
		CUBLAS_INT count), trsm_batched,                                                   \
		(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, count))
CUBLAS_LIST(S, float)
CUBLAS_LIST(D, double)
CUBLAS_LIST(C, cuComplex)
CUBLAS_LIST(Z, cuDoubleComplex)
#undef CUBLAS_LIST
CUBLAS_GEMM(Cgemm3m, Cgemm3mBatched, Cgemm3mStridedBatched, cuComplex)
#ifdef __cplusplus
CUBLAS_GEMM(Hgemm, HgemmBatched, HgemmStridedBatched, __half)
#endif

#undef CUBLAS_H
#undef CUBLAS_OPS
#undef CUBLAS_MNK
#undef CUBLAS_GEMM
