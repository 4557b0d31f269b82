/* SPDX-License-Identifier: MIT */
/*
 * The product as functions of level 3 see it: views of matrices, and a call that launches the
 * kernel for their types.
 */
#ifndef CUBLAS_MULTIPLY_H
#define CUBLAS_MULTIPLY_H

#include "context.h"
#include "product.h"

namespace blas
{

template <class T> operand<T> view(const T *base, int64_t ld, cublasOperation_t op)
{
	bool turned = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
	operand<T> v = {};

	v.base = base;
	v.rows = turned ? ld : 1;
	v.cols = turned ? 1 : ld;
	v.conj = is_complex<T>::value && (op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG);
	return v;
}

template <class T>
operand<T> view_of_half(const T *base, int64_t ld, cublasOperation_t op, enum shape shape,
			cublasFillMode_t uplo, bool unit)
{
	operand<T> v = view(base, ld, op);

	v.shape = shape;
	v.upper = (uplo == CUBLAS_FILL_MODE_UPPER) != (op == CUBLAS_OP_T || op == CUBLAS_OP_C);
	v.unit = unit;
	return v;
}

/* C as it is, or the triangle of it that uplo names */
template <class T>
target<T> place(T *base, int64_t ld, enum part part = WHOLE, bool hermitian = false)
{
	target<T> t = {};

	t.base = base;
	t.ld = ld;
	t.part = part;
	t.hermitian = hermitian;
	return t;
}

inline enum part part_of(cublasFillMode_t uplo)
{
	return uplo == CUBLAS_FILL_MODE_UPPER ? UPPER : LOWER;
}

/*
 * m, n > 0; count > 0. A: what is computed in; round: floats as tensor cores take them. In
 * product_*.cu, for the types that are made there.
 */
template <class A, class T, class C, class S>
cublasStatus_t multiply(cublasHandle_t handle, int64_t m, int64_t n, int64_t k, scalar<S> alpha,
			operand<T> a, operand<T> b, scalar<S> beta, target<C> c, int64_t count = 1,
			bool round = false);

/*
 * op(T) X = alpha B, or its mirror image with T on the right, for m times n matrices X and B, which
 * may be one; without `solve` the product. In level3.cu, for the four types of level 3.
 */
template <class T>
cublasStatus_t strip(cublasHandle_t handle, bool solve, cublasSideMode_t side, int64_t m, int64_t n,
		     scalar<T> alpha, operand<T> t, operand<T> b, operand<T> x, int64_t count);

} // namespace blas

#endif
