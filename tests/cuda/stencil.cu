/* SPDX-License-Identifier: MIT */
/*
 * stencil: Jacobi steps of a 3D 7-point stencil. A block covers a rectangle of (x, y) and walks
 * through z with the three values of its column in registers, as Parboil's does. The border stays.
 */
#include "common.h"

#define BX 32
#define BY 4
#define STEPS 4

#define CENTRE 0.25f
#define SIDE 0.125f

/*
 * Both weights are powers of two and add up to 1, so products are exact, nothing over- or
 * underflows and a fused multiply-add rounds like a separate sum: with the sums in one fixed
 * order the reference is exact, whatever the compiler contracts.
 */
static __host__ __device__ inline float weigh(float centre, float up, float down, float north,
					      float south, float east, float west)
{
	float sum = ((up + down) + (north + south)) + (east + west);

	return CENTRE * centre + SIDE * sum;
}

__global__ void step(const float *in, float *out, int nx, int ny, int nz)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int plane = nx * ny, i = y * nx + x;
	float below, centre, above;

	if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
		return;
	below = in[i];
	i += plane;
	centre = in[i];
	for (int z = 1; z < nz - 1; z++, i += plane) {
		above = in[i + plane];
		out[i] = weigh(centre, above, below, in[i - nx], in[i + nx], in[i + 1], in[i - 1]);
		below = centre;
		centre = above;
	}
}

static void step_reference(const float *in, float *out, int nx, int ny, int nz)
{
	int plane = nx * ny;

	for (int z = 1; z < nz - 1; z++)
		for (int y = 1; y < ny - 1; y++)
			for (int x = 1; x < nx - 1; x++) {
				int i = z * plane + y * nx + x;

				out[i] = weigh(in[i], in[i + plane], in[i - plane], in[i - nx],
					       in[i + nx], in[i + 1], in[i - 1]);
			}
}

int main(int argc, char **argv)
{
	int nx = (int)parse_size(argc, argv, "stencil",
				 "points in x; three more in y, one less in z", 34, 3, 512);
	int ny = nx + 3, nz = nx > 3 ? nx - 1 : nx;
	long n = (long)nx * ny * nz;
	size_t bytes = n * sizeof(float);
	float *want[2], *got, *dev[2];
	struct lcg g = { 7 };
	dim3 block(BX, BY), grid((nx + BX - 1) / BX, (ny + BY - 1) / BY);

	got = (float *)host_alloc(bytes);
	for (int i = 0; i < 2; i++)
		want[i] = (float *)host_alloc(bytes);
	for (long i = 0; i < n; i++)
		want[0][i] = want[1][i] = lcg_float(&g, 0.0f, 1.0f);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaMalloc((void **)&dev[i], bytes));
		CHECK(cudaMemcpy(dev[i], want[0], bytes, cudaMemcpyHostToDevice));
	}
	for (int s = 0; s < STEPS; s++) {
		step<<<grid, block>>>(dev[s % 2], dev[(s + 1) % 2], nx, ny, nz);
		CHECK(cudaGetLastError());
		step_reference(want[s % 2], want[(s + 1) % 2], nx, ny, nz);
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(got, dev[STEPS % 2], bytes, cudaMemcpyDeviceToHost));
	compare_exact("out", got, want[STEPS % 2], n);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaFree(dev[i]));
		free(want[i]);
	}
	free(got);
	return finish();
}
