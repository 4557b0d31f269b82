/* SPDX-License-Identifier: MIT */
/* Rotations of one pair: there is no form with 64-bit sizes; see cublas_level1.h. No guard. */
#define CUBLAS_LIST(name, T, R)                                                                    \
	CUBLAS_CALL(name, (cublasHandle_t handle, T *a, T *b, R *c, T *s), rotg,                   \
		    (handle, a, b, c, s))
CUBLAS_LIST(Srotg_v2, float, float)
CUBLAS_LIST(Drotg_v2, double, double)
CUBLAS_LIST(Crotg_v2, cuComplex, float)
CUBLAS_LIST(Zrotg_v2, cuDoubleComplex, double)
#undef CUBLAS_LIST
#define CUBLAS_LIST(name, T)                                                                       \
	CUBLAS_CALL(name, (cublasHandle_t handle, T *d1, T *d2, T *x1, const T *y1, T *param),     \
		    rotmg, (handle, d1, d2, x1, y1, param))
CUBLAS_LIST(Srotmg_v2, float)
CUBLAS_LIST(Drotmg_v2, double)
#undef CUBLAS_LIST
