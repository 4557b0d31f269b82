/* SPDX-License-Identifier: MIT */
/*
 * min() and max() as CUDA has them in the global namespace: for every pair of arithmetic types, on
 * the device and (as nvcc gives it) on the host too.
 */
#ifndef VGPU_CUDA_DEVICE_MINMAX_H
#define VGPU_CUDA_DEVICE_MINMAX_H

#define __VGPU_BOTH static __host__ __device__ __inline__ __attribute__((always_inline))
#define __VGPU_MINMAX(result, a_type, b_type)							\
	__VGPU_BOTH result min(a_type a, b_type b) { \
		return (result)a < (result)b ? (result)a : (result)b; } \
	__VGPU_BOTH result max(a_type a, b_type b) { \
		return (result)a > (result)b ? (result)a : (result)b; }

/* int with int on the device comes from clang's headers */
static __inline__ int min(int a, int b)
{
	return a < b ? a : b;
}
static __inline__ int max(int a, int b)
{
	return a > b ? a : b;
}
__VGPU_MINMAX(unsigned int, unsigned int, unsigned int)
__VGPU_MINMAX(unsigned int, int, unsigned int)
__VGPU_MINMAX(unsigned int, unsigned int, int)
__VGPU_MINMAX(long, long, long)
__VGPU_MINMAX(unsigned long, unsigned long, unsigned long)
__VGPU_MINMAX(unsigned long, long, unsigned long)
__VGPU_MINMAX(unsigned long, unsigned long, long)
__VGPU_MINMAX(long long, long long, long long)
__VGPU_MINMAX(unsigned long long, unsigned long long, unsigned long long)
__VGPU_MINMAX(unsigned long long, long long, unsigned long long)
__VGPU_MINMAX(unsigned long long, unsigned long long, long long)
#undef __VGPU_MINMAX

/* of floats: the other operand when one is NaN */
#define __VGPU_FMINMAX(result, a_type, b_type, suffix) \
	__VGPU_BOTH result min(a_type a, b_type b) { return __builtin_fmin##suffix(a, b); } \
	__VGPU_BOTH result max(a_type a, b_type b) { return __builtin_fmax##suffix(a, b); }
__VGPU_FMINMAX(float, float, float, f)
__VGPU_FMINMAX(double, double, double, )
__VGPU_FMINMAX(double, float, double, )
__VGPU_FMINMAX(double, double, float, )
#undef __VGPU_FMINMAX
#undef __VGPU_BOTH

#endif
