// SPDX-License-Identifier: MIT
/*
 * LU factorisation with rows exchanged for the largest |re| + |im| of a column, the first of these,
 * and what is solved with it. A block factors PANEL columns, then a warp for each other column
 * exchanges its rows, and subtracts from those behind.
 */
#include "getrf.h"

namespace solver
{

enum { PANEL = 32 };

/* P: the type of pivots; NULL: none are made */
template <class T, class P>
__global__ void getrf_kernel(int64_t m, int64_t j0, int64_t j1, T *a, int64_t lda, P *pivots,
			     int *info)
{
	__shared__ real_of<T> sizes[THREADS];
	__shared__ int64_t rows[THREADS];
	int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
	int failed = j0 ? *info : 0;

	for (int64_t j = j0; j < j1; j++) {
		if (pivots) {
			real_of<T> largest = -1;
			int64_t pivot = j;

			for (int64_t i = j + thread; i < m; i += THREADS) {
				real_of<T> size = magnitude(a[i + j * lda]);

				if (size > largest) {
					largest = size;
					pivot = i;
				}
			}
			sizes[thread] = largest;
			rows[thread] = pivot;
			for (int half = THREADS / 2; half; half /= 2) {
				__syncthreads();
				if (thread >= half)
					continue;
				real_of<T> other = sizes[thread + half];
				if (other > sizes[thread] || (other == sizes[thread] &&
							      rows[thread + half] < rows[thread])) {
					sizes[thread] = other;
					rows[thread] = rows[thread + half];
				}
			}
			__syncthreads();
			/* a column of NaNs has none */
			pivot = sizes[0] < 0 ? j : rows[0];
			if (thread == 0)
				pivots[j] = (P)(pivot + 1);
			if (thread < j1 - j0 && pivot != j) {
				T *column = a + (j0 + thread) * lda, t = column[j];

				column[j] = column[pivot];
				column[pivot] = t;
			}
			__syncthreads();
		}
		T p = a[j + j * lda];
		__syncthreads();
		if (is_zero(p)) {
			failed = failed ? failed : (int)j + 1;
			continue;
		}
		for (int64_t i = j + 1 + thread; i < m; i += THREADS)
			a[i + j * lda] = divide(a[i + j * lda], p);
		__syncthreads();
		for (int64_t c = j + 1 + warp; c < j1; c += WARPS) {
			T by = a[j + c * lda];

			for (int64_t i = j + 1 + lane; i < m; i += 32)
				a[i + c * lda] = minus(a[i + c * lda], times(a[i + j * lda], by));
		}
		__syncthreads();
	}
	if (thread == 0)
		*info = failed;
}

template <class T, class P>
__global__ void getrf_rest_kernel(int64_t m, int64_t n, int64_t j0, int64_t j1, T *a, int64_t lda,
				  const P *pivots)
{
	__shared__ T solved[WARPS][PANEL];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = (int)(j1 - j0);

	for (int64_t w = (int64_t)blockIdx.x * WARPS + warp; w < n - rows;
	     w += (int64_t)gridDim.x * WARPS) {
		int64_t c = w < j0 ? w : w + rows;
		T *column = a + c * lda, v;

		for (int64_t j = j0; pivots && lane == 0 && j < j1; j++) {
			int64_t p = pivots[j] - 1;
			T t = column[j];

			column[j] = column[p];
			column[p] = t;
		}
		__syncwarp();
		if (c < j0)
			continue;
		v = lane < rows ? column[j0 + lane] : zero_of<T>();
		for (int r = 0; r < rows; r++) {
			if (lane == r)
				solved[warp][r] = v;
			__syncwarp();
			if (lane > r && lane < rows)
				v = minus(v, times(a[j0 + lane + (j0 + r) * lda], solved[warp][r]));
		}
		if (lane < rows)
			column[j0 + lane] = v;
		for (int64_t i = j1 + lane; i < m; i += 32) {
			T x = column[i];

			for (int r = 0; r < rows; r++)
				x = minus(x, times(a[i + (j0 + r) * lda], solved[warp][r]));
			column[i] = x;
		}
		__syncwarp();
	}
}

template <class T, class P>
cusolverStatus_t lu_factor(stream_of handle, int64_t m, int64_t n, T *a, int64_t lda, P *pivots,
			   int *info)
{
	int64_t k = least(m, n);

	if (!k)
		return clear_info(handle, info);
	for (int64_t j = 0; j < k; j += PANEL) {
		int64_t next = least(j + PANEL, k);

		SOLVER_TRY(launch(handle, getrf_kernel<T, P>, 1, m, j, next, a, lda, pivots, info));
		SOLVER_TRY(launch(handle, getrf_rest_kernel<T, P>, blocks_of_warps(n - next + j), m,
				  n, j, next, a, lda, (const P *)pivots));
	}
	return CUSOLVER_STATUS_SUCCESS;
}

/* Rows first to last (from 0) are exchanged with those that pivots name, or back; a thread has a
 * column. `step`: from one pivot to the next */
template <class T, class P>
__global__ void laswp_kernel(int64_t n, T *a, int64_t lda, int64_t first, int64_t last,
			     const P *pivots, int64_t step, bool back)
{
	for (int64_t c = (int64_t)blockIdx.x * THREADS + threadIdx.x; c < n;
	     c += (int64_t)gridDim.x * THREADS)
		for (int64_t k = 0; k <= last - first; k++) {
			int64_t i = back ? last - k : first + k;
			int64_t p = pivots[first + (i - first) * step] - 1;
			T t = a[i + c * lda];

			a[i + c * lda] = a[p + c * lda];
			a[p + c * lda] = t;
		}
}

template <class T, class P>
static cusolverStatus_t exchange(stream_of handle, int64_t n, T *a, int64_t lda, int64_t first,
				 int64_t last, const P *pivots, int64_t step, bool back)
{
	return launch(handle, laswp_kernel<T, P>, last < first ? 0 : (n + THREADS - 1) / THREADS, n,
		      a, lda, first, last, pivots, step, back);
}

template <class T, class P>
cusolverStatus_t lu_solve(stream_of handle, cublasOperation_t op, int64_t n, int64_t nrhs,
			  const T *a, int64_t lda, const P *pivots, T *b, int64_t ldb,
			  const int *skip)
{
	view<T> lu = columns(a, lda), x = columns(b, ldb);

	if (op == CUBLAS_OP_N) {
		if (pivots)
			SOLVER_TRY(exchange(handle, nrhs, b, ldb, 0, n - 1, pivots, 1, false));
		SOLVER_TRY(solve(handle, n, nrhs, lu, LOWER, true, x, skip));
		return solve(handle, n, nrhs, lu, UPPER, false, x, skip);
	}
	lu = op == CUBLAS_OP_C ? lu.adjoint() : lu.transposed();
	SOLVER_TRY(solve(handle, n, nrhs, lu, LOWER, false, x, skip));
	SOLVER_TRY(solve(handle, n, nrhs, lu, UPPER, true, x, skip));
	if (!pivots)
		return CUSOLVER_STATUS_SUCCESS;
	return exchange(handle, nrhs, b, ldb, 0, n - 1, pivots, 1, true);
}

#define LU(T, P)                                                                                  \
	template cusolverStatus_t lu_factor<T, P>(stream_of, int64_t, int64_t, T *, int64_t, P *, \
						  int *);                                         \
	template cusolverStatus_t lu_solve<T, P>(stream_of, cublasOperation_t, int64_t, int64_t,  \
						 const T *, int64_t, const P *, T *, int64_t,     \
						 const int *);
#define LU_BOTH(T) LU(T, int) LU(T, int64_t)
LU_BOTH(float)
LU_BOTH(double)
LU_BOTH(cuComplex)
LU_BOTH(cuDoubleComplex)

template <class T, class P>
static cusolverStatus_t getrf(stream_of handle, int64_t m, int64_t n, T *a, int64_t lda, P *pivots,
			      int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(m < 0 || m > INT_MAX, 1);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 2);
	SOLVER_WRONG(m && n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(m), 4);
	return lu_factor(handle, m, n, a, lda, pivots, info);
}

