/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER for sparse matrices in CSR: systems by LU, QR and Cholesky's factors, an eigenvalue near
 * a number, orders that keep factors sparse. docs/libraries.md says what is not there.
 */
#ifndef VGPU_CUSOLVERSP_H
#define VGPU_CUSOLVERSP_H

#define CUSOLVERSP_H_

#include "cusolver_common.h"
#include "cusparse.h"

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef struct csrqrInfo *csrqrInfo_t;

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *stream);

/* The pattern of a matrix */
#define CUSOLVER_PATTERN                                                                           \
	cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t a, const int *offsets, \
		const int *columns

cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int n, int nnz,
					 const cusparseMatDescr_t a, const int *offsets,
					 const int *ends, const int *columns, int *symmetric);
cusolverStatus_t cusolverSpXcsrsymrcmHost(CUSOLVER_PATTERN, int *order);
cusolverStatus_t cusolverSpXcsrsymmdqHost(CUSOLVER_PATTERN, int *order);
cusolverStatus_t cusolverSpXcsrsymamdHost(CUSOLVER_PATTERN, int *order);
cusolverStatus_t cusolverSpXcsrmetisndHost(CUSOLVER_PATTERN, const int64_t *options, int *order);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnz,
						   const cusparseMatDescr_t a, const int *offsets,
						   const int *columns, const int *rows_order,
						   const int *columns_order, size_t *bytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnz,
					const cusparseMatDescr_t a, int *offsets, int *columns,
					const int *rows_order, const int *columns_order, int *map,
					void *buffer);
#undef CUSOLVER_PATTERN

#define CUSOLVER_SYSTEM(X, T, R, name)                                                           \
	cusolverStatus_t cusolverSp##X##name(cusolverSpHandle_t handle, int n, int nnz,          \
					     const cusparseMatDescr_t a, const T *values,        \
					     const int *offsets, const int *columns, const T *b, \
					     R tol, int reorder, T *x, int *singularity);
#define CUSOLVER_NEAR(X, T, R, name)                                                             \
	cusolverStatus_t cusolverSp##X##name(                                                    \
		cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t a,           \
		const T *values, const int *offsets, const int *columns, T near, const T *start, \
		int rounds, R tol, T *value, T *vector);
#define CUSOLVER_SPARSE(X, T, R)                                                              \
	CUSOLVER_SYSTEM(X, T, R, csrlsvluHost)                                                \
	CUSOLVER_SYSTEM(X, T, R, csrlsvqrHost)                                                \
	CUSOLVER_SYSTEM(X, T, R, csrlsvcholHost)                                              \
	CUSOLVER_SYSTEM(X, T, R, csrlsvqr)                                                    \
	CUSOLVER_SYSTEM(X, T, R, csrlsvchol)                                                  \
	CUSOLVER_NEAR(X, T, R, csreigvsiHost)                                                 \
	CUSOLVER_NEAR(X, T, R, csreigvsi)                                                     \
	cusolverStatus_t cusolverSp##X##csrlsqvqrHost(                                        \
		cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t a, \
		const T *values, const int *offsets, const int *columns, const T *b, R tol,   \
		int *rank, T *x, int *order, R *norm);
/* Systems with one pattern: as many values, right sides and solutions as there are systems */
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnz,
						 const cusparseMatDescr_t a, const int *offsets,
						 const int *columns, csrqrInfo_t info);
#define CUSOLVER_BATCHED(X, T)                                                                \
	cusolverStatus_t cusolverSp##X##csrqrBufferInfoBatched(                               \
		cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t a, \
		const T *values, const int *offsets, const int *columns, int count,           \
		csrqrInfo_t info, size_t *internal, size_t *workspace);                       \
	cusolverStatus_t cusolverSp##X##csrqrsvBatched(                                       \
		cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t a, \
		const T *values, const int *offsets, const int *columns, const T *b, T *x,    \
		int count, csrqrInfo_t info, void *workspace);
CUSOLVER_BATCHED(S, float)
CUSOLVER_BATCHED(D, double)
CUSOLVER_BATCHED(C, cuComplex)
CUSOLVER_BATCHED(Z, cuDoubleComplex)
#undef CUSOLVER_BATCHED

CUSOLVER_SPARSE(S, float, float)
CUSOLVER_SPARSE(D, double, double)
CUSOLVER_SPARSE(C, cuComplex, float)
CUSOLVER_SPARSE(Z, cuDoubleComplex, double)
#undef CUSOLVER_SYSTEM
#undef CUSOLVER_NEAR
#undef CUSOLVER_SPARSE

#ifdef __cplusplus
}
#endif

#endif
