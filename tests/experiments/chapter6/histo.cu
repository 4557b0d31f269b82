/* SPDX-License-Identifier: MIT */
/*
 * histo: each block counts a part of the input in shared memory and writes its counters, which are
 * as large as its part of the input. Some values are much more frequent than others.
 */
#include "chapter6.h"

#define BINS 4096
#define THREADS 256
#define PART 4096

__global__ void histo(const unsigned *in, unsigned *out)
{
	__shared__ unsigned count[BINS];

	for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
		count[bin] = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < PART; i += THREADS)
		atomicAdd(&count[in[blockIdx.x * PART + i]], 1);
	__syncthreads();
	for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
		out[blockIdx.x * BINS + bin] = count[bin];
}

int main(int argc, char **argv)
{
	int blocks = (int)parse_size(argc, argv, "histo", "blocks", 1024, 1, 4096);
	unsigned *in = managed_new<unsigned>((size_t)blocks * PART);
	unsigned *out = managed_new<unsigned>((size_t)blocks * BINS);
	unsigned *want = (unsigned *)host_alloc(BINS * sizeof(*want));
	struct lcg g = { 5 };

	for (int i = 0; i < blocks * PART; i++)
		in[i] = lcg_below(&g, lcg_below(&g, BINS) + 1);
	start_kernel();
	histo<<<blocks, THREADS>>>(in, out);
	end_kernel();
	for (int block = 0; block < blocks; block += 7) {
		memset(want, 0, BINS * sizeof(*want));
		for (int i = 0; i < PART; i++)
			want[in[block * PART + i]]++;
		compare_exact("out", out + (size_t)block * BINS, want, BINS);
	}
	return finish();
}
