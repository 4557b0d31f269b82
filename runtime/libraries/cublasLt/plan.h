/* SPDX-License-Identifier: MIT */
/*
 * What a product's descriptions ask for, once looked at: whether it is supported, and its steps.
 *
 * One step is enough where cuBLAS's product has everything: D is C's place or C is not added, no
 * epilogue, no factors. Otherwise the product without factors goes to memory of our own, one number
 * of the accumulator's type for each, and a second kernel makes D of it (finish.h). Operands that
 * cuBLAS does not take, FP8 and tiled orders, are converted before.
 */
#ifndef CUBLASLT_PLAN_H
#define CUBLASLT_PLAN_H

#include "description.h"

/* What alpha, beta and the steps behind the product are computed in */
enum lt_number { LT_FLOAT, LT_DOUBLE, LT_INT, LT_COMPLEX, LT_DOUBLE_COMPLEX };

enum lt_activation { LT_NONE, LT_RELU, LT_GELU, LT_DRELU, LT_DGELU };

struct lt_plan {
	const struct lt_operation *operation;
	const struct lt_layout *a, *b, *c, *d;
	int64_t m, n, k;
	int batches;
	enum lt_number number;
	cudaDataType accumulated; /* type of a product's elements before the second step */
	cudaDataType taken; /* type of A and B as the product takes them */
	cublasComputeType_t compute; /* of the product */
	enum lt_activation activation;
	bool bias, aux; /* added; written by the second step */
	bool gradient; /* BGRAD: of D's rows */
	bool gradient_a, gradient_b; /* BGRADA, BGRADB */
	cudaDataType bias_type, aux_type;
	bool pack_a, pack_b; /* converted first */
	bool plain; /* one step is enough, if C is D's place or beta is 0 */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * SUCCESS, INVALID_VALUE: descriptions that are none or do not fit each other, NOT_SUPPORTED. In
 * @why, if that is not NULL, a sentence for the log.
 */
cublasStatus_t lt_make_plan(struct lt_plan *plan, cublasLtMatmulDesc_t operation,
			    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
			    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, const char **why);

/* Of one matrix; @why as above, not NULL */
cublasStatus_t lt_look_at_layout(const struct lt_layout *is, const char **why);

/* SUCCESS, INVALID_VALUE: none of ours, NOT_SUPPORTED: told what it does not do */
cublasStatus_t lt_look_at_algorithm(const cublasLtMatmulAlgo_t *algo, const char **why);

/* Is there a product of these types? */
bool lt_types_known(int compute, int scale, int a, int b, int c, int d);

/* Bytes of an element; 0: no type of matrices here */
unsigned int lt_size_of(int type);

#ifdef __cplusplus
}
#endif

#endif
