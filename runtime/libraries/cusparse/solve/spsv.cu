// SPDX-License-Identifier: MIT
/* The generic functions for triangular matrices, one right side and many; no kernels. */
#include "triangle.h"

struct cusparseSpSVDescr {
	struct live_object object;
	bool ready;
	cusparseOperation_t op;
	sparse::triangle t;
	int64_t n;
	const void *values;
	void *copy; /* of the values, in the caller's buffer, for those that are updated */
	cudaDataType type;
};
struct cusparseSpSMDescr {
	cusparseSpSVDescr plan;
};

namespace sparse
{

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op,
			      const cusparseSpMatDescr *a, cudaDataType compute,
			      const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(good_op(op) && live_is(a, SPARSE_SPMAT) && a->rows == a->cols);
	if (compute != a->type || a->count > 1 || a->format == CUSPARSE_FORMAT_BSR ||
	    a->format == CUSPARSE_FORMAT_BLOCKED_ELL)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t bytes_of(const cusparseSpMatDescr *a, cusparseOperation_t op, size_t *bytes)
{
	SPARSE_WANT(bytes);
	SPARSE_TRY(triangle_bytes(a, op, bytes));
	*bytes = padded(*bytes) + padded(entries_of(a) * sparse_size(a->type));
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t analyse(cusparseHandle_t handle, cusparseSpSVDescr *plan,
				cusparseOperation_t op, const cusparseSpMatDescr *a, void *buffer)
{
	size_t bytes;

	SPARSE_WANT(buffer);
	SPARSE_TRY(triangle_bytes(a, op, &bytes));
	plan->ready = false;
	SPARSE_TRY(make_triangle(handle, a, op, a->fill == CUSPARSE_FILL_MODE_LOWER,
				 a->diag == CUSPARSE_DIAG_TYPE_UNIT, buffer, &plan->t));
	plan->op = op;
	plan->n = entries_of(a);
	plan->values = a->values;
	plan->copy = (char *)buffer + padded(bytes);
	plan->type = a->type;
	plan->ready = true;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t update(cusparseHandle_t handle, cusparseSpSVDescr *plan, void *values,
			       bool diagonal)
{
	const void *from = diagonal ? plan->values : values;

	SPARSE_WANT(plan->ready && values);
	if (from != plan->copy && plan->n)
		SPARSE_TRY(sparse_status(
			cudaMemcpyAsync(plan->copy, from, plan->n * sparse_size(plan->type),
					cudaMemcpyDeviceToDevice, handle->stream)));
	plan->values = plan->copy;
	return diagonal ? replace_diagonal(handle, &plan->t, plan->copy, values, plan->type)
			: CUSPARSE_STATUS_SUCCESS;
}

static cusparseDnMatDescr column(const cusparseDnVecDescr *v)
{
	cusparseDnMatDescr m = cusparseDnMatDescr();

	m.rows = m.ld = v->size;
	m.cols = 1;
	m.values = v->values;
	m.type = v->type;
	m.order = CUSPARSE_ORDER_COL;
	m.count = 1;
	return m;
}

static cusparseStatus_t check_vectors(cusparseHandle_t handle, cusparseOperation_t op,
				      const cusparseSpMatDescr *a, const cusparseDnVecDescr *x,
				      const cusparseDnVecDescr *y, cudaDataType compute,
				      const cusparseSpSVDescr *plan, const char *function)
{
	SPARSE_TRY(check(handle, op, a, compute, function));
	SPARSE_WANT(live_is(plan, SPARSE_SPSV) && live_is(x, SPARSE_DNVEC) &&
		    live_is(y, SPARSE_DNVEC) && x->size == a->rows && y->size == a->rows);
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t check_matrices(cusparseHandle_t handle, cusparseOperation_t op_a,
				       cusparseOperation_t op_b, const cusparseSpMatDescr *a,
				       const cusparseDnMatDescr *b, const cusparseDnMatDescr *c,
				       cudaDataType compute, const cusparseSpSMDescr *plan,
				       const char *function)
{
	SPARSE_TRY(check(handle, op_a, a, compute, function));
	SPARSE_WANT(good_op(op_b) && live_is(plan, SPARSE_SPSM) &&
		    live_is(b, SPARSE_DNMAT) && live_is(c, SPARSE_DNMAT));
	SPARSE_WANT(c->rows == a->rows && (op_b ? b->cols : b->rows) == a->rows &&
		    (op_b ? b->rows : b->cols) == c->cols);
	if (b->count > 1 || c->count > 1)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	return CUSPARSE_STATUS_SUCCESS;
}

} // namespace sparse

using namespace sparse;

SPARSE_API cusparseSpSV_createDescr(cusparseSpSVDescr_t *plan)
{
	SPARSE_WANT(plan);
	*plan = (cusparseSpSVDescr_t)live_new(sizeof(**plan), SPARSE_SPSV);
	return *plan ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

SPARSE_API cusparseSpSV_destroyDescr(cusparseSpSVDescr_t plan)
{
	return live_delete(plan, SPARSE_SPSV) ? CUSPARSE_STATUS_SUCCESS
						: CUSPARSE_STATUS_INVALID_VALUE;
}

SPARSE_API cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *,
				   cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
				   cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t,
				   cusparseSpSVDescr_t plan, size_t *bytes)
{
	SPARSE_TRY(check_vectors(handle, op, a, x, y, compute, plan, __func__));
	return bytes_of(a, op, bytes);
}

SPARSE_API cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void *,
				 cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
				 cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t,
				 cusparseSpSVDescr_t plan, void *buffer)
{
	SPARSE_TRY(check_vectors(handle, op, a, x, y, compute, plan, __func__));
	return analyse(handle, plan, op, a, buffer);
}

SPARSE_API cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
			      cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
			      cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t,
			      cusparseSpSVDescr_t plan)
{
	SPARSE_TRY(check_vectors(handle, op, a, x, y, compute, plan, __func__));
	SPARSE_WANT(alpha && plan->ready && plan->op == op && plan->t.rows.rows == a->rows);
	cusparseDnMatDescr mx = column(x), my = column(y);
	return solve_triangle(handle, &plan->t, compute, plan->values, plan->type, alpha, &mx,
			      CUSPARSE_OPERATION_NON_TRANSPOSE, &my, 1);
}

SPARSE_API cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t plan,
				     void *values, cusparseSpSVUpdate_t part)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT(live_is(plan, SPARSE_SPSV) && (unsigned)part <= 1);
	return update(handle, plan, values, part == CUSPARSE_SPSV_UPDATE_DIAGONAL);
}

