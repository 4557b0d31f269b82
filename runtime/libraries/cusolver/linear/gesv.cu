// SPDX-License-Identifier: MIT
/*
 * Systems and least squares that NVIDIA's library may refine from solutions in shorter types: here
 * they are solved in the type of the matrix, which is left as it is. And inverses of triangles.
 */
#include "geqrf.h"
#include "getrf.h"

namespace solver
{

/* LU factors; pivots, if the caller has no place for them */
static int64_t gesv_size(int64_t n)
{
	return n * n + n;
}

template <class T>
static cusolverStatus_t gesv(stream_of handle, int n, int nrhs, T *a, int lda, int *pivots, T *b,
			     int ldb, T *x, int ldx, void *area, size_t bytes, int *rounds,
			     int *info)
{
	T *work = (T *)area;

	SOLVER_WANT(info && rounds);
	SOLVER_WRONG(n < 0, 1);
	SOLVER_WRONG(nrhs < 0, 2);
	SOLVER_WRONG(n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(n), 4);
	SOLVER_WRONG(n && nrhs && !b, 6);
	SOLVER_WRONG(ldb < at_least_one(n), 7);
	SOLVER_WRONG(n && nrhs && !x, 8);
	SOLVER_WRONG(ldx < at_least_one(n), 9);
	SOLVER_WRONG(n && !work, 10);
	SOLVER_WRONG((int64_t)(bytes / sizeof(T)) < gesv_size(n), 11);
	*rounds = 0;
	if (!pivots)
		pivots = (int *)(work + (int64_t)n * n);
	SOLVER_TRY(copy(handle, n, n, WHOLE, columns(a, lda), columns(work, n)));
	SOLVER_TRY(lu_factor(handle, n, n, work, n, pivots, info));
	SOLVER_TRY(copy(handle, n, nrhs, WHOLE, columns(b, ldb), columns(x, ldx)));
	return lu_solve(handle, CUBLAS_OP_N, n, nrhs, (const T *)work, n, (const int *)pivots, x,
			ldx, info);
}

/* QR factors, the right sides, tau */
static int64_t gels_size(int64_t m, int64_t n, int64_t nrhs)
{
	return m * n + m * nrhs + n;
}

template <class T>
static cusolverStatus_t gels(stream_of handle, int m, int n, int nrhs, T *a, int lda, T *b, int ldb,
			     T *x, int ldx, void *area, size_t bytes, int *rounds, int *info)
{
	T *work = (T *)area, *sides = work + (int64_t)m * n, *tau = sides + (int64_t)m * nrhs;

	SOLVER_WANT(info && rounds);
	SOLVER_WRONG(m < 0, 1);
	SOLVER_WRONG(n < 0 || n > m, 2);
	SOLVER_WRONG(nrhs < 0, 3);
	SOLVER_WRONG(n && !a, 4);
	SOLVER_WRONG(lda < at_least_one(m), 5);
	SOLVER_WRONG(n && nrhs && !b, 6);
	SOLVER_WRONG(ldb < at_least_one(m), 7);
	SOLVER_WRONG(n && nrhs && !x, 8);
	SOLVER_WRONG(ldx < at_least_one(n), 9);
	SOLVER_WRONG(n && !work, 10);
	SOLVER_WRONG((int64_t)(bytes / sizeof(T)) < gels_size(m, n, nrhs), 11);
	*rounds = 0;
	SOLVER_TRY(copy(handle, m, n, WHOLE, columns(a, lda), columns(work, m)));
	SOLVER_TRY(copy(handle, m, nrhs, WHOLE, columns(b, ldb), columns(sides, m)));
	SOLVER_TRY(qr_factor(handle, m, n, work, m, tau));
	SOLVER_TRY(find_zero(handle, n, columns(work, m), info));
	SOLVER_TRY(reflect(handle, m, nrhs, n, columns(work, m), (const T *)tau, true,
			   columns(sides, m), info));
	SOLVER_TRY(solve(handle, n, nrhs, columns(work, m), UPPER, false, columns(sides, m), info));
	return copy(handle, n, nrhs, WHOLE, columns(sides, m), columns(x, ldx), info);
}

template <class T>
static cusolverStatus_t trtri(stream_of handle, cublasFillMode_t uplo, cublasDiagType_t diag,
			      int64_t n, T *a, int64_t lda, T *work, int64_t lwork, int *info)
{
	enum triangle part = uplo == CUBLAS_FILL_MODE_LOWER ? LOWER : UPPER;
	bool unit = diag == CUBLAS_DIAG_UNIT;

	SOLVER_WANT(info);
	SOLVER_WRONG(bad_fill(uplo), 1);
	SOLVER_WRONG(diag != CUBLAS_DIAG_UNIT && diag != CUBLAS_DIAG_NON_UNIT, 2);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 3);
	SOLVER_WRONG(n && !a, 5);
	SOLVER_WRONG(lda < at_least_one(n), 6);
	SOLVER_WRONG(n && !work, 7);
	SOLVER_WRONG(lwork < n * n, 8);
	view<T> matrix = columns(a, lda), inverse = columns(work, n);

