/* SPDX-License-Identifier: MIT */
/*
 * mri-gridding: each block computes a tile of the grid from the samples around it. Their number
 * differs between blocks by two orders of magnitude, as samples are dense in the middle.
 */
#include "chapter6.h"

#define THREADS 128
#define MOST 400

struct bin {
	int first, samples;
};

__host__ __device__ static inline float weight(float distance)
{
	float left = 1 - distance * distance;

	return left > 0 ? left * left : 0;
}

__global__ void gridding(const bin *bins, const float *at, const float *value, float *grid)
{
	bin mine = bins[blockIdx.x];
	float here = (float)threadIdx.x / THREADS, sum = 0;

	for (int i = mine.first; i < mine.first + mine.samples; i++)
		sum += value[i] * weight(here - at[i]);
	grid[blockIdx.x * THREADS + threadIdx.x] = sum;
}

/* Most blocks have few samples, those around every 64th many. */
static int samples_of(int block)
{
	int distance = abs(block % 64 - 32);

	return MOST / (1 + distance * distance / 2) + 4;
}

int main(int argc, char **argv)
{
	int blocks = (int)parse_size(argc, argv, "mri-gridding", "blocks", 8192, 1, 65536), all = 0;
	bin *bins = managed_new<bin>(blocks);
	float *at, *value, *grid = managed_new<float>((size_t)blocks * THREADS);

	for (int block = 0; block < blocks; block++) {
		bins[block] = { all, samples_of(block) };
		all += bins[block].samples;
	}
	at = managed_floats(all, 13);
	value = managed_floats(all, 14);
	start_kernel();
	gridding<<<blocks, THREADS>>>(bins, at, value, grid);
	end_kernel();
	for (int point = 0; point < blocks * THREADS; point += 97) {
		bin b = bins[point / THREADS];
		double sum = 0;

		for (int i = b.first; i < b.first + b.samples; i++)
			sum += value[i] * weight((float)(point % THREADS) / THREADS - at[i]);
		expect_near("grid", point, grid[point], sum, b.samples * b.samples * F32_ROUND);
	}
	return finish();
}
