/* SPDX-License-Identifier: MIT */
/*
 * Sparse systems in all orders, whose solutions are put into their equations by the host; matrices
 * that are singular; an eigenvalue near a number; orders of rows and of entries.
 */
#include "sparse_systems.h"

#include <algorithm>

template <class T> static void test_systems(int n)
{
	for (int way = LU_HOST; way <= CHOLESKY; way++)
		for (int order = 0; order < 4; order++) {
			bool cholesky = way == CHOLESKY || way == CHOLESKY_HOST;
			matrix a = cholesky ? definite<T>(n) : random_sparse<T>(n, order & 1);
			matrix b = random_matrix<T>(n, 1), x;
			/* only the lower triangle counts */
			csr s = from(cholesky ? triangle(a, true) : a, order & 1);

			EXPECT(solve<T>(s, (enum way)way, order, b, &x) == -1);
			expect_near<T>(a * x, b, 40 * (n + 1), "system", __LINE__,
				       a.norm() * x.norm() + b.norm());
		}
}

/* A row that is zero, a minor that is not positive, rows that are equal */
template <class T> static void test_singular(int n)
{
	matrix b = random_matrix<T>(n, 1), x, zero = random_sparse<T>(n, false), twice = zero;
	matrix negative = definite<T>(n);

	for (int j = 0; j < n; j++) {
		zero(3, j) = 0;
		twice(n - 1, j) = twice(0, j);
	}
	negative(5, 5) = -1;
	for (enum way way : {LU_HOST, QR_HOST, QR}) {
		EXPECT(solve<T>(from(zero, 0), way, 0, b, &x) >= 0);
		EXPECT(solve<T>(from(twice, 1), way, 0, b, &x) == n - 1 || way != LU_HOST);
		EXPECT(solve<T>(from(twice, 1), way, 1, b, &x) >= 0);
	}
	EXPECT(solve<T>(from(negative, 0), CHOLESKY_HOST, 0, b, &x) == 5);
	EXPECT(solve<T>(from(negative, 1), CHOLESKY, 0, b, &x) == 5);
}

/* The second difference's eigenvalues are 2 - 2 cos(k pi / (n + 1)). */
template <class T> static void test_near(int n, int which, bool device_form)
{
	matrix a(n, n);
	double want = 2 - 2 * cos(which * M_PI / (n + 1));
	T near, value;

	for (int i = 0; i < n; i++) {
		a(i, i) = 2;
		if (i)
			a(i, i - 1) = a(i - 1, i) = -1;
	}
	csr s = from(a, 1);
	std::vector<T> values = s.as<T>(), start(n + 1), vector(n + 1);
	matrix first = random_matrix<T>(n, 1), v(n, 1);
	narrow(want + 1e-3, &near);
	for (int i = 0; i < n; i++)
		narrow(first(i, 0), &start[i]);
	if (device_form) {
		T *dv = device_from(values.data(), values.size());
		int *o = device_from(s.offsets.data(), s.offsets.size());
		int *c = device_from(s.columns.data(), s.columns.size());
		device<T> ds(first), dx(n, 1), dw(1, 1);

		OK(near_call(true, n, s.nnz(), descrs[1], dv, o, c, near, ds.at, 50,
			     (real_of<T>)(50 * epsilon<T>()), dw.at, dx.at));
		v = dx.bring();
		narrow(dw.bring()(0, 0), &value);
		CHECK(cudaFree(dv));
		CHECK(cudaFree(o));
		CHECK(cudaFree(c));
	} else {
		OK(near_call(false, n, s.nnz(), descrs[1], values.data(), s.offsets.data(),
			     s.columns.data(), near, start.data(), 50,
			     (real_of<T>)(50 * epsilon<T>()), &value, vector.data()));
		for (int i = 0; i < n; i++)
			v(i, 0) = widen(vector[i]);
	}
	EXPECT(std::abs(widen(value) - want) <= 200 * epsilon<T>());
	matrix scaled = v;
	for (number &x : scaled.values)
		x *= want;
	expect_near<T>(a * v, scaled, 1000, "csreigvsi", __LINE__, 1);
}

static int width_of(const csr &a, const std::vector<int> &place)
{
	int width = 0;

	for (int i = 0; i < a.n; i++)
		for (int e = a.offsets[i] - a.base; e < a.offsets[i + 1] - a.base; e++)
			width = std::max(width, abs(place[i] - place[a.columns[e] - a.base]));
	return width;
}

