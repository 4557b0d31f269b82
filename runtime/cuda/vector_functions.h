/* SPDX-License-Identifier: MIT */
/*
 * make_int2() and its kin: one function for each vector type.
 */
#ifndef VGPU_CUDA_VECTOR_FUNCTIONS_H
#define VGPU_CUDA_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define __VGPU_MAKE(name, type)									\
	static __inline__ __host__ __device__ name##1 make_##name##1(type x)			\
	{ name##1 t; t.x = x; return t; }							\
	static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y)		\
	{ name##2 t; t.x = x; t.y = y; return t; }						\
	static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z)	\
	{ name##3 t; t.x = x; t.y = y; t.z = z; return t; }					\
	static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, \
		type w) \
	{ name##4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }

__VGPU_MAKE(char, signed char)
__VGPU_MAKE(uchar, unsigned char)
__VGPU_MAKE(short, short)
__VGPU_MAKE(ushort, unsigned short)
__VGPU_MAKE(int, int)
__VGPU_MAKE(uint, unsigned int)
__VGPU_MAKE(long, long)
__VGPU_MAKE(ulong, unsigned long)
__VGPU_MAKE(longlong, long long)
__VGPU_MAKE(ulonglong, unsigned long long)
__VGPU_MAKE(float, float)
__VGPU_MAKE(double, double)
#undef __VGPU_MAKE

#endif
