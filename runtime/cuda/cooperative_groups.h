/* SPDX-License-Identifier: MIT */
/*
 * Cooperative groups: the grid, the thread block, tiles of 1 to 1024 threads, the coalesced threads
 * of a warp, parts of those by a label.
 *
 * Threads of one warp are a mask of lanes. A tile's lanes are neighbours; of a coalesced group or a
 * labelled part a rank is the place among the bits that are set.
 */
#ifndef VGPU_CUDA_COOPERATIVE_GROUPS_H
#define VGPU_CUDA_COOPERATIVE_GROUPS_H

#include <type_traits>

#include "../cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)

#define __VGPU_CG __device__ __inline__

namespace cooperative_groups
{

namespace details
{

static __VGPU_CG unsigned int block_rank()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __VGPU_CG unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
static __VGPU_CG unsigned int lane() { return block_rank() & 31; }

/* The lane of the rank-th bit that is set, or 32. */
static __VGPU_CG unsigned int lane_of(unsigned int mask, unsigned int rank)
{
	for (; mask && rank; rank--)
		mask &= mask - 1;
	return mask ? (unsigned int)__ffs((int)mask) - 1 : 32;
}

/* The bits of @bits that @mask names, moved together. */
static __VGPU_CG unsigned int packed(unsigned int mask, unsigned int bits)
{
	unsigned int result = 0;

	if (mask == 0xffffffff)
		return bits;
	for (unsigned int at = 0; mask; mask &= mask - 1, at++)
		result |= (bits >> (__ffs((int)mask) - 1) & 1) << at;
	return result;
}

/* A value of any type that can be copied, a word at a time. */
template <class T> static __VGPU_CG T from_lane(unsigned int mask, T v, int from)
{
	static_assert(std::is_trivially_copyable<T>::value,
		      "only what can be copied bit by bit is shuffled");
	unsigned int words[(sizeof(T) + 3) / 4] = {};
	T result;

	__builtin_memcpy(words, &v, sizeof(T));
	for (unsigned int i = 0; i < sizeof(words) / 4; i++)
		words[i] = __shfl_sync(mask, words[i], from, 32);
	__builtin_memcpy(&result, words, sizeof(T));
	return result;
}

/* Threads of one warp. */
class warp_group {
protected:
	unsigned int mask_;

