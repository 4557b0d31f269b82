/* SPDX-License-Identifier: MIT */
/*
 * Products and sums of two sparse matrices, incomplete factors, triangular solutions with pointers,
 * systems with three and five diagonals: beside dense arithmetic of double; no memory.
 */
#include "../no_memory.h"
#include "sparse.h"

static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

/* A matrix in CSR on the device as a dense one of the host: what has no place is NaN. */
static matrix fetch(int rows, int cols, const index_list &offsets, const index_list &columns,
		    const array &values)
{
	std::vector<int> o = offsets.bring(), c = columns.bring();
	matrix a(rows, cols);

	for (int i = 0; i < rows; i++)
		for (int e = o[i]; e < o[i + 1]; e++) {
			EXPECT(!e || e == o[i] || c[e] > c[e - 1]);
			a.at(i, c[e]) = values.value(e);
			a.has(i, c[e]) = 1;
		}
	return a;
}

static void test_gemm(int m, int k, int n, cudaDataType t, bool reuse)
{
	matrix a = random_matrix(m, k, 2, t), b = random_matrix(k, n, 1, t), want(m, n);
	cusparseIndexBase_t base = (cusparseIndexBase_t)lcg_below(&draw, 2);
	device_matrix da(a, CUSPARSE_FORMAT_CSR, t, CUSPARSE_INDEX_32I, base);
	device_matrix db(b, CUSPARSE_FORMAT_CSR, t, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE);
	const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
	const cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_DEFAULT;
	number alpha = {2, is_complex(t) ? 1.0 : 0};
	struct scalar by = scalar_of(t, alpha), zero = scalar_of(t, {0, 0});
	index_list offsets(std::vector<int>(m + 1), CUSPARSE_INDEX_32I, base);
	cusparseSpMatDescr_t dc;
	cusparseSpGEMMDescr_t plan;
	int64_t rows, cols, nnz, products = 0, counted;
	size_t bytes1, bytes2, bytes3, bytes4;

	for (int i = 0; i < m; i++)
		for (int l = 0; l < k; l++)
			for (int j = 0; j < n && a.has(i, l); j++)
				if (b.has(l, j)) {
					want.has(i, j) = 1;
					want.at(i, j) = want.at(i, j) + a.at(i, l) * b.at(l, j);
					products++;
				}
	int places = 0;
	for (char there : want.there)
		places += there;
	OK(cusparseCreateCsr(&dc, m, n, 0, offsets.at, NULL, NULL, CUSPARSE_INDEX_32I,
			     CUSPARSE_INDEX_32I, base, t));
	OK(cusparseSpGEMM_createDescr(&plan));
	if (reuse)
		OK(cusparseSpGEMMreuse_workEstimation(handle, op, op, da.descr, db.descr, dc, alg,
						      plan, &bytes1, NULL));
	else
		OK(cusparseSpGEMM_workEstimation(handle, op, op, &by, da.descr, db.descr, &zero, dc,
						 t, alg, plan, &bytes1, NULL));
	buffer b1(bytes1);
	if (reuse)
		OK(cusparseSpGEMMreuse_workEstimation(handle, op, op, da.descr, db.descr, dc, alg,
						      plan, &bytes1, b1.at));
	else
		OK(cusparseSpGEMM_workEstimation(handle, op, op, &by, da.descr, db.descr, &zero, dc,
						 t, alg, plan, &bytes1, b1.at));
	OK(cusparseSpGEMM_getNumProducts(plan, &counted));
	EXPECT(counted == products);
	if (reuse)
		OK(cusparseSpGEMMreuse_nnz(handle, op, op, da.descr, db.descr, dc, alg, plan,
					   &bytes2, NULL, &bytes3, NULL, &bytes4, NULL));
	else
		OK(cusparseSpGEMM_compute(handle, op, op, &by, da.descr, db.descr, &zero, dc, t,
					  alg, plan, &bytes4, NULL));
	buffer b4(bytes4);
	if (reuse)
		OK(cusparseSpGEMMreuse_nnz(handle, op, op, da.descr, db.descr, dc, alg, plan,
					   &bytes2, b4.at, &bytes3, b4.at, &bytes4, b4.at));
	else
		OK(cusparseSpGEMM_compute(handle, op, op, &by, da.descr, db.descr, &zero, dc, t,
					  alg, plan, &bytes4, b4.at));
	OK(cusparseSpMatGetSize(dc, &rows, &cols, &nnz));
	EXPECT(rows == m && cols == n && nnz == places);
	index_list columns(std::vector<int>(places), CUSPARSE_INDEX_32I, base);
	array values(t, places);
	OK(cusparseCsrSetPointers(dc, offsets.at, columns.at, values.at));
	for (int round = 0; round < 1 + reuse; round++) {
		if (!reuse) {
			OK(cusparseSpGEMM_copy(handle, op, op, &by, da.descr, db.descr, &zero, dc,
					       t, alg, plan));
		} else {
			size_t bytes5;

			OK(cusparseSpGEMMreuse_copy(handle, op, op, da.descr, db.descr, dc, alg,
						    plan, &bytes5, NULL));
			buffer b5(bytes5);
			OK(cusparseSpGEMMreuse_copy(handle, op, op, da.descr, db.descr, dc, alg,
						    plan, &bytes5, b5.at));
			OK(cusparseSpGEMMreuse_compute(handle, op, op, &by, da.descr, db.descr,
						       &zero, dc, t, alg, plan));
		}
		values.bring();
		matrix got = fetch(m, n, offsets, columns, values);
		EXPECT(got.there == want.there);
		for (int i = 0; i < m * n; i++)
			expect_number("SpGEMM", i, got.values[i], alpha * want.values[i],
				      64 * k * epsilon(t));
	}
	OK(cusparseSpGEMM_destroyDescr(plan));
	OK(cusparseDestroySpMat(dc));
}

