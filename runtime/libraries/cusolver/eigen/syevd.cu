// SPDX-License-Identifier: MIT
/*
 * Eigenvalues of symmetric and Hermitian matrices: the tridiagonal form, the QL algorithm, vectors
 * rotated with it.
 */
#include "reduce.h"
#include "syevd.h"

namespace solver
{

/* Q; tau; d, e, c, s; places */
int64_t eigen_size(int64_t n)
{
	return n * n + 6 * n + 1;
}

template <class T>
cusolverStatus_t eigen(stream_of handle, cusolverEigMode_t jobz, selection<real_of<T>> wanted,
		       cublasFillMode_t uplo, int64_t n, T *a, int64_t lda, real_of<T> *w, T *work,
		       int *found, int *info, const int *skip)
{
	typedef real_of<T> R;
	T *q = work, *tau = q + n * n;
	R *d = (R *)(tau + n), *e = d + n, *c = e + n, *s = c + n;
	int *places = (int *)(tau + 5 * n);
	bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
	view<T> matrix = columns(a, lda), lower = as_lower(uplo, n, matrix), rows = columns(q, n);

	/* of a matrix that is read from its end, the rows of Q are too, and T is as it came */
	if (uplo == CUBLAS_FILL_MODE_UPPER)
		rows = {q + n - 1, -1, n, false};
	SOLVER_TRY(tridiagonal(handle, n, lower, false, d, e, tau, skip));
	if (vectors)
		SOLVER_TRY(make_tridiagonal_q(handle, n, lower, tau, rows, skip));
	SOLVER_TRY(launch(handle, steqr_kernel<T>, 1, n, d, e, c, s, vectors ? n : 0, q, n, info,
			  skip));
	SOLVER_TRY(launch(handle, order_kernel<R>, 1, n, (const R *)d, wanted, w, places, found,
			  skip));
	if (!vectors)
		return CUSOLVER_STATUS_SUCCESS;
	return launch(handle, place_kernel<T>, blocks_of_warps(n), n, n, (const T *)q, n,
		      (const int *)places, matrix, skip);
}

template <class T>
static cusolverStatus_t syevd(stream_of handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,
			      int64_t n, T *a, int64_t lda, real_of<T> *w, T *work, int64_t lwork,
			      int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(bad_mode(jobz), 1);
	SOLVER_WRONG(bad_fill(uplo), 2);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 3);
	SOLVER_WRONG(n && !a, 4);
	SOLVER_WRONG(lda < at_least_one(n), 5);
	SOLVER_WRONG(n && !w, 6);
	SOLVER_WRONG(n && !work, 7);
	SOLVER_WRONG(lwork < eigen_size(n), 8);
	if (!n)
		return clear_info(handle, info);
	return eigen(handle, jobz, all_of_them<real_of<T>>(), uplo, n, a, lda, w, work, NULL, info);
}

/* How many were found is known beforehand, but for those of an interval. */
template <class T, class I>
static cusolverStatus_t syevdx(stream_of handle, cusolverEigMode_t jobz, cusolverEigRange_t range,
			       cublasFillMode_t uplo, int64_t n, T *a, int64_t lda, real_of<T> vl,
			       real_of<T> vu, int64_t il, int64_t iu, I *found, real_of<T> *w,
			       T *work, int64_t lwork, int *info, const char *function)
{
	selection<real_of<T>> wanted = {range, il - 1, iu - 1, vl, vu};
	int *count = (int *)(work + (eigen_size(n) - 1)), host_count;
	bool interval = range == CUSOLVER_EIG_RANGE_V;

	SOLVER_WANT(info && found);
	SOLVER_WRONG(bad_mode(jobz), 1);
	SOLVER_WRONG(bad_range(range), 2);
	SOLVER_WRONG(bad_fill(uplo), 3);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 4);
	SOLVER_WRONG(n && !a, 5);
	SOLVER_WRONG(lda < at_least_one(n), 6);
	SOLVER_WRONG(interval && n && !(vl < vu), 8);
	SOLVER_WRONG(range == CUSOLVER_EIG_RANGE_I && n && (il < 1 || il > n), 9);
	SOLVER_WRONG(range == CUSOLVER_EIG_RANGE_I && n && (iu < il || iu > n), 10);
	SOLVER_WRONG(n && !w, 12);
	SOLVER_WRONG(n && !work, 13);
	SOLVER_WRONG(lwork < eigen_size(n), 14);
	*found = 0;
	if (!n)
		return clear_info(handle, info);
	if (interval)
		SOLVER_TRY(solver_can_wait(handle, function));
	SOLVER_TRY(eigen(handle, jobz, wanted, uplo, n, a, lda, w, work, count, info));
	*found = (I)(range == CUSOLVER_EIG_RANGE_I ? iu - il + 1 : n);
	if (!interval)
		return CUSOLVER_STATUS_SUCCESS;
	SOLVER_TRY(solver_bring(handle, &host_count, count, sizeof(host_count), function));
	*found = host_count;
	return CUSOLVER_STATUS_SUCCESS;
}

