// SPDX-License-Identifier: MIT
/*
 * Descriptions: made, destroyed, and their attributes, which are written and read through tables.
 * What an attribute means is looked at when a description is used, so that the order in which a
 * program sets them does not matter.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "description.h"
#include "refuse.h"

enum { LAYOUT = 0x4c744c61, OPERATION, TRANSFORM, PREFERENCE, EMULATION };

/* @wide: bytes of it as the program sees it; 0: as in the struct */
struct attribute {
	int which;
	unsigned short at, bytes, wide;
};

#define AT(which, type, member)                                                             \
	{                                                                                   \
		which, offsetof(struct type, member), sizeof(((struct type *)0)->member), 0 \
	}
/* A small number, which the program sees as an int32_t */
#define SMALL(which, type, member)                                                          \
	{                                                                                   \
		which, offsetof(struct type, member), sizeof(((struct type *)0)->member), 4 \
	}

static const struct attribute layout_attributes[] = {
	AT(CUBLASLT_MATRIX_LAYOUT_TYPE, lt_layout, type),
	AT(CUBLASLT_MATRIX_LAYOUT_ORDER, lt_layout, order),
	AT(CUBLASLT_MATRIX_LAYOUT_ROWS, lt_layout, rows),
	AT(CUBLASLT_MATRIX_LAYOUT_COLS, lt_layout, cols),
	AT(CUBLASLT_MATRIX_LAYOUT_LD, lt_layout, ld),
	AT(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, lt_layout, batches),
	AT(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, lt_layout, stride),
	AT(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, lt_layout, plane),
	AT(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, lt_layout, batch_mode),
	{-1, 0, 0, 0},
};

static const struct attribute operation_attributes[] = {
	AT(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, lt_operation, compute),
	AT(CUBLASLT_MATMUL_DESC_SCALE_TYPE, lt_operation, scale),
	AT(CUBLASLT_MATMUL_DESC_POINTER_MODE, lt_operation, pointer_mode),
	SMALL(CUBLASLT_MATMUL_DESC_TRANSA, lt_operation, op_of[0]),
	SMALL(CUBLASLT_MATMUL_DESC_TRANSB, lt_operation, op_of[1]),
	SMALL(CUBLASLT_MATMUL_DESC_TRANSC, lt_operation, op_of[2]),
	SMALL(CUBLASLT_MATMUL_DESC_FILL_MODE, lt_operation, fill),
	AT(CUBLASLT_MATMUL_DESC_EPILOGUE, lt_operation, epilogue),
	AT(CUBLASLT_MATMUL_DESC_BIAS_POINTER, lt_operation, bias),
	AT(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, lt_operation, bias_stride),
	AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, lt_operation, aux),
	AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, lt_operation, aux_ld),
	AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, lt_operation, aux_stride),
	AT(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, lt_operation, alpha_stride),
	AT(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, lt_operation, sms),
	AT(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, lt_operation, scale_of[0]),
	AT(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, lt_operation, scale_of[1]),
	AT(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, lt_operation, scale_of[2]),
	AT(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, lt_operation, scale_of[3]),
	AT(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, lt_operation, amax),
	AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, lt_operation, aux_type),
	AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, lt_operation, aux_scale),
	AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, lt_operation, aux_amax),
	AT(CUBLASLT_MATMUL_DESC_FAST_ACCUM, lt_operation, fast),
	AT(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, lt_operation, bias_type),
	SMALL(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, lt_operation, mode_of[0]),
	SMALL(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, lt_operation, mode_of[1]),
	SMALL(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, lt_operation, mode_of[2]),
	SMALL(CUBLASLT_MATMUL_DESC_D_SCALE_MODE, lt_operation, mode_of[3]),
	SMALL(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, lt_operation, aux_mode),
	AT(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, lt_operation, out_scale),
	SMALL(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, lt_operation, out_mode),
	AT(CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, lt_operation, emulation),
	{-1, 0, 0, 0},
};

