/* SPDX-License-Identifier: MIT */
/*
 * inclusive_scan() and exclusive_scan() of cooperative groups over the lanes of a warp.
 */
#ifndef VGPU_CUDA_COOPERATIVE_GROUPS_SCAN_H
#define VGPU_CUDA_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups
{

template <class Group, class T, class Operation>
static __device__ __inline__ typename std::decay<T>::type
inclusive_scan(const Group &group, T &&value, Operation &&operation)
{
	typename std::decay<T>::type result = value;
	unsigned int rank = (unsigned int)group.thread_rank();

	for (unsigned int by = 1; by < group.size(); by *= 2) {
		typename std::decay<T>::type before =
			details::warp_group(group.__vgpu_mask()).shfl_up(result, by);

		if (rank >= by)
			result = operation(before, result);
	}
	return result;
}

template <class Group, class T>
static __device__ __inline__ typename std::decay<T>::type inclusive_scan(const Group &group,
									 T &&value)
{
	return inclusive_scan(group, value, plus<typename std::decay<T>::type>());
}

/* The first thread has nothing before it: its result is T(). */
template <class Group, class T, class Operation>
static __device__ __inline__ typename std::decay<T>::type
exclusive_scan(const Group &group, T &&value, Operation &&operation)
{
	typename std::decay<T>::type all = inclusive_scan(group, value, operation);

	all = details::warp_group(group.__vgpu_mask()).shfl_up(all, 1);
	return group.thread_rank() == 0 ? typename std::decay<T>::type() : all;
}

template <class Group, class T>
static __device__ __inline__ typename std::decay<T>::type exclusive_scan(const Group &group,
									 T &&value)
{
	return exclusive_scan(group, value, plus<typename std::decay<T>::type>());
}

}

#endif
#endif
