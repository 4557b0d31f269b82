/* SPDX-License-Identifier: MIT */
/*
 * Sparse LU, QR and Cholesky's factors step by step: systems, least squares, batches, what is
 * singular, put into their equations by the host; steps in the wrong order.
 */
#include "sparse_systems.h"

#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <algorithm>

/* The functions by the type of an argument, of the host's matrices and of the device's */
#define STEPS(X, T)                                                                                \
	static cusolverStatus_t qr_setup(bool host, int m, int n, int nnz, cusparseMatDescr_t d,   \
					 const T *v, const int *o, const int *c, T mu,             \
					 csrqrInfoHost_t h, csrqrInfo_t i)                         \
	{                                                                                          \
		return host ? cusolverSp##X##csrqrSetupHost(sparse_handle, m, n, nnz, d, v, o, c,  \
							    mu, h)                                 \
			    : cusolverSp##X##csrqrSetup(sparse_handle, m, n, nnz, d, v, o, c, mu,  \
							i);                                        \
	}                                                                                          \
	static cusolverStatus_t qr_factor(bool host, int m, int n, int nnz, T *b, T *x,            \
					  csrqrInfoHost_t h, csrqrInfo_t i, void *w)               \
	{                                                                                          \
		return host ? cusolverSp##X##csrqrFactorHost(sparse_handle, m, n, nnz, b, x, h, w) \
			    : cusolverSp##X##csrqrFactor(sparse_handle, m, n, nnz, b, x, i, w);    \
	}                                                                                          \
	static cusolverStatus_t qr_zero(T *, bool host, real_of<T> tol, int *at,                   \
					csrqrInfoHost_t h, csrqrInfo_t i)                          \
	{                                                                                          \
		return host ? cusolverSp##X##csrqrZeroPivotHost(sparse_handle, h, tol, at)         \
			    : cusolverSp##X##csrqrZeroPivot(sparse_handle, i, tol, at);            \
	}                                                                                          \
	static cusolverStatus_t qr_solve(bool host, int m, int n, T *b, T *x, csrqrInfoHost_t h,   \
					 csrqrInfo_t i, void *w)                                   \
	{                                                                                          \
		return host ? cusolverSp##X##csrqrSolveHost(sparse_handle, m, n, b, x, h, w)       \
			    : cusolverSp##X##csrqrSolve(sparse_handle, m, n, b, x, i, w);          \
	}                                                                                          \
	static cusolverStatus_t qr_sizes(int m, int n, int nnz, cusparseMatDescr_t d, const T *v,  \
					 const int *o, const int *c, int count, csrqrInfo_t i,     \
					 size_t *a, size_t *b)                                     \
	{                                                                                          \
		return cusolverSp##X##csrqrBufferInfoBatched(sparse_handle, m, n, nnz, d, v, o, c, \
							     count, i, a, b);                      \
	}                                                                                          \
	static cusolverStatus_t qr_batched(int m, int n, int nnz, cusparseMatDescr_t d,            \
					   const T *v, const int *o, const int *c, const T *b,     \
					   T *x, int count, csrqrInfo_t i, void *w)                \
	{                                                                                          \
		return cusolverSp##X##csrqrsvBatched(sparse_handle, m, n, nnz, d, v, o, c, b, x,   \
						     count, i, w);                                 \
	}                                                                                          \
	static cusolverStatus_t chol_factor(bool host, int n, int nnz, cusparseMatDescr_t d,       \
					    const T *v, const int *o, const int *c,                \
					    csrcholInfoHost_t h, csrcholInfo_t i, void *w)         \
	{                                                                                          \
		return host ? cusolverSp##X##csrcholFactorHost(sparse_handle, n, nnz, d, v, o, c,  \
							       h, w)                               \
			    : cusolverSp##X##csrcholFactor(sparse_handle, n, nnz, d, v, o, c, i,   \
							   w);                                     \
	}                                                                                          \
	static cusolverStatus_t chol_zero(T *, bool host, real_of<T> tol, int *at,                 \
					  csrcholInfoHost_t h, csrcholInfo_t i)                    \
	{                                                                                          \
		return host ? cusolverSp##X##csrcholZeroPivotHost(sparse_handle, h, tol, at)       \
			    : cusolverSp##X##csrcholZeroPivot(sparse_handle, i, tol, at);          \
	}                                                                                          \
	static cusolverStatus_t chol_solve(bool host, int n, T *b, T *x, csrcholInfoHost_t h,      \
					   csrcholInfo_t i, void *w)                               \
	{                                                                                          \
		return host ? cusolverSp##X##csrcholSolveHost(sparse_handle, n, b, x, h, w)        \
			    : cusolverSp##X##csrcholSolve(sparse_handle, n, b, x, i, w);           \
	}                                                                                          \
	static cusolverStatus_t chol_diagonal(csrcholInfo_t i, T *, real_of<T> *to)                \
	{                                                                                          \
		return cusolverSp##X##csrcholDiag(sparse_handle, i, to);                           \
	}