static const struct attribute transform_attributes[] = {
	AT(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, lt_transform, scale),
	AT(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, lt_transform, pointer_mode),
	AT(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, lt_transform, op_of[0]),
	AT(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, lt_transform, op_of[1]),
	{-1, 0, 0, 0},
};

static const struct attribute preference_attributes[] = {
	AT(CUBLASLT_MATMUL_PREF_SEARCH_MODE, lt_preference, search),
	AT(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, lt_preference, workspace),
	AT(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, lt_preference, schemes),
	AT(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, lt_preference, align_of[0]),
	AT(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, lt_preference, align_of[1]),
	AT(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, lt_preference, align_of[2]),
	AT(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, lt_preference, align_of[3]),
	AT(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, lt_preference, waves),
	AT(CUBLASLT_MATMUL_PREF_IMPL_MASK, lt_preference, implementations),
	{-1, 0, 0, 0},
};

static const struct attribute emulation_attributes[] = {
	AT(CUBLASLT_EMULATION_DESC_STRATEGY, lt_emulation, strategy),
	AT(CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT, lt_emulation, special_values),
	AT(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_CONTROL, lt_emulation, mantissa),
	AT(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT, lt_emulation, most_bits),
	AT(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET, lt_emulation, bit_offset),
	AT(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER, lt_emulation, bits),
	{-1, 0, 0, 0},
};

static const struct attribute *find_attribute(const void *description, uint32_t kind,
					      const struct attribute *list, int which)
{
	if (!description || *(const uint32_t *)description != kind)
		return NULL;
	while (list->which >= 0 && list->which != which)
		list++;
	return list->which < 0 ? NULL : list;
}

static cublasStatus_t set(void *description, uint32_t kind, const struct attribute *list, int which,
			  const void *buf, size_t bytes)
{
	const struct attribute *attribute = find_attribute(description, kind, list, which);
	int32_t wide;

	if (!attribute || !buf || bytes != (attribute->wide ? attribute->wide : attribute->bytes))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!attribute->wide) {
		memcpy((char *)description + attribute->at, buf, bytes);
		return CUBLAS_STATUS_SUCCESS;
	}
	memcpy(&wide, buf, sizeof(wide));
	if (wide < 0 || wide > 255)
		return CUBLAS_STATUS_INVALID_VALUE;
	((uint8_t *)description)[attribute->at] = (uint8_t)wide;
	return CUBLAS_STATUS_SUCCESS;
}

