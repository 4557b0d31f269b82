/* SPDX-License-Identifier: MIT */
/*
 * tpacf: histograms of the angles between points on a sphere. There is one set of data and 100
 * random ones. A block compares a set with itself, or a random one with the data: 256 points of one
 * are in shared memory, each thread has a point of the other, finds the bin of each pair by
 * bisection and counts it in one of 128 histograms in shared memory. At its end it adds them and
 * writes 20 counters.
 */
#include "chapter6.h"

#define THREADS 256
#define POINTS 487
#define BINS 20
#define COPIES 128
#define OCCUPANCY 2

__constant__ float border[BINS + 1];

struct point {
	float x, y, z;
};

__host__ __device__ static inline float cosine(point a, float x, float y, float z)
{
	return fmaf(a.z, z, fmaf(a.y, y, a.x * x));
}

/* The bin whose borders are around the cosine; those before it are greater. */
__host__ __device__ static inline int bin_of(const float *borders, float of)
{
	int low = 0, high = BINS;

	while (high > low + 1) {
		int middle = (low + high) / 2;

		if (of >= borders[middle])
			high = middle;
		else
			low = middle;
	}
	return of < borders[low] && of >= borders[high] ? low : -1;
}

__global__ void tpacf(const float *x, const float *y, const float *z, unsigned long long *out,
		      int sets)
{
	__shared__ point data[THREADS];
	__shared__ unsigned count[BINS][COPIES];
	bool self = blockIdx.x <= sets;
	int of = (self ? blockIdx.x : blockIdx.x - sets) * POINTS, with = self ? of : 0;

	for (int i = threadIdx.x; i < BINS * COPIES; i += THREADS)
		count[i / COPIES][i % COPIES] = 0;
	for (int i = 0; i < POINTS; i += THREADS) {
		if (i + threadIdx.x < POINTS) {
			int at = with + i + threadIdx.x;

			data[threadIdx.x] = { x[at], y[at], z[at] };
		}
		__syncthreads();
		for (int j = self ? i + 1 : 0; j < POINTS; j += THREADS) {
			int mine = j + threadIdx.x;
			float px = 0, py = 0, pz = 0;

			if (mine < POINTS) {
				px = x[of + mine];
				py = y[of + mine];
				pz = z[of + mine];
			}
			for (int k = 0; k < min(THREADS, POINTS - i); k++) {
				int bin = bin_of(border, cosine(data[k], px, py, pz));

				if (bin >= 0 && mine < POINTS && (!self || mine > i + k))
					atomicAdd(&count[bin][threadIdx.x / 2], 1);
			}
		}
		__syncthreads();
	}
	for (int half = COPIES / 2; half; half /= 2) {
		for (int i = threadIdx.x; i < BINS * half; i += THREADS)
			count[i / half][i % half] += count[i / half][i % half + half];
		__syncthreads();
	}
	if (threadIdx.x < BINS)
		out[blockIdx.x * BINS + threadIdx.x] = count[threadIdx.x][0];
}

int main(int argc, char **argv)
{
	int sets = (int)parse_size(argc, argv, "tpacf", "sets of random points", 100, 1, 1000);
	size_t all = (size_t)(sets + 1) * POINTS;
	float *x = managed_new<float>(3 * all), *y = x + all, *z = y + all, borders[BINS + 1];
	unsigned long long *out = managed_new<unsigned long long>((size_t)(2 * sets + 1) * BINS);
	struct lcg g = { 17 };

	/* from a minute of arc on five bins for each power of ten */
	for (int i = 0; i <= BINS; i++)
		borders[i] = (float)cos(pow(10, i / 5.0) / 60 * 3.14159265358979 / 180);
	CHECK(cudaMemcpyToSymbol(border, borders, sizeof(borders)));
	for (size_t i = 0; i < all; i++) {
		double height = lcg_float(&g, -1, 1), angle = lcg_float(&g, 0, 6.2831853f);

		x[i] = (float)(sqrt(1 - height * height) * cos(angle));
		y[i] = (float)(sqrt(1 - height * height) * sin(angle));
		z[i] = (float)height;
	}
	start_kernel();
	tpacf<<<2 * sets + 1, THREADS, pad(OCCUPANCY, BINS * COPIES * 4 + THREADS * 12)>>>(
		x, y, z, out, sets);
	end_kernel();
	for (int block = 0; block <= 2 * sets; block += 67) {
		bool self = block <= sets;
		int of = (self ? block : block - sets) * POINTS, with = self ? of : 0;
		unsigned long long want[BINS] = {};

		for (int i = 0; i < POINTS; i++)
			for (int j = self ? i + 1 : 0; j < POINTS; j++) {
				point a = { x[with + i], y[with + i], z[with + i] };
				int bin =
					bin_of(borders, cosine(a, x[of + j], y[of + j], z[of + j]));

				if (bin >= 0)
					want[bin]++;
			}
		for (int bin = 0; bin < BINS; bin++)
			expect_same("out", block * BINS + bin, out[block * BINS + bin], want[bin]);
	}
	return finish();
}
