/* SPDX-License-Identifier: MIT */
/*
 * Products whose result is symmetric or Hermitian, of which one triangle is written: op(A) op(A)^T
 * and op(A) op(B)^T, and the latter with its own transpose added. That one is two products, the
 * second on top of the first.
 */
#ifndef CUBLAS_LEVEL3_RANK_H
#define CUBLAS_LEVEL3_RANK_H

namespace blas
{

/* op(A) is n times k; what it is multiplied by is its transpose, or that of B, conjugated if
 * Hermitian. */
template <class T> struct rank_problem {
	cublasFillMode_t uplo;
	cublasOperation_t trans;
	int64_t n, k;
	const T *a;
	int64_t lda;
	const T *b;
	int64_t ldb;
	T *c;
	int64_t ldc;
	bool hermitian;

	bool bad() const
	{
		int64_t rows = trans == CUBLAS_OP_N ? n : k;

		if (bad_fill(uplo) || bad_op(trans) || trans == CUBLAS_OP_CONJG)
			return true;
		if (is_complex<T>::value && trans == (hermitian ? CUBLAS_OP_T : CUBLAS_OP_C))
			return true;
		return n < 0 || k < 0 || lda < at_least_one(rows) || ldb < at_least_one(rows) ||
		       ldc < at_least_one(n);
	}
	operand<T> left(const T *p, int64_t ld) const
	{
		return view(p, ld, trans);
	}
	operand<T> right(const T *p, int64_t ld) const
	{
		cublasOperation_t turned = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;

		return view(p, ld, trans == CUBLAS_OP_N ? turned : CUBLAS_OP_N);
	}
};

/* C = alpha left(A) right(B) + beta C, and with `both` conj(alpha) left(B) right(A), too */
template <class T, class P, class Q>
static cublasStatus_t rank(cublasHandle_t handle, const rank_problem<T> &p, const P *alpha,
			   const Q *beta, bool both)
{
	BLAS_REFUSE_IF(p.bad());
	if (!p.n)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !beta);
	scalar<T> by = scalar_at<T>(handle, alpha), old = scalar_at<T>(handle, beta);
	bool none = !p.k || known_zero(by);
	if (none && known_one(old))
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!p.c || (!none && (!p.a || !p.b)));
	target<T> c = place(p.c, p.ldc, part_of(p.uplo), p.hermitian);
	bool round = rounds<T>(handle);
	BLAS_TRY(multiply<T>(handle, p.n, p.n, p.k, by, p.left(p.a, p.lda), p.right(p.b, p.ldb),
			     old, c, 1, round));
	if (!both || none)
		return CUBLAS_STATUS_SUCCESS;
	scalar<T> one = {one_of<T>(), NULL, 0};
	if (p.hermitian) {
		by.value = conjugate(by.value);
		by.kind |= SCALAR_CONJUGATE;
	}
	return multiply<T>(handle, p.n, p.n, p.k, by, p.left(p.b, p.ldb), p.right(p.a, p.lda), one,
			   c, 1, round);
}

#define BLAS_RANK_A \
	cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k
template <class T>
static cublasStatus_t syrk(BLAS_RANK_A, const T *alpha, const T *a, int64_t lda, const T *beta,
			   T *c, int64_t ldc)
{
	BLAS_CHECK(handle);
	rank_problem<T> p = {uplo, trans, n, k, a, lda, a, lda, c, ldc, false};
	return rank(handle, p, alpha, beta, false);
}

template <class T, class R>
static cublasStatus_t herk(BLAS_RANK_A, const R *alpha, const T *a, int64_t lda, const R *beta,
			   T *c, int64_t ldc)
{
	BLAS_CHECK(handle);
	rank_problem<T> p = {uplo, trans, n, k, a, lda, a, lda, c, ldc, true};
	return rank(handle, p, alpha, beta, false);
}

#define BLAS_RANK(name, hermitian, both)                                                      \
	template <class T, class R>                                                           \
	static cublasStatus_t name(BLAS_RANK_A, const T *alpha, const T *a, int64_t lda,      \
				   const T *b, int64_t ldb, const R *beta, T *c, int64_t ldc) \
	{                                                                                     \
		BLAS_CHECK(handle);                                                           \
		rank_problem<T> p = {uplo, trans, n, k, a, lda, b, ldb, c, ldc, hermitian};   \
		return rank(handle, p, alpha, beta, both);                                    \
	}
BLAS_RANK(syr2k, false, true)
BLAS_RANK(syrkx, false, false)
BLAS_RANK(her2k, true, true)
BLAS_RANK(herkx, true, false)

} // namespace blas

#endif
