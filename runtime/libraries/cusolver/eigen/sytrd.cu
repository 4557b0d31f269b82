// SPDX-License-Identifier: MIT
/*
 * The tridiagonal form of symmetric and Hermitian matrices, by one block, and the unitary matrix
 * that leads to it.
 */
#include "reduce.h"

namespace solver
{

/*
 * Turned: the view is from the end of the matrix, tau, d and e are in the order of the matrix. The
 * rest of tau has A v meanwhile, where it is not yet needed.
 */
template <class T>
__global__ void sytrd_kernel(int64_t n, view<T> a, bool turned, real_of<T> *d, real_of<T> *e,
			     T *tau, const int *skip)
{
	__shared__ reflection_room<T> room;
	typedef real_of<T> R;

	if (skip && *skip)
		return;
	for (int64_t i = 0; i < n; i++) {
		int64_t left = n - i - 1, at = turned ? left - 1 : i;
		view<T> v = a.part(i + 1, i), rest = a.part(i + 1, i + 1);

		if (threadIdx.x == 0)
			d[turned ? left : i] = real_part(a.get(i, i));
		if (!left)
			break;
		T factor = reflection(v.at, v.at + v.rows, left - 1, v.rows, &room);
		R beta = real_part(v.get(0, 0));

		/* p(r) is at the places of tau that are not in use */
		T *p = turned ? tau + at : tau + i;
		int64_t step = turned ? -1 : 1;

		__syncthreads();
		if (threadIdx.x == 0) {
			e[at] = beta;
			v.set(0, 0, one_of<T>());
		}
		__syncthreads();
		if (!is_zero(factor)) {
			T dot = zero_of<T>();

			for (int64_t r = threadIdx.x; r < left; r += THREADS) {
				T sum = zero_of<T>();

				for (int64_t c = 0; c < r; c++)
					sum = add_product(sum, rest.get(r, c), v.get(c, 0));
				sum = add_product(sum, only_real(rest.get(r, r)), v.get(r, 0));
				for (int64_t c = r + 1; c < left; c++)
					sum = add_product(sum, conjugate(rest.get(c, r)),
							  v.get(c, 0));
				sum = times(factor, sum);
				p[r * step] = sum;
				dot = add_product(dot, conjugate(sum), v.get(r, 0));
			}
			dot = times(factor, sum_of_block(dot, room.numbers));
			dot = times(dot, (R)-0.5);
			for (int64_t r = threadIdx.x; r < left; r += THREADS)
				p[r * step] = add_product(p[r * step], dot, v.get(r, 0));
			__syncthreads();
			for (int64_t c = threadIdx.x / 32; c < left; c += WARPS) {
				T vc = conjugate(v.get(c, 0)), pc = conjugate(p[c * step]);

				for (int64_t r = c + threadIdx.x % 32; r < left; r += 32) {
					T x = minus(rest.get(r, c), times(v.get(r, 0), pc));

					x = minus(x, times(p[r * step], vc));
					rest.set(r, c, r == c ? only_real(x) : x);
				}
			}
		}
		__syncthreads();
		if (threadIdx.x == 0) {
			v.set(0, 0, convert<T>(beta));
			tau[at] = factor;
		}
		__syncthreads();
	}
}

template <class T>
cusolverStatus_t tridiagonal(stream_of handle, int64_t n, view<T> a, bool turned, real_of<T> *d,
			     real_of<T> *e, T *tau, const int *skip)
{
	return launch(handle, sytrd_kernel<T>, n ? 1 : 0, n, a, turned, d, e, tau, skip);
}

template <class T> __global__ void turn_kernel(int64_t n, const T *from, T *to)
{
	for (int64_t i = threadIdx.x; i < n; i += THREADS)
		to[i] = from[n - 1 - i];
}

template <class T>
cusolverStatus_t make_tridiagonal_q(stream_of handle, int64_t n, view<T> v, const T *tau, view<T> q,
				    const int *skip)
{
	SOLVER_TRY(copy(handle, n, n, WHOLE, view<T>(), q, skip));
	if (n < 2)
		return CUSOLVER_STATUS_SUCCESS;
	return reflect(handle, n - 1, n, n - 1, v.part(1, 0), tau, false, q.part(1, 0), skip);
}

#define REDUCE(T)                                                                                 \
	template cusolverStatus_t tridiagonal<T>(stream_of, int64_t, view<T>, bool, real_of<T> *, \
						 real_of<T> *, T *, const int *);                 \
	template cusolverStatus_t make_tridiagonal_q<T>(stream_of, int64_t, view<T>, const T *,   \
							view<T>, const int *);
REDUCE(float)
REDUCE(double)
REDUCE(cuComplex)
REDUCE(cuDoubleComplex)

template <class T>
static cusolverStatus_t sytrd(stream_of handle, cublasFillMode_t uplo, int n, T *a, int lda,
			      real_of<T> *d, real_of<T> *e, T *tau, int lwork, int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(n), 4);
	SOLVER_WRONG(n && !d, 5);
	SOLVER_WRONG(n > 1 && !e, 6);
	SOLVER_WRONG(n > 1 && !tau, 7);
	SOLVER_WRONG(lwork < 0, 9);
	SOLVER_TRY(clear_info(handle, info));
	return tridiagonal(handle, n, as_lower(uplo, n, columns(a, lda)),
			   uplo == CUBLAS_FILL_MODE_UPPER, d, e, tau);
}

