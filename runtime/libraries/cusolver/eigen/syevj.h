/* SPDX-License-Identifier: MIT */
/* Jacobi's method for other functions, in eigen/syevj.cu: arguments are right. */
#ifndef CUSOLVER_SYEVJ_H
#define CUSOLVER_SYEVJ_H

#include "../parts.h"

namespace solver
{

/* Numbers of T that `jacobi` needs: of each matrix the whole, its diagonal, places, rotations */
template <class T> int64_t jacobi_size(int64_t n, int64_t count)
{
	return count * (n * n + 4 * n + 4);
}

/* A block has a matrix; matrices lie behind one another. info: 0, or n + 1 where it did not end */
template <class T>
cusolverStatus_t jacobi(stream_of handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
			T *a, int64_t lda, real_of<T> *w, T *work, int *info,
			const struct jacobi_settings *settings, int64_t count,
			const int *skip = NULL);

} // namespace solver

#endif
