/* SPDX-License-Identifier: MIT */
/*
 * group_calls: cooperative groups of a block, of tiles of every size, of coalesced threads and of
 * labelled ones: ranks, votes, shuffles, reductions, scans and copies, against ranks computed on
 * the host.
 */
#include "../common.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define THREADS 96

/* What each thread learns about one group it is in. */
struct seen {
	int rank, size, ballot, any, all, first, next, before, crossed, sum, largest, scan,
		before_scan, match;
};

struct wide {
	char tag;
	double value;
};

template <class Group> __device__ static seen look(const Group &g, int v)
{
	seen s;
	wide w = { (char)v, v * 0.5 };

	s.rank = (int)g.thread_rank();
	s.size = (int)g.size();
	s.ballot = (int)g.ballot(v & 1);
	s.any = g.any(v % 7 == 0) != 0;
	s.all = g.all(v < 90) != 0;
	s.first = g.shfl(v, 0);
	s.next = g.shfl_down(v, 1);
	s.before = g.shfl_up(v, 1);
	s.crossed = g.shfl_xor(w, 1).value * 2;
	s.sum = cg::reduce(g, v, cg::plus<int>());
	s.largest = cg::reduce(g, (v * 37) % 101, cg::greater<int>());
	s.scan = cg::inclusive_scan(g, v, cg::plus<int>());
	s.before_scan = cg::exclusive_scan(g, v);
	s.match = (int)g.match_any(v % 3);
	g.sync();
	return s;
}

/* A group in a parameter of its own, as programs pass it on. */
__device__ static int block_sum(cg::thread_group g, int *shared, int v)
{
	int rank = (int)g.thread_rank();

	for (int half = (int)g.size() / 2; half > 0; half /= 2) {
		shared[rank] = v;
		g.sync();
		if (rank < half)
			v += shared[rank + half];
		g.sync();
	}
	return v;
}

template <int Size> __global__ void tiles(seen *out)
{
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);

	out[block.thread_rank()] = look(tile, (int)block.thread_rank());
}

__global__ void others(seen *coalesced, seen *labelled, seen *binary, seen *cut, int *more)
{
	__shared__ int shared[THREADS], copied[THREADS];
	cg::thread_block block = cg::this_thread_block();
	int t = block.thread_rank();
	auto warp = cg::tiled_partition<32>(block);
	auto quarter = cg::tiled_partition<8>(warp);

	if (t % 3) {
		cg::coalesced_group active = cg::coalesced_threads();

		coalesced[t] = look(active, t);
		cut[t] = look(cg::tiled_partition(active, 4), t);
		labelled[t] = look(cg::labeled_partition(active, t % 5), t);
	}
	warp.sync();
	binary[t] = look(cg::binary_partition(warp, t % 4 == 1), t);
	more[t] = block_sum(cg::tiled_partition(block, 16), shared + t / 16 * 16, t);
	more[THREADS + t] = block_sum(warp, shared + t / 32 * 32, t);
	more[2 * THREADS + t] = (int)(warp.meta_group_rank() * 100 +
				      quarter.meta_group_rank() * 10 + quarter.meta_group_size());
	cg::sync(block);
	cg::memcpy_async(block, copied, more, sizeof(copied));
	cg::wait(block);
	more[3 * THREADS + t] = copied[THREADS - 1 - t];
	more[4 * THREADS + t] =
		(int)cg::this_grid().thread_rank() * 1000 + (int)cg::this_grid().size();
}

