/* SPDX-License-Identifier: MIT */
/*
 * inclusive_scan() and exclusive_scan() of cooperative groups.
 */
#ifndef VGPU_CUDA_COOPERATIVE_GROUPS_SCAN_H
#define VGPU_CUDA_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups
{

namespace details
{

/* The threads of a tile of more than a warp; 0: it is another group. */
typedef std::integral_constant<unsigned int, 0> no_tile;
template <unsigned int Size>
__device__ std::integral_constant<unsigned int, Size> large_size(const large_tile<Size> *);
__device__ no_tile large_size(const void *);
template <class Group> using large_size_of = decltype(large_size((const Group *)0));

template <class T, class Operation>
static __device__ __inline__ T scan(const warp_group &group, unsigned int rank, unsigned int size,
				    T result, Operation &operation)
{
	for (unsigned int by = 1; by < size; by *= 2) {
		T before = group.shfl_up(result, by);

		if (rank >= by)
			result = operation(before, result);
	}
	return result;
}

template <class Group, class T, class Operation>
static __device__ __inline__ T inclusive(const Group &group, T value, Operation &operation,
					 no_tile)
{
	return scan(warp_group(group.__vgpu_mask()), (unsigned int)group.thread_rank(),
		    (unsigned int)group.size(), value, operation);
}

/* The first thread has nothing before it: its result is T(). */
template <class Group, class T, class Operation>
static __device__ __inline__ T exclusive(const Group &group, T value, Operation &operation,
					 no_tile)
{
	T all = inclusive(group, value, operation, no_tile());

	all = warp_group(group.__vgpu_mask()).shfl_up(all, 1);
	return group.thread_rank() == 0 ? T() : all;
}

/* The sum of the warps of the tile before the caller's, whose own is @own; false: there is none. */
template <unsigned int Size, class T, class Operation>
static __device__ __inline__ bool before_warp(const T &own, Operation &operation, T &sum)
{
	unsigned int warp = block_rank() % Size / 32;
	T all[Size / 32];

	tile_collect<Size>(own, lane() == 31, all);
	sum = all[0];
	for (unsigned int w = 1; w < warp; w++)
		sum = operation(sum, all[w]);
	return warp != 0;
}

template <class Group, unsigned int Size, class T, class Operation>
static __device__ __inline__ T inclusive(const Group &, T value, Operation &operation,
					 std::integral_constant<unsigned int, Size>)
{
	T result = inclusive(small_tile<32>(), value, operation, no_tile()), sum;

	return before_warp<Size>(result, operation, sum) ? operation(sum, result) : result;
}

template <class Group, unsigned int Size, class T, class Operation>
static __device__ __inline__ T exclusive(const Group &, T value, Operation &operation,
					 std::integral_constant<unsigned int, Size>)
{
	T all = inclusive(small_tile<32>(), value, operation, no_tile()), sum, before;
	bool later = before_warp<Size>(all, operation, sum);

	before = small_tile<32>().shfl_up(all, 1);
	if (lane() == 0)
		return later ? sum : T();
	return later ? operation(sum, before) : before;
}

}

template <class Group, class T, class Operation>
static __device__ __inline__ typename std::decay<T>::type
inclusive_scan(const Group &group, T &&value, Operation &&operation)
{
	return details::inclusive(group, typename std::decay<T>::type(value), operation,
				  details::large_size_of<Group>());
}

template <class Group, class T>
static __device__ __inline__ typename std::decay<T>::type inclusive_scan(const Group &group,
									 T &&value)
{
	return inclusive_scan(group, value, plus<typename std::decay<T>::type>());
}

template <class Group, class T, class Operation>
static __device__ __inline__ typename std::decay<T>::type
exclusive_scan(const Group &group, T &&value, Operation &&operation)
{
	return details::exclusive(group, typename std::decay<T>::type(value), operation,
				  details::large_size_of<Group>());
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
