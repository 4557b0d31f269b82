/* SPDX-License-Identifier: MIT */
/*
 * cuBLAS: types, constants and functions under the names that are in the library. Programs
 * include cublas_v2.h, which has the short names too. Functions are listed once, in
 * cublas_level1.h and its neighbours, which the library includes as well to define them.
 */
#ifndef VGPU_CUBLAS_API_H
#define VGPU_CUBLAS_API_H

/* The guard of NVIDIA's header: another one of theirs must not bring it in beside this. */
#define CUBLAS_API_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <driver_types.h>
#include <library_types.h>

#define CUBLASAPI
#define CUBLASWINAPI

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 9
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

#ifdef __cplusplus
struct __half;
struct __nv_bfloat16;
extern "C" {
#endif

typedef enum {
	CUBLAS_STATUS_SUCCESS = 0,
	CUBLAS_STATUS_NOT_INITIALIZED = 1,
	CUBLAS_STATUS_ALLOC_FAILED = 3,
	CUBLAS_STATUS_INVALID_VALUE = 7,
	CUBLAS_STATUS_ARCH_MISMATCH = 8,
	CUBLAS_STATUS_MAPPING_ERROR = 11,
	CUBLAS_STATUS_EXECUTION_FAILED = 13,
	CUBLAS_STATUS_INTERNAL_ERROR = 14,
	CUBLAS_STATUS_NOT_SUPPORTED = 15,
	CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum {
	CUBLAS_FILL_MODE_LOWER = 0,
	CUBLAS_FILL_MODE_UPPER = 1,
	CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;

typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;

typedef enum {
	CUBLAS_OP_N = 0,
	CUBLAS_OP_T = 1,
	CUBLAS_OP_C = 2,
	CUBLAS_OP_HERMITAN = 2,
	CUBLAS_OP_CONJG = 3
} cublasOperation_t;

typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

typedef enum {
	CUBLAS_GEMM_DFALT = -1,
	CUBLAS_GEMM_DEFAULT = -1,
	CUBLAS_GEMM_ALGO0 = 0,
	CUBLAS_GEMM_ALGO1,
	CUBLAS_GEMM_ALGO2,
	CUBLAS_GEMM_ALGO3,
	CUBLAS_GEMM_ALGO4,
	CUBLAS_GEMM_ALGO5,
	CUBLAS_GEMM_ALGO6,
	CUBLAS_GEMM_ALGO7,
	CUBLAS_GEMM_ALGO8,
	CUBLAS_GEMM_ALGO9,
	CUBLAS_GEMM_ALGO10,
	CUBLAS_GEMM_ALGO11,
	CUBLAS_GEMM_ALGO12,
	CUBLAS_GEMM_ALGO13,
	CUBLAS_GEMM_ALGO14,
	CUBLAS_GEMM_ALGO15,
	CUBLAS_GEMM_ALGO16,
	CUBLAS_GEMM_ALGO17,
	CUBLAS_GEMM_ALGO18,
	CUBLAS_GEMM_ALGO19,
	CUBLAS_GEMM_ALGO20,
	CUBLAS_GEMM_ALGO21,
	CUBLAS_GEMM_ALGO22,
	CUBLAS_GEMM_ALGO23,
	CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
	CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
	CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
	CUBLAS_GEMM_ALGO1_TENSOR_OP,
	CUBLAS_GEMM_ALGO2_TENSOR_OP,
	CUBLAS_GEMM_ALGO3_TENSOR_OP,
	CUBLAS_GEMM_ALGO4_TENSOR_OP,
	CUBLAS_GEMM_ALGO5_TENSOR_OP,
	CUBLAS_GEMM_ALGO6_TENSOR_OP,
	CUBLAS_GEMM_ALGO7_TENSOR_OP,
	CUBLAS_GEMM_ALGO8_TENSOR_OP,
	CUBLAS_GEMM_ALGO9_TENSOR_OP,
	CUBLAS_GEMM_ALGO10_TENSOR_OP,
	CUBLAS_GEMM_ALGO11_TENSOR_OP,
	CUBLAS_GEMM_ALGO12_TENSOR_OP,
	CUBLAS_GEMM_ALGO13_TENSOR_OP,
	CUBLAS_GEMM_ALGO14_TENSOR_OP,
	CUBLAS_GEMM_ALGO15_TENSOR_OP,
	CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;

/* The last one is a flag beside the others. */
typedef enum {
	CUBLAS_DEFAULT_MATH = 0,
	CUBLAS_TENSOR_OP_MATH = 1,
	CUBLAS_PEDANTIC_MATH = 2,
	CUBLAS_TF32_TENSOR_OP_MATH = 3,
	CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
	CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
	CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef cudaDataType cublasDataType_t;

typedef enum {
	CUBLAS_COMPUTE_16F = 64,
	CUBLAS_COMPUTE_16F_PEDANTIC = 65,
	CUBLAS_COMPUTE_32F = 68,
	CUBLAS_COMPUTE_32F_PEDANTIC = 69,
	CUBLAS_COMPUTE_64F = 70,
	CUBLAS_COMPUTE_64F_PEDANTIC = 71,
	CUBLAS_COMPUTE_32I = 72,
	CUBLAS_COMPUTE_32I_PEDANTIC = 73,
	CUBLAS_COMPUTE_32F_FAST_16F = 74,
	CUBLAS_COMPUTE_32F_FAST_16BF = 75,
	CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
	CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
	CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;

typedef enum {
	CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
	CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
	CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;

struct cublasContext;
typedef struct cublasContext *cublasHandle_t;
typedef void (*cublasLogCallback)(const char *message);

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int sms);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *sms);
cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle,
					  cublasEmulationStrategy_t strategy);
cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle,
					  cublasEmulationStrategy_t *strategy);
cublasStatus_t cublasSetEmulationSpecialValuesSupport(cublasHandle_t handle,
						      cudaEmulationSpecialValuesSupport mask);
cublasStatus_t cublasGetEmulationSpecialValuesSupport(cublasHandle_t handle,
						      cudaEmulationSpecialValuesSupport *mask);
cublasStatus_t cublasSetFixedPointEmulationMantissaControl(cublasHandle_t handle,
							   cudaEmulationMantissaControl control);
cublasStatus_t cublasGetFixedPointEmulationMantissaControl(cublasHandle_t handle,
							   cudaEmulationMantissaControl *control);
cublasStatus_t cublasSetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle, int bits);
cublasStatus_t cublasGetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle, int *bits);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle, int bits);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle, int *bits);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle,
								   int *bits);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle,
								   int **bits);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback);
