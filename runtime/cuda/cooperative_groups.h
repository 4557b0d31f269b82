/* SPDX-License-Identifier: MIT */
/*
 * Cooperative groups as far as blocks and warps go: the thread block, tiles of 1 to 32 threads, the coalesced threads of a
 * warp. There is no grid-wide barrier.
 */
#ifndef VGPU_CUDA_COOPERATIVE_GROUPS_H
#define VGPU_CUDA_COOPERATIVE_GROUPS_H

#include "../cuda_runtime.h"

#define __VGPU_CG __device__ __inline__

namespace cooperative_groups
{

class thread_block {
public:
	static __VGPU_CG void sync() { __syncthreads(); }
	static __VGPU_CG unsigned int thread_rank()
	{
		return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	}
	static __VGPU_CG unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
	static __VGPU_CG unsigned int num_threads() { return size(); }
	static __VGPU_CG dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static __VGPU_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static __VGPU_CG dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	static __VGPU_CG dim3 dim_threads() { return group_dim(); }
};

static __VGPU_CG thread_block this_thread_block() { return thread_block(); }

/* Threads of one warp: who they are is a mask. */
class __vgpu_warp_group {
protected:
	unsigned int mask_;

	static __VGPU_CG unsigned int lane()
	{
		return thread_block::thread_rank() & 31;
	}

public:
	__VGPU_CG explicit __vgpu_warp_group(unsigned int mask) : mask_(mask) {}
	__VGPU_CG void sync() const { __syncwarp(mask_); }
	__VGPU_CG int any(int predicate) const { return __ballot_sync(mask_, predicate) != 0; }
	__VGPU_CG int all(int predicate) const { return __ballot_sync(mask_, predicate) == mask_; }
};

template <unsigned int Size, class Parent = void> class thread_block_tile : public __vgpu_warp_group {
	static_assert(Size && Size <= 32 && !(Size & (Size - 1)), "a tile has 1, 2, 4, 8, 16 or 32 threads");

	static __VGPU_CG unsigned int first() { return lane() & ~(Size - 1); }
	static __VGPU_CG unsigned int mask_of() { return (Size == 32 ? ~0u : (1u << (Size & 31)) - 1) << first(); }

public:
	__VGPU_CG thread_block_tile() : __vgpu_warp_group(mask_of()) {}
	static __VGPU_CG unsigned int thread_rank() { return lane() & (Size - 1); }
	static __VGPU_CG unsigned int size() { return Size; }
	static __VGPU_CG unsigned int num_threads() { return Size; }
	static __VGPU_CG unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
	static __VGPU_CG unsigned int meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
	template <class T> __VGPU_CG T shfl(T v, int from) const { return __shfl_sync(mask_, v, from, Size); }
	template <class T> __VGPU_CG T shfl_up(T v, unsigned int by) const { return __shfl_up_sync(mask_, v, by, Size); }
	template <class T> __VGPU_CG T shfl_down(T v, unsigned int by) const
	{
		return __shfl_down_sync(mask_, v, by, Size);
	}
	template <class T> __VGPU_CG T shfl_xor(T v, unsigned int by) const
	{
		return __shfl_xor_sync(mask_, v, by, Size);
	}
	__VGPU_CG unsigned int ballot(int predicate) const
	{
		return __ballot_sync(mask_, predicate) >> first() & (Size == 32 ? ~0u : (1u << (Size & 31)) - 1);
	}
	template <class T> __VGPU_CG unsigned int match_any(T v) const
	{
		return __match_any_sync(mask_, v) >> first();
	}
};

template <unsigned int Size, class Parent>
static __VGPU_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
	return thread_block_tile<Size, Parent>();
}

class coalesced_group : public __vgpu_warp_group {
public:
	__VGPU_CG explicit coalesced_group(unsigned int mask) : __vgpu_warp_group(mask) {}
	__VGPU_CG unsigned int thread_rank() const { return __popc(mask_ & ((1u << lane()) - 1)); }
	__VGPU_CG unsigned int size() const { return __popc(mask_); }
	__VGPU_CG unsigned int num_threads() const { return size(); }
	template <class T> __VGPU_CG T shfl(T v, int from) const
	{
		return __shfl_sync(mask_, v, __fns(mask_, 0, from + 1), 32);
	}
	__VGPU_CG unsigned int ballot(int predicate) const
	{
		unsigned int all = __ballot_sync(mask_, predicate), packed = 0;

		for (unsigned int rest = mask_, at = 0; rest; rest &= rest - 1, at++)
			packed |= (all >> (__ffs(rest) - 1) & 1) << at;
		return packed;
	}
};

static __VGPU_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group> static __VGPU_CG void sync(const Group &group) { group.sync(); }

}

#undef __VGPU_CG

#endif
