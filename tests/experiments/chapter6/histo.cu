/* SPDX-License-Identifier: MIT */
/*
 * histo: a histogram of 256 x 4096 counters, most of the input in its middle. A block has 24 K
 * counters of a byte in shared memory, for one range of the histogram, and reads one part in 14 of
 * the whole input: the blocks of a round go through it together. What a byte cannot hold goes to an
 * array in memory, and so does what is in no range; each block writes its counters at its end.
 */
#include "chapter6.h"

#define WIDTH 4096
#define HEIGHT 256
#define BINS (24 * 1024)
#define PARTS 14
#define THREADS 768
#define FIRST 18
#define RANGES 6
#define ROWS_IN 996
#define COLUMNS_IN 1040

/* in 18 .. 23 all is inside; x: range, y and z: word, w: shift */
__device__ static inline void count_inside(unsigned *overflow, unsigned *count, int range,
					   uchar4 in)
{
	unsigned before, bin;
	bool carry;

	if (in.x != range)
		return;
	before = atomicAdd(&count[in.y * 256 + in.z], 1u << in.w);
	if ((before >> in.w & 0xff) != 0xff)
		return;
	bin = range * BINS + (in.y * 256 + in.z) * 4 + in.w / 8;
	atomicAdd(&overflow[bin], 256);
	/* the next byte got the carry: take it away again */
	carry = true;
	for (unsigned shift = in.w + 8; carry && shift < 32; shift += 8) {
		carry = (before >> shift & 0xff) == 0xff;
		atomicAdd(&overflow[++bin], carry ? 255u : ~0u);
	}
}

/* two counters of 16 bits in a word */
__device__ static inline void count_outside(unsigned *outside, uchar4 in)
{
	unsigned bin = in.x * BINS + (in.y * 256 + in.z) * 4 + in.w / 8;

	if (in.x >= FIRST && in.x < FIRST + RANGES)
		return;
	if ((outside[bin / 2] >> bin % 2 * 16 & 0xffff) < 255)
		atomicAdd(&outside[bin / 2], 1u << bin % 2 * 16);
}

__global__ void histo(const uchar4 *in, unsigned n, unsigned *parts, unsigned *outside,
		      unsigned *overflow)
{
	__shared__ unsigned count[BINS / 4];
	unsigned range = FIRST + blockIdx.y;
	unsigned *out = parts + blockIdx.x * (WIDTH * HEIGHT / 4) + range * (BINS / 4);

	for (int i = threadIdx.x; i < BINS / 4; i += THREADS)
		count[i] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * PARTS) {
		uchar4 value = in[i];

		count_inside(overflow, count, range, value);
		if (!blockIdx.y)
			count_outside(outside, value);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < BINS / 4; i += THREADS)
		out[i] = count[i];
}

/* Mostly around the middle. */
static int random_bin(struct lcg *g)
{
	int row = 0, column = 0;

	if (!lcg_below(g, 200))
		return (int)lcg_below(g, WIDTH * HEIGHT);
	for (int i = 0; i < 8; i++) {
		row += (int)lcg_below(g, 5);
		column += (int)lcg_below(g, 256);
	}
	return (108 + row) * WIDTH + 1024 + column;
}

int main(int argc, char **argv)
{
	int rows = (int)parse_size(argc, argv, "histo", "rows of 1040 values", ROWS_IN, 1, 4096);
	unsigned n = rows * COLUMNS_IN;
	uchar4 *in = managed_new<uchar4>(n);
	unsigned *parts = managed_new<unsigned>((size_t)PARTS * WIDTH * HEIGHT / 4);
	unsigned *outside = managed_new<unsigned>(WIDTH * HEIGHT / 2);
	unsigned *overflow = managed_new<unsigned>(WIDTH * HEIGHT);
	unsigned *want = (unsigned *)host_alloc(WIDTH * HEIGHT * sizeof(*want));
	struct lcg g = { 5 };

	memset(want, 0, WIDTH * HEIGHT * sizeof(*want));
	for (unsigned i = 0; i < n; i++) {
		/* every 16th value is one of a few, whose bytes overflow */
		int bin = i % 16 ? random_bin(&g) : 124 * WIDTH + (int)lcg_below(&g, 40);
		int word = bin % BINS / 4;

		want[bin]++;
		in[i] = make_uchar4(bin / BINS, word / 256, word % 256, bin % 4 * 8);
	}
	start_kernel();
	histo<<<dim3(PARTS, RANGES), THREADS>>>(in, n, parts, outside, overflow);
	end_kernel();
	for (unsigned bin = 0; bin < WIDTH * HEIGHT; bin++) {
		unsigned sum = 0;

		if (bin / BINS < FIRST || bin / BINS >= FIRST + RANGES) {
			if (want[bin])
				expect_same("outside", bin,
					    outside[bin / 2] >> bin % 2 * 16 & 0xffff, want[bin]);
			continue;
		}
		for (int part = 0; part < PARTS; part++)
			sum += parts[part * (WIDTH * HEIGHT / 4) + bin / 4] >> bin % 4 * 8 & 0xff;
		expect_same("count", bin, sum + overflow[bin], want[bin]);
	}
	return finish();
}
