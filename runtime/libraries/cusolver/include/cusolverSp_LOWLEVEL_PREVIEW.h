/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER for sparse matrices step by step: analysis, factors, solution, by QR and Cholesky's
 * factors; matrices of the host (Host) and of the device.
 */
#ifndef VGPU_CUSOLVERSP_LOWLEVEL_PREVIEW_H
#define VGPU_CUSOLVERSP_LOWLEVEL_PREVIEW_H

#define CUSOLVERSP_LOWLEVEL_PREVIEW_H_

#include "cusolverSp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csrqrInfoHost *csrqrInfoHost_t;
typedef struct csrcholInfoHost *csrcholInfoHost_t;
typedef struct csrcholInfo *csrcholInfo_t;

cusolverStatus_t cusolverSpCreateCsrqrInfoHost(csrqrInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfoHost(csrqrInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfoHost(csrcholInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfoHost(csrcholInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfo(csrcholInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfo(csrcholInfo_t info);

/* Host: the end of the names; I, J: the kinds of what is kept of QR and of Cholesky's factor */
#define CUSOLVER_STEPS(Host, I, J)                                                            \
	cusolverStatus_t cusolverSpXcsrqrAnalysis##Host(                                      \
		cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t a, \
		const int *offsets, const int *columns, I info);                              \
	cusolverStatus_t cusolverSpXcsrcholAnalysis##Host(                                    \
		cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t a,        \
		const int *offsets, const int *columns, J info);
CUSOLVER_STEPS(Host, csrqrInfoHost_t, csrcholInfoHost_t)
CUSOLVER_STEPS(, csrqrInfo_t, csrcholInfo_t)
#undef CUSOLVER_STEPS

#define CUSOLVER_STEPS(X, T, R, Host, I, J)                                                        \
	cusolverStatus_t cusolverSp##X##csrqrBufferInfo##Host(                                     \
		cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t a,      \
		const T *values, const int *offsets, const int *columns, I info, size_t *internal, \
		size_t *workspace);                                                                \
	cusolverStatus_t cusolverSp##X##csrqrSetup##Host(                                          \
		cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t a,      \
		const T *values, const int *offsets, const int *columns, T mu, I info);            \
	cusolverStatus_t cusolverSp##X##csrqrFactor##Host(cusolverSpHandle_t handle, int m, int n, \
							  int nnz, T *b, T *x, I info,             \
							  void *workspace);                        \
	cusolverStatus_t cusolverSp##X##csrqrZeroPivot##Host(cusolverSpHandle_t handle, I info,    \
							     R tol, int *position);                \
	cusolverStatus_t cusolverSp##X##csrqrSolve##Host(cusolverSpHandle_t handle, int m, int n,  \
							 T *b, T *x, I info, void *workspace);     \
	cusolverStatus_t cusolverSp##X##csrcholBufferInfo##Host(                                   \
		cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t a,             \
		const T *values, const int *offsets, const int *columns, J info, size_t *internal, \
		size_t *workspace);                                                                \
	cusolverStatus_t cusolverSp##X##csrcholFactor##Host(                                       \
		cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t a,             \
		const T *values, const int *offsets, const int *columns, J info, void *workspace); \
	cusolverStatus_t cusolverSp##X##csrcholZeroPivot##Host(cusolverSpHandle_t handle, J info,  \
							       R tol, int *position);              \
	cusolverStatus_t cusolverSp##X##csrcholSolve##Host(                                        \
		cusolverSpHandle_t handle, int n, const T *b, T *x, J info, void *workspace);
#define CUSOLVER_BOTH(X, T, R)                                                                     \
	CUSOLVER_STEPS(X, T, R, Host, csrqrInfoHost_t, csrcholInfoHost_t)                          \
	CUSOLVER_STEPS(X, T, R, , csrqrInfo_t, csrcholInfo_t)                                      \
	/* the diagonal of the factor, to memory of the device */                                  \
	cusolverStatus_t cusolverSp##X##csrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info, \
						    R *diagonal);
CUSOLVER_BOTH(S, float, float)
CUSOLVER_BOTH(D, double, double)
CUSOLVER_BOTH(C, cuComplex, float)
CUSOLVER_BOTH(Z, cuDoubleComplex, double)
#undef CUSOLVER_STEPS
#undef CUSOLVER_BOTH

#ifdef __cplusplus
}
#endif

#endif
