/* SPDX-License-Identifier: MIT */
/*
 * Factors of sparse matrices on the host: LU with exchanged columns, R of QR with what is done to
 * the right side, Cholesky's. A matrix is read by rows in an order, rows and columns alike.
 */
#ifndef CUSOLVER_FACTORS_H
#define CUSOLVER_FACTORS_H

#include "lines.h"

#include <math.h>

namespace solver
{

/* Of the caller: entries of row i from offsets[i] on. order[k] is the row at place k, place[] its
 * inverse. */
template <class T> struct csr {
	int n, base;
	const int *offsets, *columns;
	const T *values;
	const int *order, *place;
};

inline double host_length(float a)
{
	return fabs((double)a);
}
inline double host_length(double a)
{
	return fabs(a);
}
inline double host_length(cuComplex a)
{
	return hypot((double)a.x, (double)a.y);
}
inline double host_length(cuDoubleComplex a)
{
	return hypot(a.x, a.y);
}

enum outcome { FACTORED, NO_MEMORY };

/*
 * Row k of A, minus those of U before, is the row k of L U: its largest number is the pivot, whose
 * column comes to place k. For A x = b: L y = b, U x = y.
 */
template <class T> struct lu_factors {
	int n;
	lines<T> upper, lower; /* rows; columns of U by place; lower: multipliers */
	room_for<int> column, at; /* of each place its column; of each column its place, or -1 */
	room_for<T> pivots;

	explicit lu_factors(int count)
	    : n(count), upper(count), lower(count), column(count), at(count), pivots(count)
	{
	}

	/* singularity: the first row whose pivot is not above tol, or -1; minus `shift` on the
	 * diagonal */
	enum outcome factor(const csr<T> &a, double tol, T shift, int *singularity)
	{
		work_line<T> known(n); /* by place */
		room_for<T> fresh(n); /* by column: those that have no place yet */
		room_for<char> there(n);
		room_for<int> list(n);

		*singularity = -1;
		if (!upper.at || !lower.at || !column.at || !at.at || !pivots.at || !known.good() ||
		    !fresh.at || !there.at || !list.at)
			return NO_MEMORY;
		for (int j = 0; j < n; j++)
			at[j] = -1;
		for (int k = 0; k < n; k++) {
			int row = a.order[k], count = 0;
			auto place = [&](int j) -> T & {
				if (at[j] >= 0)
					return known.touch(at[j]);
				if (!there[j]) {
					there[j] = 1;
					fresh[j] = zero_of<T>();
					list[count++] = j;
				}
				return fresh[j];
			};

			for (int e = a.offsets[row] - a.base; e < a.offsets[row + 1] - a.base;
			     e++) {
				T &to = place(a.place[a.columns[e] - a.base]);

				to = plus(to, a.values[e]);
			}
			if (!is_zero(shift)) {
				T &to = place(k);

				to = minus(to, shift);
			}
			for (int j; (j = known.pop()) >= 0;) {
				T by = known.value[j];

				if (is_zero(by))
					continue;
				by = divide(by, pivots[j]);
				if (!lower[k].add(j, by))
					return NO_MEMORY;
				line<T> &u = upper[j];
				for (int e = 0; e < u.count; e++) {
					T &to = place(u.index[e]);

					to = minus(to, times(by, u.value[e]));
				}
			}
			int best = -1;
			for (int e = 0; e < count; e++) {
				double size = host_length(fresh[list[e]]);

				if (best < 0 || size > host_length(fresh[best]) ||
				    (size == host_length(fresh[best]) && list[e] < best))
					best = list[e];
			}
			if (best < 0 || !(host_length(fresh[best]) > tol)) {
				*singularity = k;
				return FACTORED;
			}
			pivots[k] = fresh[best];
			column[k] = best;
			at[best] = k;
			for (int e = 0; e < count; e++) {
				int j = list[e];

				there[j] = 0;
				if (j != best && !is_zero(fresh[j]) && !upper[k].add(j, fresh[j]))
					return NO_MEMORY;
			}
		}
		return FACTORED;
	}

	/* b by place of rows becomes x by place of columns; y: n numbers of work */
	void solve(T *b, T *y) const
	{
		for (int k = 0; k < n; k++) {
			const line<T> &l = lower.at[k];

			y[k] = b[k];
			for (int e = 0; e < l.count; e++)
				y[k] = minus(y[k], times(l.value[e], y[l.index[e]]));
		}
		for (int k = n - 1; k >= 0; k--) {
			const line<T> &u = upper.at[k];
			T v = y[k];

			for (int e = 0; e < u.count; e++)
				v = minus(v, times(u.value[e], b[u.index[e]]));
			b[column.at[k]] = divide(v, pivots.at[k]);
		}
	}
};

/* Rows of A are rotated into those of R one after the other, b with them; x is b's place. */
template <class T> enum outcome qr_solve(const csr<T> &a, double tol, T *b, int *singularity)
{
	typedef real_of<T> R;
	int n = a.n;
	lines<T> rows(n);
	work_line<T> work(n), other(n);
	room_for<T> right(n), diagonal(n);
	room_for<char> full(n);

	*singularity = -1;
	if (!rows.at || !work.good() || !other.good() || !right.at || !diagonal.at || !full.at)
		return NO_MEMORY;
	for (int k = 0; k < n; k++) {
		int row = a.order[k];
		T side = b[k];

		for (int e = a.offsets[row] - a.base; e < a.offsets[row + 1] - a.base; e++) {
			T &to = work.touch(a.place[a.columns[e] - a.base]);

			to = plus(to, a.values[e]);
		}
		for (int j; (j = work.pop()) >= 0;) {
			T p = diagonal[j], q = work.value[j];
			line<T> &r = rows[j];

			if (is_zero(q))
				continue;
			if (!full[j]) {
				full[j] = 1;
				diagonal[j] = q;
				right[j] = side;
				for (int i; (i = work.pop()) >= 0;)
					if (!r.add(i, work.value[i]))
						return NO_MEMORY;
				break;
			}
			R length = (R)hypot(host_length(p), host_length(q));
			p = times(p, 1 / length);
			q = times(q, 1 / length);
			/* both rows by their union, then row j of R anew */
			for (int e = 0; e < r.count; e++) {
				work.touch(r.index[e]);
				other.touch(r.index[e]) = r.value[e];
			}
			r.clear();
			for (int e = 0; e < work.count; e++) {
				int i = work.heap[e];
				T x = other.there[i] ? other.value[i] : zero_of<T>();
				T y = work.value[i];

				if (!r.add(i, plus(times(conjugate(p), x), times(conjugate(q), y))))
					return NO_MEMORY;
				work.value[i] = minus(times(p, y), times(q, x));
			}
			other.clear();
			diagonal[j] = convert<T>(length);
			T x = right[j];
			right[j] = plus(times(conjugate(p), x), times(conjugate(q), side));
			side = minus(times(p, side), times(q, x));
		}
	}
	for (int j = 0; j < n && *singularity < 0; j++)
		if (!full[j] || !(host_length(diagonal[j]) > tol))
			*singularity = j;
	if (*singularity >= 0)
		return FACTORED;
	for (int j = n - 1; j >= 0; j--) {
		T v = right[j];

		for (int e = 0; e < rows[j].count; e++)
			v = minus(v, times(rows[j].value[e], b[rows[j].index[e]]));
		b[j] = divide(v, diagonal[j]);
	}
	return FACTORED;
}

/* From the lower triangle; columns of L, whose rows ascend. singularity: the first row whose
 * remainder is not above tol */
template <class T> enum outcome cholesky_solve(const csr<T> &a, double tol, T *b, int *singularity)
{
	typedef real_of<T> R;
	int n = a.n;
	lines<T> lower(n);
	work_line<T> work(n);
	room_for<R> diagonal(n);

	*singularity = -1;
	if (!lower.at || !work.good() || !diagonal.at)
		return NO_MEMORY;
	/* entries of the lower triangle by the places of both, the later one first */
	lines<T> given(n);
	if (!given.at)
		return NO_MEMORY;
	for (int i = 0; i < n; i++)
		for (int e = a.offsets[i] - a.base; e < a.offsets[i + 1] - a.base; e++) {
			int j = a.columns[e] - a.base, p = a.place[i], q = a.place[j];

			if (j > i)
				continue;
			/* what is wanted is the upper half: of (p, q) with p > q the conjugate */
			if (!(p >= q ? given[p].add(q, conjugate(a.values[e]))
				     : given[q].add(p, a.values[e])))
				return NO_MEMORY;
		}
	for (int k = 0; k < n; k++) {
		R rest = 0;

		for (int e = 0; e < given[k].count; e++) {
			int i = given[k].index[e];

			if (i == k) {
				rest += real_part(given[k].value[e]);
			} else {
				T &to = work.touch(i);

				to = plus(to, given[k].value[e]);
			}
		}
		for (int j; (j = work.pop()) >= 0;) {
			T y = times(work.value[j], 1 / diagonal[j]);
			line<T> &l = lower[j];

			for (int e = 0; e < l.count; e++) {
				T &to = work.touch(l.index[e]);

				to = minus(to, times(l.value[e], y));
			}
			rest -= real_part(y) * real_part(y) + imaginary_part(y) * imaginary_part(y);
			if (!l.add(k, conjugate(y)))
				return NO_MEMORY;
		}
		if (!(rest > 0) || !(sqrt((double)rest) > tol)) {
			*singularity = k;
			return FACTORED;
		}
		diagonal[k] = (R)sqrt((double)rest);
	}
	for (int j = 0; j < n; j++) {
		b[j] = times(b[j], 1 / diagonal[j]);
		for (int e = 0; e < lower[j].count; e++)
			b[lower[j].index[e]] =
				minus(b[lower[j].index[e]], times(lower[j].value[e], b[j]));
	}
	for (int j = n - 1; j >= 0; j--) {
		for (int e = 0; e < lower[j].count; e++)
			b[j] = minus(b[j],
				     times(conjugate(lower[j].value[e]), b[lower[j].index[e]]));
		b[j] = times(b[j], 1 / diagonal[j]);
	}
	return FACTORED;
}

} // namespace solver

#endif
