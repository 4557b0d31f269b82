/* SPDX-License-Identifier: MIT */
/*
 * Eigenvalues of real symmetric tridiagonal matrices by the implicit QL algorithm, and the order of
 * what came out of it.
 */
#ifndef CUSOLVER_TRIDIAGONAL_H
#define CUSOLVER_TRIDIAGONAL_H

#include "../kernels.h"

namespace solver
{

/* Rounds for one eigenvalue before it is given up; two or three are usual */
enum { QL_ROUNDS = 80 };

template <class R> __device__ R length_of(R a, R b)
{
	R x = fabs(a), y = fabs(b), large = x > y ? x : y, small = x > y ? y : x;

	if (large == 0)
		return 0;
	small /= large;
	return large * sqrt(1 + small * small);
}

/*
 * One thread: a step of QL with the block that begins at l, whose shift comes from its first two
 * rows. The rotations of columns i and i + 1, for i from *last down to *first, are in c and s.
 * Returns false if there is nothing to do: row l stands alone.
 */
template <class R>
__device__ bool ql_step(int64_t n, int64_t l, R *d, R *e, R *c, R *s, int64_t *first, int64_t *last)
{
	int64_t m;

	for (m = l; m < n - 1; m++)
		if (fabs(e[m]) <= limits<R>::epsilon() * (fabs(d[m]) + fabs(d[m + 1])))
			break;
	if (m == l)
		return false;
	R g = (d[l + 1] - d[l]) / (2 * e[l]), r = length_of(g, (R)1);
	R sine = 1, cosine = 1, p = 0;

	g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
	*last = m - 1;
	*first = l;
	for (int64_t i = m - 1; i >= l; i--) {
		R f = sine * e[i], b = cosine * e[i];

		r = length_of(f, g);
		e[i + 1] = r;
		if (r == 0) {
			d[i + 1] -= p;
			e[m] = 0;
			*first = i + 1;
			return true;
		}
		sine = f / r;
		cosine = g / r;
		g = d[i + 1] - p;
		r = (d[i] - g) * sine + 2 * cosine * b;
		p = sine * r;
		d[i + 1] = g + p;
		g = cosine * r - b;
		c[i] = cosine;
		s[i] = sine;
	}
	d[l] -= p;
	e[l] = g;
	e[m] = 0;
	return true;
}

/*
 * e has n numbers, of which the last is not read. Columns of z, which has `rows` rows, are rotated
 * with the matrix, by a thread for each row. info: 0, or how many numbers of e are not yet zero.
 */
template <class T>
__global__ void steqr_kernel(int64_t n, real_of<T> *d, real_of<T> *e, real_of<T> *c, real_of<T> *s,
			     int64_t rows, T *z, int64_t ldz, int *info, const int *skip)
{
	typedef real_of<T> R;
	__shared__ R room[WARPS], scale;
	__shared__ int64_t first, last;
	__shared__ bool more;
	R largest = 0;
	int left = 0;

	if (skip && *skip)
		return;
	for (int64_t i = threadIdx.x; i < n; i += THREADS) {
		R x = fabs(d[i]), y = i < n - 1 ? fabs(e[i]) : 0;

		largest = x > largest ? x : largest;
		largest = y > largest ? y : largest;
	}
	largest = most_of_block(largest, room);
	if (threadIdx.x == 0) {
		scale = scale_for(largest);
		if (n)
			e[n - 1] = 0;
	}
	__syncthreads();
	for (int64_t i = threadIdx.x; i < n; i += THREADS) {
		d[i] *= scale;
		e[i] *= scale;
	}
	__syncthreads();
	for (int64_t l = 0; l < n; l++)
		for (int round = 0;; round++) {
			if (threadIdx.x == 0)
				more = ql_step(n, l, d, e, c, s, &first, &last);
			__syncthreads();
			if (!more)
				break;
			for (int64_t r = threadIdx.x; r < rows; r += THREADS) {
				T above = z[r + (last + 1) * ldz];

				for (int64_t i = last; i >= first; i--) {
					T x = z[r + i * ldz];

					z[r + (i + 1) * ldz] =
						plus(times(x, s[i]), times(above, c[i]));
					above = minus(times(x, c[i]), times(above, s[i]));
				}
				z[r + first * ldz] = above;
			}
			__syncthreads();
			if (round == QL_ROUNDS) {
				left++;
				break;
			}
		}
	for (int64_t i = threadIdx.x; i < n; i += THREADS)
		d[i] /= scale;
	if (threadIdx.x == 0)
		*info = left;
}

/* Which of the sorted eigenvalues are wanted: all, those of numbers from..to, those in (low, high]
 */
template <class R> struct selection {
	int kind; /* cusolverEigRange_t */
	int64_t from, to; /* from 0 */
	R low, high;
};

/*
 * places[j]: where d[j] comes in ascending order, among those that are wanted, or -1; w: these
 * eigenvalues in order; *found: how many. Equal ones stay in the order of their numbers.
 */
template <class R>
__global__ void order_kernel(int64_t n, const R *d, selection<R> wanted, R *w, int *places,
			     int *found, const int *skip)
{
	__shared__ int below, count;

	if (skip && *skip)
		return;
	if (threadIdx.x == 0) {
		below = wanted.kind == CUSOLVER_EIG_RANGE_I ? (int)wanted.from : 0;
		count = wanted.kind == CUSOLVER_EIG_RANGE_I
				? (int)(smaller(wanted.to + 1, n) - wanted.from)
				: (int)n;
		if (wanted.kind == CUSOLVER_EIG_RANGE_V) {
			count = 0;
			for (int64_t j = 0; j < n; j++) {
				below += !(d[j] > wanted.low);
				count += d[j] > wanted.low && d[j] <= wanted.high;
			}
		}
		if (found)
			*found = count;
	}
	__syncthreads();
	for (int64_t j = threadIdx.x; j < n; j += THREADS) {
		int place = -below;

		for (int64_t k = 0; k < n; k++)
			place += d[k] < d[j] || (d[k] == d[j] && k < j);
		places[j] = place >= 0 && place < count ? place : -1;
		if (places[j] >= 0)
			w[place] = d[j];
	}
}

/* Column j of z becomes column places[j] of `to`. */
template <class T>
__global__ void place_kernel(int64_t rows, int64_t n, const T *z, int64_t ldz, const int *places,
			     view<T> to, const int *skip)
{
	if (skip && *skip)
		return;
	for (int64_t j = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; j < n;
	     j += (int64_t)gridDim.x * WARPS)
		for (int64_t i = threadIdx.x % 32; places[j] >= 0 && i < rows; i += 32)
			to.set(i, places[j], z[i + j * ldz]);
}

} // namespace solver

#endif