static void test_sum(int m, int n)
{
	cudaDataType t = CUDA_R_64F;
	matrix a = random_matrix(m, n, 1, t), b = random_matrix(m, n, 2, t), want(m, n);
	device_matrix da(a, CUSPARSE_FORMAT_CSR, t, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE);
	device_matrix db(b, CUSPARSE_FORMAT_CSR, t, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO);
	index_list offsets(std::vector<int>(m + 1), CUSPARSE_INDEX_32I, 1);
	double alpha = 2, beta = -1;
	int a_nnz = (int)da.values->count, b_nnz = (int)db.values->count, total, places = 0;
	cusparseMatDescr_t one, zero;

	OK(cusparseCreateMatDescr(&one));
	OK(cusparseCreateMatDescr(&zero));
	OK(cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE));
	for (int i = 0; i < m * n; i++) {
		want.there[i] = a.there[i] | b.there[i];
		want.values[i].re = 2 * a.values[i].re - b.values[i].re;
		places += want.there[i];
	}
	OK(cusparseXcsrgeam2Nnz(handle, m, n, one, a_nnz, da.offsets->ints(), da.indices->ints(),
				zero, b_nnz, db.offsets->ints(), db.indices->ints(), one,
				offsets.ints(), &total, NULL));
	EXPECT(total == places);
	index_list columns(std::vector<int>(places), CUSPARSE_INDEX_32I, 1);
	array values(t, places);
	OK(cusparseDcsrgeam2(handle, m, n, &alpha, one, a_nnz, (double *)da.values->at,
			     da.offsets->ints(), da.indices->ints(), &beta, zero, b_nnz,
			     (double *)db.values->at, db.offsets->ints(), db.indices->ints(), one,
			     (double *)values.at, offsets.ints(), columns.ints(), NULL));
	values.bring();
	matrix got = fetch(m, n, offsets, columns, values);
	EXPECT(got.there == want.there);
	for (int i = 0; i < m * n; i++)
		expect_number("geam", i, got.values[i], want.values[i], 0);
	OK(cusparseDestroyMatDescr(one));
	OK(cusparseDestroyMatDescr(zero));
}

/* LU on the host, in the places that the matrix has */
static void lu(matrix &a)
{
	for (int i = 1; i < a.rows; i++)
		for (int k = 0; k < i; k++) {
			if (!a.has(i, k))
				continue;
			a.at(i, k).re /= a.at(k, k).re;
			for (int j = k + 1; j < a.cols; j++)
				if (a.has(i, j) && a.has(k, j))
					a.at(i, j).re -= a.at(i, k).re * a.at(k, j).re;
		}
}

