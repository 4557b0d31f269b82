/* SPDX-License-Identifier: MIT */
/*
 * The atomic functions of CUDA 12.8 that name a memory order and a scope: __nv_atomic_load_n() and
 * the others. Each is a function of device_atomics.h between two fences that are at least as strong
 * as the order asks for. Block, cluster and device scope are the same operation; system scope is
 * atomic for threads of the host, too. With nvcc they are built in, so a value converts to the type
 * of what it is stored in.
 */
#ifndef VGPU_CUDA_DEVICE_ORDERED_ATOMICS_H
#define VGPU_CUDA_DEVICE_ORDERED_ATOMICS_H

#define __NV_ATOMIC_RELAXED		0
#define __NV_ATOMIC_CONSUME		1
#define __NV_ATOMIC_ACQUIRE		2
#define __NV_ATOMIC_RELEASE		3
#define __NV_ATOMIC_ACQ_REL		4
#define __NV_ATOMIC_SEQ_CST		5

#define __NV_THREAD_SCOPE_THREAD	1
#define __NV_THREAD_SCOPE_BLOCK		2
#define __NV_THREAD_SCOPE_CLUSTER	3
#define __NV_THREAD_SCOPE_DEVICE	4
#define __NV_THREAD_SCOPE_SYSTEM	5

#define __VGPU_OA static __device__ __inline__ __attribute__((always_inline))
#define __VGPU_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM

/* T without const and volatile; as a parameter it takes no part in deducing T. */
template <typename T> struct __vgpu_plain { typedef T type; };
template <typename T> struct __vgpu_plain<const T> { typedef T type; };
template <typename T> struct __vgpu_plain<volatile T> { typedef T type; };
template <typename T> struct __vgpu_plain<const volatile T> { typedef T type; };
#define __VGPU_PLAIN typename __vgpu_plain<T>::type

/* The integer that has the bits of a value of so many bytes */
template <int size> struct __vgpu_bits;
template <> struct __vgpu_bits<1> { typedef unsigned char type; };
template <> struct __vgpu_bits<2> { typedef unsigned short type; };
template <> struct __vgpu_bits<4> { typedef unsigned int type; };
template <> struct __vgpu_bits<8> { typedef unsigned long long type; };
#define __VGPU_BITS typename __vgpu_bits<sizeof(T)>::type

__VGPU_OA void __nv_atomic_thread_fence(int order, __VGPU_SCOPE)
{
	if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD)
		return;
	if (scope == __NV_THREAD_SCOPE_BLOCK)
		__threadfence_block();
	else if (scope == __NV_THREAD_SCOPE_SYSTEM)
		__threadfence_system();
	else
		__threadfence();
}

/* What others must see first: before an operation that releases. */
__VGPU_OA void __vgpu_release(int order, int scope)
{
	if (order >= __NV_ATOMIC_RELEASE)
		__nv_atomic_thread_fence(order, scope);
}

/* What may be seen only then: behind an operation that acquires. */
__VGPU_OA void __vgpu_acquire(int order, int scope)
{
	if (order != __NV_ATOMIC_RELEASE)
		__nv_atomic_thread_fence(order, scope);
}

