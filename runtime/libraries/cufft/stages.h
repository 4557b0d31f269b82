/* SPDX-License-Identifier: MIT */
/*
 * The kernel of a pass: a block takes some lines, and transforms them stage by stage as Stockham's
 * method does, which needs no reversal of digits. The first stage takes elements from memory, the
 * last one puts them there, or both is done apart; between stages they are in shared memory, real
 * and imaginary parts apart, so that a warp's elements are rows of words.
 */
#ifndef CUFFT_STAGES_H
#define CUFFT_STAGES_H

#include "lines.h"

namespace fft
{

extern __shared__ double fft_shared[];

template <class T> struct block {
	const struct fft_pass &p;
	const void *in;
	void *out;
	const complex<T> *twiddles, *low, *high, *in_factor, *out_factor;
	long long first; /* the number of the block's first line */
	/* in shared memory: from where and to where, MEMORY: not there */
	int from, to;
	/* in shared memory: neighbouring elements, neighbouring lines, imaginary parts */
	int element, next, imaginary;

	enum { MEMORY = -1 };

	FFT_INLINE const line &at(int i) const
	{
		return ((const line *)fft_shared)[i];
	}
	FFT_INLINE T *here() const
	{
		return (T *)((line *)fft_shared + p.together);
	}
	/* Which line and which of COUNT elements or butterflies is thread T's. */
	FFT_INLINE void split(int t, int count, bool across, int &at, int &i) const
	{
		at = across ? t & (p.together - 1) : t / count;
		i = across ? t >> p.together_bits : t - at * count;
	}
	/* Whether there is this line: of the last block some are not there. */
	FFT_INLINE bool has(int at) const
	{
		return first + at < p.lines;
	}
	/* Another line that is there: all threads load, which ends nowhere. */
	FFT_INLINE const line &known(int i) const
	{
		return at(has(i) ? i : 0);
	}
};

/* A warp has elements behind each other: they are in few pages. */
template <class T> FFT_INLINE void load_all(const block<T> &b)
{
	int warp = threadIdx.x / 32, warps = blockDim.x / 32, all = b.p.n * b.p.together;
	int each = ((all + 31) / 32 + warps - 1) / warps * 32;
	int end = min(all, (warp + 1) * each);

	for (int t = warp * each + threadIdx.x % 32, at, i; t < end; t += 32) {
		b.split(t, b.p.n, b.p.in.across, at, i);
		const line &l = b.known(at);
		complex<T> v = load<T>(b.p, b.in, b.in_factor, l.in - l.in_number * b.p.in.stride,
				       l.in_number + i * b.p.in.step);
		T *to = b.here() + b.to + at * b.next + i * b.element;

		to[0] = v.x;
		to[b.imaginary] = v.y;
	}
}

template <class T> FFT_INLINE void store_all(const block<T> &b)
{
	int warp = threadIdx.x / 32, warps = blockDim.x / 32, all = b.p.n * b.p.together;
	int each = ((all + 31) / 32 + warps - 1) / warps * 32;
	int end = min(all, (warp + 1) * each);

	for (int t = warp * each + threadIdx.x % 32, at, i; t < end; t += 32) {
		b.split(t, b.p.n, b.p.out.across, at, i);
		if (!b.has(at))
			continue;
		const line &l = b.at(at);
		const T *from = b.here() + b.from + at * b.next + i * b.element;

		store<T>(b.p, b.out, b.out_factor, l.out - l.out_number * b.p.out.stride,
			 l.out_number + i * b.p.out.step, {from[0], from[b.imaginary]});
	}
}

/* SIZE: of what the stages before have transformed; LAST: the turn comes behind this stage. */
template <int R, class T> FFT_INLINE void stage(const block<T> &b, int size, bool last)
{
	const struct fft_pass &p = b.p;
	int butterflies = p.n / R;
	const complex<T> *twiddles = b.twiddles + (size - 1);

	for (int t = threadIdx.x, at, i; t < butterflies * p.together; t += blockDim.x) {
		b.split(t, butterflies, p.across, at, i);
		int j = size == 1 ? 0 : i % size, to = (i - j) * R + j;
		complex<T> v[R];

		if (b.from != b.MEMORY) {
			const T *from = b.here() + b.from + at * b.next + i * b.element;
			int step = butterflies * b.element;

#pragma unroll
			for (int q = 0; q < R; q++) {
				v[q].x = from[q * step];
				v[q].y = from[q * step + b.imaginary];
			}
		} else {
			long long step = p.in.step * p.in.stride;
			const complex<T> *from =
				(const complex<T> *)b.in + b.known(at).in + i * step;

			step *= butterflies;
#pragma unroll
			for (int q = 0; q < R; q++)
				v[q] = from[q * step];
			if (p.in.swap) {
#pragma unroll
				for (int q = 0; q < R; q++)
					v[q] = {v[q].y, v[q].x};
			}
		}
		if (size > 1) {
#pragma unroll
			for (int q = 1; q < R; q++)
				v[q] = v[q] * twiddles[(q - 1) * size + j];
		}
		butterfly<R>::run(v);
		if (last && p.turn_size) {
			unsigned long long m = b.known(at).turn;

#pragma unroll
			for (int q = 0; q < R; q++)
				v[q] = v[q] * turn<T>(p, b.low, b.high, m * (to + q * size));
		}
		if (b.to != b.MEMORY) {
			T *out = b.here() + b.to + at * b.next + to * b.element;
			int step = size * b.element;

#pragma unroll
			for (int q = 0; q < R; q++) {
				out[q * step] = v[q].x;
				out[q * step + b.imaginary] = v[q].y;
			}
		} else if (b.has(at)) {
			long long step = p.out.step * p.out.stride;
			complex<T> *out = (complex<T> *)b.out + b.at(at).out + to * step;

			step *= size;
			if (p.out.swap) {
#pragma unroll
				for (int q = 0; q < R; q++)
					v[q] = {v[q].y, v[q].x};
			}
#pragma unroll
			for (int q = 0; q < R; q++)
				out[q * step] = v[q];
		}
	}
}

/* MIXED: all radices */
template <class T, bool MIXED>
FFT_INLINE void stage_of(int radix, const block<T> &b, int size, bool last)
{
	switch (radix) {
	case 2:
		return stage<2>(b, size, last);
	case 4:
		return stage<4>(b, size, last);
	case 8:
		return stage<8>(b, size, last);
	}
	if (MIXED) {
		switch (radix) {
		case 3:
			return stage<3>(b, size, last);
		case 5:
			return stage<5>(b, size, last);
		case 7:
			return stage<7>(b, size, last);
		case 11:
			return stage<11>(b, size, last);
		case 13:
			return stage<13>(b, size, last);
		}
	} else if (radix == 16) {
		stage<16>(b, size, last);
	}
}

template <class T, bool MIXED> FFT_INLINE void run_pass(block<T> &b)
{
	const struct fft_pass &p = b.p;
	int other = 0;

	b.element = p.across ? p.row : 1;
	b.next = p.across ? 1 : p.n;
	b.imaginary = p.n * (p.across ? p.row : p.together);
	if (p.twice)
		other = 2 * b.imaginary;
	for (b.first = (long long)blockIdx.x * p.together; b.first < p.lines;
	     b.first += (long long)gridDim.x * p.together) {
		int size = 1;

		for (int i = threadIdx.x; i < p.together && b.has(i); i += blockDim.x)
			((line *)fft_shared)[i] = find_line(p, b.first + i);
		__syncthreads();
		b.from = b.MEMORY;
		if (p.in.apart) {
			b.to = 0;
			load_all(b);
			b.from = 0;
			__syncthreads();
		}
		for (int i = 0; i < p.stages; i++) {
			bool last = i == p.stages - 1;
			int radix = fft_radix(&p, i);

			b.to = last && !p.out.apart ? (int)b.MEMORY : b.from == 0 ? other : 0;
			stage_of<T, MIXED>(radix, b, size, last);
			size *= radix;
			b.from = b.to;
			__syncthreads();
		}
		if (p.out.apart) {
			store_all(b);
			__syncthreads();
		}
	}
}

/* Shared memory that the above needs beside the lines. */
template <class T> static inline size_t shared_bytes(const struct fft_pass *p)
{
	size_t numbers = (size_t)p->n * (p->across ? p->row : p->together);

	if (p->stages < 2 && !p->in.apart && !p->out.apart)
		return 0;
	return numbers * 2 * sizeof(T) * (p->twice ? 2 : 1);
}

} // namespace fft