#define SYEVD(X, T, R, sy)                                                                        \
	template cusolverStatus_t eigen<T>(stream_of, cusolverEigMode_t, selection<R>,            \
					   cublasFillMode_t, int64_t, T *, int64_t, R *, T *,     \
					   int *, int *, const int *);                            \
	EXPORT cusolverStatus_t cusolverDn##X##sy##evd_bufferSize(                                \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,       \
		const T *, int lda, const R *, int *lwork)                                        \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(!bad_mode(jobz) && !bad_fill(uplo) && n >= 0 &&                       \
			    lda >= at_least_one(n));                                              \
		return give_size(lwork, eigen_size(n));                                           \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##sy##evd(                                           \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *a, \
		int lda, R *w, T *work, int lwork, int *info)                                     \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return syevd(&h->handle, jobz, uplo, n, a, lda, w, work, lwork, info);            \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##sy##evdx_bufferSize(                               \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, cusolverEigRange_t range,           \
		cublasFillMode_t uplo, int n, const T *, int lda, R, R, int, int, int *,          \
		const R *, int *lwork)                                                            \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(!bad_mode(jobz) && !bad_range(range) && !bad_fill(uplo) && n >= 0 &&  \
			    lda >= at_least_one(n));                                              \
		return give_size(lwork, eigen_size(n));                                           \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##sy##evdx(                                          \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, cusolverEigRange_t range,           \
		cublasFillMode_t uplo, int n, T *a, int lda, R vl, R vu, int il, int iu,          \
		int *found, R *w, T *work, int lwork, int *info)                                  \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return syevdx(&h->handle, jobz, range, uplo, n, a, lda, vl, vu, il, iu, found, w, \
			      work, lwork, info, __func__);                                       \
	}

SYEVD(S, float, float, sy)
SYEVD(D, double, double, sy)
SYEVD(C, cuComplex, float, he)
SYEVD(Z, cuDoubleComplex, double, he)

} // namespace solver

using namespace solver;

EXPORT cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
						    cusolverEigMode_t jobz, cublasFillMode_t uplo,
						    int64_t n, cudaDataType type, const void *,
						    int64_t lda, cudaDataType type_w, const void *,
						    cudaDataType compute, size_t *device_bytes,
						    size_t *host_bytes)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(!bad_mode(jobz) && !bad_fill(uplo) && n >= 0 && n <= INT_MAX &&
		    lda >= at_least_one(n) && device_bytes && host_bytes);
	if (compute != type || type_w != real_type(type))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	*host_bytes = 0;
#define SIZE(T)                                    \
	*device_bytes = eigen_size(n) * sizeof(T); \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t,
					 cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
					 cudaDataType type, void *a, int64_t lda,
					 cudaDataType type_w, void *w, cudaDataType compute,
					 void *work, size_t bytes, void *, size_t, int *info)
{
	SOLVER_CHECK(h);
	if (compute != type || type_w != real_type(type))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T)                                                                           \
	return syevd(&h->handle, jobz, uplo, n, (T *)a, lda, (real_of<T> *)w, (T *)work, \
		     (int64_t)(bytes / sizeof(T)), info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

EXPORT cusolverStatus_t cusolverDnXsyevdx_bufferSize(
	cusolverDnHandle_t h, cusolverDnParams_t params, cusolverEigMode_t jobz,
	cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType type,
	const void *a, int64_t lda, void *, void *, int64_t, int64_t, int64_t *,
	cudaDataType type_w, const void *w, cudaDataType compute, size_t *device_bytes,
	size_t *host_bytes)
{
	SOLVER_WANT(!bad_range(range));
	return cusolverDnXsyevd_bufferSize(h, params, jobz, uplo, n, type, a, lda, type_w, w,
					   compute, device_bytes, host_bytes);
}

EXPORT cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t h, cusolverDnParams_t,
					  cusolverEigMode_t jobz, cusolverEigRange_t range,
					  cublasFillMode_t uplo, int64_t n, cudaDataType type,
					  void *a, int64_t lda, void *vl, void *vu, int64_t il,
					  int64_t iu, int64_t *found, cudaDataType type_w, void *w,
					  cudaDataType compute, void *work, size_t bytes, void *,
					  size_t, int *info)
{
	bool interval = range == CUSOLVER_EIG_RANGE_V;

	SOLVER_CHECK(h);
	if (compute != type || type_w != real_type(type))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	SOLVER_WANT(!interval || (vl && vu));
#define RUN(T)                                                                                    \
	return syevdx(&h->handle, jobz, range, uplo, n, (T *)a, lda,                              \
		      interval ? *(real_of<T> *)vl : 0, interval ? *(real_of<T> *)vu : 0, il, iu, \
		      found, (real_of<T> *)w, (T *)work, (int64_t)(bytes / sizeof(T)), info,      \
		      __func__)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}
