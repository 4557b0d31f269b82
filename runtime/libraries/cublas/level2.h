/* SPDX-License-Identifier: MIT */
/*
 * Kernels of level 2: a matrix and vectors. A matrix is general, or one of which a half is there,
 * in full storage, as a band or packed; at() has element (i, j) of op(A) for all of them, and lo(),
 * hi() the columns of a row that can be other than 0. Kernels are made for each storage, the rest
 * is found out as they run.
 */
#ifndef CUBLAS_LEVEL2_H
#define CUBLAS_LEVEL2_H

#include "product.h"

namespace blas
{

enum storage { FULL, BAND, PACKED };
enum { ROW_THREADS = 128, TURN_THREADS = 256 };

template <class T, int STORAGE> struct matrix {
	const T *a;
	int64_t ld, rows, cols; /* of A, not of op(A) */
	int64_t kl, ku; /* a band's diagonals below and above */
	unsigned char shape;
	bool upper, unit, turned, conj;

	/* where element (i, j) of A is, which must be there */
	__device__ __forceinline__ int64_t offset(int64_t i, int64_t j) const
	{
		if (STORAGE == FULL)
			return i + j * ld;
		if (STORAGE == BAND)
			return (shape == GENERAL || upper ? ku : 0) + i - j + j * ld;
		return upper ? i + j * (j + 1) / 2 : i + j * (2 * rows - j - 1) / 2;
	}

	__device__ __forceinline__ T at(int64_t i, int64_t j) const
	{
		bool mirrored = false;

		if (turned) {
			int64_t t = i;

			i = j;
			j = t;
		}
		if (shape != GENERAL && i != j && upper != (i < j)) {
			int64_t t = i;

			if (shape == TRIANGULAR)
				return zero_of<T>();
			i = j;
			j = t;
			mirrored = shape == HERMITIAN;
		}
		if (shape != GENERAL && i == j) {
			if (unit)
				return one_of<T>();
			if (shape == HERMITIAN)
				return only_real(a[offset(i, j)]);
		}
		return conjugate_if(a[offset(i, j)], conj != mirrored);
	}

	/* Triangles: whether op(A) is an upper one. */
	__device__ __forceinline__ bool is_upper() const
	{
		return upper != turned;
	}

	__device__ __forceinline__ int64_t lo(int64_t i) const
	{
		int64_t l = 0;

		if (STORAGE == BAND) {
			l = i - (turned ? ku : kl);
			l = l > 0 ? l : 0;
		}
		return shape == TRIANGULAR && is_upper() && l < i ? i : l;
	}
	__device__ __forceinline__ int64_t hi(int64_t i) const
	{
		int64_t end = turned ? rows : cols;

		if (STORAGE == BAND) {
			int64_t h = i + (turned ? kl : ku) + 1;

			end = h < end ? h : end;
		}
		return shape == TRIANGULAR && !is_upper() && end > i + 1 ? i + 1 : end;
	}
};

template <class T> __device__ __forceinline__ T shuffle_down(T v, int by)
{
	return __shfl_down_sync(~0u, v, by);
}
__device__ __forceinline__ cuComplex shuffle_down(cuComplex v, int by)
{
	return pair(__shfl_down_sync(~0u, v.x, by), __shfl_down_sync(~0u, v.y, by));
}
__device__ __forceinline__ cuDoubleComplex shuffle_down(cuDoubleComplex v, int by)
{
	return pair(__shfl_down_sync(~0u, v.x, by), __shfl_down_sync(~0u, v.y, by));
}

/* The sum of a warp's, in lane 0. All lanes must be there. */
template <class T> __device__ __forceinline__ T warp_sum(T v)
{
#pragma unroll
	for (int by = 16; by; by /= 2)
		v = plus(v, shuffle_down(v, by));
	return v;
}

/* y = alpha op(A) x + beta y: a lane for each row, or a warp, where rows of op(A) are contiguous */
template <class T, int STORAGE>
__global__ void mv_kernel(scalar<T> alpha, matrix<T, STORAGE> a, const T *x, int64_t incx,
			  scalar<T> beta, T *y, int64_t incy, int lanes)
{
	int64_t rows = a.turned ? a.cols : a.rows,
		thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
	int64_t i = thread / lanes;
	T by = alpha.get(), old = beta.get(), sum = zero_of<T>();

	/* a warp has one row or 32, so warps leave as a whole where it matters */
	if (i >= rows)
		return;
	if (!is_zero(by)) {
		int64_t end = a.hi(i);

		for (int64_t j = a.lo(i) + thread % lanes; j < end; j += lanes)
			sum = add_product(sum, a.at(i, j), x[j * incx]);
	}
	if (lanes > 1)
		sum = warp_sum(sum);
	if (thread % lanes)
		return;
	sum = times(by, sum);
	y[i * incy] = is_zero(old) ? sum : add_product(sum, old, y[i * incy]);
}

/* x = op(T) x, or its solution, in place: one block goes through the rows in the order that keeps
 * what is still needed */
template <class T, int STORAGE>
__global__ void tri_kernel(bool solve, matrix<T, STORAGE> a, T *x, int64_t incx)
{
	__shared__ T sums[TURN_THREADS / 32];
	bool downwards = a.is_upper() != solve;
	int64_t n = a.rows;

	if (!solve) {
		for (int64_t step = 0; step < n; step += TURN_THREADS) {
			int64_t i = downwards ? step + threadIdx.x : n - 1 - step - threadIdx.x;
			T sum = zero_of<T>();

			if (i >= 0 && i < n)
				for (int64_t j = a.lo(i), end = a.hi(i); j < end; j++)
					sum = add_product(sum, a.at(i, j), x[j * incx]);
			__syncthreads();
			if (i >= 0 && i < n)
				x[i * incx] = sum;
			__syncthreads();
		}
		return;
	}
	for (int64_t step = 0; step < n; step++) {
		int64_t i = downwards ? step : n - 1 - step;
		T sum = zero_of<T>();

		for (int64_t j = a.lo(i) + threadIdx.x, end = a.hi(i); j < end; j += TURN_THREADS)
			if (j != i)
				sum = add_product(sum, a.at(i, j), x[j * incx]);
		sum = warp_sum(sum);
		if (threadIdx.x % 32 == 0)
			sums[threadIdx.x / 32] = sum;
		__syncthreads();
		if (threadIdx.x == 0) {
			for (int w = 1; w < TURN_THREADS / 32; w++)
				sum = plus(sum, sums[w]);
			sum = minus(x[i * incx], sum);
			x[i * incx] = a.unit ? sum : divide(sum, a.at(i, i));
		}
		__syncthreads();
	}
}

/*
 * A += alpha x y^T, y conjugated or not, of the whole or a triangle, and `both` the same with x and
 * y exchanged. A Hermitian one's diagonal becomes real.
 */
template <class T, int STORAGE>
__global__ void update_kernel(scalar<T> alpha, const T *x, int64_t incx, const T *y, int64_t incy,
			      bool conj, bool both, matrix<T, STORAGE> place, T *a)
{
	int64_t i = (int64_t)blockIdx.x * 32 + threadIdx.x;
	T by = alpha.get(), swapped = conjugate_if(by, place.shape == HERMITIAN);

	if (is_zero(by) || i >= place.rows)
		return;
	for (int64_t j = (int64_t)blockIdx.y * 8 + threadIdx.y; j < place.cols;
	     j += (int64_t)gridDim.y * 8) {
		if (place.shape != GENERAL && (place.upper ? i > j : i < j))
			continue;
		T *at = a + place.offset(i, j);
		T was = place.shape == HERMITIAN && i == j ? only_real(*at) : *at;

		was = add_product(was, times(by, x[i * incx]), conjugate_if(y[j * incy], conj));
		if (both)
			was = add_product(was, times(swapped, y[i * incy]),
					  conjugate_if(x[j * incx], conj));
		*at = place.shape == HERMITIAN && i == j ? only_real(was) : was;
	}
}

} // namespace blas

#endif
