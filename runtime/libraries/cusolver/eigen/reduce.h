/* SPDX-License-Identifier: MIT */
/*
 * The tridiagonal form of a Hermitian matrix, for other functions; in eigen/sytrd.cu. Arguments
 * are right.
 */
#ifndef CUSOLVER_REDUCE_H
#define CUSOLVER_REDUCE_H

#include "../parts.h"

namespace solver
{

/*
 * An upper triangle read from the matrix's end is a lower one, and LAPACK's reflections for it are
 * those of this: all functions work on lower triangles.
 */
template <class T> view<T> as_lower(cublasFillMode_t uplo, int64_t n, view<T> a)
{
	return uplo == CUBLAS_FILL_MODE_LOWER ? a : a.reversed(n);
}

/* Q^H A Q = T; d: n, e and tau: n - 1 numbers, in the view's order if `turned` is not set */
template <class T>
cusolverStatus_t tridiagonal(stream_of handle, int64_t n, view<T> a, bool turned, real_of<T> *d,
			     real_of<T> *e, T *tau, const int *skip = NULL);

/* Q from the vectors below the diagonal of v, both as lower triangles */
template <class T>
cusolverStatus_t make_tridiagonal_q(stream_of handle, int64_t n, view<T> v, const T *tau, view<T> q,
				    const int *skip = NULL);

} // namespace solver

#endif
