/* SPDX-License-Identifier: MIT */
/*
 * Handles, and cuBLAS behind them. A handle of cuBLASLt is one of cuBLAS, as programs count on. A
 * call gets its stream as an argument, and handles may be used by several threads at once: so each
 * product borrows a handle of cuBLAS of its own.
 */
#ifndef CUBLASLT_HANDLE_H
#define CUBLASLT_HANDLE_H

#include "cublas_v2.h"
#include "cublasLt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* SUCCESS, or NOT_INITIALIZED: no handle */
cublasStatus_t lt_check(cublasLtHandle_t handle);

/* A handle for the calling thread's device and this stream; NULL: there is none. */
cublasHandle_t lt_borrow(cudaStream_t stream);
void lt_give_back(cublasHandle_t handle);

/* A line of the log, from @level on: 1 an error, 2 a call. */
void lt_log(int level, const char *function, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
