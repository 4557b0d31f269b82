/* SPDX-License-Identifier: MIT */
/*
 * Singular values by one-sided rotations, for all functions that have them; in svd/onesided.cu.
 * Arguments are right.
 */
#ifndef CUSOLVER_ONESIDED_H
#define CUSOLVER_ONESIDED_H

#include "../parts.h"

namespace solver
{

/* A batch of m times n matrices, one behind another at a distance of a_stride, and so on */
template <class T> struct singular_problem {
	int64_t m, n, count;
	view<T> a;
	int64_t a_stride;
	real_of<T> *s;
	int64_t s_stride, values; /* how many are wanted, at most min(m, n) */
	/* at NULL: not wanted. As many columns of U as u_columns, of V as v_columns: those behind
	 * the last singular value make the matrix unitary. */
	view<T> u, v;
	int64_t u_stride, v_stride, u_columns, v_columns;
	bool sort;
	int most_sweeps;
	real_of<T> tolerance;
	int *info; /* 0, or `failed` where the method did not end */
	int failed;
	struct jacobi_report *report; /* of the first */
	double *residuals; /* of each: what the values that are not wanted leave */
	T *work;
};

/* Numbers of T for a batch */
template <class T> int64_t singular_size(int64_t m, int64_t n, int64_t count);
template <class T>
singular_problem<T> singular(int64_t m, int64_t n, T *a, int64_t lda, real_of<T> *s, T *work,
			     int *info);
template <class T> cusolverStatus_t find_singular(stream_of handle, singular_problem<T> problem);

} // namespace solver

#endif
