// SPDX-License-Identifier: MIT
/* Singular values with the settings of Jacobi's method, of one matrix and of batches. */
#include "onesided.h"

namespace solver
{

template <class T>
static cusolverStatus_t gesvdj(stream_of handle, cusolverEigMode_t jobz, bool econ, int m, int n,
			       T *a, int lda, real_of<T> *s, T *u, int ldu, T *v, int ldv, T *work,
			       int lwork, int *info, gesvdjInfo_t params, int count, int shift)
{
	int64_t k = least(m, n);
	bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;

	SOLVER_WANT(info && live_is(params, SOLVER_GESVDJ));
	SOLVER_WRONG((unsigned)jobz > 1, 1);
	SOLVER_WRONG(m < 0, 2 + shift);
	SOLVER_WRONG(n < 0, 3 + shift);
	SOLVER_WRONG(k && count && !a, 4 + shift);
	SOLVER_WRONG(lda < at_least_one(m), 5 + shift);
	SOLVER_WRONG(k && count && !s, 6 + shift);
	SOLVER_WRONG(vectors && k && count && !u, 7 + shift);
	SOLVER_WRONG(vectors && ldu < at_least_one(m), 8 + shift);
	SOLVER_WRONG(vectors && k && count && !v, 9 + shift);
	SOLVER_WRONG(vectors && ldv < at_least_one(n), 10 + shift);
	SOLVER_WRONG(k && count && !work, 11 + shift);
	SOLVER_WRONG(lwork < singular_size<T>(m, n, count), 12 + shift);
	SOLVER_WRONG(count < 0, 15 + shift);
	singular_problem<T> p = singular(m, n, a, lda, s, work, info);

	p.count = count;
	p.a_stride = (int64_t)lda * n;
	p.u_columns = econ ? k : m;
	p.v_columns = econ ? k : n;
	p.u_stride = ldu * p.u_columns;
	p.v_stride = ldv * p.v_columns;
	if (vectors) {
		p.u = columns(u, ldu);
		p.v = columns(v, ldv);
	}
	p.failed = (int)k + 1;
	p.sort = params->settings.sort;
	p.most_sweeps = params->settings.most_sweeps;
	p.tolerance = (real_of<T>)params->settings.tolerance;
	p.report = count ? params->settings.report : NULL;
	return find_singular(handle, p);
}

#define GESVDJ(X, T, R)                                                                           \
	EXPORT cusolverStatus_t cusolverDn##X##gesvdj_bufferSize(                                 \
		cusolverDnHandle_t h, cusolverEigMode_t, int, int m, int n, const T *, int lda,   \
		const R *, const T *, int, const T *, int, int *lwork, gesvdjInfo_t)              \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(m >= 0 && n >= 0 && lda >= at_least_one(m));                          \
		return give_size(lwork, singular_size<T>(m, n, 1));                               \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##gesvdj(                                            \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, int econ, int m, int n, T *a,       \
		int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int lwork, int *info,       \
		gesvdjInfo_t params)                                                              \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return gesvdj(&h->handle, jobz, econ != 0, m, n, a, lda, s, u, ldu, v, ldv, work, \
			      lwork, info, params, 1, 1);                                         \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##gesvdjBatched_bufferSize(                          \
		cusolverDnHandle_t h, cusolverEigMode_t, int m, int n, const T *, int lda,        \
		const R *, const T *, int, const T *, int, int *lwork, gesvdjInfo_t, int count)   \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(m >= 0 && n >= 0 && count >= 0 && lda >= at_least_one(m));            \
		return give_size(lwork, singular_size<T>(m, n, count));                           \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##gesvdjBatched(                                     \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, int m, int n, T *a, int lda, R *s,  \
		T *u, int ldu, T *v, int ldv, T *work, int lwork, int *info, gesvdjInfo_t params, \
		int count)                                                                        \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return gesvdj(&h->handle, jobz, false, m, n, a, lda, s, u, ldu, v, ldv, work,     \
			      lwork, info, params, count, 0);                                     \
	}

} // namespace solver

using namespace solver;

GESVDJ(S, float, float)
GESVDJ(D, double, double)
GESVDJ(C, cuComplex, float)
GESVDJ(Z, cuDoubleComplex, double)
