// SPDX-License-Identifier: MIT
/* Handles and settings of the dense part, the library's version. */
#include "../objects.h"

VGPU_API cusolverStatus_t cusolverGetVersion(int *version)
{
	SOLVER_WANT(version);
	*version = CUSOLVER_VERSION;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
	SOLVER_WANT(value && (unsigned int)type <= PATCH_LEVEL);
	*value = type == MAJOR_VERSION	 ? CUSOLVER_VER_MAJOR
		 : type == MINOR_VERSION ? CUSOLVER_VER_MINOR
					 : CUSOLVER_VER_PATCH;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
	SOLVER_TRY(solver_create((void **)handle, sizeof(**handle), SOLVER_DN));
	(*handle)->deterministic = CUSOLVER_DETERMINISTIC_RESULTS;
	(*handle)->math = CUSOLVER_DEFAULT_MATH;
	return CUSOLVER_STATUS_SUCCESS;
}

VGPU_API cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
	return live_delete(handle, SOLVER_DN) ? CUSOLVER_STATUS_SUCCESS
						: CUSOLVER_STATUS_NOT_INITIALIZED;
}

/* Name, type, field, condition of a value */
#define SETTING(name, type, field, good)                                                 \
	VGPU_API cusolverStatus_t cusolverDnSet##name(cusolverDnHandle_t h, type value)  \
	{                                                                                \
		SOLVER_ALIVE(h, SOLVER_DN);                                              \
		SOLVER_WANT(good);                                                       \
		h->field = value;                                                        \
		return CUSOLVER_STATUS_SUCCESS;                                          \
	}                                                                                \
	VGPU_API cusolverStatus_t cusolverDnGet##name(cusolverDnHandle_t h, type *value) \
	{                                                                                \
		SOLVER_ALIVE(h, SOLVER_DN);                                              \
		SOLVER_WANT(value);                                                      \
		*value = h->field;                                                       \
		return CUSOLVER_STATUS_SUCCESS;                                          \
	}
SETTING(Stream, cudaStream_t, handle.stream, true)
SETTING(DeterministicMode, cusolverDeterministicMode_t, deterministic,
	value == CUSOLVER_DETERMINISTIC_RESULTS ||
		value == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS)
SETTING(MathMode, cusolverMathMode_t, math,
	value == CUSOLVER_DEFAULT_MATH || value == CUSOLVER_FP32_EMULATED_BF16X9_MATH)
SETTING(EmulationStrategy, enum cudaEmulationStrategy_t, emulation, (unsigned int)value <= 2)

VGPU_API cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params)
{
	SOLVER_WANT(params);
	*params = live_new(sizeof(**params), SOLVER_PARAMS);
	return *params ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

VGPU_API cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
	return live_delete(params, SOLVER_PARAMS) ? CUSOLVER_STATUS_SUCCESS
						    : CUSOLVER_STATUS_INVALID_VALUE;
}

VGPU_API cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params,
						  cusolverDnFunction_t function,
						  cusolverAlgMode_t algorithm)
{
	SOLVER_WANT(live_is(params, SOLVER_PARAMS) && (unsigned int)function <= 2 &&
		    (unsigned int)algorithm <= 2);
	params->algorithms[function] = algorithm;
	return CUSOLVER_STATUS_SUCCESS;
}
