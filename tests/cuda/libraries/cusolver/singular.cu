/* SPDX-License-Identifier: MIT */
/*
 * Singular values and vectors multiplied by the host to what they came from: tall, wide, random
 * matrices, those of low rank, zero, with values that are known; the bidiagonal form.
 */
#include "solver.h"

#include <algorithm>

FOUR(gebrd_bufferSize)
FOUR(gebrd)
FOUR_NAMES(orgbr_bufferSize, orgbr_bufferSize, ungbr_bufferSize)
FOUR_NAMES(orgbr, orgbr, ungbr)
FOUR(gesvd_bufferSize)
FOUR(gesvd)
FOUR(gesvdj_bufferSize)
FOUR(gesvdj)
FOUR(gesvdjBatched_bufferSize)
FOUR(gesvdjBatched)
FOUR(gesvdaStridedBatched_bufferSize)
FOUR(gesvdaStridedBatched)

static gesvdjInfo_t jacobi;

template <class T> static std::vector<double> wide(const std::vector<T> &v)
{
	return std::vector<double>(v.begin(), v.end());
}

template <class T> static void test_bidiagonal(int m, int n)
{
	typedef real_of<T> R;
	matrix a = random_matrix<T>(m, n), b(n, n);
	device<T> da(a, 2), tauq(n, 1), taup(n, 1), work(1, 1);
	list<R> d(n), e(n);
	list<int> info(1);
	int lwork;

	OK(CALL(T, gebrd, handle, m, n, da.at, da.ld, d.at, e.at, tauq.at, taup.at, work.at, 1,
		info.at));
	EXPECT_INFO(info, 0);
	std::vector<double> dd = wide(d.bring()), ee = wide(e.bring());
	for (int i = 0; i < n; i++) {
		b(i, i) = dd[i];
		if (i + 1 < n)
			b(i, i + 1) = ee[i];
	}
	matrix reduced = da.bring();
	device<T> dq(reduced, 1), dp(reduced.part(n, n), 3);
	OK(CALL(T, orgbr_bufferSize, handle, CUBLAS_SIDE_LEFT, m, n, n, dq.at, dq.ld, tauq.at,
		&lwork));
	device<T> room(lwork, 1);
	OK(CALL(T, orgbr, handle, CUBLAS_SIDE_LEFT, m, n, n, dq.at, dq.ld, tauq.at, room.at, lwork,
		info.at));
	OK(CALL(T, orgbr_bufferSize, handle, CUBLAS_SIDE_RIGHT, n, n, m, dp.at, dp.ld, taup.at,
		&lwork));
	OK(CALL(T, orgbr, handle, CUBLAS_SIDE_RIGHT, n, n, m, dp.at, dp.ld, taup.at, room.at, lwork,
		info.at));
	EXPECT_INFO(info, 0);
	matrix q = dq.bring(), p = dp.bring();
	EXPECT_UNITARY(T, q, "orgbr, Q");
	EXPECT_UNITARY(T, p, "orgbr, P");
	EXPECT_NEAR(T, q * b * p, a, 20 * m + 20, "gebrd");
}

template <class T>
static void check(const matrix &a, const matrix &u, const std::vector<double> &s, const matrix &vt,
		  const char *what)
{
	double size = a.norm();

	EXPECT(std::is_sorted(s.rbegin(), s.rend()));
	EXPECT(s.empty() || s.back() >= 0);
	EXPECT_UNITARY(T, u, what);
	EXPECT_UNITARY(T, vt.adjoint(), what);
	expect_near<T>(u * diagonal(u.cols, vt.rows, s) * vt, a, 30 * (a.rows + a.cols), what,
		       __LINE__, size > 0 ? size : 1e-300);
}

