/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 8 bits: e4m3 (1 sign, 4 exponent, 3 fraction bits; bias 7, no infinity, one NaN) and
 * e5m2 (bias 15, with infinities, the upper half of a half). They are for storage: there is no
 * arithmetic. What is converted to them is rounded to the nearest, ties to even; what is too large
 * then is the largest finite number (__NV_SATFINITE) or an infinity, in e4m3 a NaN (__NV_NOSAT).
 */
#ifndef VGPU_CUDA_CUDA_FP8_H
#define VGPU_CUDA_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#ifdef __cplusplus

/* ---- to 8 bits ------------------------------------------------------------ */

/*
 * The code of a number counts, in units of its last place, from the least normal number's binade
 * on: numbers of the next binade follow, so that one that is rounded up into it has the right code.
 */
__VGPU_H __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x,
						   const __nv_saturation_t saturate,
						   const __nv_fp8_interpretation_t kind)
{
	const int fraction = kind == __NV_E5M2 ? 2 : 3, least = kind == __NV_E5M2 ? -14 : -6;
	const int largest = kind == __NV_E5M2 ? 0x7b : 0x7e;
	unsigned long long bits, rest, half, units;
	unsigned char sign;
	int exponent, binade, shift;

	__builtin_memcpy(&bits, &x, 8);
	sign = (unsigned char)(bits >> 63 << 7);
	bits &= ~0ull >> 1;
	if (bits > 0x7ff0000000000000ull)
		return (unsigned char)(sign | (kind == __NV_E5M2 ? 0x7e : 0x7f));
	exponent = (int)(bits >> 52) - 1023;
	binade = exponent < least ? least : exponent;
	shift = 52 - fraction + binade - exponent;
	/* nothing is left of what is below a quarter of the least one, as doubles' denormals */
	if (shift > 53)
		return sign;
	units = (bits & 0xfffffffffffffull) | 1ull << 52;
	half = 1ull << (shift - 1);
	rest = units & (2 * half - 1);
	units >>= shift;
	units += rest > half || (rest == half && (units & 1));
	units += (unsigned long long)(binade - least) << fraction;
	if (units > (unsigned int)largest)
		units = saturate == __NV_SATFINITE ? largest : kind == __NV_E5M2 ? 0x7c : 0x7f;
	return (unsigned char)(sign | units);
}

/* A NaN is 0x7f; only that of a double keeps its sign, and is the least one of its format. */
__VGPU_H __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
						  const __nv_fp8_interpretation_t kind)
{
	if (x != x)
		return 0x7f;
	return __nv_cvt_double_to_fp8(x, saturate, kind);
}

__VGPU_H __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x,
						    const __nv_saturation_t saturate,
						    const __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8((float)__half(x), saturate, kind);
}

__VGPU_H __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x,
							const __nv_saturation_t saturate,
							const __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8((float)__nv_bfloat16(x), saturate, kind);
}

/* Of two the first is in the lower byte. */
#define __VGPU_FP8_PAIR(name, type, one)							\
	__VGPU_H __nv_fp8x2_storage_t name(const type x, const __nv_saturation_t saturate,	\
					   const __nv_fp8_interpretation_t kind)		\
	{											\
		return (__nv_fp8x2_storage_t)(one(x.x, saturate, kind) |			\
					      one(x.y, saturate, kind) << 8);			\
	}
__VGPU_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8)
__VGPU_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8)
#undef __VGPU_FP8_PAIR

__VGPU_H __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x,
							 const __nv_saturation_t saturate,
							 const __nv_fp8_interpretation_t kind)
{
	return (__nv_fp8x2_storage_t)(
		__nv_cvt_halfraw_to_fp8(__half_raw{ x.x }, saturate, kind) |
		__nv_cvt_halfraw_to_fp8(__half_raw{ x.y }, saturate, kind) << 8);
}

