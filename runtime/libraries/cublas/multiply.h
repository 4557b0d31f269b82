/* SPDX-License-Identifier: MIT */
/*
 * The product as functions of level 3 see it: a problem with its views is given to the tile that suits its type and
 * size. Which tile is in one table.
 */
#ifndef CUBLAS_MULTIPLY_H
#define CUBLAS_MULTIPLY_H

#include "context.h"
#include "product.h"

namespace blas {

/*
 * T: elements of A and B. large: where there are enough of its tiles for the SMs; small: else. The results are the
 * same in every bit.
 */
template <class A> struct tiles_of;
template <> struct tiles_of<float> { typedef tile<2, 4, 8, 16> large; typedef tile<1, 2, 8, 16> small; };
template <> struct tiles_of<int> { typedef tile<2, 4, 8, 16> large; typedef tile<1, 2, 8, 16> small; };
template <> struct tiles_of<double> { typedef tile<1, 4, 8, 16> large; typedef tile<1, 1, 8, 16> small; };
template <> struct tiles_of<cuComplex> { typedef tile<1, 4, 8, 16> large; typedef tile<1, 1, 8, 16> small; };
template <> struct tiles_of<cuDoubleComplex> { typedef tile<1, 2, 8, 8> large; typedef tile<1, 1, 8, 8> small; };

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

template <class T> operand<T> view_of_half(const T *base, int64_t ld, cublasOperation_t op, enum shape shape,
					   cublasFillMode_t uplo, bool unit)
{
	operand<T> v = view(base, ld, op);

	v.shape = shape;
	v.upper = (uplo == CUBLAS_FILL_MODE_UPPER) != (op == CUBLAS_OP_T || op == CUBLAS_OP_C);
	v.unit = unit;
	return v;
}

/* C as it is, or the triangle of it that uplo names */
template <class T> target<T> place(T *base, int64_t ld, enum part part = WHOLE, bool hermitian = false)
{
	target<T> t = {};

	t.base = base;
	t.ld = ld;
	t.part = part;
	t.hermitian = hermitian;
	return t;
}

inline enum part part_of(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_UPPER ? UPPER : LOWER; }

template <class TILE, class T, class C, class A, class S>
cublasStatus_t multiply_by(cublasHandle_t handle, int64_t m, int64_t n, int64_t k, scalar<S> alpha, operand<T> a,
			   operand<T> b, scalar<S> beta, target<C> c, int64_t count, bool round)
{
	int64_t tiles = blocks_for(m, TILE::height) * blocks_for(n, TILE::width);

	if (tiles > INT32_MAX)
		return CUBLAS_STATUS_INVALID_VALUE;
	return launch(handle, product_kernel<T, C, A, S, TILE>, dim3(tiles, 1, count < 65535 ? count : 65535),
		      dim3(32, TILE::warps), m, n, k, alpha, a, b, beta, c, count, round);
}

/* m, n > 0; count > 0 */
template <class A, class T, class C, class S>
cublasStatus_t multiply(cublasHandle_t handle, int64_t m, int64_t n, int64_t k, scalar<S> alpha, operand<T> a,
			operand<T> b, scalar<S> beta, target<C> c, int64_t count = 1, bool round = false)
{
	typedef typename tiles_of<A>::large large;
	typedef typename tiles_of<A>::small small;

	if (blocks_for(m, large::height) * blocks_for(n, large::width) * count >= handle->sms)
		return multiply_by<large, T, C, A, S>(handle, m, n, k, alpha, a, b, beta, c, count, round);
	return multiply_by<small, T, C, A, S>(handle, m, n, k, alpha, a, b, beta, c, count, round);
}

}

#endif