/* tau in the order of the view */
template <class T>
static cusolverStatus_t turned(stream_of handle, cublasFillMode_t uplo, int64_t n, const T **tau,
			       T *room)
{
	if (uplo == CUBLAS_FILL_MODE_LOWER || n < 2)
		return CUSOLVER_STATUS_SUCCESS;
	SOLVER_TRY(launch(handle, turn_kernel<T>, 1, n - 1, *tau, room));
	*tau = room;
	return CUSOLVER_STATUS_SUCCESS;
}

static int64_t orgtr_size(int64_t n)
{
	return n * n + n;
}

template <class T>
static cusolverStatus_t orgtr(stream_of handle, cublasFillMode_t uplo, int n, T *a, int lda,
			      const T *tau, T *work, int lwork, int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(n < 0, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(n), 4);
	SOLVER_WRONG(n > 1 && !tau, 5);
	SOLVER_WRONG(n && !work, 6);
	SOLVER_WRONG(lwork < orgtr_size(n), 7);
	SOLVER_TRY(clear_info(handle, info));
	SOLVER_TRY(turned(handle, uplo, n, &tau, work + (int64_t)n * n));
	SOLVER_TRY(copy(handle, n, n, WHOLE, columns(a, lda), columns(work, n)));
	return make_tridiagonal_q(handle, n, as_lower(uplo, n, columns(work, n)), tau,
				  as_lower(uplo, n, columns(a, lda)));
}

template <class T>
static cusolverStatus_t ormtr(stream_of handle, cublasSideMode_t side, cublasFillMode_t uplo,
			      cublasOperation_t op, int m, int n, T *a, int lda, const T *tau, T *c,
			      int ldc, T *work, int lwork, int *info)
{
	int64_t order = side == CUBLAS_SIDE_LEFT ? m : n, other = side == CUBLAS_SIDE_LEFT ? n : m;

	SOLVER_WANT(info);
	SOLVER_WRONG((unsigned)side > 1, 1);
	SOLVER_WRONG(bad_fill(uplo), 2);
	SOLVER_WRONG(bad_op(op) || (is_complex<T>::value && op == CUBLAS_OP_T), 3);
	SOLVER_WRONG(m < 0, 4);
	SOLVER_WRONG(n < 0, 5);
	SOLVER_WRONG(order && !a, 6);
	SOLVER_WRONG(lda < at_least_one(order), 7);
	SOLVER_WRONG(order > 1 && !tau, 8);
	SOLVER_WRONG(m && n && !c, 9);
	SOLVER_WRONG(ldc < at_least_one(m), 10);
	SOLVER_WRONG(order && !work, 11);
	SOLVER_WRONG(lwork < order, 12);
	SOLVER_TRY(clear_info(handle, info));
	if (order < 2)
		return CUSOLVER_STATUS_SUCCESS;
	SOLVER_TRY(turned(handle, uplo, order, &tau, work));
	view<T> to = columns(c, ldc);
	bool adjoint = op != CUBLAS_OP_N;

	/* C Q is the adjoint of Q^H C^H */
	if (side == CUBLAS_SIDE_RIGHT) {
		to = to.adjoint();
		adjoint = !adjoint;
	}
	if (uplo == CUBLAS_FILL_MODE_UPPER)
		to = {to.at + (order - 1) * to.rows, -to.rows, to.cols, to.conj};
	return reflect(handle, order - 1, other, order - 1,
		       as_lower(uplo, order, columns(a, lda)).part(1, 0), tau, adjoint,
		       to.part(1, 0));
}

#define SYTRD(X, T, R, sy, G)                                                                      \
	EXPORT cusolverStatus_t cusolverDn##X##sy##trd_bufferSize(                                 \
		cusolverDnHandle_t h, cublasFillMode_t uplo, int n, const T *, int lda, const R *, \
		const R *, const T *, int *lwork)                                                  \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n));                  \
		return give_size(lwork, 1);                                                        \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##trd(                                            \
		cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda, R *d, R *e,     \
		T *tau, T *, int lwork, int *info)                                                 \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return sytrd(&h->handle, uplo, n, a, lda, d, e, tau, lwork, info);                 \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##gtr_bufferSize(                                  \
		cusolverDnHandle_t h, cublasFillMode_t uplo, int n, const T *, int lda, const T *, \
		int *lwork)                                                                        \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n));                  \
		return give_size(lwork, orgtr_size(n));                                            \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##gtr(cusolverDnHandle_t h, cublasFillMode_t uplo, \
						      int n, T *a, int lda, const T *tau, T *work, \
						      int lwork, int *info)                        \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return orgtr(&h->handle, uplo, n, a, lda, tau, work, lwork, info);                 \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##mtr_bufferSize(                                  \
		cusolverDnHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                \
		cublasOperation_t, int m, int n, const T *, int lda, const T *, const T *,         \
		int ldc, int *lwork)                                                               \
	{                                                                                          \
		int order = side == CUBLAS_SIDE_LEFT ? m : n;                                      \
                                                                                                   \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_fill(uplo) && m >= 0 && n >= 0);                                  \
		SOLVER_WANT(lda >= at_least_one(order) && ldc >= at_least_one(m));                 \
		return give_size(lwork, order);                                                    \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##mtr(cusolverDnHandle_t h, cublasSideMode_t side, \
						      cublasFillMode_t uplo, cublasOperation_t op, \
						      int m, int n, T *a, int lda, T *tau, T *c,   \
						      int ldc, T *work, int lwork, int *info)      \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return ormtr(&h->handle, side, uplo, op, m, n, a, lda, (const T *)tau, c, ldc,     \
			     work, lwork, info);                                                   \
	}

} // namespace solver

using namespace solver;

SYTRD(S, float, float, sy, or)
SYTRD(D, double, double, sy, or)
SYTRD(C, cuComplex, float, he, un)
SYTRD(Z, cuDoubleComplex, double, he, un)