STEPS(S, float)
STEPS(D, double)
STEPS(C, cuComplex)
STEPS(Z, cuDoubleComplex)

/* A matrix, a right side and room for a solution, where the functions want them: managed memory is
 * both. */
template <class T> struct problem {
	int m, n, nnz, count;
	int *offsets, *columns;
	T *values, *b, *x;

	problem(const csr &s, int rows, int columns_of, int systems = 1)
	    : m(rows), n(columns_of), nnz(s.nnz()), count(systems)
	{
		std::vector<T> v = s.as<T>();

		offsets = room<int>(m + 1, s.offsets.data());
		columns = room<int>(nnz, s.columns.data());
		values = room<T>((long)nnz * count, NULL);
		for (int i = 0; i < count; i++)
			std::copy(v.begin(), v.begin() + nnz, values + (long)i * nnz);
		b = room<T>((long)m * count, NULL);
		x = room<T>((long)n * count, NULL);
	}
	~problem()
	{
		for (void *p :
		     {(void *)offsets, (void *)columns, (void *)values, (void *)b, (void *)x})
			CHECK(cudaFree(p));
	}
	problem(const problem &) = delete;
	template <class E> static E *room(long size, const E *from)
	{
		E *p;

		CHECK(cudaMallocManaged(&p, (size + 1) * sizeof(E)));
		if (from)
			std::copy(from, from + size, p);
		return p;
	}
	void side(const matrix &from, int system = 0)
	{
		for (int i = 0; i < m; i++)
			narrow(from(i, 0), &b[(long)system * m + i]);
	}
	matrix solution(int system = 0) const
	{
		matrix v(n, 1);

		for (int i = 0; i < n; i++)
			v(i, 0) = widen(x[(long)system * n + i]);
		return v;
	}
};

/* With more rows than columns what is left is orthogonal to all columns. */
template <class T>
static void check(const matrix &a, const matrix &x, const matrix &b, const char *what)
{
	matrix left = a * x - b, projected = a.adjoint() * left;

	expect_near<T>(projected, matrix(a.cols, 1), 200 * (a.rows + 1), what, __LINE__,
		       a.norm() * (a.norm() * x.norm() + b.norm()) + 1e-300);
}

static csr from_any(const matrix &a, int base)
{
	csr s = from(a, base);

	s.n = a.cols;
	return s;
}

