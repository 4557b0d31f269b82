/* SPDX-License-Identifier: MIT */
/*
 * What descriptions of cuBLASLt have in them. A program has room for them (cublasLt.h), sets and
 * reads attributes by number, and may hold what was never one: each begins with a number that
 * tells its kind. They are read and written by one thread at a time, as the program sees to.
 */
#ifndef CUBLASLT_DESCRIPTION_H
#define CUBLASLT_DESCRIPTION_H

#include <stdbool.h>

#include "cublasLt.h"

struct lt_layout {
	uint32_t kind, type;
	uint64_t rows, cols;
	int64_t ld, stride; /* elements */
	int64_t plane;
	int32_t order, batches;
	uint32_t batch_mode;
};

/* 23 words at the most: so much room it has in programs of toolkit 11. */
struct lt_operation {
	uint32_t kind;
	int32_t compute, scale, pointer_mode;
	void *bias, *aux;
	int64_t bias_stride, aux_ld, aux_stride, alpha_stride;
	const void *scale_of[4]; /* A, B, C, D */
	void *amax, *aux_amax;
	const void *aux_scale;
	void *out_scale;
	const void *emulation;
	uint32_t epilogue;
	int32_t aux_type, bias_type, sms;
	uint8_t op_of[3], fill; /* A, B, C */
	uint8_t mode_of[4], aux_mode, out_mode;
	int8_t fast;
};

struct lt_transform {
	uint32_t kind;
	int32_t scale, pointer_mode, op_of[2];
};

struct lt_preference {
	uint32_t kind, search, schemes;
	uint32_t align_of[4];
	float waves;
	uint64_t workspace, implementations;
};

struct lt_emulation {
	uint32_t kind;
	int32_t strategy, special_values, mantissa, most_bits, bit_offset;
	void *bits;
};

#ifdef __cplusplus
extern "C" {
#endif

/* What is at @description if it is one, else NULL. */
const struct lt_layout *lt_layout(cublasLtMatrixLayout_t description);
const struct lt_operation *lt_operation(cublasLtMatmulDesc_t description);
const struct lt_transform *lt_transform(cublasLtMatrixTransformDesc_t description);
const struct lt_preference *lt_preference(cublasLtMatmulPreference_t description);
const struct lt_emulation *lt_emulation(cublasLtEmulationDesc_t description);

#ifdef __cplusplus
}
#endif

#endif