static void cholesky(matrix &a)
{
	for (int i = 0; i < a.rows; i++)
		for (int j = 0; j <= i; j++) {
			double sum = a.at(i, j).re;

			if (!a.has(i, j))
				continue;
			for (int k = 0; k < j; k++)
				if (a.has(i, k) && a.has(j, k))
					sum -= a.at(i, k).re * a.at(j, k).re;
			a.at(i, j).re = i == j ? sqrt(sum) : sum / a.at(j, j).re;
		}
}

/* Symmetric in its places, and the diagonal is larger than the rest of a row */
static matrix system_of(int n, int part)
{
	matrix a = random_matrix(n, n, part, CUDA_R_64F);

	for (int i = 0; i < n; i++)
		for (int j = 0; j <= i; j++) {
			a.has(i, j) |= a.has(j, i) | (i == j);
			a.has(j, i) = a.has(i, j);
			a.at(i, j).re = a.has(i, j) ? a.at(i, j).re + 0.125 : 0;
			if (i == j)
				a.at(i, j).re = 4 * n;
			a.at(j, i) = a.at(i, j);
		}
	return a;
}

/* Factors, then L and U solved with pointers, as a preconditioner is used */
static void test_factors(int n, int part)
{
	cudaDataType t = CUDA_R_64F;
	matrix a = system_of(n, part), f = a;
	device_matrix d(a, CUSPARSE_FORMAT_CSR, t, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE);
	int nnz = (int)d.values->count, *o = d.offsets->ints(), *c = d.indices->ints(), where;
	double *v = (double *)d.values->at, one = 1;
	std::vector<char> before = d.values->host;
	array b(t, n), x(t, n), y(t, n);
	cusparseMatDescr_t descr, lower;
	csrilu02Info_t info;
	csric02Info_t ic;
	csrsv2Info_t solver;
	int bytes;

	OK(cusparseCreateMatDescr(&descr));
	OK(cusparseCreateMatDescr(&lower));
	OK(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE));
	OK(cusparseSetMatIndexBase(lower, CUSPARSE_INDEX_BASE_ONE));
	OK(cusparseSetMatDiagType(lower, CUSPARSE_DIAG_TYPE_UNIT));
	OK(cusparseCreateCsrilu02Info(&info));
	OK(cusparseDcsrilu02_bufferSize(handle, n, nnz, descr, v, o, c, info, &bytes));
	buffer memory(bytes);
	OK(cusparseDcsrilu02_analysis(handle, n, nnz, descr, v, o, c, info,
				      CUSPARSE_SOLVE_POLICY_USE_LEVEL, memory.at));
	OK(cusparseXcsrilu02_zeroPivot(handle, info, &where));
	EXPECT(where == -1);
	OK(cusparseDcsrilu02(handle, n, nnz, descr, v, o, c, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL,
			     memory.at));
	OK(cusparseXcsrilu02_zeroPivot(handle, info, &where));
	lu(f);
	d.values->bring();
	entries want = entries_of(f);
	for (int i = 0; i < nnz; i++)
		expect_near("ilu", i, d.values->value(i).re, want.values[i].re, 0x1p-36);
	OK(cusparseDestroyCsrilu02Info(info));

	/* L y = b, U x = y; then L U x is b */
	for (int i = 0; i < n; i++)
		b.set(i, random_number(t));
	b.send();
	for (int upper = 0; upper < 2; upper++) {
		cusparseMatDescr_t m = upper ? descr : lower;

		OK(cusparseSetMatFillMode(m, upper ? CUSPARSE_FILL_MODE_UPPER
						   : CUSPARSE_FILL_MODE_LOWER));
		OK(cusparseCreateCsrsv2Info(&solver));
		OK(cusparseDcsrsv2_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, nnz, m,
					      v, o, c, solver, &bytes));
		OK(cusparseDcsrsv2_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, nnz, m, v,
					    o, c, solver, CUSPARSE_SOLVE_POLICY_NO_LEVEL,
					    memory.at));
		OK(cusparseDcsrsv2_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, n, nnz, &one, m,
					 v, o, c, solver, (double *)(upper ? y.at : b.at),
					 (double *)(upper ? x.at : y.at),
					 CUSPARSE_SOLVE_POLICY_NO_LEVEL, memory.at));
		OK(cusparseXcsrsv2_zeroPivot(handle, solver, &where));
		EXPECT(where == -1);
		OK(cusparseDestroyCsrsv2Info(solver));
	}
	x.bring();
	std::vector<double> ux(n);
	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++)
			ux[i] += f.at(i, j).re * x.value(j).re;
	for (int i = 0; i < n; i++) {
		double sum = ux[i];

		for (int j = 0; j < i; j++)
			sum += f.at(i, j).re * ux[j];
		expect_near("csrsv2", i, sum, b.value(i).re, 0x1p-36);
	}

	/* Cholesky, from the matrix as it was */
	d.values->host = before;
	d.values->send();
	OK(cusparseSetMatFillMode(descr, CUSPARSE_FILL_MODE_LOWER));
	OK(cusparseCreateCsric02Info(&ic));
	OK(cusparseDcsric02_analysis(handle, n, nnz, descr, v, o, c, ic,
				     CUSPARSE_SOLVE_POLICY_NO_LEVEL, memory.at));
	OK(cusparseDcsric02(handle, n, nnz, descr, v, o, c, ic, CUSPARSE_SOLVE_POLICY_NO_LEVEL,
			    memory.at));
	OK(cusparseXcsric02_zeroPivot(handle, ic, &where));
	cholesky(a);
	want = entries_of(a);
	d.values->bring();
	for (int i = 0; i < nnz; i++)
		expect_near("ic", i, d.values->value(i).re, want.values[i].re, 0x1p-36);
	OK(cusparseDestroyCsric02Info(ic));
	OK(cusparseDestroyMatDescr(descr));
	OK(cusparseDestroyMatDescr(lower));
}

