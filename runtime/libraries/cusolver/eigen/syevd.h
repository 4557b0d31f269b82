/* SPDX-License-Identifier: MIT */
/* Eigenvalues for other functions, in eigen/syevd.cu: arguments are right. */
#ifndef CUSOLVER_SYEVD_H
#define CUSOLVER_SYEVD_H

#include "../parts.h"
#include "tridiagonal.h"

namespace solver
{

/* Numbers of T that `eigen` needs */
int64_t eigen_size(int64_t n);

/* w: ascending; a: vectors if wanted, else it is destroyed. *found, on the device, may be NULL. */
template <class T>
cusolverStatus_t eigen(stream_of handle, cusolverEigMode_t jobz, selection<real_of<T>> wanted,
		       cublasFillMode_t uplo, int64_t n, T *a, int64_t lda, real_of<T> *w, T *work,
		       int *found, int *info, const int *skip = NULL);

template <class R> selection<R> all_of_them()
{
	return {CUSOLVER_EIG_RANGE_ALL, 0, 0, 0, 0};
}

inline bool bad_mode(cusolverEigMode_t jobz)
{
	return jobz != CUSOLVER_EIG_MODE_VECTOR && jobz != CUSOLVER_EIG_MODE_NOVECTOR;
}
inline bool bad_range(cusolverEigRange_t range)
{
	return range != CUSOLVER_EIG_RANGE_ALL && range != CUSOLVER_EIG_RANGE_I &&
	       range != CUSOLVER_EIG_RANGE_V;
}

} // namespace solver

#endif
