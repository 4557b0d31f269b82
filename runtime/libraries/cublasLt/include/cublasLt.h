/* SPDX-License-Identifier: MIT */
/*
 * cuBLASLt: products whose matrices, arithmetic and last steps are descriptions that the program
 * makes. Constants and sizes are those of NVIDIA's library; what is in a description is ours.
 */
#ifndef VGPU_CUBLASLT_H
#define VGPU_CUBLASLT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cublas_api.h"
#include "cublasLt_shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handle of cuBLAS can be used as one. */
typedef struct cublasLtContext *cublasLtHandle_t;

/* Descriptions may lie where the program wants them: ...Init, ...Create takes memory for them. */
typedef struct {
	uint64_t data[8];
} cublasLtMatrixLayoutOpaque_t;
typedef struct {
	uint64_t data[32];
} cublasLtMatmulDescOpaque_t;
typedef struct {
	uint64_t data[8];
} cublasLtMatrixTransformDescOpaque_t;
typedef struct {
	uint64_t data[8];
} cublasLtMatmulPreferenceOpaque_t;
typedef struct {
	uint64_t data[8];
} cublasLtEmulationDescOpaque_t;
typedef struct {
	uint64_t data[8];
} cublasLtMatmulAlgo_t;

typedef cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
typedef cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
typedef cublasLtMatrixTransformDescOpaque_t *cublasLtMatrixTransformDesc_t;
typedef cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;
typedef cublasLtEmulationDescOpaque_t *cublasLtEmulationDesc_t;

typedef enum {
	CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F = 0,
	CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 = 1,
	CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 = 2,
	CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F = 3,
	CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F = 4,
	CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F = 5,
	CUBLASLT_MATMUL_MATRIX_SCALE_PER_BATCH_SCALAR_32F = 6,
	CUBLASLT_MATMUL_MATRIX_SCALE_END
} cublasLtMatmulMatrixScale_t;

/* VECTOR: a factor for each row of the result */
typedef enum {
	CUBLASLT_POINTER_MODE_HOST = CUBLAS_POINTER_MODE_HOST,
	CUBLASLT_POINTER_MODE_DEVICE = CUBLAS_POINTER_MODE_DEVICE,
	CUBLASLT_POINTER_MODE_DEVICE_VECTOR = 2,
	CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO = 3,
	CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST = 4
} cublasLtPointerMode_t;

typedef enum {
	CUBLASLT_POINTER_MODE_MASK_HOST = 1,
	CUBLASLT_POINTER_MODE_MASK_DEVICE = 2,
	CUBLASLT_POINTER_MODE_MASK_DEVICE_VECTOR = 4,
	CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_ZERO = 8,
	CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_HOST = 16
} cublasLtPointerModeMask_t;

