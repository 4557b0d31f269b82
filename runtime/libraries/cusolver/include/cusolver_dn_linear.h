/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER: factorisations and linear systems, for float, double and both complex types.
 * Programs include cusolverDn.h.
 */
#ifndef VGPU_CUSOLVER_DN_LINEAR_H
#define VGPU_CUSOLVER_DN_LINEAR_H

#include "cusolverDn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X: the letter of the type T */
#define CUSOLVER_LINEAR(X, T)                                                                      \
	cusolverStatus_t cusolverDn##X##potrf_bufferSize(cusolverDnHandle_t handle,                \
							 cublasFillMode_t uplo, int n, T *a,       \
							 int lda, int *lwork);                     \
	cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo,    \
					      int n, T *a, int lda, T *work, int lwork,            \
					      int *info);                                          \
	cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo,    \
					      int n, int nrhs, const T *a, int lda, T *b, int ldb, \
					      int *info);                                          \
	cusolverStatus_t cusolverDn##X##potrfBatched(cusolverDnHandle_t handle,                    \
						     cublasFillMode_t uplo, int n, T *a[],         \
						     int lda, int *info, int count);               \
	cusolverStatus_t cusolverDn##X##potrsBatched(                                              \
		cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, T *a[],         \
		int lda, T *b[], int ldb, int *info, int count);                                   \
	cusolverStatus_t cusolverDn##X##potri_bufferSize(cusolverDnHandle_t handle,                \
							 cublasFillMode_t uplo, int n, T *a,       \
							 int lda, int *lwork);                     \
	cusolverStatus_t cusolverDn##X##potri(cusolverDnHandle_t handle, cublasFillMode_t uplo,    \
					      int n, T *a, int lda, T *work, int lwork,            \
					      int *info);                                          \
	cusolverStatus_t cusolverDn##X##lauum_bufferSize(cusolverDnHandle_t handle,                \
							 cublasFillMode_t uplo, int n, T *a,       \
							 int lda, int *lwork);                     \
	cusolverStatus_t cusolverDn##X##lauum(cusolverDnHandle_t handle, cublasFillMode_t uplo,    \
					      int n, T *a, int lda, T *work, int lwork,            \
					      int *info);                                          \
	cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n,  \
							 T *a, int lda, int *lwork);               \
	cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T *a,       \
					      int lda, T *work, int *pivots, int *info);           \
	cusolverStatus_t cusolverDn##X##laswp(cusolverDnHandle_t handle, int n, T *a, int lda,     \
					      int first, int last, const int *pivots, int step);   \
	cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t op,     \
					      int n, int nrhs, const T *a, int lda,                \
					      const int *pivots, T *b, int ldb, int *info);        \
	cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n,  \
							 T *a, int lda, int *lwork);               \
	cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T *a,       \
					      int lda, T *tau, T *work, int lwork, int *info);     \
	cusolverStatus_t cusolverDn##X##sytrf_bufferSize(cusolverDnHandle_t handle, int n, T *a,   \
							 int lda, int *lwork);                     \
	cusolverStatus_t cusolverDn##X##sytrf(cusolverDnHandle_t handle, cublasFillMode_t uplo,    \
					      int n, T *a, int lda, int *pivots, T *work,          \
					      int lwork, int *info);                               \
	cusolverStatus_t cusolverDn##X##sytri_bufferSize(cusolverDnHandle_t handle,                \
							 cublasFillMode_t uplo, int n, T *a,       \
							 int lda, const int *pivots, int *lwork);  \
	cusolverStatus_t cusolverDn##X##sytri(cusolverDnHandle_t handle, cublasFillMode_t uplo,    \
					      int n, T *a, int lda, const int *pivots, T *work,    \
					      int lwork, int *info);
CUSOLVER_LINEAR(S, float)
CUSOLVER_LINEAR(D, double)
CUSOLVER_LINEAR(C, cuComplex)
CUSOLVER_LINEAR(Z, cuDoubleComplex)
#undef CUSOLVER_LINEAR

/* G: "or" for real numbers, "un" for complex ones */
#define CUSOLVER_REFLECTORS(X, G, T)                                                               \
	cusolverStatus_t cusolverDn##X##G##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n, \
							  int k, const T *a, int lda,              \
							  const T *tau, int *lwork);               \
	cusolverStatus_t cusolverDn##X##G##gqr(cusolverDnHandle_t handle, int m, int n, int k,     \
					       T *a, int lda, const T *tau, T *work, int lwork,    \
					       int *info);                                         \
	cusolverStatus_t cusolverDn##X##G##mqr_bufferSize(                                         \
		cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m,     \
		int n, int k, const T *a, int lda, const T *tau, const T *c, int ldc, int *lwork); \
	cusolverStatus_t cusolverDn##X##G##mqr(cusolverDnHandle_t handle, cublasSideMode_t side,   \
					       cublasOperation_t op, int m, int n, int k,          \
					       const T *a, int lda, const T *tau, T *c, int ldc,   \
					       T *work, int lwork, int *info);                     \
	cusolverStatus_t cusolverDn##X##G##gbr_bufferSize(                                         \
		cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k, const T *a, \
		int lda, const T *tau, int *lwork);                                                \
	cusolverStatus_t cusolverDn##X##G##gbr(cusolverDnHandle_t handle, cublasSideMode_t side,   \
					       int m, int n, int k, T *a, int lda, const T *tau,   \
					       T *work, int lwork, int *info);                     \
	cusolverStatus_t cusolverDn##X##G##gtr_bufferSize(                                         \
		cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T *a, int lda,      \
		const T *tau, int *lwork);                                                         \
	cusolverStatus_t cusolverDn##X##G##gtr(cusolverDnHandle_t handle, cublasFillMode_t uplo,   \
					       int n, T *a, int lda, const T *tau, T *work,        \
					       int lwork, int *info);                              \
	cusolverStatus_t cusolverDn##X##G##mtr_bufferSize(                                         \
		cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,           \
		cublasOperation_t op, int m, int n, const T *a, int lda, const T *tau, const T *c, \
		int ldc, int *lwork);                                                              \
	cusolverStatus_t cusolverDn##X##G##mtr(cusolverDnHandle_t handle, cublasSideMode_t side,   \
					       cublasFillMode_t uplo, cublasOperation_t op, int m, \
					       int n, T *a, int lda, T *tau, T *c, int ldc,        \
					       T *work, int lwork, int *info);