SPARSE_API cusparseSpSM_createDescr(cusparseSpSMDescr_t *plan)
{
	SPARSE_WANT(plan);
	*plan = (cusparseSpSMDescr_t)live_new(sizeof(**plan), SPARSE_SPSM);
	return *plan ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

SPARSE_API cusparseSpSM_destroyDescr(cusparseSpSMDescr_t plan)
{
	return live_delete(plan, SPARSE_SPSM) ? CUSPARSE_STATUS_SUCCESS
						: CUSPARSE_STATUS_INVALID_VALUE;
}

SPARSE_API cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
				   cusparseOperation_t op_b, const void *,
				   cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
				   cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t,
				   cusparseSpSMDescr_t plan, size_t *bytes)
{
	SPARSE_TRY(check_matrices(handle, op_a, op_b, a, b, c, compute, plan, __func__));
	return bytes_of(a, op_a, bytes);
}

SPARSE_API cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t op_a,
				 cusparseOperation_t op_b, const void *,
				 cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
				 cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t,
				 cusparseSpSMDescr_t plan, void *buffer)
{
	SPARSE_TRY(check_matrices(handle, op_a, op_b, a, b, c, compute, plan, __func__));
	return analyse(handle, &plan->plan, op_a, a, buffer);
}

SPARSE_API cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t op_a,
			      cusparseOperation_t op_b, const void *alpha,
			      cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
			      cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t,
			      cusparseSpSMDescr_t plan)
{
	SPARSE_TRY(check_matrices(handle, op_a, op_b, a, b, c, compute, plan, __func__));
	SPARSE_WANT(alpha && plan->plan.ready && plan->plan.op == op_a &&
		    plan->plan.t.rows.rows == a->rows);
	return solve_triangle(handle, &plan->plan.t, compute, plan->plan.values, plan->plan.type,
			      alpha, b, op_b, c, c->cols);
}

SPARSE_API cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t plan,
				     void *values, cusparseSpSMUpdate_t part)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT(live_is(plan, SPARSE_SPSM) && (unsigned)part <= 1);
	return update(handle, &plan->plan, values, part == CUSPARSE_SPSM_UPDATE_DIAGONAL);
}
