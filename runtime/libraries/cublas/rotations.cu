// SPDX-License-Identifier: MIT
/*
 * Rotations of one pair of numbers. On the host where the handle's scalars are there, else by a
 * kernel of one thread; the same function either way.
 */
#include "context.h"

namespace blas
{

template <class R> static BLAS_HD R with_sign(R size, R sign)
{
	return sign < 0 ? -size : size;
}
static BLAS_HD float root(float a)
{
	return sqrtf(a);
}
static BLAS_HD double root(double a)
{
	return sqrt(a);
}

// a, b become r, z
template <class R> static BLAS_HD void make_rotation(R *a, R *b, R *c, R *s)
{
	R x = *a, y = *b, scale = magnitude(x) + magnitude(y);
	bool first = magnitude(x) > magnitude(y);

	if (scale == 0) {
		*c = 1;
		*s = *a = *b = 0;
		return;
	}
	R r = with_sign(scale * root((x / scale) * (x / scale) + (y / scale) * (y / scale)),
			first ? x : y);
	*c = x / r;
	*s = y / r;
	*b = first ? *s : *c != 0 ? 1 / *c : 1;
	*a = r;
}

template <class C, class R> static BLAS_HD void make_rotation(C *a, C *b, R *c, C *s)
{
	C x = *a, y = *b;
	R sizex = real_part(x), sizey = real_part(y), larger;

	// absolute values that do not overflow
	larger = magnitude(x);
	sizex = larger == 0 ? 0
			    : larger * root((x.x / larger) * (x.x / larger) +
					    (x.y / larger) * (x.y / larger));
	larger = magnitude(y);
	sizey = larger == 0 ? 0
			    : larger * root((y.x / larger) * (y.x / larger) +
					    (y.y / larger) * (y.y / larger));
	if (sizex == 0) {
		*c = 0;
		*s = one_of<C>();
		*a = y;
		return;
	}
	R scale = sizex + sizey;
	R norm =
		scale * root((sizex / scale) * (sizex / scale) + (sizey / scale) * (sizey / scale));
	C unit = pair(x.x / sizex, x.y / sizex);
	*c = sizex / norm;
	C t = times(unit, conjugate(y));
	*s = pair(t.x / norm, t.y / norm);
	*a = times(unit, norm);
}

// The factors of a modified rotation are kept between 1/4096 squared and its inverse.
template <class R> static BLAS_HD void make_modified(R *d1, R *d2, R *x1, R y1, R *param)
{
	const R gamma = 4096, most = gamma * gamma, least = 1 / most;
	R flag, h11 = 0, h12 = 0, h21 = 0, h22 = 0, p1, p2, q1, q2, u;

	if (*d1 < 0) {
		flag = -1;
		*d1 = *d2 = *x1 = 0;
	} else {
		p2 = *d2 * y1;
		if (p2 == 0) {
			param[0] = -2;
			return;
		}
		p1 = *d1 * *x1;
		q2 = p2 * y1;
		q1 = p1 * *x1;
		if (magnitude(q1) > magnitude(q2)) {
			h21 = -y1 / *x1;
			h12 = p2 / p1;
			u = 1 - h12 * h21;
			flag = 0;
			if (u > 0) {
				*d1 /= u;
				*d2 /= u;
				*x1 *= u;
			} else {
				flag = -1;
				h11 = h12 = h21 = h22 = 0;
				*d1 = *d2 = *x1 = 0;
			}
		} else if (q2 < 0) {
			flag = -1;
			*d1 = *d2 = *x1 = 0;
		} else {
			flag = 1;
			h11 = p1 / p2;
			h22 = *x1 / y1;
			u = 1 + h11 * h22;
			R t = *d2 / u;
			*d2 = *d1 / u;
			*d1 = t;
			*x1 = y1 * u;
		}
		for (int which = 0; which < 2; which++) {
			R *d = which ? d2 : d1;

			while (*d != 0 && (magnitude(*d) <= least || magnitude(*d) >= most)) {
				if (flag == 0) {
					h11 = 1;
					h22 = 1;
					flag = -1;
				} else if (flag > 0) {
					h21 = -1;
					h12 = 1;
					flag = -1;
				}
				bool up = magnitude(*d) <= least;
				R by = up ? 1 / gamma : gamma;
				*d = up ? *d * gamma * gamma : *d / (gamma * gamma);
				if (which) {
					h21 *= by;
					h22 *= by;
				} else {
					*x1 *= by;
					h11 *= by;
					h12 *= by;
				}
			}
		}
	}
	// what the flag implies is not written
	if (flag <= 0) {
		param[2] = h21;
		param[3] = h12;
	}
	if (flag != 0) {
		param[1] = h11;
		param[4] = h22;
	}
	param[0] = flag;
}

template <class T, class R> __global__ void rotg_kernel(T *a, T *b, R *c, T *s)
{
	make_rotation(a, b, c, s);
}

template <class R> __global__ void rotmg_kernel(R *d1, R *d2, R *x1, const R *y1, R *param)
{
	make_modified(d1, d2, x1, *y1, param);
}

template <class T, class R>
static cublasStatus_t rotg(cublasHandle_t handle, T *a, T *b, R *c, T *s)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(!a || !b || !c || !s);
	if (!on_host(handle))
		return launch(handle, rotg_kernel<T, R>, dim3(1), dim3(1), a, b, c, s);
	make_rotation(a, b, c, s);
	return CUBLAS_STATUS_SUCCESS;
}

