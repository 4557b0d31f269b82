/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER's functions with sizes of 64 bits, whose types are arguments. Work areas of the device
 * and of the host are counted in bytes. Programs include cusolverDn.h.
 */
#ifndef VGPU_CUSOLVER_DN_64_H
#define VGPU_CUSOLVER_DN_64_H

#include "cusolverDn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The end of an argument list: sizes to write, or both work areas and the device's result */
#define CUSOLVER_SIZES size_t *device_bytes, size_t *host_bytes
#define CUSOLVER_AREAS void *device_work, size_t device_bytes, void *host_work, size_t host_bytes

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					     cublasFillMode_t uplo, int64_t n, cudaDataType type_a,
					     const void *a, int64_t lda, cudaDataType compute,
					     CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
				  cublasFillMode_t uplo, int64_t n, cudaDataType type_a, void *a,
				  int64_t lda, cudaDataType compute, CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
				  cublasFillMode_t uplo, int64_t n, int64_t nrhs,
				  cudaDataType type_a, const void *a, int64_t lda,
				  cudaDataType type_b, void *b, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					     int64_t m, int64_t n, cudaDataType type_a,
					     const void *a, int64_t lda, cudaDataType compute,
					     CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
				  int64_t n, cudaDataType type_a, void *a, int64_t lda,
				  int64_t *pivots, cudaDataType compute, CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
				  cublasOperation_t op, int64_t n, int64_t nrhs,
				  cudaDataType type_a, const void *a, int64_t lda,
				  const int64_t *pivots, cudaDataType type_b, void *b, int64_t ldb,
				  int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					     int64_t m, int64_t n, cudaDataType type_a,
					     const void *a, int64_t lda, cudaDataType type_tau,
					     const void *tau, cudaDataType compute, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
				  int64_t n, cudaDataType type_a, void *a, int64_t lda,
				  cudaDataType type_tau, void *tau, cudaDataType compute,
				  CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
					     cublasDiagType_t diag, int64_t n, cudaDataType type_a,
					     void *a, int64_t lda, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo,
				  cublasDiagType_t diag, int64_t n, cudaDataType type_a, void *a,
				  int64_t lda, CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
					     int64_t n, int64_t nrhs, cudaDataType type_a,
					     const void *a, int64_t lda, const int64_t *pivots,
					     cudaDataType type_b, void *b, int64_t ldb,
					     CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n,
				  int64_t nrhs, cudaDataType type_a, const void *a, int64_t lda,
				  const int64_t *pivots, cudaDataType type_b, void *b, int64_t ldb,
				  CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXlarft_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					     cusolverDirectMode_t direct,
					     cusolverStorevMode_t stored, int64_t n, int64_t k,
					     cudaDataType type_v, const void *v, int64_t ldv,
					     cudaDataType type_tau, const void *tau,
					     cudaDataType type_t, void *t, int64_t ldt,
					     cudaDataType compute, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXlarft(cusolverDnHandle_t handle, cusolverDnParams_t params,
				  cusolverDirectMode_t direct, cusolverStorevMode_t stored,
				  int64_t n, int64_t k, cudaDataType type_v, const void *v,
				  int64_t ldv, cudaDataType type_tau, const void *tau,
				  cudaDataType type_t, void *t, int64_t ldt, cudaDataType compute,
				  CUSOLVER_AREAS);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					     cusolverEigMode_t jobz, cublasFillMode_t uplo,
					     int64_t n, cudaDataType type_a, const void *a,
					     int64_t lda, cudaDataType type_w, const void *w,
					     cudaDataType compute, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
				  cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
				  cudaDataType type_a, void *a, int64_t lda, cudaDataType type_w,
				  void *w, cudaDataType compute, CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					      cusolverEigMode_t jobz, cusolverEigRange_t range,
					      cublasFillMode_t uplo, int64_t n, cudaDataType type_a,
					      const void *a, int64_t lda, void *vl, void *vu,
					      int64_t il, int64_t iu, int64_t *found,
					      cudaDataType type_w, const void *w,
					      cudaDataType compute, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params,
				   cusolverEigMode_t jobz, cusolverEigRange_t range,
				   cublasFillMode_t uplo, int64_t n, cudaDataType type_a, void *a,
				   int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
				   int64_t *found, cudaDataType type_w, void *w,
				   cudaDataType compute, CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(
	cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
	cublasFillMode_t uplo, int64_t n, cudaDataType type_a, const void *a, int64_t lda,
	cudaDataType type_w, const void *w, cudaDataType compute, CUSOLVER_SIZES, int64_t count);
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params,
					cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
					cudaDataType type_a, void *a, int64_t lda,
					cudaDataType type_w, void *w, cudaDataType compute,
					CUSOLVER_AREAS, int *info, int64_t count);
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					    cusolverEigMode_t jobvl, cusolverEigMode_t jobvr,
					    int64_t n, cudaDataType type_a, const void *a,
					    int64_t lda, cudaDataType type_w, const void *w,
					    cudaDataType type_vl, const void *vl, int64_t ldvl,
					    cudaDataType type_vr, const void *vr, int64_t ldvr,
					    cudaDataType compute, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params,
				 cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,
				 cudaDataType type_a, void *a, int64_t lda, cudaDataType type_w,
				 void *w, cudaDataType type_vl, void *vl, int64_t ldvl,
				 cudaDataType type_vr, void *vr, int64_t ldvr, cudaDataType compute,
				 CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					     signed char jobu, signed char jobvt, int64_t m,
					     int64_t n, cudaDataType type_a, const void *a,
					     int64_t lda, cudaDataType type_s, const void *s,
					     cudaDataType type_u, const void *u, int64_t ldu,
					     cudaDataType type_vt, const void *vt, int64_t ldvt,
					     cudaDataType compute, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params,
				  signed char jobu, signed char jobvt, int64_t m, int64_t n,
				  cudaDataType type_a, void *a, int64_t lda, cudaDataType type_s,
				  void *s, cudaDataType type_u, void *u, int64_t ldu,
				  cudaDataType type_vt, void *vt, int64_t ldvt,
				  cudaDataType compute, CUSOLVER_AREAS, int *info);
