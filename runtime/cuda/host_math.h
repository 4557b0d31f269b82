/* SPDX-License-Identifier: MIT */
/*
 * Functions that CUDA has beside the C library's, for host code. Kernels have them from
 * libdevice_math.h.
 */
#ifndef VGPU_CUDA_HOST_MATH_H
#define VGPU_CUDA_HOST_MATH_H

#include <features.h>
#include <math.h>

#define __VGPU_HOST static __host__ __inline__
/* The same in single precision */
#define __VGPU_HOST_FLOAT(name) \
	__VGPU_HOST float name##f(float a) { return (float)name((double)a); }

#define __VGPU_FUNCTION(name)	__VGPU_HOST double name(double a)
#define __VGPU_C(name)	::name
#include "bits/bessel_modified.h"
#include "bits/inverse_error.h"
#undef __VGPU_FUNCTION
#undef __VGPU_C
__VGPU_HOST_FLOAT(cyl_bessel_i0)
__VGPU_HOST_FLOAT(cyl_bessel_i1)
__VGPU_HOST_FLOAT(erfcx)
__VGPU_HOST_FLOAT(erfinv)
__VGPU_HOST_FLOAT(erfcinv)

__VGPU_HOST double normcdf(double a) { return 0.5 * ::erfc(a * -0.70710678118654752440); }
__VGPU_HOST double normcdfinv(double a) { return -1.41421356237309504880 * erfcinv(2.0 * a); }
__VGPU_HOST double rcbrt(double a) { return 1.0 / ::cbrt(a); }
__VGPU_HOST_FLOAT(normcdf)
__VGPU_HOST_FLOAT(normcdfinv)
__VGPU_HOST_FLOAT(rcbrt)

/* Newer C libraries have some of them. */
#if !__GLIBC_PREREQ(2, 42)
__VGPU_HOST double rsqrt(double a) { return 1.0 / ::sqrt(a); }
__VGPU_HOST float rsqrtf(float a) { return 1.0f / ::sqrtf(a); }
#endif
#if !__GLIBC_PREREQ(2, 41)
/*
 * Exact at multiples of a half: what is left of a period is at most one, and is folded once more.
 */
__VGPU_HOST double sinpi(double a)
{
	double r = ::remainder(a, 2.0);

	if (::fabs(r) > 0.5)
		r = ::copysign(1.0, r) - r;
	return r == 0.0 ? ::copysign(0.0, a) : ::sin(r * 3.14159265358979323846);
}
__VGPU_HOST double cospi(double a)
{
	double r = ::fabs(::remainder(a, 2.0));

	if (r < 0.25)
		return ::cos(r * 3.14159265358979323846);
	if (r <= 0.75)
		return ::sin((0.5 - r) * 3.14159265358979323846);
	return r <= 1.0 ? -::cos((1.0 - r) * 3.14159265358979323846) : r;
}
__VGPU_HOST_FLOAT(sinpi)
__VGPU_HOST_FLOAT(cospi)
#endif
__VGPU_HOST void sincospi(double a, double *s, double *c)
{
	*s = sinpi(a);
	*c = cospi(a);
}
__VGPU_HOST void sincospif(float a, float *s, float *c)
{
	*s = sinpif(a);
	*c = cospif(a);
}

__VGPU_HOST double norm(int n, const double *v)
{
	double length = 0.0;

	for (int i = 0; i < n; i++)
		length = ::hypot(length, v[i]);
	return length;
}
__VGPU_HOST double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
__VGPU_HOST double norm4d(double a, double b, double c, double d)
{
	return ::hypot(norm3d(a, b, c), d);
}
__VGPU_HOST double rhypot(double a, double b) { return 1.0 / ::hypot(a, b); }
__VGPU_HOST double rnorm(int n, const double *v) { return 1.0 / norm(n, v); }
__VGPU_HOST double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
__VGPU_HOST double rnorm4d(double a, double b, double c, double d)
{
	return 1.0 / norm4d(a, b, c, d);
}
__VGPU_HOST float normf(int n, const float *v)
{
	float length = 0.0f;

	for (int i = 0; i < n; i++)
		length = ::hypotf(length, v[i]);
	return length;
}
__VGPU_HOST float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
__VGPU_HOST float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
__VGPU_HOST float rhypotf(float a, float b) { return (float)rhypot(a, b); }
__VGPU_HOST float rnormf(int n, const float *v) { return 1.0f / normf(n, v); }
__VGPU_HOST float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
__VGPU_HOST float rnorm4df(float a, float b, float c, float d)
{
	return (float)rnorm4d(a, b, c, d);
}
__VGPU_HOST float fdividef(float a, float b) { return a / b; }

__VGPU_HOST unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
__VGPU_HOST unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
__VGPU_HOST long long llmin(long long a, long long b) { return a < b ? a : b; }
__VGPU_HOST long long llmax(long long a, long long b) { return a > b ? a : b; }
__VGPU_HOST unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
	return a < b ? a : b;
}
__VGPU_HOST unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
	return a > b ? a : b;
}

#undef __VGPU_HOST
#undef __VGPU_HOST_FLOAT

#endif