template <class R>
static cublasStatus_t rotmg(cublasHandle_t handle, R *d1, R *d2, R *x1, const R *y1, R *param)
{
	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(!d1 || !d2 || !x1 || !y1 || !param);
	if (!on_host(handle))
		return launch(handle, rotmg_kernel<R>, dim3(1), dim3(1), d1, d2, x1, y1, param);
	make_modified(d1, d2, x1, *y1, param);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t rotg_ex(cublasHandle_t handle, void *a, void *b, cudaDataType abtype, void *c,
			      void *s, cudaDataType cstype, cudaDataType execution)
{
	BLAS_CHECK(handle);
	if (execution != abtype)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (abtype == CUDA_R_32F && cstype == CUDA_R_32F)
		return rotg(handle, (float *)a, (float *)b, (float *)c, (float *)s);
	if (abtype == CUDA_R_64F && cstype == CUDA_R_64F)
		return rotg(handle, (double *)a, (double *)b, (double *)c, (double *)s);
	if (abtype == CUDA_C_32F && cstype == CUDA_C_32F)
		return rotg(handle, (cuComplex *)a, (cuComplex *)b, (float *)c, (cuComplex *)s);
	if (abtype == CUDA_C_64F && cstype == CUDA_C_64F)
		return rotg(handle, (cuDoubleComplex *)a, (cuDoubleComplex *)b, (double *)c,
			    (cuDoubleComplex *)s);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}

static cublasStatus_t rotmg_ex(cublasHandle_t handle, void *d1, cudaDataType d1type, void *d2,
			       cudaDataType d2type, void *x1, cudaDataType x1type, const void *y1,
			       cudaDataType y1type, void *param, cudaDataType ptype,
			       cudaDataType execution)
{
	BLAS_CHECK(handle);
	if (d1type != d2type || d1type != x1type || d1type != y1type || d1type != ptype ||
	    d1type != execution)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (d1type == CUDA_R_32F)
		return rotmg(handle, (float *)d1, (float *)d2, (float *)x1, (const float *)y1,
			     (float *)param);
	if (d1type == CUDA_R_64F)
		return rotmg(handle, (double *)d1, (double *)d2, (double *)x1, (const double *)y1,
			     (double *)param);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}

} // namespace blas

#define BLAS_LIST "cublas_once.h"
#define BLAS_INT_ONLY
#include "entries.h"
