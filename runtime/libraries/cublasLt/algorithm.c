// SPDX-License-Identifier: MIT
/*
 * Algorithms: there is one, which does all that is supported, so the search for the best is short.
 * What a program asks of it is kept and is a hint, but a sum over k in parts, which it does not do.
 */
#include <string.h>

#include <cuda_runtime.h>

#include "handle.h"
#include "plan.h"
#include "refuse.h"

enum { ALGORITHM = 0x4c744167, ID = 0, CONFIGURED = 9 };

struct algorithm {
	uint32_t kind;
	uint32_t value[CONFIGURED];	/* by enum cublasLtMatmulAlgoConfigAttributes_t */
};
_Static_assert(sizeof(struct algorithm) <= sizeof(cublasLtMatmulAlgo_t), "");

static bool is_algorithm(const cublasLtMatmulAlgo_t *algo)
{
	return algo && ((const struct algorithm *)algo)->kind == ALGORITHM;
}

static void make(cublasLtMatmulAlgo_t *algo)
{
	struct algorithm is = { .kind = ALGORITHM, .value[CUBLASLT_ALGO_CONFIG_ID] = ID };

	memset(algo, 0, sizeof(*algo));
	memcpy(algo, &is, sizeof(is));
}

cublasStatus_t lt_look_at_algorithm(const cublasLtMatmulAlgo_t *algo, const char **why)
{
	const struct algorithm *is = (const void *)algo;

	*why = "an algorithm that is none of this library";
	if (!is_algorithm(algo))
		return CUBLAS_STATUS_INVALID_VALUE;
	*why = "sums over k in parts, or another order of blocks";
	if (is->value[CUBLASLT_ALGO_CONFIG_SPLITK_NUM] > 1 ||
	    is->value[CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME] ||
	    is->value[CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING] ||
	    is->value[CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION])
		return CUBLAS_STATUS_NOT_SUPPORTED;
	*why = "";
	return CUBLAS_STATUS_SUCCESS;
}

/* How often the SMs are filled: by blocks of 128 times 64 elements */
static float waves(const struct lt_plan *p)
{
	float blocks = (float)((p->m + 127) / 128) * (float)((p->n + 63) / 64) * (float)p->batches;
	int device, sms = 1;

	if (cudaGetDevice(&device) == cudaSuccess)
		cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
	return blocks / (float)sms;
}

static void fill_result(cublasLtMatmulHeuristicResult_t *result, const struct lt_plan *p,
			const cublasLtMatmulAlgo_t *algo)
{
	memset(result, 0, sizeof(*result));
	if (algo)
		result->algo = *algo;
	else
		make(&result->algo);
	result->state = CUBLAS_STATUS_SUCCESS;
	result->wavesCount = waves(p);
}

VGPU_API cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
			       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
			       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
			       cublasLtMatmulPreference_t preference, int wanted,
			       cublasLtMatmulHeuristicResult_t results[], int *count)
{
	struct lt_plan plan;
	const char *why = "";
	cublasStatus_t status = lt_check(handle);

	if (count)
		*count = 0;
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	if (!lt_preference(preference) || wanted < 1 || !results || !count)
		return CUBLAS_STATUS_INVALID_VALUE;
	status = lt_make_plan(&plan, operation, a, b, c, d, &why);
	if (status != CUBLAS_STATUS_SUCCESS) {
		lt_log(1, __func__, "%s: %s", cublasGetStatusName(status), why);
		return status;
	}
	fill_result(results, &plan, NULL);
	*count = 1;
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle,
						 cublasComputeType_t compute, cudaDataType scale,
						 cudaDataType a, cudaDataType b,
						 cudaDataType c, cudaDataType d, int wanted,
						 int ids[], int *count)
{
	cublasStatus_t status = lt_check(handle);

	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	if (wanted < 1 || !ids || !count)
		return CUBLAS_STATUS_INVALID_VALUE;
	*count = 0;
	if (!lt_types_known((int)compute, (int)scale, (int)a, (int)b, (int)c, (int)d))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	ids[0] = ID;
	*count = 1;
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute,
					       cudaDataType scale, cudaDataType a,
					       cudaDataType b, cudaDataType c, cudaDataType d,
					       int id, cublasLtMatmulAlgo_t *algo)
{
	cublasStatus_t status = lt_check(handle);

	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	if (!algo || id != ID)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!lt_types_known((int)compute, (int)scale, (int)a, (int)b, (int)c, (int)d))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	make(algo);
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t
cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
			cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
			cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
			const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result)
{
	struct lt_plan plan;
	const char *why = "";
	cublasStatus_t status = lt_check(handle);

	if (status == CUBLAS_STATUS_SUCCESS && !result)
		status = CUBLAS_STATUS_INVALID_VALUE;
	if (status == CUBLAS_STATUS_SUCCESS)
		status = lt_make_plan(&plan, operation, a, b, c, d, &why);
	if (status == CUBLAS_STATUS_SUCCESS)
		status = lt_look_at_algorithm(algo, &why);
	if (status == CUBLAS_STATUS_SUCCESS)
		fill_result(result, &plan, algo);
	else
		lt_log(1, __func__, "%s: %s", cublasGetStatusName(status), why);
	return status;
}