/* The same from a list of the members: @who[i] is thread i's group. */
static void check(const char *name, const seen *got, const int *who, const bool *in)
{
	for (int t = 0; t < THREADS; t++) {
		int members[32], n = 0, rank = 0, high = 0, sum = 0, scan = 0, ballot = 0,
				 match = 0;
		bool any = false, all = true;

		if (!in[t])
			continue;
		for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++)
			if (in[i] && who[i] == who[t]) {
				rank = i == t ? n : rank;
				ballot |= (i & 1) << n;
				match |= (i % 3 == t % 3) << n;
				any |= i % 7 == 0;
				all &= i < 90;
				sum += i;
				scan += i <= t ? i : 0;
				high = (i * 37) % 101 > high ? (i * 37) % 101 : high;
				members[n++] = i;
			}
		expect_same(name, t, got[t].rank, rank);
		expect_same("size", t, got[t].size, n);
		expect_same("ballot", t, got[t].ballot, ballot);
		expect_same("any", t, got[t].any, (int)any);
		expect_same("all", t, got[t].all, (int)all);
		expect_same("shfl", t, got[t].first, members[0]);
		expect_same("shfl_down", t, got[t].next, rank + 1 < n ? members[rank + 1] : t);
		expect_same("shfl_up", t, got[t].before, rank ? members[rank - 1] : t);
		expect_same("shfl_xor", t, got[t].crossed, (rank ^ 1) < n ? members[rank ^ 1] : t);
		expect_same("sum", t, got[t].sum, sum);
		expect_same("largest", t, got[t].largest, high);
		expect_same("inclusive scan", t, got[t].scan, scan);
		expect_same("exclusive scan", t, got[t].before_scan, scan - t);
		expect_same("match", t, got[t].match, match);
	}
}

template <int Size> static void check_tiles(void)
{
	seen got[THREADS], *dev = device_new<seen>(THREADS);
	int who[THREADS];
	bool in[THREADS];

	for (int t = 0; t < THREADS; t++) {
		who[t] = t / Size;
		in[t] = true;
	}
	/* in three dimensions, where a lane is not threadIdx.x */
	tiles<Size><<<1, dim3(4, 12, 2)>>>(dev);
	CHECK_LAUNCH();
	host_from(got, dev, THREADS);
	check("tile", got, who, in);
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	static seen got[4][THREADS];
	static int more[5 * THREADS];
	seen *dev = device_new<seen>(4 * THREADS);
	int *dev_more = device_new<int>(5 * THREADS), who[THREADS];
	bool third[THREADS], every[THREADS];

	parse_size(argc, argv, "group_calls", NULL, 0, 0, 0);
	check_tiles<1>();
	check_tiles<2>();
	check_tiles<4>();
	check_tiles<8>();
	check_tiles<16>();
	check_tiles<32>();
	others<<<1, THREADS>>>(dev, dev + THREADS, dev + 2 * THREADS, dev + 3 * THREADS, dev_more);
	CHECK_LAUNCH();
	host_from(&got[0][0], dev, 4 * THREADS);
	host_from(more, dev_more, 5 * THREADS);
	for (int t = 0; t < THREADS; t++) {
		third[t] = t % 3;
		every[t] = true;
		who[t] = 0;
	}
	check("coalesced", got[0], who, third);
	for (int t = 0; t < THREADS; t++)
		who[t] = t % 5;
	check("labelled", got[1], who, third);
	for (int t = 0; t < THREADS; t++)
		who[t] = t % 4 == 1;
	check("binary", got[2], who, every);
	for (int t = 0, rank = 0; t < THREADS; t++) {
		rank = t % 32 ? rank : 0;
		who[t] = rank / 4;
		rank += third[t];
	}
	check("part of coalesced", got[3], who, third);
	for (int t = 0; t < THREADS; t++) {
		if (t % 16 == 0)
			expect_same("sum of 16", t, more[t], 16 * t + 120);
		if (t % 32 == 0)
			expect_same("sum of a warp", t, more[THREADS + t], 32 * t + 496);
		expect_same("meta group", t, more[2 * THREADS + t],
			    t / 32 * 100 + t % 32 / 8 * 10 + 4);
		expect_same("copied", t, more[3 * THREADS + t], more[THREADS - 1 - t]);
		expect_same("grid", t, more[4 * THREADS + t], t * 1000 + THREADS);
	}
	CHECK(cudaFree(dev));
	CHECK(cudaFree(dev_more));
	return finish();
}