/* By all functions for one matrix, with all vectors, with as many as there are values, and none */
template <class T> static std::vector<double> test_values(const matrix &a, double scale = 1)
{
	typedef real_of<T> R;
	int m = a.rows, n = a.cols, k = std::min(m, n), lwork;
	std::vector<double> first;
	list<int> info(1);
	matrix given = a;

	for (number &v : given.values)
		v *= scale;
	for (int way = 0; way < 6; way++) {
		/* gesvd: A A, S S, O S, N O; gesvdj: all and thin */
		const char *jobs[] = {"AA", "SS", "OS", "NO"};
		bool all = way == 0 || way == 4;
		device<T> da(given, 1), u(m, all ? m : k, 1),
			v(all || way > 3 ? n : k, way > 3 && !all ? k : n, 2);
		list<R> s(k);

		if (way < 4) {
			OK(CALL(T, gesvd_bufferSize, handle, m, n, &lwork));
			device<T> work(lwork, 1);
			OK(CALL(T, gesvd, handle, jobs[way][0], jobs[way][1], m, n, da.at, da.ld,
				s.at, u.at, u.ld, v.at, v.ld, work.at, lwork, (R *)NULL, info.at));
		} else {
			OK(CALL(T, gesvdj_bufferSize, handle, CUSOLVER_EIG_MODE_VECTOR, !all, m, n,
				da.at, da.ld, s.at, u.at, u.ld, v.at, v.ld, &lwork, jacobi));
			device<T> work(lwork, 1);
			OK(CALL(T, gesvdj, handle, CUSOLVER_EIG_MODE_VECTOR, !all, m, n, da.at,
				da.ld, s.at, u.at, u.ld, v.at, v.ld, work.at, lwork, info.at,
				jacobi));
		}
		EXPECT_INFO(info, 0);
		std::vector<double> values = wide(s.bring());
		for (double &x : values)
			x /= scale;
		if (!way)
			first = values;
		EXPECT(values == first || way == 3);
		if (way == 2)
			check<T>(a, da.bring().part(m, k), values, v.bring(), "gesvd, O");
		else if (way != 3)
			check<T>(a, u.bring(), values, way > 3 ? v.bring().adjoint() : v.bring(),
				 "svd");
		else
			EXPECT_UNITARY(T, da.bring().part(k, n).adjoint(), "gesvd, N O");
	}
	double residual;
	int sweeps;
	OK(cusolverDnXgesvdjGetSweeps(handle, jacobi, &sweeps));
	OK(cusolverDnXgesvdjGetResidual(handle, jacobi, &residual));
	EXPECT(sweeps >= 0 && sweeps < 30);
	EXPECT(residual >= 0 && residual <= 20 * (m + n) * epsilon<T>() * given.norm());
	return first;
}

/* Orthonormal columns */
template <class T> static matrix random_basis(int m, int n)
{
	matrix q = random_matrix<T>(m, n);

	for (int j = 0; j < n; j++) {
		double length = 0;

		for (int turn = 0; turn < 2; turn++)
			for (int k = 0; k < j; k++) {
				number dot = 0;

				for (int i = 0; i < m; i++)
					dot += std::conj(q(i, k)) * q(i, j);
				for (int i = 0; i < m; i++)
					q(i, j) -= dot * q(i, k);
			}
		for (int i = 0; i < m; i++)
			length += std::norm(q(i, j));
		for (int i = 0; i < m; i++)
			q(i, j) /= sqrt(length);
	}
	return q;
}

template <class T> static void test_known(int m, int n, std::vector<double> s)
{
	int k = std::min(m, n);
	matrix a = random_basis<T>(m, k) * diagonal(k, k, s) * random_basis<T>(n, k).adjoint();
	std::vector<double> got = test_values<T>(a);

	std::sort(s.rbegin(), s.rend());
	for (int i = 0; i < k; i++)
		EXPECT(fabs(got[i] - s[i]) <= 40 * (m + n) * epsilon<T>() * s[0]);
}

