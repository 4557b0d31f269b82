/* SPDX-License-Identifier: MIT */
/*
 * bitonic: sorts unsigned keys with a bitonic network. Steps whose partners lie in one block's
 * share run together in shared memory, the others one launch each. The key count is padded to a
 * power of two with the largest key.
 */
#include "common.h"

#include <algorithm>

#define BDIM 128
#define SHARE (2 * BDIM)

static __device__ inline void order(unsigned &a, unsigned &b, bool up)
{
	if ((a > b) == up) {
		unsigned t = a;

		a = b;
		b = t;
	}
}

/* One step of the network over the whole array: partners are `dist` apart. */
__global__ void step_global(unsigned *keys, unsigned n, unsigned dist, unsigned run)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned i = t / dist * 2 * dist + t % dist;

	if (i + dist < n)
		order(keys[i], keys[i + dist], (i & run) == 0);
}

/* All steps of the runs first to last whose partners are within one share. */
__global__ void steps_shared(unsigned *keys, unsigned first, unsigned last)
{
	__shared__ unsigned s[SHARE];
	unsigned t = threadIdx.x, base = blockIdx.x * SHARE;

	s[t] = keys[base + t];
	s[t + BDIM] = keys[base + t + BDIM];
	for (unsigned run = first; run <= last; run *= 2)
		for (unsigned dist = run / 2 < BDIM ? run / 2 : BDIM; dist > 0; dist /= 2) {
			unsigned i = t / dist * 2 * dist + t % dist;

			__syncthreads();
			order(s[i], s[i + dist], ((base + i) & run) == 0);
		}
	__syncthreads();
	keys[base + t] = s[t];
	keys[base + t + BDIM] = s[t + BDIM];
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "bitonic", "keys to sort", 3500, 1, 1 << 26);
	unsigned padded = SHARE, *keys, *want, *dev;
	struct lcg g = { 1968 };

	while (padded < (unsigned)n)
		padded *= 2;
	keys = (unsigned *)host_alloc(padded * sizeof(*keys));
	want = (unsigned *)host_alloc(padded * sizeof(*want));
	for (unsigned i = 0; i < padded; i++) {
		/* Every eighth key comes from a small range, so there are equal ones. */
		keys[i] = i >= (unsigned)n ? 0xffffffffu : i % 8 ? lcg_u32(&g) : lcg_below(&g, 50);
		want[i] = keys[i];
	}
	std::sort(want, want + padded);
	CHECK(cudaMalloc((void **)&dev, padded * sizeof(*keys)));
	CHECK(cudaMemcpy(dev, keys, padded * sizeof(*keys), cudaMemcpyHostToDevice));
	steps_shared<<<padded / SHARE, BDIM>>>(dev, 2, SHARE);
	CHECK(cudaGetLastError());
	for (unsigned run = 2 * SHARE; run <= padded; run *= 2) {
		for (unsigned dist = run / 2; dist > BDIM; dist /= 2) {
			step_global<<<padded / SHARE, BDIM>>>(dev, padded, dist, run);
			CHECK(cudaGetLastError());
		}
		steps_shared<<<padded / SHARE, BDIM>>>(dev, run, run);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpy(keys, dev, padded * sizeof(*keys), cudaMemcpyDeviceToHost));
	compare_exact("keys", keys, want, padded);
	CHECK(cudaFree(dev));
	free(keys);
	free(want);
	return finish();
}
