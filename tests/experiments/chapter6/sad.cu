/* SPDX-License-Identifier: MIT */
/*
 * sad: sums of absolute differences of each 16 x 16 block of a picture and all blocks around its
 * place in another. The pictures are small, the sums are not.
 */
#include "chapter6.h"

#define SIDE 16
#define RANGE 12
#define PLACES ((2 * RANGE + 1) * (2 * RANGE + 1))
#define PARTS 16

/* Of the 4 x 4 block at (x, y), moved to (x + dx, y + dy) of the other picture. */
__host__ __device__ static inline unsigned short
sum_of(const unsigned char *a, const unsigned char *b, int width, int height, int x, int y, int dx,
       int dy)
{
	int sum = 0;

	for (int j = y; j < y + 4; j++) {
		int from = min(max(j + dy, 0), height - 1);

		for (int i = x; i < x + 4; i++)
			sum += abs(a[j * width + i] -
				   b[from * width + min(max(i + dx, 0), width - 1)]);
	}
	return (unsigned short)sum;
}

__global__ void sad(const unsigned char *a, const unsigned char *b, unsigned short *out, int width,
		    int height)
{
	int block = blockIdx.y * gridDim.x + blockIdx.x, part = threadIdx.y;
	int x = blockIdx.x * SIDE + part % 4 * 4, y = blockIdx.y * SIDE + part / 4 * 4;

	for (int place = threadIdx.x; place < PLACES; place += blockDim.x)
		out[(block * PARTS + part) * PLACES + place] =
			sum_of(a, b, width, height, x, y, place % (2 * RANGE + 1) - RANGE,
			       place / (2 * RANGE + 1) - RANGE);
}

int main(int argc, char **argv)
{
	int rows = (int)parse_size(argc, argv, "sad", "rows of 16 x 16 blocks", 32, 1, 64);
	int columns = 16, width = columns * SIDE, height = rows * SIDE;
	unsigned char *a = managed_new<unsigned char>(width * height);
	unsigned char *b = managed_new<unsigned char>(width * height);
	unsigned short *out = managed_new<unsigned short>((size_t)columns * rows * PARTS * PLACES);
	struct lcg g = { 15 };

	for (int i = 0; i < width * height; i++) {
		a[i] = (unsigned char)lcg_below(&g, 256);
		b[i] = (unsigned char)lcg_below(&g, 256);
	}
	start_kernel();
	sad<<<dim3(columns, rows), dim3(16, PARTS)>>>(a, b, out, width, height);
	end_kernel();
	for (int n = 0; n < columns * rows * PARTS * PLACES; n += 1009) {
		int place = n % PLACES, part = n / PLACES % PARTS, block = n / PLACES / PARTS;

		expect_same("out", n, out[n],
			    sum_of(a, b, width, height, block % columns * SIDE + part % 4 * 4,
				   block / columns * SIDE + part / 4 * 4,
				   place % (2 * RANGE + 1) - RANGE,
				   place / (2 * RANGE + 1) - RANGE));
	}
	return finish();
}