template <class T> static void test_batches(int m, int n, int rank, int count)
{
	typedef real_of<T> R;
	int k = std::min(m, n), lwork;
	matrix side(m, n * count);
	std::vector<matrix> all;

	for (int b = 0; b < count; b++) {
		all.push_back(random_matrix<T>(m, n));
		std::copy(all[b].values.begin(), all[b].values.end(), &side.values[b * m * n]);
	}
	device<T> da(side, 1), u(m, m * count, 1), v(n, n * count, 1);
	list<R> s(k * count);
	list<int> info(count);
	OK(CALL(T, gesvdjBatched_bufferSize, handle, CUSOLVER_EIG_MODE_VECTOR, m, n, da.at, da.ld,
		s.at, u.at, u.ld, v.at, v.ld, &lwork, jacobi, count));
	device<T> work(lwork, 1);
	OK(CALL(T, gesvdjBatched, handle, CUSOLVER_EIG_MODE_VECTOR, m, n, da.at, da.ld, s.at, u.at,
		u.ld, v.at, v.ld, work.at, lwork, info.at, jacobi, count));
	std::vector<double> values = wide(s.bring());
	matrix left = u.bring(), right = v.bring();
	for (int b = 0; b < count; b++) {
		matrix ub(m, m), vb(n, n);

		std::copy_n(&left.values[b * m * m], m * m, ub.values.begin());
		std::copy_n(&right.values[b * n * n], n * n, vb.values.begin());
		check<T>(all[b], ub, std::vector<double>(&values[b * k], &values[b * k] + k),
			 vb.adjoint(), "gesvdjBatched");
		EXPECT(info.bring()[b] == 0);
	}
	/* the first of each, and what the others leave */
	device<T> dx(side, 1), ux(m, rank * count, 1), vx(n, rank * count, 1);
	list<R> sx(rank * count);
	std::vector<double> residuals(count, -1);
	OK(CALL(T, gesvdaStridedBatched_bufferSize, handle, CUSOLVER_EIG_MODE_VECTOR, rank, m, n,
		dx.at, dx.ld, (long long)dx.ld * n, sx.at, (long long)rank, ux.at, ux.ld,
		(long long)ux.ld * rank, vx.at, vx.ld, (long long)vx.ld * rank, &lwork, count));
	device<T> room(lwork, 1);
	OK(CALL(T, gesvdaStridedBatched, handle, CUSOLVER_EIG_MODE_VECTOR, rank, m, n, dx.at, dx.ld,
		(long long)dx.ld * n, sx.at, (long long)rank, ux.at, ux.ld, (long long)ux.ld * rank,
		vx.at, vx.ld, (long long)vx.ld * rank, room.at, lwork, info.at, residuals.data(),
		count));
	std::vector<double> few = wide(sx.bring());
	left = ux.bring(), right = vx.bring();
	for (int b = 0; b < count; b++) {
		matrix ub(m, rank), vb(n, rank), rest;
		double sum = 0;

		std::copy_n(&left.values[b * m * rank], m * rank, ub.values.begin());
		std::copy_n(&right.values[b * n * rank], n * rank, vb.values.begin());
		for (int i = 0; i < rank; i++)
			EXPECT(fabs(few[b * rank + i] - values[b * k + i]) <=
			       20 * (m + n) * epsilon<T>() * values[b * k]);
		rest = all[b] - ub *
					diagonal(rank, rank,
						 std::vector<double>(&few[b * rank],
								     &few[b * rank] + rank)) *
					vb.adjoint();
		for (number x : rest.values)
			sum += std::norm(x);
		EXPECT(fabs(sqrt(sum) - residuals[b]) <=
		       20 * (m + n) * epsilon<T>() * values[b * k]);
	}
}

/* The 64-bit forms beside gesvd */
template <class T> static void test_64(int m, int n, int rank)
{
	typedef real_of<T> R;
	matrix a = random_matrix<T>(m, n);
	int k = std::min(m, n);
	cudaDataType t = type_of<T>(), r = real_type_of<T>();
	list<int> info(1);
	list<R> s(k), sp(k), sr(k);
	size_t bytes, host_bytes;
	double perturbation = -1;

	device<T> d1(a), d2(a), d3(a), u(m, m), vt(n, n), up(m, k, 1), vp(n, k, 1), ur(m, rank),
		vr(n, rank);
	OK(cusolverDnXgesvd_bufferSize(handle, NULL, 'A', 'A', m, n, t, d1.at, d1.ld, r, s.at, t,
				       u.at, u.ld, t, vt.at, vt.ld, t, &bytes, &host_bytes));
	char *work = device_new<char>(bytes);
	OK(cusolverDnXgesvd(handle, NULL, 'A', 'A', m, n, t, d1.at, d1.ld, r, s.at, t, u.at, u.ld,
			    t, vt.at, vt.ld, t, work, bytes, NULL, host_bytes, info.at));
	EXPECT_INFO(info, 0);
	check<T>(a, u.bring(), wide(s.bring()), vt.bring(), "Xgesvd");
	OK(cusolverDnXgesvdp(handle, NULL, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, t, d2.at, d2.ld, r,
			     sp.at, t, up.at, up.ld, t, vp.at, vp.ld, t, work, bytes, NULL,
			     host_bytes, info.at, &perturbation));
	EXPECT_INFO(info, 0);
	EXPECT(perturbation == 0 && sp.bring() == s.bring());
	check<T>(a, up.bring(), wide(sp.bring()), vp.bring().adjoint(), "Xgesvdp");
	OK(cusolverDnXgesvdr(handle, NULL, 'S', 'S', m, n, rank, 1, 2, t, d3.at, d3.ld, r, sr.at, t,
			     ur.at, ur.ld, t, vr.at, vr.ld, t, work, bytes, NULL, host_bytes,
			     info.at));
	EXPECT_INFO(info, 0);
	EXPECT(ur.bring().values == up.bring().part(m, rank).values);
	EXPECT(vr.bring().values == vp.bring().part(n, rank).values);
	CHECK(cudaFree(work));
}

