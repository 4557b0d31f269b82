/* SPDX-License-Identifier: MIT */
/*
 * lbm: one step of a lattice Boltzmann method with 19 directions. Each direction is an array of its
 * own, so a thread reads 19 arrays at neighbouring cells and writes 19 others at its own: many
 * pages in each block. The lattice wraps around.
 */
#include "chapter6.h"

#define Q 19
#define ROW 128

/* A direction's cell offset: the cell that streams to this one. */
__host__ __device__ static inline int offset(int q)
{
	const int dy = ROW, dz = ROW * 16;
	const int of[Q] = { 0, 1, -1, dy, -dy, dz, -dz, 1 + dy, -1 - dy, 1 - dy, dy - 1,
			    1 + dz, -1 - dz, 1 - dz, dz - 1, dy + dz, -dy - dz, dy - dz, dz - dy };

	return of[q];
}

__host__ __device__ static inline void collide(const float *in, int cell, int cells, float f[Q])
{
	float density = 0, mean;

#pragma unroll
	for (int q = 0; q < Q; q++) {
		int from = cell - offset(q);

		from += from < 0 ? cells : 0;
		from -= from >= cells ? cells : 0;
		f[q] = in[(size_t)q * cells + from];
		density += f[q];
	}
	mean = density * (1.0f / Q);
#pragma unroll
	for (int q = 0; q < Q; q++)
		f[q] += 0.5f * (mean - f[q]);
}

__global__ void lbm(const float *in, float *out, int cells)
{
	int cell = blockIdx.x * ROW + threadIdx.x;
	float f[Q];

	collide(in, cell, cells, f);
#pragma unroll
	for (int q = 0; q < Q; q++)
		out[(size_t)q * cells + cell] = f[q];
}

int main(int argc, char **argv)
{
	int rows = (int)parse_size(argc, argv, "lbm", "rows of 128 cells", 2048, 64, 8192);
	int cells = rows * ROW;
	float *in = managed_floats((size_t)Q * cells, 4);
	float *out = managed_new<float>((size_t)Q * cells), f[Q];

	start_kernel();
	lbm<<<rows, ROW>>>(in, out, cells);
	end_kernel();
	for (int cell = 0; cell < cells; cell += 89) {
		collide(in, cell, cells, f);
		for (int q = 0; q < Q; q++)
			expect_near("out", cell, out[(size_t)q * cells + cell], f[q],
				    32 * F32_ROUND);
	}
	return finish();
}
