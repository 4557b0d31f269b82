// SPDX-License-Identifier: MIT
/*
 * Settings of solutions that may be refined from those in a shorter type, and what was done: they
 * are always computed in the type of the matrix, so nothing is ever refined.
 */
#include "../objects.h"

enum { ROUNDS = 50 };

VGPU_API cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params)
{
	SOLVER_WANT(params);
	*params = live_new(sizeof(**params), SOLVER_IRS_PARAMS);
	if (!*params)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	(*params)->solver = CUSOLVER_IRS_REFINE_NOT_SET;
	(*params)->most_rounds = (*params)->most_inner = ROUNDS;
	(*params)->fallback = true;
	return CUSOLVER_STATUS_SUCCESS;
}

#define PARAMS(params)                                                     \
	do {                                                               \
		if (!live_is(params, SOLVER_IRS_PARAMS))              \
			return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED; \
	} while (0)

VGPU_API cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params)
{
	return live_delete(params, SOLVER_IRS_PARAMS)
		       ? CUSOLVER_STATUS_SUCCESS
		       : CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params,
								 cusolverIRSRefinement_t solver)
{
	PARAMS(params);
	if (solver < CUSOLVER_IRS_REFINE_NOT_SET || solver > CUSOLVER_IRS_REFINE_GMRES_NOPCOND)
		return CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE;
	params->solver = solver;
	return CUSOLVER_STATUS_SUCCESS;
}

static bool is_main(cusolverPrecType_t type)
{
	return type == CUSOLVER_R_32F || type == CUSOLVER_R_64F || type == CUSOLVER_C_32F ||
	       type == CUSOLVER_C_64F;
}

static bool is_lowest(cusolverPrecType_t type)
{
	return (type >= CUSOLVER_R_64F && type <= CUSOLVER_R_TF32) ||
	       (type >= CUSOLVER_C_64F && type <= CUSOLVER_C_TF32);
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params,
								    cusolverPrecType_t main)
{
	PARAMS(params);
	if (!is_main(main))
		return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
	params->main = main;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params,
								      cusolverPrecType_t lowest)
{
	PARAMS(params);
	if (!is_lowest(lowest))
		return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
	params->lowest = lowest;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params,
								 cusolverPrecType_t main,
								 cusolverPrecType_t lowest)
{
	SOLVER_TRY(cusolverDnIRSParamsSetSolverMainPrecision(params, main));
	return cusolverDnIRSParamsSetSolverLowestPrecision(params, lowest);
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double tolerance)
{
	PARAMS(params);
	params->tolerance = tolerance;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params,
							 double tolerance)
{
	PARAMS(params);
	params->inner_tolerance = tolerance;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params,
							 cusolver_int_t most)
{
	PARAMS(params);
	if (most < 0)
		return CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER;
	params->most_rounds = most;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params,
							      cusolver_int_t most)
{
	PARAMS(params);
	if (most < 0)
		return CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER;
	params->most_inner = most;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params,
							 cusolver_int_t *most)
{
	PARAMS(params);
	SOLVER_WANT(most);
	*most = params->most_rounds;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params)
{
	PARAMS(params);
	params->fallback = true;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params)
{
	PARAMS(params);
	params->fallback = false;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos)
{
	SOLVER_WANT(infos);
	*infos = live_new(sizeof(**infos), SOLVER_IRS_INFOS);
	return *infos ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

#define INFOS(infos)                                                      \
	do {                                                              \
		if (!live_is(infos, SOLVER_IRS_INFOS))               \
			return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED; \
	} while (0)

VGPU_API cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos)
{
	return live_delete(infos, SOLVER_IRS_INFOS) ? CUSOLVER_STATUS_SUCCESS
						      : CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
}

/* Known when a solution was asked for */
static cusolverStatus_t rounds_of(cusolverDnIRSInfos_t infos, cusolver_int_t *rounds)
{
	INFOS(infos);
	SOLVER_WANT(rounds);
	*rounds = 0;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos,
						      cusolver_int_t *rounds)
{
	return rounds_of(infos, rounds);
}

VGPU_API cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos,
							   cusolver_int_t *rounds)
{
	return rounds_of(infos, rounds);
}

VGPU_API cusolverStatus_t cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos,
							cusolver_int_t *most)
{
	INFOS(infos);
	SOLVER_WANT(most);
	*most = infos->most_rounds;
	return CUSOLVER_STATUS_SUCCESS;
}
