// SPDX-License-Identifier: MIT
/* Steps that several functions are made of. */
#include "../parts.h"

namespace solver
{

__global__ void info_kernel(int *info, int value, int count)
{
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
		info[i] = value;
}

cusolverStatus_t wrong(stream_of handle, int *info, int number)
{
	if (info)
		SOLVER_TRY(launch(handle, info_kernel, 1, info, -number, 1));
	return CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t clear_info(stream_of handle, int *info, int count)
{
	return launch(handle, info_kernel, (count + THREADS - 1) / THREADS, info, 0, count);
}

/*
 * 32 rows at a time: a lane has the row whose number leaves its own as remainder, so no lane waits
 * for memory that another one wrote; what the block's rows are goes through shared memory.
 */
template <class T>
__global__ void solve_kernel(int64_t n, int64_t cols, view<T> t, bool lower, bool unit, view<T> x,
			     const int *skip)
{
	__shared__ T solved[WARPS][32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int64_t strips = (n + 31) / 32;

	if (skip && *skip)
		return;
	for (int64_t c = (int64_t)blockIdx.x * WARPS + warp; c < cols;
	     c += (int64_t)gridDim.x * WARPS) {
		for (int64_t step = 0; step < strips; step++) {
			int64_t r0 = 32 * (lower ? step : strips - 1 - step), i = r0 + lane;
			int rows = (int)smaller(32, n - r0);
			T v = lane < rows ? x.get(i, c) : zero_of<T>();

			for (int q = 0; q < rows; q++) {
				int r = lower ? q : rows - 1 - q;

				if (lane == r) {
					if (!unit)
						v = divide(v, t.get(i, i));
					solved[warp][r] = v;
				}
				__syncwarp();
				if (lane < rows && (lower ? lane > r : lane < r))
					v = minus(v, times(t.get(i, r0 + r), solved[warp][r]));
			}
			if (lane < rows)
				x.set(i, c, v);
			for (int64_t k = lower ? r0 + 32 + lane : lane; k < (lower ? n : r0);
			     k += 32) {
				T w = x.get(k, c);

				for (int r = 0; r < rows; r++)
					w = minus(w, times(t.get(k, r0 + r), solved[warp][r]));
				x.set(k, c, w);
			}
			__syncwarp();
		}
	}
}

template <class T>
cusolverStatus_t solve(stream_of handle, int64_t n, int64_t cols, view<T> t, enum triangle part,
		       bool unit, view<T> x, const int *skip)
{
	if (!n)
		return CUSOLVER_STATUS_SUCCESS;
	return launch(handle, solve_kernel<T>, blocks_of_warps(cols), n, cols, t, part == LOWER,
		      unit, x, skip);
}

template <class T>
__global__ void multiply_kernel(int64_t m, int64_t n, int64_t k, view<T> a, int part, view<T> b,
				view<T> c, const int *skip)
{
	int lane = threadIdx.x % 32;
	int64_t strips = (m + 31) / 32;

	if (skip && *skip)
		return;
	for (int64_t w = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; w < n * strips;
	     w += (int64_t)gridDim.x * WARPS) {
		int64_t j = w / strips, i = w % strips * 32 + lane;
		int64_t from = part == UPPER ? i : 0, to = part == LOWER ? smaller(i + 1, k) : k;
		T sum = zero_of<T>();

		if (i >= m)
			continue;
		for (int64_t l = from; l < to; l++)
			sum = add_product(sum, a.get(i, l), b.get(l, j));
		c.set(i, j, sum);
	}
}

template <class T>
cusolverStatus_t multiply(stream_of handle, int64_t m, int64_t n, int64_t k, view<T> a,
			  enum triangle part, view<T> b, view<T> c, const int *skip)
{
	return launch(handle, multiply_kernel<T>, blocks_of_warps((m + 31) / 32 * n), m, n, k, a,
		      (int)part, b, c, skip);
}

template <class T>
__global__ void copy_kernel(int64_t m, int64_t n, int part, view<T> from, view<T> to,
			    const int *skip)
{
	int lane = threadIdx.x % 32;

	if (skip && *skip)
		return;
	for (int64_t j = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; j < n;
	     j += (int64_t)gridDim.x * WARPS)
		for (int64_t i = lane; i < m; i += 32) {
			if (part == LOWER ? i < j : part == UPPER ? i > j : false)
				continue;
			to.set(i, j,
			       from.at	? from.get(i, j)
			       : i == j ? one_of<T>()
					: zero_of<T>());
		}
}

template <class T>
cusolverStatus_t copy(stream_of handle, int64_t m, int64_t n, enum triangle part, view<T> from,
		      view<T> to, const int *skip)
{
	return launch(handle, copy_kernel<T>, m ? blocks_of_warps(n) : 0, m, n, (int)part, from, to,
		      skip);
}

template <class T> __global__ void clear_kernel(int64_t m, int64_t n, view<T> to)
{
	for (int64_t j = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; j < n;
	     j += (int64_t)gridDim.x * WARPS)
		for (int64_t i = threadIdx.x % 32; i < m; i += 32)
			to.place(i, j) = zero_of<T>();
}

template <class T> cusolverStatus_t clear(stream_of handle, int64_t m, int64_t n, view<T> to)
{
	return launch(handle, clear_kernel<T>, blocks_of_warps(n), m, n, to);
}

template <class T> __global__ void hermitian_kernel(int64_t n, bool lower, view<T> from, view<T> to)
{
	for (int64_t j = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; j < n;
	     j += (int64_t)gridDim.x * WARPS)
		for (int64_t i = j + threadIdx.x % 32; i < n; i += 32) {
			T v = lower ? from.get(i, j) : conjugate(from.get(j, i));

			if (i == j)
				v = only_real(v);
			to.set(i, j, v);
			to.set(j, i, conjugate(v));
		}
}

template <class T>
cusolverStatus_t fill_hermitian(stream_of handle, int64_t n, enum triangle there, view<T> from,
				view<T> to)
{
	return launch(handle, hermitian_kernel<T>, blocks_of_warps(n), n, there == LOWER, from, to);
}

template <class T> __global__ void zero_kernel(int64_t n, view<T> a, int *info)
{
	__shared__ int first[WARPS];
	int found = INT_MAX;

	for (int64_t i = threadIdx.x; i < n && found == INT_MAX; i += THREADS)
		if (is_zero(a.get(i, i)))
			found = (int)i + 1;
	found = -most_of_block(-found, first);
	if (threadIdx.x == 0)
		*info = found == INT_MAX ? 0 : found;
}

template <class T> cusolverStatus_t find_zero(stream_of handle, int64_t n, view<T> a, int *info)
{
	return launch(handle, zero_kernel<T>, 1, n, a, info);
}

template <class T>
__global__ void reflect_kernel(int64_t m, int64_t n, int64_t k, view<T> v, const T *tau,
			       bool adjoint, view<T> c, const int *skip)
{
	if (skip && *skip)
		return;
	for (int64_t j = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32; j < n;
	     j += (int64_t)gridDim.x * WARPS)
		for (int64_t step = 0; step < k; step++) {
			int64_t i = adjoint ? step : k - 1 - step;
			view<T> vector = v.part(i, i), column = c.part(i, j);
			T factor = conjugate_if(tau[i], adjoint);

			if (is_zero(factor))
				continue;
			reflect_column(vector.at, vector.rows, vector.conj, factor, column.at,
				       column.rows, m - i, c.conj);
			__syncwarp();
		}
}

template <class T>
cusolverStatus_t reflect(stream_of handle, int64_t m, int64_t n, int64_t k, view<T> v, const T *tau,
			 bool adjoint, view<T> c, const int *skip)
{
	if (!m || !k)
		return CUSOLVER_STATUS_SUCCESS;
	return launch(handle, reflect_kernel<T>, blocks_of_warps(n), m, n, k, v, tau, adjoint, c,
		      skip);
}

#define PARTS(T)                                                                                \
	template cusolverStatus_t solve<T>(stream_of, int64_t, int64_t, view<T>, enum triangle, \
					   bool, view<T>, const int *);                         \
	template cusolverStatus_t multiply<T>(stream_of, int64_t, int64_t, int64_t, view<T>,    \
					      enum triangle, view<T>, view<T>, const int *);    \
	template cusolverStatus_t copy<T>(stream_of, int64_t, int64_t, enum triangle, view<T>,  \
					  view<T>, const int *);                                \
	template cusolverStatus_t clear<T>(stream_of, int64_t, int64_t, view<T>);               \
	template cusolverStatus_t fill_hermitian<T>(stream_of, int64_t, enum triangle, view<T>, \
						    view<T>);                                   \
	template cusolverStatus_t find_zero<T>(stream_of, int64_t, view<T>, int *);             \
	template cusolverStatus_t reflect<T>(stream_of, int64_t, int64_t, int64_t, view<T>,     \
					     const T *, bool, view<T>, const int *);
PARTS(float)
PARTS(double)
PARTS(cuComplex)
PARTS(cuDoubleComplex)

} // namespace solver