typedef uint64_t cublasLtNumericalImplFlags_t;
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA (0x01ull << 0)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA (0x02ull << 0)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_IMMA (0x04ull << 0)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_DMMA (0x08ull << 0)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK (0xfeull << 0)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_TYPE_MASK (0xffull << 0)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F (0x01ull << 8)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F (0x02ull << 8)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_64F (0x04ull << 8)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32I (0x08ull << 8)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_TYPE_MASK (0xffull << 8)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F (0x01ull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF (0x02ull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32 (0x04ull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F (0x08ull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_64F (0x10ull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8I (0x20ull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8F_E4M3 (0x40ull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8F_E5M2 (0x80ull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_INPUT_TYPE_MASK (0xffull << 16)
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_GAUSSIAN (0x01ull << 32)

/*
 * Where an element is. COL32: 32 columns beside each other, row by row; the others are tiles of 8
 * and of 32 rows of these (docs/libraries.md).
 */
typedef enum {
	CUBLASLT_ORDER_COL = 0,
	CUBLASLT_ORDER_ROW = 1,
	CUBLASLT_ORDER_COL32 = 2,
	CUBLASLT_ORDER_COL4_4R2_8C = 3,
	CUBLASLT_ORDER_COL32_2R_4R4 = 4
} cublasLtOrder_t;

typedef enum {
	CUBLASLT_BATCH_MODE_STRIDED = 0,
	CUBLASLT_BATCH_MODE_POINTER_ARRAY = 1
} cublasLtBatchMode_t;

typedef enum {
	CUBLASLT_MATRIX_LAYOUT_TYPE = 0, /* uint32_t, cudaDataType */
	CUBLASLT_MATRIX_LAYOUT_ORDER = 1, /* int32_t */
	CUBLASLT_MATRIX_LAYOUT_ROWS = 2, /* uint64_t */
	CUBLASLT_MATRIX_LAYOUT_COLS = 3, /* uint64_t */
	CUBLASLT_MATRIX_LAYOUT_LD = 4, /* int64_t, elements */
	CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5, /* int32_t */
	CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6, /* int64_t, elements */
	CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET = 7, /* int64_t, bytes */
	CUBLASLT_MATRIX_LAYOUT_BATCH_MODE = 8 /* uint32_t */
} cublasLtMatrixLayoutAttribute_t;

typedef enum {
	CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0,
	CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
	CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
	CUBLASLT_MATMUL_DESC_TRANSA = 3,
	CUBLASLT_MATMUL_DESC_TRANSB = 4,
	CUBLASLT_MATMUL_DESC_TRANSC = 5,
	CUBLASLT_MATMUL_DESC_FILL_MODE = 6,
	CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
	CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
	CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE = 10,
	CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11,
	CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12,
	CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE = 13,
	CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE = 14,
	CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET = 15,
	CUBLASLT_MATMUL_DESC_A_SCALE_POINTER = 17,
	CUBLASLT_MATMUL_DESC_B_SCALE_POINTER = 18,
	CUBLASLT_MATMUL_DESC_C_SCALE_POINTER = 19,
	CUBLASLT_MATMUL_DESC_D_SCALE_POINTER = 20,
	CUBLASLT_MATMUL_DESC_AMAX_D_POINTER = 21,
	CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE = 22,
	CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER = 23,
	CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER = 24,
	CUBLASLT_MATMUL_DESC_FAST_ACCUM = 25,
	CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26,
	CUBLASLT_MATMUL_DESC_A_SCALE_MODE = 31,
	CUBLASLT_MATMUL_DESC_B_SCALE_MODE = 32,
	CUBLASLT_MATMUL_DESC_C_SCALE_MODE = 33,
	CUBLASLT_MATMUL_DESC_D_SCALE_MODE = 34,
	CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE = 35,
	CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER = 36,
	CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE = 37,
	CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR = 38,
	CUBLASLT_MATMUL_DESC_ALPHA_BATCH_STRIDE = 39,
	CUBLASLT_MATMUL_DESC_BETA_BATCH_STRIDE = 40
} cublasLtMatmulDescAttributes_t;

typedef enum {
	CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE = 0,
	CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE = 1,
	CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA = 2,
	CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB = 3
} cublasLtMatrixTransformDescAttributes_t;

typedef enum {
	CUBLASLT_EMULATION_DESC_STRATEGY = 0,
	CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT = 1,
	CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_CONTROL = 2,
	CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT = 3,
	CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET = 4,
	CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER = 5
} cublasLtEmulationDescAttributes_t;

typedef enum {
	CUBLASLT_REDUCTION_SCHEME_NONE = 0,
	CUBLASLT_REDUCTION_SCHEME_INPLACE = 1,
	CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2,
	CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE = 4,
	CUBLASLT_REDUCTION_SCHEME_MASK = 7
} cublasLtReductionScheme_t;

/* RELU 2, BIAS 4, DRELU 8, BGRAD 16, GELU 32, DGELU 64, AUX 128, BGRADA 256, BGRADB 512 */
typedef enum {
	CUBLASLT_EPILOGUE_DEFAULT = 1,
	CUBLASLT_EPILOGUE_RELU = 2,
	CUBLASLT_EPILOGUE_RELU_AUX = 2 | 128,
	CUBLASLT_EPILOGUE_BIAS = 4,
	CUBLASLT_EPILOGUE_RELU_BIAS = 2 | 4,
	CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 2 | 4 | 128,
	CUBLASLT_EPILOGUE_DRELU = 8 | 128,
	CUBLASLT_EPILOGUE_DRELU_BGRAD = 8 | 16 | 128,
	CUBLASLT_EPILOGUE_GELU = 32,
	CUBLASLT_EPILOGUE_GELU_AUX = 32 | 128,
	CUBLASLT_EPILOGUE_GELU_BIAS = 32 | 4,
	CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 32 | 4 | 128,
	CUBLASLT_EPILOGUE_DGELU = 64 | 128,
	CUBLASLT_EPILOGUE_DGELU_BGRAD = 64 | 16 | 128,
	CUBLASLT_EPILOGUE_BGRADA = 256,
	CUBLASLT_EPILOGUE_BGRADB = 512
} cublasLtEpilogue_t;

typedef enum {
	CUBLASLT_SEARCH_BEST_FIT = 0,
	CUBLASLT_SEARCH_LIMITED_BY_ALGO_ID = 1,
	CUBLASLT_SEARCH_RESERVED_02 = 2,
	CUBLASLT_SEARCH_RESERVED_03 = 3,
	CUBLASLT_SEARCH_RESERVED_04 = 4,
	CUBLASLT_SEARCH_RESERVED_05 = 5,
	CUBLASLT_SEARCH_RESERVED_06 = 6,
	CUBLASLT_SEARCH_RESERVED_07 = 7,
	CUBLASLT_SEARCH_RESERVED_08 = 8,
	CUBLASLT_SEARCH_RESERVED_09 = 9
} cublasLtMatmulSearch_t;

typedef enum {
	CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0,
	CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
	CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
	CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT = 9,
	CUBLASLT_MATMUL_PREF_IMPL_MASK = 12,
	CUBLASLT_MATMUL_PREF_GROUPED_AVERAGE_REDUCTION_DIM = 13,
	CUBLASLT_MATMUL_PREF_GROUPED_DESC_D_AVERAGE_ROWS = 14,
	CUBLASLT_MATMUL_PREF_GROUPED_DESC_D_AVERAGE_COLS = 15
} cublasLtMatmulPreferenceAttributes_t;

typedef struct {
	cublasLtMatmulAlgo_t algo;
	size_t workspaceSize;
	cublasStatus_t state;
	float wavesCount;
	int reserved[4];
} cublasLtMatmulHeuristicResult_t;

typedef enum {
	CUBLASLT_ALGO_CAP_SPLITK_SUPPORT = 0,
	CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK = 1,
	CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT = 2,
	CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT = 3,
	CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT = 4,
	CUBLASLT_ALGO_CAP_UPLO_SUPPORT = 5,
	CUBLASLT_ALGO_CAP_TILE_IDS = 6,
	CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX = 7,
	CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER = 10,
	CUBLASLT_ALGO_CAP_POINTER_MODE_MASK = 11,
	CUBLASLT_ALGO_CAP_EPILOGUE_MASK = 12,
	CUBLASLT_ALGO_CAP_STAGES_IDS = 13,
	CUBLASLT_ALGO_CAP_LD_NEGATIVE = 14,
	CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS = 15,
	CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES = 16,
	CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES = 17,
	CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES = 18,
	CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES = 19,
	CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT = 21,
	CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT = 22
} cublasLtMatmulAlgoCapAttributes_t;

typedef enum {
	CUBLASLT_ALGO_CONFIG_ID = 0,
	CUBLASLT_ALGO_CONFIG_TILE_ID = 1,
	CUBLASLT_ALGO_CONFIG_SPLITK_NUM = 2,
	CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME = 3,
	CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING = 4,
	CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION = 5,
	CUBLASLT_ALGO_CONFIG_STAGES_ID = 6,
	CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID = 7,
	CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID = 8
} cublasLtMatmulAlgoConfigAttributes_t;

typedef void (*cublasLtLoggerCallback_t)(int level, const char *function, const char *message);

/* ---- handles and the library ------------------------------------------------- */

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle);
const char *cublasLtGetStatusName(cublasStatus_t status);
const char *cublasLtGetStatusString(cublasStatus_t status);
size_t cublasLtGetVersion(void);
size_t cublasLtGetCudartVersion(void);
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value);
cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity);
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity);
/* Levels: 1 errors, 2 to 4 calls, too; a mask has bit 0 for errors, bits 1 to 4 for calls. */
cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback);
cublasStatus_t cublasLtLoggerSetFile(FILE *file);
cublasStatus_t cublasLtLoggerOpenFile(const char *path);
cublasStatus_t cublasLtLoggerSetLevel(int level);
cublasStatus_t cublasLtLoggerSetMask(int mask);
cublasStatus_t cublasLtLoggerForceDisable(void);

/* ---- descriptions ------------------------------------------------------------ */

/* Create, Destroy, SetAttribute, GetAttribute of each kind */
#define VGPU_LT_DESCRIPTION(name, type, attribute, ...)                                       \
	cublasStatus_t name##Create(type *description __VA_OPT__(, ) __VA_ARGS__);            \
	cublasStatus_t name##Destroy(type description);                                       \
	cublasStatus_t name##SetAttribute(type description, attribute which, const void *buf, \
					  size_t bytes);                                      \
	cublasStatus_t name##GetAttribute(type description, attribute which, void *buf,       \
					  size_t bytes, size_t *written);                     \
	cublasStatus_t name##Init_internal(type description,                                  \
					   size_t size __VA_OPT__(, ) __VA_ARGS__);

