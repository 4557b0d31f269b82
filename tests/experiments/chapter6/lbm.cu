/* SPDX-License-Identifier: MIT */
/*
 * lbm: one step of a lattice Boltzmann method with 19 directions, in a box with obstacles. Each
 * direction is an array of its own, and so are the flags of cells. A block is a row of 120 cells: a
 * thread reads 20 arrays at its cell and writes 19 others at its neighbours. A plane of one array
 * is 60 KB, so all blocks of a plane use nearly the same pages.
 */
#include "chapter6.h"

#define Q 19
#define NX 120
#define NY 120
#define PITCH 128
#define PLANE (PITCH * NY)
#define OMEGA 1.95f
/* 6.5.2: "lbm runs only 8 warps" on an SM: two blocks; see chapter6.h */
#define OCCUPANCY 2

enum { OBSTACLE = 1, ACCELERATE = 2 };

#define DIRECTION(q)                                                                           \
	const int dx_of[Q] = { 0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1 }; \
	const int dy_of[Q] = { 0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1, 0, 0, 0, 0 }; \
	const int dz_of[Q] = { 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1 }; \
	const int dx = dx_of[q], dy = dy_of[q], dz = dz_of[q]

__device__ static inline int offset(int q)
{
	DIRECTION(q);

	return dx + dy * PITCH + dz * PLANE;
}

__host__ __device__ static inline int opposite(int q)
{
	const int of[Q] = { 0, 2, 1, 4, 3, 6, 5, 10, 9, 8, 7, 14, 13, 12, 11, 18, 17, 16, 15 };

	return of[q];
}

__host__ __device__ static inline void collide(float f[Q], unsigned flags)
{
	float density = 0, u[3] = { 0, 0, 0 }, out[Q], square;

	if (flags & OBSTACLE) {
#pragma unroll
		for (int q = 0; q < Q; q++)
			out[q] = f[opposite(q)];
	} else {
#pragma unroll
		for (int q = 0; q < Q; q++) {
			DIRECTION(q);

			density += f[q];
			u[0] += dx * f[q];
			u[1] += dy * f[q];
			u[2] += dz * f[q];
		}
		for (int i = 0; i < 3; i++)
			u[i] /= density;
		if (flags & ACCELERATE) {
			u[0] = 0.005f;
			u[1] = 0.002f;
			u[2] = 0;
		}
		square = 1.5f * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) - 1;
#pragma unroll
		for (int q = 0; q < Q; q++) {
			DIRECTION(q);
			float along = dx * u[0] + dy * u[1] + dz * u[2];
			float weight = q == 0 ? 1 / 3.0f : q < 7 ? 1 / 18.0f : 1 / 36.0f;

			out[q] = (1 - OMEGA) * f[q] +
				 OMEGA * density * weight * (along * (4.5f * along + 3) - square);
		}
	}
#pragma unroll
	for (int q = 0; q < Q; q++)
		f[q] = out[q];
}

template <bool together> __global__ void lbm(const float *in, float *out, int cells)
{
	int cell = (blockIdx.y * NY + blockIdx.x) * PITCH + threadIdx.x;
	int lane = threadIdx.x % 32;
	float f[Q];

	if (together)
		touch(&in[(size_t)min(lane, Q) * cells + cell]);
#pragma unroll
	for (int q = 0; q < Q; q++)
		f[q] = in[(size_t)q * cells + cell];
	collide(f, __float_as_uint(in[(size_t)Q * cells + cell]));
	if (together)
		touch(&out[(long)min(lane, Q - 1) * cells + cell + offset(min(lane, Q - 1))]);
#pragma unroll
	for (int q = 0; q < Q; q++) {
		DIRECTION(q);

		out[(long)q * cells + cell + dx + dy * PITCH + dz * PLANE] = f[q];
	}
}

static unsigned flags_of(int x, int y, int z, int nz)
{
	if (!x || x == NX - 1 || !y || y == NY - 1 || !z || z == nz - 1)
		return OBSTACLE;
	return z == 1 || z == nz - 2 ? ACCELERATE : 0;
}

int main(int argc, char **argv)
{
	int nz = (int)parse_size(argc, argv, "lbm", "planes of 120 x 120 cells", 40, 4, 150);
	/* a plane more on each side, and one for each end of all */
	int cells = (nz + 4) * PLANE;
	size_t all = (size_t)(Q + 1) * cells + 4 * PLANE;
	float *in = managed_new<float>(all) + 2 * PLANE, *out = managed_new<float>(all) + 2 * PLANE;
	struct lcg g = { 4 };

	for (int z = 0; z < nz; z++)
		for (int y = 0; y < NY; y++)
			for (int x = 0; x < NX; x++) {
				size_t cell = (size_t)(z * NY + y) * PITCH + x;
				float some = lcg_float(&g, 0, 0.05f);

				for (int q = 0; q < Q; q++)
					in[(size_t)q * cells + cell] = 0.05f + some / (1 + q);
				((unsigned *)in)[(size_t)Q * cells + cell] = flags_of(x, y, z, nz);
			}
	auto kernel = VARIANT(lbm);

	start_kernel();
	kernel<<<dim3(NY, nz), NX, pad(OCCUPANCY, 0)>>>(in, out, cells);
	end_kernel();
	for (int n = 0; n < NX * NY * nz; n += 89) {
		int x = n % NX, y = n / NX % NY, z = n / NX / NY;
		long cell = (long)(z * NY + y) * PITCH + x;
		float f[Q];

		for (int q = 0; q < Q; q++)
			f[q] = in[(size_t)q * cells + cell];
		collide(f, flags_of(x, y, z, nz));
		for (int q = 0; q < Q; q++) {
			DIRECTION(q);

			expect_near("out", n,
				    out[(long)q * cells + cell + dx + dy * PITCH + dz * PLANE],
				    f[q], 256 * F32_ROUND);
		}
	}
	return finish();
}
