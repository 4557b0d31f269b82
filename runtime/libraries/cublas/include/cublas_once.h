/* SPDX-License-Identifier: MIT */
/* Rotations of one pair of numbers: there is no form with 64-bit sizes; see cublas_level1.h. No
 * guard. */
#define CUBLAS_LIST(name, T, R)                                                      \
	CUBLAS_CALL(name, (cublasHandle_t handle, T * a, T * b, R * c, T * s), rotg, \
		    (handle, a, b, c, s))
CUBLAS_LIST(Srotg_v2, float, float)
CUBLAS_LIST(Drotg_v2, double, double)
CUBLAS_LIST(Crotg_v2, cuComplex, float)
CUBLAS_LIST(Zrotg_v2, cuDoubleComplex, double)
#undef CUBLAS_LIST
#define CUBLAS_LIST(name, T)                                                                      \
	CUBLAS_CALL(name, (cublasHandle_t handle, T * d1, T * d2, T * x1, const T *y1, T *param), \
		    rotmg, (handle, d1, d2, x1, y1, param))
CUBLAS_LIST(Srotmg_v2, float)
CUBLAS_LIST(Drotmg_v2, double)
#undef CUBLAS_LIST
CUBLAS_CALL(RotgEx,
	    (cublasHandle_t handle, void *a, void *b, cudaDataType abtype, void *c, void *s,
	     cudaDataType cstype, cudaDataType execution),
	    rotg_ex, (handle, a, b, abtype, c, s, cstype, execution))
CUBLAS_CALL(RotmgEx,
	    (cublasHandle_t handle, void *d1, cudaDataType d1type, void *d2, cudaDataType d2type,
	     void *x1, cudaDataType x1type, const void *y1, cudaDataType y1type, void *param,
	     cudaDataType ptype, cudaDataType execution),
	    rotmg_ex,
	    (handle, d1, d1type, d2, d2type, x1, x1type, y1, y1type, param, ptype, execution))
