/* SPDX-License-Identifier: MIT */
/*
 * stencil: one step of a 3D stencil of 7 points. A block has two rows of 512 points and goes
 * through all planes with them: a plane is 1 MB, so it comes to new pages of the input and of the
 * output with each plane, and the blocks beside it to the same ones. The planes before and after
 * are in registers.
 */
#include "chapter6.h"

#define NX 512
#define ROWS 2
/* 41 registers for each of 1024 threads */
#define OCCUPANCY 1

template <bool together>
__global__ void __launch_bounds__(NX *ROWS)
	stencil(float c0, float c1, const float *in, float *out, int ny, int nz)
{
	int x = threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y, plane = NX * ny;
	int at = plane + y * NX + x;
	float below = in[at - plane], here = in[at];

	if (x <= 0 || y <= 0 || x >= NX - 1 || y >= ny - 1)
		return;
	for (int z = 1; z < nz - 1; z++, at += plane) {
		float above = in[at + plane];

		/* the next load does not wait for this store */
		if (together && z + 2 < nz)
			touch(x % 2 ? &in[at + 2 * plane] : &out[at]);
		out[at] =
			(above + below + in[at + NX] + in[at - NX] + in[at + 1] + in[at - 1]) * c1 -
			here * c0;
		below = here;
		here = above;
	}
}

int main(int argc, char **argv)
{
	int ny = (int)parse_size(argc, argv, "stencil", "rows of 512 points", 512, 4, 2048);
	int nz = 64, plane = NX * ny;
	float *in = managed_floats((size_t)nz * plane, 3), c0 = 1 / 6.0f, c1 = 1 / 36.0f;
	float *out = managed_new<float>((size_t)nz * plane);

	auto kernel = VARIANT(stencil);

	start_kernel();
	kernel<<<dim3(1, ny / ROWS), dim3(NX, ROWS), pad(OCCUPANCY, 0)>>>(c0, c1, in, out, ny, nz);
	end_kernel();
	for (int z = 1; z < nz - 1; z++)
		for (int y = 1; y < ny - 1; y += 5)
			for (int x = 1; x < NX - 1; x += 17) {
				int i = z * plane + y * NX + x;
				double sum = (double)in[i + plane] + in[i - plane] + in[i + NX] +
					     in[i - NX] + in[i + 1] + in[i - 1];

				expect_near("out", i, out[i], sum * c1 - in[i] * c0,
					    16 * F32_ROUND);
			}
	return finish();
}
