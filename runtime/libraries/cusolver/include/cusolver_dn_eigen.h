/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER: eigenvalues of symmetric and Hermitian matrices, singular values, and the reductions
 * that they begin with. Programs include cusolverDn.h.
 */
#ifndef VGPU_CUSOLVER_DN_EIGEN_H
#define VGPU_CUSOLVER_DN_EIGEN_H

#include "cusolverDn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Settings of Jacobi's method, and what it did last */
#define CUSOLVER_JACOBI(Create, Destroy, name)                                                 \
	cusolverStatus_t cusolverDn##Create(name##Info_t *info);                               \
	cusolverStatus_t cusolverDn##Destroy(name##Info_t info);                               \
	cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info, double tolerance); \
	cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int most);         \
	cusolverStatus_t cusolverDnX##name##SetSortEig(name##Info_t info, int sort);           \
	cusolverStatus_t cusolverDnX##name##GetResidual(cusolverDnHandle_t handle,             \
							name##Info_t info, double *residual);  \
	cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t handle,               \
						      name##Info_t info, int *sweeps);
CUSOLVER_JACOBI(CreateSyevjInfo, DestroySyevjInfo, syevj)
CUSOLVER_JACOBI(CreateGesvdjInfo, DestroyGesvdjInfo, gesvdj)
#undef CUSOLVER_JACOBI

/* R: the real type; sy, or: as the functions are named for this type */
#define CUSOLVER_EIGEN(X, T, R, sy)                                                                \
	cusolverStatus_t cusolverDn##X##sy##trd_bufferSize(                                        \
		cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T *a, int lda,      \
		const R *d, const R *e, const T *tau, int *lwork);                                 \
	cusolverStatus_t cusolverDn##X##sy##trd(cusolverDnHandle_t handle, cublasFillMode_t uplo,  \
						int n, T *a, int lda, R *d, R *e, T *tau, T *work, \
						int lwork, int *info);                             \
	cusolverStatus_t cusolverDn##X##sy##evd_bufferSize(                                        \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,   \
		const T *a, int lda, const R *w, int *lwork);                                      \
	cusolverStatus_t cusolverDn##X##sy##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, \
						cublasFillMode_t uplo, int n, T *a, int lda, R *w, \
						T *work, int lwork, int *info);                    \
	cusolverStatus_t cusolverDn##X##sy##evdx_bufferSize(                                       \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range,       \
		cublasFillMode_t uplo, int n, const T *a, int lda, R vl, R vu, int il, int iu,     \
		int *found, const R *w, int *lwork);                                               \
	cusolverStatus_t cusolverDn##X##sy##evdx(                                                  \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range,       \
		cublasFillMode_t uplo, int n, T *a, int lda, R vl, R vu, int il, int iu,           \
		int *found, R *w, T *work, int lwork, int *info);                                  \
	cusolverStatus_t cusolverDn##X##sy##gvd_bufferSize(                                        \
		cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,         \
		cublasFillMode_t uplo, int n, const T *a, int lda, const T *b, int ldb,            \
		const R *w, int *lwork);                                                           \
	cusolverStatus_t cusolverDn##X##sy##gvd(cusolverDnHandle_t handle, cusolverEigType_t type, \
						cusolverEigMode_t jobz, cublasFillMode_t uplo,     \
						int n, T *a, int lda, T *b, int ldb, R *w,         \
						T *work, int lwork, int *info);                    \
	cusolverStatus_t cusolverDn##X##sy##gvdx_bufferSize(                                       \
		cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,         \
		cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T *a, int lda,       \
		const T *b, int ldb, R vl, R vu, int il, int iu, int *found, const R *w,           \
		int *lwork);                                                                       \
	cusolverStatus_t cusolverDn##X##sy##gvdx(                                                  \
		cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,         \
		cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *a, int lda, T *b,       \
		int ldb, R vl, R vu, int il, int iu, int *found, R *w, T *work, int lwork,         \
		int *info);                                                                        \
	cusolverStatus_t cusolverDn##X##sy##evj_bufferSize(                                        \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,   \
		const T *a, int lda, const R *w, int *lwork, syevjInfo_t params);                  \
	cusolverStatus_t cusolverDn##X##sy##evj(                                                   \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,   \
		T *a, int lda, R *w, T *work, int lwork, int *info, syevjInfo_t params);           \
	cusolverStatus_t cusolverDn##X##sy##evjBatched_bufferSize(                                 \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,   \
		const T *a, int lda, const R *w, int *lwork, syevjInfo_t params, int count);       \
	cusolverStatus_t cusolverDn##X##sy##evjBatched(                                            \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,   \
		T *a, int lda, R *w, T *work, int lwork, int *info, syevjInfo_t params,            \
		int count);                                                                        \
	cusolverStatus_t cusolverDn##X##sy##gvj_bufferSize(                                        \
		cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,         \
		cublasFillMode_t uplo, int n, const T *a, int lda, const T *b, int ldb,            \
		const R *w, int *lwork, syevjInfo_t params);                                       \
	cusolverStatus_t cusolverDn##X##sy##gvj(                                                   \
		cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,         \
		cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb, R *w, T *work,         \
		int lwork, int *info, syevjInfo_t params);
