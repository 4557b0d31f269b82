// SPDX-License-Identifier: MIT
/*
 * Cholesky's factorisation, what is solved and inverted with it. A block factors PANEL columns,
 * then a warp for each column behind them subtracts what these give. U^H U is the transposed
 * problem.
 */
#include "potrf.h"

namespace solver
{

enum { PANEL = 32 };

/* Columns j0 to j1 of a matrix whose columns before are done; of a batch: from the first to the
 * last. */
template <class T>
__global__ void potrf_kernel(int64_t n, int64_t j0, int64_t j1, view<T> whole, T *const *list,
			     int *info, int count)
{
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

	for (int batch = blockIdx.x; batch < count; batch += gridDim.x) {
		view<T> a = whole;
		int failed = 0;

		if (list)
			a.at = list[batch];
		if (j0 && info[batch])
			return;
		for (int64_t j = j0; j < j1 && !failed; j++) {
			real_of<T> d = real_part(a.get(j, j));

			__syncthreads();
			if (!(d > 0)) {
				failed = (int)j + 1;
				break;
			}
			d = sqrt(d);
			if (threadIdx.x == 0)
				a.set(j, j, convert<T>(d));
			for (int64_t i = j + 1 + threadIdx.x; i < n; i += THREADS)
				a.set(i, j, divide(a.get(i, j), convert<T>(d)));
			__syncthreads();
			for (int64_t c = j + 1 + warp; c < j1; c += WARPS) {
				T by = conjugate(a.get(c, j));

				for (int64_t i = c + lane; i < n; i += 32)
					a.set(i, c, minus(a.get(i, c), times(a.get(i, j), by)));
			}
			__syncthreads();
		}
		if (threadIdx.x == 0)
			info[batch] = failed;
	}
}

template <class T>
__global__ void potrf_rest_kernel(int64_t n, int64_t j0, int64_t j1, view<T> a, const int *info)
{
	__shared__ T row[WARPS][PANEL];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

	if (*info)
		return;
	for (int64_t c = j1 + (int64_t)blockIdx.x * WARPS + warp; c < n;
	     c += (int64_t)gridDim.x * WARPS) {
		row[warp][lane] = j0 + lane < j1 ? conjugate(a.get(c, j0 + lane)) : zero_of<T>();
		__syncwarp();
		for (int64_t i = c + lane; i < n; i += 32) {
			T v = a.get(i, c);

			for (int k = 0; k < j1 - j0; k++)
				v = minus(v, times(a.get(i, j0 + k), row[warp][k]));
			a.set(i, c, v);
		}
		__syncwarp();
	}
}

/* As a lower triangle */
template <class T> static view<T> lower_of(cublasFillMode_t uplo, view<T> a)
{
	return uplo == CUBLAS_FILL_MODE_LOWER ? a : a.transposed();
}

template <class T>
cusolverStatus_t cholesky(stream_of handle, cublasFillMode_t uplo, int64_t n, T *at, int64_t lda,
			  int *info)
{
	view<T> a = lower_of(uplo, columns(at, lda));

	if (!n)
		return clear_info(handle, info);
	for (int64_t j = 0; j < n; j += PANEL) {
		int64_t next = least(j + PANEL, n);

		SOLVER_TRY(launch(handle, potrf_kernel<T>, 1, n, j, next, a, (T *const *)NULL, info,
				  1));
		SOLVER_TRY(launch(handle, potrf_rest_kernel<T>, blocks_of_warps(n - next), n, j,
				  next, a, info));
	}
	return CUSOLVER_STATUS_SUCCESS;
}

template cusolverStatus_t cholesky<float>(stream_of, cublasFillMode_t, int64_t, float *, int64_t,
					  int *);
template cusolverStatus_t cholesky<double>(stream_of, cublasFillMode_t, int64_t, double *, int64_t,
					   int *);
template cusolverStatus_t cholesky<cuComplex>(stream_of, cublasFillMode_t, int64_t, cuComplex *,
					      int64_t, int *);
template cusolverStatus_t cholesky<cuDoubleComplex>(stream_of, cublasFillMode_t, int64_t,
						    cuDoubleComplex *, int64_t, int *);

/* B of systems L L^H X = B or U^H U X = B */
template <class T>
static cusolverStatus_t solve_both(stream_of handle, cublasFillMode_t uplo, int64_t n, int64_t cols,
				   view<T> a, view<T> b, const int *skip)
{
	view<T> l = uplo == CUBLAS_FILL_MODE_LOWER ? a : a.adjoint();

	SOLVER_TRY(solve(handle, n, cols, l, LOWER, false, b, skip));
	return solve(handle, n, cols, l.adjoint(), UPPER, false, b, skip);
}

template <class T>
static cusolverStatus_t potrf(stream_of handle, cublasFillMode_t uplo, int n, T *a, int lda,
			      T *work, int lwork, int *info)
{
	(void)work;
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(n), 4);
	SOLVER_WRONG(lwork < 0, 6);
	return cholesky(handle, uplo, n, a, lda, info);
}

