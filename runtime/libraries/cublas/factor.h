/* SPDX-License-Identifier: MIT */
/*
 * Factorisations of small matrices: a block has one of a batch, or several, one after the other.
 * Rows are exchanged for the largest |re| + |im| of a column, the first of these.
 */
#ifndef CUBLAS_FACTOR_H
#define CUBLAS_FACTOR_H

#include "numbers.h"

namespace blas
{

enum { FACTOR_THREADS = 128, FACTOR_WARPS = FACTOR_THREADS / 32, INVERSE_MOST = 32 };

template <class T> __device__ __forceinline__ T exchange(T v, int by)
{
	return __shfl_xor_sync(~0u, v, by);
}
__device__ __forceinline__ cuComplex exchange(cuComplex v, int by)
{
	return pair(__shfl_xor_sync(~0u, v.x, by), __shfl_xor_sync(~0u, v.y, by));
}
__device__ __forceinline__ cuDoubleComplex exchange(cuDoubleComplex v, int by)
{
	return pair(__shfl_xor_sync(~0u, v.x, by), __shfl_xor_sync(~0u, v.y, by));
}

/* The sum of a warp's, in all lanes. */
template <class T> __device__ __forceinline__ T sum_of_warp(T v)
{
	for (int by = 16; by; by /= 2)
		v = plus(v, exchange(v, by));
	return v;
}

/* A = P L U. pivots: NULL for none; info: the first column without a pivot, from 1, or 0 */
template <class T>
__global__ void getrf_kernel(int n, T *const *list, int64_t lda, int *pivots, int *info, int count)
{
	__shared__ real_of<T> sizes[FACTOR_THREADS];
	__shared__ int rows[FACTOR_THREADS];
	int thread = threadIdx.x;

	for (int batch = blockIdx.x; batch < count; batch += gridDim.x) {
		T *a = list[batch];
		int failed = 0;

		for (int j = 0; j < n; j++) {
			int pivot = j;

			if (pivots) {
				real_of<T> most = -1;

				for (int i = j + thread; i < n; i += FACTOR_THREADS) {
					real_of<T> size = magnitude(a[i + j * lda]);

					if (size > most) {
						most = size;
						pivot = i;
					}
				}
				sizes[thread] = most;
				rows[thread] = pivot;
				for (int half = FACTOR_THREADS / 2; half; half /= 2) {
					__syncthreads();
					if (thread >= half)
						continue;
					real_of<T> other = sizes[thread + half];
					if (other > sizes[thread] ||
					    (other == sizes[thread] &&
					     rows[thread + half] < rows[thread])) {
						sizes[thread] = other;
						rows[thread] = rows[thread + half];
					}
				}
				__syncthreads();
				/* a column of NaNs has none */
				pivot = sizes[0] < 0 ? j : rows[0];
				if (thread == 0)
					pivots[(int64_t)batch * n + j] = pivot + 1;
				for (int c = thread; pivot != j && c < n; c += FACTOR_THREADS) {
					T t = a[j + c * lda];

					a[j + c * lda] = a[pivot + c * lda];
					a[pivot + c * lda] = t;
				}
				__syncthreads();
			}
			T p = a[j + j * lda];
			if (is_zero(p)) {
				failed = failed ? failed : j + 1;
				__syncthreads();
				continue;
			}
			for (int i = j + 1 + thread; i < n; i += FACTOR_THREADS)
				a[i + j * lda] = divide(a[i + j * lda], p);
			__syncthreads();
			for (int e = thread; e < (n - j - 1) * (n - j - 1); e += FACTOR_THREADS) {
				int64_t i = j + 1 + e % (n - j - 1), c = j + 1 + e / (n - j - 1);

				a[i + c * lda] = minus(a[i + c * lda],
						       times(a[i + j * lda], a[j + c * lda]));
			}
			__syncthreads();
		}
		if (thread == 0)
			info[batch] = failed;
		__syncthreads();
	}
}

/* Rows of B in the order of the pivots, or back: a thread has a column. */
template <class T>
__global__ void pivot_kernel(int n, int cols, T *const *list, int64_t ldb, const int *pivots,
			     bool back, bool identity, int count)
{
	int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

	for (int batch = blockIdx.y; c < cols && batch < count; batch += gridDim.y) {
		T *b = list[batch] + c * ldb;

		for (int i = 0; identity && i < n; i++)
			b[i] = i == c ? one_of<T>() : zero_of<T>();
		for (int step = 0; pivots && step < n; step++) {
			int i = back ? n - 1 - step : step;
			int p = pivots[(int64_t)batch * n + i] - 1;
			T t = b[i];

			b[i] = b[p];
			b[p] = t;
		}
	}
}

/* The first zero on the diagonal of a triangle, from 1, or 0 */
template <class T>
__global__ void diagonal_kernel(int n, const T *const *list, int64_t lda, int *info, int count)
{
	int batch = blockIdx.x * blockDim.x + threadIdx.x, failed = 0;

	if (batch >= count)
		return;
	for (int64_t i = 0; i < n && !failed; i++)
		if (is_zero(list[batch][i + i * lda]))
			failed = (int)i + 1;
	info[batch] = failed;
}

/* The inverse of a matrix of at most 32 rows, by Gauss and Jordan, beside a unit matrix in shared
 * memory. */
template <class T>
__global__ void matinv_kernel(int n, const T *const *list, int64_t lda, T *const *inverses,
			      int64_t ldc, int *info, int count)
{
	__shared__ T m[INVERSE_MOST][2 * INVERSE_MOST + 1];
	__shared__ T factors[INVERSE_MOST];
	__shared__ int pivot;
	int c = threadIdx.x;

	for (int batch = blockIdx.x; batch < count; batch += gridDim.x) {
		int failed = 0;

		for (int i = 0; c < 2 * n && i < n; i++)
			m[i][c] = c < n	       ? list[batch][i + c * lda]
				  : i == c - n ? one_of<T>()
					       : zero_of<T>();
		__syncthreads();
		for (int k = 0; k < n && !failed; k++) {
			if (c == 0) {
				pivot = k;
				for (int i = k + 1; i < n; i++)
					if (magnitude(m[i][k]) > magnitude(m[pivot][k]))
						pivot = i;
			}
			__syncthreads();
			if (is_zero(m[pivot][k]))
				failed = k + 1;
			if (c < 2 * n && pivot != k) {
				T t = m[k][c];

				m[k][c] = m[pivot][c];
				m[pivot][c] = t;
			}
			__syncthreads();
			if (c < n)
				factors[c] = m[c][k];
			__syncthreads();
			if (c < 2 * n && !failed) {
				T row = divide(m[k][c], factors[k]);

				for (int i = 0; i < n; i++)
					m[i][c] = i == k ? row
							 : minus(m[i][c], times(factors[i], row));
			}
			__syncthreads();
		}
		for (int i = 0; c < n && i < n && !failed; i++)
			inverses[batch][i + c * ldc] = m[i][n + c];
		if (c == 0)
			info[batch] = failed;
		__syncthreads();
	}
}

/*
 * A = Q R by reflections, as LAPACK keeps them: R above, vectors below, their factors in tau. What
 * is done to A from the left is done to the columns of `also`, too; tau may be NULL.
 */
template <class T>
__global__ void geqrf_kernel(int m, int n, T *const *list, int64_t lda, T *const *taus,
			     T *const *also, int64_t ldc, int columns, int count)
{
	__shared__ real_of<T> squares[FACTOR_WARPS];
	__shared__ T factor, pivot;
	int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;

	for (int batch = blockIdx.x; batch < count; batch += gridDim.x) {
		T *a = list[batch];

		for (int j = 0; j < m && j < n; j++) {
			real_of<T> sum = 0;

			for (int i = j + 1 + thread; i < m; i += FACTOR_THREADS) {
				T v = a[i + j * lda];

				sum += real_part(v) * real_part(v) +
				       imaginary_part(v) * imaginary_part(v);
			}
			sum = sum_of_warp(sum);
			if (lane == 0)
				squares[warp] = sum;
			__syncthreads();
			if (thread == 0) {
				T first = a[j + j * lda];
				real_of<T> re = real_part(first), im = imaginary_part(first);

				for (int w = 1; w < FACTOR_WARPS; w++)
					sum += squares[w];
				if (sum == 0 && im == 0) {
					factor = zero_of<T>();
					pivot = one_of<T>();
				} else {
					real_of<T> beta = sqrt(re * re + im * im + sum);

					beta = re > 0 ? -beta : beta;
					factor = divide(minus(convert<T>(beta), first),
							convert<T>(beta));
					pivot = minus(first, convert<T>(beta));
					a[j + j * lda] = convert<T>(beta);
				}
				if (taus)
					taus[batch][j] = factor;
			}
			__syncthreads();
			for (int i = j + 1 + thread; i < m && !is_zero(factor); i += FACTOR_THREADS)
				a[i + j * lda] = divide(a[i + j * lda], pivot);
			__syncthreads();
			for (int c = j + 1 + warp; c < n + columns && !is_zero(factor);
			     c += FACTOR_WARPS) {
				T *to = c < n ? a + c * lda : also[batch] + (c - n) * ldc,
				  dot = zero_of<T>();

				for (int i = j + lane; i < m; i += 32)
					dot = add_product(dot,
							  i == j ? one_of<T>()
								 : conjugate(a[i + j * lda]),
							  to[i]);
				dot = times(conjugate(factor), sum_of_warp(dot));
				for (int i = j + lane; i < m; i += 32)
					to[i] = minus(to[i],
						      i == j ? dot : times(a[i + j * lda], dot));
			}
			__syncthreads();
		}
	}
}

/* A triangle between its packed form and its place in a matrix. */
template <class T>
__global__ void pack_kernel(int64_t n, bool upper, bool pack, T *packed, T *a, int64_t lda)
{
	int64_t i = (int64_t)blockIdx.x * 32 + threadIdx.x;

	for (int64_t j = (int64_t)blockIdx.y * 8 + threadIdx.y; i < n && j < n;
	     j += (int64_t)gridDim.y * 8) {
		T *p = packed + (upper ? i + j * (j + 1) / 2 : i + j * (2 * n - j - 1) / 2);

		if (upper ? i > j : i < j)
			continue;
		if (pack)
			*p = a[i + j * lda];
		else
			a[i + j * lda] = *p;
	}
}

} // namespace blas

#endif