template <class T> static void test_qr(int m, int n, bool host, int base)
{
	matrix whole = random_sparse<T>(m, false), a = whole.part(m, n);
	matrix b = random_matrix<T>(m, 1), c = random_matrix<T>(m, 1);
	csrqrInfoHost_t h;
	csrqrInfo_t i;
	T mu;
	int at = -77;

	narrow(number(0.25), &mu);
	problem<T> p(from_any(a, base), m, n);
	OK(cusolverSpCreateCsrqrInfoHost(&h));
	OK(cusolverSpCreateCsrqrInfo(&i));
	/* nothing before its turn */
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      qr_setup(host, m, n, p.nnz, descrs[base], p.values, p.offsets, p.columns, mu,
			       h, i));
	OK(host ? cusolverSpXcsrqrAnalysisHost(sparse_handle, m, n, p.nnz, descrs[base], p.offsets,
					       p.columns, h)
		: cusolverSpXcsrqrAnalysis(sparse_handle, m, n, p.nnz, descrs[base], p.offsets,
					   p.columns, i));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      qr_factor(host, m, n, p.nnz, (T *)NULL, (T *)NULL, h, i, NULL));
	OK(qr_setup(host, m, n, p.nnz, descrs[base], p.values, p.offsets, p.columns, mu, h, i));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, qr_solve(host, m, n, p.b, p.x, h, i, NULL));
	matrix shifted = a;
	for (int k = 0; k < n; k++)
		shifted(k, k) -= 0.25;
	/* with a right side at once, then with another one */
	p.side(b);
	OK(qr_factor(host, m, n, p.nnz, p.b, p.x, h, i, NULL));
	check<T>(shifted, p.solution(), b, "csrqrFactor");
	OK(qr_zero((T *)NULL, host, (real_of<T>)1e-5, &at, h, i));
	EXPECT(at == -1);
	p.side(c);
	OK(qr_solve(host, m, n, p.b, p.x, h, i, NULL));
	check<T>(shifted, p.solution(), c, "csrqrSolve");
	/* a column of zeros */
	matrix zero = a;
	for (int k = 0; k < m && n > 2; k++)
		zero(k, 1) = 0;
	problem<T> z(from_any(zero, base), m, n);
	narrow(number(0), &mu);
	OK(host ? cusolverSpXcsrqrAnalysisHost(sparse_handle, m, n, z.nnz, descrs[base], z.offsets,
					       z.columns, h)
		: cusolverSpXcsrqrAnalysis(sparse_handle, m, n, z.nnz, descrs[base], z.offsets,
					   z.columns, i));
	OK(qr_setup(host, m, n, z.nnz, descrs[base], z.values, z.offsets, z.columns, mu, h, i));
	OK(qr_factor(host, m, n, z.nnz, (T *)NULL, (T *)NULL, h, i, NULL));
	OK(qr_zero((T *)NULL, host, (real_of<T>)1e-5, &at, h, i));
	EXPECT(at == (n > 2 ? 1 : -1));
	OK(cusolverSpDestroyCsrqrInfoHost(h));
	OK(cusolverSpDestroyCsrqrInfo(i));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, cusolverSpDestroyCsrqrInfo(i));
}

template <class T> static void test_batch(int m, int n, int count)
{
	matrix a = random_sparse<T>(m, false).part(m, n);
	problem<T> p(from_any(a, 1), m, n, count);
	std::vector<matrix> sides;
	csrqrInfo_t i;
	size_t kept, room;

	/* every system has the pattern, and numbers that are larger by a factor */
	for (int s = 0; s < count; s++) {
		sides.push_back(random_matrix<T>(m, 1));
		p.side(sides[s], s);
		for (int e = 0; e < p.nnz; e++)
			narrow(widen(p.values[e]) * (double)(1 + s),
			       &p.values[(long)s * p.nnz + e]);
	}
	OK(cusolverSpCreateCsrqrInfo(&i));
	OK(cusolverSpXcsrqrAnalysisBatched(sparse_handle, m, n, p.nnz, descrs[1], p.offsets,
					   p.columns, i));
	OK(qr_sizes(m, n, p.nnz, descrs[1], p.values, p.offsets, p.columns, count, i, &kept,
		    &room));
	EXPECT(room > 0);
	OK(qr_batched(m, n, p.nnz, descrs[1], p.values, p.offsets, p.columns, p.b, p.x, count, i,
		      NULL));
	for (int s = 0; s < count; s++) {
		matrix scaled = a;

		for (number &v : scaled.values)
			v *= 1 + s;
		check<T>(scaled, p.solution(s), sides[s], "csrqrsvBatched");
	}
	OK(cusolverSpDestroyCsrqrInfo(i));
}

