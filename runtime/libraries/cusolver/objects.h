/* SPDX-License-Identifier: MIT */
/*
 * What the library makes for programs: handles, settings, results. All live ones are in one table,
 * with their kinds: what is not there is refused, whatever memory it points to. For C and C++.
 */
#ifndef CUSOLVER_OBJECTS_H
#define CUSOLVER_OBJECTS_H

#include "cusolverDn.h"
#include "live.h"
#include "refuse.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum solver_kind {
	SOLVER_DN = 1,
	SOLVER_SP,
	SOLVER_PARAMS,
	SOLVER_SYEVJ,
	SOLVER_GESVDJ,
	SOLVER_IRS_PARAMS,
	SOLVER_IRS_INFOS,
	SOLVER_LU_HOST,
	SOLVER_QR_HOST,
	SOLVER_QR,
	SOLVER_CHOLESKY_HOST,
	SOLVER_CHOLESKY,
	SOLVER_RF
};

/* Handles of the dense and of the sparse part begin with this. */
struct solver_handle {
	struct live_object object;
	int device;
	cudaStream_t stream;
};

struct cusolverDnContext {
	struct solver_handle handle;
	/* remembered: results are always the same, and never made of other numbers */
	cusolverDeterministicMode_t deterministic;
	cusolverMathMode_t math;
	enum cudaEmulationStrategy_t emulation;
};

struct cusolverDnParams {
	struct live_object object;
	cusolverAlgMode_t algorithms[3]; /* remembered: there is one algorithm for each function */
};

/* What Jacobi's method did: on the device, written by its kernel */
struct jacobi_report {
	double residual;
	int sweeps;
};

struct jacobi_settings {
	struct live_object object;
	double tolerance; /* 0: of the type */
	int most_sweeps, sort;
	struct jacobi_report *report;
};
struct syevjInfo {
	struct jacobi_settings settings;
};
struct gesvdjInfo {
	struct jacobi_settings settings;
};

struct cusolverDnIRSParams {
	struct live_object object;
	cusolverIRSRefinement_t solver;
	cusolverPrecType_t main, lowest;
	double tolerance, inner_tolerance;
	int most_rounds, most_inner;
	bool fallback;
};

struct cusolverDnIRSInfos {
	struct live_object object;
	int most_rounds;
	bool done;
};

/* Of a handle of this kind, with the calling thread's device and no stream */
cusolverStatus_t solver_create(void **handle, size_t bytes, enum solver_kind kind);
/* SUCCESS, or what is wrong with the handle; the calling thread's device must be the handle's. */
cusolverStatus_t solver_check(const void *handle, enum solver_kind kind, const char *function);
#define solver_say(function, what) say_once("libcusolver", function, what)
cusolverStatus_t solver_status(cudaError_t error);
/* NOT_SUPPORTED, and a line, where the stream is captured: before a function that waits begins */
cusolverStatus_t solver_can_wait(const struct solver_handle *handle, const char *function);
/* What is in device memory or managed, for the host, when the stream has come there. */
cusolverStatus_t solver_bring(const struct solver_handle *handle, void *to, const void *from,
			      size_t bytes, const char *function);

#define SOLVER_TRY(call)                                \
	do {                                            \
		cusolverStatus_t status_ = (call);      \
		if (status_ != CUSOLVER_STATUS_SUCCESS) \
			return status_;                 \
	} while (0)
#define SOLVER_WANT(condition)                                \
	do {                                                  \
		if (!(condition))                             \
			return CUSOLVER_STATUS_INVALID_VALUE; \
	} while (0)
#define SOLVER_ALIVE(object, kind)                              \
	do {                                                    \
		if (!live_is(object, kind))                     \
			return CUSOLVER_STATUS_NOT_INITIALIZED; \
	} while (0)

#ifdef __cplusplus
}
#endif

#endif
