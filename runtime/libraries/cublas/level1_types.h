/* SPDX-License-Identifier: MIT */
/*
 * The functions of level 1 that are told their types: a switch over what NVIDIA's documents list,
 * of which each is one of the templates of level1.cu. Other combinations are NOT_SUPPORTED.
 */
#ifndef CUBLAS_LEVEL1_TYPES_H
#define CUBLAS_LEVEL1_TYPES_H

namespace blas
{

static inline bool half_type(cudaDataType type)
{
	return type == CUDA_R_16F || type == CUDA_R_16BF;
}

/* Computed in the elements' own type, or in single precision if they are halves. */
static inline bool own_execution(cudaDataType type, cudaDataType execution)
{
	return half_type(type) ? execution == CUDA_R_32F : execution == type;
}

#define BLAS_FLOAT_CASES(call)          \
	case CUDA_R_32F:                \
		return call(float);     \
	case CUDA_R_64F:                \
		return call(double);    \
	case CUDA_C_32F:                \
		return call(cuComplex); \
	case CUDA_C_64F:                \
		return call(cuDoubleComplex);
#define BLAS_CASES(call)                    \
	BLAS_FLOAT_CASES(call)              \
	case CUDA_R_16F:                    \
		return call(__half);        \
	case CUDA_R_16BF:                   \
		return call(__nv_bfloat16); \
	default:                            \
		return CUBLAS_STATUS_NOT_SUPPORTED;

/* Halves with a scalar of theirs or a float. */
template <class T, class S>
static cublasStatus_t axpy_half(cublasHandle_t handle, int64_t n, const S *alpha, const T *x,
				int64_t incx, T *y, int64_t incy)
{
	BLAS_CHECK(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !x || !y);
	scalar<float> a = scalar_at<float>(handle, alpha);
	if (known_zero(a))
		return CUBLAS_STATUS_SUCCESS;
	return each(handle, axpy_kernel<T, T, float>, n, a, first(x, n, incx), incx,
		    first(y, n, incy), incy);
}

static cublasStatus_t axpy_ex(cublasHandle_t handle, int64_t n, const void *alpha,
			      cudaDataType atype, const void *x, cudaDataType xtype, int64_t incx,
			      void *y, cudaDataType ytype, int64_t incy, cudaDataType execution)
{
	BLAS_CHECK(handle);
	if (xtype != ytype || !own_execution(xtype, execution) ||
	    (atype != xtype && !(half_type(xtype) && atype == CUDA_R_32F)))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (atype != xtype)
		return xtype == CUDA_R_16F ? axpy_half(handle, n, (const float *)alpha,
						       (const __half *)x, incx, (__half *)y, incy)
					   : axpy_half(handle, n, (const float *)alpha,
						       (const __nv_bfloat16 *)x, incx,
						       (__nv_bfloat16 *)y, incy);
#define CALL(T) axpy(handle, n, (const T *)alpha, (const T *)x, incx, (T *)y, incy)
	switch (xtype) {
		BLAS_CASES(CALL)
	}
#undef CALL
}

static cublasStatus_t scal_ex(cublasHandle_t handle, int64_t n, const void *alpha,
			      cudaDataType atype, void *x, cudaDataType xtype, int64_t incx,
			      cudaDataType execution)
{
	BLAS_CHECK(handle);
	if (!own_execution(xtype, execution) ||
	    (atype != xtype && !(half_type(xtype) && atype == CUDA_R_32F)))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (atype != xtype)
		return xtype == CUDA_R_16F
			       ? scal(handle, n, (const float *)alpha, (__half *)x, incx)
			       : scal(handle, n, (const float *)alpha, (__nv_bfloat16 *)x, incx);
#define CALL(T) scal(handle, n, (const T *)alpha, (T *)x, incx)
	switch (xtype) {
		BLAS_CASES(CALL)
	}
#undef CALL
}

static cublasStatus_t copy_ex(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xtype,
			      int64_t incx, void *y, cudaDataType ytype, int64_t incy)
{
	BLAS_CHECK(handle);
	if (xtype != ytype)
		return CUBLAS_STATUS_NOT_SUPPORTED;
#define CALL(T) copy(handle, n, (const T *)x, incx, (T *)y, incy)
	switch (xtype) {
		BLAS_CASES(CALL)
	}
#undef CALL
}

static cublasStatus_t swap_ex(cublasHandle_t handle, int64_t n, void *x, cudaDataType xtype,
			      int64_t incx, void *y, cudaDataType ytype, int64_t incy)
{
	BLAS_CHECK(handle);
	if (xtype != ytype)
		return CUBLAS_STATUS_NOT_SUPPORTED;
#define CALL(T) swap(handle, n, (T *)x, incx, (T *)y, incy)
	switch (xtype) {
		BLAS_CASES(CALL)
	}
#undef CALL
}

static cublasStatus_t rot_ex(cublasHandle_t handle, int64_t n, void *x, cudaDataType xtype,
			     int64_t incx, void *y, cudaDataType ytype, int64_t incy, const void *c,
			     const void *s, cudaDataType cstype, cudaDataType execution)
{
	BLAS_CHECK(handle);
	if (xtype != ytype || !own_execution(xtype, execution))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	// both are of the type that is named, also where the elements are complex and these are
	if (xtype == CUDA_C_32F && cstype == CUDA_R_32F)
		return rot(handle, n, (cuComplex *)x, incx, (cuComplex *)y, incy, (const float *)c,
			   (const float *)s);
	if (xtype == CUDA_C_64F && cstype == CUDA_R_64F)
		return rot(handle, n, (cuDoubleComplex *)x, incx, (cuDoubleComplex *)y, incy,
			   (const double *)c, (const double *)s);
	if (xtype != cstype)
		return CUBLAS_STATUS_NOT_SUPPORTED;
#define CALL(T) rot(handle, n, (T *)x, incx, (T *)y, incy, (const real_part_of<T> *)c, (const T *)s)
	switch (xtype) {
		BLAS_CASES(CALL)
	}
#undef CALL
}

static cublasStatus_t rotm_ex(cublasHandle_t handle, int64_t n, void *x, cudaDataType xtype,
			      int64_t incx, void *y, cudaDataType ytype, int64_t incy,
			      const void *param, cudaDataType ptype, cudaDataType execution)
{
	BLAS_CHECK(handle);
	if (xtype != ytype || xtype != ptype || xtype != execution)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (xtype == CUDA_R_32F)
		return rotm(handle, n, (float *)x, incx, (float *)y, incy, (const float *)param);
	if (xtype == CUDA_R_64F)
		return rotm(handle, n, (double *)x, incx, (double *)y, incy, (const double *)param);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}

/* The type of a norm of elements of a type */
static inline cudaDataType norm_type(cudaDataType type)
{
	return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

static inline bool norm_execution(cudaDataType type, cudaDataType execution)
{
	return half_type(type) ? execution == CUDA_R_32F
			       : execution == norm_type(type) || execution == type;
}

#define BLAS_NORM(name, function)                                                   \
	static cublasStatus_t name(cublasHandle_t handle, int64_t n, const void *x, \
				   cudaDataType xtype, int64_t incx, void *result,  \
				   cudaDataType rtype, cudaDataType execution)      \
	{                                                                           \
		BLAS_CHECK(handle);                                                 \
		if (rtype != norm_type(xtype) || !norm_execution(xtype, execution)) \
			return CUBLAS_STATUS_NOT_SUPPORTED;                         \
		switch (xtype) {                                                    \
			BLAS_CASES(CALL_##function)                                 \
		}                                                                   \
	}
#define CALL_nrm2(T) nrm2(handle, n, (const T *)x, incx, (real_part_of<T> *)result)
#define CALL_asum(T) asum(handle, n, (const T *)x, incx, (real_part_of<T> *)result)
BLAS_NORM(nrm2_ex, nrm2)
BLAS_NORM(asum_ex, asum)

#define BLAS_DOT(name, function)                                                          \
	static cublasStatus_t name(cublasHandle_t handle, int64_t n, const void *x,       \
				   cudaDataType xtype, int64_t incx, const void *y,       \
				   cudaDataType ytype, int64_t incy, void *result,        \
				   cudaDataType rtype, cudaDataType execution)            \
	{                                                                                 \
		BLAS_CHECK(handle);                                                       \
		if (xtype != ytype || xtype != rtype || !own_execution(xtype, execution)) \
			return CUBLAS_STATUS_NOT_SUPPORTED;                               \
		switch (xtype) {                                                          \
			BLAS_CASES(CALL_##function)                                       \
		}                                                                         \
	}
#define CALL_dotu(T) dotu(handle, n, (const T *)x, incx, (const T *)y, incy, (T *)result)
#define CALL_dotc(T) dotc(handle, n, (const T *)x, incx, (const T *)y, incy, (T *)result)
BLAS_DOT(dotu_ex, dotu)
BLAS_DOT(dotc_ex, dotc)

#define BLAS_EXTREME(name, function)                                                \
	template <class I>                                                          \
	static cublasStatus_t name(cublasHandle_t handle, int64_t n, const void *x, \
				   cudaDataType xtype, int64_t incx, I *result)     \
	{                                                                           \
		BLAS_CHECK(handle);                                                 \
		switch (xtype) {                                                    \
			BLAS_CASES(CALL_##function)                                 \
		}                                                                   \
	}
#define CALL_iamax(T) iamax(handle, n, (const T *)x, incx, result)
#define CALL_iamin(T) iamin(handle, n, (const T *)x, incx, result)
BLAS_EXTREME(iamax_ex, iamax)
BLAS_EXTREME(iamin_ex, iamin)

} // namespace blas

#endif
