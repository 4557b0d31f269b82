// SPDX-License-Identifier: MIT
/*
 * The bidiagonal form Q B P^H of matrices with at least as many rows as columns, by one block, as
 * LAPACK keeps it; and Q or P^H from it.
 */
#include "../parts.h"

namespace solver
{

template <class T>
__global__ void gebrd_kernel(int64_t m, int64_t n, T *at, int64_t lda, real_of<T> *d, real_of<T> *e,
			     T *tauq, T *taup)
{
	__shared__ reflection_room<T> room;
	view<T> a = columns(at, lda);

	for (int64_t i = 0; i < n; i++) {
		T *v = &a.place(i, i);
		T factor = reflection(v, v + 1, m - i - 1, 1, &room);

		if (threadIdx.x == 0) {
			d[i] = real_part(*v);
			tauq[i] = factor;
		}
		factor = conjugate(factor);
		for (int64_t c = i + 1 + threadIdx.x / 32; c < n; c += WARPS)
			if (!is_zero(factor))
				reflect_column(v, 1, false, factor, &a.place(i, c), 1, m - i,
					       false);
		__syncthreads();
		if (i == n - 1) {
			if (threadIdx.x == 0)
				taup[i] = zero_of<T>();
			break;
		}
		/* the row's conjugate is what is reflected */
		view<T> row = a.part(i, i + 1);
		int64_t cols = n - i - 1;

		for (int64_t c = threadIdx.x; c < cols; c += THREADS)
			row.set(0, c, conjugate(row.get(0, c)));
		__syncthreads();
		factor = reflection(row.at, row.at + lda, cols - 1, lda, &room);
		T beta = row.get(0, 0);

		__syncthreads();
		if (threadIdx.x == 0) {
			e[i] = real_part(beta);
			taup[i] = factor;
			row.set(0, 0, one_of<T>());
		}
		__syncthreads();
		for (int64_t r = i + 1 + threadIdx.x; r < m; r += THREADS) {
			T sum = zero_of<T>();

			for (int64_t c = 0; c < cols; c++)
				sum = add_product(sum, a.get(r, i + 1 + c), row.get(0, c));
			sum = times(factor, sum);
			for (int64_t c = 0; c < cols; c++)
				a.set(r, i + 1 + c,
				      minus(a.get(r, i + 1 + c),
					    times(sum, conjugate(row.get(0, c)))));
		}
		__syncthreads();
		for (int64_t c = threadIdx.x; c < cols; c += THREADS)
			row.set(0, c, c ? conjugate(row.get(0, c)) : beta);
		__syncthreads();
	}
}

template <class T>
static cusolverStatus_t gebrd(stream_of handle, int m, int n, T *a, int lda, real_of<T> *d,
			      real_of<T> *e, T *tauq, T *taup, int lwork, int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(m < 0, 1);
	SOLVER_WRONG(n < 0 || n > m, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(m), 4);
	SOLVER_WRONG(n && !d, 5);
	SOLVER_WRONG(n > 1 && !e, 6);
	SOLVER_WRONG(n && !tauq, 7);
	SOLVER_WRONG(n && !taup, 8);
	SOLVER_WRONG(lwork < 0, 10);
	SOLVER_TRY(clear_info(handle, info));
	return launch(handle, gebrd_kernel<T>, n ? 1 : 0, (int64_t)m, (int64_t)n, a, (int64_t)lda,
		      d, e, tauq, taup);
}

/* Q of a matrix with k columns, or P^H of one with k rows: m times n of it */
static bool bad_orgbr(cublasSideMode_t side, int64_t m, int64_t n, int64_t k)
{
	if ((unsigned)side > 1 || m < 0 || n < 0 || k < 0)
		return true;
	return side == CUBLAS_SIDE_LEFT ? n > m || n < least(m, k) : m > n || m < least(n, k);
}

template <class T>
static cusolverStatus_t orgbr(stream_of handle, cublasSideMode_t side, int m, int n, int k, T *a,
			      int lda, const T *tau, T *work, int lwork, int *info)
{
	bool left = side == CUBLAS_SIDE_LEFT;

	SOLVER_WANT(info);
	SOLVER_WRONG((unsigned)side > 1, 1);
	SOLVER_WRONG(m < 0, 2);
	SOLVER_WRONG(n < 0 || bad_orgbr(side, m, n, most(k, 0)), 3);
	SOLVER_WRONG(k < 0, 4);
	SOLVER_WRONG(m && n && !a, 5);
	SOLVER_WRONG(lda < at_least_one(m), 6);
	SOLVER_WRONG(m && n && k && !tau, 7);
	SOLVER_WRONG(m && n && !work, 8);
	SOLVER_WRONG(lwork < (int64_t)m * n, 9);
	SOLVER_TRY(clear_info(handle, info));
	view<T> v = columns(work, m), to = columns(a, lda);

	SOLVER_TRY(copy(handle, m, n, WHOLE, to, v));
	SOLVER_TRY(copy(handle, m, n, WHOLE, view<T>(), to));
	/* rows have the conjugates of vectors, and what is wanted is the adjoint */
	if (!left) {
		v = v.adjoint();
		to = to.adjoint();
	}
	int64_t rows = left ? m : n, cols = left ? n : m;

	if (left ? m >= k : k < n)
		return reflect(handle, rows, cols, least(k, cols), v, tau, false, to);
	/* the vectors begin behind the diagonal */
	return reflect(handle, rows - 1, cols, most(rows - 1, 0), v.part(1, 0), tau, false,
		       to.part(1, 0));
}

#define GEBRD(X, T, R, G)                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##gebrd_bufferSize(cusolverDnHandle_t h, int m,       \
								int n, int *lwork)                 \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(m >= n && n >= 0);                                                     \
		return give_size(lwork, 1);                                                        \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##gebrd(cusolverDnHandle_t h, int m, int n, T *a,     \
						     int lda, R *d, R *e, T *tauq, T *taup, T *,   \
						     int lwork, int *info)                         \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return gebrd(&h->handle, m, n, a, lda, d, e, tauq, taup, lwork, info);             \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##gbr_bufferSize(                                  \
		cusolverDnHandle_t h, cublasSideMode_t side, int m, int n, int k, const T *,       \
		int lda, const T *, int *lwork)                                                    \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_orgbr(side, m, n, k) && lda >= at_least_one(m));                  \
		return give_size(lwork, (int64_t)m * n);                                           \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##gbr(cusolverDnHandle_t h, cublasSideMode_t side, \
						      int m, int n, int k, T *a, int lda,          \
						      const T *tau, T *work, int lwork, int *info) \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return orgbr(&h->handle, side, m, n, k, a, lda, tau, work, lwork, info);           \
	}

} // namespace solver

using namespace solver;

GEBRD(S, float, float, or)
GEBRD(D, double, double, or)
GEBRD(C, cuComplex, float, un)
GEBRD(Z, cuDoubleComplex, double, un)
