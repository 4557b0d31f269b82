// SPDX-License-Identifier: MIT
/* Singular values: the functions that are named for LAPACK's, and those for low ranks. */
#include "onesided.h"

namespace solver
{

static bool bad_job(signed char job)
{
	return job != 'A' && job != 'S' && job != 'O' && job != 'N';
}

template <class T>
static cusolverStatus_t gesvd(stream_of handle, signed char jobu, signed char jobvt, int64_t m,
			      int64_t n, T *a, int64_t lda, real_of<T> *s, T *u, int64_t ldu, T *vt,
			      int64_t ldvt, T *work, int64_t lwork, int *info)
{
	int64_t k = least(m, n);

	SOLVER_WANT(info);
	SOLVER_WRONG(bad_job(jobu), 1);
	SOLVER_WRONG(bad_job(jobvt) || (jobu == 'O' && jobvt == 'O'), 2);
	SOLVER_WRONG(m < 0 || m > INT_MAX, 3);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 4);
	SOLVER_WRONG(k && !a, 5);
	SOLVER_WRONG(lda < at_least_one(m), 6);
	SOLVER_WRONG(k && !s, 7);
	SOLVER_WRONG(k && (jobu == 'A' || jobu == 'S') && !u, 8);
	SOLVER_WRONG(ldu < 1 || ((jobu == 'A' || jobu == 'S') && ldu < m), 9);
	SOLVER_WRONG(k && (jobvt == 'A' || jobvt == 'S') && !vt, 10);
	SOLVER_WRONG(ldvt < 1 || (jobvt == 'A' && ldvt < n) || (jobvt == 'S' && ldvt < k), 11);
	SOLVER_WRONG(k && !work, 12);
	SOLVER_WRONG(lwork < singular_size<T>(m, n, 1), 13);
	singular_problem<T> p = singular(m, n, a, lda, s, work, info);

	p.failed = (int)k;
	if (jobu != 'N')
		p.u = jobu == 'O' ? columns(a, lda) : columns(u, ldu);
	if (jobvt != 'N')
		p.v = (jobvt == 'O' ? columns(a, lda) : columns(vt, ldvt)).adjoint();
	p.u_columns = jobu == 'A' ? m : k;
	p.v_columns = jobvt == 'A' ? n : k;
	return find_singular(handle, p);
}

/* For matrices that have more rows than columns, and are known by their first vectors */
template <class T>
static cusolverStatus_t gesvda(stream_of handle, cusolverEigMode_t jobz, int rank, int m, int n,
			       const T *a, int lda, int64_t stride_a, real_of<T> *s,
			       int64_t stride_s, T *u, int ldu, int64_t stride_u, T *v, int ldv,
			       int64_t stride_v, T *work, int lwork, int *info, double *residuals,
			       int count, const char *function)
{
	bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;

	SOLVER_WANT(info);
	SOLVER_WRONG((unsigned)jobz > 1, 1);
	SOLVER_WRONG(rank < 1 || rank > least(m, n), 2);
	SOLVER_WRONG(m < 0, 3);
	SOLVER_WRONG(n < 0 || n > m, 4);
	SOLVER_WRONG(!a, 5);
	SOLVER_WRONG(lda < at_least_one(m), 6);
	SOLVER_WRONG(!s, 8);
	SOLVER_WRONG(vectors && !u, 10);
	SOLVER_WRONG(vectors && ldu < at_least_one(m), 11);
	SOLVER_WRONG(vectors && !v, 13);
	SOLVER_WRONG(vectors && ldv < at_least_one(n), 14);
	SOLVER_WRONG(!work, 16);
	SOLVER_WRONG(count < 0, 20);
	SOLVER_WRONG(lwork < singular_size<T>(m, n, count) + 2 * (int64_t)count, 17);
	if (residuals && count)
		SOLVER_TRY(solver_can_wait(handle, function));
	/* the residuals come first, where memory is aligned for them */
	singular_problem<T> p = singular(m, n, (T *)a, lda, s, work + 2 * (int64_t)count, info);

	p.count = count;
	p.a_stride = stride_a;
	p.s_stride = stride_s;
	p.values = rank;
	p.u_columns = p.v_columns = rank;
	p.u_stride = stride_u;
	p.v_stride = stride_v;
	p.failed = (int)least(m, n) + 1;
	p.residuals = (double *)work;
	if (vectors) {
		p.u = columns(u, ldu);
		p.v = columns(v, ldv);
	}
	SOLVER_TRY(find_singular(handle, p));
	if (!residuals || !count)
		return CUSOLVER_STATUS_SUCCESS;
	return solver_bring(handle, residuals, work, count * sizeof(double), function);
}

