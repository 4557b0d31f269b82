/* SPDX-License-Identifier: MIT */
/*
 * __reduce_*_sync(): over the lanes of a mask, one shuffle a lane. GPUs have an instruction for it
 * from sm_80 on; here with every architecture.
 */
#ifndef VGPU_CUDA_DEVICE_REDUCE_H
#define VGPU_CUDA_DEVICE_REDUCE_H

#define __VGPU_REDUCE(name, type, expr) \
	static __device__ __inline__ type __reduce_##name##_sync(unsigned int mask, type value) \
	{ \
		type a = __shfl_sync(mask, value, __ffs((int)mask) - 1); \
	\
		for (unsigned int rest = mask & (mask - 1); rest; rest &= rest - 1) { \
			type b = __shfl_sync(mask, value, __ffs((int)rest) - 1); \
	\
			a = (expr); \
		} \
		return a; \
	}
__VGPU_REDUCE(add, unsigned int, a + b)
__VGPU_REDUCE(add, int, (int)((unsigned int)a + (unsigned int)b))
__VGPU_REDUCE(min, unsigned int, a < b ? a : b)
__VGPU_REDUCE(min, int, a < b ? a : b)
__VGPU_REDUCE(max, unsigned int, a > b ? a : b)
__VGPU_REDUCE(max, int, a > b ? a : b)
__VGPU_REDUCE(and, unsigned int, a & b)
__VGPU_REDUCE(or, unsigned int, a | b)
__VGPU_REDUCE(xor, unsigned int, a ^ b)
#undef __VGPU_REDUCE

#endif
