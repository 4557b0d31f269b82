// SPDX-License-Identifier: MIT
/*
 * L D L^T of symmetric matrices (complex ones, too, without conjugates) with the pivots of Bunch
 * and Kaufman, by one block; systems and inverses from it. An upper triangle is read from its end:
 * U D U^T is then L D L^T, with the rows' numbers turned.
 */
#include "../parts.h"

namespace solver
{

/* The largest of magnitudes in a block, and the first row that has it */
template <class R> struct largest_room {
	R sizes[THREADS];
	int64_t rows[THREADS];
};
template <class R>
__device__ R largest_of_block(R size, int64_t row, largest_room<R> *room, int64_t *first)
{
	int thread = threadIdx.x;

	room->sizes[thread] = size;
	room->rows[thread] = row;
	for (int half = THREADS / 2; half; half /= 2) {
		__syncthreads();
		if (thread >= half)
			continue;
		R other = room->sizes[thread + half];
		if (other > room->sizes[thread] ||
		    (other == room->sizes[thread] &&
		     room->rows[thread + half] < room->rows[thread])) {
			room->sizes[thread] = other;
			room->rows[thread] = room->rows[thread + half];
		}
	}
	__syncthreads();
	*first = room->rows[0];
	size = room->sizes[0];
	__syncthreads();
	return size;
}

template <class T> __device__ void swap_places(T &a, T &b)
{
	T t = a;

	a = b;
	b = t;
}

/* Row and column kk of what is not yet factored with kp > kk; k < kk: a pivot of two rows */
template <class T> __device__ void exchange(view<T> a, int64_t n, int64_t k, int64_t kk, int64_t kp)
{
	for (int64_t i = kp + 1 + threadIdx.x; i < n; i += THREADS)
		swap_places(a.place(i, kk), a.place(i, kp));
	for (int64_t i = kk + 1 + threadIdx.x; i < kp; i += THREADS)
		swap_places(a.place(i, kk), a.place(kp, i));
	if (threadIdx.x == 0) {
		swap_places(a.place(kk, kk), a.place(kp, kp));
		if (k < kk)
			swap_places(a.place(kk, k), a.place(kp, k));
	}
	__syncthreads();
}

/*
 * pivots NULL: rows stay where they are. Pivots have LAPACK's numbers: of the row that was
 * exchanged, from 1; negative, twice, for a pivot of two rows. work: 2 n numbers
 */
template <class T>
__global__ void sytrf_kernel(int64_t n, view<T> a, bool turned, int *pivots, T *work, int *info)
{
	typedef real_of<T> R;
	__shared__ largest_room<R> room;
	const R alpha = (R)0.6403882032022076; /* (1 + sqrt(17)) / 8 */
	int failed = 0, step;

	for (int64_t k = 0; k < n; k += step) {
		R own = magnitude(a.get(k, k)), below = -1, across = -1;
		int64_t most = k, at = k, kp = k;

		step = 1;
		for (int64_t i = k + 1 + threadIdx.x; i < n; i += THREADS)
			if (magnitude(a.get(i, k)) > below) {
				below = magnitude(a.get(i, k));
				most = i;
			}
		below = largest_of_block(below, most, &room, &most);
		bool none = !(own > 0) && !(below > 0);
		if (pivots && !none && own < alpha * below) {
			for (int64_t j = k + threadIdx.x; j < n; j += THREADS) {
				R size = j == most ? -1
						   : magnitude(j < most ? a.get(most, j)
									: a.get(j, most));

				across = size > across ? size : across;
			}
			across = largest_of_block(across, (int64_t)0, &room, &at);
			if (own < alpha * below * (below / across)) {
				kp = most;
				step = magnitude(a.get(most, most)) >= alpha * across ? 1 : 2;
			}
		}
		__syncthreads();
		int64_t kk = k + step - 1;
		if (kp != kk)
			exchange(a, n, k, kk, kp);
		T d11 = a.get(k, k);
		if (step == 1 && (none || is_zero(d11)) && !failed)
			failed = (int)(turned ? n - k : k + 1);
		if (step == 1 && !none && !is_zero(d11)) {
			for (int64_t i = k + 1 + threadIdx.x; i < n; i += THREADS)
				work[i] = divide(a.get(i, k), d11);
		} else if (step == 2) {
			T d21 = a.get(k + 1, k), d22 = a.get(k + 1, k + 1);
			/* divided by the number beside the diagonal, which is the largest */
			T x = divide(d22, d21), y = divide(d11, d21);
			T by = divide(divide(one_of<T>(), minus(times(x, y), one_of<T>())), d21);

			for (int64_t i = k + 2 + threadIdx.x; i < n; i += THREADS) {
				T p = a.get(i, k), q = a.get(i, k + 1);

				work[i] = times(by, minus(times(x, p), q));
				work[n + i] = times(by, minus(times(y, q), p));
			}
		}
		__syncthreads();
		bool update = step == 2 || (!none && !is_zero(d11));
		for (int64_t j = k + step + threadIdx.x / 32; update && j < n; j += WARPS)
			for (int64_t i = j + threadIdx.x % 32; i < n; i += 32) {
				T v = minus(a.get(i, j), times(a.get(i, k), work[j]));

				if (step == 2)
					v = minus(v, times(a.get(i, k + 1), work[n + j]));
				a.set(i, j, v);
			}
		__syncthreads();
		for (int64_t i = k + step + threadIdx.x; update && i < n; i += THREADS) {
			a.set(i, k, work[i]);
			if (step == 2)
				a.set(i, k + 1, work[n + i]);
		}
		if (threadIdx.x == 0 && pivots)
			for (int64_t i = k; i < k + step; i++) {
				int row = (int)(turned ? n - kp : kp + 1);

				pivots[turned ? n - 1 - i : i] = step == 1 ? row : -row;
			}
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*info = failed;
}

/* X of L D L^T X = B, by a warp for each column */
template <class T, class P>
__global__ void sytrs_kernel(int64_t n, int64_t cols, view<T> a, bool turned, const P *pivots,
			     view<T> x, const int *skip)
{
	int lane = threadIdx.x % 32;

	if (skip && *skip)
		return;
	for (int64_t c = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; c < cols;
	     c += (int64_t)gridDim.x * WARPS) {
		/* the row's pivot as the view counts: from 0, negative for two rows */
		auto pivot = [&](int64_t k) -> int64_t {
			if (!pivots)
				return k;
			int64_t p = pivots[turned ? n - 1 - k : k];
			int64_t row = turned ? n - (p < 0 ? -p : p) : (p < 0 ? -p : p) - 1;

			return p < 0 ? -row - 1 : row;
		};
		int step;

		for (int64_t k = 0; k < n; k += step) {
			int64_t p = pivot(k), row = p < 0 ? -p - 1 : p;

			step = p < 0 ? 2 : 1;
			if (lane == 0 && row != k + step - 1)
				swap_places(x.place(k + step - 1, c), x.place(row, c));
			__syncwarp();
			T u = x.get(k, c), v = step == 2 ? x.get(k + 1, c) : zero_of<T>();
			for (int64_t i = k + step + lane; i < n; i += 32) {
				T w = minus(x.get(i, c), times(a.get(i, k), u));

				if (step == 2)
					w = minus(w, times(a.get(i, k + 1), v));
				x.set(i, c, w);
			}
			__syncwarp();
			if (lane)
				continue;
			if (step == 1) {
				x.set(k, c, divide(u, a.get(k, k)));
				continue;
			}
			T d = a.get(k + 1, k), e = divide(a.get(k, k), d),
			  f = divide(a.get(k + 1, k + 1), d);
			T by = minus(times(e, f), one_of<T>());
			u = divide(u, d);
			v = divide(v, d);
			x.set(k, c, divide(minus(times(f, u), v), by));
			x.set(k + 1, c, divide(minus(times(e, v), u), by));
		}
		__syncwarp();
		for (int64_t k = n - 1; k >= 0; k -= step) {
			int64_t p = pivot(k), row = p < 0 ? -p - 1 : p;
			T u = zero_of<T>(), v = zero_of<T>();

			step = p < 0 ? 2 : 1;
			for (int64_t i = k + 1 + lane; i < n; i += 32) {
				u = add_product(u, a.get(i, k), x.get(i, c));
				if (step == 2)
					v = add_product(v, a.get(i, k - 1), x.get(i, c));
			}
			u = sum_of_warp(u);
			v = sum_of_warp(v);
			if (lane == 0) {
				x.set(k, c, minus(x.get(k, c), u));
				if (step == 2)
					x.set(k - 1, c, minus(x.get(k - 1, c), v));
				if (row != k)
					swap_places(x.place(k, c), x.place(row, c));
			}
			__syncwarp();
		}
	}
}

template <class T> static view<T> from_end(cublasFillMode_t uplo, int64_t n, view<T> a)
{
	return uplo == CUBLAS_FILL_MODE_LOWER ? a : a.reversed(n);
}

template <class T, class P>
static cusolverStatus_t ldlt_solve(stream_of handle, cublasFillMode_t uplo, int64_t n, int64_t cols,
				   const T *a, int64_t lda, const P *pivots, T *b, int64_t ldb,
				   const int *skip)
{
	bool turned = uplo == CUBLAS_FILL_MODE_UPPER;
	view<T> x = columns(b, ldb);

	if (turned)
		x = {b + n - 1, -1, ldb, false};
	return launch(handle, sytrs_kernel<T, P>, n ? blocks_of_warps(cols) : 0, n, cols,
		      from_end(uplo, n, columns(a, lda)), turned, pivots, x, skip);
}

template <class T>
static cusolverStatus_t sytrf(stream_of handle, cublasFillMode_t uplo, int n, T *a, int lda,
			      int *pivots, T *work, int lwork, int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(n), 4);
	SOLVER_WRONG(n && !work, 6);
	SOLVER_WRONG(lwork < 2 * (int64_t)n, 7);
	return launch(handle, sytrf_kernel<T>, 1, (int64_t)n, from_end(uplo, n, columns(a, lda)),
		      uplo == CUBLAS_FILL_MODE_UPPER, pivots, work, info);
}

template <class T>
static cusolverStatus_t sytri(stream_of handle, cublasFillMode_t uplo, int n, T *a, int lda,
			      const int *pivots, T *work, int lwork, int *info)
{
	view<T> matrix = columns(a, lda), inverse = columns(work, n);

	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(n), 4);
	SOLVER_WRONG(n && !work, 6);
	SOLVER_WRONG(lwork < (int64_t)n * n, 7);
	SOLVER_TRY(clear_info(handle, info));
	SOLVER_TRY(copy(handle, n, n, WHOLE, view<T>(), inverse));
	SOLVER_TRY(ldlt_solve(handle, uplo, n, n, (const T *)a, lda, pivots, work, n, NULL));
	return copy(handle, n, n, uplo == CUBLAS_FILL_MODE_LOWER ? LOWER : UPPER, inverse, matrix);
}

