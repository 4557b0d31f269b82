/* SPDX-License-Identifier: MIT */
/*
 * QR of sparse matrices on the host, with as many rows as columns or more: rows are rotated into
 * those of R one after the other. What is done to each is kept, so that right sides may come later.
 */
#ifndef CUSOLVER_QR_H
#define CUSOLVER_QR_H

#include "factors.h"

namespace solver
{

template <class T> struct qr_factors {
	typedef real_of<T> R;
	int m, n;
	lines<T> rows; /* of R, without the diagonal */
	lines<T> keep,
		move; /* of each row of A: with which rows of R, and p and q of the rotation */
	room_for<T> diagonal;
	room_for<char> full;

	qr_factors(int count, int columns)
	    : m(count), n(columns), rows(columns), keep(count), move(count), diagonal(columns),
	      full(columns)
	{
	}

	/* A minus `shift` on the diagonal; order: of the rows, place: of the columns */
	enum outcome factor(const csr<T> &a, T shift)
	{
		work_line<T> work(n), other(n);

		if (!rows.at || !keep.at || !move.at || !diagonal.at || !full.at || !work.good() ||
		    !other.good())
			return NO_MEMORY;
		for (int k = 0; k < m; k++) {
			int row = a.order[k];

			for (int e = a.offsets[row] - a.base; e < a.offsets[row + 1] - a.base;
			     e++) {
				T &to = work.touch(a.place[a.columns[e] - a.base]);

				to = plus(to, a.values[e]);
			}
			if (!is_zero(shift) && k < n) {
				T &to = work.touch(k);

				to = minus(to, shift);
			}
			for (int j; (j = work.pop()) >= 0;) {
				if (is_zero(work.value[j]))
					continue;
				if (!full[j]) {
					if (!begin_row(j, k, work))
						return NO_MEMORY;
					break;
				}
				if (!rotate(j, k, work, other))
					return NO_MEMORY;
			}
		}
		return FACTORED;
	}

	/* The first row of R whose diagonal is not above tol, or -1 */
	int singular(double tol)
	{
		for (int j = 0; j < n; j++)
			if (!full[j] || !(host_length(diagonal[j]) > tol))
				return j;
		return -1;
	}

	/* b: m numbers by place of rows; x: n by place of columns, and may be b; right: n of work
	 */
	void solve(const T *b, T *x, T *right)
	{
		for (int k = 0; k < m; k++) {
			T side = b[k];

			for (int e = 0; e < keep[k].count; e++) {
				int j = keep[k].index[e];
				T p = keep[k].value[e], q = move[k].value[e];

				if (j < 0) {
					right[-1 - j] = side;
					break;
				}
				T old = right[j];
				right[j] =
					plus(times(conjugate(p), old), times(conjugate(q), side));
				side = minus(times(p, side), times(q, old));
			}
		}
		for (int j = n - 1; j >= 0; j--) {
			T v = right[j];

			for (int e = 0; e < rows[j].count; e++)
				v = minus(v, times(rows[j].value[e], x[rows[j].index[e]]));
			x[j] = divide(v, diagonal[j]);
		}
	}

      private:
	/* Row k of A becomes row j of R; what is told by a negative index. */
	bool begin_row(int j, int k, work_line<T> &work)
	{
		full[j] = 1;
		diagonal[j] = work.value[j];
		for (int i; (i = work.pop()) >= 0;)
			if (!rows[j].add(i, work.value[i]))
				return false;
		return keep[k].add(-1 - j, zero_of<T>()) && move[k].add(-1 - j, zero_of<T>());
	}
	/* Both rows by their union, then row j of R anew */
	bool rotate(int j, int k, work_line<T> &work, work_line<T> &other)
	{
		T p = diagonal[j], q = work.value[j];
		R length = (R)hypot(host_length(p), host_length(q));
		line<T> &r = rows[j];

		p = times(p, 1 / length);
		q = times(q, 1 / length);
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
				return false;
			work.value[i] = minus(times(p, y), times(q, x));
		}
		other.clear();
		diagonal[j] = convert<T>(length);
		return keep[k].add(j, p) && move[k].add(j, q);
	}
};

} // namespace solver

#endif
