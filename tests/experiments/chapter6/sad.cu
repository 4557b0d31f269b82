/* SPDX-License-Identifier: MIT */
/*
 * sad: sums of absolute differences of 4 x 4 pixels of a picture and the 33 x 33 places around it
 * in another. A block is for 4 x 4 pixels: each of 61 threads computes 18 places, three at a time;
 * the sums go through shared memory to 2 KB of the output. The pictures fit into a page granule
 * each.
 */
#include "chapter6.h"

#define SIDE 4
#define RANGE 16
#define WIDE (2 * RANGE + 1)
#define PLACES (WIDE * WIDE)
#define PADDED 1096
#define EACH 18
#define THREADS ((PLACES + EACH - 1) / EACH)
#define OCCUPANCY 14

typedef unsigned short pixel;

__device__ static inline int pixel_at(const pixel *picture, int width, int height, int x, int y)
{
	return picture[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

__global__ void sad(const pixel *a, const pixel *b, pixel *out, int width, int height)
{
	__shared__ pixel frame[SIDE * SIDE];
	__shared__ __align__(8) pixel sums[PADDED];
	int x0 = blockIdx.x * SIDE, y0 = blockIdx.y * SIDE;
	/* of a macroblock of 16 x 16 the 16 blocks, one after another */
	int macro = blockIdx.y / 4 * (gridDim.x / 4) + blockIdx.x / 4;
	int block = macro * 16 + blockIdx.y % 4 * 4 + blockIdx.x % 4;
	uint2 *to = (uint2 *)(out + (size_t)(gridDim.x * gridDim.y / 16 * 25 + block) * PADDED);

	if (threadIdx.x < SIDE * SIDE)
		frame[threadIdx.x] = a[(y0 + threadIdx.x / 4) * width + x0 + threadIdx.x % 4];
	__syncthreads();
	for (int place = threadIdx.x * EACH; place < min((int)(threadIdx.x + 1) * EACH, PLACES);
	     place += 3) {
		int x = x0 + place % WIDE - RANGE, y = y0 + place / WIDE - RANGE;
		int sum[3] = { 0, 0, 0 };

#pragma unroll
		for (int j = 0; j < SIDE; j++)
#pragma unroll
			for (int i = 0; i < SIDE + 2; i++) {
				int value = pixel_at(b, width, height, x + i, y + j);

#pragma unroll
				for (int n = 0; n < 3; n++)
					if (i >= n && i < n + SIDE)
						sum[n] += abs(value - frame[j * SIDE + i - n]);
			}
		for (int n = 0; n < 3; n++)
			sums[place + n] = (pixel)sum[n];
	}
	__syncthreads();
	if (threadIdx.x < 32)
		for (int i = threadIdx.x; i < PADDED / 4; i += 32)
			to[i] = ((uint2 *)sums)[i];
}

int main(int argc, char **argv)
{
	int rows = (int)parse_size(argc, argv, "sad", "rows of 16 pixels", 9, 1, 64);
	int width = 11 * 16, height = rows * 16, all = 11 * rows;
	pixel *a = managed_new<pixel>(width * height), *b = managed_new<pixel>(width * height);
	pixel *out = managed_new<pixel>((size_t)41 * PADDED * all);
	struct lcg g = { 15 };

	for (int i = 0; i < width * height; i++) {
		a[i] = (pixel)lcg_below(&g, 256);
		b[i] = (pixel)lcg_below(&g, 256);
	}
	start_kernel();
	sad<<<dim3(width / 4, height / 4), THREADS, pad(OCCUPANCY, PADDED * 2 + 32)>>>(
		a, b, out, width, height);
	end_kernel();
	for (int n = 0; n < all * 16 * PLACES; n += 1009) {
		int block = n / PLACES, place = n % PLACES, macro = block / 16, sum = 0;
		int x = macro % 11 * 16 + block % 4 * 4, y = macro / 11 * 16 + block % 16 / 4 * 4;

		for (int j = 0; j < SIDE; j++)
			for (int i = 0; i < SIDE; i++) {
				int bx = x + i + place % WIDE - RANGE,
				    by = y + j + place / WIDE - RANGE;

				bx = bx < 0 ? 0 : bx >= width ? width - 1 : bx;
				by = by < 0 ? 0 : by >= height ? height - 1 : by;
				sum += abs(a[(y + j) * width + x + i] - b[by * width + bx]);
			}
		expect_same("out", n, (int)out[(size_t)(all * 25 + block) * PADDED + place], sum);
	}
	return finish();
}