	__VGPU_CG int lane_or_own(unsigned int rank) const
	{
		unsigned int from = lane_of(mask_, rank);

		return (int)(from < 32 ? from : lane());
	}

public:
	__VGPU_CG explicit warp_group(unsigned int mask) : mask_(mask) {}
	__VGPU_CG unsigned int __vgpu_mask() const { return mask_; }
	__VGPU_CG unsigned int thread_rank() const { return __popc(mask_ & ((1u << lane()) - 1)); }
	__VGPU_CG unsigned int size() const { return __popc(mask_); }
	__VGPU_CG unsigned int num_threads() const { return size(); }
	__VGPU_CG void sync() const { __syncwarp(mask_); }
	__VGPU_CG int any(int predicate) const
	{
		return (__ballot_sync(mask_, predicate) & mask_) != 0;
	}
	__VGPU_CG int all(int predicate) const
	{
		return (__ballot_sync(mask_, predicate) & mask_) == mask_;
	}
	__VGPU_CG unsigned int ballot(int predicate) const
	{
		return packed(mask_, __ballot_sync(mask_, predicate));
	}
	template <class T> __VGPU_CG unsigned int match_any(T v) const
	{
		return packed(mask_, __match_any_sync(mask_, v));
	}
	template <class T> __VGPU_CG unsigned int match_all(T v, int &same) const
	{
		return packed(mask_, __match_all_sync(mask_, v, &same));
	}
	template <class T> __VGPU_CG T shfl(T v, int from) const
	{
		return from_lane(mask_, v, lane_or_own(from));
	}
	template <class T> __VGPU_CG T shfl_up(T v, unsigned int by) const
	{
		unsigned int rank = thread_rank();

		return from_lane(mask_, v, rank >= by ? lane_or_own(rank - by) : (int)lane());
	}
	template <class T> __VGPU_CG T shfl_down(T v, unsigned int by) const
	{
		return from_lane(mask_, v, lane_or_own(thread_rank() + by));
	}
	template <class T> __VGPU_CG T shfl_xor(T v, unsigned int by) const
	{
		return from_lane(mask_, v, lane_or_own(thread_rank() ^ by));
	}
};

}

class thread_block {
public:
	static __VGPU_CG void sync() { __syncthreads(); }
	static __VGPU_CG unsigned int thread_rank() { return details::block_rank(); }
	static __VGPU_CG unsigned int size() { return details::block_size(); }
	static __VGPU_CG unsigned int num_threads() { return size(); }
	static __VGPU_CG dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static __VGPU_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static __VGPU_CG dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	static __VGPU_CG dim3 dim_threads() { return group_dim(); }
};

static __VGPU_CG thread_block this_thread_block() { return thread_block(); }

/*
 * All blocks of a cooperative launch (cudaLaunchCooperativeKernel). They count with the second word
 * of the launch's workspace, whose address %envreg1 and %envreg2 hold, as NVIDIA's code does: each
 * block adds 1, the first one what is missing to 2^31, so that the upper bit changes when all have
 * come. That bit is what they wait for, in a loop, as on hardware.
 */
class grid_group {
	static __VGPU_CG unsigned int *__vgpu_arrived()
	{
		unsigned int upper, lower;

		asm volatile("mov.u32 %0, %%envreg1;" : "=r"(upper));
		asm volatile("mov.u32 %0, %%envreg2;" : "=r"(lower));
		return upper | lower ?
			       (unsigned int *)((unsigned long long)upper << 32 | lower) + 1 : 0;
	}

public:
	/* of the first thread of each block: the count before; nothing in the others */
	struct arrival_token {
		unsigned int __vgpu_before;
	};