	if (unit)
		SOLVER_TRY(clear_info(handle, info));
	else
		SOLVER_TRY(find_zero(handle, n, matrix, info));
	SOLVER_TRY(copy(handle, n, n, WHOLE, view<T>(), inverse, info));
	SOLVER_TRY(solve(handle, n, n, matrix, part, unit, inverse, info));
	if (!unit)
		return copy(handle, n, n, part, inverse, matrix, info);
	/* the diagonal is the caller's */
	if (part == LOWER)
		return copy(handle, n - 1, n - 1, part, inverse.part(1, 0), matrix.part(1, 0),
			    info);
	return copy(handle, n - 1, n - 1, part, inverse.part(0, 1), matrix.part(0, 1), info);
}

#define REFINED(X, T)                                                                             \
	EXPORT cusolverStatus_t cusolverDn##X##gesv_bufferSize(                                   \
		cusolverDnHandle_t h, int n, int nrhs, T *, int lda, int *, T *, int ldb, T *,    \
		int ldx, void *, size_t *bytes)                                                   \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(n >= 0 && nrhs >= 0 && lda >= at_least_one(n) && bytes &&             \
			    ldb >= at_least_one(n) && ldx >= at_least_one(n));                    \
		*bytes = at_least_one(gesv_size(n)) * sizeof(T);                                  \
		return CUSOLVER_STATUS_SUCCESS;                                                   \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##gesv(                                              \
		cusolverDnHandle_t h, int n, int nrhs, T *a, int lda, int *pivots, T *b, int ldb, \
		T *x, int ldx, void *work, size_t bytes, int *rounds, int *info)                  \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return gesv(&h->handle, n, nrhs, a, lda, pivots, b, ldb, x, ldx, work, bytes,     \
			    rounds, info);                                                        \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##gels_bufferSize(                                   \
		cusolverDnHandle_t h, int m, int n, int nrhs, T *, int lda, T *, int ldb, T *,    \
		int ldx, void *, size_t *bytes)                                                   \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		SOLVER_WANT(m >= n && n >= 0 && nrhs >= 0 && lda >= at_least_one(m) && bytes &&   \
			    ldb >= at_least_one(m) && ldx >= at_least_one(n));                    \
		*bytes = at_least_one(gels_size(m, n, nrhs)) * sizeof(T);                         \
		return CUSOLVER_STATUS_SUCCESS;                                                   \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverDn##X##gels(                                              \
		cusolverDnHandle_t h, int m, int n, int nrhs, T *a, int lda, T *b, int ldb, T *x, \
		int ldx, void *work, size_t bytes, int *rounds, int *info)                        \
	{                                                                                         \
		SOLVER_CHECK(h);                                                                  \
		return gels(&h->handle, m, n, nrhs, a, lda, b, ldb, x, ldx, work, bytes, rounds,  \
			    info);                                                                \
	}

/* The type of a solution by its settings */
static cudaDataType main_type(cusolverDnIRSParams_t params)
{
	switch (params->main) {
	case CUSOLVER_R_32F:
		return CUDA_R_32F;
	case CUSOLVER_R_64F:
		return CUDA_R_64F;
	case CUSOLVER_C_32F:
		return CUDA_C_32F;
	case CUSOLVER_C_64F:
		return CUDA_C_64F;
	default:
		return (cudaDataType)-1;
	}
}

} // namespace solver

using namespace solver;