CUSOLVER_REFLECTORS(S, or, float)
CUSOLVER_REFLECTORS(D, or, double)
CUSOLVER_REFLECTORS(C, un, cuComplex)
CUSOLVER_REFLECTORS(Z, un, cuDoubleComplex)
#undef CUSOLVER_REFLECTORS

/* Solutions that may be refined from those in a shorter type: the letters of both types */
#define CUSOLVER_REFINED(X, T)                                                                   \
	cusolverStatus_t cusolverDn##X##gesv_bufferSize(                                         \
		cusolverDnHandle_t handle, cusolver_int_t n, cusolver_int_t nrhs, T *a,          \
		cusolver_int_t lda, cusolver_int_t *pivots, T *b, cusolver_int_t ldb, T *x,      \
		cusolver_int_t ldx, void *work, size_t *bytes);                                  \
	cusolverStatus_t cusolverDn##X##gesv(cusolverDnHandle_t handle, cusolver_int_t n,        \
					     cusolver_int_t nrhs, T *a, cusolver_int_t lda,      \
					     cusolver_int_t *pivots, T *b, cusolver_int_t ldb,   \
					     T *x, cusolver_int_t ldx, void *work, size_t bytes, \
					     cusolver_int_t *rounds, cusolver_int_t *info);      \
	cusolverStatus_t cusolverDn##X##gels_bufferSize(                                         \
		cusolverDnHandle_t handle, cusolver_int_t m, cusolver_int_t n,                   \
		cusolver_int_t nrhs, T *a, cusolver_int_t lda, T *b, cusolver_int_t ldb, T *x,   \
		cusolver_int_t ldx, void *work, size_t *bytes);                                  \
	cusolverStatus_t cusolverDn##X##gels(cusolverDnHandle_t handle, cusolver_int_t m,        \
					     cusolver_int_t n, cusolver_int_t nrhs, T *a,        \
					     cusolver_int_t lda, T *b, cusolver_int_t ldb, T *x, \
					     cusolver_int_t ldx, void *work, size_t bytes,       \
					     cusolver_int_t *rounds, cusolver_int_t *info);
CUSOLVER_REFINED(ZZ, cuDoubleComplex)
CUSOLVER_REFINED(ZC, cuDoubleComplex)
CUSOLVER_REFINED(ZK, cuDoubleComplex)
CUSOLVER_REFINED(ZE, cuDoubleComplex)
CUSOLVER_REFINED(ZY, cuDoubleComplex)
CUSOLVER_REFINED(CC, cuComplex)
CUSOLVER_REFINED(CK, cuComplex)
CUSOLVER_REFINED(CE, cuComplex)
CUSOLVER_REFINED(CY, cuComplex)
CUSOLVER_REFINED(DD, double)
CUSOLVER_REFINED(DS, double)
CUSOLVER_REFINED(DH, double)
CUSOLVER_REFINED(DB, double)
CUSOLVER_REFINED(DX, double)
CUSOLVER_REFINED(SS, float)
CUSOLVER_REFINED(SH, float)
CUSOLVER_REFINED(SB, float)
CUSOLVER_REFINED(SX, float)
#undef CUSOLVER_REFINED

cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params);
cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params,
							cusolverIRSRefinement_t solver);
cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params,
							   cusolverPrecType_t main);
cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params,
							     cusolverPrecType_t lowest);
cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params,
							cusolverPrecType_t main,
							cusolverPrecType_t lowest);
cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double tolerance);
cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double tolerance);
cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t most);
cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params,
						     cusolver_int_t most);
cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t *most);
cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos);
cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos, cusolver_int_t *rounds);
cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos,
						  cusolver_int_t *rounds);
cusolverStatus_t cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSInfosGetResidualHistory(cusolverDnIRSInfos_t infos, void **history);
cusolverStatus_t cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos, cusolver_int_t *most);
cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle,
					       cusolverDnIRSParams_t params, cusolver_int_t n,
					       cusolver_int_t nrhs, size_t *bytes);
cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
				    cusolverDnIRSInfos_t infos, cusolver_int_t n,
				    cusolver_int_t nrhs, void *a, cusolver_int_t lda, void *b,
				    cusolver_int_t ldb, void *x, cusolver_int_t ldx, void *work,
				    size_t bytes, cusolver_int_t *rounds, cusolver_int_t *info);
cusolverStatus_t cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle,
					       cusolverDnIRSParams_t params, cusolver_int_t m,
					       cusolver_int_t n, cusolver_int_t nrhs,
					       size_t *bytes);
cusolverStatus_t cusolverDnIRSXgels(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
				    cusolverDnIRSInfos_t infos, cusolver_int_t m, cusolver_int_t n,
				    cusolver_int_t nrhs, void *a, cusolver_int_t lda, void *b,
				    cusolver_int_t ldb, void *x, cusolver_int_t ldx, void *work,
				    size_t bytes, cusolver_int_t *rounds, cusolver_int_t *info);

#ifdef __cplusplus
}
#endif

#endif
