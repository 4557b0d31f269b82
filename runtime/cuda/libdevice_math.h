/* SPDX-License-Identifier: MIT */
/*
 * Device math under the names clang's own CUDA headers call (__nv_*): libclc's OpenCL functions
 * (mangled names, linked as bitcode by vgpucc), compiler builtins where one instruction does it,
 * and our own code for what neither has. Device compilation of C++ only.
 */
#ifndef VGPU_CUDA_LIBDEVICE_MATH_H
#define VGPU_CUDA_LIBDEVICE_MATH_H

#define __VGPU_NV static __device__ __inline__ __attribute__((always_inline))

/*
 * What single precision does is a matter of -ftz=true: the builtins that flush subnormal numbers
 * have names of their own. The compiler makes the call a constant.
 */
#if !__has_builtin(__nvvm_reflect)
extern "C" __device__ int __nvvm_reflect(const char *) __attribute__((const, nothrow));
#endif
#define __VGPU_FTZ(flushing, keeping) (__nvvm_reflect("__CUDA_FTZ") ? (flushing) : (keeping))

/* libclc: name length and name give the mangled symbol */
#define __VGPU_CLC1F(n, name) \
	extern "C" __device__ float _Z##n##name##f(float); \
	__VGPU_NV float __nv_##name##f(float a) { return _Z##n##name##f(a); }
#define __VGPU_CLC1D(n, name) \
	extern "C" __device__ double _Z##n##name##d(double); \
	__VGPU_NV double __nv_##name(double a) { return _Z##n##name##d(a); }
#define __VGPU_CLC1(n, name) __VGPU_CLC1F(n, name) __VGPU_CLC1D(n, name)
/*
 * whose double form finds its place in a table by an integer, which of a NaN is the smallest there
 * is
 */
#define __VGPU_NUMBER(n, name) \
	__VGPU_CLC1F(n, name) \
	extern "C" __device__ double _Z##n##name##d(double); \
	__VGPU_NV double __nv_##name(double a) \
	{ \
		double of_number = _Z##n##name##d(a == a ? a : 0.0); \
	\
		return a == a ? of_number : a; \
	}
#define __VGPU_CLC2(n, name) \
	extern "C" __device__ float _Z##n##name##ff(float, float); \
	extern "C" __device__ double _Z##n##name##dd(double, double); \
	__VGPU_NV float __nv_##name##f(float a, float b) { return _Z##n##name##ff(a, b); } \
	__VGPU_NV double __nv_##name(double a, double b) { return _Z##n##name##dd(a, b); }

__VGPU_CLC1(4, acos)
__VGPU_CLC1(5, acosh)
__VGPU_CLC1(4, asin)
__VGPU_CLC1(5, asinh)
__VGPU_CLC1(4, atan)
__VGPU_CLC1(5, atanh)
__VGPU_CLC1(4, cbrt)
__VGPU_CLC1(3, cos)
__VGPU_CLC1(5, cospi)
__VGPU_CLC1(3, erf)
__VGPU_CLC1D(4, erfc)
__VGPU_CLC1D(3, exp)
__VGPU_CLC1D(4, exp2)
__VGPU_CLC1D(5, exp10)
__VGPU_CLC1(5, expm1)
__VGPU_CLC1(6, lgamma)
__VGPU_CLC1(3, log)
__VGPU_CLC1(4, log2)
__VGPU_CLC1(5, log10)
__VGPU_CLC1(5, log1p)
__VGPU_CLC1(4, logb)
__VGPU_CLC1(3, sin)
__VGPU_CLC1(5, sinpi)
__VGPU_CLC1(3, tan)
__VGPU_NUMBER(4, cosh)
__VGPU_NUMBER(4, sinh)
__VGPU_CLC1(4, tanh)
__VGPU_CLC1(6, tgamma)
__VGPU_CLC2(5, atan2)
__VGPU_CLC2(4, fdim)
__VGPU_CLC2(5, hypot)
__VGPU_CLC2(9, nextafter)
__VGPU_CLC2(3, pow)

extern "C" __device__ float _Z4pownfi(float, int);
extern "C" __device__ double _Z4powndi(double, int);
extern "C" __device__ int _Z5ilogbf(float);
extern "C" __device__ int _Z5ilogbd(double);

/*
 * a * 2^b. libclc's lose subnormal operands and NaN. The steps before the last do not round, but
 * where the result is zero in any case.
 */
