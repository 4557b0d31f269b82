/* SPDX-License-Identifier: MIT */
/*
 * Eigenvalues and vectors of symmetric and Hermitian matrices, put into A x = w x and A x = w B x:
 * random ones, ones with eigenvalues that are known, repeated, of very different sizes, zero.
 */
#include "solver.h"

#include <algorithm>

FOUR_NAMES(sytrd, sytrd, hetrd)
FOUR_NAMES(orgtr_bufferSize, orgtr_bufferSize, ungtr_bufferSize)
FOUR_NAMES(orgtr, orgtr, ungtr)
FOUR_NAMES(ormtr_bufferSize, ormtr_bufferSize, unmtr_bufferSize)
FOUR_NAMES(ormtr, ormtr, unmtr)
FOUR_NAMES(syevd_bufferSize, syevd_bufferSize, heevd_bufferSize)
FOUR_NAMES(syevd, syevd, heevd)
FOUR_NAMES(syevdx_bufferSize, syevdx_bufferSize, heevdx_bufferSize)
FOUR_NAMES(syevdx, syevdx, heevdx)
FOUR_NAMES(syevj_bufferSize, syevj_bufferSize, heevj_bufferSize)
FOUR_NAMES(syevj, syevj, heevj)
FOUR_NAMES(syevjBatched_bufferSize, syevjBatched_bufferSize, heevjBatched_bufferSize)
FOUR_NAMES(syevjBatched, syevjBatched, heevjBatched)
FOUR_NAMES(sygvd_bufferSize, sygvd_bufferSize, hegvd_bufferSize)
FOUR_NAMES(sygvd, sygvd, hegvd)
FOUR_NAMES(sygvdx_bufferSize, sygvdx_bufferSize, hegvdx_bufferSize)
FOUR_NAMES(sygvdx, sygvdx, hegvdx)
FOUR_NAMES(sygvj_bufferSize, sygvj_bufferSize, hegvj_bufferSize)
FOUR_NAMES(sygvj, sygvj, hegvj)

static syevjInfo_t jacobi;

template <class T> static std::vector<double> wide(const std::vector<T> &v)
{
	return std::vector<double>(v.begin(), v.end());
}

template <class T> static void test_reduction(int n, bool lower)
{
	typedef real_of<T> R;
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	matrix a = random_hermitian<T>(n), t(n, n);
	device<T> da(half_of(a, lower), 2), tau(n, 1), work(1, 1);
	list<R> d(n), e(n);
	list<int> info(1);
	int lwork;

	OK(CALL(T, sytrd, handle, uplo, n, da.at, da.ld, d.at, e.at, tau.at, work.at, 1, info.at));
	EXPECT_INFO(info, 0);
	std::vector<double> dd = wide(d.bring()), ee = wide(e.bring());
	for (int i = 0; i < n; i++)
		t(i, i) = dd[i];
	for (int i = 0; i + 1 < n; i++)
		t(i, i + 1) = t(i + 1, i) = ee[i];
	matrix reduced = da.bring();
	for (int i = 0; i + 1 < n; i++)
		EXPECT((lower ? reduced(i + 1, i) : reduced(i, i + 1)) == number(ee[i]));
	device<T> dq(reduced, 1);
	OK(CALL(T, orgtr_bufferSize, handle, uplo, n, dq.at, dq.ld, tau.at, &lwork));
	device<T> room(lwork, 1);
	OK(CALL(T, orgtr, handle, uplo, n, dq.at, dq.ld, tau.at, room.at, lwork, info.at));
	matrix q = dq.bring();
	EXPECT_UNITARY(T, q, "orgtr");
	EXPECT_NEAR(T, q * t * q.adjoint(), a, 20 * n + 20, "sytrd");
	for (int left = 0; left < 2; left++)
		for (int turned = 0; turned < 2; turned++) {
			matrix c = left ? random_matrix<T>(n, 5) : random_matrix<T>(5, n);
			matrix o = turned ? q.adjoint() : q;
			device<T> dc(c, 1);
			cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
			cublasOperation_t op = !turned		  ? CUBLAS_OP_N
					       : kind<T>::complex ? CUBLAS_OP_C
								  : CUBLAS_OP_T;

			OK(CALL(T, ormtr_bufferSize, handle, side, uplo, op, c.rows, c.cols, da.at,
				da.ld, tau.at, dc.at, dc.ld, &lwork));
			OK(CALL(T, ormtr, handle, side, uplo, op, c.rows, c.cols, da.at, da.ld,
				tau.at, dc.at, dc.ld, room.at, lwork, info.at));
			EXPECT_NEAR(T, dc.bring(), left ? o * c : c * o, 20 * n + 20, "ormtr");
		}
}

