/* SPDX-License-Identifier: MIT */
/*
 * two_dim: grids and blocks of one, two and three dimensions: every thread runs exactly once and
 * sees its own coordinates and the right dimensions.
 */
#include "../common.h"

struct where {
	uint3 thread, block;
	dim3 block_dim, grid_dim;
	int visits, warp;
};

__global__ void mark(where *out)
{
	int in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	where *w = &out[block * (blockDim.x * blockDim.y * blockDim.z) + in_block];

	w->thread = threadIdx;
	w->block = blockIdx;
	w->block_dim = blockDim;
	w->grid_dim = gridDim;
	w->warp = warpSize;
	atomicAdd(&w->visits, 1);
}

static void same3(const char *what, long i, unsigned x, unsigned y, unsigned z, unsigned wx,
		  unsigned wy, unsigned wz)
{
	if (x != wx || y != wy || z != wz)
		mismatch("%s[%ld]: got (%u, %u, %u), expected (%u, %u, %u)", what, i, x, y, z, wx,
			 wy, wz);
}

static void check(dim3 grid, dim3 block)
{
	long per_block = (long)block.x * block.y * block.z;
	long n = per_block * grid.x * grid.y * grid.z;
	where *got = (where *)host_alloc(n * sizeof(*got)), *dev = device_new<where>(n);

	CHECK(cudaMemset(dev, 0, n * sizeof(*dev)));
	mark<<<grid, block>>>(dev);
	CHECK_LAUNCH();
	host_from(got, dev, n);
	for (long i = 0; i < n; i++) {
		const where &w = got[i];
		unsigned t = (unsigned)(i % per_block), b = (unsigned)(i / per_block);

		expect_same("visits", i, w.visits, 1);
		expect_same("warpSize", i, w.warp, 32);
		same3("threadIdx", i, w.thread.x, w.thread.y, w.thread.z, t % block.x,
		      t / block.x % block.y, t / block.x / block.y);
		same3("blockIdx", i, w.block.x, w.block.y, w.block.z, b % grid.x,
		      b / grid.x % grid.y, b / grid.x / grid.y);
		same3("blockDim", i, w.block_dim.x, w.block_dim.y, w.block_dim.z, block.x, block.y,
		      block.z);
		same3("gridDim", i, w.grid_dim.x, w.grid_dim.y, w.grid_dim.z, grid.x, grid.y,
		      grid.z);
	}
	CHECK(cudaFree(dev));
	free(got);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "two_dim", NULL, 0, 0, 0);
	check(dim3(1), dim3(1));
	check(dim3(5), dim3(33));
	check(dim3(3, 4), dim3(7, 5));
	check(dim3(2, 3, 4), dim3(3, 5, 7));
	check(dim3(1, 1, 6), dim3(1, 1, 64));
	check(dim3(1, 9, 1), dim3(1, 100, 1));
	check(dim3(2), dim3(1024));
	check(dim3(1), dim3(16, 16, 4));
	check(dim3(1500), dim3(2));
	check(dim3(7, 1, 3), dim3(31, 2, 1));
	return finish();
}