#define __VGPU_LDEXP(name, type, up, top, down, by, power) \
	__VGPU_NV type name(type a, int b) \
	{ \
		for (int i = 0; i < 2; i++) { \
			if (b > top) { \
				a *= up; \
				b -= top; \
			} else if (b < 1 - top) { \
				a *= down; \
				b += by; \
			} \
		} \
		b = b > top ? top : b < 1 - top ? 1 - top : b; \
		return a * power; \
	}
__VGPU_LDEXP(__nv_ldexpf, float, 0x1p127f, 127, 0x1p-102f, 102, __nvvm_bitcast_i2f((b + 127) << 23))
__VGPU_LDEXP(__nv_ldexp, double, 0x1p1023, 1023, 0x1p-969, 969,
	     __nvvm_bitcast_ll2d((long long)(b + 1023) << 52))
#undef __VGPU_LDEXP
__VGPU_NV float __nv_scalbnf(float a, int b) { return __nv_ldexpf(a, b); }
__VGPU_NV double __nv_scalbn(double a, int b) { return __nv_ldexp(a, b); }
__VGPU_NV float __nv_powif(float a, int b) { return _Z4pownfi(a, b); }
__VGPU_NV double __nv_powi(double a, int b) { return _Z4powndi(a, b); }
__VGPU_NV int __nv_ilogbf(float a) { return _Z5ilogbf(a); }
__VGPU_NV int __nv_ilogb(double a) { return _Z5ilogbd(a); }

/*
 * Powers in single precision: libclc's flush subnormal results, CUDA's do not. The whole part of
 * the exponent is applied in two steps, so that a subnormal result is rounded once; e^r on |r| <=
 * 0.35 is 1 + r + r^2 q(r), q interpolated at the Chebyshev nodes (0.14 ulp).
 */
__VGPU_NV float __vgpu_exp_scaled(float r, float whole)
{
	int n = __nvvm_f2i_rn(whole), half = n >> 1;
	float q;

	q = __nvvm_fma_rn_f(r, 1.3926918e-3f, 8.3637670e-3f);
	q = __nvvm_fma_rn_f(r, q, 4.1666550e-2f);
	q = __nvvm_fma_rn_f(r, q, 1.6666573e-1f);
	q = __nvvm_fma_rn_f(r, q, 0.5f);
	q = __nvvm_add_rn_f(__nvvm_fma_rn_f(__nvvm_mul_rn_f(r, r), q, r), 1.0f);
	q = __nvvm_mul_rn_f(q, __nvvm_bitcast_i2f((half + 127) << 23));
	return __nvvm_mul_rn_f(q, __nvvm_bitcast_i2f((n - half + 127) << 23));
}
__VGPU_NV float __nv_expf(float a)
{
	float n;

	a = a < -105.0f ? -105.0f : a > 89.5f ? 89.5f : a;
	n = __builtin_rintf(a * 1.44269504f);
	a = __nvvm_fma_rn_f(n, -0.693145752f, a);
	return __vgpu_exp_scaled(__nvvm_fma_rn_f(n, -1.42860677e-6f, a), n);
}
__VGPU_NV float __nv_exp2f(float a)
{
	float n;

	a = a < -151.0f ? -151.0f : a > 129.0f ? 129.0f : a;
	n = __builtin_rintf(a);
	return __vgpu_exp_scaled((a - n) * 0.693147181f, n);
}
__VGPU_NV float __nv_exp10f(float a)
{
	float n;

	a = a < -45.5f ? -45.5f : a > 38.9f ? 38.9f : a;
	n = __builtin_rintf(a * 3.32192809f);
	a = __nvvm_fma_rn_f(n, -0.301025391f, a);
	return __vgpu_exp_scaled(__nvvm_fma_rn_f(n, -4.60503898e-6f, a) * 2.30258509f, n);
}

/* libclc's loses digits where it is small */
__VGPU_NV float __nv_erfcf(float a) { return (float)__nv_erfc((double)a); }

/*
 * Remainders are exact, so they are long division of the mantissas, as many bits at a time as 64
 * hold beside them; libclc's take subnormal numbers for zero. *quotient gets the low bits of |x| /
 * |y|; the result has no sign.
 */