VGPU_LT_DESCRIPTION(cublasLtMatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t,
		    cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
VGPU_LT_DESCRIPTION(cublasLtMatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t,
		    cublasComputeType_t compute, cudaDataType scale)
VGPU_LT_DESCRIPTION(cublasLtMatrixTransformDesc, cublasLtMatrixTransformDesc_t,
		    cublasLtMatrixTransformDescAttributes_t, cudaDataType scale)
VGPU_LT_DESCRIPTION(cublasLtMatmulPreference, cublasLtMatmulPreference_t,
		    cublasLtMatmulPreferenceAttributes_t)
VGPU_LT_DESCRIPTION(cublasLtEmulationDesc, cublasLtEmulationDesc_t,
		    cublasLtEmulationDescAttributes_t)
#undef VGPU_LT_DESCRIPTION

static inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t description,
						      cudaDataType type, uint64_t rows,
						      uint64_t cols, int64_t ld)
{
	return cublasLtMatrixLayoutInit_internal(description, sizeof(*description), type, rows,
						 cols, ld);
}

/* Matrices of different sizes, of toolkit 13.2 and later: refused */
cublasStatus_t cublasLtGroupedMatrixLayoutCreate(cublasLtMatrixLayout_t *description,
						 cudaDataType type, int groups, const void *rows,
						 const void *cols, const void *ld);