	static __VGPU_CG bool is_valid() { return __vgpu_arrived() != 0; }
	static __VGPU_CG arrival_token barrier_arrive()
	{
		unsigned int *arrived = __vgpu_arrived();
		arrival_token token = { 0 };

		if (!arrived)
			__trap();
		__syncthreads();
		if (details::block_rank() == 0) {
			unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;

			__threadfence();
			token.__vgpu_before =
				atomicAdd(arrived, block_rank() ? 1u : 0x80000001u - blocks);
		}
		return token;
	}
	static __VGPU_CG void barrier_wait(arrival_token &&token)
	{
		const volatile unsigned int *arrived = __vgpu_arrived();

		if (details::block_rank() == 0) {
			while (!((*arrived ^ token.__vgpu_before) & 0x80000000u))
				;
			__threadfence();
		}
		__syncthreads();
	}
	static __VGPU_CG void sync() { barrier_wait(barrier_arrive()); }
	static __VGPU_CG unsigned long long block_rank()
	{
		return blockIdx.x +
		       (unsigned long long)gridDim.x *
			       (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	}
	static __VGPU_CG unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	static __VGPU_CG unsigned long long thread_rank()
	{
		return block_rank() * details::block_size() + details::block_rank();
	}
	static __VGPU_CG unsigned long long size() { return num_blocks() * details::block_size(); }
	static __VGPU_CG unsigned long long num_threads() { return size(); }
	static __VGPU_CG dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	static __VGPU_CG dim3 dim_blocks() { return group_dim(); }
	static __VGPU_CG dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};

static __VGPU_CG grid_group this_grid() { return grid_group(); }

class coalesced_group : public details::warp_group {
public:
	__VGPU_CG explicit coalesced_group(unsigned int mask) : details::warp_group(mask) {}
	static __VGPU_CG unsigned int meta_group_rank() { return 0; }
	static __VGPU_CG unsigned int meta_group_size() { return 1; }
};

}

#include "cooperative_groups/large_tile.h"

namespace cooperative_groups
{

namespace details
{

/* The lanes of a tile are neighbours: where a rank lies is known without counting. */
template <unsigned int Size> class small_tile : public warp_group {
	static_assert(Size && !(Size & (Size - 1)), "a tile has 1, 2, 4, 8, 16 or 32 threads");

	static __VGPU_CG unsigned int first() { return details::lane() & ~(Size - 1); }
	static __VGPU_CG unsigned int ones() { return Size == 32 ? ~0u : (1u << (Size & 31)) - 1; }

public:
	__VGPU_CG small_tile() : warp_group(ones() << first()) {}
	static __VGPU_CG unsigned int thread_rank() { return details::lane() & (Size - 1); }
	static constexpr __VGPU_CG unsigned int size() { return Size; }
	static constexpr __VGPU_CG unsigned int num_threads() { return Size; }
	static __VGPU_CG unsigned int meta_group_rank() { return details::block_rank() / Size; }
	static __VGPU_CG unsigned int meta_group_size()
	{
		return (details::block_size() + Size - 1) / Size;
	}
	__VGPU_CG unsigned int ballot(int predicate) const
	{
		return __ballot_sync(mask_, predicate) >> first() & ones();
	}
	template <class T> __VGPU_CG unsigned int match_any(T v) const
	{
		return __match_any_sync(mask_, v) >> first() & ones();
	}
	template <class T> __VGPU_CG unsigned int match_all(T v, int &same) const
	{
		return __match_all_sync(mask_, v, &same) >> first() & ones();
	}
	template <class T> __VGPU_CG T shfl(T v, int from) const
	{
		return tile_shfl<T>(v, (int)(first() + ((unsigned int)from & (Size - 1))));
	}
	template <class T> __VGPU_CG T shfl_up(T v, unsigned int by) const
	{
		return tile_shfl<T>(
			v, (int)(thread_rank() >= by ? details::lane() - by : details::lane()));
	}
	template <class T> __VGPU_CG T shfl_down(T v, unsigned int by) const
	{
		return tile_shfl<T>(v, (int)(by < Size - thread_rank() ? details::lane() + by :
									 details::lane()));
	}
	template <class T> __VGPU_CG T shfl_xor(T v, unsigned int by) const
	{
		return tile_shfl<T>(v, (int)(by < Size ? details::lane() ^ by : details::lane()));
	}

private:
  template <class T> __VGPU_CG T tile_shfl(T v, int from) const
  {
	  return details::from_lane(mask_, v, from);
  }
};

}

template <unsigned int Size, class Parent = void> class thread_block_tile;

template <unsigned int Size>
class thread_block_tile<Size, void>
    : public std::conditional<(Size > 32), details::large_tile<Size>,
			      details::small_tile<Size>>::type
{
};

/* One that knows what it is a part of; a program may keep it as one that does not. */
template <unsigned int Size, class Parent>
class thread_block_tile : public thread_block_tile<Size, void>
{
      public:
	__VGPU_CG thread_block_tile() {}
	__VGPU_CG thread_block_tile(const thread_block_tile<Size, void> &) {}
	static __VGPU_CG unsigned int meta_group_rank() { return rank_in((const Parent *)0); }
	static __VGPU_CG unsigned int meta_group_size() { return size_in((const Parent *)0); }

private:
  static __VGPU_CG unsigned int rank_in(const thread_block *)
  {
	  return details::block_rank() / Size;
  }
	static __VGPU_CG unsigned int size_in(const thread_block *)
	{
		return (details::block_size() + Size - 1) / Size;
	}
	template <unsigned int Of, class Grand>
	static __VGPU_CG unsigned int rank_in(const thread_block_tile<Of, Grand> *)
	{
		return (details::block_rank() & (Of - 1)) / Size;
	}
	template <unsigned int Of, class Grand>
	static __VGPU_CG unsigned int size_in(const thread_block_tile<Of, Grand> *)
	{
		return Of / Size;
	}
};

/* Any of the groups, by value. */
class thread_group {
	enum { block, grid, warp, tile } kind_;
	unsigned int mask_;		/* of a tile: its size */

