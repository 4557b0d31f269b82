/* SPDX-License-Identifier: MIT */
/*
 * tpacf: histograms of the angles between points. Every block compares its own points to the first
 * ones of all; the output is a few counters for each block.
 */
#include "chapter6.h"

#define THREADS 128
#define FIRST 512
#define BINS 32

__host__ __device__ static inline int bin_of(float4 a, float4 b)
{
	float dot = a.x * b.x + a.y * b.y + a.z * b.z;

	return min((int)(dot * (BINS / 3.0f)), BINS - 1);
}

__global__ void tpacf(const float4 *points, unsigned *out)
{
	__shared__ unsigned count[BINS];
	float4 mine = points[blockIdx.x * THREADS + threadIdx.x];

	if (threadIdx.x < BINS)
		count[threadIdx.x] = 0;
	__syncthreads();
	for (int i = 0; i < FIRST; i++)
		atomicAdd(&count[bin_of(mine, points[i])], 1);
	__syncthreads();
	if (threadIdx.x < BINS)
		out[blockIdx.x * BINS + threadIdx.x] = count[threadIdx.x];
}

int main(int argc, char **argv)
{
	int blocks = (int)parse_size(argc, argv, "tpacf", "blocks of 128 points", 1024, 4, 8192);
	float4 *points = (float4 *)managed_floats((size_t)blocks * THREADS * 4, 17);
	unsigned *out = managed_new<unsigned>((size_t)blocks * BINS);

	start_kernel();
	tpacf<<<blocks, THREADS>>>(points, out);
	end_kernel();
	/* The host may round a product otherwise, and so find a pair in the bin beside. */
	for (int block = 0; block < blocks; block += 31) {
		long below = 0, want = 0, all = 0;

		for (int bin = 0; bin < BINS; bin++) {
			all += out[block * BINS + bin];
			below += bin < BINS / 3 ? out[block * BINS + bin] : 0;
		}
		for (int i = 0; i < THREADS * FIRST; i++)
			want += bin_of(points[block * THREADS + i / FIRST], points[i % FIRST]) <
				BINS / 3;
		expect_same("pairs", block, all, (long)THREADS * FIRST);
		expect_near("pairs below a third", block, below, want, 4);
	}
	return finish();
}
