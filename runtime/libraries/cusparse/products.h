/* SPDX-License-Identifier: MIT */
/* What products of a sparse matrix and dense ones have in common. */
#ifndef CUSPARSE_PRODUCTS_H
#define CUSPARSE_PRODUCTS_H

#include "rows.h"

namespace sparse
{

/* A dense matrix or a vector: the element in row i and column j is at i * down + j * across. */
template <class C> struct dense {
	value_array<C> values;
	int64_t down, across, stride;
	bool conjugate;

	__device__ __forceinline__ C get(int64_t i, int64_t j, int64_t batch) const
	{
		return conjugate_if(values.get(i * down + j * across + batch * stride), conjugate);
	}
	__device__ __forceinline__ void set(int64_t i, int64_t j, int64_t batch, C v) const
	{
		values.set(i * down + j * across + batch * stride, v);
	}
};

template <class C> dense<C> dense_of(const cusparseDnMatDescr *m, cusparseOperation_t op)
{
	dense<C> d;
	bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
	bool by_columns = m->order == CUSPARSE_ORDER_COL;

	d.values = values<C>(m->values, m->type);
	d.down = by_columns != turned ? 1 : m->ld;
	d.across = by_columns != turned ? m->ld : 1;
	d.stride = m->count > 1 ? m->stride : 0;
	d.conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	return d;
}
template <class C> dense<C> dense_of(const cusparseDnVecDescr *v)
{
	dense<C> d = {values<C>(v->values, v->type), 1, 0, 0, false};

	return d;
}

/* May the types be together, for sums of type C? B is what A multiplies. */
template <class C> bool good_types(cudaDataType a, cudaDataType b, cudaDataType c)
{
	int ka = kind_of<C>(a), kb = kind_of<C>(b), kc = kind_of<C>(c);
	bool complex = is_complex<C>::value;

	if (ka < 0 || kb < 0 || kc < 0 || (complex && (kb == REAL || kc == REAL)))
		return false;
	return kc == OWN || ((kc == HALF || kc == BFLOAT) && ka == kc && kb == kc);
}

/* The descriptor of a matrix in CSR that is given by pointers */
template <class T>
cusparseSpMatDescr csr_matrix(int rows, int cols, int nnz, const cusparseMatDescr *descr,
			      const T *values, const int *offsets, const int *columns)
{
	cusparseSpMatDescr m = cusparseSpMatDescr();

	m.format = CUSPARSE_FORMAT_CSR;
	m.rows = rows;
	m.cols = cols;
	m.nnz = nnz;
	m.offsets = (void *)offsets;
	m.indices = (void *)columns;
	m.values = (void *)values;
	m.offset_type = m.index_type = CUSPARSE_INDEX_32I;
	m.base = descr->base;
	m.type = type_of<T>::value;
	m.count = 1;
	return m;
}

/* A call of f with a number of the type that is computed in */
template <class F> cusparseStatus_t by_compute(cudaDataType compute, F f)
{
	if (compute == CUDA_R_32I)
		return f(0);
	SPARSE_BY_TYPE(compute, C, return f(zero_of<C>()));
}

inline bool good_op(cusparseOperation_t op)
{
	return (unsigned)op <= 2;
}

/* c = alpha * OP(a) * b + beta * c for COUNT problems, with n columns of b and c */
cusparseStatus_t product(cusparseHandle_t handle, cusparseOperation_t op_a, const void *alpha,
			 const cusparseSpMatDescr *a, cusparseOperation_t op_b,
			 const cusparseDnMatDescr *b, const void *beta, const cusparseDnMatDescr *c,
			 cudaDataType compute, void *buffer);
cusparseStatus_t product(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
			 const cusparseSpMatDescr *a, const cusparseDnVecDescr *x, const void *beta,
			 const cusparseDnVecDescr *y, cudaDataType compute, void *buffer);

} // namespace sparse

#endif
