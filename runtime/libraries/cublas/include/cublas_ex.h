/* SPDX-License-Identifier: MIT */
/* Functions that are told the types of elements; see cublas_level1.h. No guard. */
#define CUBLAS_H cublasHandle_t handle
#define CUBLAS_OPS cublasOperation_t transa, cublasOperation_t transb
#define CUBLAS_MNK CUBLAS_INT m, CUBLAS_INT n, CUBLAS_INT k

CUBLAS_CALL(GemmEx,
	    (CUBLAS_H, CUBLAS_OPS, CUBLAS_MNK, const void *alpha, const void *a, cudaDataType atype,
	     CUBLAS_INT lda, const void *b, cudaDataType btype, CUBLAS_INT ldb, const void *beta,
	     void *c, cudaDataType ctype, CUBLAS_INT ldc, cublasComputeType_t compute,
	     cublasGemmAlgo_t algo),
	    gemm_ex,
	    (handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype,
	     ldc, compute, algo))
CUBLAS_CALL(GemmBatchedEx,
	    (CUBLAS_H, CUBLAS_OPS, CUBLAS_MNK, const void *alpha, const void *const a[],
	     cudaDataType atype, CUBLAS_INT lda, const void *const b[], cudaDataType btype,
	     CUBLAS_INT ldb, const void *beta, void *const c[], cudaDataType ctype, CUBLAS_INT ldc,
	     CUBLAS_INT count, cublasComputeType_t compute, cublasGemmAlgo_t algo),
	    gemm_batched_ex,
	    (handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype,
	     ldc, count, compute, algo))
CUBLAS_CALL(GemmStridedBatchedEx,
	    (CUBLAS_H, CUBLAS_OPS, CUBLAS_MNK, const void *alpha, const void *a, cudaDataType atype,
	     CUBLAS_INT lda, long long stridea, const void *b, cudaDataType btype, CUBLAS_INT ldb,
	     long long strideb, const void *beta, void *c, cudaDataType ctype, CUBLAS_INT ldc,
	     long long stridec, CUBLAS_INT count, cublasComputeType_t compute,
	     cublasGemmAlgo_t algo),
	    gemm_strided_ex,
	    (handle, transa, transb, m, n, k, alpha, a, atype, lda, stridea, b, btype, ldb, strideb,
	     beta, c, ctype, ldc, stridec, count, compute, algo))

/* The older ones: scalars of the type in the name. */
#define CUBLAS_LIST(name, S)                                                                      \
	CUBLAS_CALL(name,                                                                         \
		    (CUBLAS_H, CUBLAS_OPS, CUBLAS_MNK, const S *alpha, const void *a,             \
		     cudaDataType atype, CUBLAS_INT lda, const void *b, cudaDataType btype,       \
		     CUBLAS_INT ldb, const S *beta, void *c, cudaDataType ctype, CUBLAS_INT ldc), \
		    gemm_typed,                                                                   \
		    (handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta,  \
		     c, ctype, ldc))
CUBLAS_LIST(SgemmEx, float)
CUBLAS_LIST(CgemmEx, cuComplex)
CUBLAS_LIST(Cgemm3mEx, cuComplex)
#undef CUBLAS_LIST

#define CUBLAS_LIST(name, S, function)                                                            \
	CUBLAS_CALL(name,                                                                         \
		    (CUBLAS_H, cublasFillMode_t uplo, cublasOperation_t trans, CUBLAS_INT n,      \
		     CUBLAS_INT k, const S *alpha, const void *a, cudaDataType atype,             \
		     CUBLAS_INT lda, const S *beta, void *c, cudaDataType ctype, CUBLAS_INT ldc), \
		    function,                                                                     \
		    (handle, uplo, trans, n, k, alpha, a, atype, lda, beta, c, ctype, ldc))
CUBLAS_LIST(CsyrkEx, cuComplex, syrk_ex)
CUBLAS_LIST(Csyrk3mEx, cuComplex, syrk_ex)
CUBLAS_LIST(CherkEx, float, herk_ex)
CUBLAS_LIST(Cherk3mEx, float, herk_ex)
#undef CUBLAS_LIST

#undef CUBLAS_OPS
#undef CUBLAS_MNK
#undef CUBLAS_H
