// SPDX-License-Identifier: MIT
/* The generic functions between dense and sparse matrices. */
#include "dense.h"

namespace sparse
{

// Values of 16 bits are moved as floats, which holds them all.
template <class F> static cusparseStatus_t by_type(cudaDataType type, F f)
{
	return by_compute(type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type, f);
}

static cusparseStatus_t check(cusparseHandle_t handle, const cusparseSpMatDescr *s,
			      const cusparseDnMatDescr *d, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(live_is(s, SPARSE_SPMAT) && live_is(d, SPARSE_DNMAT));
	SPARSE_WANT(s->rows == d->rows && s->cols == d->cols && s->type == d->type);
	if (s->count > 1 || d->count > 1 || s->type == CUDA_R_8I || s->type == CUDA_R_32I)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t check_made(cusparseHandle_t handle, const cusparseDnMatDescr *d,
				   const cusparseSpMatDescr *s, const char *function)
{
	SPARSE_TRY(check(handle, s, d, function));
	if (s->format == CUSPARSE_FORMAT_BSR || s->format == CUSPARSE_FORMAT_SLICED_ELLPACK) {
		sparse_say(function, "makes matrices in CSR, CSC, COO and blocked ELL only");
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	}
	return CUSPARSE_STATUS_SUCCESS;
}

// Of COO the offsets are in the buffer, of the others in the matrix.
static index_array offsets_of(const cusparseSpMatDescr *s, void *buffer)
{
	return s->format == CUSPARSE_FORMAT_COO
		       ? indices(places_in(buffer).at, CUSPARSE_INDEX_64I, 0)
		       : indices(s->offsets, s->offset_type, s->base);
}

template <class C>
static __global__ void blocked_kernel(matrix_rows m, value_array<C> values, dense<C> a)
{
	SPARSE_EACH(i, m.rows * m.wide)
	{
		int64_t at, column = m.entry(i / m.wide, i % m.wide, &at);

		values.set(at, column < 0 ? zero_of<C>() : a.get(i / m.wide, column, 0));
	}
}

template <class C>
static cusparseStatus_t make_blocked(cusparseHandle_t handle, const cusparseDnMatDescr *d,
				     const cusparseSpMatDescr *s)
{
	matrix_rows m;

	if (!s->nnz)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_TRY(make_rows(handle, s, CUSPARSE_OPERATION_NON_TRANSPOSE, NULL, &m));
	return launch(handle, blocked_kernel<C>, dim3(blocks_for(s->nnz)), dim3(THREADS), m,
		      values<C>(s->values, s->type),
		      dense_of<C>(d, CUSPARSE_OPERATION_NON_TRANSPOSE));
}

} // namespace sparse

using namespace sparse;

SPARSE_API cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
					    cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t,
					    size_t *bytes)
{
	SPARSE_TRY(check(handle, a, b, __func__));
	SPARSE_WANT(bytes);
	*bytes = 0;
	return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
				 cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, void *)
{
	bool columns;
	matrix_rows m;

	SPARSE_TRY(check(handle, a, b, __func__));
	columns = a->format == CUSPARSE_FORMAT_CSC;
	SPARSE_TRY(
		make_rows(handle, a,
			  columns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE,
			  NULL, &m));
	return by_type(a->type, [&](auto c) {
		typedef decltype(c) C;
		dense<C> d = dense_of<C>(b, CUSPARSE_OPERATION_NON_TRANSPOSE);

		return scatter(handle, m, values<C>(a->values, a->type), columns ? turned(d) : d);
	});
}

SPARSE_API cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
					    cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t,
					    size_t *bytes)
{
	SPARSE_TRY(check_made(handle, a, b, __func__));
	SPARSE_WANT(bytes);
	*bytes = b->format == CUSPARSE_FORMAT_COO ? SLACK + padded((a->rows + 1) * 8) : 0;
	return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
					  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t,
					  void *buffer)
{
	bool columns;
	int64_t lines, total = 0;

	SPARSE_TRY(check_made(handle, a, b, __func__));
	if (b->format == CUSPARSE_FORMAT_BLOCKED_ELL)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_WANT(b->format == CUSPARSE_FORMAT_COO ? !!buffer : !!b->offsets);
	SPARSE_TRY(sparse_can_wait(handle, __func__));
	columns = b->format == CUSPARSE_FORMAT_CSC;
	lines = columns ? a->cols : a->rows;
	index_array offsets = offsets_of(b, buffer);
	SPARSE_TRY(by_type(b->type, [&](auto c) {
		typedef decltype(c) C;
		dense<C> d = dense_of<C>(a, CUSPARSE_OPERATION_NON_TRANSPOSE);

		return count(handle, lines, columns ? a->rows : a->cols, columns ? turned(d) : d,
			     offsets);
	}));
	SPARSE_TRY(add_up(handle, lines, offsets));
	SPARSE_TRY(sparse_bring(handle, &total, offsets.from(lines).at, offsets.wide ? 8 : 4,
				__func__));
	total -= offsets.base;
	SPARSE_WANT(b->index_type == CUSPARSE_INDEX_64I || total <= INT32_MAX);
	b->nnz = total;
	return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
					 cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t,
					 void *buffer)
{
	bool columns;

	SPARSE_TRY(check_made(handle, a, b, __func__));
	if (b->format == CUSPARSE_FORMAT_BLOCKED_ELL)
		return by_type(b->type,
			       [&](auto c) { return make_blocked<decltype(c)>(handle, a, b); });
	SPARSE_WANT(b->format == CUSPARSE_FORMAT_COO ? !!buffer : !!b->offsets);
	if (!b->nnz)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_WANT(b->indices && b->values);
	columns = b->format == CUSPARSE_FORMAT_CSC;
	index_array offsets = offsets_of(b, buffer), none = {NULL, false, 0};
	return by_type(b->type, [&](auto c) {
		typedef decltype(c) C;
		dense<C> d = dense_of<C>(a, CUSPARSE_OPERATION_NON_TRANSPOSE);

		return fill(handle, columns ? a->cols : a->rows, columns ? a->rows : a->cols,
			    columns ? turned(d) : d, offsets,
			    b->format == CUSPARSE_FORMAT_COO
				    ? indices(b->offsets, b->index_type, b->base)
				    : none,
			    indices(b->indices, b->index_type, b->base),
			    values<C>(b->values, b->type));
	});
}
