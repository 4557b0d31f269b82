/* SPDX-License-Identifier: MIT */
/*
 * __ldca() and kin: loads and stores of global memory with a cache operator of PTX, for all types
 * of 1, 2, 4, 8 and 16 bytes.
 */
#ifndef VGPU_CUDA_DEVICE_CACHED_H
#define VGPU_CUDA_DEVICE_CACHED_H

/* What is stored converts to what is there. */
template <class T> struct __vgpu_stored {
	typedef T type;
};

/* A case that is not of this type's size is gone before there is code. */
#define __VGPU_SIZES(T) \
	static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || \
			      sizeof(T) == 16, \
		      "a type of 1, 2, 4, 8 or 16 bytes")
#define __VGPU_LOAD_CASE(op, size, type, constraint, ptx) \
	case size: { \
		type word; \
	\
		asm volatile("ld.global." op "." ptx " %0, [%1];" \
			     : constraint(word) : "l"(p) : "memory"); \
		__builtin_memcpy(&value, &word, sizeof(value) < size ? sizeof(value) : size); \
		break; \
	}
#define __VGPU_LOAD(name, op) \
	template <class T> static __device__ __inline__ T name(const T *p) \
	{ \
		T value; \
	\
		__VGPU_SIZES(T); \
		switch (sizeof(T)) { \
		__VGPU_LOAD_CASE(op, 1, unsigned int, "=r", "u8") \
		__VGPU_LOAD_CASE(op, 2, unsigned short, "=h", "u16") \
		__VGPU_LOAD_CASE(op, 4, unsigned int, "=r", "u32") \
		__VGPU_LOAD_CASE(op, 8, unsigned long long, "=l", "u64") \
		default: { \
			unsigned long long words[2]; \
	\
			asm volatile("ld.global." op ".v2.u64 {%0, %1}, [%2];" \
				     : "=l"(words[0]), "=l"(words[1]) : "l"(p) : "memory"); \
			__builtin_memcpy(&value, words, \
					 sizeof(value) < 16 ? sizeof(value) : 16); \
		} \
		} \
		return value; \
	}
__VGPU_LOAD(__ldca, "ca")
__VGPU_LOAD(__ldcg, "cg")
__VGPU_LOAD(__ldcs, "cs")
__VGPU_LOAD(__ldlu, "lu")
__VGPU_LOAD(__ldcv, "cv")
#undef __VGPU_LOAD
#undef __VGPU_LOAD_CASE

#define __VGPU_STORE_CASE(op, size, type, constraint, ptx) \
	case size: { \
		type word = 0; \
	\
		__builtin_memcpy(&word, &value, sizeof(value) < size ? sizeof(value) : size); \
		asm volatile("st.global." op "." ptx " [%0], %1;" \
			     : : "l"(p), constraint(word) : "memory"); \
		break; \
	}
#define __VGPU_STORE(name, op) \
	template <class T> \
	static __device__ __inline__ void name(T *p, typename __vgpu_stored<T>::type value) \
	{ \
		__VGPU_SIZES(T); \
		switch (sizeof(T)) { \
		__VGPU_STORE_CASE(op, 1, unsigned int, "r", "u8") \
		__VGPU_STORE_CASE(op, 2, unsigned short, "h", "u16") \
		__VGPU_STORE_CASE(op, 4, unsigned int, "r", "u32") \
		__VGPU_STORE_CASE(op, 8, unsigned long long, "l", "u64") \
		default: { \
			unsigned long long words[2] = {}; \
	\
			__builtin_memcpy(words, &value, \
					 sizeof(value) < 16 ? sizeof(value) : 16); \
			asm volatile("st.global." op ".v2.u64 [%0], {%1, %2};" \
				     : : "l"(p), "l"(words[0]), "l"(words[1]) : "memory"); \
		} \
		} \
	}
__VGPU_STORE(__stwb, "wb")
__VGPU_STORE(__stcg, "cg")
__VGPU_STORE(__stcs, "cs")
__VGPU_STORE(__stwt, "wt")
#undef __VGPU_STORE
#undef __VGPU_STORE_CASE
#undef __VGPU_SIZES

#endif
