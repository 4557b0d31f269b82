// SPDX-License-Identifier: MIT
/* Products of a sparse matrix and a dense one, many at once. */
#include "products.h"

namespace sparse
{

// A thread for each element of C: neighbours are beside one another in C's memory.
template <class C>
static __global__ void spmm_kernel(matrix_rows m, value_array<C> a, dense<C> b, dense<C> c,
				   int64_t n, bool along_rows, int64_t count, scalar<C> alpha,
				   scalar<C> beta)
{
	C by = alpha.get(), old = beta.get();

	for (int64_t batch = blockIdx.y; batch < count; batch += gridDim.y) {
		matrix_rows own = m.in_batch(batch);

		SPARSE_EACH(i, m.rows * n)
		{
			int64_t row = along_rows ? i / n : i % m.rows;
			int64_t j = along_rows ? i % n : i / m.rows, first, last, column, at;
			C sum = zero_of<C>();

			if (!is_zero(by)) {
				own.range(row, &first, &last);
				for (int64_t e = first; e < last; e++) {
					column = own.entry(row, e, &at);
					if (column < 0)
						continue;
					at += batch * m.values_stride;
					sum = add_product(sum, conjugate_if(a.get(at), m.conjugate),
							  b.get(column, j, batch));
				}
			}
			sum = times(by, sum);
			if (!is_zero(old))
				sum = add_product(sum, old, c.get(row, j, batch));
			c.set(row, j, batch, sum);
		}
	}
}

template <class C>
static cusparseStatus_t spmm(cusparseHandle_t handle, cusparseOperation_t op_a, const void *alpha,
			     const cusparseSpMatDescr *a, cusparseOperation_t op_b,
			     const cusparseDnMatDescr *b, const void *beta,
			     const cusparseDnMatDescr *c, void *buffer)
{
	matrix_rows m;
	int64_t rows = op_a ? a->cols : a->rows, inner = op_a ? a->rows : a->cols;
	int64_t n = op_b ? b->rows : b->cols;

	if (!good_types<C>(a->type, b->type, c->type))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	SPARSE_WANT(alpha && beta);
	SPARSE_WANT(inner == (op_b ? b->cols : b->rows) && c->rows == rows && c->cols == n);
	// one matrix may be for all problems
	SPARSE_WANT((a->count == 1 || a->count == c->count) &&
		    (b->count == 1 || b->count == c->count));
	if (!rows || !n)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_TRY(make_rows(handle, a, op_a, buffer, &m));
	if (a->count == 1)
		m.offsets_stride = m.columns_stride = m.values_stride = 0;
	return launch(handle, spmm_kernel<C>,
		      dim3(blocks_for(rows * n), c->count < 65535 ? c->count : 65535),
		      dim3(THREADS), m, values<C>(a->values, a->type), dense_of<C>(b, op_b),
		      dense_of<C>(c, CUSPARSE_OPERATION_NON_TRANSPOSE), n,
		      c->order == CUSPARSE_ORDER_ROW, (int64_t)c->count,
		      scalar_at<C>(handle, alpha), scalar_at<C>(handle, beta));
}

cusparseStatus_t product(cusparseHandle_t handle, cusparseOperation_t op_a, const void *alpha,
			 const cusparseSpMatDescr *a, cusparseOperation_t op_b,
			 const cusparseDnMatDescr *b, const void *beta, const cusparseDnMatDescr *c,
			 cudaDataType compute, void *buffer)
{
	return by_compute(compute, [&](auto v) {
		return spmm<decltype(v)>(handle, op_a, alpha, a, op_b, b, beta, c, buffer);
	});
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op_a,
			      cusparseOperation_t op_b, const cusparseSpMatDescr *a,
			      const cusparseDnMatDescr *b, const cusparseDnMatDescr *c,
			      cusparseSpMMAlg_t alg, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(good_op(op_a) && good_op(op_b) && live_is(a, SPARSE_SPMAT) &&
		    live_is(b, SPARSE_DNMAT) && live_is(c, SPARSE_DNMAT));
	SPARSE_WANT((unsigned)alg <= 6 || ((unsigned)alg >= 12 && (unsigned)alg <= 14));
	return CUSPARSE_STATUS_SUCCESS;
}

} // namespace sparse

using namespace sparse;

SPARSE_API cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
				   cusparseOperation_t op_b, const void *,
				   cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
				   const void *, cusparseDnMatDescr_t c, cudaDataType,
				   cusparseSpMMAlg_t alg, size_t *bytes)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, __func__));
	SPARSE_WANT(bytes);
	return rows_bytes(a, op_a, bytes);
}

SPARSE_API cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
				   cusparseOperation_t op_b, const void *,
				   cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
				   const void *, cusparseDnMatDescr_t c, cudaDataType,
				   cusparseSpMMAlg_t alg, void *)
{
	return check(handle, op_a, op_b, a, b, c, alg, __func__);
}

SPARSE_API cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
			const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
			const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
			cusparseSpMMAlg_t alg, void *buffer)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, __func__));
	return product(handle, op_a, alpha, a, op_b, b, beta, c, compute, buffer);
}
