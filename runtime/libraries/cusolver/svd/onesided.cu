// SPDX-License-Identifier: MIT
/*
 * Singular values by one-sided rotations (Hestenes): columns of a copy of A, or of its adjoint if
 * that has fewer, are rotated in pairs until all are orthogonal; their lengths are the singular
 * values. The same rotations of a unit matrix give V. A block has a matrix, a warp a pair.
 */
#include "../eigen/tournament.h"
#include "onesided.h"

namespace solver
{

/* For each: the copy, V, lengths, places, the scale */
static BLAS_HD int64_t room_of(int64_t tall, int64_t wide)
{
	return tall * wide + wide * wide + 2 * wide + 2;
}

/*
 * Columns p and q of w, and of v if there is one, become orthogonal. Returns whether they were not.
 * Lengths below `zero` are none: their columns are zero in this type.
 */
template <class T>
__device__ bool orthogonalise(int64_t tall, T *w, int64_t wide, T *v, int64_t p, int64_t q,
			      real_of<T> tolerance, real_of<T> zero)
{
	typedef real_of<T> R;
	int lane = threadIdx.x % 32;
	R pp = 0, qq = 0;
	T pq = zero_of<T>();

	for (int64_t i = lane; i < tall; i += 32) {
		T x = w[i + p * tall], y = w[i + q * tall];

		pp += square(x);
		qq += square(y);
		pq = add_product(pq, conjugate(x), y);
	}
	pp = sum_of_warp(pp);
	qq = sum_of_warp(qq);
	pq = sum_of_warp(pq);
	R x = fabs(real_part(pq)), y = fabs(imaginary_part(pq)), size = x > y ? x : y;
	if (size > 0) {
		x /= size;
		y /= size;
		size *= sqrt(x * x + y * y);
	}
	if (!(pp > zero) || !(qq > zero) || !(size > tolerance * sqrt(pp) * sqrt(qq)))
		return false;
	R zeta = (qq - pp) / (2 * size);
	R t = 1 / (fabs(zeta) + sqrt(1 + zeta * zeta));
	t = zeta < 0 ? -t : t;
	R c = 1 / sqrt(1 + t * t);
	/* the direction first: its size may be smaller than what can be divided by */
	T s = times(times(pq, 1 / size), t * c);
	for (int64_t i = lane; i < tall + (v ? wide : 0); i += 32) {
		T *at = i < tall ? w + i : v + (i - tall);
		int64_t step = i < tall ? tall : wide;
		T a = at[p * step], b = at[q * step];

		at[p * step] = minus(times(a, c), times(conjugate(s), b));
		at[q * step] = plus(times(s, a), times(b, c));
	}
	return true;
}

template <class T> __global__ void onesided_kernel(singular_problem<T> to)
{
	typedef real_of<T> R;
	__shared__ R room[WARPS];
	__shared__ int busy;
	bool turned = to.m < to.n;
	int64_t tall = turned ? to.n : to.m, wide = turned ? to.m : to.n, half = (wide + 1) / 2;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	/* the vectors of the long side are the columns, those of the short side the rotations */
	bool vectors = turned ? to.u.at != NULL : to.v.at != NULL;
	R zero = limits<R>::least() / limits<R>::epsilon();

	for (int64_t batch = blockIdx.x; batch < to.count; batch += gridDim.x) {
		T *w = to.work + batch * room_of(tall, wide), *v = w + tall * wide;
		R *lengths = (R *)(v + wide * wide);
		int *places = (int *)(v + wide * wide + wide);
		view<T> a = to.a, u = to.u, o = to.v;
		R *s = to.s + batch * to.s_stride, largest = 0;
		int sweep = 0;
		bool ended = false;

		a.at += batch * to.a_stride;
		u.at += u.at ? batch * to.u_stride : 0;
		o.at += o.at ? batch * to.v_stride : 0;
		if (turned)
			a = a.adjoint();
		for (int64_t j = warp; j < wide; j += WARPS)
			for (int64_t i = lane; i < tall; i += 32) {
				T x = a.get(i, j);
				R re = fabs(real_part(x)), im = fabs(imaginary_part(x));

				w[i + j * tall] = x;
				/* a NaN stays */
				largest = re > largest || re != re ? re : largest;
				largest = im > largest || im != im ? im : largest;
			}
		/* a sum of bounds is one, and keeps a NaN */
		largest = sum_of_block(largest, room);
		bool numbers = largest < INFINITY;
		R scale = scale_for(largest);
		for (int64_t e = threadIdx.x; e < tall * wide; e += THREADS)
			w[e] = times(w[e], scale);
		for (int64_t e = threadIdx.x; vectors && e < wide * wide; e += THREADS)
			v[e] = e % wide == e / wide ? one_of<T>() : zero_of<T>();
		for (; numbers && sweep < to.most_sweeps && !ended; sweep++) {
			__syncthreads();
			if (threadIdx.x == 0)
				busy = 0;
			for (int64_t step = 0; step < 2 * half - 1; step++) {
				__syncthreads();
				for (int64_t k = warp; k < half; k += WARPS) {
					int64_t p, q;

					if (pair_of(wide, step, k, &p, &q) &&
					    orthogonalise(tall, w, wide, vectors ? v : NULL, p, q,
							  to.tolerance, zero))
						busy = 1;
				}
			}
			__syncthreads();
			ended = !busy;
		}
		__syncthreads();
		for (int64_t j = warp; j < wide; j += WARPS) {
			R sum = 0;

			for (int64_t i = lane; i < tall; i += 32)
				sum += square(w[i + j * tall]);
			sum = sum_of_warp(sum);
			if (lane == 0)
				lengths[j] = sum > zero ? sqrt(sum) : 0 * sum;
		}
		__syncthreads();
		for (int64_t j = threadIdx.x; j < wide; j += THREADS) {
			int place = to.sort ? 0 : (int)j;

			for (int64_t k = 0; to.sort && k < wide; k++)
				place += lengths[k] > lengths[j] ||
					 (lengths[k] == lengths[j] && k < j);
			places[j] = place;
			if (place < to.values)
				s[place] = lengths[j] / scale;
		}
		__syncthreads();
		view<T> longer = turned ? o : u, shorter = turned ? u : o;
		int64_t longer_columns = turned ? to.v_columns : to.u_columns;
		int64_t shorter_columns = turned ? to.u_columns : to.v_columns;
		for (int64_t j = warp; j < wide; j += WARPS) {
			int64_t place = places[j];
			R length = lengths[j];

			/* what is zero is completed later */
			for (int64_t i = lane; longer.at && place < longer_columns && i < tall;
			     i += 32)
				longer.set(i, place,
					   length != 0 ? times(w[i + j * tall], 1 / length)
						       : zero_of<T>());
			for (int64_t i = lane; shorter.at && place < shorter_columns && i < wide;
			     i += 32)
				shorter.set(i, place, v[i + j * wide]);
		}
		if (threadIdx.x == 0) {
			R left = 0;

			for (int64_t j = 0; j < wide; j++)
				if (places[j] >= to.values)
					left += lengths[j] * lengths[j];
			to.info[batch] = ended || !wide ? 0 : to.failed;
			*(R *)(v + wide * wide + 2 * wide) = scale;
			if (to.report && batch == 0)
				to.report->sweeps = sweep;
			if (to.residuals)
				to.residuals[batch] = sqrt(left) / scale;
		}
		__syncthreads();
	}
}

/*
 * Columns from the first whose singular value is zero, or that has none, become orthogonal to all
 * before, and of length 1: each begins as the unit vector that is farthest from those before.
 */
template <class T>
__global__ void complete_kernel(int64_t rows, int64_t cols, view<T> all, int64_t stride,
				const real_of<T> *values, int64_t values_stride, int64_t n,
				int64_t count)
{
	typedef real_of<T> R;
	__shared__ R room[WARPS], sizes[THREADS];
	__shared__ T numbers[WARPS];
	__shared__ int64_t which[THREADS];

	for (int64_t batch = blockIdx.x; batch < count; batch += gridDim.x) {
		const R *s = values + batch * values_stride;
		view<T> u = all;

		u.at += batch * stride;
		for (int64_t j = 0; j < cols; j++) {
			if (j < n && s[j] != 0)
				continue;
			R least = INFINITY;
			int64_t at = rows;

			for (int64_t i = threadIdx.x; i < rows; i += THREADS) {
				R sum = 0;

				for (int64_t k = 0; k < cols; k++)
					if (k < j || (k < n && s[k] != 0))
						sum += square(u.get(i, k));
				if (sum < least) {
					least = sum;
					at = i;
				}
			}
			sizes[threadIdx.x] = least;
			which[threadIdx.x] = at;
			__syncthreads();
			for (int t = 0; t < THREADS; t++)
				if (sizes[t] < least || (sizes[t] == least && which[t] < at)) {
					least = sizes[t];
					at = which[t];
				}
			for (int64_t i = threadIdx.x; i < rows; i += THREADS)
				u.set(i, j, i == at ? one_of<T>() : zero_of<T>());
			__syncthreads();
			for (int turn = 0; turn < 3; turn++) {
				for (int64_t k = 0; k < cols; k++) {
					if (k >= j && !(k < n && s[k] != 0))
						continue;
					T dot = zero_of<T>();

					for (int64_t i = threadIdx.x; i < rows; i += THREADS)
						dot = add_product(dot, conjugate(u.get(i, k)),
								  u.get(i, j));
					dot = sum_of_block(dot, numbers);
					for (int64_t i = threadIdx.x; i < rows; i += THREADS)
						u.set(i, j,
						      minus(u.get(i, j), times(dot, u.get(i, k))));
					__syncthreads();
				}
				R sum = 0;
				for (int64_t i = threadIdx.x; i < rows; i += THREADS)
					sum += square(u.get(i, j));
				sum = 1 / sqrt(sum_of_block(sum, room));
				for (int64_t i = threadIdx.x; i < rows; i += THREADS)
					u.set(i, j, times(u.get(i, j), sum));
				__syncthreads();
			}
		}
		__syncthreads();
	}
}

/* How far U^H A V is from a diagonal matrix */
template <class T> __global__ void report_kernel(singular_problem<T> to, int64_t tall, int64_t wide)
{
	typedef real_of<T> R;
	__shared__ R room[WARPS];
	R sum = 0;
	const T *w = to.work, *behind = w + tall * wide + wide * wide;
	const R *lengths = (const R *)behind, scale = *(const R *)(behind + 2 * wide);

	for (int64_t pair = threadIdx.x / 32; pair < wide * wide; pair += WARPS) {
		int64_t p = pair / wide, q = pair % wide;
		T dot = zero_of<T>();

		if (p == q || lengths[p] == 0)
			continue;
		for (int64_t i = threadIdx.x % 32; i < tall; i += 32)
			dot = add_product(dot, conjugate(w[i + p * tall]), w[i + q * tall]);
		dot = sum_of_warp(dot);
		if (threadIdx.x % 32 == 0)
			sum += square(times(dot, 1 / lengths[p]));
	}
	sum = sum_of_block(sum, room);
	if (threadIdx.x == 0)
		to.report->residual = sqrt(sum) / scale;
}

template <class T> int64_t singular_size(int64_t m, int64_t n, int64_t count)
{
	return count * room_of(most(m, n), least(m, n));
}

template <class T>
singular_problem<T> singular(int64_t m, int64_t n, T *a, int64_t lda, real_of<T> *s, T *work,
			     int *info)
{
	singular_problem<T> p = {};

	p.m = m;
	p.n = n;
	p.count = 1;
	p.a = columns(a, lda);
	p.s = s;
	p.values = p.s_stride = least(m, n);
	p.sort = true;
	p.most_sweeps = 100;
	p.failed = 1;
	p.info = info;
	p.work = work;
	return p;
}

template <class T> cusolverStatus_t find_singular(stream_of handle, singular_problem<T> p)
{
	/* what sums of products in this type can tell from zero */
	real_of<T> own = 2 * limits<real_of<T>>::epsilon() * sqrt((real_of<T>)most(p.m, p.n));

	p.tolerance = p.tolerance > own ? p.tolerance : own;
	SOLVER_TRY(launch(handle, onesided_kernel<T>, p.count, p));
	if (p.report)
		SOLVER_TRY(launch(handle, report_kernel<T>, 1, p, most(p.m, p.n), least(p.m, p.n)));
	/* the vectors of the short side are rotations, which are unitary */
	bool turned = p.m < p.n;
	view<T> longer = turned ? p.v : p.u;

	if (longer.at)
		SOLVER_TRY(launch(handle, complete_kernel<T>, p.count, most(p.m, p.n),
				  turned ? p.v_columns : p.u_columns, longer,
				  turned ? p.v_stride : p.u_stride, (const real_of<T> *)p.s,
				  p.s_stride, p.values, p.count));
	return CUSOLVER_STATUS_SUCCESS;
}

#define SINGULAR(T)                                                                            \
	template int64_t singular_size<T>(int64_t, int64_t, int64_t);                          \
	template singular_problem<T> singular<T>(int64_t, int64_t, T *, int64_t, real_of<T> *, \
						 T *, int *);                                  \
	template cusolverStatus_t find_singular<T>(stream_of, singular_problem<T>);
SINGULAR(float)
SINGULAR(double)
SINGULAR(cuComplex)
SINGULAR(cuDoubleComplex)

} // namespace solver