template <class T> static void test_type(bool small)
{
	test_bidiagonal<T>(1, 1);
	test_bidiagonal<T>(4, 2);
	test_bidiagonal<T>(small ? 9 : 25, small ? 9 : 20);
	test_values<T>(matrix(0, 3));
	test_values<T>(random_matrix<T>(1, 1));
	test_values<T>(random_matrix<T>(5, 1));
	test_values<T>(random_matrix<T>(1, 4));
	test_values<T>(random_matrix<T>(small ? 7 : 20, 7));
	test_values<T>(random_matrix<T>(6, small ? 6 : 15));
	test_values<T>(random_matrix<T>(5, 4), small ? 1e-30 : 1e30);
	test_values<T>(matrix(4, 3));
	test_known<T>(6, 5, {2, 2, 2, 2, 2});
	test_known<T>(5, 8, {3, 1, 0, 0, 0});
	test_known<T>(8, 8, {1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14});
	test_batches<T>(6, 4, 2, 3);
	test_64<T>(7, 5, 3);
	/* columns that are equal, and one that is zero */
	matrix a = random_matrix<T>(6, 5);
	for (int i = 0; i < 6; i++) {
		a(i, 3) = a(i, 1);
		a(i, 2) = 0;
	}
	test_values<T>(a);
}

static void test_settings()
{
	int m = 12, n = 10, lwork, sweeps;
	matrix a = random_matrix<double>(m, n);
	device<double> da(a), u(m, m), v(n, n);
	list<double> s(n);
	list<int> info(1);

	OK(cusolverDnDgesvdj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, 0, m, n, da.at, da.ld,
					s.at, u.at, u.ld, v.at, v.ld, &lwork, jacobi));
	device<double> work(lwork, 1);
	OK(cusolverDnXgesvdjSetMaxSweeps(jacobi, 1));
	OK(cusolverDnDgesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 0, m, n, da.at, da.ld, s.at, u.at,
			     u.ld, v.at, v.ld, work.at, lwork, info.at, jacobi));
	EXPECT_INFO(info, n + 1);
	OK(cusolverDnXgesvdjGetSweeps(handle, jacobi, &sweeps));
	EXPECT(sweeps == 1);
	OK(cusolverDnXgesvdjSetMaxSweeps(jacobi, 100));
	a(4, 4) = NAN;
	da.send(a);
	OK(cusolverDnDgesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 0, m, n, da.at, da.ld, s.at, u.at,
			     u.ld, v.at, v.ld, work.at, lwork, info.at, jacobi));
	EXPECT_INFO(info, n + 1);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "singular", NULL, 0, 0, 0);
	OK(cusolverDnCreate(&handle));
	OK(cusolverDnCreateGesvdjInfo(&jacobi));
	test_type<float>(true);
	test_type<double>(false);
	test_type<cuComplex>(false);
	test_type<cuDoubleComplex>(true);
	test_settings();
	OK(cusolverDnDestroyGesvdjInfo(jacobi));
	OK(cusolverDnDestroy(handle));
	return finish();
}
