/* SPDX-License-Identifier: MIT */
/*
 * What cuda_fp6.h and cuda_fp4.h share: numbers of 6 and 4 bits, which have no infinity and no NaN.
 * What is too large becomes the largest number, a NaN the largest positive one.
 */
#ifndef VGPU_CUDA_SMALL_FLOATS_H
#define VGPU_CUDA_SMALL_FLOATS_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#ifdef __cplusplus

/*
 * The code of a number of @fraction bits behind @exponent_bits, to the nearest, ties to even: there
 * is no other way to round. A code counts in units of its last place from the least normal number's
 * binade on.
 */
__VGPU_H unsigned char __vgpu_to_small(double x, int exponent_bits, int fraction)
{
	const int least = 2 - (1 << (exponent_bits - 1));
	const unsigned int largest = (1u << (exponent_bits + fraction)) - 1;
	unsigned long long bits, rest, half, units;
	unsigned int sign;
	int exponent, binade, shift;

	__builtin_memcpy(&bits, &x, 8);
	sign = (unsigned int)(bits >> 63) << (exponent_bits + fraction);
	bits &= ~0ull >> 1;
	if (bits > 0x7ff0000000000000ull)
		return (unsigned char)largest;
	exponent = (int)(bits >> 52) - 1023;
	binade = exponent < least ? least : exponent;
	shift = 52 - fraction + binade - exponent;
	if (shift > 53)
		return (unsigned char)sign;
	units = (bits & 0xfffffffffffffull) | 1ull << 52;
	half = 1ull << (shift - 1);
	rest = units & (2 * half - 1);
	units >>= shift;
	units += rest > half || (rest == half && (units & 1));
	units += (unsigned long long)(binade - least) << fraction;
	return (unsigned char)(sign | (units > largest ? largest : units));
}

/* Every code is a half. */
__VGPU_H __half_raw __vgpu_small_to_halfraw(unsigned int code, int exponent_bits, int fraction)
{
	unsigned int sign = (code >> (exponent_bits + fraction) & 1) << 15;
	unsigned int bits = code & ((1u << (exponent_bits + fraction)) - 1);
	unsigned int exponent = 15 - ((1u << (exponent_bits - 1)) - 1), one = 1u << fraction;

	if (bits >= one)
		return __half_raw{ (unsigned short)(sign | ((bits << (10 - fraction)) +
							    (exponent << 10))) };
	if (!bits)
		return __half_raw{ (unsigned short)sign };
	for (exponent++; !(bits & one); bits <<= 1)
		exponent--;
	return __half_raw{ (unsigned short)(sign | exponent << 10 |
					    (bits & (one - 1)) << (10 - fraction)) };
}

/*
 * The functions and types of one format: @fp is the part of names, @interpretation says which
 * format, @one, @two and @four are types of codes, @width the bits from one to the next.
 */