/* U and V of min(m, n) or of all columns, or as many as are wanted */
template <class T>
static cusolverStatus_t gesvdp(stream_of handle, cusolverEigMode_t jobz, bool econ, int64_t m,
			       int64_t n, T *a, int64_t lda, real_of<T> *s, T *u, int64_t ldu, T *v,
			       int64_t ldv, T *work, int64_t lwork, int *info)
{
	int64_t k = least(m, n);
	bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;

	SOLVER_WANT(info);
	SOLVER_WRONG((unsigned)jobz > 1, 2);
	SOLVER_WRONG(m < 0 || m > INT_MAX, 4);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 5);
	SOLVER_WRONG(k && !a, 7);
	SOLVER_WRONG(lda < at_least_one(m), 8);
	SOLVER_WRONG(k && !s, 10);
	SOLVER_WRONG(vectors && k && !u, 12);
	SOLVER_WRONG(vectors && ldu < at_least_one(m), 13);
	SOLVER_WRONG(vectors && k && !v, 15);
	SOLVER_WRONG(vectors && ldv < at_least_one(n), 16);
	SOLVER_WRONG(k && !work, 18);
	SOLVER_WRONG(lwork < singular_size<T>(m, n, 1), 19);
	singular_problem<T> p = singular(m, n, a, lda, s, work, info);

	if (vectors) {
		p.u = columns(u, ldu);
		p.v = columns(v, ldv);
	}
	p.u_columns = econ ? k : m;
	p.v_columns = econ ? k : n;
	p.failed = (int)k + 1;
	return find_singular(handle, p);
}

template <class T>
static cusolverStatus_t gesvdr(stream_of handle, signed char jobu, signed char jobv, int64_t m,
			       int64_t n, int64_t rank, T *a, int64_t lda, real_of<T> *s, T *u,
			       int64_t ldu, T *v, int64_t ldv, T *work, int64_t lwork, int *info)
{
	int64_t k = least(m, n);

	SOLVER_WANT(info);
	SOLVER_WRONG(jobu != 'S' && jobu != 'N', 2);
	SOLVER_WRONG(jobv != 'S' && jobv != 'N', 3);
	SOLVER_WRONG(m < 0 || m > INT_MAX, 4);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 5);
	SOLVER_WRONG(rank < 0 || rank > k, 6);
	SOLVER_WRONG(k && !a, 10);
	SOLVER_WRONG(lda < at_least_one(m), 11);
	SOLVER_WRONG(rank && !s, 13);
	SOLVER_WRONG(jobu == 'S' && rank && !u, 15);
	SOLVER_WRONG(jobu == 'S' && ldu < at_least_one(m), 16);
	SOLVER_WRONG(jobv == 'S' && rank && !v, 18);
	SOLVER_WRONG(jobv == 'S' && ldv < at_least_one(n), 19);
	SOLVER_WRONG(k && !work, 21);
	SOLVER_WRONG(lwork < singular_size<T>(m, n, 1), 22);
	singular_problem<T> p = singular(m, n, a, lda, s, work, info);

	if (jobu == 'S')
		p.u = columns(u, ldu);
	if (jobv == 'S')
		p.v = columns(v, ldv);
	p.values = p.u_columns = p.v_columns = rank;
	p.failed = (int)k + 1;
	return find_singular(handle, p);
}

#define GESVD(X, T, R)                                                                             \
	EXPORT cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t h, int m,       \
								int n, int *lwork)                 \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(m >= 0 && n >= 0);                                                     \
		return give_size(lwork, singular_size<T>(m, n, 1));                                \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##gesvd(                                              \
		cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m, int n, T *a,     \
		int lda, R *s, T *u, int ldu, T *vt, int ldvt, T *work, int lwork, R *, int *info) \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return gesvd(&h->handle, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work,     \
			     lwork, info);                                                         \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##gesvdaStridedBatched_bufferSize(                    \
		cusolverDnHandle_t h, cusolverEigMode_t, int rank, int m, int n, const T *,        \
		int lda, long long, const R *, long long, const T *, int, long long, const T *,    \
		int, long long, int *lwork, int count)                                             \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(n >= 0 && m >= n && rank >= 1 && rank <= n && count >= 0 &&            \
			    lda >= at_least_one(m));                                               \
		return give_size(lwork, singular_size<T>(m, n, count) + 2 * (int64_t)count);       \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##gesvdaStridedBatched(                               \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, int rank, int m, int n, const T *a,  \
		int lda, long long stride_a, R *s, long long stride_s, T *u, int ldu,              \
		long long stride_u, T *v, int ldv, long long stride_v, T *work, int lwork,         \
		int *info, double *residuals, int count)                                           \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return gesvda(&h->handle, jobz, rank, m, n, a, lda, stride_a, s, stride_s, u, ldu, \
			      stride_u, v, ldv, stride_v, work, lwork, info, residuals, count,     \
			      __func__);                                                           \
	}

} // namespace solver

using namespace solver;

GESVD(S, float, float)
GESVD(D, double, double)
GESVD(C, cuComplex, float)
GESVD(Z, cuDoubleComplex, double)

/* The types of a problem: what is computed in, and its parts */
static bool same_types(cudaDataType type, cudaDataType s, cudaDataType u, cudaDataType v,
		       cudaDataType compute)
{
	return s == real_type(type) && u == type && v == type && compute == type;
}