/* Pointers are the kernel's own arguments: then it is known that they are of global memory. */
#define FFT_PASS(name, T, MIXED)                                                                  \
	static __global__ void __launch_bounds__(FFT_MOST_THREADS) name##_kernel(                 \
		struct fft_pass p, const void *in, void *out, const fft::complex<T> *twiddles,    \
		const fft::complex<T> *low, const fft::complex<T> *high,                          \
		const fft::complex<T> *in_factor, const fft::complex<T> *out_factor)              \
	{                                                                                         \
		fft::block<T> b = {p,	 in,	    out,	twiddles, low, high, in_factor,   \
				   out_factor, 0, 0, 0, 0, 0, 0};                                 \
                                                                                                  \
		fft::run_pass<T, MIXED>(b);                                                       \
	}                                                                                         \
	cudaError_t name(const struct fft_pass *p, const struct fft_constants *constants,         \
			 const void *in, void *out, cudaStream_t stream)                          \
	{                                                                                         \
		struct fft_constants c = *constants;                                              \
		long long blocks = (p->lines + p->together - 1) / p->together;                    \
		void *arguments[] = {(void *)p, &in,	&out,	      &c.twiddles,                \
				     &c.low,	&c.high, &c.in_factor, &c.out_factor};            \
                                                                                                  \
		return cudaLaunchKernel((const void *)name##_kernel,                              \
					dim3(blocks < 1 << 20 ? blocks : 1 << 20),                \
					dim3(p->threads), arguments,                              \
					p->together * FFT_LINE_BYTES + fft::shared_bytes<T>(p),   \
					stream);                                                  \
	}

#endif