template <class T>
static cusolverStatus_t potrs(stream_of handle, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
			      const T *a, int64_t lda, T *b, int64_t ldb, int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(nrhs < 0, 3);
	SOLVER_WRONG(n && !a, 4);
	SOLVER_WRONG(lda < at_least_one(n), 5);
	SOLVER_WRONG(n && nrhs && !b, 6);
	SOLVER_WRONG(ldb < at_least_one(n), 7);
	SOLVER_TRY(clear_info(handle, info));
	return solve_both(handle, uplo, n, nrhs, columns(a, lda), columns(b, ldb), NULL);
}

template <class T>
static cusolverStatus_t potrf_batched(stream_of handle, cublasFillMode_t uplo, int n, T **a,
				      int lda, int *info, int count)
{
	SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n) && count >= 0);
	SOLVER_WANT(!count || (info && (!n || a)));
	view<T> any = lower_of(uplo, columns((T *)NULL, lda));

	if (!n)
		return clear_info(handle, info, count);
	return launch(handle, potrf_kernel<T>, count, (int64_t)n, (int64_t)0, (int64_t)n, any, a,
		      info, count);
}

/* One right side for each matrix */
template <class T>
__global__ void potrs_batched_kernel(int64_t n, view<T> lower, T *const *list, T *const *sides,
				     int count)
{
	int lane = threadIdx.x % 32;

	for (int batch = blockIdx.x * WARPS + threadIdx.x / 32; batch < count;
	     batch += gridDim.x * WARPS) {
		view<T> l = lower;
		T *b = sides[batch];

		l.at = list[batch];
		for (int turn = 0; turn < 2; turn++) {
			for (int64_t step = 0; step < n; step++) {
				int64_t j = turn ? n - 1 - step : step;
				T v = divide(b[j], l.get(j, j));

				__syncwarp();
				for (int64_t i = turn ? lane : j + lane; i < (turn ? j + 1 : n);
				     i += 32)
					b[i] = i == j ? v : minus(b[i], times(l.get(i, j), v));
				__syncwarp();
			}
			l = l.adjoint();
		}
	}
}

template <class T>
static cusolverStatus_t potrs_batched(stream_of handle, cublasFillMode_t uplo, int n, int nrhs,
				      T **a, int lda, T **b, int ldb, int *info, int count)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(nrhs != 1, 3);
	SOLVER_WRONG(n && count && !a, 4);
	SOLVER_WRONG(lda < at_least_one(n), 5);
	SOLVER_WRONG(n && count && !b, 6);
	SOLVER_WRONG(ldb < at_least_one(n), 7);
	SOLVER_WRONG(count < 0, 9);
	SOLVER_TRY(clear_info(handle, info));
	view<T> any = columns((T *)NULL, lda);

	return launch(handle, potrs_batched_kernel<T>, n ? blocks_of_warps(count) : 0, (int64_t)n,
		      uplo == CUBLAS_FILL_MODE_LOWER ? any : any.adjoint(), a, b, count);
}

template <class T>
static cusolverStatus_t potri(stream_of handle, cublasFillMode_t uplo, int n, T *a, int lda,
			      T *work, int lwork, int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(n), 4);
	SOLVER_WRONG(n && !work, 5);
	SOLVER_WRONG(lwork < (int64_t)n * n, 6);
	view<T> matrix = columns(a, lda), inverse = columns(work, n);

	SOLVER_TRY(find_zero(handle, n, matrix, info));
	SOLVER_TRY(copy(handle, n, n, WHOLE, view<T>(), inverse, info));
	SOLVER_TRY(solve_both(handle, uplo, n, n, matrix, inverse, info));
	return copy(handle, n, n, triangle_of(uplo), inverse, matrix, info);
}

