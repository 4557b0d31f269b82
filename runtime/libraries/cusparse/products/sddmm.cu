// SPDX-License-Identifier: MIT
/* Products of dense matrices where a sparse one has entries. */
#include "products.h"

namespace sparse
{

// The row of entry E: the last that begins at or before it
static __device__ __forceinline__ int64_t row_of(index_array offsets, int64_t rows, int64_t e)
{
	int64_t low = 0, high = rows;

	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (offsets.get(middle) <= e)
			low = middle;
		else
			high = middle;
	}
	return low;
}

// A thread for each entry of C
template <class C>
static __global__ void sddmm_kernel(matrix_rows m, value_array<C> values, dense<C> a, dense<C> b,
				    int64_t inner, int64_t count, scalar<C> alpha, scalar<C> beta)
{
	C by = alpha.get(), old = beta.get();
	int64_t in_block = m.form == IN_BLOCKS ? m.tall * m.wide : 1;
	int64_t lines = m.form == IN_BLOCKS ? m.rows / m.tall : m.rows;

	for (int64_t batch = blockIdx.y; batch < count; batch += gridDim.y) {
		matrix_rows own = m.in_batch(batch);

		SPARSE_EACH(i, m.nnz * in_block)
		{
			int64_t e = i / in_block, in = i % in_block,
				at = batch * m.values_stride + i;
			int64_t row = m.form == BY_SORTED_ROWS ? own.offsets.get(e)
							       : row_of(own.offsets, lines, e);
			int64_t column = own.columns.get(e);
			C sum = zero_of<C>();

			if (m.form == IN_BLOCKS) {
				row = row * m.tall + (m.by_columns ? in % m.tall : in / m.wide);
				column = column * m.wide +
					 (m.by_columns ? in / m.tall : in % m.wide);
			}
			for (int64_t k = 0; k < inner && !is_zero(by); k++)
				sum = add_product(sum, a.get(row, k, batch),
						  b.get(k, column, batch));
			sum = times(by, sum);
			if (!is_zero(old))
				sum = add_product(sum, old, values.get(at));
			values.set(at, sum);
		}
	}
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op_a,
			      cusparseOperation_t op_b, const cusparseDnMatDescr *a,
			      const cusparseDnMatDescr *b, const cusparseSpMatDescr *c,
			      cusparseSDDMMAlg_t alg, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(good_op(op_a) && good_op(op_b) && !alg && live_is(a, SPARSE_DNMAT) &&
		    live_is(b, SPARSE_DNMAT) && live_is(c, SPARSE_SPMAT));
	if (c->format == CUSPARSE_FORMAT_CSR || c->format == CUSPARSE_FORMAT_COO ||
	    c->format == CUSPARSE_FORMAT_BSR)
		return CUSPARSE_STATUS_SUCCESS;
	sparse_say(function, "the result is in CSR, COO or BSR only");
	return CUSPARSE_STATUS_NOT_SUPPORTED;
}

template <class C>
static cusparseStatus_t sddmm(cusparseHandle_t handle, cusparseOperation_t op_a,
			      cusparseOperation_t op_b, const void *alpha,
			      const cusparseDnMatDescr *a, const cusparseDnMatDescr *b,
			      const void *beta, const cusparseSpMatDescr *c)
{
	int64_t inner = op_a ? a->rows : a->cols;
	matrix_rows m;

	if (!good_types<C>(a->type, b->type, c->type))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	SPARSE_WANT(alpha && beta);
	SPARSE_WANT((op_a ? a->cols : a->rows) == c->rows && (op_b ? b->rows : b->cols) == c->cols);
	SPARSE_WANT((op_b ? b->cols : b->rows) == inner);
	SPARSE_WANT((a->count == 1 || a->count == c->count) &&
		    (b->count == 1 || b->count == c->count));
	if (!c->nnz)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_TRY(make_rows(handle, c, CUSPARSE_OPERATION_NON_TRANSPOSE, NULL, &m));
	return launch(handle, sddmm_kernel<C>,
		      dim3(blocks_for(entries_of(c)), c->count < 65535 ? c->count : 65535),
		      dim3(THREADS), m, values<C>(c->values, c->type), dense_of<C>(a, op_a),
		      dense_of<C>(b, op_b), inner, (int64_t)c->count, scalar_at<C>(handle, alpha),
		      scalar_at<C>(handle, beta));
}

} // namespace sparse

using namespace sparse;

SPARSE_API cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
				    cusparseOperation_t op_b, const void *,
				    cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
				    const void *, cusparseSpMatDescr_t c, cudaDataType,
				    cusparseSDDMMAlg_t alg, size_t *bytes)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, __func__));
	SPARSE_WANT(bytes);
	*bytes = 0;
	return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
				    cusparseOperation_t op_b, const void *,
				    cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
				    const void *, cusparseSpMatDescr_t c, cudaDataType,
				    cusparseSDDMMAlg_t alg, void *)
{
	return check(handle, op_a, op_b, a, b, c, alg, __func__);
}

SPARSE_API cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t op_a,
			 cusparseOperation_t op_b, const void *alpha, cusparseConstDnMatDescr_t a,
			 cusparseConstDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
			 cudaDataType compute, cusparseSDDMMAlg_t alg, void *)
{
	SPARSE_TRY(check(handle, op_a, op_b, a, b, c, alg, __func__));
	return by_compute(compute, [&](auto v) {
		return sddmm<decltype(v)>(handle, op_a, op_b, alpha, a, b, beta, c);
	});
}