template <typename T> __VGPU_OA __VGPU_PLAIN __nv_atomic_load_n(T *p, int order, __VGPU_SCOPE)
{
	if (order == __NV_ATOMIC_SEQ_CST)
		__nv_atomic_thread_fence(order, scope);
	__VGPU_BITS bits = *(const volatile __VGPU_BITS *)p;
	__vgpu_acquire(order, scope);
	__VGPU_PLAIN value;
	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

template <typename T>
__VGPU_OA void __nv_atomic_load(T *p, __VGPU_PLAIN *value, int order, __VGPU_SCOPE)
{
	*value = __nv_atomic_load_n(p, order, scope);
}

template <typename T>
__VGPU_OA void __nv_atomic_store_n(T *p, __VGPU_PLAIN value, int order, __VGPU_SCOPE)
{
	__VGPU_BITS bits;

	__builtin_memcpy(&bits, &value, sizeof(value));
	__vgpu_release(order, scope);
	*(volatile __VGPU_BITS *)p = bits;
	if (order == __NV_ATOMIC_SEQ_CST)
		__nv_atomic_thread_fence(order, scope);
}

template <typename T>
__VGPU_OA void __nv_atomic_store(T *p, __VGPU_PLAIN *value, int order, __VGPU_SCOPE)
{
	__nv_atomic_store_n(p, *value, order, scope);
}

template <typename T>
__VGPU_OA __VGPU_PLAIN __nv_atomic_exchange_n(T *p, __VGPU_PLAIN value, int order, __VGPU_SCOPE)
{
	__VGPU_BITS bits;

	__builtin_memcpy(&bits, &value, sizeof(value));
	__vgpu_release(order, scope);
	if (scope == __NV_THREAD_SCOPE_SYSTEM)
		bits = atomicExch_system((__VGPU_BITS *)p, bits);
	else
		bits = atomicExch((__VGPU_BITS *)p, bits);
	__vgpu_acquire(order, scope);
	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

template <typename T>
__VGPU_OA void __nv_atomic_exchange(T *p, __VGPU_PLAIN *value, __VGPU_PLAIN *old, int order,
				    __VGPU_SCOPE)
{
	*old = __nv_atomic_exchange_n(p, *value, order, scope);
}

/* atomicCAS() of 16 bits is atomic for threads of the device only. */
__VGPU_OA unsigned short __vgpu_cas(unsigned short *p, unsigned short old, unsigned short v, int)
{
	return atomicCAS(p, old, v);
}

template <typename T> __VGPU_OA T __vgpu_cas(T *p, T old, T v, int scope)
{
	if (scope == __NV_THREAD_SCOPE_SYSTEM)
		return atomicCAS_system(p, old, v);
	return atomicCAS(p, old, v);
}

template <typename T>
__VGPU_OA bool __nv_atomic_compare_exchange_n(T *p, __VGPU_PLAIN *expected, __VGPU_PLAIN value,
					      bool, int success, int failure, __VGPU_SCOPE)
{
	int order = success > failure ? success : failure;
	__VGPU_BITS old, seen, bits;

	__builtin_memcpy(&old, expected, sizeof(old));
	__builtin_memcpy(&bits, &value, sizeof(value));
	__vgpu_release(order, scope);
	seen = __vgpu_cas((__VGPU_BITS *)p, old, bits, scope);
	__vgpu_acquire(order, scope);
	if (seen == old)
		return true;
	__builtin_memcpy(expected, &seen, sizeof(seen));
	return false;
}

template <typename T>
__VGPU_OA bool __nv_atomic_compare_exchange(T *p, __VGPU_PLAIN *expected, __VGPU_PLAIN *value,
					    bool weak, int success, int failure, __VGPU_SCOPE)
{
	return __nv_atomic_compare_exchange_n(p, expected, *value, weak, success, failure, scope);
}

/*
 * What a number is operated on as: float and double as they are, in add and sub; integers as
 * unsigned ones of their size, but in min and max as signed ones if they have a sign.
 */
template <typename T> struct __vgpu_number { typedef __VGPU_BITS type; };
template <> struct __vgpu_number<float> { typedef float type; };
template <> struct __vgpu_number<double> { typedef double type; };
#define __VGPU_NUMBER typename __vgpu_number<__VGPU_PLAIN>::type

template <int size, bool is_signed> struct __vgpu_ordered { };
template <> struct __vgpu_ordered<4, false> { typedef unsigned int type; };
template <> struct __vgpu_ordered<4, true> { typedef int type; };
template <> struct __vgpu_ordered<8, false> { typedef unsigned long long type; };
template <> struct __vgpu_ordered<8, true> { typedef long long type; };
#define __VGPU_ORDERED typename __vgpu_ordered<sizeof(T), (__VGPU_PLAIN)-1 < 0>::type

/* __nv_atomic_fetch_@name() and the form that returns nothing */
#define __VGPU_FETCH(name, bits, call, v)							\
	template <typename T>									\
	__VGPU_OA __VGPU_PLAIN __nv_atomic_fetch_##name(T *p, __VGPU_PLAIN value, int order,	\
							__VGPU_SCOPE)				\
	{											\
		__VGPU_PLAIN old;								\
												\
		__vgpu_release(order, scope);							\
		if (scope == __NV_THREAD_SCOPE_SYSTEM)						\
			old = (__VGPU_PLAIN)call##_system((bits *)p, (bits)(v));		\
		else										\
			old = (__VGPU_PLAIN)call((bits *)p, (bits)(v));				\
		__vgpu_acquire(order, scope);							\
		return old;									\
	}											\
	template <typename T>									\
	__VGPU_OA void __nv_atomic_##name(T *p, __VGPU_PLAIN value, int order, __VGPU_SCOPE)	\
	{											\
		__nv_atomic_fetch_##name(p, value, order, scope);				\
	}

__VGPU_FETCH(add, __VGPU_NUMBER, atomicAdd, value)
__VGPU_FETCH(sub, __VGPU_NUMBER, atomicAdd, -value)
__VGPU_FETCH(and, __VGPU_BITS, atomicAnd, value)
__VGPU_FETCH(or, __VGPU_BITS, atomicOr, value)
__VGPU_FETCH(xor, __VGPU_BITS, atomicXor, value)
__VGPU_FETCH(min, __VGPU_ORDERED, atomicMin, value)
__VGPU_FETCH(max, __VGPU_ORDERED, atomicMax, value)

#undef __VGPU_FETCH
#undef __VGPU_ORDERED
#undef __VGPU_NUMBER
#undef __VGPU_BITS
#undef __VGPU_PLAIN
#undef __VGPU_SCOPE
#undef __VGPU_OA

#endif
