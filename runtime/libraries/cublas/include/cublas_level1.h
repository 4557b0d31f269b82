/* SPDX-License-Identifier: MIT */
/*
 * Level 1: vectors. One line each: name, parameters, and for the library the function of namespace
 * blas that does it, with its arguments. CUBLAS_INT is int, and int64_t for the names with _64. No
 * guard.
 */
#define CUBLAS_H cublasHandle_t handle, CUBLAS_INT n
#define CUBLAS_EACH(list) list(S, float) list(D, double) list(C, cuComplex) list(Z, cuDoubleComplex)

#define CUBLAS_LIST(L, T)                                                                         \
	CUBLAS_CALL(                                                                              \
		L##axpy_v2,                                                                       \
		(CUBLAS_H, const T *alpha, const T *x, CUBLAS_INT incx, T *y, CUBLAS_INT incy),   \
		axpy, (handle, n, alpha, x, incx, y, incy))                                       \
	CUBLAS_CALL(L##copy_v2, (CUBLAS_H, const T *x, CUBLAS_INT incx, T *y, CUBLAS_INT incy),   \
		    copy, (handle, n, x, incx, y, incy))                                          \
	CUBLAS_CALL(L##swap_v2, (CUBLAS_H, T * x, CUBLAS_INT incx, T * y, CUBLAS_INT incy), swap, \
		    (handle, n, x, incx, y, incy))                                                \
	CUBLAS_CALL(L##scal_v2, (CUBLAS_H, const T *alpha, T *x, CUBLAS_INT incx), scal,          \
		    (handle, n, alpha, x, incx))
CUBLAS_EACH(CUBLAS_LIST)
#undef CUBLAS_LIST

/* By real numbers, and what has a real result: L is the letter or letters, R the real type. */
#define CUBLAS_LIST(L, T, R)                                                              \
	CUBLAS_CALL(L##nrm2_v2, (CUBLAS_H, const T *x, CUBLAS_INT incx, R *result), nrm2, \
		    (handle, n, x, incx, result))                                         \
	CUBLAS_CALL(L##asum_v2, (CUBLAS_H, const T *x, CUBLAS_INT incx, R *result), asum, \
		    (handle, n, x, incx, result))
CUBLAS_LIST(S, float, float)
CUBLAS_LIST(D, double, double)
CUBLAS_LIST(Sc, cuComplex, float)
CUBLAS_LIST(Dz, cuDoubleComplex, double)
#undef CUBLAS_LIST

#define CUBLAS_LIST(L, T)                                                                       \
	CUBLAS_CALL(I##L##amax_v2, (CUBLAS_H, const T *x, CUBLAS_INT incx, CUBLAS_INT *result), \
		    iamax, (handle, n, x, incx, result))                                        \
	CUBLAS_CALL(I##L##amin_v2, (CUBLAS_H, const T *x, CUBLAS_INT incx, CUBLAS_INT *result), \
		    iamin, (handle, n, x, incx, result))
CUBLAS_LIST(s, float)
CUBLAS_LIST(d, double)
CUBLAS_LIST(c, cuComplex)
CUBLAS_LIST(z, cuDoubleComplex)
#undef CUBLAS_LIST

#define CUBLAS_LIST(name, T, function)                                                           \
	CUBLAS_CALL(                                                                             \
		name,                                                                            \
		(CUBLAS_H, const T *x, CUBLAS_INT incx, const T *y, CUBLAS_INT incy, T *result), \
		function, (handle, n, x, incx, y, incy, result))
CUBLAS_LIST(Sdot_v2, float, dotu)
CUBLAS_LIST(Ddot_v2, double, dotu)
CUBLAS_LIST(Cdotu_v2, cuComplex, dotu)
CUBLAS_LIST(Cdotc_v2, cuComplex, dotc)
CUBLAS_LIST(Zdotu_v2, cuDoubleComplex, dotu)
CUBLAS_LIST(Zdotc_v2, cuDoubleComplex, dotc)
#undef CUBLAS_LIST

CUBLAS_CALL(Csscal_v2, (CUBLAS_H, const float *alpha, cuComplex *x, CUBLAS_INT incx), scal,
	    (handle, n, alpha, x, incx))
CUBLAS_CALL(Zdscal_v2, (CUBLAS_H, const double *alpha, cuDoubleComplex *x, CUBLAS_INT incx), scal,
	    (handle, n, alpha, x, incx))

/* name, elements, cosine, sine */
#define CUBLAS_LIST(name, T, R, S)                                                         \
	CUBLAS_CALL(name,                                                                  \
		    (CUBLAS_H, T * x, CUBLAS_INT incx, T * y, CUBLAS_INT incy, const R *c, \
		     const S *s),                                                          \
		    rot, (handle, n, x, incx, y, incy, c, s))
CUBLAS_LIST(Srot_v2, float, float, float)
CUBLAS_LIST(Drot_v2, double, double, double)
CUBLAS_LIST(Crot_v2, cuComplex, float, cuComplex)
CUBLAS_LIST(Csrot_v2, cuComplex, float, float)
CUBLAS_LIST(Zrot_v2, cuDoubleComplex, double, cuDoubleComplex)
CUBLAS_LIST(Zdrot_v2, cuDoubleComplex, double, double)
#undef CUBLAS_LIST

#define CUBLAS_LIST(name, T)                                                                    \
	CUBLAS_CALL(name,                                                                       \
		    (CUBLAS_H, T * x, CUBLAS_INT incx, T * y, CUBLAS_INT incy, const T *param), \
		    rotm, (handle, n, x, incx, y, incy, param))
CUBLAS_LIST(Srotm_v2, float)
CUBLAS_LIST(Drotm_v2, double)
#undef CUBLAS_LIST

#undef CUBLAS_EACH
#undef CUBLAS_H