CUSOLVER_EIGEN(S, float, float, sy)
CUSOLVER_EIGEN(D, double, double, sy)
CUSOLVER_EIGEN(C, cuComplex, float, he)
CUSOLVER_EIGEN(Z, cuDoubleComplex, double, he)
#undef CUSOLVER_EIGEN

#define CUSOLVER_SINGULAR(X, T, R)                                                                \
	cusolverStatus_t cusolverDn##X##gebrd_bufferSize(cusolverDnHandle_t handle, int m, int n, \
							 int *lwork);                             \
	cusolverStatus_t cusolverDn##X##gebrd(cusolverDnHandle_t handle, int m, int n, T *a,      \
					      int lda, R *d, R *e, T *tauq, T *taup, T *work,     \
					      int lwork, int *info);                              \
	cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, \
							 int *lwork);                             \
	cusolverStatus_t cusolverDn##X##gesvd(cusolverDnHandle_t handle, signed char jobu,        \
					      signed char jobvt, int m, int n, T *a, int lda,     \
					      R *s, T *u, int ldu, T *vt, int ldvt, T *work,      \
					      int lwork, R *rwork, int *info);                    \
	cusolverStatus_t cusolverDn##X##gesvdj_bufferSize(                                        \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n,        \
		const T *a, int lda, const R *s, const T *u, int ldu, const T *v, int ldv,        \
		int *lwork, gesvdjInfo_t params);                                                 \
	cusolverStatus_t cusolverDn##X##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, \
					       int econ, int m, int n, T *a, int lda, R *s, T *u, \
					       int ldu, T *v, int ldv, T *work, int lwork,        \
					       int *info, gesvdjInfo_t params);                   \
	cusolverStatus_t cusolverDn##X##gesvdjBatched_bufferSize(                                 \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, const T *a,      \
		int lda, const R *s, const T *u, int ldu, const T *v, int ldv, int *lwork,        \
		gesvdjInfo_t params, int count);                                                  \
	cusolverStatus_t cusolverDn##X##gesvdjBatched(                                            \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T *a, int lda,   \
		R *s, T *u, int ldu, T *v, int ldv, T *work, int lwork, int *info,                \
		gesvdjInfo_t params, int count);                                                  \
	cusolverStatus_t cusolverDn##X##gesvdaStridedBatched_bufferSize(                          \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n,        \
		const T *a, int lda, long long stride_a, const R *s, long long stride_s,          \
		const T *u, int ldu, long long stride_u, const T *v, int ldv, long long stride_v, \
		int *lwork, int count);                                                           \
	cusolverStatus_t cusolverDn##X##gesvdaStridedBatched(                                     \
		cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n,        \
		const T *a, int lda, long long stride_a, R *s, long long stride_s, T *u, int ldu, \
		long long stride_u, T *v, int ldv, long long stride_v, T *work, int lwork,        \
		int *info, double *host_residuals, int count);
CUSOLVER_SINGULAR(S, float, float)
CUSOLVER_SINGULAR(D, double, double)
CUSOLVER_SINGULAR(C, cuComplex, float)
CUSOLVER_SINGULAR(Z, cuDoubleComplex, double)
#undef CUSOLVER_SINGULAR

#ifdef __cplusplus
}
#endif

#endif