/* Of toolkit 13.2 and later. All streams have all SMs. */
VGPU_API cublasStatus_t cublasLtMatmulAlgoGetHeuristicForStream(
	cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a,
	cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
	cublasLtMatmulPreference_t preference, int wanted,
	cublasLtMatmulHeuristicResult_t results[], int *count, cudaStream_t stream)
{
	(void)stream;
	return cublasLtMatmulAlgoGetHeuristic(handle, operation, a, b, c, d, preference, wanted,
					      results, count);
}

VGPU_API cublasStatus_t cublasLtMatmulAlgoCheckForStream(
	cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a,
	cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
	const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result,
	cudaStream_t stream)
{
	(void)stream;
	return cublasLtMatmulAlgoCheck(handle, operation, a, b, c, d, algo, result);
}

/* @bytes of 0 asks for the size. */
static cublasStatus_t give(void *buf, size_t bytes, size_t *written, const void *value, size_t size)
{
	if ((!bytes && !written) || (bytes && (!buf || bytes < size)))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (written)
		*written = size;
	if (bytes)
		memcpy(buf, value, size);
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
							  cublasLtMatmulAlgoCapAttributes_t which,
							  void *buf, size_t bytes, size_t *written)
{
	const uint32_t tile = CUBLASLT_MATMUL_TILE_128x64, stages = CUBLASLT_MATMUL_STAGES_32x1;
	uint64_t flags = CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA;
	int32_t number = 0;

	if (!is_algorithm(algo))
		return CUBLAS_STATUS_INVALID_VALUE;
	switch (which) {
	case CUBLASLT_ALGO_CAP_TILE_IDS:
		return give(buf, bytes, written, &tile, sizeof(tile));
	case CUBLASLT_ALGO_CAP_STAGES_IDS:
		return give(buf, bytes, written, &stages, sizeof(stages));
	case CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS:
		return give(buf, bytes, written, &flags, sizeof(flags));
	case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
	case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT:
	case CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER:
	case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES:
	case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
	case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES:
	case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES:
		number = 1;
		break;
	case CUBLASLT_ALGO_CAP_POINTER_MODE_MASK:
		number = 31;
		break;
	case CUBLASLT_ALGO_CAP_EPILOGUE_MASK:
		number = 1023;
		break;
	case CUBLASLT_ALGO_CAP_SPLITK_SUPPORT:
	case CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK:
	case CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT:
	case CUBLASLT_ALGO_CAP_UPLO_SUPPORT:
	case CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
	case CUBLASLT_ALGO_CAP_LD_NEGATIVE:
	case CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT:
	case CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT:
		break;
	default:
		return CUBLAS_STATUS_INVALID_VALUE;
	}
	return give(buf, bytes, written, &number, sizeof(number));
}

/* The shapes of instructions and clusters have 16 bits. */
static size_t size_of(cublasLtMatmulAlgoConfigAttributes_t which)
{
	return which == CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID ||
			       which == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID ?
		       sizeof(uint16_t) :
		       sizeof(uint32_t);
}

VGPU_API cublasStatus_t
cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo,
				     cublasLtMatmulAlgoConfigAttributes_t which, const void *buf,
				     size_t bytes)
{
	struct algorithm *is = (void *)algo;
	uint32_t value = 0;

	if (!is_algorithm(algo) || (unsigned int)which >= CONFIGURED || !buf ||
	    which == CUBLASLT_ALGO_CONFIG_ID || bytes != size_of(which))
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(&value, buf, bytes);
	is->value[which] = value;
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t
cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
				     cublasLtMatmulAlgoConfigAttributes_t which, void *buf,
				     size_t bytes, size_t *written)
{
	const struct algorithm *is = (const void *)algo;

	if (!is_algorithm(algo) || (unsigned int)which >= CONFIGURED)
		return CUBLAS_STATUS_INVALID_VALUE;
	return give(buf, bytes, written, &is->value[which], size_of(which));
}
