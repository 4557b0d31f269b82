/* SPDX-License-Identifier: MIT */
/*
 * The order of Jacobi's pairs: as in a tournament of n players each meets each other once in n - 1
 * steps (n rounded up to an even number), n/2 pairs at a time.
 */
#ifndef CUSOLVER_TOURNAMENT_H
#define CUSOLVER_TOURNAMENT_H

#include "../kernels.h"

namespace solver
{

/* Pair k of a step, p < q; false: one of them has no partner. */
BLAS_HD bool pair_of(int64_t n, int64_t step, int64_t k, int64_t *p, int64_t *q)
{
	int64_t even = n + n % 2, around = even - 1;
	/* the last one stays, all others go around */
	int64_t a = k ? (step + k) % around : around;
	int64_t b = k ? (step + around - k) % around : step;

	*p = a < b ? a : b;
	*q = a < b ? b : a;
	return *q < n && *p != *q;
}

} // namespace solver

#endif
