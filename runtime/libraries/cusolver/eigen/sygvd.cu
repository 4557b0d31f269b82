// SPDX-License-Identifier: MIT
/*
 * Generalised eigenproblems: B becomes L L^H, the problem one of a Hermitian matrix in the place of
 * A, and its vectors those of the problem.
 */
#include "../linear/potrf.h"
#include "syevd.h"
#include "syevj.h"

namespace solver
{

/* B failed: its minor's number behind those of eigenvalues */
static __global__ void join_info_kernel(int n, const int *failed, int *info)
{
	if (threadIdx.x == 0 && *failed)
		*info = n + *failed;
}

/* Behind what the eigenproblem needs: a matrix, and B's info */
static int64_t generalised_size(int64_t n, int64_t own)
{
	return own + n * n + 1;
}

/* L^-1 A L^-H, or L^H A L; a triangle of A is given, the whole is left. */
template <class T>
static cusolverStatus_t reduce(stream_of handle, cusolverEigType_t type, cublasFillMode_t uplo,
			       int64_t n, view<T> a, view<T> l, view<T> room, const int *skip)
{
	SOLVER_TRY(fill_hermitian(handle, n, triangle_of(uplo), a, a));
	if (type == CUSOLVER_EIG_TYPE_1) {
		SOLVER_TRY(solve(handle, n, n, l, LOWER, false, a, skip));
		return solve(handle, n, n, l, LOWER, false, a.adjoint(), skip);
	}
	SOLVER_TRY(multiply(handle, n, n, n, l.adjoint(), UPPER, a, room, skip));
	return multiply(handle, n, n, n, l.adjoint(), UPPER, room.adjoint(), a.adjoint(), skip);
}

/* params NULL: by QL, else by Jacobi's method */
template <class T>
static cusolverStatus_t generalised(stream_of handle, cusolverEigType_t type,
				    cusolverEigMode_t jobz, selection<real_of<T>> wanted,
				    cublasFillMode_t uplo, int64_t n, T *a, int64_t lda, T *b,
				    int64_t ldb, real_of<T> *w, T *work, int64_t own, int *found,
				    int *info, syevjInfo_t params)
{
	T *room = work + own;
	int *failed = (int *)(room + n * n);
	view<T> matrix = columns(a, lda), l = columns(b, ldb);

	if (uplo == CUBLAS_FILL_MODE_UPPER)
		l = l.adjoint();
	SOLVER_TRY(clear_info(handle, info));
	SOLVER_TRY(cholesky(handle, uplo, n, b, ldb, failed));
	SOLVER_TRY(reduce(handle, type, uplo, n, matrix, l, columns(room, n), failed));
	if (params)
		SOLVER_TRY(jacobi(handle, jobz, uplo, n, a, lda, w, work, info, &params->settings,
				  1, failed));
	else
		SOLVER_TRY(
			eigen(handle, jobz, wanted, uplo, n, a, lda, w, work, found, info, failed));
	if (jobz == CUSOLVER_EIG_MODE_VECTOR && type != CUSOLVER_EIG_TYPE_3) {
		SOLVER_TRY(solve(handle, n, n, l.adjoint(), UPPER, false, matrix, failed));
	} else if (jobz == CUSOLVER_EIG_MODE_VECTOR) {
		SOLVER_TRY(copy(handle, n, n, WHOLE, matrix, columns(room, n), failed));
		SOLVER_TRY(multiply(handle, n, n, n, l, LOWER, columns(room, n), matrix, failed));
	}
	return launch(handle, join_info_kernel, 1, (int)n, (const int *)failed, info);
}

template <class T>
static cusolverStatus_t sygvd(stream_of handle, cusolverEigType_t type, cusolverEigMode_t jobz,
			      cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb,
			      real_of<T> *w, T *work, int lwork, int *info, bool by_jacobi,
			      syevjInfo_t params)
{
	int64_t own = by_jacobi ? jacobi_size<T>(n, 1) : eigen_size(n);

	SOLVER_WANT(info && (!by_jacobi || live_is(params, SOLVER_SYEVJ)));
	SOLVER_WRONG((unsigned)type - 1 > 2, 1);
	SOLVER_WRONG(bad_mode(jobz), 2);
	SOLVER_WRONG(bad_fill(uplo), 3);
	SOLVER_WRONG(n < 0, 4);
	SOLVER_WRONG(n && !a, 5);
	SOLVER_WRONG(lda < at_least_one(n), 6);
	SOLVER_WRONG(n && !b, 7);
	SOLVER_WRONG(ldb < at_least_one(n), 8);
	SOLVER_WRONG(n && !w, 9);
	SOLVER_WRONG(n && !work, 10);
	SOLVER_WRONG(lwork < generalised_size(n, own), 11);
	if (!n)
		return clear_info(handle, info);
	return generalised(handle, type, jobz, all_of_them<real_of<T>>(), uplo, n, a, lda, b, ldb,
			   w, work, own, NULL, info, by_jacobi ? params : NULL);
}

template <class T>
static cusolverStatus_t sygvdx(stream_of handle, cusolverEigType_t type, cusolverEigMode_t jobz,
			       cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *a,
			       int lda, T *b, int ldb, real_of<T> vl, real_of<T> vu, int il, int iu,
			       int *found, real_of<T> *w, T *work, int lwork, int *info,
			       const char *function)
{
	selection<real_of<T>> wanted = {range, il - 1, iu - 1, vl, vu};
	int64_t own = eigen_size(n);
	int *count = (int *)(work + own - 1);
	bool interval = range == CUSOLVER_EIG_RANGE_V;

	SOLVER_WANT(info && found);
	SOLVER_WRONG((unsigned)type - 1 > 2, 1);
	SOLVER_WRONG(bad_mode(jobz), 2);
	SOLVER_WRONG(bad_range(range), 3);
	SOLVER_WRONG(bad_fill(uplo), 4);
	SOLVER_WRONG(n < 0, 5);
	SOLVER_WRONG(n && !a, 6);
	SOLVER_WRONG(lda < at_least_one(n), 7);
	SOLVER_WRONG(n && !b, 8);
	SOLVER_WRONG(ldb < at_least_one(n), 9);
	SOLVER_WRONG(interval && n && !(vl < vu), 11);
	SOLVER_WRONG(range == CUSOLVER_EIG_RANGE_I && n && (il < 1 || il > n), 12);
	SOLVER_WRONG(range == CUSOLVER_EIG_RANGE_I && n && (iu < il || iu > n), 13);
	SOLVER_WRONG(n && !w, 15);
	SOLVER_WRONG(n && !work, 16);
	SOLVER_WRONG(lwork < generalised_size(n, own), 17);
	*found = 0;
	if (!n)
		return clear_info(handle, info);
	if (interval)
		SOLVER_TRY(solver_can_wait(handle, function));
	/* where B fails nothing is found */
	SOLVER_TRY(clear_info(handle, count));
	SOLVER_TRY(generalised(handle, type, jobz, wanted, uplo, n, a, lda, b, ldb, w, work, own,
			       count, info, (syevjInfo_t)NULL));
	*found = range == CUSOLVER_EIG_RANGE_I ? iu - il + 1 : n;
	return interval ? solver_bring(handle, found, count, sizeof(*found), function)
			: CUSOLVER_STATUS_SUCCESS;
}

#define SYGVD(X, T, R, sy)                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##sy##gvd_bufferSize(                                 \
		cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t uplo, \
		int n, const T *, int lda, const T *, int ldb, const R *, int *lwork)              \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n) &&                 \
			    ldb >= at_least_one(n));                                               \
		return give_size(lwork, generalised_size(n, eigen_size(n)));                       \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##gvd(                                            \
		cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t jobz,              \
		cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb, R *w, T *work,         \
		int lwork, int *info)                                                              \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return sygvd(&h->handle, type, jobz, uplo, n, a, lda, b, ldb, w, work, lwork,      \
			     info, false, (syevjInfo_t)NULL);                                      \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##gvdx_bufferSize(                                \
		cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t,                        \
		cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T *, int lda,        \
		const T *, int ldb, R, R, int, int, int *, const R *, int *lwork)                  \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_fill(uplo) && !bad_range(range) && n >= 0 &&                      \
			    lda >= at_least_one(n) && ldb >= at_least_one(n));                     \
		return give_size(lwork, generalised_size(n, eigen_size(n)));                       \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##gvdx(                                           \
		cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t jobz,              \
		cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *a, int lda, T *b,       \
		int ldb, R vl, R vu, int il, int iu, int *found, R *w, T *work, int lwork,         \
		int *info)                                                                         \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return sygvdx(&h->handle, type, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il,  \
			      iu, found, w, work, lwork, info, __func__);                          \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##gvj_bufferSize(                                 \
		cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t uplo, \
		int n, const T *, int lda, const T *, int ldb, const R *, int *lwork, syevjInfo_t) \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_fill(uplo) && n >= 0 && lda >= at_least_one(n) &&                 \
			    ldb >= at_least_one(n));                                               \
		return give_size(lwork, generalised_size(n, jacobi_size<T>(n, 1)));                \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##gvj(                                            \
		cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t jobz,              \
		cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb, R *w, T *work,         \
		int lwork, int *info, syevjInfo_t params)                                          \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return sygvd(&h->handle, type, jobz, uplo, n, a, lda, b, ldb, w, work, lwork,      \
			     info, true, params);                                                  \
	}

} // namespace solver

using namespace solver;

SYGVD(S, float, float, sy)
SYGVD(D, double, double, sy)
SYGVD(C, cuComplex, float, he)
SYGVD(Z, cuDoubleComplex, double, he)
