/* SPDX-License-Identifier: MIT */
/*
 * mri-q: for each voxel a sum over all samples with a sine and a cosine each. A block reads its
 * voxels and the sums so far at its begin and writes the sums at its end; samples are in constant
 * memory, 1024 of them in one launch, and this is the first one.
 */
#include "chapter6.h"

#define SAMPLES 1024
#define THREADS 256
#define OCCUPANCY 8

struct sample {
	float x, y, z, magnitude;
};

__constant__ sample samples[SAMPLES];

template <bool together>
__global__ void mri_q(const float *x, const float *y, const float *z, float *real, float *imaginary)
{
	int voxel = blockIdx.x * THREADS + threadIdx.x;
	float px, py, pz, re, im;

	if (together) {
		const float *const of[5] = { x, y, z, real, imaginary };

		touch(&of[threadIdx.x % 5][voxel]);
	}
	px = x[voxel];
	py = y[voxel];
	pz = z[voxel];
	re = real[voxel];
	im = imaginary[voxel];
#pragma unroll 2
	for (int i = 0; i < SAMPLES; i++) {
		sample s = samples[i];
		float angle = 6.2831853f * (s.x * px + s.y * py + s.z * pz);

		re += s.magnitude * __cosf(angle);
		im += s.magnitude * __sinf(angle);
	}
	real[voxel] = re;
	imaginary[voxel] = im;
}

int main(int argc, char **argv)
{
	int blocks = (int)parse_size(argc, argv, "mri-q", "blocks of 256 voxels", 1024, 1, 8192);
	int voxels = blocks * THREADS;
	float *x = managed_floats(voxels, 9), *y = managed_floats(voxels, 10);
	float *z = managed_floats(voxels, 11);
	float *real = managed_new<float>(voxels), *imaginary = managed_new<float>(voxels);
	sample host[SAMPLES];
	struct lcg g = { 12 };

	for (sample &s : host)
		s = { lcg_float(&g, 0, 1), lcg_float(&g, 0, 1), lcg_float(&g, 0, 1),
		      lcg_float(&g, 0, 1) };
	CHECK(cudaMemcpyToSymbol(samples, host, sizeof(host)));
	auto kernel = VARIANT(mri_q);

	start_kernel();
	kernel<<<blocks, THREADS, pad(OCCUPANCY, 0)>>>(x, y, z, real, imaginary);
	end_kernel();
	for (int voxel = 0; voxel < voxels; voxel += 1999) {
		double re = 0, im = 0;

		for (const sample &s : host) {
			double sum = (double)s.x * x[voxel] + (double)s.y * y[voxel] +
				     (double)s.z * z[voxel];
			double angle = 6.2831853 * sum;

			re += s.magnitude * cos(angle);
			im += s.magnitude * sin(angle);
		}
		expect_near("real", voxel, real[voxel], re, 2e-3);
		expect_near("imaginary", voxel, imaginary[voxel], im, 2e-3);
	}
	return finish();
}
