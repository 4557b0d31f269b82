/* SPDX-License-Identifier: MIT */
/*
 * Factors of sparse matrices on the host, and LU with exchanged columns; QR and Cholesky's are in
 * qr.h and cholesky.h. A matrix is read by rows in an order, rows and columns alike.
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

} // namespace solver

#endif
