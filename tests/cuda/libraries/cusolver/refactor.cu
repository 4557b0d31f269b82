/* SPDX-License-Identifier: MIT */
/*
 * cusolverRf: factors of one matrix, by cuSOLVER's LU of the host, made again for others of the
 * same pattern, one by one and as a batch, whose solutions are put into their equations; the
 * factors taken out; zero pivots; no memory; steps in the wrong order.
 */
#include "../no_memory.h"
#include "sparse_systems.h"

#include <cusolverRf.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

static cusolverRfHandle_t rf;

struct factors {
	std::vector<int> p, q, lo, lc, uo, uc;
	std::vector<double> lv, uv;
};

static factors factor(const csr &s)
{
	std::vector<double> v = s.as<double>();
	csrluInfoHost_t i;
	int lower, upper;
	factors f;

	OK(cusolverSpCreateCsrluInfoHost(&i));
	OK(cusolverSpXcsrluAnalysisHost(sparse_handle, s.n, s.nnz(), descrs[0], s.offsets.data(),
					s.columns.data(), i));
	OK(cusolverSpDcsrluFactorHost(sparse_handle, s.n, s.nnz(), descrs[0], v.data(),
				      s.offsets.data(), s.columns.data(), i, 1, NULL));
	OK(cusolverSpXcsrluNnzHost(sparse_handle, &lower, &upper, i));
	f.p.resize(s.n);
	f.q.resize(s.n);
	f.lo.resize(s.n + 1);
	f.uo.resize(s.n + 1);
	f.lc.resize(lower);
	f.uc.resize(upper);
	f.lv.resize(lower);
	f.uv.resize(upper);
	OK(cusolverSpDcsrluExtractHost(sparse_handle, f.p.data(), f.q.data(), descrs[0],
				       f.lv.data(), f.lo.data(), f.lc.data(), descrs[0],
				       f.uv.data(), f.uo.data(), f.uc.data(), i, NULL));
	OK(cusolverSpDestroyCsrluInfoHost(i));
	return f;
}

template <class T> static T *sent(const std::vector<T> &v)
{
	return device_from(v.data(), (long)v.size());
}

static void test_systems(int n, int nrhs, bool on_device)
{
	matrix a = random_sparse<double>(n, true);
	csr s = from(a, 0);
	factors f = factor(s);
	std::vector<double> v = s.as<double>();
	int *o = sent(s.offsets), *c = sent(s.columns), *p = sent(f.p), *q = sent(f.q);
	double *dv = sent(v), *work;

	CHECK(cudaMalloc(&work, n * nrhs * sizeof(double)));
	if (on_device) {
		int *lo = sent(f.lo), *lc = sent(f.lc), *uo = sent(f.uo), *uc = sent(f.uc);
		double *lv = sent(f.lv), *uv = sent(f.uv);

		OK(cusolverRfSetupDevice(n, s.nnz(), o, c, dv, (int)f.lv.size(), lo, lc, lv,
					 (int)f.uv.size(), uo, uc, uv, p, q, rf));
		for (void *d :
		     {(void *)lo, (void *)lc, (void *)uo, (void *)uc, (void *)lv, (void *)uv})
			CHECK(cudaFree(d));
	} else {
		OK(cusolverRfSetupHost(n, s.nnz(), s.offsets.data(), s.columns.data(), v.data(),
				       (int)f.lv.size(), f.lo.data(), f.lc.data(), f.lv.data(),
				       (int)f.uv.size(), f.uo.data(), f.uc.data(), f.uv.data(),
				       f.p.data(), f.q.data(), rf));
	}
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, cusolverRfRefactor(rf));
	OK(cusolverRfAnalyze(rf));
	for (int turn = 0; turn < 3; turn++) {
		matrix b = random_matrix<double>(n, nrhs);
		device<double> x(b, 2);

		/* a bit of other numbers: the pivots stay good */
		for (int e = 0; e < s.nnz() && turn; e++)
			s.values[e] *= 1 + lcg_double(&draw, -0.02, 0.02);
		v = s.as<double>();
		CHECK(cudaMemcpy(dv, v.data(), s.nnz() * sizeof(double), cudaMemcpyHostToDevice));
		OK(cusolverRfResetValues(n, s.nnz(), o, c, dv, p, q, rf));
		EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
			      cusolverRfSolve(rf, p, q, nrhs, work, n, x.at, x.ld));
		OK(cusolverRfRefactor(rf));
		OK(cusolverRfSolve(rf, p, q, nrhs, work, n, x.at, x.ld));
		matrix found = x.bring(), whole = s.whole();
		expect_near<double>(whole * found, b, 400 * (n + 1), "cusolverRfSolve", __LINE__,
				    whole.norm() * found.norm() + b.norm());
	}
	for (void *d : {(void *)o, (void *)c, (void *)p, (void *)q, (void *)dv, (void *)work})
		CHECK(cudaFree(d));
}

