/* SPDX-License-Identifier: MIT */
/*
 * cublasXt: products of matrices that are in the host's memory, by one device or several, in tiles.
 * It is a part of cuBLAS's file.
 */
#ifndef VGPU_CUBLAS_XT_H
#define VGPU_CUBLAS_XT_H

/* The guard of NVIDIA's header */
#define CUBLAS_XT_H_

#include "cublas_v2.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublasXtContext *cublasXtHandle_t;

typedef enum {
	CUBLASXT_PINNING_DISABLED = 0,
	CUBLASXT_PINNING_ENABLED = 1
} cublasXtPinnedMemMode_t;

typedef enum {
	CUBLASXT_FLOAT = 0,
	CUBLASXT_DOUBLE = 1,
	CUBLASXT_COMPLEX = 2,
	CUBLASXT_DOUBLECOMPLEX = 3
} cublasXtOpType_t;

typedef enum {
	CUBLASXT_GEMM = 0,
	CUBLASXT_SYRK = 1,
	CUBLASXT_HERK = 2,
	CUBLASXT_SYMM = 3,
	CUBLASXT_HEMM = 4,
	CUBLASXT_TRSM = 5,
	CUBLASXT_SYR2K = 6,
	CUBLASXT_HER2K = 7,
	CUBLASXT_SPMM = 8,
	CUBLASXT_SYRKX = 9,
	CUBLASXT_HERKX = 10,
	CUBLASXT_TRMM = 11,
	CUBLASXT_ROUTINE_MAX = 12
} cublasXtBlasOp_t;

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int *boards);
cublasStatus_t cublasXtMaxBoards(int *boards);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int dim);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *dim);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode);
/* The host's part of a product: a function by Fortran's convention, and how much of the result. */
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t op,
				     cublasXtOpType_t type, void *routine);
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t op,
				   cublasXtOpType_t type, float ratio);

#define CUBLAS_CALL(name, parameters, function, arguments) cublasStatus_t cublasXt##name parameters;
#include "cublas_xt.h"
#undef CUBLAS_CALL

#ifdef __cplusplus
}
#endif

#endif
