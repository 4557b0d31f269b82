/* SPDX-License-Identifier: MIT */
/* QR factors for other functions, in linear/geqrf.cu: arguments are right. */
#ifndef CUSOLVER_GEQRF_H
#define CUSOLVER_GEQRF_H

#include "../parts.h"

namespace solver
{

template <class T>
cusolverStatus_t qr_factor(stream_of handle, int64_t m, int64_t n, T *a, int64_t lda, T *tau);
/* The first n columns of H1 H2 ... Hk, n >= k, from vectors that begin on the diagonal of v; to is
 * other memory. */
template <class T>
cusolverStatus_t make_q(stream_of handle, int64_t m, int64_t n, int64_t k, view<T> v, const T *tau,
			view<T> to, const int *skip = NULL);

} // namespace solver

#endif
