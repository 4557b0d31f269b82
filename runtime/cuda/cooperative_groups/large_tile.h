/* SPDX-License-Identifier: MIT */
/*
 * Tiles of 64 to 1024 threads: whole warps of a block that wait for each other and exchange values
 * in shared memory, which is here. So block_tile_memory, which NVIDIA's headers use for that before
 * capability 8.0, is taken and not needed. Included by ../cooperative_groups.h.
 */
#ifndef VGPU_CUDA_COOPERATIVE_GROUPS_LARGE_TILE_H
#define VGPU_CUDA_COOPERATIVE_GROUPS_LARGE_TILE_H

namespace cooperative_groups
{

template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
	unsigned int __vgpu_unused;
};

namespace details
{

/*
 * Of each size and place a tile has a word in which its warps count when they come to its barrier,
 * and each warp has one to show to the others. Shared memory is 0 when a block begins.
 */
struct tile_memory {
	volatile unsigned int arrived[32];
	volatile unsigned long long shown[32];
};

static __VGPU_CG tile_memory &shared_tile_memory()
{
	static __shared__ tile_memory memory;

	return memory;
}

/* By all threads of the block. What is 0 already need not be, but tools look who has written. */
static __VGPU_CG void clear_tile_memory()
{
	__syncthreads();
	for (unsigned int n = block_rank(); n < 32; n += block_size())
		shared_tile_memory().arrived[n] = 0;
	__syncthreads();
}

/* Of the caller's tile of @size threads: warps of the block that it has */
static __VGPU_CG unsigned int tile_warps(unsigned int size)
{
	unsigned int first = block_rank() / size * size, left = block_size() - first;

	return ((left < size ? left : size) + 31) / 32;
}

static __VGPU_CG void tile_sync(unsigned int size)
{
	/* 16 tiles of 64, 8 of 128 ... 1 of 1024 */
	volatile unsigned int *arrived =
		&shared_tile_memory().arrived[32 - 2048 / size + block_rank() / size];

	__syncwarp();
	if (lane() == 0) {
		unsigned int warps = tile_warps(size), before, all;

		__threadfence_block();
		before = atomicAdd((unsigned int *)arrived, 1u);
		all = before - before % warps + warps;
		while ((int)(*arrived - all) < 0)
			;
		__threadfence_block();
	}
	__syncwarp();
}

/* Of each warp of the tile the value of the thread for which @shows; in the order of their ranks */
template <unsigned int Size, class T>
static __VGPU_CG void tile_collect(const T &v, bool shows, T *all)
{
	static_assert(std::is_trivially_copyable<T>::value,
		      "only what can be copied bit by bit is exchanged");
	const unsigned int words = (sizeof(T) + 7) / 8, warps = tile_warps(Size);
	volatile unsigned long long *shown =
		&shared_tile_memory().shown[block_rank() / Size * (Size / 32)];
	unsigned long long own[words] = {}, got[Size / 32][words];

	__builtin_memcpy(own, &v, sizeof(T));
	for (unsigned int n = 0; n < words; n++) {
		if (shows)
			shown[block_rank() % Size / 32] = own[n];
		tile_sync(Size);
		for (unsigned int w = 0; w < warps; w++)
			got[w][n] = shown[w];
		tile_sync(Size);
	}
	for (unsigned int w = 0; w < warps; w++)
		__builtin_memcpy(&all[w], got[w], sizeof(T));
}

template <unsigned int Size> class large_tile {
	static_assert(Size <= 1024 && !(Size & (Size - 1)),
		      "a tile has 1, 2, 4, 8, 16 or 32 threads, or 64, 128, 256, 512 or 1024");

public:
	static __VGPU_CG void sync() { tile_sync(Size); }
	static __VGPU_CG unsigned int thread_rank() { return block_rank() % Size; }
	static constexpr __VGPU_CG unsigned int size() { return Size; }
	static constexpr __VGPU_CG unsigned int num_threads() { return Size; }
	static __VGPU_CG unsigned int meta_group_rank() { return block_rank() / Size; }
	static __VGPU_CG unsigned int meta_group_size() { return (block_size() + Size - 1) / Size; }
	template <class T> __VGPU_CG T shfl(T v, unsigned int from) const
	{
		T all[Size / 32];

		from %= Size;
		tile_collect<Size>(from_lane(~0u, v, (int)(from % 32)), lane() == 0, all);
		return all[from / 32];
	}
	__VGPU_CG int any(int predicate) const
	{
		int all[Size / 32], result = 0;

		tile_collect<Size>(__any_sync(~0u, predicate), lane() == 0, all);
		for (unsigned int w = 0; w < tile_warps(Size); w++)
			result |= all[w];
		return result;
	}
	__VGPU_CG int all(int predicate) const { return !any(!predicate); }
};

}

template <unsigned int MaxBlockSize>
static __VGPU_CG thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
	details::clear_tile_memory();
	return thread_block();
}

}

#endif