/* A dense matrix from three lists of the host */
static matrix dense_of(int n, int nnz, const int *o, const int *c, const double *v)
{
	matrix a(n, n);

	EXPECT(o[0] == 0 && o[n] == nnz);
	for (int i = 0; i < n; i++)
		for (int e = o[i]; e < o[i + 1]; e++) {
			EXPECT(e == o[i] || c[e] > c[e - 1]);
			a(i, c[e]) = v[e];
		}
	return a;
}

/* L U is P A Q'; the three ways to have the factors say the same. */
static void test_extraction(int n)
{
	csr s = from(random_sparse<double>(n, true), 0);
	factors f = factor(s);
	std::vector<double> v = s.as<double>(), changed = v;
	int nnz = -1, lnnz = -1, unnz = -1, *o, *c, *lo, *lc, *uo, *uc, *device_offsets, *dc;
	double *m, *lv, *uv, *dv;

	for (double &x : changed)
		x *= 1.01;
	OK(cusolverRfSetupHost(n, s.nnz(), s.offsets.data(), s.columns.data(), v.data(),
			       (int)f.lv.size(), f.lo.data(), f.lc.data(), f.lv.data(),
			       (int)f.uv.size(), f.uo.data(), f.uc.data(), f.uv.data(), f.p.data(),
			       f.q.data(), rf));
	OK(cusolverRfAnalyze(rf));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverRfExtractBundledFactorsHost(rf, &nnz, &o, &c, &m));
	OK(cusolverRfRefactor(rf));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverRfExtractBundledFactorsHost(rf, &nnz, &o, NULL, &m));
	OK(cusolverRfAccessBundledFactorsDevice(rf, &nnz, &device_offsets, &dc, &dv));
	/* the handle's lists follow other numbers */
	OK(cusolverRfResetValues(n, s.nnz(), s.offsets.data(), s.columns.data(), changed.data(),
				 f.p.data(), f.q.data(), rf));
	OK(cusolverRfRefactor(rf));
	OK(cusolverRfExtractBundledFactorsHost(rf, &nnz, &o, &c, &m));
	OK(cusolverRfExtractSplitFactorsHost(rf, &lnnz, &lo, &lc, &lv, &unnz, &uo, &uc, &uv));
	EXPECT(lnnz + unnz == nnz + n);
	matrix l = dense_of(n, lnnz, lo, lc, lv), u = dense_of(n, unnz, uo, uc, uv), a(n, n);
	matrix one = unit(n, n), bundled = dense_of(n, nnz, o, c, m), whole = s.whole();
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			a(i, j) = 1.01 * whole(f.p[i], f.q[j]);
			EXPECT(bundled(i, j) == l(i, j) - one(i, j) + u(i, j));
			EXPECT(i >= j ? i > j || l(i, j) == number(1) : l(i, j) == number(0));
			EXPECT(i <= j || u(i, j) == number(0));
		}
	expect_near<double>(l * u, a, 100 * (n + 1), "L U", __LINE__, l.norm() * u.norm());
	std::vector<int> go(n + 1), gc(nnz);
	std::vector<double> gv(nnz);
	CHECK(cudaMemcpy(go.data(), device_offsets, (n + 1) * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(gc.data(), dc, nnz * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(gv.data(), dv, nnz * sizeof(double), cudaMemcpyDeviceToHost));
	EXPECT(!memcmp(go.data(), o, (n + 1) * sizeof(int)));
	EXPECT(!memcmp(gc.data(), c, nnz * sizeof(int)));
	EXPECT(!memcmp(gv.data(), m, nnz * sizeof(double)));
	for (void *h : {(void *)o, (void *)c, (void *)m, (void *)lo, (void *)lc, (void *)lv,
			(void *)uo, (void *)uc, (void *)uv})
		free(h);
	/* a diagonal of ones that is not stored */
	OK(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR,
				     CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
	OK(cusolverRfExtractSplitFactorsHost(rf, &lnnz, &lo, &lc, &lv, &unnz, &uo, &uc, &uv));
	EXPECT(lnnz + unnz == nnz);
	for (void *h :
	     {(void *)lo, (void *)lc, (void *)lv, (void *)uo, (void *)uc, (void *)uv})
		free(h);
	OK(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR,
				     CUSOLVERRF_UNIT_DIAGONAL_STORED_L));
}

/* Other numbers, the last of them all zeros: that has a zero pivot, the others a solution. */
static void test_batch(int n, int count)
{
	csr s = from(random_sparse<double>(n, true), 0);
	factors f = factor(s);
	std::vector<std::vector<double>> v(count, s.as<double>());
	std::vector<double *> lists(count), device_lists(count), sides(count);
	std::vector<matrix> b;
	std::vector<int> zero(count, -7);
	int *o = sent(s.offsets), *c = sent(s.columns), *p = sent(f.p), *q = sent(f.q);
	double *work = device_new<double>(2 * count * n);

	for (int i = 0; i < count; i++)
		lists[i] = v[i].data();
	OK(cusolverRfBatchSetupHost(count, n, s.nnz(), s.offsets.data(), s.columns.data(),
				    lists.data(), (int)f.lv.size(), f.lo.data(), f.lc.data(),
				    f.lv.data(), (int)f.uv.size(), f.uo.data(), f.uc.data(),
				    f.uv.data(), f.p.data(), f.q.data(), rf));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, cusolverRfAnalyze(rf));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, cusolverRfBatchRefactor(rf));
	OK(cusolverRfBatchAnalyze(rf));
	for (int i = 0; i < count; i++) {
		for (double &x : v[i])
			x *= i == count - 1 ? 0 : 1 + lcg_double(&draw, -0.02, 0.02);
		device_lists[i] = sent(v[i]);
		b.push_back(random_matrix<double>(n, 1));
		std::vector<double> side(n);
		for (int k = 0; k < n; k++)
			side[k] = b[i](k, 0).real();
		sides[i] = sent(side);
	}
	double **values = sent(device_lists), **x = sent(sides);
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverRfBatchResetValues(count + 1, n, s.nnz(), o, c, values, p, q, rf));
	OK(cusolverRfBatchResetValues(count, n, s.nnz(), o, c, values, p, q, rf));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverRfBatchSolve(rf, p, q, 1, work, n, x, n));
	OK(cusolverRfBatchRefactor(rf));
	OK(cusolverRfBatchZeroPivot(rf, zero.data()));
	OK(cusolverRfBatchSolve(rf, p, q, 1, work, n, x, n));
	for (int i = 0; i < count; i++) {
		std::vector<double> side(n);
		matrix found(n, 1), whole;

		CHECK(cudaMemcpy(side.data(), sides[i], n * sizeof(double),
				 cudaMemcpyDeviceToHost));
		for (int k = 0; k < n; k++)
			found(k, 0) = side[k];
		EXPECT(zero[i] == (i == count - 1 ? 0 : -1));
		if (i == count - 1) {
			EXPECT(found.values == b[i].values);
			continue;
		}
		for (int e = 0; e < s.nnz(); e++)
			s.values[e] = v[i][e];
		whole = s.whole();
		expect_near<double>(whole * found, b[i], 400 * (n + 1), "cusolverRfBatchSolve",
				    __LINE__, whole.norm() * found.norm() + b[i].norm());
	}
	for (int i = 0; i < count; i++) {
		CHECK(cudaFree(device_lists[i]));
		CHECK(cudaFree(sides[i]));
	}
	for (void *d : {(void *)o, (void *)c, (void *)p, (void *)q, (void *)work, (void *)values,
			(void *)x})
		CHECK(cudaFree(d));
}

