/* SPDX-License-Identifier: MIT */
/* Cholesky's factors for other functions, in linear/potrf.cu: arguments are right. */
#ifndef CUSOLVER_POTRF_H
#define CUSOLVER_POTRF_H

#include "../parts.h"

namespace solver
{

/* info: the order of the first leading minor that is not positive, or 0 */
template <class T>
cusolverStatus_t cholesky(stream_of handle, cublasFillMode_t uplo, int64_t n, T *a, int64_t lda,
			  int *info);

inline enum triangle triangle_of(cublasFillMode_t uplo)
{
	return uplo == CUBLAS_FILL_MODE_LOWER ? LOWER : UPPER;
}

} // namespace solver

#endif
