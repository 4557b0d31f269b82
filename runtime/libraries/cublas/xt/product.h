/* SPDX-License-Identifier: MIT */
/*
 * Products whose result is a whole matrix. A tile of it is beta times what it was, if that is not
 * zero, and one product of two tiles after the other on top. What alpha or beta equal to zero
 * multiplies is not read.
 */
#ifndef CUBLAS_XT_PRODUCT_H
#define CUBLAS_XT_PRODUCT_H

#include "xt.h"

namespace xt
{

XT_ALL(gemm)
XT_ALL(symm)
XT_COMPLEX(hemm)

/* The tile of C as it was, if it is needed. */
template <class T>
static cublasStatus_t begin(const lane &l, T beta, const matrix<T> &c, int64_t i, int64_t j,
			    int64_t rows, int64_t columns)
{
	if (blas::is_zero(beta))
		return CUBLAS_STATUS_SUCCESS;
	return load(l, C, matrix<const T>{c.base, c.ld, false, false, 0}, i, j, rows, columns);
}

/* Nothing is added: C is multiplied by beta. */
template <class T>
static cublasStatus_t scale(const lane &l, T beta, int64_t rows, int64_t columns)
{
	T zero = blas::zero_of<T>();

	return do_gemm(T(), l, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, (int64_t)0, &zero,
		       l.tile<T>(A), rows, l.tile<T>(B), (int64_t)1, &beta, l.tile<T>(C), rows);
}

/* ---- gemm */

template <class T> struct op_type;
template <> struct op_type<float> {
	static const cublasXtOpType_t value = CUBLASXT_FLOAT;
};
template <> struct op_type<double> {
	static const cublasXtOpType_t value = CUBLASXT_DOUBLE;
};
template <> struct op_type<cuComplex> {
	static const cublasXtOpType_t value = CUBLASXT_COMPLEX;
};
template <> struct op_type<cuDoubleComplex> {
	static const cublasXtOpType_t value = CUBLASXT_DOUBLECOMPLEX;
};

template <class T> struct product {
	cublasOperation_t transa, transb;
	int64_t m, n, k;
	T alpha;
	matrix<const T> a, b;
	T beta;
	matrix<T> c;

	/* The host's part: rows at the bottom or columns at the right, by Fortran's convention */
	void by_host(void *routine, int64_t i, int64_t j) const
	{
		typedef void gemm_fn(const char *, const char *, const int *, const int *,
				     const int *, const T *, const T *, const int *, const T *,
				     const int *, const T *, T *, const int *);
		char ta = "NTC"[transa], tb = "NTC"[transb];
		int rows = m - i, columns = n - j, depth = k;
		int lda = a.ld, ldb = b.ld, ldc = c.ld;

		((gemm_fn *)routine)(&ta, &tb, &rows, &columns, &depth, &alpha,
				     transa ? a.at(0, i) : a.at(i, 0), &lda,
				     transb ? b.at(j, 0) : b.at(0, j), &ldb, &beta, c.at(i, j),
				     &ldc);
	}
	cublasStatus_t tile(const call<T> &x, const lane &l, int64_t ti, int64_t tj,
			    int64_t rows, int64_t columns) const
	{
		int64_t i = ti * x.dim, j = tj * x.dim;
		T factor = beta;

		XT_TRY(begin(l, beta, c, i, j, rows, columns));
		if (!k || blas::is_zero(alpha))
			XT_TRY(scale(l, beta, rows, columns));
		for (int64_t t = 0; t < x.tiles(k) && !blas::is_zero(alpha); t++) {
			int64_t p = t * x.dim, depth = x.size(k, t);

			XT_TRY(transa ? load(l, A, a, p, i, depth, rows)
				      : load(l, A, a, i, p, rows, depth));
			XT_TRY(transb ? load(l, B, b, j, p, columns, depth)
				      : load(l, B, b, p, j, depth, columns));
			XT_TRY(do_gemm(T(), l, transa, transb, rows, columns, depth, &alpha,
				       l.tile<T>(A), transa ? depth : rows, l.tile<T>(B),
				       transb ? columns : depth, &factor, l.tile<T>(C), rows));
			factor = blas::one_of<T>();
		}
		return store(l, c, i, j, rows, columns);
	}
};

static bool fits_int(int64_t n)
{
	return n <= INT32_MAX;
}

static bool on_device(const void *p)
{
	cudaPointerAttributes what;

	return cudaPointerGetAttributes(&what, p) == cudaSuccess &&
	       what.type == cudaMemoryTypeDevice;
}

/* What the host does: it begins at row *m or column *n, which are then what is left. */
template <class T>
static bool divide(cublasXtHandle_t handle, const product<T> &p, int64_t *m, int64_t *n)
{
	float ratio = handle->ratio[CUBLASXT_GEMM][op_type<T>::value];
	int64_t *longer = p.m >= p.n ? m : n;
	int64_t part = *longer * (double)ratio;

	if (!handle->routine[CUBLASXT_GEMM][op_type<T>::value] || !part)
		return false;
	if (!fits_int(p.m) || !fits_int(p.n) || !fits_int(p.k) || !fits_int(p.a.ld) ||
	    !fits_int(p.b.ld) || !fits_int(p.c.ld))
		return false;
	if (on_device(p.a.base) || on_device(p.b.base) || on_device(p.c.base))
		return false;
	*longer -= part;
	return true;
}

template <class T>
static cublasStatus_t gemm(cublasXtHandle_t handle, cublasOperation_t transa,
			   cublasOperation_t transb, size_t m, size_t n, size_t k, const T *alpha,
			   const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c,
			   size_t ldc)
{
	int64_t rows = m, columns = n, i, j;

	XT_TRY(check(handle));
	XT_REFUSE_IF(bad_op(transa) || bad_op(transb) || bad_size(m) || bad_size(n) ||
		     bad_size(k) || bad_ld(lda, transa ? k : m) || bad_ld(ldb, transb ? n : k) ||
		     bad_ld(ldc, m));
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	XT_REFUSE_IF(!alpha || !beta || !c);
	bool none = !k || blas::is_zero(*alpha);
	if (none && blas::is_one(*beta))
		return CUBLAS_STATUS_SUCCESS;
	XT_REFUSE_IF(!none && (!a || !b));

	product<T> p = {transa, transb, rows, columns, (int64_t)k,
			*alpha, whole(a, lda), whole(b, ldb), *beta, whole(c, ldc)};
	call<T> x(handle, m > n ? m > k ? m : k : n > k ? n : k);
	bool pin = handle->pinning == CUBLASXT_PINNING_ENABLED;
	pinned pa(pin && !none, a, extent<T>(transa ? k : m, transa ? m : k, lda)),
		pb(pin && !none, b, extent<T>(transb ? n : k, transb ? k : n, ldb)),
		pc(pin, c, extent<T>(m, n, ldc));
	bool shared = x.status == CUBLAS_STATUS_SUCCESS && divide(handle, p, &rows, &columns);
	i = x.tiles(rows);
	j = x.tiles(columns);
	x.each(i * j, [&](const lane &l, int64_t t) {
		return p.tile(x, l, t % i, t / i, x.size(rows, t % i), x.size(columns, t / i));
	});
	if (shared)
		p.by_host(handle->routine[CUBLASXT_GEMM][op_type<T>::value],
			  rows < (int64_t)m ? rows : 0, columns < (int64_t)n ? columns : 0);
	return x.end();
}

/* ---- symm, hemm, spmm */

template <class T> static cublasStatus_t
diagonal(const lane &l, bool hermitian, cublasSideMode_t side, cublasFillMode_t uplo,
	 int64_t rows, int64_t columns, const T *alpha, int64_t lda, const T *beta)
{
	if constexpr (blas::is_complex<T>::value)
		if (hermitian)
			return do_hemm(T(), l, side, uplo, rows, columns, alpha, l.tile<T>(A), lda,
				       l.tile<T>(B), rows, beta, l.tile<T>(C), rows);
	return do_symm(T(), l, side, uplo, rows, columns, alpha, l.tile<T>(A), lda, l.tile<T>(B),
		       rows, beta, l.tile<T>(C), rows);
}

/* A: the triangle that is stored; a tile beyond it is one of its tiles, transposed. */
template <class T> struct half_product {
	cublasSideMode_t side;
	cublasFillMode_t uplo;
	bool hermitian;
	int64_t m, n;
	T alpha;
	matrix<const T> a, b;
	T beta;
	matrix<T> c;

	/* On top of the tile of C: the tile (row, column) of A and that of B beside it */
	cublasStatus_t add(const call<T> &x, const lane &l, int64_t row, int64_t column,
			   int64_t rows, int64_t columns, const T *factor) const
	{
		int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
		bool stored = uplo == CUBLAS_FILL_MODE_LOWER ? row >= column : row <= column;
		int64_t i = stored ? row : column, j = stored ? column : row;
		int64_t lda = x.size(order, i);
		cublasOperation_t op = stored	   ? CUBLAS_OP_N
				       : hermitian ? CUBLAS_OP_C
						   : CUBLAS_OP_T;

		XT_TRY(load(l, A, a, i * x.dim, j * x.dim, lda, x.size(order, j)));
		if (row == column)
			return diagonal<T>(l, hermitian, side, uplo, rows, columns, &alpha, lda,
					   factor);
		if (side == CUBLAS_SIDE_LEFT)
			return do_gemm(T(), l, op, CUBLAS_OP_N, rows, columns,
				       x.size(order, column), &alpha, l.tile<T>(A), lda,
				       l.tile<T>(B), x.size(order, column), factor, l.tile<T>(C),
				       rows);
		return do_gemm(T(), l, CUBLAS_OP_N, op, rows, columns, x.size(order, row), &alpha,
			       l.tile<T>(B), rows, l.tile<T>(A), lda, factor, l.tile<T>(C), rows);
	}
	cublasStatus_t tile(const call<T> &x, const lane &l, int64_t ti, int64_t tj) const
	{
		int64_t i = ti * x.dim, j = tj * x.dim, rows = x.size(m, ti),
			columns = x.size(n, tj);
		int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
		T factor = beta;

		XT_TRY(begin(l, beta, c, i, j, rows, columns));
		if (blas::is_zero(alpha))
			XT_TRY(scale(l, beta, rows, columns));
		for (int64_t t = 0; t < x.tiles(order) && !blas::is_zero(alpha); t++) {
			int64_t p = t * x.dim, depth = x.size(order, t);

			if (side == CUBLAS_SIDE_LEFT) {
				XT_TRY(load(l, B, b, p, j, depth, columns));
				XT_TRY(add(x, l, ti, t, rows, columns, &factor));
			} else {
				XT_TRY(load(l, B, b, i, p, rows, depth));
				XT_TRY(add(x, l, t, tj, rows, columns, &factor));
			}
			factor = blas::one_of<T>();
		}
		return store(l, c, i, j, rows, columns);
	}
};

template <class T>
static cublasStatus_t multiply_half(cublasXtHandle_t handle, cublasSideMode_t side,
				    cublasFillMode_t uplo, bool hermitian, size_t m, size_t n,
				    const T *alpha, matrix<const T> a, size_t a_bytes, const T *b,
				    size_t ldb, const T *beta, T *c, size_t ldc)
{
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	XT_REFUSE_IF(!alpha || !beta || !c);
	bool none = blas::is_zero(*alpha);
	if (none && blas::is_one(*beta))
		return CUBLAS_STATUS_SUCCESS;
	XT_REFUSE_IF(!none && (!a.base || !b));

	half_product<T> p = {side, uplo, hermitian, (int64_t)m, (int64_t)n,
			     *alpha, a, whole(b, ldb), *beta, whole(c, ldc)};
	call<T> x(handle, m > n ? m : n);
	bool pin = handle->pinning == CUBLASXT_PINNING_ENABLED;
	pinned pa(pin && !none, a.base, a_bytes), pb(pin && !none, b, extent<T>(m, n, ldb)),
		pc(pin, c, extent<T>(m, n, ldc));
	int64_t i = x.tiles(m);
	x.each(i * x.tiles(n),
	       [&](const lane &l, int64_t t) { return p.tile(x, l, t % i, t / i); });
	return x.end();
}

static bool bad_half(cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, size_t ldb,
		     size_t ldc)
{
	return (unsigned)side > 1 || bad_fill(uplo) || bad_size(m) || bad_size(n) ||
	       bad_ld(ldb, m) || bad_ld(ldc, m);
}

#define XT_HALF(name, hermitian)                                                                \
	template <class T>                                                                      \
	static cublasStatus_t name(cublasXtHandle_t handle, cublasSideMode_t side,              \
				   cublasFillMode_t uplo, size_t m, size_t n, const T *alpha,   \
				   const T *a, size_t lda, const T *b, size_t ldb,              \
				   const T *beta, T *c, size_t ldc)                             \
	{                                                                                       \
		size_t order = side == CUBLAS_SIDE_LEFT ? m : n;                                \
                                                                                                \
		XT_TRY(check(handle));                                                          \
		XT_REFUSE_IF(bad_half(side, uplo, m, n, ldb, ldc) || bad_ld(lda, order));       \
		return multiply_half(handle, side, uplo, hermitian, m, n, alpha, whole(a, lda), \
				     extent<T>(order, order, lda), b, ldb, beta, c, ldc);       \
	}
XT_HALF(symm, false)
XT_HALF(hemm, true)

template <class T>
static cublasStatus_t spmm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
			   size_t m, size_t n, const T *alpha, const T *ap, const T *b, size_t ldb,
			   const T *beta, T *c, size_t ldc)
{
	int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
	bool upper = uplo == CUBLAS_FILL_MODE_UPPER;

	XT_TRY(check(handle));
	XT_REFUSE_IF(bad_half(side, uplo, m, n, ldb, ldc));
	return multiply_half(handle, side, uplo, false, m, n, alpha,
			     matrix<const T>{ap, 0, upper, !upper, order},
			     (size_t)order * (order + 1) / 2 * sizeof(T), b, ldb, beta, c, ldc);
}

} // namespace xt

#endif