/* [0 1; 1 0] in the order of the unit matrix: no pivot, or the boost */
static void test_zero_pivot()
{
	int o[] = {0, 1, 2}, c[] = {1, 0}, lo[] = {0, 1, 2}, lc[] = {0, 1}, p[] = {0, 1};
	cusolverRfNumericBoostReport_t report;
	double v[] = {1, 1}, one[] = {1, 1};

	OK(cusolverRfSetupHost(2, 2, o, c, v, 2, lo, lc, one, 2, lo, lc, one, p, p, rf));
	OK(cusolverRfAnalyze(rf));
	EXPECT_STATUS(CUSOLVER_STATUS_ZERO_PIVOT, cusolverRfRefactor(rf));
	OK(cusolverRfSetNumericProperties(rf, 0, 1e-3));
	OK(cusolverRfRefactor(rf));
	OK(cusolverRfGetNumericBoostReport(rf, &report));
	EXPECT(report == CUSOLVERRF_NUMERIC_BOOST_USED);
	/* not a permutation, a column that is none, U below the diagonal */
	int twice[] = {0, 0}, bad[] = {1, 2}, below[] = {0, 0};
	EXPECT_STATUS(
		CUSOLVER_STATUS_INVALID_VALUE,
		cusolverRfSetupHost(2, 2, o, c, v, 2, lo, lc, one, 2, lo, lc, one, twice, p, rf));
	EXPECT_STATUS(
		CUSOLVER_STATUS_INVALID_VALUE,
		cusolverRfSetupHost(2, 2, o, bad, v, 2, lo, lc, one, 2, lo, lc, one, p, p, rf));
	EXPECT_STATUS(
		CUSOLVER_STATUS_INVALID_VALUE,
		cusolverRfSetupHost(2, 2, o, c, v, 2, lo, lc, one, 2, lo, below, one, p, p, rf));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, cusolverRfAnalyze(rf));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_SUPPORTED,
		      cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSC,
						CUSOLVERRF_UNIT_DIAGONAL_STORED_L));
	OK(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR,
				     CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
}

