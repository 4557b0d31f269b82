/* SPDX-License-Identifier: MIT */
/*
 * stencil: one step of a 3D 7-point stencil, a thread for each point. Blocks in order read and
 * write pages in order.
 */
#include "chapter6.h"

#define NX 128
#define NY 64

__host__ __device__ static inline float point(const float *in, int i)
{
	return 0.25f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - NX] + in[i + NX] +
					 in[i - NX * NY] + in[i + NX * NY]);
}

__global__ void stencil(const float *in, float *out, int nz)
{
	int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, z = blockIdx.y;
	int i = (z * NY + y) * NX + x;

	if (x > 0 && x < NX - 1 && y > 0 && y < NY - 1 && z > 0 && z < nz - 1)
		out[i] = point(in, i);
}

int main(int argc, char **argv)
{
	int nz = (int)parse_size(argc, argv, "stencil", "planes", 256, 3, 1024);
	size_t size = (size_t)nz * NX * NY;
	float *in = managed_floats(size, 3), *out = managed_new<float>(size);

	start_kernel();
	stencil<<<dim3(NY / 2, nz), dim3(NX, 2)>>>(in, out, nz);
	end_kernel();
	for (int z = 1; z < nz - 1; z++)
		for (int y = 1; y < NY - 1; y += 5)
			for (int x = 1; x < NX - 1; x += 7) {
				int i = (z * NY + y) * NX + x;

				expect_near("out", i, out[i], point(in, i), 8 * F32_ROUND);
			}
	return finish();
}
