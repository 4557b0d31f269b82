/* SPDX-License-Identifier: MIT */
/*
 * The Schur form of a Hessenberg matrix by the implicit QR algorithm, one block: single shifts for
 * complex numbers, Francis' double shifts for real ones (Golub and Van Loan, 7.5). The block keeps
 * one copy of each decision: all threads read the same numbers between two barriers.
 */
#ifndef CUSOLVER_SCHUR_H
#define CUSOLVER_SCHUR_H

#include "../kernels.h"

namespace solver
{

/* Rounds for one eigenvalue before it is given up; every tenth has a shift of its own */
enum { SCHUR_ROUNDS = 80, SCHUR_TURN = 10 };

template <class T> struct complex_type {
	typedef T type;
};
template <> struct complex_type<float> {
	typedef cuComplex type;
};
template <> struct complex_type<double> {
	typedef cuDoubleComplex type;
};
template <class T> using complex_of = typename complex_type<T>::type;

template <class R> __device__ R length(R x, R y)
{
	R a = fabs(x), b = fabs(y), most = a > b ? a : b, ratio;

	if (most == 0)
		return 0;
	ratio = (a > b ? b : a) / most;
	return most * sqrt(1 + ratio * ratio);
}

/* The square root whose real part is not negative */
template <class C> __device__ C root_of(C z)
{
	typedef real_of<C> R;
	R size = length(z.x, z.y), s = sqrt((size + fabs(z.x)) / 2), t = s > 0 ? z.y / (2 * s) : 0;

	return z.x >= 0 ? pair(s, t) : pair((R)fabs(t), z.y < 0 ? -s : s);
}

/* What the block works on: H, n times n, and Z with `rows` rows, whose columns turn with H */
template <class T> struct schur_job {
	int64_t n, rows;
	view<T> h, z;
};

/* The first row of the last block that is not split, for the rows up to `last`; thread 0 */
template <class T> __device__ int64_t split(const schur_job<T> &job, int64_t last, real_of<T> norm)
{
	int64_t l = last;

	for (; l > 0; l--) {
		real_of<T> sum = magnitude(job.h.get(l - 1, l - 1)) + magnitude(job.h.get(l, l));

		if (sum == 0)
			sum = norm;
		if (magnitude(job.h.get(l, l - 1)) <= limits<real_of<T>>::epsilon() * sum) {
			job.h.set(l, l - 1, zero_of<T>());
			break;
		}
	}
	return l;
}

/* A rotation (c, s; -conj(s), c): (x, y) becomes (r, 0) */
template <class C> struct rotation {
	real_of<C> c;
	C s;

	__device__ rotation(C x, C y)
	{
		real_of<C> a = length(x.x, x.y), b = length(y.x, y.y), r = length(a, b);

		c = 1;
		s = zero_of<C>();
		if (b == 0)
			return;
		c = a / r;
		if (a == 0)
			s = times(conjugate(y), 1 / b);
		else
			s = times(times(x, 1 / a), times(conjugate(y), 1 / r));
	}
	__device__ void rows(view<C> m, int64_t k, int64_t j) const
	{
		C a = m.get(k, j), b = m.get(k + 1, j);

		m.set(k, j, plus(times(a, c), times(s, b)));
		m.set(k + 1, j, minus(times(b, c), times(conjugate(s), a)));
	}
	/* with its adjoint, from the right */
	__device__ void columns(view<C> m, int64_t i, int64_t k) const
	{
		C a = m.get(i, k), b = m.get(i, k + 1);

		m.set(i, k, plus(times(a, c), times(conjugate(s), b)));
		m.set(i, k + 1, minus(times(b, c), times(s, a)));
	}
};

/* The eigenvalue of the last two rows that is nearer to the last number */
template <class C> __device__ C wilkinson_shift(view<C> h, int64_t last, bool own)
{
	C a = h.get(last - 1, last - 1), b = h.get(last - 1, last), c = h.get(last, last - 1);
	C d = h.get(last, last), half = times(minus(a, d), (real_of<C>)0.5), bc = times(b, c);
	C root = root_of(plus(times(half, half), bc)), p = plus(half, root), m = minus(half, root);

	if (own)
		return plus(d, convert<C>((real_of<C>)0.75 * magnitude(c)));
	if (magnitude(m) > magnitude(p))
		p = m;
	return is_zero(p) ? d : minus(d, divide(bc, p));
}

/* One QR step of rows first to last, first < last */
template <class C>
__device__ void schur_step(const schur_job<C> &job, int64_t first, int64_t last, bool own)
{
	C shift = wilkinson_shift(job.h, last, own);
	C x = minus(job.h.get(first, first), shift), y = job.h.get(first + 1, first);

	for (int64_t k = first; k < last; k++) {
		if (k > first) {
			x = job.h.get(k, k - 1);
			y = job.h.get(k + 1, k - 1);
		}
		rotation<C> turn(x, y);
		int64_t below = smaller(k + 2, last);

		__syncthreads();
		for (int64_t j = (k > first ? k - 1 : k) + threadIdx.x; j < job.n; j += THREADS)
			turn.rows(job.h, k, j);
		__syncthreads();
		if (k > first && threadIdx.x == 0)
			job.h.set(k + 1, k - 1, zero_of<C>());
		for (int64_t i = threadIdx.x; i <= below; i += THREADS)
			turn.columns(job.h, i, k);
		for (int64_t i = threadIdx.x; i < job.rows; i += THREADS)
			turn.columns(job.z, i, k);
		__syncthreads();
	}
}

/* A reflection of three rows, or of two if r is 0, as EISPACK's hqr keeps it */
template <class R> struct reflection3 {
	R x, y, z, q, r, first;
	bool three, none;

	__device__ reflection3(R p0, R q0, R r0, bool of_three) : three(of_three)
	{
		R size = fabs(p0) + fabs(q0) + fabs(r0);

		none = size == 0;
		if (none)
			return;
		R p = p0 / size, s;

		q = q0 / size;
		r = r0 / size;
		s = sqrt(p * p + q * q + r * r);
		s = p < 0 ? -s : s;
		first = -s * size;
		p += s;
		x = p / s;
		y = q / s;
		z = r / s;
		q /= p;
		r /= p;
	}
	__device__ void rows(view<R> m, int64_t k, int64_t j) const
	{
		R sum = m.get(k, j) + q * m.get(k + 1, j);

		if (three) {
			sum += r * m.get(k + 2, j);
			m.set(k + 2, j, m.get(k + 2, j) - sum * z);
		}
		m.set(k, j, m.get(k, j) - sum * x);
		m.set(k + 1, j, m.get(k + 1, j) - sum * y);
	}
	__device__ void columns(view<R> m, int64_t i, int64_t k) const
	{
		R sum = x * m.get(i, k) + y * m.get(i, k + 1);

		if (three) {
			sum += z * m.get(i, k + 2);
			m.set(i, k + 2, m.get(i, k + 2) - sum * r);
		}
		m.set(i, k, m.get(i, k) - sum);
		m.set(i, k + 1, m.get(i, k + 1) - sum * q);
	}
};

/* Two steps at once, with the eigenvalues of the last two rows as shifts; first + 1 < last */
template <class R>
__device__ void francis_step(const schur_job<R> &job, int64_t first, int64_t last, bool own)
{
	view<R> h = job.h;
	R h11 = h.get(last - 1, last - 1), h22 = h.get(last, last), p, q, r;
	R cross = h.get(last, last - 1) * h.get(last - 1, last), at = h.get(first, first);

	if (own) {
		R s = fabs(h.get(last, last - 1)) + fabs(h.get(last - 1, last - 2));

		h11 = h22 = (R)0.75 * s + h22;
		cross = (R)-0.4375 * s * s;
	}
	p = ((at - h11) * (at - h22) - cross) / h.get(first + 1, first) + h.get(first, first + 1);
	q = at + h.get(first + 1, first + 1) - h11 - h22;
	r = h.get(first + 2, first + 1);
	for (int64_t k = first; k < last; k++) {
		bool three = k + 1 < last;
		int64_t below = smaller(k + 3, last);

		if (k > first) {
			p = h.get(k, k - 1);
			q = h.get(k + 1, k - 1);
			r = three ? h.get(k + 2, k - 1) : 0;
		}
		reflection3<R> turn(p, q, r, three);
		if (turn.none)
			continue;
		__syncthreads();
		for (int64_t j = k + threadIdx.x; j < job.n; j += THREADS)
			turn.rows(h, k, j);
		__syncthreads();
		if (k > first && threadIdx.x == 0) {
			h.set(k, k - 1, turn.first);
			h.set(k + 1, k - 1, 0);
			if (three)
				h.set(k + 2, k - 1, 0);
		}
		for (int64_t i = threadIdx.x; i <= below; i += THREADS)
			turn.columns(h, i, k);
		for (int64_t i = threadIdx.x; i < job.rows; i += THREADS)
			turn.columns(job.z, i, k);
		__syncthreads();
	}
}

/*
 * The eigenvalues of rows k and k + 1, a block of its own. Real ones are put on the diagonal, and
 * zero below it; complex ones leave the block as it is.
 */
template <class R> __device__ void finish_pair(const schur_job<R> &job, int64_t k, R *re, R *im)
{
	R a = job.h.get(k, k), b = job.h.get(k, k + 1), c = job.h.get(k + 1, k);
	R d = job.h.get(k + 1, k + 1), half = (a - d) / 2, more = half * half + b * c;
	R root = sqrt(fabs(more)), x, y, size;

	__syncthreads();
	if (more < 0) {
		if (threadIdx.x == 0) {
			re[k] = re[k + 1] = d + half;
			im[k] = root;
			im[k + 1] = -root;
		}
		__syncthreads();
		return;
	}
	/* (x, y) is the vector of the eigenvalue d + z: the larger sum of two is taken */
	x = half + (half < 0 ? -root : root);
	y = c;
	size = length(x, y);
	if (size > 0) {
		x /= size;
		y /= size;
	} else {
		x = 1;
	}
	for (int64_t j = k + threadIdx.x; j < job.n; j += THREADS) {
		R u = job.h.get(k, j), v = job.h.get(k + 1, j);

		job.h.set(k, j, x * u + y * v);
		job.h.set(k + 1, j, x * v - y * u);
	}
	__syncthreads();
	for (int64_t i = threadIdx.x; i < job.rows + k + 2; i += THREADS) {
		view<R> m = i < job.rows ? job.z : job.h;
		int64_t row = i < job.rows ? i : i - job.rows;
		R u = m.get(row, k), v = m.get(row, k + 1);

		m.set(row, k, x * u + y * v);
		m.set(row, k + 1, x * v - y * u);
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		job.h.set(k + 1, k, 0);
		re[k] = job.h.get(k, k);
		re[k + 1] = job.h.get(k + 1, k + 1);
		im[k] = im[k + 1] = 0;
	}
	__syncthreads();
}

/* A step of the block, or of a real block of three rows and more */
template <class C>
__device__ int64_t advance(const schur_job<C> &job, int64_t first, int64_t last, bool own,
			   real_of<C> *, real_of<C> *)
{
	schur_step(job, first, last, own);
	return 0;
}
template <class R>
__device__ int64_t advance_real(const schur_job<R> &job, int64_t first, int64_t last, bool own,
				R *re, R *im)
{
	if (first + 1 == last) {
		finish_pair(job, first, re, im);
		return 2;
	}
	francis_step(job, first, last, own);
	return 0;
}
__device__ inline int64_t advance(const schur_job<float> &job, int64_t first, int64_t last,
				  bool own, float *re, float *im)
{
	return advance_real(job, first, last, own, re, im);
}
__device__ inline int64_t advance(const schur_job<double> &job, int64_t first, int64_t last,
				  bool own, double *re, double *im)
{
	return advance_real(job, first, last, own, re, im);
}

/*
 * H becomes its Schur form, Z := Z Q; re and im: the eigenvalues in its order, times `scale`. info:
 * 0, or how many rows, the first ones, are not finished.
 */
template <class T>
__global__ void schur_kernel(schur_job<T> job, const real_of<T> *scale, real_of<T> *re,
			     real_of<T> *im, int *info)
{
	typedef real_of<T> R;
	__shared__ R room[WARPS];
	__shared__ int64_t first;
	int64_t last = job.n - 1;
	int round = 0;
	R norm = 0;

	for (int64_t j = threadIdx.x; j < job.n; j += THREADS)
		for (int64_t i = 0; i < job.n && i <= j + 1; i++)
			norm += magnitude(job.h.get(i, j));
	norm = sum_of_block(norm, room);
	while (last >= 0 && round <= SCHUR_ROUNDS) {
		int64_t done = 0;

		if (threadIdx.x == 0)
			first = split(job, last, norm);
		__syncthreads();
		int64_t from = first;
		__syncthreads();
		if (from == last) {
			if (threadIdx.x == 0) {
				re[last] = real_part(job.h.get(last, last));
				im[last] = imaginary_part(job.h.get(last, last));
			}
			done = 1;
		} else {
			round++;
			done = advance(job, from, last, round % SCHUR_TURN == 0, re, im);
		}
		last -= done;
		round = done ? 0 : round;
	}
	__syncthreads();
	for (int64_t i = last + 1 + threadIdx.x; i < job.n; i += THREADS) {
		re[i] /= *scale;
		im[i] /= *scale;
	}
	if (threadIdx.x == 0)
		*info = (int)(last + 1);
}

} // namespace solver

#endif
