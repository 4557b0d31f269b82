/* SPDX-License-Identifier: MIT */
/*
 * LU factors for other functions, in linear/getrf.cu: arguments are right. P: the type of pivots,
 * which may be NULL.
 */
#ifndef CUSOLVER_GETRF_H
#define CUSOLVER_GETRF_H

#include "../parts.h"

namespace solver
{

template <class T, class P>
cusolverStatus_t lu_factor(stream_of handle, int64_t m, int64_t n, T *a, int64_t lda, P *pivots,
			   int *info);
template <class T, class P>
cusolverStatus_t lu_solve(stream_of handle, cublasOperation_t op, int64_t n, int64_t nrhs,
			  const T *a, int64_t lda, const P *pivots, T *b, int64_t ldb,
			  const int *skip);

} // namespace solver

#endif