/* A diagonal that is missing, one that becomes zero, one that is set right */
static void test_pivots(void)
{
	/* 1 1 0 / 1 1 1 / 0 1 2: the second row has zero after the first step */
	int offsets[] = {0, 2, 5, 7}, columns[] = {0, 1, 0, 1, 2, 1, 2}, where;
	/* 1 1 0 / 1 0 1 / 0 1 2 without an entry in the middle */
	int less_offsets[] = {0, 2, 4, 6}, less_columns[] = {0, 1, 0, 2, 1, 2};
	float values[] = {1, 1, 1, 1, 1, 1, 2}, got[7], boost = 4;
	float want[] = {1, 1, 1, 4, 1, 0.25f, 1.75f};
	double tolerance = 0.5;
	int *o = device_from(offsets, 4), *c = device_from(columns, 7);
	int *lo = device_from(less_offsets, 4), *lc = device_from(less_columns, 6);
	float *v = device_from(values, 7);
	const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
	cusparseMatDescr_t d;
	csrilu02Info_t info;

	OK(cusparseCreateMatDescr(&d));
	OK(cusparseCreateCsrilu02Info(&info));
	EXPECT_STATUS(CUSPARSE_STATUS_INVALID_VALUE,
		      cusparseScsrilu02(handle, 3, 7, d, v, o, c, info, policy, NULL));
	OK(cusparseScsrilu02_analysis(handle, 3, 6, d, v, lo, lc, info, policy, NULL));
	EXPECT_STATUS(CUSPARSE_STATUS_ZERO_PIVOT,
		      cusparseXcsrilu02_zeroPivot(handle, info, &where));
	EXPECT(where == 1);
	OK(cusparseScsrilu02_analysis(handle, 3, 7, d, v, o, c, info, policy, NULL));
	OK(cusparseXcsrilu02_zeroPivot(handle, info, &where));
	EXPECT(where == -1);
	OK(cusparseScsrilu02(handle, 3, 7, d, v, o, c, info, policy, NULL));
	EXPECT_STATUS(CUSPARSE_STATUS_ZERO_PIVOT,
		      cusparseXcsrilu02_zeroPivot(handle, info, &where));
	EXPECT(where == 1);
	CHECK(cudaMemcpy(v, values, sizeof(values), cudaMemcpyHostToDevice));
	OK(cusparseScsrilu02_numericBoost(handle, info, 1, &tolerance, &boost));
	OK(cusparseScsrilu02_analysis(handle, 3, 7, d, v, o, c, info, policy, NULL));
	OK(cusparseScsrilu02(handle, 3, 7, d, v, o, c, info, policy, NULL));
	OK(cusparseXcsrilu02_zeroPivot(handle, info, &where));
	host_from(got, v, 7);
	compare_exact("boost", got, want, 7);
	OK(cusparseDestroyCsrilu02Info(info));
	EXPECT_STATUS(CUSPARSE_STATUS_INVALID_VALUE, cusparseDestroyCsrilu02Info(info));
	OK(cusparseDestroyMatDescr(d));
	for (void *p : {(void *)o, (void *)c, (void *)lo, (void *)lc, (void *)v})
		CHECK(cudaFree(p));
}

