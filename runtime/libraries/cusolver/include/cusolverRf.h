/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER: a sparse LU factor again for other numbers of the same pattern, in the same order:
 * P A Q' = L U. Rows are CSR, from 0.
 */
#ifndef VGPU_CUSOLVERRF_H
#define VGPU_CUSOLVERRF_H

#define CUSOLVERRF_H_

#include "cusolver_common.h"

#include <cuComplex.h>
#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF = 0,
	CUSOLVERRF_RESET_VALUES_FAST_MODE_ON = 1
} cusolverRfResetValuesFastMode_t;

typedef enum {
	CUSOLVERRF_MATRIX_FORMAT_CSR = 0,
	CUSOLVERRF_MATRIX_FORMAT_CSC = 1
} cusolverRfMatrixFormat_t;

typedef enum {
	CUSOLVERRF_UNIT_DIAGONAL_STORED_L = 0,
	CUSOLVERRF_UNIT_DIAGONAL_STORED_U = 1,
	CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L = 2,
	CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U = 3
} cusolverRfUnitDiagonal_t;

typedef enum {
	CUSOLVERRF_FACTORIZATION_ALG0 = 0,
	CUSOLVERRF_FACTORIZATION_ALG1 = 1,
	CUSOLVERRF_FACTORIZATION_ALG2 = 2
} cusolverRfFactorization_t;

typedef enum {
	CUSOLVERRF_TRIANGULAR_SOLVE_ALG1 = 1,
	CUSOLVERRF_TRIANGULAR_SOLVE_ALG2 = 2,
	CUSOLVERRF_TRIANGULAR_SOLVE_ALG3 = 3
} cusolverRfTriangularSolve_t;

typedef enum {
	CUSOLVERRF_NUMERIC_BOOST_NOT_USED = 0,
	CUSOLVERRF_NUMERIC_BOOST_USED = 1
} cusolverRfNumericBoostReport_t;

typedef struct cusolverRfCommon *cusolverRfHandle_t;

cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle);
cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t handle,
					   cusolverRfMatrixFormat_t *format,
					   cusolverRfUnitDiagonal_t *diagonal);
cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle,
					   cusolverRfMatrixFormat_t format,
					   cusolverRfUnitDiagonal_t diagonal);
/* A pivot that is not larger than `zero` becomes `boost`, if that is not 0. */
cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero,
						double boost);
cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t handle, double *zero,
						double *boost);
cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle,
						 cusolverRfNumericBoostReport_t *report);
cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t factor,
				   cusolverRfTriangularSolve_t solve);
cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t *factor,
				   cusolverRfTriangularSolve_t *solve);
cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle,
						  cusolverRfResetValuesFastMode_t *mode);
cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle,
						  cusolverRfResetValuesFastMode_t mode);

/* The matrix, both factors, p[i]: the row of A at i, q[j]: its column at j; of the host */
cusolverStatus_t cusolverRfSetupHost(int n, int nnz, int *offsets, int *columns, double *values,
				     int lnnz, int *loffsets, int *lcolumns, double *lvalues,
				     int unnz, int *uoffsets, int *ucolumns, double *uvalues,
				     int *p, int *q, cusolverRfHandle_t handle);
/* The same of the device, as in the functions below */
cusolverStatus_t cusolverRfSetupDevice(int n, int nnz, int *offsets, int *columns, double *values,
				       int lnnz, int *loffsets, int *lcolumns, double *lvalues,
				       int unnz, int *uoffsets, int *ucolumns, double *uvalues,
				       int *p, int *q, cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfResetValues(int n, int nnz, int *offsets, int *columns, double *values,
				       int *p, int *q, cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *p, int *q, int nrhs, double *work,
				 int ldwork, double *x, int ldx);

/* L - 1 + U: of the handle, on the device; or lists that the caller has to free() */
cusolverStatus_t cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t handle, int *nnz,
						      int **offsets, int **columns,
						      double **values);
cusolverStatus_t cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t handle, int *nnz,
						     int **offsets, int **columns,
						     double **values);
cusolverStatus_t cusolverRfExtractSplitFactorsHost(cusolverRfHandle_t handle, int *lnnz,
						   int **loffsets, int **lcolumns,
						   double **lvalues, int *unnz, int **uoffsets,
						   int **ucolumns, double **uvalues);

/* Several matrices of one pattern; lists of lists are where the lists are. */
cusolverStatus_t cusolverRfBatchSetupHost(int count, int n, int nnz, int *offsets, int *columns,
					  double *values[], int lnnz, int *loffsets, int *lcolumns,
					  double *lvalues, int unnz, int *uoffsets, int *ucolumns,
					  double *uvalues, int *p, int *q,
					  cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfBatchResetValues(int count, int n, int nnz, int *offsets, int *columns,
					    double *values[], int *p, int *q,
					    cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfBatchAnalyze(cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfBatchRefactor(cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfBatchSolve(cusolverRfHandle_t handle, int *p, int *q, int nrhs,
				      double *work, int ldwork, double *x[], int ldx);
/* position: of each matrix the first row whose pivot is zero, or -1; on the host */
cusolverStatus_t cusolverRfBatchZeroPivot(cusolverRfHandle_t handle, int *position);

#ifdef __cplusplus
}
#endif

#endif
