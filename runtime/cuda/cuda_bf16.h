/* SPDX-License-Identifier: MIT */
/*
 * bfloat16 numbers: the upper half of a float. Arithmetic as cuda_fp16.h does it.
 */
#ifndef VGPU_CUDA_CUDA_BF16_H
#define VGPU_CUDA_CUDA_BF16_H

#include "cuda_fp16.h"

struct __nv_bfloat16_raw {
	unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
	unsigned short x, y;
};
typedef struct __nv_bfloat16_raw __nv_bfloat16_raw;
typedef struct __nv_bfloat162_raw __nv_bfloat162_raw;

#ifdef __cplusplus

/* To the nearest, ties to even. */
__VGPU_H unsigned short __vgpu_to_bfloat16(float a)
{
	unsigned int bits;

	__builtin_memcpy(&bits, &a, 4);
	if ((bits & 0x7fffffff) > 0x7f800000)
		return 0x7fff;
	return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__VGPU_H float __vgpu_from_bfloat16(unsigned short h)
{
	unsigned int bits = (unsigned int)h << 16;
	float a;

	__builtin_memcpy(&a, &bits, 4);
	return a;
}

struct __nv_bfloat16 {
	unsigned short x;
	__nv_bfloat16() = default;
	__host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &raw) : x(raw.x) {}
	__host__ __device__ __nv_bfloat16(float a) : x(__vgpu_to_bfloat16(a)) {}
	__host__ __device__ __nv_bfloat16(double a) : x(__vgpu_to_bfloat16(__vgpu_odd_float(a))) {}
	template <class T, class = __vgpu_if_integer<T>>
	__host__ __device__ __nv_bfloat16(T a) : x(__vgpu_to_bfloat16(__vgpu_odd_integer(a))) {}
	__host__ __device__ operator float() const { return __vgpu_from_bfloat16(x); }
	__host__ __device__ operator __nv_bfloat16_raw() const { return { x }; }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
	__nv_bfloat16 x, y;
	__nv_bfloat162() = default;
	__host__ __device__ __nv_bfloat162(const __nv_bfloat16 &low, const __nv_bfloat16 &high)
	    : x(low), y(high)
	{
	}
	__host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &raw)
		: x(__nv_bfloat16_raw{ raw.x }), y(__nv_bfloat16_raw{ raw.y }) {}
	__host__ __device__ operator __nv_bfloat162_raw() const { return { x.x, y.x }; }
};
typedef __nv_bfloat162 nv_bfloat162;

#define __VGPU_T	__nv_bfloat16
#define __VGPU_T2	__nv_bfloat162
#define __VGPU_INFINITY	0x7f80
#include "half_ops.h"

__VGPU_H __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
__VGPU_H __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
__VGPU_H __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
__VGPU_H float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
__VGPU_H __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
	return __nv_bfloat162(a, b);
}
__VGPU_H __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
	return __nv_bfloat162(a, b);
}
__VGPU_H __nv_bfloat162 __float2bfloat162_rn(float a)
{
	return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a));
}
__VGPU_H __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
	return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
__VGPU_H __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
__VGPU_H float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
__VGPU_H __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__VGPU_H __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__VGPU_H __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__VGPU_H __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
__VGPU_H __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
__VGPU_H __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
	return __nv_bfloat162(a.x, b.x);
}
__VGPU_H __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
	return __nv_bfloat162(a.y, b.y);
}
__VGPU_H __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
	return __nv_bfloat16_raw{ bits };
}
__VGPU_H __nv_bfloat16 __short_as_bfloat16(short bits)
{
	return __nv_bfloat16_raw{ (unsigned short)bits };
}
__VGPU_H unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.x; }
__VGPU_H short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.x; }

#define __VGPU_BF_ROUNDED(mode) \
	__VGPU_H __nv_bfloat16 __float2bfloat16_##mode(float a) { \
		return __vgpu_rounded_##mode<__nv_bfloat16>(a); }
__VGPU_BF_ROUNDED(rz)
__VGPU_BF_ROUNDED(rd)
__VGPU_BF_ROUNDED(ru)
#undef __VGPU_BF_ROUNDED

#define __VGPU_BF_INTEGER(name, type, mode)							\
	__VGPU_H type __bfloat162##name##_##mode(__nv_bfloat16 a) { \
		return __vgpu_integer_##mode<type>((float)a); } \
	__VGPU_H __nv_bfloat16 __##name##2bfloat16_##mode(type a)				\
	{ return __vgpu_rounded_##mode<__nv_bfloat16>(__vgpu_odd_integer(a)); }
#define __VGPU_BF_INTEGERS(name, type) \
	__VGPU_BF_INTEGER(name, type, rn) \
	__VGPU_BF_INTEGER(name, type, rz) \
	__VGPU_BF_INTEGER(name, type, rd) \
	__VGPU_BF_INTEGER(name, type, ru)
__VGPU_BF_INTEGERS(short, short)
__VGPU_BF_INTEGERS(ushort, unsigned short)
__VGPU_BF_INTEGERS(int, int)
__VGPU_BF_INTEGERS(uint, unsigned int)
__VGPU_BF_INTEGERS(ll, long long)
__VGPU_BF_INTEGERS(ull, unsigned long long)
#undef __VGPU_BF_INTEGERS
#undef __VGPU_BF_INTEGER

#endif
#endif
