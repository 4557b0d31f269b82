/* SPDX-License-Identifier: MIT */
/*
 * transpose: a matrix turned on its side, element by element and through a tile in shared memory
 * (one column of padding against bank conflicts, four rows a thread). Copies only, so exact.
 */
#include "common.h"

#define TILE 32
#define ROWS 8

__global__ void transpose_simple(const float *in, float *out, int w, int h)
{
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	for (int j = 0; j < TILE; j += ROWS)
		if (x < w && y + j < h)
			out[x * h + y + j] = in[(y + j) * w + x];
}

__global__ void transpose_tiled(const float *in, float *out, int w, int h)
{
	__shared__ float tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	for (int j = 0; j < TILE; j += ROWS)
		if (x < w && y + j < h)
			tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (int j = 0; j < TILE; j += ROWS)
		if (x < h && y + j < w)
			out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv)
{
	int w = (int)parse_size(argc, argv, "transpose", "columns; there are 3/4 as many rows", 230,
				1, 16384);
	int h = (3 * w + 3) / 4;
	long n = (long)w * h;
	size_t bytes = n * sizeof(float);
	float *in = (float *)host_alloc(bytes), *want = (float *)host_alloc(bytes);
	float *got = (float *)host_alloc(bytes), *dev_in, *dev_out;
	dim3 block(TILE, ROWS), grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
	struct lcg g = { 32 };

	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			in[y * w + x] = want[x * h + y] = lcg_float(&g, -1.0f, 1.0f);
	CHECK(cudaMalloc((void **)&dev_in, bytes));
	CHECK(cudaMalloc((void **)&dev_out, bytes));
	CHECK(cudaMemcpy(dev_in, in, bytes, cudaMemcpyHostToDevice));
	for (int tiled = 0; tiled < 2; tiled++) {
		CHECK(cudaMemset(dev_out, 0xff, bytes));
		if (tiled)
			transpose_tiled<<<grid, block>>>(dev_in, dev_out, w, h);
		else
			transpose_simple<<<grid, block>>>(dev_in, dev_out, w, h);
		CHECK_LAUNCH();
		CHECK(cudaMemcpy(got, dev_out, bytes, cudaMemcpyDeviceToHost));
		compare_exact(tiled ? "tiled" : "simple", got, want, n);
	}
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
	free(in);
	free(want);
	free(got);
	return finish();
}
