/* SPDX-License-Identifier: MIT */
/*
 * Where the lines of a pass are, and how their elements come and go.
 */
#ifndef CUFFT_LINES_H
#define CUFFT_LINES_H

#include <cuda_fp16.h>

#include "butterfly.h"
#include "pass.h"

namespace fft
{

/* Of a line: its first element, that element's number in the line that was split; the turn. */
struct line {
	long long in, out, in_number, out_number, turn;
};

/*
 * Templates in place of loops: an array among a kernel's arguments whose index varies would be
 * copied by every thread.
 */
template <int I>
FFT_INLINE void add_digit(const struct fft_pass &p, long long part, long long base, line &l)
{
	if constexpr (I < FFT_MOST_SPLITS) {
		if (I >= p.splits - 1)
			return;
		base /= p.split[I];
		l.in_number += part % p.split[I] * base;
		add_digit<I + 1>(p, part / p.split[I], base, l);
	}
}

FFT_INLINE void find_part(const struct fft_pass &p, long long part, line &l)
{
	long long after = p.in.step;

	if (p.split_at < p.splits - 1) {
		l.turn = part % after;
		l.in_number = l.out_number = part / after * p.n * after + l.turn;
	} else {
		l.out_number = part;
		add_digit<0>(p, part, p.whole, l);
	}
}

template <int I> FFT_INLINE void add_dim(const struct fft_pass &p, long long number, line &l)
{
	if constexpr (I < FFT_MOST_DIMS) {
		if (I >= p.dims)
			return;
		long long count = p.dim[I].count, at = number % count;

		if (I == p.split_dim) {
			find_part(p, at, l);
		} else {
			l.in += at * p.dim[I].in;
			l.out += at * p.dim[I].out;
		}
		add_dim<I + 1>(p, number / count, l);
	}
}

FFT_INLINE line find_line(const struct fft_pass &p, long long number)
{
	line l = {0, 0, 0, 0, 0};

	add_dim<0>(p, number, l);
	l.in += l.in_number * p.in.stride;
	l.out += l.out_number * p.out.stride;
	return l;
}

/* exp(-2 pi i x / size), x < size */
template <class T>
FFT_INLINE complex<T> turn(const struct fft_pass &p, const complex<T> *low, const complex<T> *high,
			   unsigned long long x)
{
	unsigned int mask = (1u << p.turn_bits) - 1;

	if (p.turn_size <= mask + 1ll)
		return low[x];
	return low[x & mask] * high[x >> p.turn_bits];
}

/* Element NUMBER of a line that begins at BASE, as what the source has. */
template <class T>
FFT_INLINE complex<T> load(const struct fft_pass &p, const void *in, const complex<T> *factor,
			   long long base, long long number)
{
	complex<T> v = {0, 0};
	bool hermitian = false, conjugate = false, real = false;
	int kind = p.in.kind;
	long long at = number;

	if (number >= p.in.limit)
		return v;
	if (kind == FFT_HERMITIAN || kind == FFT_HALF_HERMITIAN) {
		hermitian = true;
		conjugate = 2 * number > p.hermitian;
		real = !number || 2 * number == p.hermitian;
		if (conjugate)
			at = p.hermitian - number;
	}
	at = base + at * p.in.stride;
	if (kind == FFT_COMPLEX || kind == FFT_HERMITIAN) {
		v = ((const complex<T> *)in)[at];
	} else if (kind == FFT_REAL) {
		v.x = ((const T *)in)[at];
	} else if (kind == FFT_HALF_REAL) {
		v.x = (T)__half2float(((const __half *)in)[at]);
	} else {
		v.x = (T)__half2float(((const __half *)in)[2 * at]);
		v.y = (T)__half2float(((const __half *)in)[2 * at + 1]);
	}
	/* such a transform is an inverse one: in a work area, parts are exchanged already */
	if (hermitian && !p.in.swap)
		v = {v.y, v.x};
	if (conjugate)
		v.y = -v.y;
	if (real)
		v.y = 0;
	if (hermitian || p.in.swap)
		v = {v.y, v.x};
	if (factor)
		v = v * factor[number];
	return v;
}

template <class T>
FFT_INLINE void store(const struct fft_pass &p, void *out, const complex<T> *factor, long long base,
		      long long number, complex<T> v)
{
	long long at = base + number * p.out.stride;
	int kind = p.out.kind;

	if (number >= p.out.limit)
		return;
	if (factor)
		v = v * factor[number];
	if (p.out.swap)
		v = {v.y, v.x};
	if (kind == FFT_COMPLEX) {
		((complex<T> *)out)[at] = v;
	} else if (kind == FFT_REAL) {
		((T *)out)[at] = v.x;
	} else if (kind == FFT_HALF_REAL) {
		((__half *)out)[at] = __float2half((float)v.x);
	} else {
		((__half *)out)[2 * at] = __float2half((float)v.x);
		((__half *)out)[2 * at + 1] = __float2half((float)v.y);
	}
}

} // namespace fft

#endif
