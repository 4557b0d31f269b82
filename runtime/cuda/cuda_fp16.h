/* SPDX-License-Identifier: MIT */
/*
 * binary16 numbers: storage, conversion, and arithmetic done in single precision and rounded once, which for one
 * operation is the same. Device code only converts and computes; the host may hold and convert them.
 */
#ifndef VGPU_CUDA_CUDA_FP16_H
#define VGPU_CUDA_CUDA_FP16_H

#include "../cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)

#define __VGPU_H static __inline__ __host__ __device__
#define __VGPU_HD static __inline__ __device__

struct __half_raw {
	unsigned short x;
};

/* To the nearest, ties to even: the part that is cut off decides. */
__VGPU_H unsigned short __vgpu_to_half(float a)
{
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
}

__VGPU_H float __vgpu_from_half(unsigned short h)
{
	unsigned int sign = (unsigned int)(h & 0x8000) << 16, bits = h & 0x7fff;
	float a;

	if (bits < 0x400) {
		a = (float)bits * 5.9604644775390625e-8f;
		return sign ? -a : a;
	}
	bits = sign | ((bits << 13) + (bits >= 0x7c00 ? 0x70000000 : 0x38000000));
	__builtin_memcpy(&a, &bits, 4);
	return a;
}

struct __half {
	unsigned short x;
	__half() = default;
	__host__ __device__ __half(float a) : x(__vgpu_to_half(a)) {}
	__host__ __device__ __half(double a) : x(__vgpu_to_half((float)a)) {}
	__host__ __device__ __half(int a) : x(__vgpu_to_half((float)a)) {}
	__host__ __device__ operator float() const { return __vgpu_from_half(x); }
};
typedef __half half;

struct __attribute__((aligned(4))) __half2 {
	__half x, y;
};
typedef __half2 half2;

__VGPU_H __half __float2half(float a) { return __half(a); }
__VGPU_H __half __float2half_rn(float a) { return __half(a); }
__VGPU_H float __half2float(__half a) { return (float)a; }
__VGPU_H __half2 __halves2half2(__half a, __half b) { __half2 r; r.x = a; r.y = b; return r; }
__VGPU_H __half2 make_half2(__half a, __half b) { return __halves2half2(a, b); }
__VGPU_H __half2 __float2half2_rn(float a) { return __halves2half2(__half(a), __half(a)); }
__VGPU_H __half2 __floats2half2_rn(float a, float b) { return __halves2half2(__half(a), __half(b)); }
__VGPU_H __half2 __half2half2(__half a) { return __halves2half2(a, a); }
__VGPU_H __half __low2half(__half2 a) { return a.x; }
__VGPU_H __half __high2half(__half2 a) { return a.y; }
__VGPU_H float __low2float(__half2 a) { return (float)a.x; }
__VGPU_H float __high2float(__half2 a) { return (float)a.y; }
__VGPU_H float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
__VGPU_H __half __ushort_as_half(unsigned short bits) { __half h; h.x = bits; return h; }
__VGPU_H unsigned short __half_as_ushort(__half a) { return a.x; }

#define __VGPU_HALF2(name, op) \
	__VGPU_H __half name(__half a, __half b) { return __half((float)a op (float)b); } \
	__VGPU_H __half2 name##2(__half2 a, __half2 b) { return __halves2half2(name(a.x, b.x), name(a.y, b.y)); } \
	__VGPU_H __half operator op(__half a, __half b) { return name(a, b); } \
	__VGPU_H __half2 operator op(__half2 a, __half2 b) { return name##2(a, b); } \
	__VGPU_H __half &operator op##=(__half &a, __half b) { a = name(a, b); return a; }
__VGPU_HALF2(__hadd, +)
__VGPU_HALF2(__hsub, -)
__VGPU_HALF2(__hmul, *)
__VGPU_HALF2(__hdiv, /)
#undef __VGPU_HALF2

/* In double the product is exact; the sum is rounded there and once more, which differs from one rounding very rarely. */
__VGPU_H __half __hfma(__half a, __half b, __half c)
{
	return __half((float)((double)(float)a * (double)(float)b + (double)(float)c));
}
__VGPU_H __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
	return __halves2half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__VGPU_H __half __hneg(__half a) { return __ushort_as_half(a.x ^ 0x8000); }
__VGPU_H __half __habs(__half a) { return __ushort_as_half(a.x & 0x7fff); }
__VGPU_H __half operator-(__half a) { return __hneg(a); }

#define __VGPU_HCMP(name, op) \
	__VGPU_H bool name(__half a, __half b) { return (float)a op (float)b; } \
	__VGPU_H bool operator op(__half a, __half b) { return (float)a op (float)b; }
__VGPU_HCMP(__heq, ==)
__VGPU_HCMP(__hne, !=)
__VGPU_HCMP(__hlt, <)
__VGPU_HCMP(__hle, <=)
__VGPU_HCMP(__hgt, >)
__VGPU_HCMP(__hge, >=)
#undef __VGPU_HCMP

__VGPU_HD __half hsqrt(__half a) { return __half(sqrtf((float)a)); }
__VGPU_HD __half hexp(__half a) { return __half(expf((float)a)); }
__VGPU_HD __half hlog(__half a) { return __half(logf((float)a)); }
__VGPU_HD __half hsin(__half a) { return __half(sinf((float)a)); }
__VGPU_HD __half hcos(__half a) { return __half(cosf((float)a)); }
__VGPU_HD __half hrcp(__half a) { return __half(1.0f / (float)a); }
__VGPU_HD __half hrsqrt(__half a) { return __half(rsqrtf((float)a)); }
__VGPU_HD __half hfloor(__half a) { return __half(floorf((float)a)); }
__VGPU_HD __half hceil(__half a) { return __half(ceilf((float)a)); }

#undef __VGPU_H
#undef __VGPU_HD

#endif
#endif
