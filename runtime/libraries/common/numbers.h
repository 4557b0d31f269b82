/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of what matrices are made of: real and complex numbers by the same names, so that one
 * template serves all. Complex ones are CUDA's pairs. Half and bfloat16 elements are computed in
 * single precision.
 */
#ifndef VGPU_LIBRARIES_NUMBERS_H
#define VGPU_LIBRARIES_NUMBERS_H

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdint.h>

namespace blas
{

#define BLAS_HD __host__ __device__ __forceinline__

/* real: the type of a part; compute: the type of sums */
template <class T> struct number {
	typedef T real;
	typedef T compute;
};
template <> struct number<cuComplex> {
	typedef float real;
	typedef cuComplex compute;
};
template <> struct number<cuDoubleComplex> {
	typedef double real;
	typedef cuDoubleComplex compute;
};
template <> struct number<__half> {
	typedef float real;
	typedef float compute;
};
template <> struct number<__nv_bfloat16> {
	typedef float real;
	typedef float compute;
};
template <> struct number<signed char> {
	typedef int real;
	typedef int compute;
};

template <class T> using real_of = typename number<T>::real;
/* The type of results that are real: a half's is a half. */
template <class T> struct real_result {
	typedef T type;
};
template <> struct real_result<cuComplex> {
	typedef float type;
};
template <> struct real_result<cuDoubleComplex> {
	typedef double type;
};
template <class T> using real_part_of = typename real_result<T>::type;
template <class T> using compute_of = typename number<T>::compute;

template <class T> struct is_complex {
	static const bool value = false;
};
template <> struct is_complex<cuComplex> {
	static const bool value = true;
};
template <> struct is_complex<cuDoubleComplex> {
	static const bool value = true;
};

/* Conversions: halves become floats first, and what becomes a half is made of a float. */
template <class T> BLAS_HD T widen(T a)
{
	return a;
}
BLAS_HD float widen(__half a)
{
	return __half2float(a);
}
BLAS_HD float widen(__nv_bfloat16 a)
{
	return __bfloat162float(a);
}

template <class To> struct maker {
	template <class From> static BLAS_HD To of(From a)
	{
		return (To)a;
	}
};
template <> struct maker<__half> {
	template <class From> static BLAS_HD __half of(From a)
	{
		return __float2half_rn((float)a);
	}
};
template <> struct maker<__nv_bfloat16> {
	template <class From> static BLAS_HD __nv_bfloat16 of(From a)
	{
		return __float2bfloat16_rn((float)a);
	}
};
#define BLAS_MAKER(complex, part)                                       \
	template <> struct maker<complex> {                             \
		static BLAS_HD complex of(complex a)                    \
		{                                                       \
			return a;                                       \
		}                                                       \
		template <class From> static BLAS_HD complex of(From a) \
		{                                                       \
			complex r;                                      \
			r.x = (part)a;                                  \
			r.y = 0;                                        \
			return r;                                       \
		}                                                       \
	};
BLAS_MAKER(cuComplex, float)
BLAS_MAKER(cuDoubleComplex, double)
#undef BLAS_MAKER

template <class To, class From> BLAS_HD To convert(From a)
{
	return maker<To>::of(widen(a));
}

template <class T> BLAS_HD T zero_of()
{
	return convert<T>(0);
}
template <class T> BLAS_HD T one_of()
{
	return convert<T>(1);
}

/* plus, minus, times, divide; a + b * c; the conjugate; |re| + |im| */
#define BLAS_REAL(T, absolute, fused)        \
	BLAS_HD T plus(T a, T b)             \
	{                                    \
		return a + b;                \
	}                                    \
	BLAS_HD T minus(T a, T b)            \
	{                                    \
		return a - b;                \
	}                                    \
	BLAS_HD T times(T a, T b)            \
	{                                    \
		return a * b;                \
	}                                    \
	BLAS_HD T divide(T a, T b)           \
	{                                    \
		return a / b;                \
	}                                    \
	BLAS_HD T add_product(T a, T b, T c) \
	{                                    \
		return fused;                \
	}                                    \
	BLAS_HD T conjugate(T a)             \
	{                                    \
		return a;                    \
	}                                    \
	BLAS_HD T real_part(T a)             \
	{                                    \
		return a;                    \
	}                                    \
	BLAS_HD T imaginary_part(T)          \
	{                                    \
		return 0;                    \
	}                                    \
	BLAS_HD T magnitude(T a)             \
	{                                    \
		return absolute(a);          \
	}                                    \
	BLAS_HD bool is_zero(T a)            \
	{                                    \
		return a == 0;               \
	}                                    \
	BLAS_HD bool is_one(T a)             \
	{                                    \
		return a == 1;               \
	}
BLAS_REAL(float, fabsf, __builtin_fmaf(b, c, a))
BLAS_REAL(double, fabs, __builtin_fma(b, c, a))
BLAS_REAL(int, abs, a + b * c)
#undef BLAS_REAL

#define BLAS_COMPLEX(C, T, absolute, fused)                                    \
	BLAS_HD C pair(T x, T y)                                               \
	{                                                                      \
		C r;                                                           \
		r.x = x;                                                       \
		r.y = y;                                                       \
		return r;                                                      \
	}                                                                      \
	BLAS_HD C plus(C a, C b)                                               \
	{                                                                      \
		return pair(a.x + b.x, a.y + b.y);                             \
	}                                                                      \
	BLAS_HD C minus(C a, C b)                                              \
	{                                                                      \
		return pair(a.x - b.x, a.y - b.y);                             \
	}                                                                      \
	BLAS_HD C add_product(C a, C b, C c)                                   \
	{                                                                      \
		return pair(fused(-b.y, c.y, fused(b.x, c.x, a.x)),            \
			    fused(b.y, c.x, fused(b.x, c.y, a.y)));            \
	}                                                                      \
	BLAS_HD C times(C a, C b)                                              \
	{                                                                      \
		return pair(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);     \
	}                                                                      \
	BLAS_HD C times(C a, T b)                                              \
	{                                                                      \
		return pair(a.x * b, a.y * b);                                 \
	}                                                                      \
	BLAS_HD C times(T b, C a)                                              \
	{                                                                      \
		return pair(a.x * b, a.y * b);                                 \
	}                                                                      \
	BLAS_HD C conjugate(C a)                                               \
	{                                                                      \
		return pair(a.x, -a.y);                                        \
	}                                                                      \
	BLAS_HD T real_part(C a)                                               \
	{                                                                      \
		return a.x;                                                    \
	}                                                                      \
	BLAS_HD T imaginary_part(C a)                                          \
	{                                                                      \
		return a.y;                                                    \
	}                                                                      \
	BLAS_HD T magnitude(C a)                                               \
	{                                                                      \
		return absolute(a.x) + absolute(a.y);                          \
	}                                                                      \
	BLAS_HD bool is_zero(C a)                                              \
	{                                                                      \
		return a.x == 0 && a.y == 0;                                   \
	}                                                                      \
	BLAS_HD bool is_one(C a)                                               \
	{                                                                      \
		return a.x == 1 && a.y == 0;                                   \
	}                                                                      \
	/* Smith's: neither overflows where the quotient does not */           \
	BLAS_HD C divide(C a, C b)                                             \
	{                                                                      \
		T r, d;                                                        \
		if (absolute(b.x) >= absolute(b.y)) {                          \
			r = b.y / b.x;                                         \
			d = b.x + b.y * r;                                     \
			return pair((a.x + a.y * r) / d, (a.y - a.x * r) / d); \
		}                                                              \
		r = b.x / b.y;                                                 \
		d = b.x * r + b.y;                                             \
		return pair((a.x * r + a.y) / d, (a.y * r - a.x) / d);         \
	}
BLAS_COMPLEX(cuComplex, float, fabsf, __builtin_fmaf)
BLAS_COMPLEX(cuDoubleComplex, double, fabs, __builtin_fma)
#undef BLAS_COMPLEX

template <class T> BLAS_HD T conjugate_if(T a, bool yes)
{
	return yes ? conjugate(a) : a;
}

/* The number with its imaginary part set to zero. */
template <class T> BLAS_HD T only_real(T a)
{
	return convert<T>(real_part(a));
}

/* What is at a scalar's place: 16 bits, a real number for a complex scalar; it is conjugated. */
enum { SCALAR_HALF = 1, SCALAR_BFLOAT = 2, SCALAR_REAL = 4, SCALAR_CONJUGATE = 8 };

/* A scalar of the caller's: its value, or where it is on the device. */
template <class T> struct scalar {
	T value;
	const void *at;
	int kind;

	__device__ __forceinline__ T get() const
	{
		T v = value;

		if (!at)
			return v;
		if (kind & SCALAR_HALF)
			v = convert<T>(*(const __half *)at);
		else if (kind & SCALAR_BFLOAT)
			v = convert<T>(*(const __nv_bfloat16 *)at);
		else if (kind & SCALAR_REAL)
			v = convert<T>(*(const real_of<T> *)at);
		else
			v = *(const T *)at;
		return conjugate_if(v, kind & SCALAR_CONJUGATE);
	}
};

} // namespace blas

#endif
