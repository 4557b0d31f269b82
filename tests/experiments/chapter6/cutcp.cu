/* SPDX-License-Identifier: MIT */
/*
 * cutcp: the potential at each point of a lattice of the atoms within 12 A of it. Atoms are in bins
 * of 4 A, with room for eight. A block computes 8 x 8 x 8 points: it reads the bins around them, 32
 * at a time, into shared memory, and writes its part of the lattice, which is contiguous, at its
 * end. One launch is for one plane of blocks; this is the middle one of the lattice.
 */
#include "chapter6.h"

#define SPACING 0.5f
#define CUTOFF 12.0f
#define BIN 4.0f
#define DEPTH 8
#define AROUND 3
#define CACHED 32
#define REGION 512
/* blocks for each SM; see chapter6.h */
#define OCCUPANCY 7

__constant__ int neighbours;
__constant__ int3 neighbour[343];

__global__ void cutcp(const float4 *bins, int bins_x, int bins_y, float *lattice, int z)
{
	__shared__ float cache[CACHED * DEPTH * 4];
	int thread = (threadIdx.z * 2 + threadIdx.y) * 8 + threadIdx.x;
	float px = (8 * blockIdx.x + threadIdx.x) * SPACING;
	float py = (8 * blockIdx.y + threadIdx.y) * SPACING;
	float pz = (8 * z + threadIdx.z) * SPACING;
	/* a block is as wide as a bin */
	int bx = blockIdx.x + AROUND, by = blockIdx.y + AROUND, bz = z + AROUND;
	float sum[4] = { 0, 0, 0, 0 };
	float *out = lattice + ((z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * REGION;

	for (int first = 0; first < neighbours; first += CACHED) {
		int count = min(CACHED, neighbours - first);

		for (int n = thread / 16; n < count; n += 8) {
			int3 d = neighbour[first + n];
			const float *from =
				(const float *)(bins +
						(size_t)(((bz + d.z) * bins_y + by + d.y) * bins_x +
							 bx + d.x) *
							DEPTH);

			cache[n * DEPTH * 4 + thread % 16] = from[thread % 16];
			cache[n * DEPTH * 4 + thread % 16 + 16] = from[thread % 16 + 16];
		}
		__syncthreads();
		for (int n = 0; n < count; n++) {
			for (int i = 0; i < DEPTH; i++) {
				const float *atom = cache + (n * DEPTH + i) * 4;
				float charge = atom[3], dx = atom[0] - px, dy = atom[1] - py;
				float dz = atom[2] - pz, xz = dx * dx + dz * dz;

				if (charge == 0)
					break;
#pragma unroll
				for (int j = 0; j < 4; j++, dy -= 2 * SPACING) {
					float square = dy * dy + xz;

					if (square < CUTOFF * CUTOFF) {
						float s = 1 - square * (1 / (CUTOFF * CUTOFF));

						sum[j] += charge * rsqrtf(square) * s * s;
					}
				}
			}
		}
		__syncthreads();
	}
#pragma unroll
	for (int j = 0; j < 4; j++)
		out[thread / 16 * 64 + thread % 16 + 16 * j] = sum[j];
}

int main(int argc, char **argv)
{
	int side = (int)parse_size(argc, argv, "cutcp", "blocks of 8 points a side", 26, 2, 40);
	int bins = side + 2 * AROUND, z = side / 2, count = 0;
	size_t all = (size_t)bins * bins * bins * DEPTH;
	float4 *atoms = managed_new<float4>(all);
	float *lattice = managed_new<float>((size_t)side * side * side * REGION);
	float reach = (CUTOFF + sqrtf(3) * BIN) / BIN;
	int3 list[343];
	struct lcg g = { 16 };

	for (int k = -AROUND; k <= AROUND; k++)
		for (int j = -AROUND; j <= AROUND; j++)
			for (int i = -AROUND; i <= AROUND; i++)
				if (i * i + j * j + k * k < reach * reach)
					list[count++] = make_int3(i, j, k);
	CHECK(cudaMemcpyToSymbol(neighbour, list, sizeof(list)));
	CHECK(cudaMemcpyToSymbol(neighbours, &count, sizeof(count)));
	memset(atoms, 0, all * sizeof(*atoms));
	for (int bin = 0; bin < bins * bins * bins; bin++) {
		int x = bin % bins - AROUND, y = bin / bins % bins - AROUND;
		int w = bin / bins / bins - AROUND, n = 5 + (int)lcg_below(&g, 4);

		/* no atoms around the lattice; on average 0.1 for each cubic A in it */
		if (x < 0 || y < 0 || w < 0 || x >= side || y >= side || w >= side)
			continue;
		for (int i = 0; i < n; i++)
			atoms[bin * DEPTH + i] = make_float4(
				x * BIN + lcg_float(&g, 0, BIN), y * BIN + lcg_float(&g, 0, BIN),
				w * BIN + lcg_float(&g, 0, BIN), lcg_float(&g, 0.1f, 1));
	}
	start_kernel();
	cutcp<<<dim3(side, side), dim3(8, 2, 8), pad(OCCUPANCY, CACHED * DEPTH * 16)>>>(
		atoms, bins, bins, lattice, z);
	end_kernel();
	for (int n = 0; n < side * side * REGION; n += 7919) {
		int region = n / REGION, point = n % REGION;
		float x = (8 * (region % side) + point % 8) * SPACING;
		float y = (8 * (region / side) + point / 8 % 8) * SPACING;
		float w = (8 * z + point / 64) * SPACING;
		double sum = 0;

		for (size_t i = 0; i < all; i++) {
			double dx = atoms[i].x - x, dy = atoms[i].y - y, dz = atoms[i].z - w;
			double square = dx * dx + dy * dy + dz * dz;
			double s = 1 - square / (CUTOFF * CUTOFF);

			if (atoms[i].w != 0 && s > 0)
				sum += atoms[i].w / sqrt(square) * s * s;
		}
		expect_near("lattice", n, lattice[(size_t)z * side * side * REGION + n], sum,
			    1e-3 * sum);
	}
	return finish();
}