/* Vectors v and values w of a: ascending, orthogonal, right */
template <class T>
static void check(const matrix &a, const matrix &v, const std::vector<double> &w, const char *what)
{
	int n = a.rows;
	double size = a.norm();

	EXPECT(std::is_sorted(w.begin(), w.end()));
	EXPECT_UNITARY(T, v, what);
	expect_near<T>(a * v, v * diagonal((int)w.size(), (int)w.size(), w), 20 * n + 20, what,
		       __LINE__, size > 0 ? size : 1e-300);
}

template <class T>
static std::vector<double> test_values(const matrix &a, bool lower, double scale = 1)
{
	typedef real_of<T> R;
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	int n = a.rows, lwork;
	list<R> w(n), alone(n);
	list<int> info(1);
	matrix given = a;

	for (number &v : given.values)
		v *= scale;
	device<T> da(half_of(given, lower), 1), db(half_of(given, lower), 3);
	OK(CALL(T, syevd_bufferSize, handle, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.at, da.ld, w.at,
		&lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, syevd, handle, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.at, da.ld, w.at, work.at,
		lwork, info.at));
	EXPECT_INFO(info, 0);
	std::vector<double> values = wide(w.bring());
	for (double &v : values)
		v /= scale;
	check<T>(a, da.bring(), values, "syevd");
	OK(CALL(T, syevd, handle, CUSOLVER_EIG_MODE_NOVECTOR, uplo, n, db.at, db.ld, alone.at,
		work.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	EXPECT(alone.bring() == w.bring());

	/* the same by Jacobi's method */
	const cusolverEigMode_t both[] = {CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_MODE_NOVECTOR};
	double residual = -1, size = given.norm();
	int sweeps = -1;
	for (cusolverEigMode_t mode : both) {
		device<T> dj(half_of(given, lower), 2);

		OK(CALL(T, syevj_bufferSize, handle, mode, uplo, n, dj.at, dj.ld, alone.at, &lwork,
			jacobi));
		device<T> room(lwork, 1);
		OK(CALL(T, syevj, handle, mode, uplo, n, dj.at, dj.ld, alone.at, room.at, lwork,
			info.at, jacobi));
		EXPECT_INFO(info, 0);
		std::vector<double> others = wide(alone.bring());
		for (int i = 0; i < n; i++) {
			others[i] /= scale;
			EXPECT(fabs(others[i] - values[i]) <=
			       40 * (n + 1) * epsilon<T>() * a.norm());
		}
		if (mode == CUSOLVER_EIG_MODE_VECTOR)
			check<T>(a, dj.bring(), others, "syevj");
		OK(cusolverDnXsyevjGetSweeps(handle, jacobi, &sweeps));
		OK(cusolverDnXsyevjGetResidual(handle, jacobi, &residual));
		EXPECT(sweeps >= 0 && sweeps < 30);
		EXPECT(residual >= 0 && residual <= 4 * (n + 1) * epsilon<T>() * size);
	}
	return values;
}

/* Several at once; each is what it is alone. */
template <class T> static void test_batch(int n, int count, bool lower)
{
	typedef real_of<T> R;
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	std::vector<matrix> all;
	matrix side(n, n * count);
	int lwork;

	for (int b = 0; b < count; b++) {
		all.push_back(random_hermitian<T>(n));
		matrix half = half_of(all[b], lower);
		std::copy(half.values.begin(), half.values.end(), &side.values[b * n * n]);
	}
	device<T> da(side, 1), dx(side, 1);
	list<R> w(n * count), wx(n * count);
	list<int> info(count);
	OK(CALL(T, syevjBatched_bufferSize, handle, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.at, da.ld,
		w.at, &lwork, jacobi, count));
	device<T> work(lwork, 1);
	OK(CALL(T, syevjBatched, handle, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.at, da.ld, w.at,
		work.at, lwork, info.at, jacobi, count));
	size_t bytes, host_bytes;
	OK(cusolverDnXsyevBatched_bufferSize(handle, NULL, CUSOLVER_EIG_MODE_VECTOR, uplo, n,
					     type_of<T>(), dx.at, dx.ld, real_type_of<T>(), wx.at,
					     type_of<T>(), &bytes, &host_bytes, count));
	OK(cusolverDnXsyevBatched(handle, NULL, CUSOLVER_EIG_MODE_VECTOR, uplo, n, type_of<T>(),
				  dx.at, dx.ld, real_type_of<T>(), wx.at, type_of<T>(), work.at,
				  bytes, NULL, host_bytes, info.at, count));
	matrix vectors = da.bring();
	EXPECT(dx.bring().values == vectors.values && wx.bring() == w.bring());
	std::vector<double> values = wide(w.bring());
	for (int b = 0; b < count; b++) {
		matrix v(n, n);

		std::copy(&vectors.values[b * n * n], &vectors.values[(b + 1) * n * n - 1] + 1,
			  v.values.begin());
		check<T>(all[b], v,
			 std::vector<double>(&values[b * n], &values[(b + 1) * n - 1] + 1),
			 "syevjBatched");
		EXPECT(info.bring()[b] == 0);
	}
}

/* What A x = w B x, A B x = w x, B A x = w x need of x */
template <class T> static void test_generalised(int n, int type, bool lower)
{
	typedef real_of<T> R;
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	cusolverEigType_t kind_of = (cusolverEigType_t)type;
	matrix a = random_hermitian<T>(n), b = random_definite<T>(n);
	list<int> info(1);
	std::vector<double> first;
	int lwork, found = -1;

	for (int way = 0; way < 3; way++) {
		device<T> da(half_of(a, lower), 1), db(half_of(b, lower), 2);
		list<R> w(n);
		R low = 0, high = 0;

		if (way == 0)
			OK(CALL(T, sygvd_bufferSize, handle, kind_of, CUSOLVER_EIG_MODE_VECTOR,
				uplo, n, da.at, da.ld, db.at, db.ld, w.at, &lwork));
		else if (way == 1)
			OK(CALL(T, sygvj_bufferSize, handle, kind_of, CUSOLVER_EIG_MODE_VECTOR,
				uplo, n, da.at, da.ld, db.at, db.ld, w.at, &lwork, jacobi));
		else
			OK(CALL(T, sygvdx_bufferSize, handle, kind_of, CUSOLVER_EIG_MODE_VECTOR,
				CUSOLVER_EIG_RANGE_I, uplo, n, da.at, da.ld, db.at, db.ld, low,
				high, 1, n, &found, w.at, &lwork));
		device<T> work(lwork, 1);
		if (way == 0)
			OK(CALL(T, sygvd, handle, kind_of, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.at,
				da.ld, db.at, db.ld, w.at, work.at, lwork, info.at));
		else if (way == 1)
			OK(CALL(T, sygvj, handle, kind_of, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.at,
				da.ld, db.at, db.ld, w.at, work.at, lwork, info.at, jacobi));
		else
			OK(CALL(T, sygvdx, handle, kind_of, CUSOLVER_EIG_MODE_VECTOR,
				CUSOLVER_EIG_RANGE_I, uplo, n, da.at, da.ld, db.at, db.ld, low,
				high, 1, n, &found, w.at, work.at, lwork, info.at));
		EXPECT_INFO(info, 0);
		std::vector<double> values = wide(w.bring());
		matrix x = da.bring(), scaled = x * diagonal(n, n, values);
		matrix left = type == 1 ? a * x : type == 2 ? a * (b * x) : b * (a * x);
		expect_near<T>(left, type == 1 ? b * scaled : scaled, 40 * n, "sygvd", __LINE__,
			       a.norm() * b.norm() * x.norm());
		/* the vectors' length is one in B, or in its inverse */
		if (type != 3)
			expect_near<T>(x.adjoint() * (b * x), unit(n, n), 60 * n, "sygvd's vectors",
				       __LINE__, 1);
		EXPECT(way != 2 || found == n);
		if (way == 0)
			first = values;
		for (int i = 0; i < n; i++)
			EXPECT(fabs(values[i] - first[i]) <=
			       60 * n * epsilon<T>() * a.norm() * (type == 1 ? 1 : b.norm()));
	}
	/* B is not definite */
	b(n - 1, n - 1) = -1;
	device<T> da(half_of(a, lower)), db(half_of(b, lower));
	list<R> w(n);
	OK(CALL(T, sygvd_bufferSize, handle, kind_of, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.at,
		da.ld, db.at, db.ld, w.at, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, sygvd, handle, kind_of, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.at, da.ld, db.at,
		db.ld, w.at, work.at, lwork, info.at));
	EXPECT_INFO(info, 2 * n);
}

/* One sweep is not enough, and a wide tolerance is reached soon. */
static void test_settings()
{
	int n = 20, lwork, few, many;
	matrix a = random_hermitian<double>(n);
	list<int> info(1);
	list<double> w(n);
	device<double> da(a), db(a);

	OK(cusolverDnDsyevj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
				       da.at, da.ld, w.at, &lwork, jacobi));
	device<double> work(lwork, 1);
	OK(cusolverDnXsyevjSetMaxSweeps(jacobi, 1));
	OK(cusolverDnDsyevj(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.at,
			    da.ld, w.at, work.at, lwork, info.at, jacobi));
	EXPECT_INFO(info, n + 1);
	OK(cusolverDnXsyevjGetSweeps(handle, jacobi, &few));
	EXPECT(few == 1);
	OK(cusolverDnXsyevjSetMaxSweeps(jacobi, 100));
	for (double tolerance : {1e-3, 0.0}) {
		da.send(a);
		OK(cusolverDnXsyevjSetTolerance(jacobi, tolerance));
		OK(cusolverDnDsyevj(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
				    da.at, da.ld, w.at, work.at, lwork, info.at, jacobi));
		EXPECT_INFO(info, 0);
		OK(cusolverDnXsyevjGetSweeps(handle, jacobi, tolerance > 0 ? &few : &many));
	}
	EXPECT(few < many);
	/* what is not a number ends, too */
	a(3, 2) = NAN;
	db.send(a);
	OK(cusolverDnDsyevj(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, db.at,
			    db.ld, w.at, work.at, lwork, info.at, jacobi));
	EXPECT_INFO(info, n + 1);
	OK(cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
				       db.at, db.ld, w.at, &lwork));
	device<double> room(lwork, 1);
	db.send(a);
	OK(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, db.at,
			    db.ld, w.at, room.at, lwork, info.at));
	EXPECT(info.value() > 0);
}