template <class T, class P>
static cusolverStatus_t getrs(stream_of handle, cublasOperation_t op, int64_t n, int64_t nrhs,
			      const T *a, int64_t lda, const P *pivots, T *b, int64_t ldb,
			      int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_op(op), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(nrhs < 0, 3);
	SOLVER_WRONG(n && !a, 4);
	SOLVER_WRONG(lda < at_least_one(n), 5);
	SOLVER_WRONG(n && nrhs && !b, 7);
	SOLVER_WRONG(ldb < at_least_one(n), 8);
	SOLVER_TRY(clear_info(handle, info));
	return lu_solve(handle, op, n, nrhs, a, lda, pivots, b, ldb, NULL);
}

template <class T>
static cusolverStatus_t laswp(stream_of handle, int n, T *a, int lda, int first, int last,
			      const int *pivots, int step)
{
	SOLVER_WANT(n >= 0 && first >= 1 && step && lda >= 1 && (!n || (a && pivots)));
	return exchange(handle, n, a, lda, first - 1, last - 1, pivots, step < 0 ? -step : step,
			step < 0);
}

#define GETRF(X, T)                                                                               \
	EXPORT cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t h, int m,      \
								int n, T *, int lda, int *lwork)  \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(m >= 0 && n >= 0 && lda >= at_least_one(m));                          \
		return give_size(lwork, 1);                                                       \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t h, int m, int n, T *a,    \
						     int lda, T *, int *pivots, int *info)        \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return getrf(&h->handle, m, n, a, lda, pivots, info);                             \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t h, cublasOperation_t op,  \
						     int n, int nrhs, const T *a, int lda,        \
						     const int *pivots, T *b, int ldb, int *info) \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return getrs(&h->handle, op, n, nrhs, a, lda, pivots, b, ldb, info);              \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##laswp(cusolverDnHandle_t h, int n, T *a, int lda,  \
						     int first, int last, const int *pivots,      \
						     int step)                                    \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return laswp(&h->handle, n, a, lda, first, last, pivots, step);                   \
	}

} // namespace solver