/* @bytes of 0 asks for the size. */
static cublasStatus_t get(const void *description, uint32_t kind, const struct attribute *list,
			  int which, void *buf, size_t bytes, size_t *written)
{
	const struct attribute *attribute = find_attribute(description, kind, list, which);
	size_t size;

	if (!attribute || (!bytes && !written) || (bytes && !buf))
		return CUBLAS_STATUS_INVALID_VALUE;
	size = attribute->wide ? attribute->wide : attribute->bytes;
	if (bytes && bytes < size)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (written)
		*written = size;
	if (bytes) {
		memset(buf, 0, size);
		memcpy(buf, (const char *)description + attribute->at, attribute->bytes);
	}
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t destroy(void *description, uint32_t kind)
{
	if (!description)
		return CUBLAS_STATUS_SUCCESS;
	if (*(uint32_t *)description != kind)
		return CUBLAS_STATUS_INVALID_VALUE;
	*(uint32_t *)description = 0;
	free(description);
	return CUBLAS_STATUS_SUCCESS;
}

/* Of each kind the functions that programs call; @begin fills a struct that is 0 otherwise. */
#define DESCRIPTION(name, handle, opaque, which_type, KIND, type, list, begin, PARAMETERS,        \
		    ARGUMENTS)                                                                    \
	_Static_assert(sizeof(struct type) <= sizeof(opaque), "");                                \
	const struct type *type(handle description)                                               \
	{                                                                                         \
		const struct type *is = (const void *)description;                                \
                                                                                                  \
		return is && is->kind == KIND ? is : NULL;                                        \
	}                                                                                         \
	VGPU_API cublasStatus_t name##Init_internal(handle description, size_t size PARAMETERS)   \
	{                                                                                         \
		struct type is = {.kind = KIND};                                                  \
                                                                                                  \
		if (!description || size < sizeof(is))                                            \
			return CUBLAS_STATUS_INVALID_VALUE;                                       \
		begin;                                                                            \
		memset(description, 0, size);                                                     \
		memcpy(description, &is, sizeof(is));                                             \
		return CUBLAS_STATUS_SUCCESS;                                                     \
	}                                                                                         \
	VGPU_API cublasStatus_t name##Create(handle *description PARAMETERS)                      \
	{                                                                                         \
		if (!description)                                                                 \
			return CUBLAS_STATUS_INVALID_VALUE;                                       \
		*description = malloc(sizeof(opaque));                                            \
		return *description ? name##Init_internal(*description, sizeof(opaque) ARGUMENTS) \
				    : CUBLAS_STATUS_ALLOC_FAILED;                                 \
	}                                                                                         \
	VGPU_API cublasStatus_t name##Destroy(handle description)                                 \
	{                                                                                         \
		return destroy(description, KIND);                                                \
	}                                                                                         \
	VGPU_API cublasStatus_t name##SetAttribute(handle description, which_type which,          \
						   const void *buf, size_t bytes)                 \
	{                                                                                         \
		return set(description, KIND, list, (int)which, buf, bytes);                      \
	}                                                                                         \
	VGPU_API cublasStatus_t name##GetAttribute(handle description, which_type which,          \
						   void *buf, size_t bytes, size_t *written)      \
	{                                                                                         \
		return get(description, KIND, list, (int)which, buf, bytes, written);             \
	}
#define AND(...) , __VA_ARGS__

DESCRIPTION(cublasLtMatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutOpaque_t,
	    cublasLtMatrixLayoutAttribute_t, LAYOUT, lt_layout, layout_attributes,
	    (is.type = type, is.rows = rows, is.cols = cols, is.ld = ld, is.batches = 1),
	    AND(cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld),
	    AND(type, rows, cols, ld))
DESCRIPTION(cublasLtMatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescOpaque_t,
	    cublasLtMatmulDescAttributes_t, OPERATION, lt_operation, operation_attributes,
	    (is.compute = compute, is.scale = scale, is.fill = CUBLAS_FILL_MODE_FULL,
	     is.epilogue = CUBLASLT_EPILOGUE_DEFAULT, is.bias_type = -1, is.aux_type = -1),
	    AND(cublasComputeType_t compute, cudaDataType scale), AND(compute, scale))
DESCRIPTION(cublasLtMatrixTransformDesc, cublasLtMatrixTransformDesc_t,
	    cublasLtMatrixTransformDescOpaque_t, cublasLtMatrixTransformDescAttributes_t, TRANSFORM,
	    lt_transform, transform_attributes, (is.scale = scale), AND(cudaDataType scale),
	    AND(scale))
DESCRIPTION(cublasLtMatmulPreference, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceOpaque_t,
	    cublasLtMatmulPreferenceAttributes_t, PREFERENCE, lt_preference, preference_attributes,
	    (is.schemes = CUBLASLT_REDUCTION_SCHEME_MASK, is.implementations = ~(uint64_t)0,
	     is.align_of[0] = is.align_of[1] = is.align_of[2] = is.align_of[3] = 256),
	    , )
DESCRIPTION(cublasLtEmulationDesc, cublasLtEmulationDesc_t, cublasLtEmulationDescOpaque_t,
	    cublasLtEmulationDescAttributes_t, EMULATION, lt_emulation, emulation_attributes,
	    (void)0, , )
