/* SPDX-License-Identifier: MIT */
/*
 * The tiles that there are, and the launch of one of them. Included by the sources that make the
 * kernels, a few types each.
 */
#ifndef CUBLAS_TILES_H
#define CUBLAS_TILES_H

#include "multiply.h"

namespace blas
{

/*
 * By what is computed in. The results are the same in every bit. width * depth must be a multiple
 * of a block's threads. Of complex numbers there is none between the small and the large ones.
 */
template <enum tile_kind KIND, class MIDDLE, class LARGE> struct tile_set {
	static const enum tile_kind kind = KIND;
	typedef tile<1, 2, 8, 16> small;
	typedef MIDDLE middle;
	typedef LARGE large;
};
typedef tile<2, 4, 8, 16> middle_tile;
typedef tile<1, 4, 8, 16> wide_tile;
template <class A> struct tiles_of;
template <> struct tiles_of<float> : tile_set<TILES_FLOAT, middle_tile, tile<4, 8, 8, 32>> {};
template <> struct tiles_of<int> : tile_set<TILES_FLOAT, middle_tile, tile<4, 8, 8, 32>> {};
template <> struct tiles_of<double> : tile_set<TILES_DOUBLE, middle_tile, tile<2, 8, 8, 16>> {};
template <> struct tiles_of<cuComplex> : tile_set<TILES_COMPLEX, middle_tile, middle_tile> {};
template <>
struct tiles_of<cuDoubleComplex> : tile_set<TILES_DOUBLE_COMPLEX, wide_tile, wide_tile> {};

template <class TILE> int64_t tiles_in(int64_t m, int64_t n, int64_t count)
{
	return blocks_for(m, TILE::height) * blocks_for(n, TILE::width) * count;
}

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
	typedef tiles_of<A> set;
	int64_t tiles[] = {tiles_in<typename set::small>(m, n, count),
			   tiles_in<typename set::middle>(m, n, count),
			   tiles_in<typename set::large>(m, n, count)};
	int sms = handle->sm_target ? handle->sm_target : handle->sms;

	switch (best_tile(handle->tuning, set::kind, tiles, sms)) {
	case TILE_LARGE:
		return multiply_by<typename set::large, T, C, A, S>(handle, m, n, k, alpha, a, b,
								    beta, c, count, round);
	case TILE_MIDDLE:
		return multiply_by<typename set::middle, T, C, A, S>(handle, m, n, k, alpha, a, b,
								     beta, c, count, round);
	default:
		return multiply_by<typename set::small, T, C, A, S>(handle, m, n, k, alpha, a, b,
								    beta, c, count, round);
	}
}

#define BLAS_MULTIPLY(A, T, C, S)                                                                  \
	template cublasStatus_t multiply<A, T, C, S>(cublasHandle_t, int64_t, int64_t, int64_t,    \
						     scalar<S>, operand<T>, operand<T>, scalar<S>, \
						     target<C>, int64_t, bool);

} // namespace blas

#endif
