/* SPDX-License-Identifier: MIT */
/*
 * Groups of batches by pointers: sizes and scalars of a group are the same, and are arrays with an
 * element for each; see cublas_level1.h. No guard.
 */
#define CUBLAS_SIZES                                                                               \
	cublasHandle_t handle, const cublasOperation_t transa[], const cublasOperation_t transb[], \
		const CUBLAS_INT m[], const CUBLAS_INT n[], const CUBLAS_INT k[]

#define CUBLAS_LIST(name, T)                                                                       \
	CUBLAS_CALL(name,                                                                          \
		    (CUBLAS_SIZES, const T alpha[], const T *const a[], const CUBLAS_INT lda[],    \
		     const T *const b[], const CUBLAS_INT ldb[], const T beta[], T *const c[],     \
		     const CUBLAS_INT ldc[], CUBLAS_INT groups, const CUBLAS_INT counts[]),        \
		    gemm_grouped,                                                                  \
		    (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, \
		     counts))
CUBLAS_LIST(SgemmGroupedBatched, float)
CUBLAS_LIST(DgemmGroupedBatched, double)
#undef CUBLAS_LIST
CUBLAS_CALL(GemmGroupedBatchedEx,
	    (CUBLAS_SIZES, const void *alpha, const void *const a[], cudaDataType atype,
	     const CUBLAS_INT lda[], const void *const b[], cudaDataType btype,
	     const CUBLAS_INT ldb[], const void *beta, void *const c[], cudaDataType ctype,
	     const CUBLAS_INT ldc[], CUBLAS_INT groups, const CUBLAS_INT counts[],
	     cublasComputeType_t compute),
	    gemm_grouped_ex,
	    (handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype,
	     ldc, groups, counts, compute))

#undef CUBLAS_SIZES