#define __VGPU_DIVIDE(name, type, word, mantissa, from_bits) \
	static __device__ __inline__ type name(word a, word b, unsigned int *quotient) \
	{ \
		const word hidden = (word)1 << mantissa; \
		int ea = (int)(a >> mantissa), eb = (int)(b >> mantissa); \
		unsigned long long r, d; \
	\
		*quotient = 0; \
		if (a < b) \
			return from_bits(a); \
		a = ea ? (a & (hidden - 1)) | hidden : a; \
		b = eb ? (b & (hidden - 1)) | hidden : b; \
		ea += !ea; \
		eb += !eb; \
		d = b; \
		*quotient = (unsigned int)(a / d); \
		for (r = a % d; ea > eb;) { \
			int step = ea - eb < 63 - mantissa ? ea - eb : 63 - mantissa; \
	\
			r <<= step; \
			*quotient = (step < 32 ? *quotient << step : 0) + (unsigned int)(r / d); \
			r %= d; \
			ea -= step; \
		} \
		while (r && !(r & hidden) && eb > 1) { \
			r <<= 1; \
			eb--; \
		} \
		if (r & hidden) \
			r = (r & (hidden - 1)) | (unsigned long long)eb << mantissa; \
		return from_bits((word)r); \
	}
#define __VGPU_REMAINDERS(f, type, word, top, to_bits, divide) \
	static __device__ __inline__ type __nv_fmod##f(type x, type y) \
	{ \
		const word magnitude = ~(word)0 >> 1; \
		word a = (word)to_bits(x) & magnitude, b = (word)to_bits(y) & magnitude; \
		unsigned int q; \
	\
		if (!b || a >= (word)(top) || b > (word)(top)) \
			return (x * y) / (x * y); \
		return __builtin_copysign##f(divide(a, b, &q), x); \
	} \
	/* to the nearest multiple, to the even one when two are as near */ \
	static __device__ __inline__ type __nv_remquo##f(type x, type y, int *quotient) \
	{ \
		const word magnitude = ~(word)0 >> 1; \
		word a = (word)to_bits(x) & magnitude, b = (word)to_bits(y) & magnitude; \
		unsigned int q; \
		bool negative; \
		type r; \
	\
		*quotient = 0; \
		if (!b || a >= (word)(top) || b > (word)(top)) \
			return (x * y) / (x * y); \
		if (b == (word)(top)) \
			return x; \
		negative = (((word)to_bits(x) ^ (word)to_bits(y)) & ~magnitude) != 0; \
		y = __builtin_fabs##f(y); \
		r = divide(a, b, &q); \
		if (r > y - r || (r == y - r && (q & 1))) { \
			r -= y; \
			q++; \
		} \
		*quotient = negative ? -(int)(q & 0x7fffffff) : (int)(q & 0x7fffffff); \
		return ((word)to_bits(x) & ~magnitude) ? -r : r; \
	} \
	static __device__ __inline__ type __nv_remainder##f(type x, type y) \
	{ \
		int q; \
	\
		return __nv_remquo##f(x, y, &q); \
	}
__VGPU_DIVIDE(__vgpu_divide_f, float, unsigned int, 23, __nvvm_bitcast_i2f)
__VGPU_DIVIDE(__vgpu_divide_d, double, unsigned long long, 52, __nvvm_bitcast_ll2d)
__VGPU_REMAINDERS(f, float, unsigned int, 0x7f800000u, __nvvm_bitcast_f2i, __vgpu_divide_f)
__VGPU_REMAINDERS(, double, unsigned long long, 0x7ff0000000000000ull, __nvvm_bitcast_d2ll,
		  __vgpu_divide_d)

/* one or a few instructions */
#define __VGPU_BUILTIN1(name) \
	__VGPU_NV float __nv_##name##f(float a) { return __builtin_##name##f(a); } \
	__VGPU_NV double __nv_##name(double a) { return __builtin_##name(a); }
#define __VGPU_BUILTIN2(name) \
	__VGPU_NV float __nv_##name##f(float a, float b) { return __builtin_##name##f(a, b); } \
	__VGPU_NV double __nv_##name(double a, double b) { return __builtin_##name(a, b); }

__VGPU_BUILTIN1(ceil)
__VGPU_BUILTIN1(fabs)
__VGPU_BUILTIN1(floor)
__VGPU_BUILTIN1(nearbyint)
__VGPU_BUILTIN1(rint)
__VGPU_BUILTIN1(trunc)
__VGPU_BUILTIN2(copysign)
__VGPU_BUILTIN2(fmax)
__VGPU_BUILTIN2(fmin)

