/* SPDX-License-Identifier: MIT */
/*
 * L D L^T of symmetric matrices, with pivots of one row and of two; systems and least squares of
 * the refining functions; inverses of triangles: put into their equations by the host.
 */
#include "solver.h"

/* Those whose letters are two: of the matrix, and of a shorter type */
#define ONE(name, whole, T)                                      \
	template <class... A> cusolverStatus_t name(T *, A... a) \
	{                                                        \
		return cusolverDn##whole(a...);                  \
	}
#define FOUR_OWN(name)                 \
	ONE(name, SS##name, float)     \
	ONE(name, DH##name, double)    \
	ONE(name, CC##name, cuComplex) \
	ONE(name, ZK##name, cuDoubleComplex)

FOUR(sytrf_bufferSize)
FOUR(sytrf)
FOUR(sytri_bufferSize)
FOUR(sytri)
FOUR_OWN(gesv_bufferSize)
FOUR_OWN(gesv)
FOUR_OWN(gels_bufferSize)
FOUR_OWN(gels)

/* Symmetric, complex ones too; with a diagonal of zeros every pivot has two rows at first. */
template <class T> static matrix random_symmetric(int n, bool no_diagonal)
{
	matrix a = random_matrix<T>(n, n);

	for (int j = 0; j < n; j++) {
		for (int i = 0; i < j; i++)
			a(i, j) = a(j, i);
		if (no_diagonal)
			a(j, j) = 0;
	}
	return a;
}

/* L D L^T, its rows in the order of A, from what LAPACK keeps of it; upper: U D U^T */
static matrix product(const matrix &f, std::vector<int> pivots, bool lower)
{
	int n = f.rows;
	matrix whole = unit(n, n), d(n, n);
	int at = lower ? 0 : n - 1, step;

	/* P1 L1 P2 L2 ... times D, then the transposed product */
	for (; at >= 0 && at < n; at += lower ? step : -step) {
		bool two = pivots[at] < 0;
		int row = abs(pivots[at]) - 1, last = at + (two ? (lower ? 1 : -1) : 0);
		matrix l = unit(n, n);

		step = two ? 2 : 1;
		d(at, at) = f(at, at);
		d(last, last) = f(last, last);
		if (two)
			d(at, last) = d(last, at) = lower ? f(last, at) : f(at - 1, at);
		for (int k = at; lower ? k <= last : k >= last; k += lower ? 1 : -1)
			for (int i = 0; i < n; i++)
				if (lower ? i > last : i < last)
					l(i, k) = f(i, k);
		/* columns last and row of the product are exchanged by the permutation */
		for (int i = 0; i < n; i++)
			std::swap(whole(i, last), whole(i, row));
		whole = whole * l;
	}
	return whole * d * whole.transposed();
}

template <class T> static void test_symmetric(int n, bool lower, bool no_diagonal)
{
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	matrix a = random_symmetric<T>(n, no_diagonal), b = random_matrix<T>(n, 3);
	device<T> da(half_of(a, lower), 2), db(b, 1);
	list<int> pivots(n), info(1);
	int lwork, negative = 0;
	size_t bytes, host_bytes;

	OK(CALL(T, sytrf_bufferSize, handle, n, da.at, da.ld, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, sytrf, handle, uplo, n, da.at, da.ld, pivots.at, work.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	std::vector<int> p = pivots.bring();
	for (int i = 0; i < n; i++)
		negative += p[i] < 0;
	EXPECT(!no_diagonal || negative >= 2);
	EXPECT_NEAR(T, product(triangle(da.bring(), lower), p, lower), a, 40 * n + 40, "sytrf");
	std::vector<int64_t> wide(p.begin(), p.end());
	list<int64_t> pivots64(wide);
	OK(cusolverDnXsytrs_bufferSize(handle, uplo, n, 3, type_of<T>(), da.at, da.ld, pivots64.at,
				       type_of<T>(), db.at, db.ld, &bytes, &host_bytes));
	OK(cusolverDnXsytrs(handle, uplo, n, 3, type_of<T>(), da.at, da.ld, pivots64.at,
			    type_of<T>(), db.at, db.ld, work.at, bytes, NULL, host_bytes, info.at));
	matrix x = db.bring();
	expect_near<T>(a * x, b, 100 * n + 100, "sytrs", __LINE__, a.norm() * x.norm() + b.norm());
	OK(CALL(T, sytri_bufferSize, handle, uplo, n, da.at, da.ld, pivots.at, &lwork));
	device<T> room(lwork, 1);
	OK(CALL(T, sytri, handle, uplo, n, da.at, da.ld, pivots.at, room.at, lwork, info.at));
	matrix inverse = triangle(da.bring(), lower);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < j; i++)
			if (lower)
				inverse(i, j) = inverse(j, i);
			else
				inverse(j, i) = inverse(i, j);
	expect_near<T>(a * inverse, unit(n, n), 100 * n + 100, "sytri", __LINE__,
		       a.norm() * inverse.norm());
}

template <class T> static void test_refined(int m, int n, int nrhs)
{
	matrix a = random_matrix<T>(n, n), b = random_matrix<T>(n, nrhs);
	device<T> da(a, 1), db(b, 2), x(n, nrhs, 1);
	list<int> pivots(n), info(1);
	size_t bytes;
	int rounds = -1;

	OK(CALL(T, gesv_bufferSize, handle, n, nrhs, da.at, da.ld, pivots.at, db.at, db.ld, x.at,
		x.ld, (void *)NULL, &bytes));
	char *work = device_new<char>(bytes);
	OK(CALL(T, gesv, handle, n, nrhs, da.at, da.ld, pivots.at, db.at, db.ld, x.at, x.ld,
		(void *)work, bytes, &rounds, info.at));
	EXPECT_INFO(info, 0);
	EXPECT(rounds == 0 && da.bring().values == a.values && db.bring().values == b.values);
	matrix solved = x.bring();
	expect_near<T>(a * solved, b, 20 * n + 20, "gesv", __LINE__, a.norm() * solved.norm());
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      CALL(T, gesv, handle, n, nrhs, da.at, da.ld, pivots.at, db.at, db.ld, x.at,
			   x.ld, (void *)work, (size_t)(n * n), &rounds, info.at));
	EXPECT_INFO(info, -11);
	CHECK(cudaFree(work));

	/* what remains is orthogonal to the columns */
	matrix c = random_matrix<T>(m, n), d = random_matrix<T>(m, nrhs);
	device<T> dc(c, 1), dd(d, 2), y(n, nrhs, 1);
	OK(CALL(T, gels_bufferSize, handle, m, n, nrhs, dc.at, dc.ld, dd.at, dd.ld, y.at, y.ld,
		(void *)NULL, &bytes));
	work = device_new<char>(bytes);
	OK(CALL(T, gels, handle, m, n, nrhs, dc.at, dc.ld, dd.at, dd.ld, y.at, y.ld, (void *)work,
		bytes, &rounds, info.at));
	EXPECT_INFO(info, 0);
	EXPECT(rounds == 0 && dc.bring().values == c.values);
	matrix least = y.bring();
	expect_near<T>(c.adjoint() * (c * least), c.adjoint() * d, 20 * m, "gels", __LINE__,
		       c.norm() * (c.norm() * least.norm() + d.norm()));
	CHECK(cudaFree(work));
}

template <class T> static void test_triangle(int n, bool lower, bool one)
{
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	cublasDiagType_t diag = one ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
	matrix a = random_matrix<T>(n, n);
	list<int> info(1);
	size_t bytes, host_bytes;

	for (int i = 0; i < n; i++)
		a(i, i) = one ? number(NAN) : number((float)(a(i, i).real() + 3), a(i, i).imag());
	device<T> da(half_of(a, lower), 1);
	OK(cusolverDnXtrtri_bufferSize(handle, uplo, diag, n, type_of<T>(), da.at, da.ld, &bytes,
				       &host_bytes));
	char *work = device_new<char>(bytes);
	OK(cusolverDnXtrtri(handle, uplo, diag, n, type_of<T>(), da.at, da.ld, work, bytes, NULL,
			    host_bytes, info.at));
	EXPECT_INFO(info, 0);
	matrix t = triangle(a, lower, one), inverse = triangle(da.bring(), lower, one);
	expect_near<T>(t * inverse, unit(n, n), 20 * n + 20, "trtri", __LINE__,
		       t.norm() * inverse.norm());
	if (n > 2 && !one) {
		a(2, 2) = 0;
		da.send(a);
		OK(cusolverDnXtrtri(handle, uplo, diag, n, type_of<T>(), da.at, da.ld, work, bytes,
				    NULL, host_bytes, info.at));
		EXPECT_INFO(info, 3);
		EXPECT(da.bring().values == a.values);
	}
	CHECK(cudaFree(work));
}

template <class T> static void test_type(bool small)
{
	for (bool lower : {true, false}) {
		test_symmetric<T>(1, lower, false);
		test_symmetric<T>(2, lower, true);
		test_symmetric<T>(small ? 7 : 30, lower, false);
		test_symmetric<T>(small ? 6 : 20, lower, true);
		test_triangle<T>(small ? 7 : 34, lower, lower);
		test_triangle<T>(5, lower, !lower);
	}
	test_refined<T>(12, 9, 3);
	test_refined<T>(1, 1, 1);
}

/* The settings name the type. */
static void test_settings()
{
	int n = 6, rounds = -1, most = 0;
	matrix a = random_matrix<double>(n, n), b = random_matrix<double>(n, 1);
	device<double> da(a), db(b), x(n, 1);
	list<int> info(1);
	cusolverDnIRSParams_t params;
	cusolverDnIRSInfos_t infos;
	size_t bytes;

	OK(cusolverDnIRSParamsCreate(&params));
	OK(cusolverDnIRSInfosCreate(&infos));
	EXPECT_STATUS(CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC,
		      cusolverDnIRSXgesv_bufferSize(handle, params, n, 1, &bytes));
	EXPECT_STATUS(CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC,
		      cusolverDnIRSParamsSetSolverMainPrecision(params, CUSOLVER_R_16F));
	OK(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_16F));
	OK(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_GMRES));
	OK(cusolverDnIRSParamsSetMaxIters(params, 7));
	OK(cusolverDnIRSXgesv_bufferSize(handle, params, n, 1, &bytes));
	char *work = device_new<char>(bytes);
	OK(cusolverDnIRSXgesv(handle, params, infos, n, 1, da.at, n, db.at, n, x.at, n, work, bytes,
			      &rounds, info.at));
	EXPECT_INFO(info, 0);
	OK(cusolverDnIRSInfosGetMaxIters(infos, &most));
	EXPECT(rounds == 0 && most == 7);
	expect_near<double>(a * x.bring(), b, 200, "IRSXgesv", __LINE__,
			    a.norm() * x.bring().norm());
	OK(cusolverDnIRSParamsDestroy(params));
	OK(cusolverDnIRSInfosDestroy(infos));
	EXPECT_STATUS(CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED,
		      cusolverDnIRSParamsDestroy(params));
	CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "systems", NULL, 0, 0, 0);
	OK(cusolverDnCreate(&handle));
	test_type<float>(true);
	test_type<double>(false);
	test_type<cuComplex>(false);
	test_type<cuDoubleComplex>(true);
	test_settings();
	OK(cusolverDnDestroy(handle));
	return finish();
}