#define __VGPU_SMALL_CALLS(fp, interpretation, one, two, width, exponent_of, fraction_of)	\
__VGPU_H one __nv_cvt_double_to_##fp(const double x, const interpretation kind,			\
				     const enum cudaRoundMode rounding)				\
{												\
	(void)rounding;										\
	return __vgpu_to_small(x, exponent_of(kind), fraction_of(kind));			\
}												\
__VGPU_H one __nv_cvt_float_to_##fp(const float x, const interpretation kind,			\
				    const enum cudaRoundMode rounding)				\
{												\
	return __nv_cvt_double_to_##fp(x, kind, rounding);					\
}												\
__VGPU_H one __nv_cvt_halfraw_to_##fp(const __half_raw x, const interpretation kind,		\
				      const enum cudaRoundMode rounding)			\
{												\
	return __nv_cvt_double_to_##fp((float)__half(x), kind, rounding);			\
}												\
__VGPU_H one __nv_cvt_bfloat16raw_to_##fp(const __nv_bfloat16_raw x, const interpretation kind,	\
					  const enum cudaRoundMode rounding)			\
{												\
	return __nv_cvt_double_to_##fp((float)__nv_bfloat16(x), kind, rounding);		\
}												\
__VGPU_H two __nv_cvt_double2_to_##fp##x2(const double2 x, const interpretation kind,		\
					  const enum cudaRoundMode rounding)			\
{												\
	return (two)(__nv_cvt_double_to_##fp(x.x, kind, rounding) |				\
		     __nv_cvt_double_to_##fp(x.y, kind, rounding) << width);			\
}												\
__VGPU_H two __nv_cvt_float2_to_##fp##x2(const float2 x, const interpretation kind,		\
					 const enum cudaRoundMode rounding)			\
{												\
	return __nv_cvt_double2_to_##fp##x2(make_double2(x.x, x.y), kind, rounding);		\
}												\
__VGPU_H two __nv_cvt_halfraw2_to_##fp##x2(const __half2_raw x, const interpretation kind,	\
					   const enum cudaRoundMode rounding)			\
{												\
	return (two)(__nv_cvt_halfraw_to_##fp(__half_raw{ x.x }, kind, rounding) |		\
		     __nv_cvt_halfraw_to_##fp(__half_raw{ x.y }, kind, rounding) << width);	\
}												\
__VGPU_H two __nv_cvt_bfloat16raw2_to_##fp##x2(const __nv_bfloat162_raw x,			\
					       const interpretation kind,			\
					       const enum cudaRoundMode rounding)		\
{												\
	return (two)(__nv_cvt_bfloat16raw_to_##fp(__nv_bfloat16_raw{ x.x }, kind, rounding) |	\
		     __nv_cvt_bfloat16raw_to_##fp(__nv_bfloat16_raw{ x.y }, kind, rounding)	\
			     << width);								\
}												\
__VGPU_H __half_raw __nv_cvt_##fp##_to_halfraw(const one x, const interpretation kind)		\
{												\
	return __vgpu_small_to_halfraw(x, exponent_of(kind), fraction_of(kind));		\
}												\
__VGPU_H __half2_raw __nv_cvt_##fp##x2_to_halfraw2(const two x, const interpretation kind)	\
{												\
	return __half2_raw{ __nv_cvt_##fp##_to_halfraw((one)x, kind).x,			\
			    __nv_cvt_##fp##_to_halfraw((one)(x >> width), kind).x };		\
}

#define __VGPU_SMALL_FROM(name, fp, kind, type)							\
	explicit __host__ __device__ name(const type v)						\
	    : __x(__nv_cvt_double_to_##fp((double)v, kind, cudaRoundNearest)) {}
#define __VGPU_SMALL_TO(type)									\
	explicit __host__ __device__ operator type() const { return (type)(float)*this; }

#define __VGPU_SMALL_TYPES(name, name2, name4, fp, kind, one, two, four, width)			\
struct name {											\
	one __x;										\
	name() = default;									\
	explicit __host__ __device__ name(const __half v)					\
	    : __x(__nv_cvt_halfraw_to_##fp(v, kind, cudaRoundNearest)) {}			\
	explicit __host__ __device__ name(const __nv_bfloat16 v)				\
	    : __x(__nv_cvt_bfloat16raw_to_##fp(v, kind, cudaRoundNearest)) {}			\
	__VGPU_SMALL_FROM(name, fp, kind, float) __VGPU_SMALL_FROM(name, fp, kind, double)	\
	__VGPU_SMALL_FROM(name, fp, kind, short) __VGPU_SMALL_FROM(name, fp, kind, int)		\
	__VGPU_SMALL_FROM(name, fp, kind, long) __VGPU_SMALL_FROM(name, fp, kind, long long)	\
	__VGPU_SMALL_FROM(name, fp, kind, unsigned short)					\
	__VGPU_SMALL_FROM(name, fp, kind, unsigned int)						\
	__VGPU_SMALL_FROM(name, fp, kind, unsigned long)					\
	__VGPU_SMALL_FROM(name, fp, kind, unsigned long long)					\
	explicit __host__ __device__ operator __half() const					\
	{											\
		return __half(__nv_cvt_##fp##_to_halfraw(__x, kind));				\
	}											\
	explicit __host__ __device__ operator float() const { return (float)(__half)*this; }	\
	explicit __host__ __device__ operator double() const { return (double)(float)*this; }	\
	explicit __host__ __device__ operator __nv_bfloat16() const				\
	{											\
		return __nv_bfloat16((float)*this);						\
	}											\
	explicit __host__ __device__ operator bool() const { return (float)*this != 0.0f; }	\
	__VGPU_SMALL_TO(short) __VGPU_SMALL_TO(int) __VGPU_SMALL_TO(long)			\
	__VGPU_SMALL_TO(long long) __VGPU_SMALL_TO(signed char)					\
};												\
struct __attribute__((aligned(sizeof(two)))) name2 {						\
	two __x;										\
	name2() = default;									\
	explicit __host__ __device__ name2(const __half2 v)					\
	    : __x(__nv_cvt_halfraw2_to_##fp##x2(v, kind, cudaRoundNearest)) {}			\
	explicit __host__ __device__ name2(const __nv_bfloat162 v)				\
	    : __x(__nv_cvt_bfloat16raw2_to_##fp##x2(v, kind, cudaRoundNearest)) {}		\
	explicit __host__ __device__ name2(const float2 v)					\
	    : __x(__nv_cvt_float2_to_##fp##x2(v, kind, cudaRoundNearest)) {}			\
	explicit __host__ __device__ name2(const double2 v)					\
	    : __x(__nv_cvt_double2_to_##fp##x2(v, kind, cudaRoundNearest)) {}			\
	explicit __host__ __device__ operator __half2() const					\
	{											\
		return __half2(__nv_cvt_##fp##x2_to_halfraw2(__x, kind));			\
	}											\
	explicit __host__ __device__ operator float2() const					\
	{											\
		const __half2_raw h = __nv_cvt_##fp##x2_to_halfraw2(__x, kind);			\
												\
		return make_float2((float)__half(__half_raw{ h.x }),				\
				   (float)__half(__half_raw{ h.y }));				\
	}											\
};												\
struct __attribute__((aligned(sizeof(four)))) name4 {						\
	four __x;										\
	name4() = default;									\
	explicit __host__ __device__ name4(const __half2 low, const __half2 high)		\
	    : __x((four)(name2(low).__x | (unsigned int)name2(high).__x << 2 * width)) {}	\
	explicit __host__ __device__ name4(const __nv_bfloat162 low, const __nv_bfloat162 high)	\
	    : __x((four)(name2(low).__x | (unsigned int)name2(high).__x << 2 * width)) {}	\
	explicit __host__ __device__ name4(const float4 v)					\
	    : __x((four)(name2(make_float2(v.x, v.y)).__x |					\
			 (unsigned int)name2(make_float2(v.z, v.w)).__x << 2 * width)) {}	\
	explicit __host__ __device__ name4(const double4 v)					\
	    : __x((four)(name2(make_double2(v.x, v.y)).__x |					\
			 (unsigned int)name2(make_double2(v.z, v.w)).__x << 2 * width)) {}	\
	explicit __host__ __device__ operator float4() const					\
	{											\
		name2 low, high;								\
												\
		low.__x = (two)__x;								\
		high.__x = (two)(__x >> 2 * width);						\
		return make_float4(((float2)low).x, ((float2)low).y, ((float2)high).x,		\
				   ((float2)high).y);						\
	}											\
};

#endif
#endif