/* Known eigenvalues in a random basis */
template <class T> static matrix with_values(const std::vector<double> &w)
{
	int n = (int)w.size();
	matrix q = random_matrix<T>(n, n);

	for (int j = 0; j < n; j++) {
		for (int turn = 0; turn < 2; turn++)
			for (int k = 0; k < j; k++) {
				number dot = 0;

				for (int i = 0; i < n; i++)
					dot += std::conj(q(i, k)) * q(i, j);
				for (int i = 0; i < n; i++)
					q(i, j) -= dot * q(i, k);
			}
		double length = 0;
		for (int i = 0; i < n; i++)
			length += std::norm(q(i, j));
		for (int i = 0; i < n; i++)
			q(i, j) /= sqrt(length);
	}
	matrix a = q * diagonal(n, n, w) * q.adjoint();
	for (int j = 0; j < n; j++) {
		a(j, j) = a(j, j).real();
		for (int i = 0; i < j; i++)
			a(i, j) = std::conj(a(j, i));
	}
	return a;
}

template <class T> static void test_known(std::vector<double> w, bool lower)
{
	double size = 0;
	std::vector<double> got = test_values<T>(with_values<T>(w), lower);

	std::sort(w.begin(), w.end());
	for (double v : w)
		size = std::max(size, fabs(v));
	for (size_t i = 0; i < w.size(); i++)
		EXPECT(fabs(got[i] - w[i]) <= 40 * w.size() * epsilon<T>() * size);
}

