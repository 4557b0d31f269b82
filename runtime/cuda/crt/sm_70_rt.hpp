/* SPDX-License-Identifier: MIT */
/*
 * __match_any_sync() and __match_all_sync(), where clang's <__clang_cuda_intrinsics.h> expects to find them.
 */
#ifndef VGPU_CUDA_SM_70_RT_HPP
#define VGPU_CUDA_SM_70_RT_HPP

#define __VGPU_MATCH(type, word, bits) \
	static __device__ __inline__ unsigned int __match_any_sync(unsigned int mask, type value) \
	{ return __match##bits##_any_sync(mask, word); } \
	static __device__ __inline__ unsigned int __match_all_sync(unsigned int mask, type value, int *all) \
	{ return __match##bits##_all_sync(mask, word, all); }

__VGPU_MATCH(int, (unsigned int)value, 32)
__VGPU_MATCH(unsigned int, value, 32)
__VGPU_MATCH(long, (unsigned long long)value, 64)
__VGPU_MATCH(unsigned long, value, 64)
__VGPU_MATCH(long long, (unsigned long long)value, 64)
__VGPU_MATCH(unsigned long long, value, 64)
__VGPU_MATCH(float, (unsigned int)__nvvm_bitcast_f2i(value), 32)
__VGPU_MATCH(double, (unsigned long long)__nvvm_bitcast_d2ll(value), 64)
#undef __VGPU_MATCH

#endif
