/* SPDX-License-Identifier: MIT */
/*
 * A pass over all data: Fourier transforms of many lines, each of a length that a block transforms
 * in shared memory. Every transform is a list of these. A line is taken from a source and put into
 * a destination, each with strides of its own; what it is changed by on the way is said here, too.
 *
 * All transforms are forward ones. That of the other direction is the same one of numbers whose
 * real and imaginary parts are exchanged before and after.
 *
 * A line longer than a block's is split: its length is a product, and a pass does one of the
 * factors. Element j = (j1 * n2 + j2) * n3 + j3 becomes k = k1 + n1 * (k2 + n2 * k3): the first
 * pass transforms along j1 and leaves k1 in its place, the next along j2, and so on; behind each
 * of them but the last, elements are multiplied by roots of unity (the "turn"). The last one puts
 * the digits in their order.
 */
#ifndef CUFFT_PASS_H
#define CUFFT_PASS_H

#include <cuda_runtime.h>
#include <stdbool.h>

enum {
	FFT_MOST_RADIX = 16,
	FFT_MOST_STAGES = 12,
	FFT_MOST_DIMS = 6,
	FFT_MOST_SPLITS = 6,
	FFT_MOST_THREADS = 256,
	FFT_MOST_LINES = 32, /* of a block at once */
	/* of shared memory, beside what is known of each line */
	FFT_SHARED = 40960,
	FFT_LINE_BYTES = 40,
};

/* What an element of the source or the destination is */
enum fft_kind {
	FFT_COMPLEX,
	FFT_REAL,
	FFT_HERMITIAN, /* a source only: half a line of complex numbers, the others follow */
	FFT_HALF_COMPLEX,
	FFT_HALF_REAL,
	FFT_HALF_HERMITIAN,
};

struct fft_dim {
	long long count, in, out; /* distances in elements */
};

struct fft_side {
	long long stride; /* of the line's elements */
	long long step; /* the pass's next element is so many of the line's elements on */
	long long limit; /* elements from here on are zeros, or not there */
	int kind;
	bool swap; /* exchange real and imaginary parts */
	/*
	 * Elements come and go by way of shared memory, neighbouring threads with neighbouring
	 * lines or elements. Else stages take them from memory, or put them there, as plain
	 * complex numbers.
	 */
	bool apart, across;
};

struct fft_pass {
	int n; /* elements of a line in this pass */
	int stages;
	/* four bits for each stage: its radix less 1 */
	unsigned long long radices;
	int together, together_bits; /* lines of a block; a power of two */
	int threads;
	bool across; /* neighbouring threads have neighbouring lines, else elements */
	bool twice; /* two buffers of shared memory: from one to the other */
	int row; /* of shared memory, if across: the lines and what keeps banks apart */

	/* Which lines there are, the fastest number first */
	long long lines;
	int dims;
	struct fft_dim dim[FFT_MOST_DIMS];

	/* How the line is split; the dimension that counts its parts, -1: none. */
	long long whole;
	int splits, split_at, split_dim;
	int split[FFT_MOST_SPLITS];

	struct fft_side in, out;

	int turn_bits;
	long long turn_size; /* 0: no turn */

	long long hermitian; /* the length of the real line of FFT_HERMITIAN */
};

/* Constants of a pass, which are arrays in memory */
struct fft_constants {
	const void *twiddles; /* of the stages, behind each other */
	/* the turn's roots: exp(-2 pi i x / size) is low[x mod 2^bits] * high[x / 2^bits] */
	const void *low, *high;
	/* by which elements of the source's lines, or the destination's, are multiplied, or NULL */
	const void *in_factor, *out_factor;
};

#ifdef __CUDACC__
__host__ __device__
#endif
static inline int fft_radix(const struct fft_pass *p, int stage)
{
	return (int)(p->radices >> (4 * stage) & 15) + 1;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Radices: 2, 4, 8 and 16 alone, or all that there are. */
typedef cudaError_t fft_run(const struct fft_pass *pass, const struct fft_constants *constants,
			    const void *in, void *out, cudaStream_t stream);
fft_run fft_run_float, fft_run_float_mixed, fft_run_double, fft_run_double_mixed;

#ifdef __cplusplus
}
#endif

#endif