template <class T> static void test_part(int n, bool lower)
{
	typedef real_of<T> R;
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	matrix a = random_hermitian<T>(n);
	std::vector<double> all = test_values<T>(a, lower);
	/* between two eigenvalues */
	R low = (R)((all[2] + all[3]) / 2), high = (R)((all[n - 3] + all[n - 2]) / 2);
	list<int> info(1);
	int lwork;

	for (int way = 0; way < 4; way++) {
		cusolverEigRange_t range = way == 0   ? CUSOLVER_EIG_RANGE_ALL
					   : way == 1 ? CUSOLVER_EIG_RANGE_I
						      : CUSOLVER_EIG_RANGE_V;
		int first = way == 0 ? 0 : way == 1 ? 1 : 3, last = way == 0 ? n - 1 : n - 3;
		int found = -1, wanted = way == 3 ? 0 : last - first + 1;
		R from = way == 3 ? (R)1e6 : low, to = way == 3 ? (R)2e6 : high;
		device<T> da(half_of(a, lower), 1), db(half_of(a, lower));
		list<R> w(n), w64(n);

		OK(CALL(T, syevdx_bufferSize, handle, CUSOLVER_EIG_MODE_VECTOR, range, uplo, n,
			da.at, da.ld, from, to, first + 1, last + 1, &found, w.at, &lwork));
		device<T> work(lwork, 1);
		OK(CALL(T, syevdx, handle, CUSOLVER_EIG_MODE_VECTOR, range, uplo, n, da.at, da.ld,
			from, to, first + 1, last + 1, &found, w.at, work.at, lwork, info.at));
		EXPECT_INFO(info, 0);
		EXPECT(found == wanted);
		std::vector<double> got = wide(w.bring());
		got.resize(wanted);
		for (int i = 0; i < wanted; i++)
			EXPECT(got[i] == all[first + i]);
		check<T>(a, da.bring().part(n, wanted), got, "syevdx");

		size_t bytes, host_bytes;
		int64_t found64 = -1;
		OK(cusolverDnXsyevdx_bufferSize(handle, NULL, CUSOLVER_EIG_MODE_VECTOR, range, uplo,
						n, type_of<T>(), db.at, db.ld, &from, &to,
						first + 1, last + 1, &found64, real_type_of<T>(),
						w64.at, type_of<T>(), &bytes, &host_bytes));
		OK(cusolverDnXsyevdx(handle, NULL, CUSOLVER_EIG_MODE_VECTOR, range, uplo, n,
				     type_of<T>(), db.at, db.ld, &from, &to, first + 1, last + 1,
				     &found64, real_type_of<T>(), w64.at, type_of<T>(), work.at,
				     bytes, NULL, host_bytes, info.at));
		EXPECT(found64 == wanted && w64.bring() == w.bring());
	}
}

