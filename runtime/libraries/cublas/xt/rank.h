/* SPDX-License-Identifier: MIT */
/*
 * Products whose result is symmetric or Hermitian, of which one triangle is written. A tile on the
 * diagonal is cuBLAS's function of that name, whose other triangle comes and goes as it is; the
 * others are gemm's.
 */
#ifndef CUBLAS_XT_RANK_H
#define CUBLAS_XT_RANK_H

#include "xt.h"

namespace xt
{

XT_ALL(syrk)
XT_ALL(syr2k)
XT_ALL(syrkx)
XT_COMPLEX(herk)
XT_COMPLEX(her2k)
XT_COMPLEX(herkx)

/* op(A) op(A)'; op(A) op(B)'; the latter and op(B) op(A)' */
enum rank_form { WITH_ITSELF, WITH_ANOTHER, BOTH };

/* R: the type of beta, and of alpha WITH_ITSELF */
template <class T, class R> struct rank_product {
	enum rank_form form;
	bool hermitian;
	cublasFillMode_t uplo;
	cublasOperation_t trans;
	int64_t n, k;
	T alpha;
	matrix<const T> a, b;
	R beta;
	matrix<T> c;

	bool none() const
	{
		return !k || blas::is_zero(alpha);
	}
	bool bad() const
	{
		if (bad_fill(uplo) || bad_op(trans))
			return true;
		return blas::is_complex<T>::value &&
		       trans == (hermitian ? CUBLAS_OP_T : CUBLAS_OP_C);
	}
	/* Rows i of op(A), columns p */
	cublasStatus_t part(const lane &l, int which, const matrix<const T> &from, int64_t i,
			    int64_t rows, int64_t p, int64_t depth) const
	{
		return trans ? load(l, which, from, p, i, depth, rows)
			     : load(l, which, from, i, p, rows, depth);
	}
	/* On top of a tile of the diagonal */
	cublasStatus_t on_diagonal(const lane &l, int64_t rows, int64_t depth, R factor) const
	{
		const T *ta = l.tile<T>(A), *tb = l.tile<T>(B);
		int64_t ld = trans ? (depth ? depth : 1) : rows;
		T *tc = l.tile<T>(C);

		if constexpr (blas::is_complex<T>::value && !blas::is_complex<R>::value) {
			R real = alpha.x;

			switch (form) {
			case WITH_ITSELF:
				return do_herk(T(), l, uplo, trans, rows, depth, &real, ta, ld,
					       &factor, tc, rows);
			case WITH_ANOTHER:
				return do_herkx(T(), l, uplo, trans, rows, depth, &alpha, ta, ld,
						tb, ld, &factor, tc, rows);
			default:
				return do_her2k(T(), l, uplo, trans, rows, depth, &alpha, ta, ld,
						tb, ld, &factor, tc, rows);
			}
		} else {
			switch (form) {
			case WITH_ITSELF:
				return do_syrk(T(), l, uplo, trans, rows, depth, &alpha, ta, ld,
					       &factor, tc, rows);
			case WITH_ANOTHER:
				return do_syrkx(T(), l, uplo, trans, rows, depth, &alpha, ta, ld,
						tb, ld, &factor, tc, rows);
			default:
				return do_syr2k(T(), l, uplo, trans, rows, depth, &alpha, ta, ld,
						tb, ld, &factor, tc, rows);
			}
		}
	}
	cublasStatus_t diagonal_tile(const call<T> &x, const lane &l, int64_t ti) const
	{
		int64_t i = ti * x.dim, rows = x.size(n, ti);
		R factor = beta;

		XT_TRY(load(l, C, matrix<const T>{c.base, c.ld, false, false, 0}, i, i, rows,
			    rows));
		if (none())
			XT_TRY(on_diagonal(l, rows, 0, factor));
		for (int64_t t = 0; t < x.tiles(k) && !none(); t++) {
			int64_t p = t * x.dim, depth = x.size(k, t);

			XT_TRY(part(l, A, a, i, rows, p, depth));
			if (form != WITH_ITSELF)
				XT_TRY(part(l, B, b, i, rows, p, depth));
			XT_TRY(on_diagonal(l, rows, depth, factor));
			factor = blas::one_of<R>();
		}
		return store(l, c, i, i, rows, rows);
	}
	/* On top of a tile: by rows i of op(left) and rows j of op(right) */
	cublasStatus_t add(const lane &l, const T *by, const matrix<const T> &left,
			   const matrix<const T> &right, int64_t i, int64_t rows, int64_t j,
			   int64_t columns, int64_t p, int64_t depth, const T *factor) const
	{
		cublasOperation_t turned = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;

		XT_TRY(part(l, A, left, i, rows, p, depth));
		XT_TRY(part(l, B, right, j, columns, p, depth));
		return do_gemm(T(), l, trans, trans ? CUBLAS_OP_N : turned, rows, columns, depth,
			       by, l.tile<T>(A), trans ? depth : rows, l.tile<T>(B),
			       trans ? depth : columns, factor, l.tile<T>(C), rows);
	}
	cublasStatus_t tile(const call<T> &x, const lane &l, int64_t ti, int64_t tj) const
	{
		int64_t i = ti * x.dim, j = tj * x.dim, rows = x.size(n, ti),
			columns = x.size(n, tj);
		T factor = blas::convert<T>(beta), one = blas::one_of<T>();
		T other = hermitian ? blas::conjugate(alpha) : alpha;

		if (ti == tj)
			return diagonal_tile(x, l, ti);
		XT_TRY(begin(l, factor, c, i, j, rows, columns));
		if (none())
			XT_TRY(scale(l, factor, rows, columns));
		for (int64_t t = 0; t < x.tiles(k) && !none(); t++) {
			int64_t p = t * x.dim, depth = x.size(k, t);

			XT_TRY(add(l, &alpha, a, b, i, rows, j, columns, p, depth, &factor));
			if (form == BOTH)
				XT_TRY(add(l, &other, b, a, i, rows, j, columns, p, depth, &one));
			factor = one;
		}
		return store(l, c, i, j, rows, columns);
	}
};

template <class T, class R>
static cublasStatus_t rank(cublasXtHandle_t handle, const rank_product<T, R> &p)
{
	if (!p.n || (p.none() && blas::is_one(p.beta)))
		return CUBLAS_STATUS_SUCCESS;
	XT_REFUSE_IF(!p.c.base || (!p.none() && (!p.a.base || !p.b.base)));

	call<T> x(handle, p.n > p.k ? p.n : p.k);
	bool pin = handle->pinning == CUBLASXT_PINNING_ENABLED, reads = pin && !p.none();
	int64_t rows = p.trans ? p.k : p.n, columns = p.trans ? p.n : p.k, all = x.tiles(p.n);
	pinned pa(reads, p.a.base, extent<T>(rows, columns, p.a.ld)),
		pb(reads && p.b.base != p.a.base, p.b.base, extent<T>(rows, columns, p.b.ld)),
		pc(pin, p.c.base, extent<T>(p.n, p.n, p.c.ld));
	x.each(all * (all + 1) / 2, [&](const lane &l, int64_t t) {
		int64_t j = 0;

		for (; t >= all - j; j++)
			t -= all - j;
		return p.uplo == CUBLAS_FILL_MODE_LOWER ? p.tile(x, l, j + t, j)
							: p.tile(x, l, j, j + t);
	});
	return x.end();
}

#define XT_RANK_A                                                                                 \
	cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k
/* Scalars are looked at only where there is something to compute. */
#define XT_RANK(form, hermitian, alpha, b, ldb)                                                    \
	do {                                                                                       \
		XT_TRY(check(handle));                                                             \
		XT_REFUSE_IF(bad_size(n) || bad_size(k) || bad_ld(lda, trans ? k : n) ||           \
			     bad_ld(ldb, trans ? k : n) || bad_ld(ldc, n));                        \
		rank_product<T, R> p = {form,		 hermitian,	uplo,			   \
					trans,		 (int64_t)n,	(int64_t)k,		   \
					blas::zero_of<T>(), whole(a, lda), whole(b, ldb),	   \
					blas::zero_of<R>(), whole(c, ldc)};			   \
		XT_REFUSE_IF(p.bad() || (n && (!alpha || !beta)));                                 \
		if (!n)                                                                            \
			return CUBLAS_STATUS_SUCCESS;                                              \
		p.alpha = blas::convert<T>(*alpha);                                                \
		p.beta = *beta;                                                                    \
		return rank(handle, p);                                                            \
	} while (0)

template <class T, class R>
static cublasStatus_t syrk(XT_RANK_A, const R *alpha, const T *a, size_t lda, const R *beta, T *c,
			   size_t ldc)
{
	XT_RANK(WITH_ITSELF, false, alpha, a, lda);
}
template <class T, class R>
static cublasStatus_t herk(XT_RANK_A, const R *alpha, const T *a, size_t lda, const R *beta, T *c,
			   size_t ldc)
{
	XT_RANK(WITH_ITSELF, true, alpha, a, lda);
}
#define XT_RANK_TWO(name, form, hermitian)                                                    \
	template <class T, class R>                                                           \
	static cublasStatus_t name(XT_RANK_A, const T *alpha, const T *a, size_t lda,         \
				   const T *b, size_t ldb, const R *beta, T *c, size_t ldc)   \
	{                                                                                     \
		XT_RANK(form, hermitian, alpha, b, ldb);                                      \
	}
XT_RANK_TWO(syr2k, BOTH, false)
XT_RANK_TWO(syrkx, WITH_ANOTHER, false)
XT_RANK_TWO(her2k, BOTH, true)
XT_RANK_TWO(herkx, WITH_ANOTHER, true)

} // namespace xt

#endif
