/* SPDX-License-Identifier: MIT */
/*
 * reduce() of cooperative groups, in the order of the ranks of lanes and of warps, and the
 * operations it takes.
 */
#ifndef VGPU_CUDA_COOPERATIVE_GROUPS_REDUCE_H
#define VGPU_CUDA_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups
{

#define __VGPU_OPERATION(name, expr)								\
	template <class T = void> struct name {							\
		__device__ __inline__ T operator()(T a, T b) const { return expr; }		\
	};											\
	template <> struct name<void> {								\
		template <class T> __device__ __inline__ T operator()(T a, T b) const { \
			return expr; } \
	};
__VGPU_OPERATION(plus, a + b)
__VGPU_OPERATION(less, a < b ? a : b)
__VGPU_OPERATION(greater, a < b ? b : a)
__VGPU_OPERATION(bit_and, a & b)
__VGPU_OPERATION(bit_or, a | b)
__VGPU_OPERATION(bit_xor, a ^ b)
#undef __VGPU_OPERATION

template <class Group, class T, class Operation>
static __device__ __inline__ typename std::decay<T>::type reduce(const Group &group, T &&value,
								 Operation &&operation)
{
	typename std::decay<T>::type own = value, result = group.shfl(own, 0);

	for (unsigned int i = 1; i < group.size(); i++)
		result = operation(result, group.shfl(own, (int)i));
	return result;
}

namespace details
{

/* A tile's size is a power of two: a butterfly. */
template <unsigned int Size, class T, class Operation>
static __device__ __inline__ T reduce_tile(const small_tile<Size> &tile, T result,
					   Operation &operation)
{
	for (unsigned int by = 1; by < Size; by *= 2)
		result = operation(result, from_lane(tile.__vgpu_mask(), result,
						     (int)(lane() ^ by)));
	return result;
}

/* Of more than a warp: of each warp, then of these. */
template <unsigned int Size, class T, class Operation>
static __device__ __inline__ T reduce_tile(const large_tile<Size> &, T value, Operation &operation)
{
	T all[Size / 32], result;

	tile_collect<Size>(reduce_tile(small_tile<32>(), value, operation), lane() == 0, all);
	result = all[0];
	for (unsigned int w = 1; w < tile_warps(Size); w++)
		result = operation(result, all[w]);
	return result;
}

}

template <unsigned int Size, class Parent, class T, class Operation>
static __device__ __inline__ typename std::decay<T>::type
reduce(const thread_block_tile<Size, Parent> &tile, T &&value, Operation &&operation)
{
	return details::reduce_tile(tile, typename std::decay<T>::type(value), operation);
}

/* A whole group's result, added to a variable by its first thread. */
template <class Group, class T, class V>
static __device__ __inline__ void reduce_update_async(const Group &group, T &variable, V &&value,
						      plus<V>)
{
	typename std::decay<V>::type sum =
		reduce(group, value, plus<typename std::decay<V>::type>());

	if (group.thread_rank() == 0)
		atomicAdd(&variable, sum);
}

}

#endif
#endif
