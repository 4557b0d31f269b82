/* SPDX-License-Identifier: MIT */
/*
 * Kernels of level 1. What is done to each element is a loop over the grid. A reduction adds what
 * each thread has found, its elements in ascending order, then threads in a tree, then blocks in
 * another launch in a tree: the same numbers give the same bytes on every device.
 */
#ifndef CUBLAS_LEVEL1_H
#define CUBLAS_LEVEL1_H

#include "numbers.h"

namespace blas
{

enum { VECTOR_THREADS = 256, REDUCE_THREADS = 256, REDUCE_EACH = 4096 };

__device__ __forceinline__ int64_t grid_index()
{
	return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ int64_t grid_threads()
{
	return (int64_t)gridDim.x * blockDim.x;
}

/* y += alpha x */
template <class X, class Y, class S>
__global__ void axpy_kernel(int64_t n, scalar<S> alpha, const X *x, int64_t incx, Y *y,
			    int64_t incy)
{
	S a = alpha.get();

	if (is_zero(a))
		return;
	for (int64_t i = grid_index(); i < n; i += grid_threads())
		y[i * incy] = convert<Y>(
			add_product(convert<S>(y[i * incy]), a, convert<S>(x[i * incx])));
}

/* x *= alpha, which may be real where x is complex; 0 keeps a NaN, as in BLAS */
template <class X, class C, class S>
__global__ void scal_kernel(int64_t n, scalar<S> alpha, X *x, int64_t incx)
{
	S a = alpha.get();

	for (int64_t i = grid_index(); i < n; i += grid_threads())
		x[i * incx] = convert<X>(times(a, convert<C>(x[i * incx])));
}

template <class T>
__global__ void copy_kernel(int64_t n, const T *x, int64_t incx, T *y, int64_t incy)
{
	for (int64_t i = grid_index(); i < n; i += grid_threads())
		y[i * incy] = x[i * incx];
}

template <class T> __global__ void swap_kernel(int64_t n, T *x, int64_t incx, T *y, int64_t incy)
{
	for (int64_t i = grid_index(); i < n; i += grid_threads()) {
		T t = x[i * incx];

		x[i * incx] = y[i * incy];
		y[i * incy] = t;
	}
}

/* x, y = c x + s y, c y - conj(s) x */
template <class X, class C, class R, class S>
__global__ void rot_kernel(int64_t n, X *x, int64_t incx, X *y, int64_t incy, scalar<R> c,
			   scalar<S> s)
{
	R cosine = c.get();
	S sine = s.get();

	for (int64_t i = grid_index(); i < n; i += grid_threads()) {
		C a = convert<C>(x[i * incx]), b = convert<C>(y[i * incy]);

		x[i * incx] = convert<X>(plus(times(cosine, a), times(sine, b)));
		y[i * incy] = convert<X>(minus(times(cosine, b), times(conjugate(sine), a)));
	}
}

/* param: a flag, then h11, h21, h12, h22, of which the flag says which are understood */
template <class T> struct rotm_param {
	T values[5];
	const T *at;
};

template <class T>
__global__ void rotm_kernel(int64_t n, T *x, int64_t incx, T *y, int64_t incy, rotm_param<T> param)
{
	T flag = param.at ? param.at[0] : param.values[0], h11 = 1, h21 = -1, h12 = 1, h22 = 1;

	if (flag == -2)
		return;
	if (flag != 1) {
		h21 = param.at ? param.at[2] : param.values[2];
		h12 = param.at ? param.at[3] : param.values[3];
	}
	if (flag != 0) {
		h11 = param.at ? param.at[1] : param.values[1];
		h22 = param.at ? param.at[4] : param.values[4];
	}
	for (int64_t i = grid_index(); i < n; i += grid_threads()) {
		T a = x[i * incx], b = y[i * incy];

		x[i * incx] = a * h11 + b * h12;
		y[i * incy] = a * h21 + b * h22;
	}
}

/*
 * An operation of a reduction has a type `sum` and functions none(), add(sum, i), both(sum, sum)
 * and finish(sum). partial: where blocks leave their sums; NULL: there is one block. With n < 0 the
 * partial sums of -n blocks are added.
 */
template <class Op> __global__ void reduce_kernel(Op op, int64_t n, typename Op::sum *partial)
{
	__shared__ typename Op::sum sums[REDUCE_THREADS];
	typename Op::sum mine = op.none();
	int thread = threadIdx.x;

	if (n < 0) {
		if (thread < -n)
			mine = partial[thread];
	} else {
		for (int64_t i = grid_index(); i < n; i += grid_threads())
			op.add(mine, i);
	}
	sums[thread] = mine;
	for (int half = REDUCE_THREADS / 2; half; half /= 2) {
		__syncthreads();
		if (thread < half)
			sums[thread] = op.both(sums[thread], sums[thread + half]);
	}
	if (thread)
		return;
	if (n >= 0 && gridDim.x > 1)
		partial[blockIdx.x] = sums[0];
	else
		op.finish(sums[0]);
}

template <class X, class R> struct dot_op {
	typedef compute_of<X> sum;
	const X *x;
	int64_t incx;
	const X *y;
	int64_t incy;
	bool conj;
	R *result;

	__device__ sum none() const
	{
		return zero_of<sum>();
	}
	__device__ void add(sum &s, int64_t i) const
	{
		s = add_product(s, conjugate_if(convert<sum>(x[i * incx]), conj),
				convert<sum>(y[i * incy]));
	}
	__device__ sum both(sum a, sum b) const
	{
		return plus(a, b);
	}
	__device__ void finish(sum s) const
	{
		*result = convert<R>(s);
	}
};

template <class X, class R> struct asum_op {
	typedef real_of<X> sum;
	const X *x;
	int64_t incx;
	R *result;

	__device__ sum none() const
	{
		return 0;
	}
	__device__ void add(sum &s, int64_t i) const
	{
		s += magnitude(convert<compute_of<X>>(x[i * incx]));
	}
	__device__ sum both(sum a, sum b) const
	{
		return a + b;
	}
	__device__ void finish(sum s) const
	{
		*result = convert<R>(s);
	}
};

/* Squares of floats are doubles. Those of doubles are added in three sums, the outer ones scaled
 * (Blue, 1978). */
template <class X, class R, class P = real_of<X>> struct nrm2_op {
	typedef double sum;
	const X *x;
	int64_t incx;
	R *result;

	__device__ sum none() const
	{
		return 0;
	}
	__device__ void add(sum &s, int64_t i) const
	{
		compute_of<X> a = convert<compute_of<X>>(x[i * incx]);
		double re = real_part(a), im = imaginary_part(a);

		s += re * re + im * im;
	}
	__device__ sum both(sum a, sum b) const
	{
		return a + b;
	}
	__device__ void finish(sum s) const
	{
		*result = convert<R>((float)sqrt(s));
	}
};

struct blue_sum {
	double small, medium, big;
};

template <class X, class R> struct nrm2_op<X, R, double> {
	typedef blue_sum sum;
	const X *x;
	int64_t incx;
	R *result;

	static constexpr double tiny = 0x1p-511, huge = 0x1p486, up = 0x1p537, down = 0x1p-538;

	__device__ sum none() const
	{
		return {0, 0, 0};
	}
	__device__ void square(sum &s, double a) const
	{
		a = fabs(a);
		if (a > huge)
			s.big += a * down * (a * down);
		else if (a < tiny)
			s.small += a * up * (a * up);
		else
			s.medium += a * a;
	}
	__device__ void add(sum &s, int64_t i) const
	{
		square(s, real_part(x[i * incx]));
		if (is_complex<X>::value)
			square(s, imaginary_part(x[i * incx]));
	}
	__device__ sum both(sum a, sum b) const
	{
		return {a.small + b.small, a.medium + b.medium, a.big + b.big};
	}
	__device__ void finish(sum s) const
	{
		double norm;

		/* a NaN is in the middle: it is neither greater nor less */
		if (s.big > 0) {
			if (s.medium > 0 || s.medium != s.medium)
				s.big += s.medium * down * down;
			norm = sqrt(s.big) / down;
		} else if (s.small > 0) {
			double a = sqrt(s.medium), b = sqrt(s.small) / up;
			double more = a > b ? a : b, less = a > b ? b : a;

			norm = a != a ? a : more * sqrt(1 + (less / more) * (less / more));
		} else {
			norm = sqrt(s.medium);
		}
		*result = convert<R>(norm);
	}
};

template <class R> struct place_of {
	R value;
	int64_t index;
};

/* The first of the largest, or of the smallest: a NaN counts only where it is the first, as in
 * BLAS. */
template <class X, class I> struct extreme_op {
	typedef place_of<real_of<X>> sum;
	const X *x;
	int64_t incx;
	bool least;
	I *result;

	__device__ sum none() const
	{
		return {0, -1};
	}
	__device__ bool before(sum a, sum b) const
	{
		if (b.index < 0 || a.index < 0)
			return a.index >= 0;
		/* the first element is what others are compared with */
		if (a.value != a.value || b.value != b.value) {
			if (a.index == 0 || b.index == 0)
				return a.value != a.value ? a.index == 0 : b.index != 0;
			return b.value != b.value && (a.value == a.value || a.index < b.index);
		}
		if (a.value != b.value)
			return least ? a.value < b.value : a.value > b.value;
		return a.index < b.index;
	}
	__device__ void add(sum &s, int64_t i) const
	{
		sum a = {magnitude(convert<compute_of<X>>(x[i * incx])), i};

		s = both(s, a);
	}
	__device__ sum both(sum a, sum b) const
	{
		return before(a, b) ? a : b;
	}
	__device__ void finish(sum s) const
	{
		*result = (I)(s.index + 1);
	}
};

} // namespace blas

#endif
