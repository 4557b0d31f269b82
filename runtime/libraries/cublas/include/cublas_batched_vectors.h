/* SPDX-License-Identifier: MIT */
/* Many products of a matrix and a vector, by pointers or by strides; see cublas_level1.h. No guard.
 */
#define CUBLAS_H cublasHandle_t handle

#define CUBLAS_GEMV(by_pointers, by_stride, T, Y, S)                                               \
	CUBLAS_CALL(                                                                               \
		by_pointers,                                                                       \
		(CUBLAS_H, cublasOperation_t trans, CUBLAS_INT m, CUBLAS_INT n, const S *alpha,    \
		 const T *const a[], CUBLAS_INT lda, const T *const x[], CUBLAS_INT incx,          \
		 const S *beta, Y *const y[], CUBLAS_INT incy, CUBLAS_INT count),                  \
		gemv_batched, (handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, count)) \
	CUBLAS_CALL(by_stride,                                                                     \
		    (CUBLAS_H, cublasOperation_t trans, CUBLAS_INT m, CUBLAS_INT n,                \
		     const S *alpha, const T *a, CUBLAS_INT lda, long long stridea, const T *x,    \
		     CUBLAS_INT incx, long long stridex, const S *beta, Y *y, CUBLAS_INT incy,     \
		     long long stridey, CUBLAS_INT count),                                         \
		    gemv_strided,                                                                  \
		    (handle, trans, m, n, alpha, a, lda, stridea, x, incx, stridex, beta, y, incy, \
		     stridey, count))
CUBLAS_GEMV(SgemvBatched, SgemvStridedBatched, float, float, float)
CUBLAS_GEMV(DgemvBatched, DgemvStridedBatched, double, double, double)
CUBLAS_GEMV(CgemvBatched, CgemvStridedBatched, cuComplex, cuComplex, cuComplex)
CUBLAS_GEMV(ZgemvBatched, ZgemvStridedBatched, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex)
#ifdef __cplusplus
CUBLAS_GEMV(HSHgemvBatched, HSHgemvStridedBatched, __half, __half, float)
CUBLAS_GEMV(HSSgemvBatched, HSSgemvStridedBatched, __half, float, float)
CUBLAS_GEMV(TSTgemvBatched, TSTgemvStridedBatched, __nv_bfloat16, __nv_bfloat16, float)
CUBLAS_GEMV(TSSgemvBatched, TSSgemvStridedBatched, __nv_bfloat16, float, float)
#endif

#undef CUBLAS_H
#undef CUBLAS_GEMV