__VGPU_H __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw x,
							     const __nv_saturation_t saturate,
							     const __nv_fp8_interpretation_t kind)
{
	return (__nv_fp8x2_storage_t)(
		__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{ x.x }, saturate, kind) |
		__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{ x.y }, saturate, kind) << 8);
}

/* ---- and back: each is a half, exactly -------------------------------------- */

__VGPU_H __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
					    const __nv_fp8_interpretation_t kind)
{
	unsigned int sign = (x & 0x80u) << 8, bits = x & 0x7fu, exponent = 9;

	if (kind == __NV_E5M2)
		return __half_raw{ (unsigned short)(bits > 0x7c ? 0x7fff : sign | bits << 8) };
	if (bits == 0x7f)
		return __half_raw{ 0x7fff };
	if (bits >= 8)
		return __half_raw{ (unsigned short)(sign | ((bits << 7) + (8u << 10))) };
	if (!bits)
		return __half_raw{ (unsigned short)sign };
	for (; !(bits & 8); bits <<= 1)
		exponent--;
	return __half_raw{ (unsigned short)(sign | exponent << 10 | (bits & 7) << 7) };
}

__VGPU_H __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
						const __nv_fp8_interpretation_t kind)
{
	return __half2_raw{ __nv_cvt_fp8_to_halfraw((unsigned char)x, kind).x,
			    __nv_cvt_fp8_to_halfraw((unsigned char)(x >> 8), kind).x };
}

/* Towards zero, and what is too large the largest; a NaN is 0, of 64 bits the sign bit alone. */
template <class T> __VGPU_H T __vgpu_fp8_integer(float x, float low, float high, T least, T most)
{
	if (x != x)
		return sizeof(T) == 8 ? (T)(1ull << 63) : (T)0;
	return x <= low ? least : x >= high ? most : (T)x;
}

/* ---- the types -------------------------------------------------------------- */

#define __VGPU_FP8_FROM_INTEGER(name, kind, type)						\
	explicit __host__ __device__ name(const type v)						\
	    : __x(__nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind))			\
	{											\
	}
#define __VGPU_FP8_TO_INTEGER(type)								\
	explicit __host__ __device__ operator type() const					\
	{											\
		const bool is_signed = (type)-1 < (type)0;					\
		const type most = is_signed ? (type)(((type)1 << (sizeof(type) * 8 - 2)) - 1 +	\
						     ((type)1 << (sizeof(type) * 8 - 2))) :	\
					      (type)-1;						\
		const type least = is_signed ? (type)(-most - 1) : (type)0;			\
												\
		return __vgpu_fp8_integer<type>((float)*this, (float)least, (float)most, least, \
						most);						\
	}

#define __VGPU_FP8_INTEGERS(of, name, kind)							\
	of(name, kind, unsigned short) of(name, kind, unsigned int) of(name, kind, unsigned long) \
	of(name, kind, unsigned long long) of(name, kind, short) of(name, kind, int)		\
	of(name, kind, long) of(name, kind, long long)
#define __VGPU_FP8_TO(name, kind, type)	__VGPU_FP8_TO_INTEGER(type)

