/* SPDX-License-Identifier: MIT */
/* What the tests of cuSOLVER's sparse part share: random matrices in CSR, and their solutions. */
#ifndef TESTS_CUSOLVER_SPARSE_SYSTEMS_H
#define TESTS_CUSOLVER_SPARSE_SYSTEMS_H

#include "solver.h"

#include <cusolverSp.h>

static cusolverSpHandle_t sparse_handle;
static cusparseMatDescr_t descrs[2];

struct csr {
	int n, base;
	std::vector<int> offsets, columns;
	std::vector<number> values;

	int nnz() const
	{
		return (int)columns.size();
	}
	matrix whole() const
	{
		matrix a(n, n);

		for (int i = 0; i < n; i++)
			for (int e = offsets[i] - base; e < offsets[i + 1] - base; e++)
				a(i, columns[e] - base) = values[e];
		return a;
	}
	template <class T> std::vector<T> as() const
	{
		std::vector<T> v(values.size() + 1);

		for (size_t i = 0; i < values.size(); i++)
			narrow(values[i], &v[i]);
		return v;
	}
};

static inline csr from(const matrix &a, int base)
{
	csr s = {a.rows, base, {base}, {}, {}};

	for (int i = 0; i < a.rows; i++) {
		for (int j = 0; j < a.cols; j++)
			if (a(i, j) != 0.0) {
				s.columns.push_back(j + base);
				s.values.push_back(a(i, j));
			}
		s.offsets.push_back(s.nnz() + base);
	}
	return s;
}

/* A few entries in each row, and a diagonal, which some rows lack if `exchanged` */
template <class T> static inline matrix random_sparse(int n, bool exchanged)
{
	matrix a = random_matrix<T>(n, n);

	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			if (i == j)
				a(i, j) += 4.0;
			else if (lcg_below(&draw, n) >= 4)
				a(i, j) = 0;
	for (int j = 0; exchanged && j + 1 < n; j += 2)
		for (int i = 0; i < n; i++)
			std::swap(a(i, j), a(i, j + 1));
	return a;
}

template <class T> static inline matrix definite(int n)
{
	matrix a = random_sparse<T>(n, false), h(n, n);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			h(i, j) = i == j ? number(20) : a(i, j) + std::conj(a(j, i));
	return h;
}

enum way { LU_HOST, QR_HOST, CHOLESKY_HOST, QR, CHOLESKY };

#define SOLVE_CASE(X, T)                                                                         \
	static cusolverStatus_t call(enum way way, int n, int nnz, cusparseMatDescr_t d,         \
				     const T *v, const int *o, const int *c, const T *b,         \
				     real_of<T> tol, int order, T *x, int *s)                    \
	{                                                                                        \
		return (way == LU_HOST	       ? cusolverSp##X##csrlsvluHost                     \
			: way == QR_HOST       ? cusolverSp##X##csrlsvqrHost                     \
			: way == CHOLESKY_HOST ? cusolverSp##X##csrlsvcholHost                   \
			: way == QR	       ? cusolverSp##X##csrlsvqr                         \
				    : cusolverSp##X##csrlsvchol)(sparse_handle, n, nnz, d, v, o, \
								 c, b, tol, order, x, s);        \
	}                                                                                        \
	static cusolverStatus_t near_call(bool device, int n, int nnz, cusparseMatDescr_t d,     \
					  const T *v, const int *o, const int *c, T near,        \
					  const T *start, int rounds, real_of<T> tol, T *value,  \
					  T *vector)                                             \
	{                                                                                        \
		return (device ? cusolverSp##X##csreigvsi : cusolverSp##X##csreigvsiHost)(       \
			sparse_handle, n, nnz, d, v, o, c, near, start, rounds, tol, value,      \
			vector);                                                                 \
	}
SOLVE_CASE(S, float)
SOLVE_CASE(D, double)
SOLVE_CASE(C, cuComplex)
SOLVE_CASE(Z, cuDoubleComplex)

/* x, or none if the matrix is singular: at which row */
template <class T>
static int solve(const csr &a, enum way way, int order, const matrix &b, matrix *x)
{
	std::vector<T> values = a.as<T>(), side(a.n + 1), found(a.n + 1);
	int singularity = -77;
	double small = sizeof(real_of<T>) == 4 ? 1e-4 : 1e-10;
	real_of<T> tol = (real_of<T>)(way == CHOLESKY || way == CHOLESKY_HOST ? 0 : small);

	for (int i = 0; i < a.n; i++)
		narrow(b(i, 0), &side[i]);
	if (way < QR) {
		OK(call(way, a.n, a.nnz(), descrs[a.base], values.data(), a.offsets.data(),
			a.columns.data(), side.data(), tol, order, found.data(), &singularity));
	} else {
		T *v = device_from(values.data(), values.size());
		int *o = device_from(a.offsets.data(), a.offsets.size());
		int *c = device_from(a.columns.data(), a.columns.size());
		device<T> db(b), dx(a.n, 1);

		OK(call(way, a.n, a.nnz(), descrs[a.base], v, o, c, db.at, tol, order, dx.at,
			&singularity));
		if (singularity < 0)
			*x = dx.bring();
		CHECK(cudaFree(v));
		CHECK(cudaFree(o));
		CHECK(cudaFree(c));
		return singularity;
	}
	*x = matrix(a.n, 1);
	for (int i = 0; i < a.n; i++)
		(*x)(i, 0) = widen(found[i]);
	return singularity;
}

static inline void make_descrs()
{
	for (int base = 0; base < 2; base++) {
		EXPECT(cusparseCreateMatDescr(&descrs[base]) == CUSPARSE_STATUS_SUCCESS);
		cusparseSetMatIndexBase(descrs[base], (cusparseIndexBase_t)base);
	}
}
static inline void drop_descrs()
{
	for (int base = 0; base < 2; base++)
		cusparseDestroyMatDescr(descrs[base]);
}

#endif
