/* SPDX-License-Identifier: MIT */
/*
 * C = alpha A B + beta C: one tiled product, from which all of level 3 but the solutions of
 * triangular systems is made. A and B are views: element (i, j) is at i * rows + j * cols, so that
 * a transposed matrix is the same one with these exchanged, and a symmetric, Hermitian or
 * triangular one says which half of it is there. Of C all may be written or a triangle.
 *
 * A warp has 32 rows or a multiple of it, its lanes one below the other, and a few columns:
 * elements of A are a row of shared memory, those of B the same for all lanes. An element of C is
 * added up in ascending order of k by one thread, so its bytes do not depend on the tile.
 */
#ifndef CUBLAS_PRODUCT_H
#define CUBLAS_PRODUCT_H

#include "numbers.h"

namespace blas
{

enum shape { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR };
enum part { WHOLE, LOWER, UPPER };

template <class T> struct operand {
	const T *base;
	const T *const *list; /* of a batch by pointers, else NULL */
	int64_t stride; /* of a batch */
	int64_t rows, cols; /* distances */
	unsigned char shape;
	bool conj, upper, unit;

	__device__ __forceinline__ const T *of(int64_t batch) const
	{
		return list ? list[batch] : base + batch * stride;
	}
};

template <class T> struct target {
	T *base;
	T *const *list;
	int64_t stride, ld;
	unsigned char part;
	bool hermitian; /* the diagonal becomes real */

	__device__ __forceinline__ T *of(int64_t batch) const
	{
		return list ? list[batch] : base + batch * stride;
	}
};

template <class T, class A>
__device__ __forceinline__ A element(const operand<T> &v, const T *p, int64_t i, int64_t j)
{
	return conjugate_if(convert<A>(p[i * v.rows + j * v.cols]), v.conj);
}

/* Of a matrix of which one half is there. */
template <class T, class A>
__device__ __noinline__ A element_of_half(const operand<T> &v, const T *p, int64_t i, int64_t j)
{
	if (i == j) {
		if (v.unit)
			return one_of<A>();
		A a = element<T, A>(v, p, i, j);
		return v.shape == HERMITIAN ? only_real(a) : a;
	}
	if (v.upper == (i < j))
		return element<T, A>(v, p, i, j);
	if (v.shape == TRIANGULAR)
		return zero_of<A>();
	return conjugate_if(element<T, A>(v, p, j, i), v.shape == HERMITIAN);
}

/* What a tensor core keeps of a float: 10 bits behind the point, to the nearest, ties away from
 * zero. */
__device__ __forceinline__ float to_tf32(float a)
{
	unsigned int bits = __float_as_uint(a);

	return (bits & 0x7f800000) == 0x7f800000 ? a : __uint_as_float((bits + 0x1000) & ~0x1fffu);
}
template <class A> __device__ __forceinline__ A rounded(A a)
{
	return a;
}
__device__ __forceinline__ float rounded(float a)
{
	return to_tf32(a);
}
__device__ __forceinline__ cuComplex rounded(cuComplex a)
{
	return pair(to_tf32(a.x), to_tf32(a.y));
}

/* ROWS: rows of a lane; COLS: columns of a warp; WARPS; DEPTH: steps of k between two barriers */
template <int ROWS, int COLS, int WARPS, int DEPTH> struct tile {
	enum {
		rows = ROWS,
		cols = COLS,
		warps = WARPS,
		depth = DEPTH,
		height = 32 * ROWS,
		width = COLS * WARPS,
		threads = 32 * WARPS
	};
};

/* One element of a tile, in its place or outside of the matrix. */
template <class T, class A>
__device__ __noinline__ A element_or_zero(const operand<T> &v, const T *p, int64_t i, int64_t j,
					  int64_t rows, int64_t cols)
{
	if (i >= rows || j >= cols)
		return zero_of<A>();
	return v.shape == GENERAL ? element<T, A>(v, p, i, j) : element_of_half<T, A>(v, p, i, j);
}

/*
 * A tile of an operand to shared memory: LONG elements of one index, of which there are `end`, and
 * DEPTH of k. Lanes go along what is contiguous, so that a warp loads a row of memory. What is
 * outside is 0. FIRST: the long index is the first of the view. The element (i, d) of the tile goes
 * to to[i * ACROSS + d * DOWN].
 */
template <class T, class A, class TILE, int LONG, int ACROSS, int DOWN, bool FIRST>
__device__ __forceinline__ void fetch(A *to, const operand<T> &v, const T *p, int64_t at,
				      int64_t end, int64_t k0, int64_t k, bool round)
{
	enum { DEPTH = TILE::depth, WARPS = TILE::warps, WIDE = LONG < 32 ? LONG : 32 };
	int64_t along = FIRST ? v.rows : v.cols, across = FIRST ? v.cols : v.rows;
	bool lanes_along = along == 1;
	/* this thread's first element, and the steps to its others */
	int i = lanes_along ? (int)threadIdx.x % WIDE + 32 * ((int)threadIdx.y % (LONG / WIDE))
			    : (int)threadIdx.x / DEPTH + 32 / DEPTH * (int)threadIdx.y;
	int d = lanes_along
			? (int)threadIdx.x / WIDE + 32 / WIDE * ((int)threadIdx.y / (LONG / WIDE))
			: (int)threadIdx.x % DEPTH;
	int step_i = lanes_along ? 0 : 32 / DEPTH * WARPS;
	int step_d = lanes_along ? 32 * WARPS / LONG : 0;
	const T *from = p + (at + i) * along + (k0 + d) * across;
	int64_t step = step_i * along + step_d * across;

	to += i * ACROSS + d * DOWN;
	if (v.shape == GENERAL && !v.conj && !round && at + LONG <= end && k0 + DEPTH <= k) {
#pragma unroll
		for (int e = 0; e < LONG * DEPTH / TILE::threads; e++)
			to[e * (step_i * ACROSS + step_d * DOWN)] = convert<A>(from[e * step]);
		return;
	}
	for (int e = 0; e < LONG * DEPTH / TILE::threads; e++) {
		int64_t x = at + i + e * step_i, y = k0 + d + e * step_d;
		A a = FIRST ? element_or_zero<T, A>(v, p, x, y, end, k)
			    : element_or_zero<T, A>(v, p, y, x, k, end);

		to[e * (step_i * ACROSS + step_d * DOWN)] = round ? rounded(a) : a;
	}
}

template <class T, class C, class A, class S, class TILE>
__global__ void __launch_bounds__(TILE::threads)
	product_kernel(int64_t m, int64_t n, int64_t k, scalar<S> alpha, operand<T> a, operand<T> b,
		       scalar<S> beta, target<C> c, int64_t count, bool round)
{
	__shared__ A as[TILE::depth][TILE::height];
	__shared__ A bs[TILE::width][TILE::depth];
	int64_t tiles = (m + TILE::height - 1) / TILE::height;
	int64_t i0 = blockIdx.x % tiles * TILE::height, j0 = blockIdx.x / tiles * TILE::width;
	S by = alpha.get(), old = beta.get();

	if ((c.part == LOWER && j0 >= i0 + TILE::height) ||
	    (c.part == UPPER && i0 >= j0 + TILE::width))
		return;
	if (is_zero(by))
		k = 0;
	if (!k && is_one(old))
		return;
	for (int64_t batch = blockIdx.z; batch < count; batch += gridDim.z) {
		const T *pa = k ? a.of(batch) : NULL, *pb = k ? b.of(batch) : NULL;
		C *pc = c.of(batch);
		A sum[TILE::rows][TILE::cols];

#pragma unroll
		for (int r = 0; r < TILE::rows; r++)
#pragma unroll
			for (int s = 0; s < TILE::cols; s++)
				sum[r][s] = zero_of<A>();
		for (int64_t k0 = 0; k0 < k; k0 += TILE::depth) {
			fetch<T, A, TILE, TILE::height, 1, TILE::height, true>(as[0], a, pa, i0, m,
									       k0, k, round);
			fetch<T, A, TILE, TILE::width, TILE::depth, 1, false>(bs[0], b, pb, j0, n,
									      k0, k, round);
			__syncthreads();
#pragma unroll
			for (int d = 0; d < TILE::depth; d++) {
				A x[TILE::rows], y[TILE::cols];

#pragma unroll
				for (int r = 0; r < TILE::rows; r++)
					x[r] = as[d][threadIdx.x + 32 * r];
#pragma unroll
				for (int s = 0; s < TILE::cols; s++)
					y[s] = bs[threadIdx.y * TILE::cols + s][d];
#pragma unroll
				for (int r = 0; r < TILE::rows; r++)
#pragma unroll
					for (int s = 0; s < TILE::cols; s++)
						sum[r][s] = add_product(sum[r][s], x[r], y[s]);
			}
			__syncthreads();
		}
#pragma unroll
		for (int s = 0; s < TILE::cols; s++)
#pragma unroll
			for (int r = 0; r < TILE::rows; r++) {
				int64_t i = i0 + threadIdx.x + 32 * r,
					j = j0 + threadIdx.y * TILE::cols + s;

				if (i >= m || j >= n || (c.part == LOWER && i < j) ||
				    (c.part == UPPER && i > j))
					continue;
				C *at = pc + i + j * c.ld;
				S was = zero_of<S>(), now = times(by, convert<S>(sum[r][s]));
				if (!is_zero(old)) {
					was = convert<S>(*at);
					if (c.hermitian && i == j)
						was = only_real(was);
					now = add_product(now, old, was);
				}
				*at = convert<C>(c.hermitian && i == j ? only_real(now) : now);
			}
	}
}

} // namespace blas

#endif
