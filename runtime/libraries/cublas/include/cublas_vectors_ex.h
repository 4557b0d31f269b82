/* SPDX-License-Identifier: MIT */
/* Level 1 functions that are told the types of elements; see cublas_level1.h. No guard. */
#define CUBLAS_H cublasHandle_t handle, CUBLAS_INT n
#define CUBLAS_X const void *x, cudaDataType xtype, CUBLAS_INT incx

CUBLAS_CALL(AxpyEx, (CUBLAS_H, const void *alpha, cudaDataType atype, CUBLAS_X, void *y,
	cudaDataType ytype, CUBLAS_INT incy, cudaDataType execution),
	axpy_ex, (handle, n, alpha, atype, x, xtype, incx, y, ytype, incy, execution))
CUBLAS_CALL(ScalEx, (CUBLAS_H, const void *alpha, cudaDataType atype, void *x, cudaDataType xtype,
	CUBLAS_INT incx, cudaDataType execution),
	scal_ex, (handle, n, alpha, atype, x, xtype, incx, execution))
CUBLAS_CALL(CopyEx, (CUBLAS_H, CUBLAS_X, void *y, cudaDataType ytype, CUBLAS_INT incy),
	copy_ex, (handle, n, x, xtype, incx, y, ytype, incy))
CUBLAS_CALL(SwapEx, (CUBLAS_H, void *x, cudaDataType xtype, CUBLAS_INT incx, void *y,
	cudaDataType ytype, CUBLAS_INT incy), swap_ex, (handle, n, x, xtype, incx, y, ytype, incy))
CUBLAS_CALL(RotEx, (CUBLAS_H, void *x, cudaDataType xtype, CUBLAS_INT incx, void *y,
	cudaDataType ytype, CUBLAS_INT incy, const void *c, const void *s, cudaDataType cstype,
	cudaDataType execution),
	rot_ex, (handle, n, x, xtype, incx, y, ytype, incy, c, s, cstype, execution))
CUBLAS_CALL(RotmEx, (CUBLAS_H, void *x, cudaDataType xtype, CUBLAS_INT incx, void *y,
	cudaDataType ytype, CUBLAS_INT incy, const void *param, cudaDataType ptype,
	cudaDataType execution),
	rotm_ex, (handle, n, x, xtype, incx, y, ytype, incy, param, ptype, execution))
CUBLAS_CALL(Nrm2Ex, (CUBLAS_H, CUBLAS_X, void *result, cudaDataType rtype, cudaDataType execution),
	nrm2_ex, (handle, n, x, xtype, incx, result, rtype, execution))
CUBLAS_CALL(AsumEx, (CUBLAS_H, CUBLAS_X, void *result, cudaDataType rtype, cudaDataType execution),
	asum_ex, (handle, n, x, xtype, incx, result, rtype, execution))
CUBLAS_CALL(IamaxEx, (CUBLAS_H, CUBLAS_X, CUBLAS_INT *result),
	iamax_ex, (handle, n, x, xtype, incx, result))
CUBLAS_CALL(IaminEx, (CUBLAS_H, CUBLAS_X, CUBLAS_INT *result),
	iamin_ex, (handle, n, x, xtype, incx, result))
CUBLAS_CALL(DotEx, (CUBLAS_H, CUBLAS_X, const void *y, cudaDataType ytype, CUBLAS_INT incy,
	void *result, cudaDataType rtype, cudaDataType execution),
	dotu_ex, (handle, n, x, xtype, incx, y, ytype, incy, result, rtype, execution))
CUBLAS_CALL(DotcEx, (CUBLAS_H, CUBLAS_X, const void *y, cudaDataType ytype, CUBLAS_INT incy,
	void *result, cudaDataType rtype, cudaDataType execution),
	dotc_ex, (handle, n, x, xtype, incx, y, ytype, incy, result, rtype, execution))

#undef CUBLAS_H
#undef CUBLAS_X
