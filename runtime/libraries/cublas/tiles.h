/* SPDX-License-Identifier: MIT */
/*
 * Which tile a product is computed by: the one table, and the launch. Included by the sources that
 * make the kernels, a few types each.
 */
#ifndef CUBLAS_TILES_H
#define CUBLAS_TILES_H

#include "multiply.h"

namespace blas
{

/*
 * By what is computed in. large: where there are enough of its tiles for the SMs; small: else. The
 * results are the same in every bit. width * depth must be a multiple of a block's threads.
 */
template <class LARGE> struct tile_pair {
	typedef LARGE large;
	typedef tile<1, 2, 8, 16> small;
};
template <class A> struct tiles_of;
template <> struct tiles_of<float> : tile_pair<tile<4, 8, 8, 32>> {};
template <> struct tiles_of<int> : tile_pair<tile<4, 8, 8, 32>> {};
template <> struct tiles_of<double> : tile_pair<tile<2, 8, 8, 16>> {};
template <> struct tiles_of<cuComplex> : tile_pair<tile<2, 4, 8, 16>> {};
template <> struct tiles_of<cuDoubleComplex> : tile_pair<tile<1, 4, 8, 16>> {};

template <class TILE, class T, class C, class A, class S>
cublasStatus_t multiply_by(cublasHandle_t handle, int64_t m, int64_t n, int64_t k, scalar<S> alpha,
			   operand<T> a, operand<T> b, scalar<S> beta, target<C> c, int64_t count,
			   bool round)
{
	int64_t tiles = blocks_for(m, TILE::height) * blocks_for(n, TILE::width);

	if (tiles > INT32_MAX)
		return CUBLAS_STATUS_INVALID_VALUE;
	return launch(handle, product_kernel<T, C, A, S, TILE>,
		      dim3(tiles, 1, count < 65535 ? count : 65535), dim3(32, TILE::warps), m, n, k,
		      alpha, a, b, beta, c, count, round);
}

template <class A, class T, class C, class S>
cublasStatus_t multiply(cublasHandle_t handle, int64_t m, int64_t n, int64_t k, scalar<S> alpha,
			operand<T> a, operand<T> b, scalar<S> beta, target<C> c, int64_t count,
			bool round)
{
	typedef typename tiles_of<A>::large large;
	typedef typename tiles_of<A>::small small;

	int sms = handle->sm_target ? handle->sm_target : handle->sms;

	if (blocks_for(m, large::height) * blocks_for(n, large::width) * count >= sms)
		return multiply_by<large, T, C, A, S>(handle, m, n, k, alpha, a, b, beta, c, count,
						      round);
	return multiply_by<small, T, C, A, S>(handle, m, n, k, alpha, a, b, beta, c, count, round);
}

#define BLAS_MULTIPLY(A, T, C, S)                                                                  \
	template cublasStatus_t multiply<A, T, C, S>(cublasHandle_t, int64_t, int64_t, int64_t,    \
						     scalar<S>, operand<T>, operand<T>, scalar<S>, \
						     target<C>, int64_t, bool);

} // namespace blas

#endif
