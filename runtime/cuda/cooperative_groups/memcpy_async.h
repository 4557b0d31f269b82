/* SPDX-License-Identifier: MIT */
/*
 * memcpy_async() and wait() of cooperative groups: the threads of the group copy, and wait() is a
 * barrier.
 */
#ifndef VGPU_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define VGPU_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups
{

/* @count bytes, whatever the types. */
template <class Group, class Dst, class Src>
static __device__ __inline__ void memcpy_async(const Group &group, Dst *dst, const Src *src,
					       size_t count)
{
	char *to = (char *)dst;
	const char *from = (const char *)src;
	size_t words = ((size_t)to | (size_t)from) & 3 ? 0 : count / 4;

	for (size_t i = group.thread_rank(); i < words; i += group.size())
		((unsigned int *)to)[i] = ((const unsigned int *)from)[i];
	for (size_t i = words * 4 + group.thread_rank(); i < count; i += group.size())
		to[i] = from[i];
}

/* As many elements as both have. */
template <class Group, class T>
static __device__ __inline__ void memcpy_async(const Group &group, T *dst, size_t dst_count,
					       const T *src, size_t src_count)
{
	memcpy_async(group, dst, src, (dst_count < src_count ? dst_count : src_count) * sizeof(T));
}

template <class Group> static __device__ __inline__ void wait(const Group &group)
{
	group.sync();
}

/* All copies that were begun are over. */
template <unsigned int Stages, class Group>
static __device__ __inline__ void wait_prior(const Group &group)
{
	group.sync();
}

}

#endif
#endif
