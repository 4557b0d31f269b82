/* SPDX-License-Identifier: MIT */
/*
 * cutcp: the potential at each point of a lattice of the atoms near it. Atoms are sorted into bins;
 * a block reads the bins around it and has its part of the lattice at its end.
 */
#include "chapter6.h"

#define THREADS 128
#define PER_BIN 32

__host__ __device__ static inline float potential(float4 atom, float x, float y)
{
	float dx = atom.x - x, dy = atom.y - y;
	float square = dx * dx + dy * dy + 0.01f, left = 1 - square;

	return left > 0 ? atom.w * left * left / sqrtf(square) : 0;
}

__global__ void cutcp(const float4 *atoms, float *lattice)
{
	float x = (float)threadIdx.x / THREADS, sum = 0;
	int bins = gridDim.x;

	for (int bin = -2; bin <= 2; bin++) {
		const float4 *of = atoms + (blockIdx.x + bin + bins) % bins * PER_BIN;

		for (int i = 0; i < PER_BIN; i++)
			sum += potential(of[i], x, bin * 0.5f);
	}
	lattice[blockIdx.x * THREADS + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
	int blocks = (int)parse_size(argc, argv, "cutcp", "blocks of 128 points", 4096, 8, 65536);
	float4 *atoms = (float4 *)managed_floats((size_t)blocks * PER_BIN * 4, 16);
	float *lattice = managed_new<float>((size_t)blocks * THREADS);

	start_kernel();
	cutcp<<<blocks, THREADS>>>(atoms, lattice);
	end_kernel();
	for (int point = 0; point < blocks * THREADS; point += 101) {
		float x = (float)(point % THREADS) / THREADS;
		double sum = 0;

		for (int bin = -2; bin <= 2; bin++)
			for (int i = 0; i < PER_BIN; i++)
				sum += potential(atoms[(point / THREADS + bin + blocks) % blocks *
							       PER_BIN + i], x, bin * 0.5f);
		expect_near("lattice", point, lattice[point], sum, 1e-3);
	}
	return finish();
}
