/* SPDX-License-Identifier: MIT */
/*
 * atomicExch() and atomicCAS() of 16 bytes: of any type of that size and alignment whose bytes may
 * be copied. As the others in device_atomics.h; NVIDIA has them from sm_90 on.
 */
#ifndef VGPU_CUDA_DEVICE_ATOMICS_128_H
#define VGPU_CUDA_DEVICE_ATOMICS_128_H

template <class T> struct __vgpu_is_16_bytes {
	static const bool value =
		sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T);
};
template <class T, bool = __vgpu_is_16_bytes<T>::value> struct __vgpu_if_16_bytes {
};
template <class T> struct __vgpu_if_16_bytes<T, true> {
	typedef T type;
};

struct __vgpu_16_bytes {
	unsigned long long low, high;
};

#define __VGPU_ATOMICS_128(suffix, scope)							\
	template <class T>									\
	static __device__ __inline__ typename __vgpu_if_16_bytes<T>::type			\
	atomicExch##suffix(T *p, T v)								\
	{											\
		__vgpu_16_bytes found, put = __builtin_bit_cast(__vgpu_16_bytes, v);		\
												\
		asm volatile("{\n\t.reg .b128 found, put;\n\t"					\
			     "mov.b128 put, {%3, %4};\n\t"					\
			     "atom." scope ".exch.b128 found, [%2], put;\n\t"			\
			     "mov.b128 {%0, %1}, found;\n\t}"					\
			     : "=l"(found.low), "=l"(found.high)				\
			     : "l"(p), "l"(put.low), "l"(put.high)				\
			     : "memory");							\
		return __builtin_bit_cast(T, found);						\
	}											\
	template <class T>									\
	static __device__ __inline__ typename __vgpu_if_16_bytes<T>::type			\
	atomicCAS##suffix(T *p, T old, T v)							\
	{											\
		__vgpu_16_bytes found, put = __builtin_bit_cast(__vgpu_16_bytes, v);		\
		__vgpu_16_bytes wanted = __builtin_bit_cast(__vgpu_16_bytes, old);		\
												\
		asm volatile("{\n\t.reg .b128 found, wanted, put;\n\t"				\
			     "mov.b128 wanted, {%3, %4};\n\tmov.b128 put, {%5, %6};\n\t"	\
			     "atom." scope ".cas.b128 found, [%2], wanted, put;\n\t"		\
			     "mov.b128 {%0, %1}, found;\n\t}"					\
			     : "=l"(found.low), "=l"(found.high)				\
			     : "l"(p), "l"(wanted.low), "l"(wanted.high), "l"(put.low),		\
			       "l"(put.high)							\
			     : "memory");							\
		return __builtin_bit_cast(T, found);						\
	}

__VGPU_ATOMICS_128(, "gpu")
__VGPU_ATOMICS_128(_block, "cta")
__VGPU_ATOMICS_128(_system, "sys")

#undef __VGPU_ATOMICS_128

#endif
