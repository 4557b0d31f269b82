/* SPDX-License-Identifier: MIT */
/*
 * CUDA's complex numbers: cuFloatComplex is a float2, cuDoubleComplex a double2, x the real part.
 */
#ifndef VGPU_CUDA_CUCOMPLEX_H
#define VGPU_CUDA_CUCOMPLEX_H

/* The guard of NVIDIA's, which another library of theirs may include beside this. */
#define CU_COMPLEX_H_

#include <math.h>

#include "../cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __VGPU_CX static __inline__ __host__ __device__
/*
 * size: f or nothing; the absolute value is scaled so that it neither overflows nor loses small
 * numbers
 */
#define __VGPU_COMPLEX(complex, type, f, vector, make)						\
	__VGPU_CX type cuCreal##f(complex a) { return a.x; }					\
	__VGPU_CX type cuCimag##f(complex a) { return a.y; }					\
	__VGPU_CX complex make(type re, type im) { complex a; a.x = re; a.y = im; return a; }	\
	__VGPU_CX complex cuConj##f(complex a) { return make(a.x, -a.y); }			\
	__VGPU_CX complex cuCadd##f(complex a, complex b) { return make(a.x + b.x, a.y + b.y); } \
	__VGPU_CX complex cuCsub##f(complex a, complex b) { return make(a.x - b.x, a.y - b.y); } \
	__VGPU_CX complex cuCmul##f(complex a, complex b)					\
	{ return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }				\
	__VGPU_CX complex cuCdiv##f(complex a, complex b)					\
	{											\
		type scale = fabs##f(b.x) + fabs##f(b.y), inverse = 1 / scale;			\
		type ax = a.x * inverse, ay = a.y * inverse, bx = b.x * inverse, \
			by = b.y * inverse; \
												\
		inverse = 1 / (bx * bx + by * by);						\
		return make((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);	\
	}											\
	__VGPU_CX complex cuCfma##f(complex a, complex b, complex c) { \
		return cuCadd##f(cuCmul##f(a, b), c); } \
	__VGPU_CX type cuCabs##f(complex a) { return hypot##f(a.x, a.y); }
__VGPU_COMPLEX(cuFloatComplex, float, f, float2, make_cuFloatComplex)
__VGPU_COMPLEX(cuDoubleComplex, double, , double2, make_cuDoubleComplex)
#undef __VGPU_COMPLEX

__VGPU_CX cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
__VGPU_CX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
	return make_cuDoubleComplex(a.x, a.y);
}
__VGPU_CX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
	return make_cuFloatComplex((float)a.x, (float)a.y);
}
#undef __VGPU_CX

#endif
