// SPDX-License-Identifier: MIT
/* Products of a sparse matrix and a vector. */
#include "products.h"

namespace sparse
{

// A group of lanes adds up a row.
template <class C>
static __global__ void spmv_kernel(matrix_rows m, value_array<C> a, value_array<C> x,
				   value_array<C> y, scalar<C> alpha, scalar<C> beta, int lanes)
{
	C by = alpha.get(), old = beta.get();
	int64_t each = (int64_t)gridDim.x * blockDim.x / lanes;
	int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / lanes;
	int lane = threadIdx.x % lanes;

	// all lanes of a warp stay until the last one's rows are done, for the exchange of sums
	for (int64_t begin = row - threadIdx.x % 32 / lanes; begin < m.rows;
	     begin += each, row += each) {
		C sum = zero_of<C>();

		if (row < m.rows && !is_zero(by)) {
			int64_t first, last, column, at;

			m.range(row, &first, &last);
			for (int64_t e = first + lane; e < last; e += lanes) {
				column = m.entry(row, e, &at);
				if (column >= 0)
					sum = add_product(sum, conjugate_if(a.get(at), m.conjugate),
							  x.get(column));
			}
		}
		if (lanes > 1)
			sum = sum_of_lanes(sum, lanes);
		if (lane || row >= m.rows)
			continue;
		sum = times(by, sum);
		y.set(row, is_zero(old) ? sum : add_product(sum, old, y.get(row)));
	}
}

template <class C>
static cusparseStatus_t spmv(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
			     const cusparseSpMatDescr *a, const cusparseDnVecDescr *x,
			     const void *beta, const cusparseDnVecDescr *y, void *buffer)
{
	matrix_rows m;

	if (!good_types<C>(a->type, x->type, y->type))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	SPARSE_WANT(alpha && beta);
	SPARSE_WANT(x->size == (op ? a->rows : a->cols) && y->size == (op ? a->cols : a->rows));
	if (!y->size)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_TRY(make_rows(handle, a, op, buffer, &m));
	int lanes = lanes_for(m.rows, entries_of(a));
	return launch(handle, spmv_kernel<C>, dim3(blocks_for(m.rows * lanes)), dim3(THREADS), m,
		      values<C>(a->values, a->type), values<C>(x->values, x->type),
		      values<C>(y->values, y->type), scalar_at<C>(handle, alpha),
		      scalar_at<C>(handle, beta), lanes);
}

cusparseStatus_t product(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
			 const cusparseSpMatDescr *a, const cusparseDnVecDescr *x, const void *beta,
			 const cusparseDnVecDescr *y, cudaDataType compute, void *buffer)
{
	return by_compute(compute, [&](auto c) {
		return spmv<decltype(c)>(handle, op, alpha, a, x, beta, y, buffer);
	});
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t op,
			      const cusparseSpMatDescr *a, const cusparseDnVecDescr *x,
			      const cusparseDnVecDescr *y, cusparseSpMVAlg_t alg,
			      const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(good_op(op) && (unsigned)alg <= CUSPARSE_SPMV_BSR_ALG1 &&
		    live_is(a, SPARSE_SPMAT) && live_is(x, SPARSE_DNVEC) &&
		    live_is(y, SPARSE_DNVEC));
	if (a->count > 1)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	return CUSPARSE_STATUS_SUCCESS;
}

} // namespace sparse

using namespace sparse;

SPARSE_API cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *,
				   cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
				   const void *, cusparseDnVecDescr_t y, cudaDataType,
				   cusparseSpMVAlg_t alg, size_t *bytes)
{
	SPARSE_TRY(check(handle, op, a, x, y, alg, __func__));
	SPARSE_WANT(bytes);
	return rows_bytes(a, op, bytes);
}

// Nothing is kept from one call to the next: the buffer is another one then, or has other content.
SPARSE_API cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void *,
				   cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
				   const void *, cusparseDnVecDescr_t y, cudaDataType,
				   cusparseSpMVAlg_t alg, void *)
{
	return check(handle, op, a, x, y, alg, __func__);
}

SPARSE_API cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
			cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
			cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t alg,
			void *buffer)
{
	SPARSE_TRY(check(handle, op, a, x, y, alg, __func__));
	return product(handle, op, alpha, a, x, beta, y, compute, buffer);
}