__VGPU_NV float __nv_fmaf(float a, float b, float c)
{
	return __VGPU_FTZ(__nvvm_fma_rn_ftz_f(a, b, c), __nvvm_fma_rn_f(a, b, c));
}
__VGPU_NV double __nv_fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
__VGPU_NV float __nv_sqrtf(float a)
{
	return __VGPU_FTZ(__nvvm_sqrt_rn_ftz_f(a), __nvvm_sqrt_rn_f(a));
}
__VGPU_NV double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
__VGPU_NV float __nv_rsqrtf(float a)
{
	return __VGPU_FTZ(__nvvm_rsqrt_approx_ftz_f(a), __nvvm_rsqrt_approx_f(a));
}
__VGPU_NV double __nv_rsqrt(double a) { return 1.0 / __nvvm_sqrt_rn_d(a); }
__VGPU_NV float __nv_rcbrtf(float a) { return 1.0f / __nv_cbrtf(a); }
__VGPU_NV double __nv_rcbrt(double a) { return 1.0 / __nv_cbrt(a); }

/*
 * away from zero at the half; |a| < 2^23 (2^52) has a fraction, larger values are integral already
 */
__VGPU_NV float __nv_roundf(float a)
{
	float t = __builtin_truncf(a);

	return __builtin_copysignf(
		__builtin_fabsf(a - t) >= 0.5f ? __builtin_fabsf(t) + 1.0f : __builtin_fabsf(t), a);
}
__VGPU_NV double __nv_round(double a)
{
	double t = __builtin_trunc(a);

	return __builtin_copysign(
		__builtin_fabs(a - t) >= 0.5 ? __builtin_fabs(t) + 1.0 : __builtin_fabs(t), a);
}
__VGPU_NV long long __nv_llrintf(float a) { return __nvvm_f2ll_rn(a); }
__VGPU_NV long long __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
__VGPU_NV long long __nv_llroundf(float a) { return __nvvm_f2ll_rz(__nv_roundf(a)); }
__VGPU_NV long long __nv_llround(double a) { return __nvvm_d2ll_rz(__nv_round(a)); }

__VGPU_NV int __nv_isnanf(float a) { return a != a; }
__VGPU_NV int __nv_isnand(double a) { return a != a; }
__VGPU_NV int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
__VGPU_NV int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
__VGPU_NV int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
__VGPU_NV int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
__VGPU_NV int __nv_signbitf(float a) { return __nvvm_bitcast_f2i(a) < 0; }
__VGPU_NV int __nv_signbitd(double a) { return __nvvm_bitcast_d2ll(a) < 0; }
__VGPU_NV float __nv_saturatef(float a)
{
	return __VGPU_FTZ(__nvvm_saturate_ftz_f(a), __nvvm_saturate_f(a));
}
__VGPU_NV float __nv_nanf(const void *) { return __builtin_nanf(""); }
__VGPU_NV double __nv_nan(const void *) { return __builtin_nan(""); }

__VGPU_NV float __nv_modff(float a, float *whole)
{
	*whole = __builtin_truncf(a);
	return __builtin_copysignf(__nv_isinff(a) ? 0.0f : a - *whole, a);
}
__VGPU_NV double __nv_modf(double a, double *whole)
{
	*whole = __builtin_trunc(a);
	return __builtin_copysign(__nv_isinfd(a) ? 0.0 : a - *whole, a);
}

/* mantissa in [0.5, 1) and exponent; subnormals are scaled into the normal range first */
__VGPU_NV float __nv_frexpf(float a, int *exponent)
{
	int bits, add = 0;

	if (a == 0.0f || !(__builtin_fabsf(a) < __builtin_inff())) {
		*exponent = 0;
		return a;
	}
	if (__builtin_fabsf(a) < 1.17549435e-38f) {
		a *= 16777216.0f;
		add = -24;
	}
	bits = __nvvm_bitcast_f2i(a);
	*exponent = ((bits >> 23) & 0xff) - 126 + add;
	return __nvvm_bitcast_i2f((bits & (int)0x807fffff) | 0x3f000000);
}
__VGPU_NV double __nv_frexp(double a, int *exponent)
{
	long long bits;
	int add = 0;

	if (a == 0.0 || !(__builtin_fabs(a) < __builtin_inf())) {
		*exponent = 0;
		return a;
	}
	if (__builtin_fabs(a) < 2.2250738585072014e-308) {
		a *= 18014398509481984.0;
		add = -54;
	}
	bits = __nvvm_bitcast_d2ll(a);
	*exponent = (int)((bits >> 52) & 0x7ff) - 1022 + add;
	return __nvvm_bitcast_ll2d((bits & (long long)0x800fffffffffffffull) |
				   0x3fe0000000000000ll);
}

/* pairs and lengths */
#define __VGPU_PAIR(name, sine, cosine)								\
	__VGPU_NV void __nv_##name##f(float a, float *s, float *c) { *s = __nv_##sine##f(a); \
		*c = __nv_##cosine##f(a); } \
	__VGPU_NV void __nv_##name(double a, double *s, double *c) { *s = __nv_##sine(a); \
		*c = __nv_##cosine(a); }
