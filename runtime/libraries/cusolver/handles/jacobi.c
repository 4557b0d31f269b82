// SPDX-License-Identifier: MIT
/* Settings of Jacobi's method, and what it did last: its kernels write that on the device. */
#include "../objects.h"

/* The method ends for all matrices long before this. */
enum { SWEEPS = 100 };

static struct jacobi_settings *settings_new(enum solver_kind kind)
{
	struct jacobi_settings *s = live_new(sizeof(*s), kind);

	if (!s)
		return NULL;
	if (cudaMalloc((void **)&s->report, sizeof(*s->report)) != cudaSuccess ||
	    cudaMemset(s->report, 0, sizeof(*s->report)) != cudaSuccess) {
		cudaFree(s->report);
		live_delete(s, kind);
		return NULL;
	}
	s->most_sweeps = SWEEPS;
	s->sort = 1;
	return s;
}

#define JACOBI(Name, name, KIND)                                                                 \
	VGPU_API cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t *info)               \
	{                                                                                        \
		SOLVER_WANT(info);                                                               \
		*info = (name##Info_t)settings_new(KIND);                                        \
		return *info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;           \
	}                                                                                        \
	VGPU_API cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info)               \
	{                                                                                        \
		struct jacobi_report *report;                                                    \
                                                                                                 \
		SOLVER_WANT(live_is(info, KIND));                                           \
		report = info->settings.report;                                                  \
		live_delete(info, KIND);                                                       \
		return solver_status(cudaFree(report));                                          \
	}                                                                                        \
	VGPU_API cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info,             \
								  double tolerance)              \
	{                                                                                        \
		SOLVER_WANT(live_is(info, KIND) && tolerance >= 0);                         \
		info->settings.tolerance = tolerance;                                            \
		return CUSOLVER_STATUS_SUCCESS;                                                  \
	}                                                                                        \
	VGPU_API cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int most)   \
	{                                                                                        \
		SOLVER_WANT(live_is(info, KIND) && most >= 0);                              \
		info->settings.most_sweeps = most;                                               \
		return CUSOLVER_STATUS_SUCCESS;                                                  \
	}                                                                                        \
	VGPU_API cusolverStatus_t cusolverDnX##name##SetSortEig(name##Info_t info, int sort)     \
	{                                                                                        \
		SOLVER_WANT(live_is(info, KIND));                                           \
		info->settings.sort = sort;                                                      \
		return CUSOLVER_STATUS_SUCCESS;                                                  \
	}                                                                                        \
	VGPU_API cusolverStatus_t cusolverDnX##name##GetResidual(                                \
		cusolverDnHandle_t handle, name##Info_t info, double *residual)                  \
	{                                                                                        \
		SOLVER_TRY(solver_check(handle, SOLVER_DN, __func__));                           \
		SOLVER_WANT(live_is(info, KIND) && residual);                               \
		return solver_bring(&handle->handle, residual, &info->settings.report->residual, \
				    sizeof(*residual), __func__);                                \
	}                                                                                        \
	VGPU_API cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t handle,        \
							       name##Info_t info, int *sweeps)   \
	{                                                                                        \
		SOLVER_TRY(solver_check(handle, SOLVER_DN, __func__));                           \
		SOLVER_WANT(live_is(info, KIND) && sweeps);                                 \
		return solver_bring(&handle->handle, sweeps, &info->settings.report->sweeps,     \
				    sizeof(*sweeps), __func__);                                  \
	}
JACOBI(Syevj, syevj, SOLVER_SYEVJ)
JACOBI(Gesvdj, gesvdj, SOLVER_GESVDJ)
