// SPDX-License-Identifier: MIT
/*
 * Tiles of 64 to 1024 threads: ranks, barriers, shuffles, votes, reductions and scans of values of
 * several sizes, tiles of tiles, and tiles that run apart, against what the host computes.
 */
#include "../common.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

/* 24 bytes, in three parts */
struct triple {
	double a;
	int b;
	long long c;
};

struct add {
	__host__ __device__ triple operator()(const triple &x, const triple &y) const
	{
		return triple{ x.a + y.a, x.b + y.b, x.c ^ y.c };
	}
};

struct seen {
	unsigned int rank, size, meta, metas, from, next, any, all, small, small_metas;
	int sum, largest, inclusive, exclusive;
	triple sums, before;
};

static __host__ __device__ int value_of(unsigned int thread)
{
	return (int)(thread * 2654435761u >> 20) - 1500;
}

static __host__ __device__ triple triple_of(unsigned int thread)
{
	return triple{ value_of(thread) * 0.5, value_of(thread + 7), 1ll << thread % 60 };
}

/* A group by value of a type that is any */
static __device__ int sum_by_halves(cg::thread_group g, int *shared, int v)
{
	unsigned int rank = (unsigned int)g.thread_rank();

	for (unsigned int half = (unsigned int)g.size() / 2; half; half /= 2) {
		shared[rank] = v;
		g.sync();
		if (rank < half)
			v += shared[rank + half];
		g.sync();
	}
	return v;
}

template <unsigned int Size> static __global__ void look(seen *out, int *halves, int rounds)
{
	__shared__ cg::block_tile_memory<1024> memory;
	__shared__ int shared[1024];
	auto tile = cg::tiled_partition<Size>(cg::this_thread_block(memory));
	unsigned int t = cg::this_thread_block().thread_rank();
	int v = value_of(t + 1024 * blockIdx.x), sum;
	seen s;

	s.rank = tile.thread_rank();
	s.size = tile.size();
	s.meta = tile.meta_group_rank();
	s.metas = tile.meta_group_size();
	/* tiles take turns of different number: barriers are their own */
	for (unsigned int round = 0; round < rounds * (s.meta % 3 + 1u); round++)
		tile.sync();
	s.from = tile.shfl(t, Size - 3);
	s.next = tile.shfl(t * 3, s.meta);
	s.any = tile.any(v > 2400);
	s.all = tile.all(v < 2400);
	s.sum = cg::reduce(tile, v, cg::plus<int>());
	s.largest = cg::reduce(tile, v, cg::greater<int>());
	s.inclusive = cg::inclusive_scan(tile, v, cg::plus<int>());
	s.exclusive = cg::exclusive_scan(tile, v);
	s.sums = cg::inclusive_scan(tile, triple_of(t), add());
	s.before = cg::reduce(tile, triple_of(t), add());
	auto part = cg::tiled_partition<Size / 2>(tile);
	s.small = part.meta_group_rank();
	s.small_metas = part.meta_group_size();
	sum = sum_by_halves(tile, shared + Size * s.meta, v);
	if (tile.thread_rank() == 0)
		halves[blockIdx.x * s.metas + s.meta] = sum;
	out[blockIdx.x * blockDim.x * blockDim.y + t] = s;
}

static bool same(const triple &x, const triple &y)
{
	return x.a == y.a && x.b == y.b && x.c == y.c;
}

template <unsigned int Size> static void check(unsigned int threads, unsigned int blocks)
{
	seen *out, *got = (seen *)malloc(blocks * threads * sizeof(*got));
	unsigned int tiles = threads / Size;
	int *halves, *sums = (int *)malloc(blocks * tiles * sizeof(*sums));

	CHECK(cudaMalloc(&out, blocks * threads * sizeof(*out)));
	CHECK(cudaMalloc(&halves, blocks * tiles * sizeof(*halves)));
	look<Size><<<blocks, dim3(threads / 2, 2)>>>(out, halves, 3);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got, out, blocks * threads * sizeof(*out), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(sums, halves, blocks * tiles * sizeof(*halves), cudaMemcpyDeviceToHost));
	for (unsigned int b = 0; b < blocks; b++)
		for (unsigned int tile = 0; tile < tiles; tile++) {
			const seen *s = got + b * threads + tile * Size;
			triple running = triple_of(tile * Size);
			int sum = 0, largest = -9999, any = 0, all = 1;

			for (unsigned int r = 0; r < Size; r++) {
				int v = value_of(tile * Size + r + 1024 * b);

				EXPECT(s[r].rank == r && s[r].size == Size);
				EXPECT(s[r].meta == tile && s[r].metas == tiles);
				EXPECT(s[r].from == tile * Size + Size - 3);
				EXPECT(s[r].next == 3 * (tile * Size + tile));
				EXPECT(s[r].small == r / (Size / 2) && s[r].small_metas == 2);
				EXPECT(s[r].exclusive == sum);
				sum += v;
				EXPECT(s[r].inclusive == sum);
				if (r)
					running = add()(running, triple_of(tile * Size + r));
				EXPECT(same(s[r].sums, running));
				largest = v > largest ? v : largest;
				any |= v > 2400;
				all &= v < 2400;
			}
			for (unsigned int r = 0; r < Size; r++) {
				EXPECT(s[r].sum == sum && s[r].largest == largest);
				EXPECT(!s[r].any == !any && !s[r].all == !all);
				EXPECT(same(s[r].before, running));
			}
			EXPECT(sums[b * tiles + tile] == sum);
		}
	CHECK(cudaFree(out));
	CHECK(cudaFree(halves));
	free(got);
	free(sums);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "large_tiles", NULL, 0, 0, 0);
	check<64>(64, 2);
	check<64>(1024, 2);
	check<128>(512, 3);
	check<256>(768, 1);
	check<512>(1024, 1);
	check<1024>(1024, 1);
	return finish();
}