cublasStatus_t cublasLtGroupedMatrixLayoutInit_internal(cublasLtMatrixLayout_t description,
							size_t size, cudaDataType type, int groups,
							const void *rows, const void *cols,
							const void *ld);
static inline cublasStatus_t cublasLtGroupedMatrixLayoutInit(cublasLtMatrixLayout_t description,
							     cudaDataType type, int groups,
							     const void *rows, const void *cols,
							     const void *ld)
{
	return cublasLtGroupedMatrixLayoutInit_internal(description, sizeof(*description), type,
							groups, rows, cols, ld);
}

static inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t description,
						    cublasComputeType_t compute, cudaDataType scale)
{
	return cublasLtMatmulDescInit_internal(description, sizeof(*description), compute, scale);
}

static inline cublasStatus_t
cublasLtMatrixTransformDescInit(cublasLtMatrixTransformDesc_t description, cudaDataType scale)
{
	return cublasLtMatrixTransformDescInit_internal(description, sizeof(*description), scale);
}

static inline cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t description)
{
	return cublasLtMatmulPreferenceInit_internal(description, sizeof(*description));
}

static inline cublasStatus_t cublasLtEmulationDescInit(cublasLtEmulationDesc_t description)
{
	return cublasLtEmulationDescInit_internal(description, sizeof(*description));
}

/* ---- products ---------------------------------------------------------------- */

/* D = epilogue(alpha op(A) op(B) + beta C) */
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
			      const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
			      const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta,
			      const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
			      cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo,
			      void *workspace, size_t workspaceSizeInBytes, cudaStream_t stream);
/* C = alpha op(A) + beta op(B) */
cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle,
				       cublasLtMatrixTransformDesc_t operation, const void *alpha,
				       const void *A, cublasLtMatrixLayout_t Adesc,
				       const void *beta, const void *B,
				       cublasLtMatrixLayout_t Bdesc, void *C,
				       cublasLtMatrixLayout_t Cdesc, cudaStream_t stream);
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
	cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t Adesc,
	cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
	cublasLtMatmulPreference_t preference, int requestedAlgoCount,
	cublasLtMatmulHeuristicResult_t heuristicResultsArray[], int *returnAlgoCount);
cublasStatus_t cublasLtMatmulAlgoGetHeuristicForStream(
	cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t Adesc,
	cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
	cublasLtMatmulPreference_t preference, int requestedAlgoCount,
	cublasLtMatmulHeuristicResult_t heuristicResultsArray[], int *returnAlgoCount,
	cudaStream_t stream);
cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute,
					cudaDataType scale, cudaDataType Atype, cudaDataType Btype,
					cudaDataType Ctype, cudaDataType Dtype,
					int requestedAlgoCount, int algoIdsArray[],
					int *returnAlgoCount);
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute,
				      cudaDataType scale, cudaDataType Atype, cudaDataType Btype,
				      cudaDataType Ctype, cudaDataType Dtype, int algoId,
				      cublasLtMatmulAlgo_t *algo);
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
				       cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
				       cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
				       const cublasLtMatmulAlgo_t *algo,
				       cublasLtMatmulHeuristicResult_t *result);
cublasStatus_t cublasLtMatmulAlgoCheckForStream(
	cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t Adesc,
	cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
	const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result,
	cudaStream_t stream);
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
						 cublasLtMatmulAlgoCapAttributes_t which, void *buf,
						 size_t bytes, size_t *written);
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo,
						    cublasLtMatmulAlgoConfigAttributes_t which,
						    const void *buf, size_t bytes);
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
						    cublasLtMatmulAlgoConfigAttributes_t which,
						    void *buf, size_t bytes, size_t *written);

#ifdef __cplusplus
}
#endif

#endif