/* Diagonals of a system: K of them, of which those that leave the matrix are not read */
static void diagonals(std::vector<double> *d, int k, int m, bool exchange)
{
	for (int j = 0; j < k; j++)
		for (int i = 0; i < m; i++) {
			int column = i + j - k / 2;

			d[j].push_back(column < 0 || column >= m  ? NAN
				       : column == i && !exchange ? 8
								  : lcg_double(&draw, -1, 1));
		}
}

/* What the diagonals of row i make of x, less the right side, and its size */
static void check_row(const std::vector<double> *d, int k, int i, int m,
		      const std::vector<double> &x, double b)
{
	double sum = 0, size = fabs(b);

	for (int j = 0; j < k; j++) {
		int column = i + j - k / 2;

		if (column < 0 || column >= m)
			continue;
		sum += d[j][i] * x[column];
		size += fabs(d[j][i] * x[column]);
	}
	expect_near("diagonals", i, sum, b, 0x1p-40 * size * m);
}

static void test_three(int m, int sides, bool exchange)
{
	std::vector<double> d[3], b, x;
	size_t bytes;

	diagonals(d, 3, m, exchange);
	for (int i = 0; i < m * sides; i++)
		b.push_back(lcg_double(&draw, -1, 1));
	/* without exchanges the edges have to be zero or unread: both are */
	double *dl = device_from(d[0].data(), m), *dd = device_from(d[1].data(), m);
	double *du = device_from(d[2].data(), m), *db = device_from(b.data(), m * sides);
	if (exchange) {
		OK(cusparseDgtsv2_bufferSizeExt(handle, m, sides, dl, dd, du, db, m, &bytes));
		buffer memory(bytes);
		OK(cusparseDgtsv2(handle, m, sides, dl, dd, du, db, m, memory.at));
	} else {
		OK(cusparseDgtsv2_nopivot_bufferSizeExt(handle, m, sides, dl, dd, du, db, m,
							&bytes));
		buffer memory(bytes);
		OK(cusparseDgtsv2_nopivot(handle, m, sides, dl, dd, du, db, m, memory.at));
	}
	x.resize(m * sides);
	host_from(x.data(), db, m * sides);
	for (int s = 0; s < sides; s++)
		for (int i = 0; i < m; i++)
			check_row(d, 3, i, m, std::vector<double>(&x[s * m], &x[s * m] + m),
				  b[s * m + i]);
	for (double *p : {dl, dd, du, db})
		CHECK(cudaFree(p));
}

/* Many systems at once, K diagonals, beside one another or interleaved */
static void test_many(int m, int count, int k, bool interleaved)
{
	std::vector<std::vector<double>> all(count * k);
	std::vector<double> b(m * count), x(m * count), packed[5];
	double *p[5], *db;
	size_t bytes;

	for (int s = 0; s < count; s++)
		diagonals(&all[s * k], k, m, true);
	for (double &v : b)
		v = lcg_double(&draw, -1, 1);
	for (int j = 0; j < k; j++) {
		packed[j].resize(m * count);
		for (int s = 0; s < count; s++)
			for (int i = 0; i < m; i++)
				packed[j][interleaved ? i * count + s : s * m + i] =
					all[s * k + j][i];
		p[j] = device_from(packed[j].data(), m * count);
	}
	db = device_from(b.data(), m * count);
	if (k == 5)
		OK(cusparseDgpsvInterleavedBatch_bufferSizeExt(handle, 0, m, p[0], p[1], p[2], p[3],
							       p[4], db, count, &bytes));
	else if (interleaved)
		OK(cusparseDgtsvInterleavedBatch_bufferSizeExt(handle, 1, m, p[0], p[1], p[2], db,
							       count, &bytes));
	else
		OK(cusparseDgtsv2StridedBatch_bufferSizeExt(handle, m, p[0], p[1], p[2], db, count,
							    m, &bytes));
	buffer memory(bytes);
	if (k == 5)
		OK(cusparseDgpsvInterleavedBatch(handle, 0, m, p[0], p[1], p[2], p[3], p[4], db,
						 count, memory.at));
	else if (interleaved)
		OK(cusparseDgtsvInterleavedBatch(handle, 1, m, p[0], p[1], p[2], db, count,
						 memory.at));
	else
		OK(cusparseDgtsv2StridedBatch(handle, m, p[0], p[1], p[2], db, count, m,
					      memory.at));
	host_from(x.data(), db, m * count);
	for (int s = 0; s < count; s++) {
		std::vector<double> own;

		for (int i = 0; i < m; i++)
			own.push_back(x[interleaved ? i * count + s : s * m + i]);
		for (int i = 0; i < m; i++)
			check_row(&all[s * k], k, i, m, own,
				  b[interleaved ? i * count + s : s * m + i]);
	}
	for (int j = 0; j < k; j++)
		CHECK(cudaFree(p[j]));
	CHECK(cudaFree(db));
}

