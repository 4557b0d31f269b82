/* SPDX-License-Identifier: MIT */
/*
 * Barriers, fences and shuffles where clang's own will not do.
 *
 * clang knows that its barrier builtins write no memory themselves, and moves loads of a shared
 * variable whose address it can follow across them: the clobber forbids that. clang 14's shuffles
 * of unsigned long long call themselves; an overload with enable_if is preferred to one without.
 */
#ifndef VGPU_CUDA_DEVICE_SYNC_H
#define VGPU_CUDA_DEVICE_SYNC_H

#define __VGPU_SYNC static __device__ __inline__ __attribute__((always_inline))
#define __VGPU_CLOBBER() __asm__ __volatile__("" ::: "memory")

__VGPU_SYNC void __vgpu_syncthreads(void)
{
	__asm__ __volatile__("bar.sync 0;" ::: "memory");
}

__VGPU_SYNC void __vgpu_barrier(unsigned int id)
{
	__VGPU_CLOBBER();
	__nvvm_barrier_sync(id);
	__VGPU_CLOBBER();
}

__VGPU_SYNC void __vgpu_barrier_count(unsigned int id, unsigned int count)
{
	__VGPU_CLOBBER();
	__nvvm_barrier_sync_cnt(id, count);
	__VGPU_CLOBBER();
}

__VGPU_SYNC void __vgpu_syncwarp(unsigned int mask = 0xffffffff)
{
	__VGPU_CLOBBER();
	__nvvm_bar_warp_sync(mask);
	__VGPU_CLOBBER();
}

#define __VGPU_REDUCING(name, builtin) \
	__VGPU_SYNC int name(int predicate) \
	{ \
		int result; \
	\
		__VGPU_CLOBBER(); \
		result = builtin(predicate); \
		__VGPU_CLOBBER(); \
		return result; \
	}
__VGPU_REDUCING(__vgpu_syncthreads_count, __nvvm_bar0_popc)
__VGPU_REDUCING(__vgpu_syncthreads_and, __nvvm_bar0_and)
__VGPU_REDUCING(__vgpu_syncthreads_or, __nvvm_bar0_or)
#undef __VGPU_REDUCING

#define __VGPU_FENCE(name, builtin) \
	__VGPU_SYNC void name(void) \
	{ \
		__VGPU_CLOBBER(); \
		builtin(); \
		__VGPU_CLOBBER(); \
	}
__VGPU_FENCE(__vgpu_fence, __nvvm_membar_gl)
__VGPU_FENCE(__vgpu_fence_block, __nvvm_membar_cta)
__VGPU_FENCE(__vgpu_fence_system, __nvvm_membar_sys)
#undef __VGPU_FENCE

/*
 * Two of the same in the two paths of a branch would become one in front of it: the operand tells
 * them apart.
 */
template <int> struct __vgpu_site {
};
template <int site> __VGPU_SYNC unsigned int __vgpu_activemask(__vgpu_site<site>)
{
	unsigned int mask;

	__asm__ __volatile__("activemask.b32 %0; // %1" : "=r"(mask) : "n"(site));
	return mask;
}

#define __activemask()			__vgpu_activemask(__vgpu_site<__COUNTER__>())
#define __syncthreads()			__vgpu_syncthreads()
#define __syncthreads_count(predicate)	__vgpu_syncthreads_count(predicate)
#define __syncthreads_and(predicate)	__vgpu_syncthreads_and(predicate)
#define __syncthreads_or(predicate)	__vgpu_syncthreads_or(predicate)
#define __syncwarp(...)			__vgpu_syncwarp(__VA_ARGS__)
#define __barrier_sync(id)		__vgpu_barrier(id)
#define __barrier_sync_count(id, count)	__vgpu_barrier_count(id, count)
#define __threadfence()			__vgpu_fence()
#define __threadfence_block()		__vgpu_fence_block()
#define __threadfence_system()		__vgpu_fence_system()

#define __VGPU_SHUFFLE(name, offset_type)							\
	__VGPU_SYNC unsigned long long name##_sync(unsigned int mask, unsigned long long value, \
		offset_type offset, \
						   int width = 32) __attribute__((enable_if(true, \
						   ""))) \
	{											\
		return (unsigned long long)name##_sync(mask, (long long)value, offset, width);	\
	}											\
	__VGPU_SYNC unsigned long long name(unsigned long long value, offset_type offset, \
		int width = 32) \
		__attribute__((enable_if(true, "")))						\
	{											\
		return (unsigned long long)name((long long)value, offset, width);		\
	}
__VGPU_SHUFFLE(__shfl, int)
__VGPU_SHUFFLE(__shfl_up, unsigned int)
__VGPU_SHUFFLE(__shfl_down, unsigned int)
__VGPU_SHUFFLE(__shfl_xor, int)
#undef __VGPU_SHUFFLE

/*
 * A launch begins when the one before it in its stream is over, also with the attribute that lets
 * it begin early: there is nothing to wait for, and nobody to tell.
 */
__VGPU_SYNC void cudaGridDependencySynchronize(void) {}
__VGPU_SYNC void cudaTriggerProgrammaticLaunchCompletion(void) {}
#undef __VGPU_SYNC
#undef __VGPU_CLOBBER

#endif
