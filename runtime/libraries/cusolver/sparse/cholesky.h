/* SPDX-License-Identifier: MIT */
/* Cholesky's factor of a sparse matrix on the host, from its lower triangle. */
#ifndef CUSOLVER_CHOLESKY_H
#define CUSOLVER_CHOLESKY_H

#include "factors.h"

namespace solver
{

template <class T> struct cholesky_factors {
	typedef real_of<T> R;
	int n;
	lines<T> lower; /* columns of L, whose rows ascend, without the diagonal */
	room_for<R> diagonal;

	explicit cholesky_factors(int count) : n(count), lower(count), diagonal(count)
	{
	}

	/* singularity: the first row whose remainder is not above tol, or -1 */
	enum outcome factor(const csr<T> &a, double tol, int *singularity)
	{
		work_line<T> work(n);
		/* entries of the lower triangle by the places of both, the later one first */
		lines<T> given(n);

		*singularity = -1;
		if (!lower.at || !work.good() || !diagonal.at || !given.at ||
		    !take_entries(a, given))
			return NO_MEMORY;
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
				rest -= real_part(y) * real_part(y) +
					imaginary_part(y) * imaginary_part(y);
				if (!l.add(k, conjugate(y)))
					return NO_MEMORY;
			}
			if (!(rest > 0) || !(sqrt((double)rest) > tol)) {
				*singularity = k;
				return FACTORED;
			}
			diagonal[k] = (R)sqrt((double)rest);
		}
		return FACTORED;
	}

	/* b by place becomes x. */
	void solve(T *b)
	{
		for (int j = 0; j < n; j++) {
			b[j] = times(b[j], 1 / diagonal[j]);
			for (int e = 0; e < lower[j].count; e++)
				b[lower[j].index[e]] =
					minus(b[lower[j].index[e]], times(lower[j].value[e], b[j]));
		}
		for (int j = n - 1; j >= 0; j--) {
			for (int e = 0; e < lower[j].count; e++)
				b[j] = minus(b[j], times(conjugate(lower[j].value[e]),
							 b[lower[j].index[e]]));
			b[j] = times(b[j], 1 / diagonal[j]);
		}
	}

      private:
	bool take_entries(const csr<T> &a, lines<T> &given)
	{
		for (int i = 0; i < n; i++)
			for (int e = a.offsets[i] - a.base; e < a.offsets[i + 1] - a.base; e++) {
				int j = a.columns[e] - a.base, p = a.place[i], q = a.place[j];

				if (j > i)
					continue;
				/* what is wanted is the upper half: of (p, q) with p > q the
				 * conjugate */
				if (!(p >= q ? given[p].add(q, conjugate(a.values[e]))
					     : given[q].add(p, a.values[e])))
					return false;
			}
		return true;
	}
};

} // namespace solver

#endif