/* L^H L or U U^H, a triangle of it in the place of the factor */
template <class T>
static cusolverStatus_t lauum(stream_of handle, cublasFillMode_t uplo, int n, T *a, int lda,
			      T *work, int lwork, int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(n), 4);
	SOLVER_WRONG(n && !work, 5);
	SOLVER_WRONG(lwork < 2 * (int64_t)n * n, 6);
	enum triangle part = triangle_of(uplo);
	view<T> matrix = columns(a, lda), product = columns(work, n);
	view<T> factor = columns(work + (int64_t)n * n, n);

	SOLVER_TRY(clear_info(handle, info));
	SOLVER_TRY(clear(handle, n, n, factor));
	SOLVER_TRY(copy(handle, n, n, part, matrix, factor));
	if (part == LOWER)
		SOLVER_TRY(multiply(handle, n, n, n, factor.adjoint(), UPPER, factor, product));
	else
		SOLVER_TRY(multiply(handle, n, n, n, factor, UPPER, factor.adjoint(), product));
	return copy(handle, n, n, part, product, matrix);
}

#define POTRF(X, T)                                                                               \
	EXPORT cusolverStatus_t cusolverDn##X##potrf_bufferSize(                                  \
		cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *, int lda, int *lwork)     \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n));                 \
		return give_size(lwork, 1);                                                       \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, \
						     int n, T *a, int lda, T *work, int lwork,    \
						     int *info)                                   \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return potrf(&h->handle, uplo, n, a, lda, work, lwork, info);                     \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t h, cublasFillMode_t uplo, \
						     int n, int nrhs, const T *a, int lda, T *b,  \
						     int ldb, int *info)                          \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return potrs(&h->handle, uplo, n, nrhs, a, lda, b, ldb, info);                    \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##potrfBatched(cusolverDnHandle_t h,                 \
							    cublasFillMode_t uplo, int n, T *a[], \
							    int lda, int *info, int count)        \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return potrf_batched(&h->handle, uplo, n, a, lda, info, count);                   \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##potrsBatched(                                      \
		cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs, T *a[], int lda,    \
		T *b[], int ldb, int *info, int count)                                            \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return potrs_batched(&h->handle, uplo, n, nrhs, a, lda, b, ldb, info, count);     \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##potri_bufferSize(                                  \
		cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *, int lda, int *lwork)     \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n));                 \
		return give_size(lwork, (int64_t)n * n);                                          \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##potri(cusolverDnHandle_t h, cublasFillMode_t uplo, \
						     int n, T *a, int lda, T *work, int lwork,    \
						     int *info)                                   \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return potri(&h->handle, uplo, n, a, lda, work, lwork, info);                     \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##lauum_bufferSize(                                  \
		cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *, int lda, int *lwork)     \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n));                 \
		return give_size(lwork, 2 * (int64_t)n * n);                                      \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##lauum(cusolverDnHandle_t h, cublasFillMode_t uplo, \
						     int n, T *a, int lda, T *work, int lwork,    \
						     int *info)                                   \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return lauum(&h->handle, uplo, n, a, lda, work, lwork, info);                     \
	}

} // namespace solver

using namespace solver;

POTRF(S, float)
POTRF(D, double)
POTRF(C, cuComplex)
POTRF(Z, cuDoubleComplex)

EXPORT cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
						    cublasFillMode_t uplo, int64_t n,
						    cudaDataType type, const void *, int64_t lda,
						    cudaDataType compute, size_t *device_bytes,
						    size_t *host_bytes)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(!bad_fill(uplo) && n >= 0 && n <= INT_MAX && lda >= at_least_one(n));
	SOLVER_WANT(device_bytes && host_bytes);
#define SIZE(T)                    \
	*device_bytes = sizeof(T); \
	*host_bytes = 0;           \
	return compute == type ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_SUPPORTED
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t,
					 cublasFillMode_t uplo, int64_t n, cudaDataType type,
					 void *a, int64_t lda, cudaDataType compute, void *, size_t,
					 void *, size_t, int *info)
{
	SOLVER_CHECK(h);
	stream_of handle = &h->handle;

	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 2);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 3);
	SOLVER_WRONG(n && !a, 5);
	SOLVER_WRONG(lda < at_least_one(n), 6);
	if (compute != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T) return cholesky(handle, uplo, n, (T *)a, lda, info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

EXPORT cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t,
					 cublasFillMode_t uplo, int64_t n, int64_t nrhs,
					 cudaDataType type, const void *a, int64_t lda,
					 cudaDataType type_b, void *b, int64_t ldb, int *info)
{
	SOLVER_CHECK(h);
	if (type_b != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T) return potrs(&h->handle, uplo, n, nrhs, (const T *)a, lda, (T *)b, ldb, info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}
