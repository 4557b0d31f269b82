// SPDX-License-Identifier: MIT
/*
 * cusolverRf: handles and their settings.
 */
#include "refactor.h"

using namespace solver;

EXPORT cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle)
{
	SOLVER_WANT(handle);
	*handle = (cusolverRfHandle_t)live_new(sizeof(**handle), SOLVER_RF);
	if (!*handle)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	(*handle)->triangular = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle,
						  cusolverRfMatrixFormat_t format,
						  cusolverRfUnitDiagonal_t diagonal)
{
	RF_ALIVE(handle);
	SOLVER_WANT((unsigned)format <= 1 && (unsigned)diagonal <= 3);
	if (format == CUSOLVERRF_MATRIX_FORMAT_CSC || (diagonal & 1)) {
		solver_say(__func__, "matrices are CSR, and the factor whose diagonal is 1 is L");
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	}
	handle->diagonal = diagonal;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t handle,
						  cusolverRfMatrixFormat_t *format,
						  cusolverRfUnitDiagonal_t *diagonal)
{
	RF_ALIVE(handle);
	SOLVER_WANT(format && diagonal);
	*format = CUSOLVERRF_MATRIX_FORMAT_CSR;
	*diagonal = handle->diagonal;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero,
						       double boost)
{
	RF_ALIVE(handle);
	SOLVER_WANT(zero >= 0 && boost == boost);
	handle->zero = zero;
	handle->boost = boost;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t handle, double *zero,
						       double *boost)
{
	RF_ALIVE(handle);
	SOLVER_WANT(zero && boost);
	*zero = handle->zero;
	*boost = handle->boost;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle,
							cusolverRfNumericBoostReport_t *report)
{
	RF_ALIVE(handle);
	SOLVER_WANT(report);
	*report =
		handle->boosted ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle,
					  cusolverRfFactorization_t factor,
					  cusolverRfTriangularSolve_t solve)
{
	RF_ALIVE(handle);
	SOLVER_WANT((unsigned)factor <= 2 && solve >= 1 && solve <= 3);
	handle->factorization = factor;
	handle->triangular = solve;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t handle,
					  cusolverRfFactorization_t *factor,
					  cusolverRfTriangularSolve_t *solve)
{
	RF_ALIVE(handle);
	SOLVER_WANT(factor && solve);
	*factor = handle->factorization;
	*solve = handle->triangular;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle,
							 cusolverRfResetValuesFastMode_t mode)
{
	RF_ALIVE(handle);
	SOLVER_WANT((unsigned)mode <= 1);
	handle->fast = mode;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle,
							 cusolverRfResetValuesFastMode_t *mode)
{
	RF_ALIVE(handle);
	SOLVER_WANT(mode);
	*mode = handle->fast;
	return CUSOLVER_STATUS_SUCCESS;
}
