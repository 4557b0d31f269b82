/* SPDX-License-Identifier: MIT */
/*
 * mandelbrot: iterations until escape, per pixel of a picture: loops of very different length
 * within a warp.
 */
#include "common.h"

#define BX 16
#define BY 8
#define LIMIT 96

/*
 * Every operation that rounds is a fused multiply-add that says so, or a product that cannot be
 * contracted further; doubling is exact. So device and host agree on every bit, and the counts,
 * which a single different rounding would change near the border of the set, are compared exactly.
 */
static __host__ __device__ inline int escape(float cr, float ci)
{
	float zr = 0.0f, zi = 0.0f;
	int i;

	for (i = 0; i < LIMIT; i++) {
		float next = fmaf(zr, zr, fmaf(-zi, zi, cr));

		zi = fmaf(2.0f * zr, zi, ci);
		zr = next;
		if (fmaf(zr, zr, zi * zi) > 4.0f)
			break;
	}
	return i;
}

static __host__ __device__ inline int pixel(int x, int y, int w, int h)
{
	float dx = 3.0f / (float)w, dy = 2.5f / (float)h;

	return escape(fmaf((float)x, dx, -2.25f), fmaf((float)y, dy, -1.25f));
}

__global__ void mandelbrot(int *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < w && y < h)
		out[y * w + x] = pixel(x, y, w, h);
}

int main(int argc, char **argv)
{
	int w = (int)parse_size(argc, argv, "mandelbrot", "pixels of width; height is 5/6 of it",
				100, 1, 16384);
	int h = (5 * w + 5) / 6, *got, *want, *dev;
	size_t bytes = (size_t)w * h * sizeof(int);
	dim3 block(BX, BY), grid((w + BX - 1) / BX, (h + BY - 1) / BY);

	got = (int *)host_alloc(bytes);
	want = (int *)host_alloc(bytes);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			want[y * w + x] = pixel(x, y, w, h);
	CHECK(cudaMalloc((void **)&dev, bytes));
	mandelbrot<<<grid, block>>>(dev, w, h);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, dev, bytes, cudaMemcpyDeviceToHost));
	compare_exact("pixel", got, want, (long)w * h);
	CHECK(cudaFree(dev));
	free(got);
	free(want);
	return finish();
}
