// SPDX-License-Identifier: MIT
/* Looks at the descriptions of a product: in this order its matrices, sizes, types, last steps. */
#include <stddef.h>

#include "plan.h"

/* What the user is told in the log */
#define REFUSE(status, sentence)               \
	do {                                   \
		*why = (sentence);             \
		return CUBLAS_STATUS_##status; \
	} while (0)

unsigned int lt_size_of(int type)
{
	switch (type) {
	case CUDA_R_8I:
	case CUDA_R_8F_E4M3:
	case CUDA_R_8F_E5M2:
		return 1;
	case CUDA_R_16F:
	case CUDA_R_16BF:
		return 2;
	case CUDA_R_32F:
	case CUDA_R_32I:
		return 4;
	case CUDA_R_64F:
	case CUDA_C_32F:
		return 8;
	case CUDA_C_64F:
		return 16;
	default:
		return 0;
	}
}

static bool is_fp8(int type)
{
	return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

static bool is_half(int type)
{
	return type == CUDA_R_16F || type == CUDA_R_16BF;
}

/* Two results of E5M2 operands are none of hardware's products. */
static bool fp8_types(int a, int b, int c, int d)
{
	if (!is_fp8(a) || !is_fp8(b) || (a == CUDA_R_8F_E5M2 && b == a))
		return false;
	if (is_fp8(d))
		return is_half(c) && (d == CUDA_R_8F_E4M3 || a != b);
	return c == d && (is_half(d) || d == CUDA_R_32F);
}

static bool float_types(int a, int b, int c, int d)
{
	if (is_fp8(a) || is_fp8(b))
		return fp8_types(a, b, c, d);
	if (a != b || c != d)
		return false;
	return (a == CUDA_R_32F && d == CUDA_R_32F) ||
	       (is_half(a) && (d == a || d == CUDA_R_32F)) || (a == CUDA_R_8I && d == CUDA_R_32F);
}

/* All four of this type */
static bool all_are(int type, int a, int b, int c, int d)
{
	return a == type && b == type && c == type && d == type;
}

bool lt_types_known(int compute, int scale, int a, int b, int c, int d)
{
	switch (compute) {
	case CUBLAS_COMPUTE_16F:
	case CUBLAS_COMPUTE_16F_PEDANTIC:
		return scale == CUDA_R_16F && all_are(CUDA_R_16F, a, b, c, d);
	case CUBLAS_COMPUTE_32I:
	case CUBLAS_COMPUTE_32I_PEDANTIC:
		if (a != CUDA_R_8I || b != CUDA_R_8I || c != d)
			return false;
		return scale == CUDA_R_32I ? d == CUDA_R_32I
					   : scale == CUDA_R_32F && d == CUDA_R_8I;
	case CUBLAS_COMPUTE_64F:
	case CUBLAS_COMPUTE_64F_PEDANTIC:
	case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
		return (scale == CUDA_R_64F || scale == CUDA_C_64F) && all_are(scale, a, b, c, d);
	case CUBLAS_COMPUTE_32F:
	case CUBLAS_COMPUTE_32F_PEDANTIC:
	case CUBLAS_COMPUTE_32F_FAST_16F:
	case CUBLAS_COMPUTE_32F_FAST_16BF:
	case CUBLAS_COMPUTE_32F_FAST_TF32:
	case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
		if (scale == CUDA_C_32F)
			return all_are(CUDA_C_32F, a, b, c, d);
		return scale == CUDA_R_32F && float_types(a, b, c, d);
	default:
		return false;
	}
}

static bool is_tiled(int order)
{
	return order >= CUBLASLT_ORDER_COL32;
}

/*
 * The least leading dimension of an order: elements of a column, a row, or 32 columns. It need not
 * be as long for a matrix of one column or row.
 */
static int64_t least_ld(const struct lt_layout *is)
{
	int64_t rows = (int64_t)is->rows, tile = is->order == CUBLASLT_ORDER_COL4_4R2_8C ? 8 : 32;

	if (is->order == CUBLASLT_ORDER_COL)
		return rows;
	if (is->order == CUBLASLT_ORDER_ROW)
		return (int64_t)is->cols;
	if (is->order != CUBLASLT_ORDER_COL32)
		rows = (rows + tile - 1) / tile * tile;
	return 32 * rows;
}

cublasStatus_t lt_look_at_layout(const struct lt_layout *is, const char **why)
{
	const uint64_t most = (uint64_t)1 << 40;

	if (!is)
		REFUSE(INVALID_VALUE, "a description is none");
	if (!lt_size_of((int)is->type))
		REFUSE(NOT_SUPPORTED, "the type of a matrix");
	if ((unsigned int)is->order > CUBLASLT_ORDER_COL32_2R_4R4)
		REFUSE(INVALID_VALUE, "the order of a matrix");
	if (is->rows > most || is->cols > most || is->batches < 1)
		REFUSE(INVALID_VALUE, "the size of a matrix");
	if (is->ld < least_ld(is))
		REFUSE(INVALID_VALUE, "a leading dimension below what its order needs");
	if (is_tiled(is->order) && lt_size_of((int)is->type) != 1 && is->type != CUDA_R_32I)
		REFUSE(NOT_SUPPORTED, "a tiled order of elements that are no bytes or integers");
	if (is->batch_mode > CUBLASLT_BATCH_MODE_POINTER_ARRAY)
		REFUSE(INVALID_VALUE, "the mode of a batch");
	if (is->plane)
		REFUSE(NOT_SUPPORTED, "complex numbers in two planes");
	return CUBLAS_STATUS_SUCCESS;
}

#define TRY(call)                                     \
	do {                                          \
		cublasStatus_t status_ = (call);      \
		if (status_ != CUBLAS_STATUS_SUCCESS) \
			return status_;               \
	} while (0)

static bool is_turned(int op)
{
	return op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static cublasStatus_t look_at_sizes(struct lt_plan *p, const char **why)
{
	const struct lt_operation *op = p->operation;
	bool turn_a = is_turned(op->op_of[0]), turn_b = is_turned(op->op_of[1]);

	p->m = (int64_t)p->d->rows;
	p->n = (int64_t)p->d->cols;
	p->k = (int64_t)(turn_a ? p->a->rows : p->a->cols);
	p->batches = p->d->batches;
	if ((int64_t)(turn_a ? p->a->cols : p->a->rows) != p->m ||
	    (int64_t)(turn_b ? p->b->rows : p->b->cols) != p->n ||
	    (int64_t)(turn_b ? p->b->cols : p->b->rows) != p->k || p->c->rows != p->d->rows ||
	    p->c->cols != p->d->cols)
		REFUSE(INVALID_VALUE, "sizes of matrices that do not fit each other");
	if (p->a->batches != p->batches || p->b->batches != p->batches ||
	    p->c->batches != p->batches)
		REFUSE(INVALID_VALUE, "batches of different counts");
	if (p->a->batch_mode != p->d->batch_mode || p->b->batch_mode != p->d->batch_mode ||
	    p->c->batch_mode != p->d->batch_mode)
		REFUSE(NOT_SUPPORTED, "some matrices by pointers and some by a stride");
	return CUBLAS_STATUS_SUCCESS;
}

/* Which step each bit of the epilogue is; what goes together is what has a name. */
static cublasStatus_t look_at_epilogue(struct lt_plan *p, const char **why)
{
	const struct lt_operation *op = p->operation;
	uint32_t bits = op->epilogue;

	switch (bits) {
	case CUBLASLT_EPILOGUE_DEFAULT:
		return CUBLAS_STATUS_SUCCESS;
	case CUBLASLT_EPILOGUE_RELU:
	case CUBLASLT_EPILOGUE_RELU_AUX:
	case CUBLASLT_EPILOGUE_BIAS:
	case CUBLASLT_EPILOGUE_RELU_BIAS:
	case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
	case CUBLASLT_EPILOGUE_DRELU:
	case CUBLASLT_EPILOGUE_DRELU_BGRAD:
	case CUBLASLT_EPILOGUE_GELU:
	case CUBLASLT_EPILOGUE_GELU_AUX:
	case CUBLASLT_EPILOGUE_GELU_BIAS:
	case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
	case CUBLASLT_EPILOGUE_DGELU:
	case CUBLASLT_EPILOGUE_DGELU_BGRAD:
	case CUBLASLT_EPILOGUE_BGRADA:
	case CUBLASLT_EPILOGUE_BGRADB:
		break;
	default:
		REFUSE(INVALID_VALUE, "an epilogue without a name");
	}
	if (p->number != LT_FLOAT && p->number != LT_DOUBLE)
		REFUSE(NOT_SUPPORTED, "an epilogue of integers or complex numbers");
	p->activation = bits & 2    ? LT_RELU
			: bits & 32 ? LT_GELU
			: bits & 8  ? LT_DRELU
			: bits & 64 ? LT_DGELU
				    : LT_NONE;
	p->bias = bits & 4;
	p->gradient = bits & 16;
	p->gradient_a = bits & 256;
	p->gradient_b = bits & 512;
	p->aux = bits & 128 && bits & (2 | 32);
	p->bias_type = op->bias_type >= 0	 ? (cudaDataType)op->bias_type
		       : is_fp8((int)p->d->type) ? (cudaDataType)p->c->type
		       : p->d->type == CUDA_R_8I ? CUDA_R_32F
						 : (cudaDataType)p->d->type;
	if (!is_half(p->bias_type) && p->bias_type != CUDA_R_32F && p->bias_type != CUDA_R_64F)
		REFUSE(NOT_SUPPORTED, "the type of a bias");
	if ((p->bias || p->gradient || p->gradient_a || p->gradient_b) && !op->bias)
		REFUSE(INVALID_VALUE, "no place of a bias");
	p->aux_type = op->aux_type >= 0		? (cudaDataType)op->aux_type
		      : is_fp8((int)p->d->type) ? (cudaDataType)p->c->type
						: (cudaDataType)p->d->type;
	if (!(bits & 128))
		return CUBLAS_STATUS_SUCCESS;
	if (!op->aux || op->aux_ld < p->m)
		REFUSE(INVALID_VALUE,
		       "no place, or no room in a column, of what an epilogue keeps");
	if (bits & (2 | 8) && op->aux_ld % 128)
		REFUSE(INVALID_VALUE, "a mask whose columns do not begin with a multiple of 128");
	if (bits & (32 | 64) && (!lt_size_of(p->aux_type) || p->aux_type == CUDA_R_8I))
		REFUSE(NOT_SUPPORTED, "the type of what an epilogue keeps");
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t look_at_factors(struct lt_plan *p, const char **why)
{
	const struct lt_operation *op = p->operation;
	bool scaled = op->amax || op->aux_amax || op->aux_scale;

	for (int i = 0; i < 4; i++) {
		scaled |= op->scale_of[i] != NULL;
		if (op->mode_of[i] != CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F)
			REFUSE(NOT_SUPPORTED, "factors of blocks or vectors of a matrix");
	}
	if (op->aux_mode || op->out_mode || op->out_scale)
		REFUSE(NOT_SUPPORTED, "factors of blocks or vectors of a matrix");
	if (op->op_of[2] != CUBLAS_OP_N || op->fill != CUBLAS_FILL_MODE_FULL)
		REFUSE(NOT_SUPPORTED, "C transposed, or a part of D");
	if ((unsigned int)op->pointer_mode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
		REFUSE(INVALID_VALUE, "the mode of pointers");
	if (op->pointer_mode > CUBLASLT_POINTER_MODE_DEVICE && p->number > LT_INT)
		REFUSE(NOT_SUPPORTED, "vectors of complex factors");
	if (scaled && p->number != LT_FLOAT)
		REFUSE(NOT_SUPPORTED, "factors of matrices that are not computed in float");
	p->plain = op->epilogue == CUBLASLT_EPILOGUE_DEFAULT && !scaled &&
		   op->pointer_mode <= CUBLASLT_POINTER_MODE_DEVICE;
	return CUBLAS_STATUS_SUCCESS;
}

static void choose_types(struct lt_plan *p)
{
	const struct lt_operation *op = p->operation;

	p->taken = is_fp8((int)p->a->type) ? CUDA_R_16F : (cudaDataType)p->a->type;
	p->compute = (cublasComputeType_t)op->compute;
	p->accumulated = CUDA_R_32F;
	switch (op->scale) {
	case CUDA_R_64F:
	case CUDA_C_64F:
		p->number = op->scale == CUDA_R_64F ? LT_DOUBLE : LT_DOUBLE_COMPLEX;
		p->accumulated = (cudaDataType)op->scale;
		break;
	case CUDA_C_32F:
		p->number = LT_COMPLEX;
		p->accumulated = CUDA_C_32F;
		break;
	case CUDA_R_32I:
		p->number = LT_INT;
		p->accumulated = CUDA_R_32I;
		break;
	default:
		p->number = LT_FLOAT;
		if (op->compute == CUBLAS_COMPUTE_32I || op->compute == CUBLAS_COMPUTE_32I_PEDANTIC)
			p->accumulated = CUDA_R_32I;
	}
}

cublasStatus_t lt_make_plan(struct lt_plan *p, cublasLtMatmulDesc_t operation,
			    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
			    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, const char **why)
{
	const char *unheard;

	why = why ? why : &unheard;
	*p = (struct lt_plan){.operation = lt_operation(operation),
			      .a = lt_layout(a),
			      .b = lt_layout(b),
			      .c = lt_layout(c),
			      .d = lt_layout(d)};
	if (!p->operation)
		REFUSE(INVALID_VALUE, "a description is none");
	TRY(lt_look_at_layout(p->a, why));
	TRY(lt_look_at_layout(p->b, why));
	TRY(lt_look_at_layout(p->c, why));
	TRY(lt_look_at_layout(p->d, why));
	for (int i = 0; i < 3; i++)
		if (p->operation->op_of[i] > CUBLAS_OP_CONJG)
			REFUSE(INVALID_VALUE, "how a matrix is transposed");
	TRY(look_at_sizes(p, why));
	if (!lt_types_known(p->operation->compute, p->operation->scale, (int)p->a->type,
			    (int)p->b->type, (int)p->c->type, (int)p->d->type))
		REFUSE(NOT_SUPPORTED, "these types together");
	choose_types(p);
	TRY(look_at_epilogue(p, why));
	TRY(look_at_factors(p, why));
	p->pack_a = is_tiled(p->a->order) || p->taken != p->a->type;
	p->pack_b = is_tiled(p->b->order) || p->taken != p->b->type;
	if ((p->pack_a || p->pack_b) && p->d->batch_mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY)
		REFUSE(NOT_SUPPORTED, "batches by pointers of FP8 or in a tiled order");
	/* cuBLAS has no product of bytes that is rounded to bytes, and writes columns. */
	p->plain = p->plain && p->c->type == p->d->type && p->d->order == p->c->order &&
		   !is_tiled(p->d->order) && !is_fp8((int)p->d->type) && p->d->type != CUDA_R_8I;
	return CUBLAS_STATUS_SUCCESS;
}
