/* SPDX-License-Identifier: MIT */
/*
 * Steps that several functions are made of, each one launch: a warp has one column of the result or
 * several. In linear/parts.cu, for the four types. If `skip` is not NULL and not 0 on the device,
 * nothing is done: an earlier step failed.
 */
#ifndef CUSOLVER_PARTS_H
#define CUSOLVER_PARTS_H

#include "kernels.h"

namespace solver
{

enum triangle { WHOLE, LOWER, UPPER };

/* T X = B for a triangle T of n rows, in the place of B */
template <class T>
cusolverStatus_t solve(stream_of handle, int64_t n, int64_t cols, view<T> t, enum triangle part,
		       bool unit, view<T> x, const int *skip = NULL);
/* C = A B with A m times k, of which a triangle counts: B and C are different memory. */
template <class T>
cusolverStatus_t multiply(stream_of handle, int64_t m, int64_t n, int64_t k, view<T> a,
			  enum triangle part, view<T> b, view<T> c, const int *skip = NULL);
/* A part of a matrix, its diagonal too; from.at NULL: of a unit matrix */
template <class T>
cusolverStatus_t copy(stream_of handle, int64_t m, int64_t n, enum triangle part, view<T> from,
		      view<T> to, const int *skip = NULL);
/* Zeros */
template <class T> cusolverStatus_t clear(stream_of handle, int64_t m, int64_t n, view<T> to);
/* The whole of a Hermitian matrix from a triangle, whose diagonal becomes real */
template <class T>
cusolverStatus_t fill_hermitian(stream_of handle, int64_t n, enum triangle there, view<T> from,
				view<T> to);
/* info: the first zero on the diagonal, from 1, or 0 */
template <class T> cusolverStatus_t find_zero(stream_of handle, int64_t n, view<T> a, int *info);

/*
 * k reflections, whose vectors begin at the diagonal of v, are applied to C, m times n, from the
 * left: C := H1 H2 ... Hk C, or the adjoint of that product if `adjoint`.
 */
template <class T>
cusolverStatus_t reflect(stream_of handle, int64_t m, int64_t n, int64_t k, view<T> v, const T *tau,
			 bool adjoint, view<T> c, const int *skip = NULL);

} // namespace solver

#endif