REFINED(ZZ, cuDoubleComplex)
REFINED(ZC, cuDoubleComplex)
REFINED(ZK, cuDoubleComplex)
REFINED(ZE, cuDoubleComplex)
REFINED(ZY, cuDoubleComplex)
REFINED(CC, cuComplex)
REFINED(CK, cuComplex)
REFINED(CE, cuComplex)
REFINED(CY, cuComplex)
REFINED(DD, double)
REFINED(DS, double)
REFINED(DH, double)
REFINED(DB, double)
REFINED(DX, double)
REFINED(SS, float)
REFINED(SH, float)
REFINED(SB, float)
REFINED(SX, float)

#define PARAMS(params)                                                     \
	do {                                                               \
		if (!live_is(params, SOLVER_IRS_PARAMS))              \
			return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED; \
		if (main_type(params) == (cudaDataType)-1)                 \
			return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;    \
	} while (0)
#define INFOS(infos, params)                                              \
	do {                                                              \
		if (!live_is(infos, SOLVER_IRS_INFOS))               \
			return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED; \
		(infos)->most_rounds = (params)->most_rounds;             \
	} while (0)

EXPORT cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t h,
						      cusolverDnIRSParams_t params, int n, int nrhs,
						      size_t *bytes)
{
	SOLVER_CHECK(h);
	PARAMS(params);
	SOLVER_WANT(n >= 0 && nrhs >= 0 && bytes);
#define SIZE(T)                                          \
	*bytes = at_least_one(gesv_size(n)) * sizeof(T); \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(main_type(params), SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t h, cusolverDnIRSParams_t params,
					   cusolverDnIRSInfos_t infos, int n, int nrhs, void *a,
					   int lda, void *b, int ldb, void *x, int ldx, void *work,
					   size_t bytes, int *rounds, int *info)
{
	SOLVER_CHECK(h);
	PARAMS(params);
	INFOS(infos, params);
#define RUN(T)                                                                                     \
	return gesv(&h->handle, n, nrhs, (T *)a, lda, (int *)NULL, (T *)b, ldb, (T *)x, ldx, work, \
		    bytes, rounds, info)
	SOLVER_BY_TYPE(main_type(params), RUN)
#undef RUN
}

EXPORT cusolverStatus_t cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t h,
						      cusolverDnIRSParams_t params, int m, int n,
						      int nrhs, size_t *bytes)
{
	SOLVER_CHECK(h);
	PARAMS(params);
	SOLVER_WANT(m >= n && n >= 0 && nrhs >= 0 && bytes);
#define SIZE(T)                                                   \
	*bytes = at_least_one(gels_size(m, n, nrhs)) * sizeof(T); \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(main_type(params), SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnIRSXgels(cusolverDnHandle_t h, cusolverDnIRSParams_t params,
					   cusolverDnIRSInfos_t infos, int m, int n, int nrhs,
					   void *a, int lda, void *b, int ldb, void *x, int ldx,
					   void *work, size_t bytes, int *rounds, int *info)
{
	SOLVER_CHECK(h);
	PARAMS(params);
	INFOS(infos, params);
#define RUN(T)                                                                                  \
	return gels(&h->handle, m, n, nrhs, (T *)a, lda, (T *)b, ldb, (T *)x, ldx, work, bytes, \
		    rounds, info)
	SOLVER_BY_TYPE(main_type(params), RUN)
#undef RUN
}

EXPORT cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t h, cublasFillMode_t uplo,
						    cublasDiagType_t, int64_t n, cudaDataType type,
						    void *, int64_t lda, size_t *device_bytes,
						    size_t *host_bytes)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(!bad_fill(uplo) && n >= 0 && n <= INT_MAX && lda >= at_least_one(n) &&
		    device_bytes && host_bytes);
	*host_bytes = 0;
#define SIZE(T)                                          \
	*device_bytes = at_least_one(n * n) * sizeof(T); \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t h, cublasFillMode_t uplo,
					 cublasDiagType_t diag, int64_t n, cudaDataType type,
					 void *a, int64_t lda, void *work, size_t bytes, void *,
					 size_t, int *info)
{
	SOLVER_CHECK(h);
#define RUN(T)                                                          \
	return trtri(&h->handle, uplo, diag, n, (T *)a, lda, (T *)work, \
		     (int64_t)(bytes / sizeof(T)), info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}