__VGPU_PAIR(sincos, sin, cos)
__VGPU_PAIR(sincospi, sinpi, cospi)

__VGPU_NV float __nv_norm3df(float a, float b, float c)
{
	return __nv_hypotf(__nv_hypotf(a, b), c);
}
__VGPU_NV double __nv_norm3d(double a, double b, double c)
{
	return __nv_hypot(__nv_hypot(a, b), c);
}
__VGPU_NV float __nv_norm4df(float a, float b, float c, float d)
{
	return __nv_hypotf(__nv_hypotf(a, b), __nv_hypotf(c, d));
}
__VGPU_NV double __nv_norm4d(double a, double b, double c, double d)
{
	return __nv_hypot(__nv_hypot(a, b), __nv_hypot(c, d));
}
__VGPU_NV float __nv_normf(int n, const float *v)
{
	float length = 0.0f;

	for (int i = 0; i < n; i++)
		length = __nv_hypotf(length, v[i]);
	return length;
}
__VGPU_NV double __nv_norm(int n, const double *v)
{
	double length = 0.0;

	for (int i = 0; i < n; i++)
		length = __nv_hypot(length, v[i]);
	return length;
}
__VGPU_NV float __nv_rhypotf(float a, float b) { return 1.0f / __nv_hypotf(a, b); }
__VGPU_NV double __nv_rhypot(double a, double b) { return 1.0 / __nv_hypot(a, b); }
__VGPU_NV float __nv_rnorm3df(float a, float b, float c) { return 1.0f / __nv_norm3df(a, b, c); }
__VGPU_NV double __nv_rnorm3d(double a, double b, double c) { return 1.0 / __nv_norm3d(a, b, c); }
__VGPU_NV float __nv_rnorm4df(float a, float b, float c, float d)
{
	return 1.0f / __nv_norm4df(a, b, c, d);
}
__VGPU_NV double __nv_rnorm4d(double a, double b, double c, double d)
{
	return 1.0 / __nv_norm4d(a, b, c, d);
}
__VGPU_NV float __nv_rnormf(int n, const float *v) { return 1.0f / __nv_normf(n, v); }
__VGPU_NV double __nv_rnorm(int n, const double *v) { return 1.0 / __nv_norm(n, v); }

/* normal distribution and inverse error functions */
__VGPU_NV float __nv_normcdff(float a) { return 0.5f * __nv_erfcf(a * -0.70710678f); }
__VGPU_NV double __nv_normcdf(double a) { return 0.5 * __nv_erfc(a * -0.70710678118654752440); }
#define __VGPU_FUNCTION(name)	__VGPU_NV double __nv_##name(double a)
#define __VGPU_C(name)	__nv_##name
#include "bits/inverse_error.h"
#undef __VGPU_FUNCTION
#undef __VGPU_C
__VGPU_NV float __nv_erfcxf(float a) { return (float)__nv_erfcx(a); }

__VGPU_NV float __nv_erfinvf(float a) { return (float)__nv_erfinv(a); }
__VGPU_NV float __nv_erfcinvf(float a) { return (float)__nv_erfcinv(a); }
__VGPU_NV double __nv_normcdfinv(double a)
{
	return -1.41421356237309504880 * __nv_erfcinv(2.0 * a);
}
__VGPU_NV float __nv_normcdfinvf(float a) { return (float)__nv_normcdfinv(a); }

/* approximate forms: one or two instructions of the special function unit */
__VGPU_NV float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
__VGPU_NV float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
__VGPU_NV void __nv_fast_sincosf(float a, float *s, float *c)
{
	*s = __nvvm_sin_approx_f(a);
	*c = __nvvm_cos_approx_f(a);
}
__VGPU_NV float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
__VGPU_NV float __nv_fast_tanf(float a)
{
	return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
__VGPU_NV float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * 1.4426950408889634f); }
__VGPU_NV float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.3219280948873623f); }
__VGPU_NV float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
__VGPU_NV float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * 0.69314718055994531f; }
__VGPU_NV float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.30102999566398120f; }
__VGPU_NV float __nv_fast_powf(float a, float b)
{
	return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a));
}

#include "device_bessel.h"

#undef __VGPU_CLC1
#undef __VGPU_CLC1F
#undef __VGPU_CLC1D
#undef __VGPU_CLC2
#undef __VGPU_DIVIDE
#undef __VGPU_REMAINDERS
#undef __VGPU_BUILTIN1
#undef __VGPU_BUILTIN2
#undef __VGPU_PAIR

#endif
