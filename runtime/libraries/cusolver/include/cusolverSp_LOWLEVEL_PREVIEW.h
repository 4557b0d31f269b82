/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER for sparse matrices step by step: analysis, factors, solution, by LU (of the host), QR
 * and Cholesky's factors; matrices of the host (Host) and of the device.
 */
#ifndef VGPU_CUSOLVERSP_LOWLEVEL_PREVIEW_H
#define VGPU_CUSOLVERSP_LOWLEVEL_PREVIEW_H

#define CUSOLVERSP_LOWLEVEL_PREVIEW_H_

#include "cusolverSp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csrluInfoHost *csrluInfoHost_t;
typedef struct csrqrInfoHost *csrqrInfoHost_t;
typedef struct csrcholInfoHost *csrcholInfoHost_t;
typedef struct csrcholInfo *csrcholInfo_t;

cusolverStatus_t cusolverSpCreateCsrluInfoHost(csrluInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnz,
					      const cusparseMatDescr_t a, const int *offsets,
					      const int *columns, csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *lower, int *upper,
					 csrluInfoHost_t info);

/* With P A Q' = L U, of which L has its ones: p[i] is the row of A at i, q[j] its column at j. */
#define CUSOLVER_LU(X, T, R)                                                                   \
	cusolverStatus_t cusolverSp##X##csrluBufferInfoHost(                                   \
		cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t a,         \
		const T *values, const int *offsets, const int *columns, csrluInfoHost_t info, \
		size_t *internal, size_t *workspace);                                          \
	cusolverStatus_t cusolverSp##X##csrluFactorHost(                                       \
		cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t a,         \
		const T *values, const int *offsets, const int *columns, csrluInfoHost_t info, \
		R threshold, void *workspace);                                                 \
	cusolverStatus_t cusolverSp##X##csrluZeroPivotHost(                                    \
		cusolverSpHandle_t handle, csrluInfoHost_t info, R tol, int *position);        \
	cusolverStatus_t cusolverSp##X##csrluSolveHost(cusolverSpHandle_t handle, int n,       \
						       const T *b, T *x, csrluInfoHost_t info, \
						       void *workspace);                       \
	cusolverStatus_t cusolverSp##X##csrluExtractHost(                                      \
		cusolverSpHandle_t handle, int *p, int *q, const cusparseMatDescr_t lower,     \
		T *lower_values, int *lower_offsets, int *lower_columns,                       \
		const cusparseMatDescr_t upper, T *upper_values, int *upper_offsets,           \
		int *upper_columns, csrluInfoHost_t info, void *workspace);
CUSOLVER_LU(S, float, float)
CUSOLVER_LU(D, double, double)
CUSOLVER_LU(C, cuComplex, float)
CUSOLVER_LU(Z, cuDoubleComplex, double)
#undef CUSOLVER_LU

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