template <class T>
static cusolverStatus_t sytrs(stream_of handle, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
			      const T *a, int64_t lda, const int64_t *pivots, T *b, int64_t ldb,
			      int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(nrhs < 0, 3);
	SOLVER_WRONG(n && !a, 5);
	SOLVER_WRONG(lda < at_least_one(n), 6);
	SOLVER_WRONG(n && nrhs && !b, 9);
	SOLVER_WRONG(ldb < at_least_one(n), 10);
	SOLVER_TRY(clear_info(handle, info));
	return ldlt_solve(handle, uplo, n, nrhs, a, lda, pivots, b, ldb, NULL);
}

#define SYTRF(X, T)                                                                                \
	EXPORT cusolverStatus_t cusolverDn##X##sytrf_bufferSize(cusolverDnHandle_t h, int n, T *,  \
								int lda, int *lwork)               \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(n >= 0 && lda >= at_least_one(n));                                     \
		return give_size(lwork, 2 * (int64_t)n);                                           \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sytrf(cusolverDnHandle_t h, cublasFillMode_t uplo,  \
						     int n, T *a, int lda, int *pivots, T *work,   \
						     int lwork, int *info)                         \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return sytrf(&h->handle, uplo, n, a, lda, pivots, work, lwork, info);              \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sytri_bufferSize(cusolverDnHandle_t h,              \
								cublasFillMode_t uplo, int n, T *, \
								int lda, const int *, int *lwork)  \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n));                  \
		return give_size(lwork, (int64_t)n * n);                                           \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sytri(cusolverDnHandle_t h, cublasFillMode_t uplo,  \
						     int n, T *a, int lda, const int *pivots,      \
						     T *work, int lwork, int *info)                \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return sytri(&h->handle, uplo, n, a, lda, pivots, work, lwork, info);              \
	}

} // namespace solver

using namespace solver;

SYTRF(S, float)
SYTRF(D, double)
SYTRF(C, cuComplex)
SYTRF(Z, cuDoubleComplex)

EXPORT cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t h, cublasFillMode_t uplo,
						    int64_t n, int64_t nrhs, cudaDataType type,
						    const void *, int64_t lda, const int64_t *,
						    cudaDataType type_b, void *, int64_t ldb,
						    size_t *device_bytes, size_t *host_bytes)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(!bad_fill(uplo) && n >= 0 && nrhs >= 0 && lda >= at_least_one(n) &&
		    ldb >= at_least_one(n) && device_bytes && host_bytes);
	if (type_b != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define SIZE(T)                    \
	*device_bytes = sizeof(T); \
	*host_bytes = 0;           \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int64_t n,
					 int64_t nrhs, cudaDataType type, const void *a,
					 int64_t lda, const int64_t *pivots, cudaDataType type_b,
					 void *b, int64_t ldb, void *, size_t, void *, size_t,
					 int *info)
{
	SOLVER_CHECK(h);
	if (type_b != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T) return sytrs(&h->handle, uplo, n, nrhs, (const T *)a, lda, pivots, (T *)b, ldb, info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}