using namespace solver;

GETRF(S, float)
GETRF(D, double)
GETRF(C, cuComplex)
GETRF(Z, cuDoubleComplex)

EXPORT cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
						    int64_t m, int64_t n, cudaDataType type,
						    const void *, int64_t lda, cudaDataType compute,
						    size_t *device_bytes, size_t *host_bytes)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(m >= 0 && n >= 0 && m <= INT_MAX && n <= INT_MAX && lda >= at_least_one(m));
	SOLVER_WANT(device_bytes && host_bytes);
	if (compute != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define SIZE(T)                    \
	*device_bytes = sizeof(T); \
	*host_bytes = 0;           \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m,
					 int64_t n, cudaDataType type, void *a, int64_t lda,
					 int64_t *pivots, cudaDataType compute, void *, size_t,
					 void *, size_t, int *info)
{
	SOLVER_CHECK(h);
	if (compute != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T) return getrf(&h->handle, m, n, (T *)a, lda, pivots, info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

EXPORT cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t,
					 cublasOperation_t op, int64_t n, int64_t nrhs,
					 cudaDataType type, const void *a, int64_t lda,
					 const int64_t *pivots, cudaDataType type_b, void *b,
					 int64_t ldb, int *info)
{
	SOLVER_CHECK(h);
	if (type_b != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T) return getrs(&h->handle, op, n, nrhs, (const T *)a, lda, pivots, (T *)b, ldb, info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}