template <class T> static void test_type(bool small)
{
	for (bool lower : {true, false}) {
		test_reduction<T>(lower ? 0 : 1, lower);
		test_reduction<T>(2, lower);
		test_reduction<T>(small ? 9 : 20, lower);
		test_values<T>(random_hermitian<T>(lower ? 1 : 2), lower);
		test_values<T>(random_hermitian<T>(small || lower ? 7 : 35), lower);
		test_values<T>(random_hermitian<T>(5), lower, lower ? 1e-30 : 1e30);
		test_generalised<T>(lower ? 6 : 8, 1, lower);
		test_generalised<T>(5, lower ? 2 : 3, lower);
	}
	test_values<T>(matrix(0, 0), true);
	test_values<T>(matrix(5, 5), true);
	test_known<T>({1, 1, 1, 1, 1}, false);
	test_known<T>({3, -2, -2, -2, 0, 0, 0, 3, 3}, true);
	test_known<T>({1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14}, small);
	test_known<T>({0, 0, 0, 0, 5}, !small);
	test_part<T>(8, small);
	test_batch<T>(5, 3, small);
	/* of very different sizes, from large to small and back */
	for (int turned = 0; turned < 2; turned++) {
		matrix a(8, 8);

		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 8; j++) {
				int x = turned ? 7 - i : i, y = turned ? 7 - j : j;

				a(i, j) = pow(10, -(x + y) / 1.5) * (i == j ? 1.5 : 1);
			}
		test_values<T>(a, turned);
	}
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "eigen", NULL, 0, 0, 0);
	OK(cusolverDnCreate(&handle));
	OK(cusolverDnCreateSyevjInfo(&jacobi));
	test_type<float>(true);
	test_type<double>(false);
	test_type<cuComplex>(false);
	test_type<cuDoubleComplex>(true);
	test_settings();
	OK(cusolverDnDestroySyevjInfo(jacobi));
	OK(cusolverDnDestroy(handle));
	return finish();
}