/* Functions that take memory of their own: a status without it, and a result with it */
static void test_without_memory()
{
	enum { N = 1 << 15 };
	std::vector<int> counted(N + 1);
	std::vector<float> twos(N, 2.0f);
	float one = 1, last = 0;
	int blocks = -1, bytes = 0;
	csrsv2Info_t solver;
	cusparseMatDescr_t m;

	for (int i = 0; i <= N; i++)
		counted[i] = i;
	int *o = device_from(counted.data(), N + 1), *c = device_from(counted.data(), N);
	int *to = device_new<int>(N + 1);
	float *v = device_from(twos.data(), N), *x = device_new<float>(N);
	auto analyse = [&] {
		return cusparseScsrsv2_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, N, N, m,
						v, o, c, solver, CUSPARSE_SOLVE_POLICY_NO_LEVEL,
						x);
	};
	auto count_blocks = [&] {
		return cusparseXcsr2bsrNnz(handle, CUSPARSE_DIRECTION_ROW, N, N, m, o, c, 2, m, to,
					   &blocks);
	};

	OK(cusparseCreateMatDescr(&m));
	OK(cusparseCreateCsrsv2Info(&solver));
	OK(cusparseScsrsv2_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, N, N, m, v, o, c,
				      solver, &bytes));
	{
		no_memory none;

		EXPECT_STATUS(CUSPARSE_STATUS_ALLOC_FAILED, analyse());
		EXPECT_STATUS(CUSPARSE_STATUS_ALLOC_FAILED, count_blocks());
		CHECK(cudaGetLastError());
	}
	OK(analyse());
	OK(cusparseScsrsv2_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, N, N, &one, m, v, o, c,
				 solver, v, x, CUSPARSE_SOLVE_POLICY_NO_LEVEL, x));
	host_from(&last, x + N - 1, 1);
	EXPECT(last == 1.0f);
	OK(count_blocks());
	EXPECT(blocks == N / 2);
	OK(cusparseDestroyCsrsv2Info(solver));
	OK(cusparseDestroyMatDescr(m));
	for (void *d : {(void *)o, (void *)c, (void *)to, (void *)v, (void *)x})
		CHECK(cudaFree(d));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "factors", NULL, 0, 0, 0);
	OK(cusparseCreate(&handle));
	for (cudaDataType t : types)
		for (int reuse = 0; reuse < 2; reuse++)
			test_gemm(20, 30, 25, t, reuse);
	test_gemm(1, 1, 1, CUDA_R_32F, false);
	test_gemm(0, 4, 4, CUDA_R_32F, false);
	test_gemm(40, 3, 200, CUDA_R_64F, false);
	test_sum(30, 40);
	test_sum(3, 300);
	test_factors(1, 0);
	test_factors(40, 1);
	test_factors(25, 4);
	test_pivots();
	test_three(1, 2, true);
	test_three(2, 1, true);
	test_three(50, 3, true);
	test_three(50, 2, false);
	for (int m : {1, 2, 3, 40}) {
		test_many(m, 5, 3, false);
		test_many(m, 7, 3, true);
		test_many(m, 6, 5, true);
	}
	test_without_memory();
	OK(cusparseDestroy(handle));
	return finish();
}
