/* SPDX-License-Identifier: MIT */
/*
 * mri-gridding: each of the points of a grid gets the samples within 2.5 of it. Samples are sorted
 * by the cell they are in. A block computes 8 x 4 x 8 points, four for each of its 64 threads: it
 * goes through the rows of cells around them, row by row, and brings the samples of a row through
 * shared memory.
 *
 * A cell has 32 samples at most (the rest is for the host). As in any acquisition that begins at
 * the middle of the space, samples are dense there; how dense, is chosen so that a block in the
 * middle takes about 100 times as long as most others, as 6.5.3 says of it.
 */
#include "chapter6.h"

#define CUTOFF 2.5f
#define REACH 3
#define TILE 64
#define BX 8
#define BY 4
#define BZ 8
#define MOST 32
#define OCCUPANCY 16

/* The window: a modified Bessel function of order 0, of which the first 14 terms are enough. */
__host__ __device__ static inline float window(float square)
{
	float z = (1 - square * (1 / (CUTOFF * CUTOFF))) * 8, sum = 1;

#pragma unroll
	for (int k = 14; k; k--)
		sum = 1 + z * sum * (1.0f / (k * k));
	return sum * 0.02f;
}

__global__ void gridding(const float2 *value, const float4 *at, const unsigned *start, int n,
			 float2 *grid, float *density)
{
	__shared__ float re[TILE], im[TILE], kx[TILE], ky[TILE], kz[TILE], weight[TILE];
	int thread = (threadIdx.z * BY + threadIdx.y) * BX + threadIdx.x;
	int x0 = blockIdx.x * BX, y0 = blockIdx.y % (n / BY) * BY, z0 = blockIdx.y / (n / BY) * BZ;
	int x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
	int low = max(x0 - REACH, 0), high = min(x0 + BX + REACH - 1, n - 1);
	float2 sum[4] = {};
	float count[4] = {};

	for (int cz = max(z0 - REACH, 0); cz <= min(z0 + BZ + REACH - 1, n - 1); cz++) {
		for (int cy = max(y0 - REACH, 0); cy <= min(y0 + BY + REACH - 1, n - 1); cy++) {
			const unsigned *row = start + (cz * n + cy) * n;
			int first = row[low], samples = row[high + 1] - first;

			for (int tile = 0; tile < samples; tile += TILE) {
				int size = min(samples - tile, TILE);

				__syncthreads();
				if (thread < size) {
					float2 v = value[first + tile + thread];
					float4 l = at[first + tile + thread];

					re[thread] = v.x;
					im[thread] = v.y;
					kx[thread] = l.x;
					ky[thread] = l.y;
					kz[thread] = l.z;
					weight[thread] = l.w;
				}
				__syncthreads();
				for (int i = 0; i < size; i++) {
					float dx = kx[i] - x, dy = ky[i] - y;
					float flat = dx * dx + dy * dy;

					if (weight[i] == 0 || (re[i] == 0 && im[i] == 0))
						continue;
#pragma unroll
					for (int j = 0; j < 4; j++) {
						float dz = kz[i] - (z + 2 * j);
						float square = flat + dz * dz;

						if (square < CUTOFF * CUTOFF) {
							float w = window(square) * weight[i];

							sum[j].x += w * re[i];
							sum[j].y += w * im[i];
							count[j] += 1;
						}
					}
				}
			}
		}
	}
#pragma unroll
	for (int j = 0; j < 4; j++) {
		grid[((z + 2 * j) * n + y) * n + x] = sum[j];
		density[((z + 2 * j) * n + y) * n + x] = count[j];
	}
}

/* Samples of the cell at distance r from the middle, on average. */
static float samples_at(float r)
{
	float some = 1200 / (r * r * r + 1);

	return some < MOST ? some : MOST;
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "mri-gridding", "points a side, in eights", 8, 1, 32) *
		8;
	int cells = n * n * n, all = 0;
	unsigned *start = managed_new<unsigned>(cells + 1);
	float2 *value, *grid = managed_new<float2>(cells);
	float4 *at;
	float *density = managed_new<float>(cells);
	struct lcg g = { 13 };

	for (int cell = 0; cell < cells; cell++) {
		float x = cell % n - n / 2 + 0.5f, y = cell / n % n - n / 2 + 0.5f;
		float z = cell / n / n - n / 2 + 0.5f;

		start[cell] = all;
		all += (int)(samples_at(sqrtf(x * x + y * y + z * z)) + lcg_float(&g, 0, 1));
	}
	start[cells] = all;
	value = managed_new<float2>(all);
	at = managed_new<float4>(all);
	for (int cell = 0; cell < cells; cell++)
		for (unsigned i = start[cell]; i < start[cell + 1]; i++) {
			value[i] = make_float2(lcg_float(&g, 0.1f, 1), lcg_float(&g, 0.1f, 1));
			at[i] = make_float4(cell % n, cell / n % n, cell / n / n,
					    lcg_float(&g, 0.5f, 1));
		}
	start_kernel();
	gridding<<<dim3(n / BX, n * n / BY / BZ), dim3(BX, BY, 2), pad(OCCUPANCY, TILE * 24)>>>(
		value, at, start, n, grid, density);
	end_kernel();
	for (int point = 0; point < cells; point += 997) {
		int x = point % n, y = point / n % n, z = point / n / n;
		double re = 0, im = 0, count = 0;

		for (int cz = max(z - 2, 0); cz <= min(z + 2, n - 1); cz++)
			for (int cy = max(y - 2, 0); cy <= min(y + 2, n - 1); cy++)
				for (int cx = max(x - 2, 0); cx <= min(x + 2, n - 1); cx++) {
					int cell = (cz * n + cy) * n + cx;
					float square =
						(float)((cx - x) * (cx - x) + (cy - y) * (cy - y) +
							(cz - z) * (cz - z));

					if (square >= CUTOFF * CUTOFF)
						continue;
					for (unsigned i = start[cell]; i < start[cell + 1]; i++) {
						re += window(square) * at[i].w * value[i].x;
						im += window(square) * at[i].w * value[i].y;
						count++;
					}
				}
		expect_near("re", point, grid[point].x, re, 1e-4 * re + 1e-6);
		expect_near("im", point, grid[point].y, im, 1e-4 * im + 1e-6);
		expect_near("density", point, density[point], count, 0.5);
	}
	return finish();
}