/* The device has no memory for the factors; with memory it has them. */
static void test_without_memory()
{
	enum { N = 1 << 15 };
	std::vector<int> offsets(N + 1), same(N), none(N + 1);
	std::vector<double> twos(N, 2.0);
	int nnz = -1, *o, *c;
	double *v, last = 0;

	for (int i = 0; i < N; i++)
		offsets[i] = same[i] = i;
	offsets[N] = N;
	OK(cusolverRfSetupHost(N, N, offsets.data(), same.data(), twos.data(), 0, none.data(),
			       same.data(), twos.data(), N, offsets.data(), same.data(),
			       twos.data(), same.data(), same.data(), rf));
	OK(cusolverRfAnalyze(rf));
	OK(cusolverRfRefactor(rf));
	{
		no_memory taken;

		EXPECT_STATUS(CUSOLVER_STATUS_ALLOC_FAILED,
			      cusolverRfAccessBundledFactorsDevice(rf, &nnz, &o, &c, &v));
		CHECK(cudaGetLastError());
	}
	OK(cusolverRfAccessBundledFactorsDevice(rf, &nnz, &o, &c, &v));
	EXPECT(nnz == N);
	host_from(&last, v + N - 1, 1);
	EXPECT(last == 2.0);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "refactor", NULL, 0, 0, 0);
	OK(cusolverSpCreate(&sparse_handle));
	OK(cusolverRfCreate(&rf));
	make_descrs();
	for (bool on_device : {false, true}) {
		test_systems(1, 1, on_device);
		test_systems(25, 1, on_device);
		test_systems(40, 3, on_device);
	}
	test_extraction(1);
	test_extraction(30);
	test_batch(1, 2);
	test_batch(25, 4);
	test_zero_pivot();
	test_without_memory();
	drop_descrs();
	OK(cusolverRfDestroy(rf));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_INITIALIZED, cusolverRfDestroy(rf));
	OK(cusolverSpDestroy(sparse_handle));
	return finish();
}