template <class T> static void test_cholesky(int n, bool host, int base)
{
	matrix a = definite<T>(n), b = random_matrix<T>(n, 1);
	problem<T> p(from(triangle(a, true), base), n, n);
	csrcholInfoHost_t h;
	csrcholInfo_t i;
	int at = -77;

	OK(cusolverSpCreateCsrcholInfoHost(&h));
	OK(cusolverSpCreateCsrcholInfo(&i));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      chol_factor(host, n, p.nnz, descrs[base], p.values, p.offsets, p.columns, h,
				  i, NULL));
	OK(host ? cusolverSpXcsrcholAnalysisHost(sparse_handle, n, p.nnz, descrs[base], p.offsets,
						 p.columns, h)
		: cusolverSpXcsrcholAnalysis(sparse_handle, n, p.nnz, descrs[base], p.offsets,
					     p.columns, i));
	OK(chol_factor(host, n, p.nnz, descrs[base], p.values, p.offsets, p.columns, h, i, NULL));
	OK(chol_zero((T *)NULL, host, (real_of<T>)1e-6, &at, h, i));
	EXPECT(at == -1);
	p.side(b);
	OK(chol_solve(host, n, p.b, p.x, h, i, NULL));
	matrix x = p.solution();
	expect_near<T>(a * x, b, 40 * (n + 1), "csrcholSolve", __LINE__,
		       a.norm() * x.norm() + b.norm());
	if (!host) {
		/* the first of them is the root of A's first */
		list<real_of<T>> diagonal(n);

		OK(chol_diagonal(i, (T *)NULL, diagonal.at));
		EXPECT(fabs(diagonal.bring()[0] - sqrt(20.0)) < 10 * epsilon<T>() * 5);
	}
	/* not definite from the last row on */
	matrix bad = a;
	bad(n - 1, n - 1) = -1;
	problem<T> q(from(triangle(bad, true), base), n, n);
	OK(chol_factor(host, n, q.nnz, descrs[base], q.values, q.offsets, q.columns, h, i, NULL));
	OK(chol_zero((T *)NULL, host, (real_of<T>)1e-6, &at, h, i));
	EXPECT(at == n - 1);
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, chol_solve(host, n, q.b, q.x, h, i, NULL));
	OK(cusolverSpDestroyCsrcholInfoHost(h));
	OK(cusolverSpDestroyCsrcholInfo(i));
}

#define STEPS_LU(X, T)                                                                             \
	static cusolverStatus_t lu_factor(int n, int nnz, cusparseMatDescr_t d, const T *v,        \
					  const int *o, const int *c, csrluInfoHost_t i)           \
	{                                                                                          \
		return cusolverSp##X##csrluFactorHost(sparse_handle, n, nnz, d, v, o, c, i, 1,     \
						      NULL);                                       \
	}                                                                                          \
	static cusolverStatus_t lu_zero(T *, real_of<T> tol, int *at, csrluInfoHost_t i)           \
	{                                                                                          \
		return cusolverSp##X##csrluZeroPivotHost(sparse_handle, i, tol, at);               \
	}                                                                                          \
	static cusolverStatus_t lu_solve(int n, const T *b, T *x, csrluInfoHost_t i)               \
	{                                                                                          \
		return cusolverSp##X##csrluSolveHost(sparse_handle, n, b, x, i, NULL);             \
	}                                                                                          \
	static cusolverStatus_t lu_extract(int *p, int *q, T *lv, int *lo, int *lc, T *uv,         \
					   int *uo, int *uc, csrluInfoHost_t i)                    \
	{                                                                                          \
		return cusolverSp##X##csrluExtractHost(sparse_handle, p, q, descrs[0], lv, lo, lc, \
						       descrs[1], uv, uo, uc, i, NULL);            \
	}
STEPS_LU(S, float)
STEPS_LU(D, double)
STEPS_LU(C, cuComplex)
STEPS_LU(Z, cuDoubleComplex)