/* All give each row once; of a path whose nodes were mixed the first has the path again. */
static void test_orders(int n)
{
	std::vector<int> mixed(n);
	matrix a(n, n);

	for (int i = 0; i < n; i++)
		mixed[i] = i;
	for (int i = n - 1; i > 0; i--)
		std::swap(mixed[i], mixed[lcg_below(&draw, i + 1)]);
	for (int i = 0; i < n; i++) {
		a(mixed[i], mixed[i]) = 1;
		if (i)
			a(mixed[i], mixed[i - 1]) = 1;
	}
	for (int base = 0; base < 2; base++)
		for (int kind = 0; kind < 4; kind++) {
			csr s = from(a, base);
			std::vector<int> order(n, -1), place(n, -1), map, ends;
			const int *o = s.offsets.data(), *c = s.columns.data();
			cusparseMatDescr_t d = descrs[base];
			int symmetric = -1;

			if (kind == 0)
				OK(cusolverSpXcsrsymrcmHost(sparse_handle, n, s.nnz(), d, o, c,
							    order.data()));
			else if (kind == 1)
				OK(cusolverSpXcsrsymamdHost(sparse_handle, n, s.nnz(), d, o, c,
							    order.data()));
			else if (kind == 2)
				OK(cusolverSpXcsrsymmdqHost(sparse_handle, n, s.nnz(), d, o, c,
							    order.data()));
			else
				OK(cusolverSpXcsrmetisndHost(sparse_handle, n, s.nnz(), d, o, c,
							     NULL, order.data()));
			for (int k = 0; k < n; k++) {
				EXPECT(order[k] >= 0 && order[k] < n && place[order[k]] < 0);
				place[order[k]] = k;
			}
			EXPECT(kind || width_of(s, place) == (n > 1));

			/* the matrix in this order */
			csr t = s;
			size_t bytes;
			for (int e = 0; e < s.nnz(); e++)
				map.push_back(e);
			OK(cusolverSpXcsrperm_bufferSizeHost(sparse_handle, n, n, s.nnz(), d, o, c,
							     order.data(), order.data(), &bytes));
			std::vector<char> buffer(bytes);
			OK(cusolverSpXcsrpermHost(sparse_handle, n, n, s.nnz(), d, t.offsets.data(),
						  t.columns.data(), order.data(), order.data(),
						  map.data(), buffer.data()));
			for (int e = 0; e < s.nnz(); e++)
				t.values[e] = s.values[map[e]];
			matrix got = t.whole();
			for (int i = 0; i < n; i++)
				for (int j = 0; j < n; j++)
					EXPECT(got(i, j) == a(order[i], order[j]));
			ends.assign(s.offsets.begin() + 1, s.offsets.end());
			OK(cusolverSpXcsrissymHost(sparse_handle, n, s.nnz(), d, o, ends.data(), c,
						   &symmetric));
			EXPECT(symmetric == (n == 1));
		}
}

static void test_wrong()
{
	int offsets[] = {0, 1, 2}, columns[] = {0, 1}, bad[] = {0, 2}, s = 0;
	double values[] = {1, 1}, b[] = {1, 1}, x[2];

	EXPECT_STATUS(CUSOLVER_STATUS_NOT_INITIALIZED,
		      cusolverSpDcsrlsvluHost(NULL, 2, 2, descrs[0], values, offsets, columns, b, 0,
					      0, x, &s));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverSpDcsrlsvluHost(sparse_handle, 2, 2, descrs[0], values, offsets, bad,
					      b, 0, 0, x, &s));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverSpDcsrlsvluHost(sparse_handle, 2, 2, descrs[1], values, offsets,
					      columns, b, 0, 0, x, &s));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverSpDcsrlsvluHost(sparse_handle, 2, 2, NULL, values, offsets, columns,
					      b, 0, 0, x, &s));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverSpDcsrlsvluHost(sparse_handle, -1, 2, descrs[0], values, offsets,
					      columns, b, 0, 0, x, &s));
	OK(cusolverSpDcsrlsvluHost(sparse_handle, 2, 2, descrs[0], values, offsets, columns, b, 0,
				   0, x, &s));
	EXPECT(s == -1 && x[0] == 1 && x[1] == 1);
}

template <class T> static void test_type()
{
	test_systems<T>(1);
	test_systems<T>(25);
	test_singular<T>(9);
	test_near<T>(12, 4, false);
	test_near<T>(7, 1, true);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "sparse", NULL, 0, 0, 0);
	OK(cusolverSpCreate(&sparse_handle));
	make_descrs();
	test_type<float>();
	test_type<double>();
	test_type<cuComplex>();
	test_type<cuDoubleComplex>();
	for (int n : {1, 2, 30})
		test_orders(n);
	test_wrong();
	drop_descrs();
	OK(cusolverSpDestroy(sparse_handle));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_INITIALIZED, cusolverSpDestroy(sparse_handle));
	return finish();
}
