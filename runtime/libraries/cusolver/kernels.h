/* SPDX-License-Identifier: MIT */
/*
 * What kernels share: views of matrices, sums over a block in one order always, reflections. All
 * have blocks of THREADS threads.
 */
#ifndef CUSOLVER_KERNELS_H
#define CUSOLVER_KERNELS_H

#include "launch.h"

#include <float.h>

namespace solver
{

/*
 * Element (i, j) is at i * rows + j * cols: a transposed matrix has these exchanged, one from its
 * end has them negative. conj: elements are the conjugates of what is there.
 */
template <class T> struct view {
	T *at;
	int64_t rows, cols;
	bool conj;

	BLAS_HD T &place(int64_t i, int64_t j) const
	{
		return at[i * rows + j * cols];
	}
	BLAS_HD T get(int64_t i, int64_t j) const
	{
		return conjugate_if(place(i, j), conj);
	}
	BLAS_HD void set(int64_t i, int64_t j, T v) const
	{
		place(i, j) = conjugate_if(v, conj);
	}
	BLAS_HD view part(int64_t i, int64_t j) const
	{
		return {at + i * rows + j * cols, rows, cols, conj};
	}
	BLAS_HD view transposed() const
	{
		return {at, cols, rows, conj};
	}
	BLAS_HD view adjoint() const
	{
		return {at, cols, rows, !conj};
	}
	/* from its last row and column, of n times n */
	BLAS_HD view reversed(int64_t n) const
	{
		return {at + (n - 1) * (rows + cols), -rows, -cols, conj};
	}
};

template <class T> BLAS_HD view<T> columns(T *at, int64_t ld)
{
	return {at, 1, ld, false};
}
/* of what is only read */
template <class T> view<T> columns(const T *at, int64_t ld)
{
	return {(T *)at, 1, ld, false};
}

BLAS_HD int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

template <class T> __device__ __forceinline__ T from_lane(T v, int by)
{
	return __shfl_xor_sync(~0u, v, by);
}
__device__ __forceinline__ cuComplex from_lane(cuComplex v, int by)
{
	return pair(__shfl_xor_sync(~0u, v.x, by), __shfl_xor_sync(~0u, v.y, by));
}
__device__ __forceinline__ cuDoubleComplex from_lane(cuDoubleComplex v, int by)
{
	return pair(__shfl_xor_sync(~0u, v.x, by), __shfl_xor_sync(~0u, v.y, by));
}

/* The sum of a warp's, in all lanes */
template <class T> __device__ __forceinline__ T sum_of_warp(T v)
{
	for (int by = 16; by; by /= 2)
		v = plus(v, from_lane(v, by));
	return v;
}
template <class R> __device__ __forceinline__ R most_of_warp(R v)
{
	for (int by = 16; by; by /= 2) {
		R other = from_lane(v, by);

		v = other > v ? other : v;
	}
	return v;
}

/* Of a block, in all threads; `room` is shared memory of WARPS numbers. */
template <class T> __device__ T sum_of_block(T v, T *room)
{
	v = sum_of_warp(v);
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		room[threadIdx.x / 32] = v;
	__syncthreads();
	v = room[0];
	for (int w = 1; w < WARPS; w++)
		v = plus(v, room[w]);
	return v;
}
template <class R> __device__ R most_of_block(R v, R *room)
{
	v = most_of_warp(v);
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		room[threadIdx.x / 32] = v;
	__syncthreads();
	v = room[0];
	for (int w = 1; w < WARPS; w++)
		v = room[w] > v ? room[w] : v;
	return v;
}

template <class T> BLAS_HD real_of<T> square(T v)
{
	return real_part(v) * real_part(v) + imaginary_part(v) * imaginary_part(v);
}

/* One rounding of a number near 1, and the smallest number whose inverse is finite */
template <class R> struct limits;
template <> struct limits<float> {
	BLAS_HD static float epsilon()
	{
		return FLT_EPSILON / 2;
	}
	BLAS_HD static float least()
	{
		return FLT_MIN;
	}
};
template <> struct limits<double> {
	BLAS_HD static double epsilon()
	{
		return DBL_EPSILON / 2;
	}
	BLAS_HD static double least()
	{
		return DBL_MIN;
	}
};

/* A power of two that makes numbers of this size about 1, as near as it can be */
template <class R> __device__ R scale_for(R largest)
{
	R scale;

	if (!(largest > 0) || !(largest < INFINITY))
		return 1;
	scale = (R)ldexp(1.0, -ilogb(largest));
	return scale < 1 / limits<R>::least() ? scale : 1 / limits<R>::least();
}

template <class T> struct reflection_room {
	real_of<T> reals[WARPS];
	T numbers[WARPS];
};

/*
 * A reflection H = 1 - tau v v^H, whose adjoint takes (first, x) to (beta, 0), beta real: v is 1
 * and what x becomes. x has n elements at a distance of `step`. Returns tau, in all threads; beta
 * replaces *first. Numbers are scaled by the largest, so squares neither overflow nor vanish.
 */
template <class T>
__device__ T reflection(T *first, T *x, int64_t n, int64_t step, reflection_room<T> *room)
{
	typedef real_of<T> R;
	T alpha = *first;
	R largest = 0, sum = 0;

	for (int64_t i = threadIdx.x; i < n; i += THREADS) {
		R re = fabs(real_part(x[i * step])), im = fabs(imaginary_part(x[i * step]));

		/* a NaN stays */
		largest = re > largest || re != re ? re : largest;
		largest = im > largest || im != im ? im : largest;
	}
	largest = sum_of_block(largest, room->reals); // any bound will do, and it keeps a NaN
	if (largest == 0 && imaginary_part(alpha) == 0)
		return zero_of<T>();
	largest += fabs(real_part(alpha)) + fabs(imaginary_part(alpha));
	R scale = scale_for(largest);

	for (int64_t i = threadIdx.x; i < n; i += THREADS)
		sum += square(times(x[i * step], scale));
	sum = sum_of_block(sum, room->reals);
	alpha = times(alpha, scale);
	R beta = sqrt(square(alpha) + sum);
	beta = real_part(alpha) > 0 ? -beta : beta;
	T tau = divide(minus(convert<T>(beta), alpha), convert<T>(beta));
	T pivot = minus(alpha, convert<T>(beta));

	for (int64_t i = threadIdx.x; i < n; i += THREADS)
		x[i * step] = divide(times(x[i * step], scale), pivot);
	__syncthreads();
	if (threadIdx.x == 0)
		*first = convert<T>(beta / scale);
	__syncthreads();
	return tau;
}

/*
 * c - factor v v^H c for one column by one warp, v(0) = 1: v and c have n elements at their
 * distances.
 */
template <class T>
__device__ __forceinline__ void reflect_column(const T *v, int64_t v_step, bool v_conj, T factor,
					       T *c, int64_t step, int64_t n, bool conj)
{
	int lane = threadIdx.x % 32;
	T dot = zero_of<T>();

	for (int64_t i = lane; i < n; i += 32) {
		T x = conjugate_if(c[i * step], conj);

		dot = i ? add_product(dot, conjugate_if(v[i * v_step], !v_conj), x) : plus(dot, x);
	}
	dot = times(factor, sum_of_warp(dot));
	for (int64_t i = lane; i < n; i += 32) {
		T x = conjugate_if(c[i * step], conj);

		x = minus(x, i ? times(conjugate_if(v[i * v_step], v_conj), dot) : dot);
		c[i * step] = conjugate_if(x, conj);
	}
}

} // namespace solver

#endif
