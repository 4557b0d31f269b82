/* SPDX-License-Identifier: MIT */
/*
 * CUDA's vector types and dim3, for C and C++, host and device. Sizes and alignments are those of
 * NVIDIA's documented ABI: two and four elements are aligned to their whole size up to 16 bytes,
 * one and three to the element.
 */
#ifndef VGPU_CUDA_VECTOR_TYPES_H
#define VGPU_CUDA_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define __VGPU_VECTOR(name, type, align2, align4) \
	struct name##1 { type x; }; \
	struct __attribute__((aligned(align2))) name##2 { type x, y; }; \
	struct name##3 { type x, y, z; }; \
	struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; }; \
	typedef struct name##1 name##1; \
	typedef struct name##2 name##2; \
	typedef struct name##3 name##3; \
	typedef struct name##4 name##4;

__VGPU_VECTOR(char, signed char, 2, 4)
__VGPU_VECTOR(uchar, unsigned char, 2, 4)
__VGPU_VECTOR(short, short, 4, 8)
__VGPU_VECTOR(ushort, unsigned short, 4, 8)
__VGPU_VECTOR(int, int, 8, 16)
__VGPU_VECTOR(uint, unsigned int, 8, 16)
__VGPU_VECTOR(long, long, 16, 16)
__VGPU_VECTOR(ulong, unsigned long, 16, 16)
__VGPU_VECTOR(longlong, long long, 16, 16)
__VGPU_VECTOR(ulonglong, unsigned long long, 16, 16)
__VGPU_VECTOR(float, float, 8, 16)
__VGPU_VECTOR(double, double, 16, 16)
#undef __VGPU_VECTOR

struct dim3 {
	unsigned int x, y, z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
#define __VGPU_CONSTEXPR constexpr
#else
#define __VGPU_CONSTEXPR
#endif
	__host__ __device__ __VGPU_CONSTEXPR dim3(unsigned int vx = 1, unsigned int vy = 1,
						  unsigned int vz = 1)
	    : x(vx), y(vy), z(vz)
	{
	}
	__host__ __device__ __VGPU_CONSTEXPR dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__host__ __device__ operator uint3() const
	{
		uint3 t;

		t.x = x;
		t.y = y;
		t.z = z;
		return t;
	}
#undef __VGPU_CONSTEXPR
#endif
};
typedef struct dim3 dim3;

#endif
