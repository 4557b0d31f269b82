/* SPDX-License-Identifier: MIT */
/*
 * What cuda_fp16.h and cuda_bf16.h round with. A number of more precision is first cut to a float
 * whose last bit says whether anything was cut off ("to odd"); from there one rounding gives what
 * one rounding of the number would.
 */
#ifndef VGPU_CUDA_HALF_ROUND_H
#define VGPU_CUDA_HALF_ROUND_H

#include <type_traits>

#define __VGPU_H static __inline__ __host__ __device__
#define __VGPU_HD static __inline__ __device__

template <class T>
using __vgpu_if_integer = typename std::enable_if<std::is_integral<T>::value>::type;
template <class T>
using __vgpu_if_number = typename std::enable_if<std::is_arithmetic<T>::value>::type;

__VGPU_H float __vgpu_odd_float(double a)
{
	float f = (float)a;
	unsigned int bits;

	if ((double)f == a || a != a)
		return f;
	__builtin_memcpy(&bits, &f, 4);
	if (__builtin_fabs((double)f) > __builtin_fabs(a))
		bits--;
	bits |= 1;
	__builtin_memcpy(&f, &bits, 4);
	return f;
}

/*
 * Of an integer: 64 bits do not fit a double, and the ones below bit 32 of a large one only say
 * that they are there.
 */
template <class T> __VGPU_H float __vgpu_odd_integer(T a)
{
	unsigned long long size = a < 0 ? 0 - (unsigned long long)a : (unsigned long long)a;

	if (size >> 53)
		size = (size & ~0xffffffffull) | (size & 0xffffffffull ? 0x80000000ull : 0);
	return __vgpu_odd_float(a < 0 ? -(double)size : (double)size);
}

/* a * b + c of numbers whose product is exact in double: the sum to odd, by what it lost. */
__VGPU_H float __vgpu_odd_fma(float a, float b, float c)
{
#ifdef __clang__
#pragma clang fp contract(off)
#endif
	double product = (double)a * (double)b, sum = product + (double)c, part = sum - product;
	double lost = (product - (sum - part)) + ((double)c - part);
	long long bits;

	if (lost != 0 && sum - sum == 0) {
		__builtin_memcpy(&bits, &sum, 8);
		if (!(bits & 1))
			bits += (lost > 0) == (sum > 0) ? 1 : -1;
		__builtin_memcpy(&sum, &bits, 8);
	}
	return __vgpu_odd_float(sum);
}

template <class T> __VGPU_H T __vgpu_half_bits(unsigned int bits)
{
	T t;

	t.x = (unsigned short)bits;
	return t;
}

/* The neighbour above (up) or below. */
template <class T> __VGPU_H T __vgpu_half_step(T h, bool up)
{
	unsigned int bits = h.x;

	if (!(bits & 0x7fff))
		return __vgpu_half_bits<T>(up ? 1 : 0x8001);
	return __vgpu_half_bits<T>((bits & 0x8000 ? !up : up) ? bits + 1 : bits - 1);
}

template <class T> __VGPU_H T __vgpu_rounded_rn(float a) { return T(a); }
template <class T> __VGPU_H T __vgpu_rounded_rd(float a)
{
	T h(a);

	return (float)h > a ? __vgpu_half_step(h, false) : h;
}
template <class T> __VGPU_H T __vgpu_rounded_ru(float a)
{
	T h(a);

	return (float)h < a ? __vgpu_half_step(h, true) : h;
}
template <class T> __VGPU_H T __vgpu_rounded_rz(float a)
{
	return a < 0 ? __vgpu_rounded_ru<T>(a) : __vgpu_rounded_rd<T>(a);
}

/* Of a whole number, or infinity. A NaN is 0, in 64 bits only the highest bit, as PTX has it. */
template <class T> __VGPU_H T __vgpu_integer(float a)
{
	const bool is_signed = (T)-1 < (T)0;
	const T high = (T)(is_signed ? ((unsigned long long)1 << (sizeof(T) * 8 - 1)) - 1 : ~0ull);
	const T low = is_signed ? (T)(-high - 1) : 0;

	if (a != a)
		return sizeof(T) == 8 ? (T)(1ull << 63) : 0;
	if (a >= (float)high)
		return high;
	return a <= (float)low ? low : (T)a;
}
template <class T> __VGPU_H T __vgpu_integer_rn(float a)
{
	return __vgpu_integer<T>(__builtin_rintf(a));
}
template <class T> __VGPU_H T __vgpu_integer_rz(float a)
{
	return __vgpu_integer<T>(__builtin_truncf(a));
}
template <class T> __VGPU_H T __vgpu_integer_rd(float a)
{
	return __vgpu_integer<T>(__builtin_floorf(a));
}
template <class T> __VGPU_H T __vgpu_integer_ru(float a)
{
	return __vgpu_integer<T>(__builtin_ceilf(a));
}

#endif