/* A factor of rows with ascending columns */
template <class T>
static matrix whole_of(int n, int base, const std::vector<T> &values,
		       const std::vector<int> &offsets, const std::vector<int> &columns, bool lower)
{
	matrix a(n, n);

	for (int i = 0; i < n; i++)
		for (int e = offsets[i] - base; e < offsets[i + 1] - base; e++) {
			int j = columns[e] - base;

			EXPECT(e == offsets[i] - base || columns[e] > columns[e - 1]);
			EXPECT(lower ? j <= i : j >= i);
			a(i, j) = widen(values[e]);
		}
	return a;
}

template <class T> static void test_lu(int n, int base)
{
	matrix a = random_sparse<T>(n, true), b = random_matrix<T>(n, 1), exchanged(n, n);
	problem<T> p(from(a, base), n, n);
	csrluInfoHost_t i;
	int at = -77, lower = -1, upper = -1;

	OK(cusolverSpCreateCsrluInfoHost(&i));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      lu_factor(n, p.nnz, descrs[base], p.values, p.offsets, p.columns, i));
	OK(cusolverSpXcsrluAnalysisHost(sparse_handle, n, p.nnz, descrs[base], p.offsets, p.columns,
					i));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverSpXcsrluNnzHost(sparse_handle, &lower, &upper, i));
	OK(lu_factor(n, p.nnz, descrs[base], p.values, p.offsets, p.columns, i));
	OK(lu_zero((T *)NULL, (real_of<T>)1e-6, &at, i));
	EXPECT(at == -1);
	p.side(b);
	OK(lu_solve(n, p.b, p.x, i));
	matrix x = p.solution();
	expect_near<T>(a * x, b, 40 * (n + 1), "csrluSolve", __LINE__,
		       a.norm() * x.norm() + b.norm());
	OK(cusolverSpXcsrluNnzHost(sparse_handle, &lower, &upper, i));
	std::vector<int> pr(n), q(n), lo(n + 1), uo(n + 1), lc(lower), uc(upper);
	std::vector<T> lv(lower), uv(upper);
	OK(lu_extract(pr.data(), q.data(), lv.data(), lo.data(), lc.data(), uv.data(), uo.data(),
		      uc.data(), i));
	EXPECT(lo[n] == lower && uo[n] == upper + 1);
	for (int r = 0; r < n; r++)
		for (int c = 0; c < n; c++)
			exchanged(r, c) = a(pr[r], q[c]);
	matrix l = whole_of(n, 0, lv, lo, lc, true), u = whole_of(n, 1, uv, uo, uc, false);
	EXPECT_NEAR(T, l * u, exchanged, 40 * (n + 1), "csrluExtract");
	for (int k = 0; k < n; k++)
		EXPECT(l(k, k) == 1.0);
	/* a row of zeros */
	matrix zero = a;
	for (int c = 0; c < n; c++)
		zero(n - 1, c) = 0;
	problem<T> z(from(zero, base), n, n);
	OK(cusolverSpXcsrluAnalysisHost(sparse_handle, n, z.nnz, descrs[base], z.offsets, z.columns,
					i));
	OK(lu_factor(n, z.nnz, descrs[base], z.values, z.offsets, z.columns, i));
	OK(lu_zero((T *)NULL, (real_of<T>)1e-6, &at, i));
	EXPECT(at == n - 1);
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, lu_solve(n, z.b, z.x, i));
	OK(cusolverSpDestroyCsrluInfoHost(i));
}

template <class T> static void test_type()
{
	for (bool host : {true, false}) {
		test_qr<T>(1, 1, host, 0);
		test_qr<T>(25, 25, host, 1);
		test_qr<T>(30, 17, host, 0);
		test_cholesky<T>(1, host, 1);
		test_cholesky<T>(25, host, 0);
	}
	test_lu<T>(1, 0);
	test_lu<T>(25, 1);
	test_batch<T>(12, 12, 3);
	test_batch<T>(14, 9, 2);
	test_batch<T>(3, 3, 0);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "steps", NULL, 0, 0, 0);
	OK(cusolverSpCreate(&sparse_handle));
	make_descrs();
	test_type<float>();
	test_type<double>();
	test_type<cuComplex>();
	test_type<cuDoubleComplex>();
	drop_descrs();
	OK(cusolverSpDestroy(sparse_handle));
	return finish();
}
