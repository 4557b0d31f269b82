/* SPDX-License-Identifier: MIT */
/*
 * stencil: one step of a 3D stencil of 7 points, as block2Dregtiling of SMK table 2: blocks of 128
 * threads and no shared memory. A thread goes through all planes with two points beside each other
 * in x; those before and after are in registers. (../chapter6/stencil.cu has blocks of 1024, those
 * of Tanasic's table 5.2.)
 */
#include "../chapter6/chapter6.h"

#define NX 512
#define ROWS 4

__global__ void stencil(float c0, float c1, const float *in, float *out, int ny, int nz)
{
	int x = 2 * blockIdx.x * blockDim.x + threadIdx.x, x2 = x + blockDim.x;
	int y = blockIdx.y * ROWS + threadIdx.y, plane = NX * ny;
	int at = y * NX + x, at2 = y * NX + x2;
	float below, here, below2, here2;
	bool inside, inside2;

	if (y <= 0 || y >= ny - 1)
		return;
	inside = x > 0;
	inside2 = x2 < NX - 1;
	below = in[at];
	below2 = in[at2];
	here = in[at + plane];
	here2 = in[at2 + plane];
	for (int z = 1; z < nz - 1; z++) {
		float above, above2;

		at += plane;
		at2 += plane;
		above = in[at + plane];
		above2 = in[at2 + plane];
		if (inside)
			out[at] = (above + below + in[at + NX] + in[at - NX] + in[at + 1] +
				   in[at - 1]) * c1 - here * c0;
		if (inside2)
			out[at2] = (above2 + below2 + in[at2 + NX] + in[at2 - NX] + in[at2 + 1] +
				    in[at2 - 1]) * c1 - here2 * c0;
		below = here;
		here = above;
		below2 = here2;
		here2 = above2;
	}
}

int main(int argc, char **argv)
{
	int ny = (int)parse_size(argc, argv, "stencil", "rows of 512 points", 512, 4, 2048);
	int nz = 64, plane = NX * ny;
	float *in = managed_floats((size_t)nz * plane, 3), c0 = 1 / 6.0f, c1 = 1 / 36.0f;
	float *out = managed_new<float>((size_t)nz * plane);

	start_kernel();
	stencil<<<dim3(NX / 64, ny / ROWS), dim3(32, ROWS)>>>(c0, c1, in, out, ny, nz);
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
