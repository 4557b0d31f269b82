/* SPDX-License-Identifier: MIT */
/*
 * trmm and trsm. A tile depends on others of its column (T on the left) or of its row: these are a
 * strip, which is one lane's from its first tile to its last, through the matrix in memory. So trmm
 * may be in place: a tile is written when nothing reads it any more.
 */
#ifndef CUBLAS_XT_TRIANGLE_H
#define CUBLAS_XT_TRIANGLE_H

#include "xt.h"

namespace xt
{

XT_ALL(trmm)
XT_ALL(trsm)

template <class T> struct triangle {
	bool solve;
	cublasSideMode_t side;
	cublasFillMode_t uplo;
	cublasOperation_t trans;
	cublasDiagType_t diag;
	int64_t m, n;
	T alpha;
	matrix<const T> a, b;
	matrix<T> c; /* the result */

	bool left() const
	{
		return side == CUBLAS_SIDE_LEFT;
	}
	/* Does a tile need those before it in its strip, or those behind? */
	bool needs_earlier() const
	{
		bool lower = (uplo == CUBLAS_FILL_MODE_LOWER) == (trans == CUBLAS_OP_N);

		return left() == lower;
	}
	/* These others */
	int64_t first(int64_t t) const
	{
		return needs_earlier() ? 0 : t + 1;
	}
	int64_t last(int64_t t, int64_t all) const
	{
		return needs_earlier() ? t : all;
	}
	/* Tile t of strip s, of one of the two matrices */
	cublasStatus_t fetch(const call<T> &x, const lane &l, int which,
			     const matrix<const T> &from, int64_t s, int64_t t) const
	{
		int64_t i = left() ? t : s, j = left() ? s : t;

		return load(l, which, from, i * x.dim, j * x.dim, x.size(m, i), x.size(n, j));
	}
	/* C = by op(A) B + factor C, of tiles p and t of the strip */
	cublasStatus_t add(const call<T> &x, const lane &l, const T *by, int64_t s, int64_t t,
			   int64_t p, const T *factor) const
	{
		int64_t order = left() ? m : n, depth = x.size(order, p), size = x.size(order, t);
		int64_t other = x.size(left() ? n : m, s);
		bool by_rows = left() == (trans == CUBLAS_OP_N);
		int64_t i = by_rows ? t : p, j = by_rows ? p : t, lda = x.size(order, i);

		XT_TRY(load(l, A, a, i * x.dim, j * x.dim, lda, x.size(order, j)));
		if (left())
			return do_gemm(T(), l, trans, CUBLAS_OP_N, size, other, depth, by,
				       l.tile<T>(A), lda, l.tile<T>(B), depth, factor,
				       l.tile<T>(C), size);
		return do_gemm(T(), l, CUBLAS_OP_N, trans, other, size, depth, by, l.tile<T>(B),
			       other, l.tile<T>(A), lda, factor, l.tile<T>(C), other);
	}
	cublasStatus_t load_diagonal(const call<T> &x, const lane &l, int64_t t) const
	{
		int64_t order = left() ? m : n, size = x.size(order, t);

		return load(l, A, a, t * x.dim, t * x.dim, size, size);
	}
	cublasStatus_t multiply(const call<T> &x, const lane &l, int64_t s, int64_t t,
				int64_t rows, int64_t columns) const
	{
		int64_t all = x.tiles(left() ? m : n);
		T one = blas::one_of<T>();

		XT_TRY(fetch(x, l, B, b, s, t));
		XT_TRY(load_diagonal(x, l, t));
		XT_TRY(do_trmm(T(), l, side, uplo, trans, diag, rows, columns, &alpha,
			       l.tile<T>(A), left() ? rows : columns, l.tile<T>(B), rows,
			       l.tile<T>(C), rows));
		for (int64_t p = first(t); p < last(t, all); p++) {
			XT_TRY(fetch(x, l, B, b, s, p));
			XT_TRY(add(x, l, &alpha, s, t, p, &one));
		}
		return CUBLAS_STATUS_SUCCESS;
	}
	cublasStatus_t divide(const call<T> &x, const lane &l, int64_t s, int64_t t, int64_t rows,
			      int64_t columns) const
	{
		int64_t all = x.tiles(left() ? m : n);
		T less = blas::minus(blas::zero_of<T>(), blas::one_of<T>()), factor = alpha;

		XT_TRY(fetch(x, l, C, b, s, t));
		for (int64_t p = first(t); p < last(t, all); p++) {
			XT_TRY(fetch(x, l, B, b, s, p));
			XT_TRY(add(x, l, &less, s, t, p, &factor));
			factor = blas::one_of<T>();
		}
		XT_TRY(load_diagonal(x, l, t));
		return do_trsm(T(), l, side, uplo, trans, diag, rows, columns, &factor,
			       l.tile<T>(A), left() ? rows : columns, l.tile<T>(C), rows);
	}
	cublasStatus_t strip(const call<T> &x, const lane &l, int64_t s) const
	{
		int64_t all = x.tiles(left() ? m : n);
		bool ascending = solve == needs_earlier();

		for (int64_t step = 0; step < all; step++) {
			int64_t t = ascending ? step : all - 1 - step;
			int64_t i = left() ? t : s, j = left() ? s : t;
			int64_t rows = x.size(m, i), columns = x.size(n, j);

			if (blas::is_zero(alpha))
				XT_TRY(scale(l, alpha, rows, columns));
			else
				XT_TRY(solve ? divide(x, l, s, t, rows, columns)
					     : multiply(x, l, s, t, rows, columns));
			XT_TRY(store(l, c, i * x.dim, j * x.dim, rows, columns));
		}
		return CUBLAS_STATUS_SUCCESS;
	}
};

static bool bad_triangle(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
			 cublasDiagType_t diag, size_t m, size_t n, size_t lda, size_t ldb,
			 size_t ldc)
{
	return (unsigned)side > 1 || bad_fill(uplo) || bad_op(trans) || (unsigned)diag > 1 ||
	       bad_size(m) || bad_size(n) || bad_ld(lda, side == CUBLAS_SIDE_LEFT ? m : n) ||
	       bad_ld(ldb, m) || bad_ld(ldc, m);
}

template <class T>
static cublasStatus_t by_strips(cublasXtHandle_t handle, triangle<T> p, const T *alpha)
{
	if (!p.m || !p.n)
		return CUBLAS_STATUS_SUCCESS;
	XT_REFUSE_IF(!alpha || !p.c.base);
	p.alpha = *alpha;
	bool none = blas::is_zero(*alpha);
	XT_REFUSE_IF(!none && (!p.a.base || !p.b.base));
	XT_REFUSE_IF(p.b.base == p.c.base && p.b.ld != p.c.ld);

	call<T> x(handle, p.m > p.n ? p.m : p.n);
	bool pin = handle->pinning == CUBLASXT_PINNING_ENABLED;
	int64_t order = p.left() ? p.m : p.n;
	pinned pa(pin && !none, p.a.base, extent<T>(order, order, p.a.ld)),
		pb(pin && !none && p.b.base != p.c.base, p.b.base, extent<T>(p.m, p.n, p.b.ld)),
		pc(pin, p.c.base, extent<T>(p.m, p.n, p.c.ld));
	x.each(x.tiles(p.left() ? p.n : p.m),
	       [&](const lane &l, int64_t s) { return p.strip(x, l, s); });
	return x.end();
}

template <class T>
static cublasStatus_t trmm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
			   cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n,
			   const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, T *c,
			   size_t ldc)
{
	XT_TRY(check(handle));
	XT_REFUSE_IF(bad_triangle(side, uplo, trans, diag, m, n, lda, ldb, ldc));
	return by_strips(handle,
			 triangle<T>{false, side, uplo, trans, diag, (int64_t)m, (int64_t)n,
				     blas::zero_of<T>(), whole(a, lda), whole(b, ldb),
				     whole(c, ldc)},
			 alpha);
}

template <class T>
static cublasStatus_t trsm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
			   cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n,
			   const T *alpha, const T *a, size_t lda, T *b, size_t ldb)
{
	XT_TRY(check(handle));
	XT_REFUSE_IF(bad_triangle(side, uplo, trans, diag, m, n, lda, ldb, ldb));
	return by_strips(handle,
			 triangle<T>{true, side, uplo, trans, diag, (int64_t)m, (int64_t)n,
				     blas::zero_of<T>(), whole(a, lda), whole((const T *)b, ldb),
				     whole(b, ldb)},
			 alpha);
}

} // namespace xt

#endif