#define __VGPU_FP8_TYPES(name, name2, name4, kind)						\
struct name {											\
	__nv_fp8_storage_t __x;									\
	name() = default;									\
	explicit __host__ __device__ name(const __half v)					\
	    : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, kind)) {}				\
	explicit __host__ __device__ name(const __nv_bfloat16 v)				\
	    : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, kind)) {}			\
	explicit __host__ __device__ name(const float v)					\
	    : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind)) {}				\
	explicit __host__ __device__ name(const double v)					\
	    : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}				\
	__VGPU_FP8_INTEGERS(__VGPU_FP8_FROM_INTEGER, name, kind)				\
	explicit __host__ __device__ operator __half() const					\
	{											\
		return __half(__nv_cvt_fp8_to_halfraw(__x, kind));				\
	}											\
	explicit __host__ __device__ operator float() const					\
	{											\
		return (float)__half(__nv_cvt_fp8_to_halfraw(__x, kind));			\
	}											\
	explicit __host__ __device__ operator double() const { return (double)(float)*this; }	\
	explicit __host__ __device__ operator __nv_bfloat16() const				\
	{											\
		return __nv_bfloat16((float)*this);						\
	}											\
	explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }	\
	__VGPU_FP8_INTEGERS(__VGPU_FP8_TO, name, kind)						\
	__VGPU_FP8_TO_INTEGER(unsigned char)							\
	__VGPU_FP8_TO_INTEGER(signed char)							\
	__VGPU_FP8_TO_INTEGER(char)								\
};												\
struct __attribute__((aligned(2))) name2 {							\
	__nv_fp8x2_storage_t __x;								\
	name2() = default;									\
	explicit __host__ __device__ name2(const __half2 v)					\
	    : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, kind)) {}			\
	explicit __host__ __device__ name2(const __nv_bfloat162 v)				\
	    : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, kind)) {}			\
	explicit __host__ __device__ name2(const float2 v)					\
	    : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}				\
	explicit __host__ __device__ name2(const double2 v)					\
	    : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {}			\
	explicit __host__ __device__ operator __half2() const					\
	{											\
		return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));				\
	}											\
	explicit __host__ __device__ operator float2() const					\
	{											\
		const __half2_raw h = __nv_cvt_fp8x2_to_halfraw2(__x, kind);			\
												\
		return make_float2((float)__half(__half_raw{ h.x }),				\
				   (float)__half(__half_raw{ h.y }));				\
	}											\
};												\
struct __attribute__((aligned(4))) name4 {							\
	__nv_fp8x4_storage_t __x;								\
	name4() = default;									\
	explicit __host__ __device__ name4(const __half2 low, const __half2 high)		\
	    : __x(__nv_cvt_halfraw2_to_fp8x2(low, __NV_SATFINITE, kind) |			\
		  (unsigned int)__nv_cvt_halfraw2_to_fp8x2(high, __NV_SATFINITE, kind) << 16) {} \
	explicit __host__ __device__ name4(const __nv_bfloat162 low, const __nv_bfloat162 high)	\
	    : __x(__nv_cvt_bfloat16raw2_to_fp8x2(low, __NV_SATFINITE, kind) |			\
		  (unsigned int)__nv_cvt_bfloat16raw2_to_fp8x2(high, __NV_SATFINITE, kind)	\
			  << 16) {}								\
	explicit __host__ __device__ name4(const float4 v)					\
	    : __x(__nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, kind) |	\
		  (unsigned int)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w),			\
							 __NV_SATFINITE, kind) << 16) {}	\
	explicit __host__ __device__ name4(const double4 v)					\
	    : __x(__nv_cvt_double2_to_fp8x2(make_double2(v.x, v.y), __NV_SATFINITE, kind) |	\
		  (unsigned int)__nv_cvt_double2_to_fp8x2(make_double2(v.z, v.w),		\
							  __NV_SATFINITE, kind) << 16) {}	\
	explicit __host__ __device__ operator float4() const					\
	{											\
		name2 low, high;								\
												\
		low.__x = (__nv_fp8x2_storage_t)__x;						\
		high.__x = (__nv_fp8x2_storage_t)(__x >> 16);					\
		return make_float4(((float2)low).x, ((float2)low).y, ((float2)high).x,		\
				   ((float2)high).y);						\
	}											\
};

__VGPU_FP8_TYPES(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
__VGPU_FP8_TYPES(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)

#undef __VGPU_FP8_TYPES
#undef __VGPU_FP8_TO
#undef __VGPU_FP8_INTEGERS
#undef __VGPU_FP8_TO_INTEGER
#undef __VGPU_FP8_FROM_INTEGER

#endif
#endif
