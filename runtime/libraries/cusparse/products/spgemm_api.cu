// SPDX-License-Identifier: MIT
/* The generic functions for products of two sparse matrices; no kernels. */
#include "spgemm.h"

struct cusparseSpGEMMDescr {
	struct live_object object;
	sparse::gemm_plan plan;
};

namespace sparse
{

// What buffers hold that nothing is kept in; not 0, since NULL asks for the size
enum { UNUSED = 256 };

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op_a,
			      cusparseOperation_t op_b, const cusparseSpMatDescr *a,
			      const cusparseSpMatDescr *b, const cusparseSpMatDescr *c,
			      cusparseSpGEMMAlg_t alg, const cusparseSpGEMMDescr *plan,
			      const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(good_op(op_a) && good_op(op_b) && (unsigned)alg <= 5 &&
		    live_is(plan, SPARSE_SPGEMM));
	SPARSE_WANT(live_is(a, SPARSE_SPMAT) && live_is(b, SPARSE_SPMAT) &&
		    live_is(c, SPARSE_SPMAT));
	if (op_a || op_b || a->format != CUSPARSE_FORMAT_CSR || b->format != CUSPARSE_FORMAT_CSR ||
	    c->format != CUSPARSE_FORMAT_CSR) {
		sparse_say(function, "multiplies matrices in CSR that are not transposed");
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	}
	SPARSE_WANT(a->cols == b->rows && c->rows == a->rows && c->cols == b->cols);
	if (a->count > 1 || b->count > 1 || c->count > 1 || a->type != b->type ||
	    a->type != c->type)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t estimate(cusparseHandle_t handle, const cusparseSpMatDescr *a,
				 const cusparseSpMatDescr *b, gemm_plan *p, size_t *bytes,
				 void *buffer, const char *function)
{
	SPARSE_WANT(bytes);
	if (buffer)
		return gemm_count(handle, a, b, buffer, p, function);
	*bytes = gemm_bytes1(a);
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t find(cusparseHandle_t handle, const cusparseSpMatDescr *a,
			     const cusparseSpMatDescr *b, cusparseSpMatDescr *c, gemm_plan *p,
			     size_t *bytes, void *buffer, const char *function)
{
	SPARSE_WANT(bytes && p->products >= 0);
	if (!buffer) {
		*bytes = gemm_bytes2(p);
		return CUSPARSE_STATUS_SUCCESS;
	}
	SPARSE_TRY(gemm_places(handle, a, b, buffer, p, function));
	c->nnz = p->nnz;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t pattern(cusparseHandle_t handle, const cusparseSpMatDescr *c,
				const gemm_plan *p)
{
	SPARSE_WANT(p->nnz >= 0 && c->nnz == p->nnz && c->offsets &&
		    (!p->nnz || (c->indices && c->values)));
	return gemm_pattern(handle, p, c->rows, indices(c->offsets, c->offset_type, c->base),
			    indices(c->indices, c->index_type, c->base));
}

} // namespace sparse

using namespace sparse;

SPARSE_API cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *plan)
{
	SPARSE_WANT(plan);
	*plan = (cusparseSpGEMMDescr_t)live_new(sizeof(**plan), SPARSE_SPGEMM);
	if (!*plan)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	(*plan)->plan.products = (*plan)->plan.nnz = -1;
	return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t plan)
{
	return live_delete(plan, SPARSE_SPGEMM) ? CUSPARSE_STATUS_SUCCESS
						  : CUSPARSE_STATUS_INVALID_VALUE;
}

SPARSE_API cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
					 cusparseOperation_t op_b, const void *,
					 cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
					 const void *, cusparseSpMatDescr_t c, cudaDataType,
					 cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan,
					 size_t *bytes, void *buffer)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, plan, __func__));
	return estimate(handle, a, b, &plan->plan, bytes, buffer, __func__);
}

SPARSE_API cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t plan, int64_t *products)
{
	SPARSE_WANT(live_is(plan, SPARSE_SPGEMM) && products && plan->plan.products >= 0);
	*products = plan->plan.products;
	return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseSpGEMM_estimateMemory(cusparseHandle_t handle, cusparseOperation_t op_a,
					 cusparseOperation_t op_b, const void *,
					 cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
					 const void *, cusparseSpMatDescr_t c, cudaDataType,
					 cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan, float,
					 size_t *bytes3, void *buffer3, size_t *bytes2)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, plan, __func__));
	SPARSE_WANT(bytes3 && plan->plan.products >= 0);
	*bytes3 = UNUSED;
	if (!buffer3)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_WANT(bytes2);
	*bytes2 = gemm_bytes2(&plan->plan);
	return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
				  cusparseOperation_t op_b, const void *,
				  cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
				  const void *, cusparseSpMatDescr_t c, cudaDataType,
				  cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan,
				  size_t *bytes, void *buffer)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, plan, __func__));
	return find(handle, a, b, c, &plan->plan, bytes, buffer, __func__);
}

SPARSE_API cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
			       cusparseOperation_t op_b, const void *alpha,
			       cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
			       const void *beta, cusparseSpMatDescr_t c, cudaDataType compute,
			       cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, plan, __func__));
	SPARSE_WANT(alpha && beta);
	SPARSE_TRY(pattern(handle, c, &plan->plan));
	return gemm_values(handle, &plan->plan, alpha, a, b, beta, c, compute);
}

SPARSE_API cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
					      cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
					      cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
					      cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan,
					      size_t *bytes, void *buffer)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, plan, __func__));
	return estimate(handle, a, b, &plan->plan, bytes, buffer, __func__);
}

// All is in the fourth buffer, which programs keep as long as they compute.
SPARSE_API cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t op_a,
				   cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
				   cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
				   cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan,
				   size_t *bytes2, void *, size_t *bytes3, void *, size_t *bytes4,
				   void *buffer4)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, plan, __func__));
	SPARSE_WANT(bytes2 && bytes3);
	*bytes2 = *bytes3 = UNUSED;
	return find(handle, a, b, c, &plan->plan, bytes4, buffer4, __func__);
}

SPARSE_API cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
				    cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
				    cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
				    cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t plan,
				    size_t *bytes5, void *buffer5)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, plan, __func__));
	SPARSE_WANT(bytes5);
	*bytes5 = UNUSED;
	return buffer5 ? pattern(handle, c, &plan->plan) : CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t op_a,
				       cusparseOperation_t op_b, const void *alpha,
				       cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
				       const void *beta, cusparseSpMatDescr_t c,
				       cudaDataType compute, cusparseSpGEMMAlg_t alg,
				       cusparseSpGEMMDescr_t plan)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, plan, __func__));
	SPARSE_WANT(alpha && beta && plan->plan.nnz >= 0 && c->nnz == plan->plan.nnz);
	return gemm_values(handle, &plan->plan, alpha, a, b, beta, c, compute);
}
