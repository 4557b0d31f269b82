/* SPDX-License-Identifier: MIT */
/*
 * Kernels around the Schur form of a general matrix: its scaling beforehand, the vectors of a
 * triangular matrix, what becomes of them.
 */
#ifndef CUSOLVER_GENERAL_H
#define CUSOLVER_GENERAL_H

#include "schur.h"

namespace solver
{

/* Rounds over all rows that balancing takes at most; three are usual */
enum { BALANCE_ROUNDS = 20 };

/* The sum of a row's or a column's sizes without the diagonal, in all threads */
template <class T>
__device__ real_of<T> sum_beside(view<T> a, int64_t n, int64_t at, bool row, real_of<T> *room)
{
	real_of<T> sum = 0;

	for (int64_t i = threadIdx.x; i < n; i += THREADS)
		if (i != at)
			sum += magnitude(row ? a.get(at, i) : a.get(i, at));
	return sum_of_block(sum, room);
}

/*
 * D^-1 A D with powers of two, so that rows and columns are about as large as each other (Parlett
 * and Reinsch, 1969); then the whole times *scale, a power of two, so that its numbers are about 1.
 * One block.
 */
template <class T>
__global__ void balance_kernel(int64_t n, view<T> a, real_of<T> *d, real_of<T> *scale)
{
	typedef real_of<T> R;
	__shared__ R room[WARPS];
	R largest = 0, by;
	bool again = true;

	for (int64_t i = threadIdx.x; i < n; i += THREADS)
		d[i] = 1;
	for (int round = 0; again && round < BALANCE_ROUNDS; round++) {
		again = false;
		for (int64_t i = 0; i < n; i++) {
			R c = sum_beside(a, n, i, false, room), r = sum_beside(a, n, i, true, room);
			R f = 1, sum = c + r;

			/* a sum that overflows, or a NaN, leaves the row as it is */
			if (!(c > 0 && r > 0 && sum < INFINITY))
				continue;
			for (; c < r / 2 && f < 1 / limits<R>::epsilon(); c *= 4)
				f *= 2;
			for (; c >= r * 2 && f > limits<R>::epsilon(); c /= 4)
				f /= 2;
			if ((c + r) / f >= (R)0.95 * sum)
				continue;
			again = true;
			for (int64_t k = threadIdx.x; k < n; k += THREADS)
				if (k != i) {
					a.set(i, k, times(a.get(i, k), 1 / f));
					a.set(k, i, times(a.get(k, i), f));
				}
			if (threadIdx.x == 0)
				d[i] *= f;
			__syncthreads();
		}
	}
	for (int64_t j = threadIdx.x; j < n; j += THREADS)
		for (int64_t i = 0; i < n; i++) {
			R x = magnitude(a.get(i, j));

			largest = x > largest ? x : largest;
		}
	by = scale_for(most_of_block(largest, room));
	for (int64_t j = threadIdx.x; j < n; j += THREADS)
		for (int64_t i = 0; i < n; i++)
			a.set(i, j, times(a.get(i, j), by));
	if (threadIdx.x == 0)
		*scale = by;
}

/* The reflection of column j below row j + 1 */
template <class T> __global__ void hessenberg_kernel(int64_t n, int64_t j, view<T> a, T *tau)
{
	__shared__ reflection_room<T> room;
	T factor = reflection(&a.place(j + 1, j), &a.place(j + 2, j), n - j - 2, a.rows, &room);

	if (threadIdx.x == 0)
		tau[j] = factor;
}

/* What was below the diagonal and the numbers beside it are the vectors of reflections. */
template <class T> __global__ void below_kernel(int64_t n, view<T> a)
{
	for (int64_t j = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; j < n;
	     j += (int64_t)gridDim.x * WARPS)
		for (int64_t i = j + 2 + threadIdx.x % 32; i < n; i += 32)
			a.set(i, j, zero_of<T>());
}

/* A real Schur form and its vectors as complex ones: pairs of rows are rotated. One block. */
template <class R>
__global__ void complex_kernel(int64_t n, view<R> h, view<R> z, const R *im,
			       view<complex_of<R>> t, view<complex_of<R>> q, const R *re,
			       const R *scale, const int *skip)
{
	typedef complex_of<R> C;

	if (*skip)
		return;
	for (int64_t j = threadIdx.x; j < n; j += THREADS)
		for (int64_t i = 0; i < n; i++) {
			t.set(i, j, convert<C>(i <= j + 1 ? h.get(i, j) : 0));
			q.set(i, j, convert<C>(z.get(i, j)));
		}
	__syncthreads();
	for (int64_t k = 0; k + 1 < n; k++) {
		if (!(im[k] > 0))
			continue;
		C value = pair(re[k] * *scale, im[k] * *scale), other = conjugate(value);
		/* the block's vector (value - d, c) becomes (1, 0) */
		rotation<C> turn(minus(value, t.get(k + 1, k + 1)), t.get(k + 1, k));

		__syncthreads();
		for (int64_t j = k + threadIdx.x; j < n; j += THREADS)
			turn.rows(t, k, j);
		__syncthreads();
		for (int64_t i = threadIdx.x; i < k + 2; i += THREADS)
			turn.columns(t, i, k);
		for (int64_t i = threadIdx.x; i < n; i += THREADS)
			turn.columns(q, i, k);
		__syncthreads();
		if (threadIdx.x == 0) {
			t.set(k, k, value);
			t.set(k + 1, k, zero_of<C>());
			t.set(k + 1, k + 1, other);
		}
		__syncthreads();
		k++;
	}
}

/*
 * Column j of x: the vector of an upper triangle for its eigenvalue j, whose own number is 1 or, if
 * others grow too large, less; a warp each. What would be divided by zero is divided by a rounding.
 */
template <class C> __global__ void triangle_kernel(int64_t n, view<C> t, view<C> x, const int *skip)
{
	typedef real_of<C> R;
	const R large = (R)1099511627776.0; // 2^40
	int lane = threadIdx.x % 32;

	if (*skip)
		return;
	for (int64_t j = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; j < n;
	     j += (int64_t)gridDim.x * WARPS) {
		C value = t.get(j, j);
		R size = magnitude(value);

		for (int64_t i = lane; i < n; i += 32)
			x.set(i, j, i < j ? minus(zero_of<C>(), t.get(i, j))
				    : i == j ? one_of<C>() : zero_of<C>());
		for (int64_t i = lane; i < j; i += 32)
			size = magnitude(t.get(i, j)) > size ? magnitude(t.get(i, j)) : size;
		size = limits<R>::epsilon() * most_of_warp(size > 1 ? size : (R)1);
		__syncwarp();
		for (int64_t i = j - 1; i >= 0; i--) {
			C by = minus(t.get(i, i), value), v;

			if (!(magnitude(by) >= size))
				by = convert<C>(size);
			v = divide(x.get(i, j), by);
			__syncwarp();
			if (magnitude(v) > large) {
				R scale = scale_for(magnitude(v));

				for (int64_t k = lane; k <= j; k += 32)
					x.set(k, j, times(x.get(k, j), scale));
				v = times(v, scale);
				__syncwarp();
			}
			if (lane == 0)
				x.set(i, j, v);
			for (int64_t k = lane; k < i; k += 32)
				x.set(k, j, minus(x.get(k, j), times(v, t.get(k, i))));
			__syncwarp();
		}
	}
}

/* Of a warp: the lane's place with the largest number; the first of equal ones */
template <class R> __device__ int64_t place_of_most(R size, int64_t place)
{
	for (int by = 16; by; by /= 2) {
		R other = from_lane(size, by);
		int64_t there = __shfl_xor_sync(~0u, place, by);

		if (other > size || (other == size && there < place)) {
			size = other;
			place = there;
		}
	}
	return place;
}

template <class C> __device__ void put(view<C> to, int64_t i, int64_t j, C v, bool)
{
	to.set(i, j, v);
}
/* A pair of real columns: the real and the imaginary parts */
template <class C>
__device__ void put(view<real_of<C>> to, int64_t i, int64_t j, C v, bool of_two)
{
	to.set(i, j, v.x);
	if (of_two)
		to.set(i, j + 1, v.y);
}

/*
 * Vectors of the balanced matrix become those of the matrix, of length 1, their largest number real
 * (a real vector's sign is what it is). Of real matrices the second vector of a pair is left out.
 */
template <class T>
__global__ void normalise_kernel(int64_t n, view<complex_of<T>> v, const real_of<T> *d, bool left,
				 const real_of<T> *im, view<T> to, const int *skip)
{
	typedef complex_of<T> C;
	typedef real_of<T> R;
	int lane = threadIdx.x % 32;

	if (*skip)
		return;
	for (int64_t j = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; j < n;
	     j += (int64_t)gridDim.x * WARPS) {
		bool alone = !is_complex<T>::value && im[j] == 0;
		R largest = 0, sum = 0, most = -1;
		int64_t at = 0;

		if (!is_complex<T>::value && im[j] < 0)
			continue;
		for (int64_t i = lane; i < n; i += 32) {
			C x = v.get(i, j);

			if (alone)
				x = convert<C>(x.x);
			x = times(x, left ? 1 / d[i] : d[i]);
			v.set(i, j, x);
			largest = magnitude(x) > largest ? magnitude(x) : largest;
		}
		R scale = scale_for(most_of_warp(largest));

		for (int64_t i = lane; i < n; i += 32) {
			R size = square(times(v.get(i, j), scale));

			sum += size;
			if (size > most) {
				most = size;
				at = i;
			}
		}
		sum = sqrt(sum_of_warp(sum));
		at = place_of_most(most, at);
		C pivot = times(v.get(at, j), scale), turn = one_of<C>();

		if (!alone && sum > 0)
			turn = times(conjugate(pivot), 1 / length(pivot.x, pivot.y));
		__syncwarp();
		for (int64_t i = lane; i < n; i += 32) {
			C x = times(times(v.get(i, j), scale), turn);

			x = sum > 0 ? times(x, 1 / sum) : x;
			if (i == at)
				x.y = 0;
			put(to, i, j, x, !alone);
		}
	}
}

/* Eigenvalues for the caller: complex numbers, or all real parts and then all imaginary ones */
template <class R>
__global__ void values_kernel(int64_t n, const R *re, const R *im, R *w, bool complex,
			      const int *unfinished)
{
	for (int64_t i = *unfinished + threadIdx.x; i < n; i += THREADS) {
		w[complex ? 2 * i : i] = re[i];
		w[complex ? 2 * i + 1 : n + i] = im[i];
	}
}

} // namespace solver

#endif
