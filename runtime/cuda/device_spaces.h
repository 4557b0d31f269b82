/* SPDX-License-Identifier: MIT */
/*
 * __is*(): whether a generic address is of a state space; constants lie among the variables of
 * global memory and cannot be told from them. __cvta_*(): addresses of a state space and generic
 * ones; they do not look whether it is of that space.
 */
#ifndef VGPU_CUDA_DEVICE_SPACES_H
#define VGPU_CUDA_DEVICE_SPACES_H

#define __VGPU_IS_SPACE(Name, name) \
	static __device__ __inline__ unsigned int __is##Name(const void *p) \
	{ \
		return __nvvm_isspacep_##name(p); \
	}
__VGPU_IS_SPACE(Global, global)
__VGPU_IS_SPACE(Shared, shared)
__VGPU_IS_SPACE(Local, local)
#undef __VGPU_IS_SPACE

#define __VGPU_SPACE(name, number) \
	static __device__ __inline__ size_t __cvta_generic_to_##name(const void *p) \
	{ \
		return (size_t)(const void __attribute__((address_space(number))) *)p; \
	} \
	static __device__ __inline__ void *__cvta_##name##_to_generic(size_t address) \
	{ \
		return (void *)(void __attribute__((address_space(number))) *)address; \
	}
__VGPU_SPACE(global, 1)
__VGPU_SPACE(shared, 3)
__VGPU_SPACE(constant, 4)
__VGPU_SPACE(local, 5)
#undef __VGPU_SPACE

#endif
