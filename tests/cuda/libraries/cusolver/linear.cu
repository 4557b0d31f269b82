/* SPDX-License-Identifier: MIT */
/*
 * Cholesky, LU and QR factors of random matrices multiplied by the host in double, solutions put
 * into their equations; matrices that are singular or not definite, empty ones, padding of NaN.
 */
#include "solver.h"

FOUR(potrf_bufferSize)
FOUR(potrf)
FOUR(potrs)
FOUR(potri_bufferSize)
FOUR(potri)
FOUR(lauum_bufferSize)
FOUR(lauum)
FOUR(potrfBatched)
FOUR(potrsBatched)
FOUR(getrf_bufferSize)
FOUR(getrf)
FOUR(getrs)
FOUR(laswp)
FOUR(geqrf_bufferSize)
FOUR(geqrf)
FOUR_NAMES(orgqr_bufferSize, orgqr_bufferSize, ungqr_bufferSize)
FOUR_NAMES(orgqr, orgqr, ungqr)
FOUR_NAMES(ormqr_bufferSize, ormqr_bufferSize, unmqr_bufferSize)
FOUR_NAMES(ormqr, ormqr, unmqr)

template <class T> static void test_cholesky(int n, int nrhs, bool lower)
{
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	matrix a = random_definite<T>(n), b = random_matrix<T>(n, nrhs);
	device<T> da(half_of(a, lower), 3), db(b, 1);
	list<int> info(1);
	int lwork = -1;

	OK(CALL(T, potrf_bufferSize, handle, uplo, n, da.at, da.ld, &lwork));
	EXPECT(lwork > 0);
	device<T> work(lwork, 1);
	OK(CALL(T, potrf, handle, uplo, n, da.at, da.ld, work.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	matrix whole = da.bring(), l = triangle(whole, lower), half = half_of(a, lower);
	for (int i = 0; i < n * n; i++)
		EXPECT(std::isnan(half.values[i].real()) == std::isnan(whole.values[i].real()));
	EXPECT_NEAR(T, lower ? l * l.adjoint() : l.adjoint() * l, a, 4 * n + 4, "potrf");
	OK(CALL(T, potrs, handle, uplo, n, nrhs, da.at, da.ld, db.at, db.ld, info.at));
	EXPECT_INFO(info, 0);
	EXPECT_NEAR(T, a * db.bring(), b, 20 * n + 20, "potrs");

	OK(CALL(T, lauum_bufferSize, handle, uplo, n, da.at, da.ld, &lwork));
	device<T> dl(da.bring(), 1), more(lwork, 1);
	OK(CALL(T, lauum, handle, uplo, n, dl.at, dl.ld, more.at, lwork, info.at));
	EXPECT_NEAR(T, triangle(dl.bring(), lower),
		    triangle(lower ? l.adjoint() * l : l * l.adjoint(), lower), 4 * n + 4, "lauum");

	OK(CALL(T, potri_bufferSize, handle, uplo, n, da.at, da.ld, &lwork));
	device<T> room(lwork, 1);
	OK(CALL(T, potri, handle, uplo, n, da.at, da.ld, room.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	matrix inverse = triangle(da.bring(), lower);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < j; i++)
			if (lower)
				inverse(i, j) = std::conj(inverse(j, i));
			else
				inverse(j, i) = std::conj(inverse(i, j));
	EXPECT_NEAR(T, a * inverse, unit(n, n), 40 * n + 40, "potri");

	/* the 64-bit forms: the same bytes */
	device<T> dx(half_of(a, lower), 3), dy(b, 1);
	size_t bytes, host_bytes;
	OK(cusolverDnXpotrf_bufferSize(handle, NULL, uplo, n, type_of<T>(), dx.at, dx.ld,
				       type_of<T>(), &bytes, &host_bytes));
	OK(cusolverDnXpotrf(handle, NULL, uplo, n, type_of<T>(), dx.at, dx.ld, type_of<T>(),
			    work.at, bytes, NULL, host_bytes, info.at));
	EXPECT_INFO(info, 0);
	EXPECT(triangle(dx.bring(), lower).values == l.values);
	OK(cusolverDnXpotrs(handle, NULL, uplo, n, nrhs, type_of<T>(), dx.at, dx.ld, type_of<T>(),
			    dy.at, dy.ld, info.at));
	EXPECT(dy.bring().values == db.bring().values);
}

/* The leading minor of order `at` is not positive; a batch goes on with the others. */
template <class T> static void test_not_definite(int n, int at, bool lower)
{
	cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	matrix good = random_definite<T>(n), bad = good, b = random_matrix<T>(n, 1);
	list<int> info(3);
	device<T> work(1, 1);

	bad(at - 1, at - 1) = -1;
	device<T> da(bad), d0(half_of(good, lower)), d1(half_of(bad, lower)),
		d2(half_of(good, lower)), b0(b), b1(b), b2(b);
	OK(CALL(T, potrf, handle, uplo, n, da.at, da.ld, work.at, 1, info.at));
	EXPECT_INFO(info, at);
	std::vector<T *> matrices = {d0.at, d1.at, d2.at}, sides = {b0.at, b2.at};
	T **pa = device_from(matrices.data(), 3), **pb = device_from(sides.data(), 2);
	OK(CALL(T, potrfBatched, handle, uplo, n, pa, d0.ld, info.at, 3));
	EXPECT((info.bring() == std::vector<int>{0, at, 0}));
	matrices = {d0.at, d2.at};
	CHECK(cudaMemcpy(pa, matrices.data(), 2 * sizeof(T *), cudaMemcpyHostToDevice));
	OK(CALL(T, potrsBatched, handle, uplo, n, 1, pa, d0.ld, pb, b0.ld, info.at, 2));
	EXPECT_INFO(info, 0);
	EXPECT_NEAR(T, good * b0.bring(), b, 20 * n, "potrsBatched");
	EXPECT(b2.bring().values == b0.bring().values);
	CHECK(cudaFree(pa));
	CHECK(cudaFree(pb));
}

static matrix exchanged(matrix a, const std::vector<int> &pivots)
{
	for (size_t k = 0; k < pivots.size(); k++)
		for (int j = 0; j < a.cols; j++)
			std::swap(a((int)k, j), a(pivots[k] - 1, j));
	return a;
}

template <class T> static void test_lu(int m, int n, bool pivoting)
{
	matrix a = random_matrix<T>(m, n);
	int k = m < n ? m : n, lwork;

	for (int i = 0; i < k && !pivoting; i++)
		a(i, i) += 3 * n;
	device<T> da(a, 2);
	list<int> pivots(k), info(1);
	OK(CALL(T, getrf_bufferSize, handle, m, n, da.at, da.ld, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, getrf, handle, m, n, da.at, da.ld, work.at, pivoting ? pivots.at : NULL,
		info.at));
	EXPECT_INFO(info, 0);
	matrix lu = da.bring(), l = triangle(lu, true, true).part(m, k),
	       u = triangle(lu, false).part(k, n);
	matrix p = pivoting ? exchanged(a, pivots.bring()) : a;
	EXPECT_NEAR(T, l * u, p, 10 * k + 10, "getrf");
	for (number v : l.values)
		EXPECT(!pivoting || std::abs(v) < 1.4143);

	list<int64_t> wide(k);
	device<T> dx(a, 2);
	OK(cusolverDnXgetrf(handle, NULL, m, n, type_of<T>(), dx.at, dx.ld,
			    pivoting ? wide.at : NULL, type_of<T>(), work.at, sizeof(T), NULL, 0,
			    info.at));
	EXPECT(dx.bring().values == lu.values);
	if (pivoting) {
		device<T> rows(a);

		OK(CALL(T, laswp, handle, n, rows.at, rows.ld, 1, k, pivots.at, 1));
		EXPECT(rows.bring().values == p.values);
		OK(CALL(T, laswp, handle, n, rows.at, rows.ld, 1, k, pivots.at, -1));
		EXPECT(rows.bring().values == a.values);
	}
	if (m != n)
		return;
	for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
		matrix b = random_matrix<T>(n, 5);
		device<T> db(b, 1), dy(b, 1);
		matrix t = op == CUBLAS_OP_N ? a : op == CUBLAS_OP_T ? a.transposed() : a.adjoint();

		OK(CALL(T, getrs, handle, op, n, 5, da.at, da.ld, pivoting ? pivots.at : NULL,
			db.at, db.ld, info.at));
		EXPECT_INFO(info, 0);
		matrix x = db.bring();
		expect_near<T>(t * x, b, 20 * n + 20, "getrs", __LINE__,
			       t.norm() * x.norm() + b.norm());
		OK(cusolverDnXgetrs(handle, NULL, op, n, 5, type_of<T>(), dx.at, dx.ld,
				    pivoting ? wide.at : NULL, type_of<T>(), dy.at, dy.ld,
				    info.at));
		EXPECT(dy.bring().values == x.values);
	}
}

template <class T> static void test_singular(int n, int at)
{
	matrix a = random_matrix<T>(n, n);
	device<T> work(1, 1);
	list<int> pivots(n), info(1);

	/* a column that is zero stays so */
	for (int i = 0; i < n; i++)
		a(i, at - 1) = 0;
	device<T> da(a);
	OK(CALL(T, getrf, handle, n, n, da.at, da.ld, work.at, pivots.at, info.at));
	EXPECT_INFO(info, at);
	matrix lu = da.bring();
	EXPECT_NEAR(T, triangle(lu, true, true) * triangle(lu, false), exchanged(a, pivots.bring()),
		    10 * n, "singular");
}

template <class T> static void test_qr(int m, int n, double scale)
{
	matrix a = random_matrix<T>(m, n);
	int k = m < n ? m : n, lwork;

	for (number &v : a.values)
		v *= scale;
	for (int i = 0; i < m && n > 2; i++)
		a(i, 1) = 0;
	device<T> da(a, 2), tau(k, 1);
	list<int> info(1);
	/* programs say other leading dimensions here than there */
	OK(CALL(T, geqrf_bufferSize, handle, m, n, da.at, 1, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, geqrf, handle, m, n, da.at, da.ld, tau.at, work.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	matrix qr = da.bring(), r = triangle(qr, false).part(k, n);
	for (int i = 0; i < k; i++)
		EXPECT(r(i, i).imag() == 0 || i == m - 1);

	/* Q of the first columns, and as many as there are rows if that is possible */
	device<T> dq(m, m, 1);
	matrix first(m, m);
	for (int j = 0; j < k; j++)
		for (int i = 0; i < m; i++)
			first(i, j) = qr(i, j);
	dq.send(first);
	OK(CALL(T, orgqr_bufferSize, handle, m, m, k, dq.at, dq.ld, tau.at, &lwork));
	device<T> room(lwork, 1);
	OK(CALL(T, orgqr, handle, m, m, k, dq.at, dq.ld, tau.at, room.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	matrix q = dq.bring();
	EXPECT_UNITARY(T, q, "orgqr");
	EXPECT_NEAR(T, q.part(m, k) * r, a, 20 * m + 20, "geqrf");
	if (k) {
		device<T> thin(first.part(m, k));

		OK(CALL(T, orgqr, handle, m, k, k, thin.at, thin.ld, tau.at, room.at, lwork,
			info.at));
		EXPECT(thin.bring().values == q.part(m, k).values);
	}
	for (int left = 0; left < 2; left++)
		for (int turned = 0; turned < 2; turned++) {
			matrix c = left ? random_matrix<T>(m, 7) : random_matrix<T>(7, m);
			matrix t = turned ? q.adjoint() : q;
			device<T> dc(c, 1);
			cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
			cublasOperation_t op = !turned		  ? CUBLAS_OP_N
					       : kind<T>::complex ? CUBLAS_OP_C
								  : CUBLAS_OP_T;

			OK(CALL(T, ormqr_bufferSize, handle, side, op, c.rows, c.cols, k, da.at,
				da.ld, tau.at, dc.at, dc.ld, &lwork));
			OK(CALL(T, ormqr, handle, side, op, c.rows, c.cols, k, da.at, da.ld, tau.at,
				dc.at, dc.ld, work.at, lwork, info.at));
			EXPECT_NEAR(T, dc.bring(), left ? t * c : c * t, 20 * m + 20, "ormqr");
		}
	device<T> dx(a, 2), taux(k, 1);
	OK(cusolverDnXgeqrf(handle, NULL, m, n, type_of<T>(), dx.at, dx.ld, type_of<T>(), taux.at,
			    type_of<T>(), work.at, sizeof(T), NULL, 0, info.at));
	EXPECT(dx.bring().values == qr.values && taux.bring().values == tau.bring().values);
}

template <class T> static void test_type()
{
	for (bool lower : {true, false}) {
		test_cholesky<T>(0, 2, lower);
		test_cholesky<T>(1, 1, lower);
		test_cholesky<T>(33, 3, lower);
		test_cholesky<T>(lower ? 66 : 20, 9, lower);
		test_not_definite<T>(5, 1, lower);
		test_not_definite<T>(40, 37, lower);
	}
	for (bool pivoting : {true, false}) {
		test_lu<T>(0, 0, pivoting);
		test_lu<T>(1, 1, pivoting);
		test_lu<T>(31, 31, pivoting);
		test_lu<T>(pivoting ? 66 : 8, pivoting ? 66 : 8, pivoting);
		test_lu<T>(50, 20, pivoting);
		test_lu<T>(20, 50, pivoting);
	}
	test_singular<T>(40, 35);
	test_singular<T>(3, 1);
	test_qr<T>(1, 1, 1);
	test_qr<T>(40, 40, 1);
	test_qr<T>(50, 10, 1e-18);
	test_qr<T>(10, 45, 1e15);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "linear", NULL, 0, 0, 0);
	OK(cusolverDnCreate(&handle));
	test_type<float>();
	test_type<double>();
	test_type<cuComplex>();
	test_type<cuDoubleComplex>();
	OK(cusolverDnDestroy(handle));
	return finish();
}