cusolverStatus_t cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					      cusolverEigMode_t jobz, int econ, int64_t m,
					      int64_t n, cudaDataType type_a, const void *a,
					      int64_t lda, cudaDataType type_s, const void *s,
					      cudaDataType type_u, const void *u, int64_t ldu,
					      cudaDataType type_v, const void *v, int64_t ldv,
					      cudaDataType compute, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params,
				   cusolverEigMode_t jobz, int econ, int64_t m, int64_t n,
				   cudaDataType type_a, void *a, int64_t lda, cudaDataType type_s,
				   void *s, cudaDataType type_u, void *u, int64_t ldu,
				   cudaDataType type_v, void *v, int64_t ldv, cudaDataType compute,
				   CUSOLVER_AREAS, int *info, double *perturbation);
cusolverStatus_t cusolverDnXgesvdr_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					      signed char jobu, signed char jobv, int64_t m,
					      int64_t n, int64_t k, int64_t p, int64_t rounds,
					      cudaDataType type_a, const void *a, int64_t lda,
					      cudaDataType type_s, const void *s,
					      cudaDataType type_u, const void *u, int64_t ldu,
					      cudaDataType type_v, const void *v, int64_t ldv,
					      cudaDataType compute, CUSOLVER_SIZES);
cusolverStatus_t cusolverDnXgesvdr(cusolverDnHandle_t handle, cusolverDnParams_t params,
				   signed char jobu, signed char jobv, int64_t m, int64_t n,
				   int64_t k, int64_t p, int64_t rounds, cudaDataType type_a,
				   void *a, int64_t lda, cudaDataType type_s, void *s,
				   cudaDataType type_u, void *u, int64_t ldu, cudaDataType type_v,
				   void *v, int64_t ldv, cudaDataType compute, CUSOLVER_AREAS,
				   int *info);

#undef CUSOLVER_SIZES
#undef CUSOLVER_AREAS

#ifdef __cplusplus
}
#endif

#endif
