/* SPDX-License-Identifier: MIT */
/*
 * Products with and solutions of triangular systems, of many columns: X = alpha T B and T X = alpha
 * B with T n times n. What stands on the right of B is the same problem with everything transposed,
 * which views are by exchanging distances. A block has 32 columns of B and goes through their rows,
 * 16 at a time, in the order in which no row that is still needed has been written: so it works in
 * place.
 */
#ifndef CUBLAS_TRIANGLE_H
#define CUBLAS_TRIANGLE_H

#include "product.h"

namespace blas
{

enum { STRIP_ROWS = 16, STRIP_COLS = 32, STRIP_THREADS = 256 };

/* b: read; x: written, which may be the same; both are views with `cols` columns */
template <class T>
__global__ void __launch_bounds__(STRIP_THREADS)
	strip_kernel(bool solve, int64_t n, int64_t cols, scalar<T> alpha, operand<T> t,
		     operand<T> b, operand<T> x, int64_t count)
{
	__shared__ T ts[STRIP_ROWS][STRIP_ROWS + 1], bs[STRIP_ROWS][STRIP_COLS + 1];
	int col = threadIdx.x % STRIP_COLS, row = threadIdx.x / STRIP_COLS;
	int64_t c = (int64_t)blockIdx.x * STRIP_COLS + col,
		strips = (n + STRIP_ROWS - 1) / STRIP_ROWS;
	T by = alpha.get();
	/* a product of an upper triangle takes rows from below, its solution depends on them */
	bool downwards = t.upper != solve;

	for (int64_t batch = blockIdx.z; batch < count; batch += gridDim.z) {
		const T *pt = t.of(batch), *pb = b.of(batch);
		T *px = (T *)x.of(batch);

		for (int64_t step = 0; step < strips; step++) {
			int64_t r0 = (downwards ? step : strips - 1 - step) * STRIP_ROWS;
			T sum[2] = {zero_of<T>(), zero_of<T>()};
			/* the columns of T that count: of a solution those behind the diagonal
			 * block */
			int64_t from = t.upper ? r0 + (solve ? STRIP_ROWS : 0) : 0;
			int64_t to = t.upper ? n : r0 + (solve ? 0 : STRIP_ROWS);

			if (is_zero(by))
				to = from;
			for (int64_t k0 = from; k0 < to; k0 += STRIP_ROWS) {
				int64_t i = r0 + threadIdx.x / STRIP_ROWS,
					k = k0 + threadIdx.x % STRIP_ROWS;

				ts[threadIdx.x / STRIP_ROWS][threadIdx.x % STRIP_ROWS] =
					i < n && k < n ? element_of_half<T, T>(t, pt, i, k)
						       : zero_of<T>();
				for (int r = row; r < STRIP_ROWS; r += STRIP_THREADS / STRIP_COLS) {
					const operand<T> &v = solve ? x : b;

					bs[r][col] = k0 + r < n && c < cols
							     ? element<T, T>(v, solve ? px : pb,
									     k0 + r, c)
							     : zero_of<T>();
				}
				__syncthreads();
				for (int d = 0; d < STRIP_ROWS; d++)
					for (int s = 0; s < 2; s++)
						sum[s] = add_product(sum[s], ts[row + 8 * s][d],
								     bs[d][col]);
				__syncthreads();
			}
			if (solve && !is_zero(by)) {
				int64_t i = r0 + threadIdx.x / STRIP_ROWS,
					k = r0 + threadIdx.x % STRIP_ROWS;

				ts[threadIdx.x / STRIP_ROWS][threadIdx.x % STRIP_ROWS] =
					i < n && k < n ? element_of_half<T, T>(t, pt, i, k)
						       : zero_of<T>();
				for (int s = 0; s < 2; s++) {
					int r = row + 8 * s;

					bs[r][col] =
						r0 + r < n && c < cols
							? minus(times(by, element<T, T>(b, pb,
											r0 + r, c)),
								sum[s])
							: zero_of<T>();
				}
				__syncthreads();
				/* the diagonal block: a lane of the first warp has a column */
				int rows = n - r0 < STRIP_ROWS ? (int)(n - r0) : STRIP_ROWS;
				for (int q = 0; row == 0 && q < rows; q++) {
					int r = downwards ? q : rows - 1 - q;
					T v = bs[r][col];

					for (int d = downwards ? 0 : r + 1;
					     d < (downwards ? r : rows); d++)
						v = minus(v, times(ts[r][d], bs[d][col]));
					bs[r][col] = t.unit ? v : divide(v, ts[r][r]);
				}
				__syncthreads();
			}
			for (int s = 0; s < 2; s++) {
				int r = row + 8 * s;

				if (r0 + r < n && c < cols)
					px[(r0 + r) * x.rows + c * x.cols] =
						is_zero(by) ? zero_of<T>()
						: solve	    ? bs[r][col]
							    : times(by, sum[s]);
			}
			__syncthreads();
		}
	}
}

} // namespace blas

#endif
