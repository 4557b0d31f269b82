/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies of a thread from global to shared memory, in batches (cp.async). They have
 * ended when the instruction has, so that there is nothing to wait for.
 */
#ifndef VGPU_CUDA_CUDA_PIPELINE_PRIMITIVES_H
#define VGPU_CUDA_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDA__) && defined(__cplusplus)

#define __VGPU_COPY(how, bytes)									\
	__asm__ volatile("cp.async." how ".shared.global [%0], [%1], " bytes ", %2;"		\
			 ::"r"(to), "l"(src_global), "r"(left) : "memory")

/* 4, 8 or 16 bytes, aligned so; the last @zfill of them become 0. */
static __device__ __inline__ void __pipeline_memcpy_async(void *dst_shared, const void *src_global,
							  size_t size_and_align, size_t zfill = 0)
{
	unsigned int to = (unsigned int)__cvta_generic_to_shared(dst_shared);
	unsigned int left = (unsigned int)(size_and_align - zfill);

	if (size_and_align == 16)
		__VGPU_COPY("cg", "16");
	else if (size_and_align == 8)
		__VGPU_COPY("ca", "8");
	else if (size_and_align == 4)
		__VGPU_COPY("ca", "4");
	else
		__trap();
}

#undef __VGPU_COPY

static __device__ __inline__ void __pipeline_commit(void)
{
	__asm__ volatile("cp.async.commit_group;" ::: "memory");
}

/* All but the last @prior batches: here all. */
static __device__ __inline__ void __pipeline_wait_prior(size_t prior)
{
	(void)prior;
	__asm__ volatile("cp.async.wait_all;" ::: "memory");
}

/* The barrier waits for the copies, too: an arrival more that is waited for, and that comes. */
static __device__ __inline__ void __pipeline_arrive_on(__mbarrier_t *barrier)
{
	__asm__ volatile("cp.async.mbarrier.arrive.shared.b64 [%0];"
			 ::"r"((unsigned int)__cvta_generic_to_shared(barrier)) : "memory");
}

#endif
#endif