void cublasXerbla(const char *name, int argument);

#define CUBLAS_CALL(name, parameters, function, arguments) \
	cublasStatus_t CUBLAS_NAME(name) parameters;

#define CUBLAS_INT int
#define CUBLAS_NAME(name) cublas##name
#include "cublas_copies.h"
#include "cublas_level1.h"
#include "cublas_vectors_ex.h"
#include "cublas_level2.h"
#include "cublas_level3.h"
#include "cublas_batched.h"
#include "cublas_batched_vectors.h"
#include "cublas_ex.h"
#include "cublas_grouped.h"
#include "cublas_once.h"
#include "cublas_factor.h"
#undef CUBLAS_INT
#undef CUBLAS_NAME

#define CUBLAS_INT int64_t
#define CUBLAS_NAME(name) cublas##name##_64
#include "cublas_copies.h"
#include "cublas_level1.h"
#include "cublas_vectors_ex.h"
#include "cublas_level2.h"
#include "cublas_level3.h"
#include "cublas_batched.h"
#include "cublas_batched_vectors.h"
#include "cublas_ex.h"
#include "cublas_grouped.h"
#undef CUBLAS_INT
#undef CUBLAS_NAME

#undef CUBLAS_CALL

#ifdef __cplusplus
}

/* Until toolkit 10 the type in which products are computed was named by a cudaDataType. */
static inline cublasStatus_t cublasMigrateComputeType(cublasHandle_t handle, cudaDataType type,
						      cublasComputeType_t *compute)
{
	cublasMath_t mode = CUBLAS_DEFAULT_MATH;
	cublasStatus_t status = cublasGetMathMode(handle, &mode);
	bool pedantic = (mode & 15) == CUBLAS_PEDANTIC_MATH;

	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	switch (type) {
	case CUDA_R_32F:
	case CUDA_C_32F:
		*compute = pedantic ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F;
		return CUBLAS_STATUS_SUCCESS;
	case CUDA_R_64F:
	case CUDA_C_64F:
		*compute = pedantic ? CUBLAS_COMPUTE_64F_PEDANTIC : CUBLAS_COMPUTE_64F;
		return CUBLAS_STATUS_SUCCESS;
	case CUDA_R_16F:
		*compute = pedantic ? CUBLAS_COMPUTE_16F_PEDANTIC : CUBLAS_COMPUTE_16F;
		return CUBLAS_STATUS_SUCCESS;
	case CUDA_R_32I:
		*compute = pedantic ? CUBLAS_COMPUTE_32I_PEDANTIC : CUBLAS_COMPUTE_32I;
		return CUBLAS_STATUS_SUCCESS;
	default:
		return CUBLAS_STATUS_NOT_SUPPORTED;
	}
}

static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
					  cublasOperation_t transb, int m, int n, int k,
					  const void *alpha, const void *a, cudaDataType atype,
					  int lda, const void *b, cudaDataType btype, int ldb,
					  const void *beta, void *c, cudaDataType ctype, int ldc,
					  cudaDataType type, cublasGemmAlgo_t algo)
{
	cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
	cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute);

	return status != CUBLAS_STATUS_SUCCESS
		       ? status
		       : cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, atype, lda, b,
				      btype, ldb, beta, c, ctype, ldc, compute, algo);
}

static inline cublasStatus_t
cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
		    int m, int n, int k, const void *alpha, const void *const a[],
		    cudaDataType atype, int lda, const void *const b[], cudaDataType btype, int ldb,
		    const void *beta, void *const c[], cudaDataType ctype, int ldc, int count,
		    cudaDataType type, cublasGemmAlgo_t algo)
{
	cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
	cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute);

	return status != CUBLAS_STATUS_SUCCESS
		       ? status
		       : cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, a, atype, lda,
					     b, btype, ldb, beta, c, ctype, ldc, count, compute,
					     algo);
}

static inline cublasStatus_t
cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
			   cublasOperation_t transb, int m, int n, int k, const void *alpha,
			   const void *a, cudaDataType atype, int lda, long long stridea,
			   const void *b, cudaDataType btype, int ldb, long long strideb,
			   const void *beta, void *c, cudaDataType ctype, int ldc,
			   long long stridec, int count, cudaDataType type, cublasGemmAlgo_t algo)
{
	cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
	cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute);

	return status != CUBLAS_STATUS_SUCCESS
		       ? status
		       : cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a,
						    atype, lda, stridea, b, btype, ldb, strideb,
						    beta, c, ctype, ldc, stridec, count, compute,
						    algo);
}

/* The same numbers under the name that the other libraries have for them */
static inline cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle,
							cudaEmulationStrategy strategy)
{
	return cublasSetEmulationStrategy(handle, (cublasEmulationStrategy_t)strategy);
}

static inline cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle,
							cudaEmulationStrategy *strategy)
{
	return cublasGetEmulationStrategy(handle, (cublasEmulationStrategy_t *)strategy);
}
#endif

#endif