	__VGPU_CG details::warp_group as_warp() const { return details::warp_group(mask_); }

public:
	__VGPU_CG thread_group(const thread_block &) : kind_(block), mask_(0) {}
	__VGPU_CG thread_group(const grid_group &) : kind_(grid), mask_(0) {}
	__VGPU_CG thread_group(const details::warp_group &group)
	    : kind_(warp), mask_(group.__vgpu_mask())
	{
	}
	template <unsigned int Size>
	__VGPU_CG thread_group(const details::large_tile<Size> &) : kind_(tile), mask_(Size)
	{
	}
	__VGPU_CG bool __vgpu_is_block() const { return kind_ == block; }
	__VGPU_CG unsigned int __vgpu_mask() const { return mask_; }
	__VGPU_CG void sync() const
	{
		if (kind_ == block)
			__syncthreads();
		else if (kind_ == grid)
			grid_group::sync();
		else if (kind_ == tile)
			details::tile_sync(mask_);
		else
			__syncwarp(mask_);
	}
	__VGPU_CG unsigned long long thread_rank() const
	{
		return kind_ == block ? thread_block::thread_rank() :
		       kind_ == grid  ? grid_group::thread_rank() :
		       kind_ == tile  ? details::block_rank() % mask_ :
					as_warp().thread_rank();
	}
	__VGPU_CG unsigned long long size() const
	{
		return kind_ == block ? thread_block::size() :
		       kind_ == grid  ? grid_group::size() :
		       kind_ == tile  ? mask_ :
					as_warp().size();
	}
	__VGPU_CG unsigned long long num_threads() const { return size(); }
};

static __VGPU_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned int Size, class Parent>
static __VGPU_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
	return thread_block_tile<Size, Parent>();
}

namespace details
{

/* Of a group of lanes the part of @size that the caller is in: ranks that follow one another. */
static __VGPU_CG coalesced_group cut(unsigned int mask, unsigned int size)
{
	unsigned int rank = __popc(mask & ((1u << lane()) - 1)), first = rank / size * size,
		     part = 0, at = 0;

	for (unsigned int rest = mask; rest; rest &= rest - 1, at++)
		if (at >= first && at < first + size)
			part |= rest & -rest;
	return coalesced_group(part);
}

/* A block's warps, the last perhaps short. */
static __VGPU_CG unsigned int warp_mask()
{
	unsigned int left = block_size() - (block_rank() & ~31u);

	return left >= 32 ? ~0u : (1u << left) - 1;
}

}

static __VGPU_CG thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
	return details::cut(parent.__vgpu_is_block() ? details::warp_mask() : parent.__vgpu_mask(),
			    size);
}

static __VGPU_CG coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
	return details::cut(parent.__vgpu_mask(), size);
}

template <unsigned int Size>
static __VGPU_CG coalesced_group tiled_partition(const coalesced_group &parent)
{
	return details::cut(parent.__vgpu_mask(), Size);
}

/* Those of a group of lanes whose labels are the same. */
template <class Group, class Label>
static __VGPU_CG coalesced_group labeled_partition(const Group &group, Label label)
{
	return coalesced_group(__match_any_sync(group.__vgpu_mask(), label) & group.__vgpu_mask());
}

template <class Group>
static __VGPU_CG coalesced_group binary_partition(const Group &group, bool predicate)
{
	unsigned int yes = __ballot_sync(group.__vgpu_mask(), predicate);

	return coalesced_group((predicate ? yes : ~yes) & group.__vgpu_mask());
}

template <class Group> static __VGPU_CG void sync(const Group &group) { group.sync(); }
template <class Group>
static __VGPU_CG auto thread_rank(const Group &group) -> decltype(group.thread_rank())
{
	return group.thread_rank();
}
template <class Group>
static __VGPU_CG auto group_size(const Group &group) -> decltype(group.size())
{
	return group.size();
}

/* The first thread to come does it, and all get what it returned. */
template <class Function>
static __VGPU_CG auto invoke_one_broadcast(const coalesced_group &group, Function function)
	-> decltype(function())
{
	decltype(function()) result = {};

	if (group.thread_rank() == 0)
		result = function();
	return group.shfl(result, 0);
}

template <class Group, class Function>
static __VGPU_CG void invoke_one(const Group &group, Function function)
{
	if (group.thread_rank() == 0)
		function();
}

}

#undef __VGPU_CG

#endif
#endif