static cusolverStatus_t size_64(cusolverDnHandle_t h, int64_t m, int64_t n, cudaDataType type,
				int64_t lda, size_t *device_bytes, size_t *host_bytes)
{
	SOLVER_TRY(solver_check(h, SOLVER_DN, "cusolverDnXgesvd_bufferSize"));
	SOLVER_WANT(m >= 0 && n >= 0 && m <= INT_MAX && n <= INT_MAX && lda >= at_least_one(m) &&
		    device_bytes && host_bytes);
	*host_bytes = 0;
#define SIZE(T)                                                \
	*device_bytes = singular_size<T>(m, n, 1) * sizeof(T); \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXgesvd_bufferSize(
	cusolverDnHandle_t h, cusolverDnParams_t, signed char, signed char, int64_t m, int64_t n,
	cudaDataType type, const void *, int64_t lda, cudaDataType type_s, const void *,
	cudaDataType type_u, const void *, int64_t, cudaDataType type_vt, const void *, int64_t,
	cudaDataType compute, size_t *device_bytes, size_t *host_bytes)
{
	if (!same_types(type, type_s, type_u, type_vt, compute))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	return size_64(h, m, n, type, lda, device_bytes, host_bytes);
}

EXPORT cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t h, cusolverDnParams_t, signed char jobu,
					 signed char jobvt, int64_t m, int64_t n, cudaDataType type,
					 void *a, int64_t lda, cudaDataType type_s, void *s,
					 cudaDataType type_u, void *u, int64_t ldu,
					 cudaDataType type_vt, void *vt, int64_t ldvt,
					 cudaDataType compute, void *work, size_t bytes, void *,
					 size_t, int *info)
{
	SOLVER_CHECK(h);
	if (!same_types(type, type_s, type_u, type_vt, compute))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T)                                                                                 \
	return gesvd(&h->handle, jobu, jobvt, m, n, (T *)a, lda, (real_of<T> *)s, (T *)u, ldu, \
		     (T *)vt, ldvt, (T *)work, (int64_t)(bytes / sizeof(T)), info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

EXPORT cusolverStatus_t cusolverDnXgesvdp_bufferSize(
	cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t, int, int64_t m, int64_t n,
	cudaDataType type, const void *, int64_t lda, cudaDataType type_s, const void *,
	cudaDataType type_u, const void *, int64_t, cudaDataType type_v, const void *, int64_t,
	cudaDataType compute, size_t *device_bytes, size_t *host_bytes)
{
	if (!same_types(type, type_s, type_u, type_v, compute))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	return size_64(h, m, n, type, lda, device_bytes, host_bytes);
}

EXPORT cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t h, cusolverDnParams_t,
					  cusolverEigMode_t jobz, int econ, int64_t m, int64_t n,
					  cudaDataType type, void *a, int64_t lda,
					  cudaDataType type_s, void *s, cudaDataType type_u,
					  void *u, int64_t ldu, cudaDataType type_v, void *v,
					  int64_t ldv, cudaDataType compute, void *work,
					  size_t bytes, void *, size_t, int *info,
					  double *perturbation)
{
	SOLVER_CHECK(h);
	if (!same_types(type, type_s, type_u, type_v, compute))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	/* the matrix is never perturbed */
	if (perturbation)
		*perturbation = 0;
#define RUN(T)                                                                                 \
	return gesvdp(&h->handle, jobz, econ != 0, m, n, (T *)a, lda, (real_of<T> *)s, (T *)u, \
		      ldu, (T *)v, ldv, (T *)work, (int64_t)(bytes / sizeof(T)), info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

EXPORT cusolverStatus_t cusolverDnXgesvdr_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
						     signed char, signed char, int64_t m, int64_t n,
						     int64_t, int64_t, int64_t, cudaDataType type,
						     const void *, int64_t lda, cudaDataType type_s,
						     const void *, cudaDataType type_u,
						     const void *, int64_t, cudaDataType type_v,
						     const void *, int64_t, cudaDataType compute,
						     size_t *device_bytes, size_t *host_bytes)
{
	if (!same_types(type, type_s, type_u, type_v, compute))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	return size_64(h, m, n, type, lda, device_bytes, host_bytes);
}

EXPORT cusolverStatus_t cusolverDnXgesvdr(cusolverDnHandle_t h, cusolverDnParams_t,
					  signed char jobu, signed char jobv, int64_t m, int64_t n,
					  int64_t k, int64_t, int64_t, cudaDataType type, void *a,
					  int64_t lda, cudaDataType type_s, void *s,
					  cudaDataType type_u, void *u, int64_t ldu,
					  cudaDataType type_v, void *v, int64_t ldv,
					  cudaDataType compute, void *work, size_t bytes, void *,
					  size_t, int *info)
{
	SOLVER_CHECK(h);
	if (!same_types(type, type_s, type_u, type_v, compute))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T)                                                                                    \
	return gesvdr(&h->handle, jobu, jobv, m, n, k, (T *)a, lda, (real_of<T> *)s, (T *)u, ldu, \
		      (T *)v, ldv, (T *)work, (int64_t)(bytes / sizeof(T)), info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}
