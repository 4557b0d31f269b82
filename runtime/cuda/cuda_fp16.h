/* SPDX-License-Identifier: MIT */
/*
 * binary16 numbers: __half and __half2, on the host and in device code. Arithmetic is done in
 * single precision and rounded once, which for one operation is the same as rounding the exact
 * result; half_ops.h has what bfloat16 shares. A host compiler has all of it but what is for device
 * code alone, C the types of the bits.
 */
#ifndef VGPU_CUDA_CUDA_FP16_H
#define VGPU_CUDA_CUDA_FP16_H

#include "../cuda_runtime.h"

struct __half_raw {
	unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
	unsigned short x, y;
};
typedef struct __half_raw __half_raw;
typedef struct __half2_raw __half2_raw;

#ifdef __cplusplus

#include "half_round.h"

/* To the nearest, ties to even: the part that is cut off decides. */
__VGPU_H unsigned short __vgpu_to_half(float a)
{
#ifdef __CUDA_ARCH__
	unsigned short h;

	__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a));
	return h;
#else
	unsigned int bits, sign, rest;
	int exponent;

	__builtin_memcpy(&bits, &a, 4);
	sign = bits >> 16 & 0x8000;
	bits &= 0x7fffffff;
	if (bits > 0x7f800000)
		return 0x7fff;
	if (bits >= 0x47800000)
		return (unsigned short)(sign | 0x7c00);
	exponent = (int)(bits >> 23) - 112;
	if (exponent < -10)
		return (unsigned short)sign;
	rest = (bits & 0x7fffff) | (exponent < 1 ? 0x800000 : 0);
	bits = exponent < 1 ? 0 : (unsigned int)exponent << 10;
	exponent = exponent < 1 ? 14 - exponent : 13;
	bits += rest >> exponent;
	rest &= (1u << exponent) - 1;
	bits += rest > 1u << (exponent - 1) || (rest == 1u << (exponent - 1) && (bits & 1));
	return (unsigned short)(sign | bits);
#endif
}

__VGPU_H float __vgpu_from_half(unsigned short h)
{
	float a;
#ifdef __CUDA_ARCH__

	__asm__("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(h));
	return a;
#else
	unsigned int sign = (unsigned int)(h & 0x8000) << 16, bits = h & 0x7fff;

	if (bits < 0x400) {
		a = (float)bits * 5.9604644775390625e-8f;
		return sign ? -a : a;
	}
	bits = sign | ((bits << 13) + (bits >= 0x7c00 ? 0x70000000 : 0x38000000));
	__builtin_memcpy(&a, &bits, 4);
	return a;
#endif
}

struct __half {
	unsigned short x;
	__half() = default;
	__host__ __device__ __half(const __half_raw &raw) : x(raw.x) {}
	__host__ __device__ __half(float a) : x(__vgpu_to_half(a)) {}
	__host__ __device__ __half(double a) : x(__vgpu_to_half(__vgpu_odd_float(a))) {}
	template <class T, class = __vgpu_if_integer<T>>
	__host__ __device__ __half(T a) : x(__vgpu_to_half(__vgpu_odd_integer(a))) {}
	__host__ __device__ operator float() const { return __vgpu_from_half(x); }
	__host__ __device__ operator __half_raw() const { return { x }; }
};
typedef __half half;
typedef __half nv_half;
typedef __half __nv_half;

struct __attribute__((aligned(4))) __half2 {
	__half x, y;
	__half2() = default;
	__host__ __device__ __half2(const __half &low, const __half &high) : x(low), y(high) {}
	__host__ __device__ __half2(const __half2_raw &raw)
	    : x(__half_raw{ raw.x }), y(__half_raw{ raw.y })
	{
	}
	__host__ __device__ operator __half2_raw() const { return { x.x, y.x }; }
};
typedef __half2 half2;
typedef __half2 nv_half2;
typedef __half2 __nv_half2;

#define __VGPU_T	__half
#define __VGPU_T2	__half2
#define __VGPU_INFINITY	0x7c00
#include "half_ops.h"

__VGPU_H __half __float2half(float a) { return __half(a); }
__VGPU_H __half __float2half_rn(float a) { return __half(a); }
__VGPU_H __half __double2half(double a) { return __half(a); }
__VGPU_H float __half2float(__half a) { return (float)a; }
__VGPU_H __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__VGPU_H __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__VGPU_H __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
__VGPU_H __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
__VGPU_H __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
__VGPU_H float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
__VGPU_H __half2 __half2half2(__half a) { return __half2(a, a); }
__VGPU_H __half __low2half(__half2 a) { return a.x; }
__VGPU_H __half __high2half(__half2 a) { return a.y; }
__VGPU_H __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__VGPU_H __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__VGPU_H __half __ushort_as_half(unsigned short bits) { return __half_raw{ bits }; }
__VGPU_H __half __short_as_half(short bits) { return __half_raw{ (unsigned short)bits }; }
__VGPU_H unsigned short __half_as_ushort(__half a) { return a.x; }
__VGPU_H short __half_as_short(__half a) { return (short)a.x; }

#define __VGPU_HALF_ROUNDED(mode) \
	__VGPU_H __half __float2half_##mode(float a) { return __vgpu_rounded_##mode<__half>(a); }
__VGPU_HALF_ROUNDED(rz)
__VGPU_HALF_ROUNDED(rd)
__VGPU_HALF_ROUNDED(ru)
#undef __VGPU_HALF_ROUNDED

/* Integers, in all four roundings; what does not fit becomes the nearest that does, a NaN zero. */
#define __VGPU_HALF_INTEGER(name, type, mode)							\
	__VGPU_H type __half2##name##_##mode(__half a) { \
		return __vgpu_integer_##mode<type>((float)a); } \
	__VGPU_H __half __##name##2half_##mode(type a)						\
	{ return __vgpu_rounded_##mode<__half>(__vgpu_odd_integer(a)); }
#define __VGPU_HALF_INTEGERS(name, type) \
	__VGPU_HALF_INTEGER(name, type, rn) \
	__VGPU_HALF_INTEGER(name, type, rz) \
	__VGPU_HALF_INTEGER(name, type, rd) \
	__VGPU_HALF_INTEGER(name, type, ru)
__VGPU_HALF_INTEGERS(short, short)
__VGPU_HALF_INTEGERS(ushort, unsigned short)
__VGPU_HALF_INTEGERS(int, int)
__VGPU_HALF_INTEGERS(uint, unsigned int)
__VGPU_HALF_INTEGERS(ll, long long)
__VGPU_HALF_INTEGERS(ull, unsigned long long)
#undef __VGPU_HALF_INTEGERS
#undef __VGPU_HALF_INTEGER
__VGPU_H signed char __half2char_rz(__half a) { return __vgpu_integer_rz<signed char>((float)a); }
__VGPU_H unsigned char __half2uchar_rz(__half a)
{
	return __vgpu_integer_rz<unsigned char>((float)a);
}

#define CUDART_INF_FP16		__ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16		__ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16	__ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16	__ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16	__ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16	__ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16		__ushort_as_half((unsigned short)0x3c00)

#endif
#endif
