/* SPDX-License-Identifier: MIT */
/*
 * Conversions between formats, and sorting: exact, beside lists that the host makes of the same
 * dense matrix.
 */
#include "sparse.h"

static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

static void same_ints(const char *what, const int *got_at, const std::vector<int> &want, int base)
{
	std::vector<int> got(want.size() + 1);

	host_from(got.data(), got_at, want.size());
	for (size_t i = 0; i < want.size(); i++)
		expect_same(what, (long)i, got[i] - base, want[i]);
}

static void same_values(const char *what, array &got, const std::vector<number> &want)
{
	got.bring();
	for (size_t i = 0; i < want.size(); i++)
		expect_number(what, (long)i, got.value(i), want[i], 0);
}

static cusparseMatDescr_t descr_of(cusparseIndexBase_t base)
{
	cusparseMatDescr_t d;

	OK(cusparseCreateMatDescr(&d));
	OK(cusparseSetMatIndexBase(d, base));
	EXPECT(cusparseGetMatIndexBase(d) == base);
	return d;
}

/* CSR, COO and CSC, with pointers */
static void test_lists(int m, int n, cusparseIndexBase_t base, cudaDataType t)
{
	matrix a = random_matrix(m, n, (int)lcg_below(&draw, 4), t);
	entries rows = entries_of(a), cols = entries_of(a, true);
	int nnz = (int)rows.minor.size();
	index_list offsets(rows.offsets, CUSPARSE_INDEX_32I, base);
	index_list columns(rows.minor, CUSPARSE_INDEX_32I, base);
	index_list numbers(rows.major, CUSPARSE_INDEX_32I, base);
	array values(t, nnz), turned(t, nnz);
	int *made = device_new<int>(nnz + m + n + 2), *more = device_new<int>(nnz + m + n + 2);
	size_t bytes;

	for (int i = 0; i < nnz; i++)
		values.set(i, rows.values[i]);
	values.send();
	OK(cusparseXcoo2csr(handle, numbers.ints(), nnz, m, made, base));
	same_ints("coo2csr", made, rows.offsets, base);
	OK(cusparseXcsr2coo(handle, offsets.ints(), nnz, m, made, base));
	same_ints("csr2coo", made, rows.major, base);
	OK(cusparseCsr2cscEx2_bufferSize(
		handle, m, n, nnz, values.at, offsets.ints(), columns.ints(), turned.at, made, more,
		t, CUSPARSE_ACTION_NUMERIC, base, CUSPARSE_CSR2CSC_ALG1, &bytes));
	buffer b(bytes);
	OK(cusparseCsr2cscEx2(handle, m, n, nnz, values.at, offsets.ints(), columns.ints(),
			      turned.at, made, more, t, CUSPARSE_ACTION_NUMERIC, base,
			      CUSPARSE_CSR2CSC_ALG1, b.at));
	same_ints("csr2csc: offsets", made, cols.offsets, base);
	same_ints("csr2csc: rows", more, cols.minor, base);
	same_values("csr2csc", turned, cols.values);
	OK(cusparseCreateIdentityPermutation(handle, nnz, made));
	std::vector<int> count;
	for (int i = 0; i < nnz; i++)
		count.push_back(i);
	same_ints("identity", made, count, 0);
	CHECK(cudaFree(made));
	CHECK(cudaFree(more));
}

/* Entries in any order, and what goes with them */
static void test_sorting(int m, int n, cusparseIndexBase_t base)
{
	matrix a = random_matrix(m, n, 2, CUDA_R_32F);
	entries rows = entries_of(a), cols = entries_of(a, true);
	int nnz = (int)rows.minor.size();
	std::vector<int> at(nnz), r(nnz), c(nnz), mixed, want;
	std::vector<number> moved(nnz);
	size_t bytes;

	for (int i = 0; i < nnz; i++)
		at[i] = i;
	for (int i = nnz - 1; i > 0; i--)
		std::swap(at[i], at[lcg_below(&draw, i + 1)]);
	for (int i = 0; i < nnz; i++) {
		r[i] = rows.major[at[i]];
		c[i] = rows.minor[at[i]];
	}
	index_list dr(r, CUSPARSE_INDEX_32I, base), dc(c, CUSPARSE_INDEX_32I, base);
	int *p = device_from(at.data(), nnz);
	std::vector<int> in_order(nnz);
	for (int i = 0; i < nnz; i++)
		in_order[i] = i;
	OK(cusparseXcoosort_bufferSizeExt(handle, m, n, nnz, dr.ints(), dc.ints(), &bytes));
	buffer b(bytes);
	OK(cusparseXcoosortByRow(handle, m, n, nnz, dr.ints(), dc.ints(), p, b.at));
	same_ints("sort: rows", dr.ints(), rows.major, base);
	same_ints("sort: columns", dc.ints(), rows.minor, base);
	/* what went with entry i was its place by rows */
	same_ints("sort: order", p, in_order, 0);
	OK(cusparseXcoosortByColumn(handle, m, n, nnz, dr.ints(), dc.ints(), NULL, b.at));
	same_ints("sort by column: columns", dc.ints(), cols.major, base);
	same_ints("sort by column: rows", dr.ints(), cols.minor, base);
	CHECK(cudaFree(p));

	/* each row backwards */
	for (int i = 0; i < m; i++)
		for (int k = rows.offsets[i + 1] - 1; k >= rows.offsets[i]; k--) {
			mixed.push_back(rows.minor[k]);
			want.push_back(rows.offsets[i] + rows.offsets[i + 1] - 1 - k);
		}
	std::vector<int> reversed(want.rbegin(), want.rend());
	index_list offsets(rows.offsets, CUSPARSE_INDEX_32I, base);
	index_list columns(mixed, CUSPARSE_INDEX_32I, base);
	cusparseMatDescr_t d = descr_of(base);
	p = device_new<int>(nnz);
	OK(cusparseCreateIdentityPermutation(handle, nnz, p));
	OK(cusparseXcsrsort_bufferSizeExt(handle, m, n, nnz, offsets.ints(), columns.ints(),
					  &bytes));
	buffer b2(bytes);
	OK(cusparseXcsrsort(handle, m, n, nnz, d, offsets.ints(), columns.ints(), p, b2.at));
	same_ints("csrsort", columns.ints(), rows.minor, base);
	std::vector<int> places(nnz);
	host_from(places.data(), p, nnz);
	for (int i = 0; i < nnz; i++)
		expect_same("csrsort: order", i, mixed[places[i]], rows.minor[i]);
	OK(cusparseDestroyMatDescr(d));
	CHECK(cudaFree(p));
}

/* A dense matrix on the device, by columns or by rows */
static void put_dense(array &d, matrix &a, int ld, bool by_rows)
{
	for (int i = 0; i < a.rows; i++)
		for (int j = 0; j < a.cols; j++)
			d.set(by_rows ? i * ld + j : j * ld + i, a.at(i, j));
	d.send();
}

/* An element that is there may be zero: the dense matrix does not know. */
static void without_zeros(matrix &a)
{
	for (size_t i = 0; i < a.values.size(); i++)
		if (size_of(a.values[i]) == 0)
			a.there[i] = 0;
}

static void test_dense(int m, int n, cusparseFormat_t format, cudaDataType t,
		       cusparseIndexType_t it, cusparseIndexBase_t base)
{
	matrix a = random_matrix(m, n, (int)lcg_below(&draw, 5), t);
	bool by_rows = lcg_below(&draw, 2), columns = format == CUSPARSE_FORMAT_CSC;
	int ld = (by_rows ? n : m) + 2, lines = columns ? n : m;
	array dense(t, (size_t)ld * (m > n ? m : n)), back(t, dense.count);
	cusparseDnMatDescr_t dd, bd;
	cusparseSpMatDescr_t s;
	int64_t rows, cols, nnz;
	size_t bytes;

	without_zeros(a);
	put_dense(dense, a, ld, by_rows);
	entries e = entries_of(a, columns);
	index_list offsets(
		std::vector<int>(format == CUSPARSE_FORMAT_COO ? e.minor.size() : lines + 1), it,
		base);
	index_list numbers(std::vector<int>(e.minor.size()), it, base);
	array values(t, e.minor.size());
	OK(cusparseCreateDnMat(&dd, m, n, ld, dense.at, t,
			       by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
	if (format == CUSPARSE_FORMAT_COO)
		OK(cusparseCreateCoo(&s, m, n, 0, NULL, NULL, NULL, it, base, t));
	else if (columns)
		OK(cusparseCreateCsc(&s, m, n, 0, offsets.at, NULL, NULL, it, it, base, t));
	else
		OK(cusparseCreateCsr(&s, m, n, 0, offsets.at, NULL, NULL, it, it, base, t));
	OK(cusparseDenseToSparse_bufferSize(handle, dd, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
					    &bytes));
	buffer b(bytes);
	OK(cusparseDenseToSparse_analysis(handle, dd, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, b.at));
	OK(cusparseSpMatGetSize(s, &rows, &cols, &nnz));
	EXPECT(rows == m && cols == n && nnz == (int64_t)e.minor.size());
	if (format == CUSPARSE_FORMAT_COO)
		OK(cusparseCooSetPointers(s, offsets.at, numbers.at, values.at));
	else if (columns)
		OK(cusparseCscSetPointers(s, offsets.at, numbers.at, values.at));
	else
		OK(cusparseCsrSetPointers(s, offsets.at, numbers.at, values.at));
	OK(cusparseDenseToSparse_convert(handle, dd, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, b.at));
	EXPECT(offsets.bring() == (format == CUSPARSE_FORMAT_COO ? e.major : e.offsets));
	EXPECT(numbers.bring() == e.minor);
	same_values("dense to sparse", values, e.values);
	/* and back, the other way around in memory */
	OK(cusparseCreateDnMat(&bd, m, n, by_rows ? m : n, back.at, t,
			       by_rows ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW));
	OK(cusparseSparseToDense(handle, s, bd, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL));
	back.bring();
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			expect_number("sparse to dense", i,
				      back.value(by_rows ? j * m + i : i * n + j), a.at(i, j), 0);
	OK(cusparseDestroyDnMat(dd));
	OK(cusparseDestroyDnMat(bd));
	OK(cusparseDestroySpMat(s));
}

/* The values of a blocked matrix whose columns are known; a dense one of other formats */
static void test_blocked(void)
{
	matrix a = random_matrix(12, 20, 2, CUDA_R_32F, 2);
	const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_BLOCKED_ELL, CUSPARSE_FORMAT_BSR,
					    CUSPARSE_FORMAT_SLICED_ELLPACK};
	array dense(CUDA_R_32F, 12 * 20);
	cusparseDnMatDescr_t dd;
	size_t bytes;

	OK(cusparseCreateDnMat(&dd, 12, 20, 20, dense.at, CUDA_R_32F, CUSPARSE_ORDER_ROW));
	for (cusparseFormat_t f : formats) {
		device_matrix d(a, f, CUDA_R_32F, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE);

		OK(cusparseSparseToDense(handle, d.descr, dd, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
					 NULL));
		same_values("blocks to dense", dense, a.values);
		if (f != CUSPARSE_FORMAT_BLOCKED_ELL) {
			EXPECT_STATUS(CUSPARSE_STATUS_NOT_SUPPORTED,
				      cusparseDenseToSparse_bufferSize(
					      handle, dd, d.descr,
					      CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
			continue;
		}
		std::vector<char> was = d.values->host;
		CHECK(cudaMemset(d.values->at, 0xff, d.values->count * sizeof(float)));
		OK(cusparseDenseToSparse_analysis(handle, dd, d.descr,
						  CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL));
		OK(cusparseDenseToSparse_convert(handle, dd, d.descr,
						 CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL));
		d.values->bring();
		for (size_t i = 0; i < d.values->count; i++) {
			double old = get(was.data(), CUDA_R_32F, i).re;

			/* padding was NaN */
			expect_same("blocked", (long)i, d.values->value(i).re,
				    old != old ? 0 : old);
		}
	}
	OK(cusparseDestroyDnMat(dd));
}

/* The functions of toolkit 11, and numbers of elements */
static void test_legacy_dense(int m, int n, cusparseIndexBase_t base)
{
	cudaDataType t = CUDA_R_32F;
	matrix a = random_matrix(m, n, 2, t);
	int ld = m + 1, total, *on_device = device_new<int>(1);
	array dense(t, (size_t)ld * n), values(t, m * n), back(t, (size_t)ld * n);
	cusparseMatDescr_t d = descr_of(base);
	int *counts = device_new<int>(m + n), *offsets = device_new<int>(m + n + 2);
	int *numbers = device_new<int>(m * n);

	without_zeros(a);
	put_dense(dense, a, ld, false);
	for (int turned = 0; turned < 2; turned++) {
		entries e = entries_of(a, turned);
		std::vector<int> each;
		const float *p = (const float *)dense.at;
		float *v = (float *)values.at, *q = (float *)back.at;

		for (size_t i = 1; i < e.offsets.size(); i++)
			each.push_back(e.offsets[i] - e.offsets[i - 1]);
		OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
		OK(cusparseSnnz(handle, (cusparseDirection_t)turned, m, n, d, p, ld, counts,
				&total));
		EXPECT(total == (int)e.minor.size());
		OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
		OK(cusparseSnnz(handle, (cusparseDirection_t)turned, m, n, d, p, ld, counts,
				on_device));
		OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
		same_ints("nnz: all", on_device, {(int)e.minor.size()}, 0);
		same_ints("nnz", counts, each, 0);
		OK(turned ? cusparseSdense2csc(handle, m, n, d, p, ld, counts, v, numbers, offsets)
			  : cusparseSdense2csr(handle, m, n, d, p, ld, counts, v, offsets,
					       numbers));
		same_ints("dense2: offsets", offsets, e.offsets, base);
		same_ints("dense2: numbers", numbers, e.minor, base);
		same_values("dense2", values, e.values);
		OK(turned ? cusparseScsc2dense(handle, m, n, d, v, numbers, offsets, q, ld)
			  : cusparseScsr2dense(handle, m, n, d, v, offsets, numbers, q, ld));
		back.bring();
		for (int i = 0; i < m * n; i++)
			expect_number("2dense", i, back.value(i / m * ld + i % m),
				      a.at(i % m, i / m), 0);
		if (turned)
			continue;
		/* those larger than 1 */
		array kept(t, m * n);
		int *c_offsets = device_new<int>(m + 1), *c_numbers = device_new<int>(m * n);
		entries want;
		want.offsets.push_back(0);
		for (int i = 0; i < m; i++) {
			for (int k = e.offsets[i]; k < e.offsets[i + 1]; k++)
				if (fabs(e.values[k].re) > 1) {
					want.minor.push_back(e.minor[k]);
					want.values.push_back(e.values[k]);
				}
			want.offsets.push_back((int)want.minor.size());
		}
		OK(cusparseSnnz_compress(handle, m, d, v, offsets, counts, &total, 1));
		EXPECT(total == (int)want.minor.size());
		OK(cusparseScsr2csr_compress(handle, m, n, d, v, numbers, offsets,
					     (int)e.minor.size(), counts, (float *)kept.at,
					     c_numbers, c_offsets, 1));
		same_ints("compress: offsets", c_offsets, want.offsets, base);
		same_ints("compress: numbers", c_numbers, want.minor, base);
		same_values("compress", kept, want.values);
		CHECK(cudaFree(c_offsets));
		CHECK(cudaFree(c_numbers));
	}
	OK(cusparseDestroyMatDescr(d));
	for (int *p : {on_device, counts, offsets, numbers})
		CHECK(cudaFree(p));
}

/* Blocks that do not fill the matrix, and back again */
static void test_blocks(int m, int n, int block, cusparseDirection_t dir)
{
	cudaDataType t = CUDA_R_64F;
	matrix a = random_matrix(m, n, 1, t);
	device_matrix csr(a, CUSPARSE_FORMAT_CSR, t, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE);
	int mb = (m + block - 1) / block, nb = (n + block - 1) / block, total;
	std::vector<int> first(1), cols;
	std::vector<number> want;
	cusparseMatDescr_t one = descr_of(CUSPARSE_INDEX_BASE_ONE);
	cusparseMatDescr_t zero = descr_of(CUSPARSE_INDEX_BASE_ZERO);

	for (int i = 0; i < mb; i++) {
		for (int j = 0; j < nb; j++) {
			std::vector<number> v(block * block);
			bool there = false;

			for (int k = 0; k < block * block; k++) {
				bool by_rows = dir == CUSPARSE_DIRECTION_ROW;
				int r = i * block + (by_rows ? k / block : k % block);
				int c = j * block + (by_rows ? k % block : k / block);

				if (r >= m || c >= n || !a.has(r, c))
					continue;
				there = true;
				v[k] = a.at(r, c);
			}
			if (!there)
				continue;
			cols.push_back(j);
			want.insert(want.end(), v.begin(), v.end());
		}
		first.push_back((int)cols.size());
	}
	int *offsets = device_new<int>(mb + 1), *numbers = device_new<int>(cols.size());
	array values(t, want.size());
	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	OK(cusparseXcsr2bsrNnz(handle, dir, m, n, one, csr.offsets->ints(), csr.indices->ints(),
			       block, zero, offsets, &total));
	EXPECT(total == (int)cols.size());
	OK(cusparseDcsr2bsr(handle, dir, m, n, one, (double *)csr.values->at, csr.offsets->ints(),
			    csr.indices->ints(), block, zero, (double *)values.at, offsets,
			    numbers));
	same_ints("csr2bsr: offsets", offsets, first, 0);
	same_ints("csr2bsr: columns", numbers, cols, 0);
	same_values("csr2bsr", values, want);

	/* all elements of blocks are entries then */
	matrix whole(mb * block, nb * block);
	for (int i = 0; i < mb; i++)
		for (int b = first[i]; b < first[i + 1]; b++)
			for (int k = 0; k < block * block; k++) {
				int r = i * block + k / block, c = cols[b] * block + k % block;

				whole.has(r, c) = 1;
				if (r < m && c < n)
					whole.at(r, c) = a.at(r, c);
			}
	entries e = entries_of(whole);
	int *back_offsets = device_new<int>(mb * block + 1);
	int *back_numbers = device_new<int>(e.minor.size());
	array back(t, e.values.size());
	OK(cusparseDbsr2csr(handle, dir, mb, nb, zero, (double *)values.at, offsets, numbers, block,
			    one, (double *)back.at, back_offsets, back_numbers));
	same_ints("bsr2csr: offsets", back_offsets, e.offsets, 1);
	same_ints("bsr2csr: columns", back_numbers, e.minor, 1);
	same_values("bsr2csr", back, e.values);
	OK(cusparseDestroyMatDescr(one));
	OK(cusparseDestroyMatDescr(zero));
	for (int *p : {offsets, numbers, back_offsets, back_numbers})
		CHECK(cudaFree(p));
}

int main(int argc, char **argv)
{
	const int sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {7, 5}, {40, 33}, {5, 300}};

	parse_size(argc, argv, "conversions", NULL, 0, 0, 0);
	OK(cusparseCreate(&handle));
	for (auto s : sizes)
		for (int base = 0; base < 2; base++) {
			cusparseIndexBase_t b = (cusparseIndexBase_t)base;

			test_lists(s[0], s[1], b, types[lcg_below(&draw, 4)]);
			for (int f = 1; f <= 3; f++)
				test_dense(s[0], s[1], (cusparseFormat_t)f,
					   types[lcg_below(&draw, 4)],
					   lcg_below(&draw, 2) ? CUSPARSE_INDEX_32I
							       : CUSPARSE_INDEX_64I,
					   b);
		}
	for (cudaDataType t : {CUDA_R_16F, CUDA_R_16BF})
		test_dense(9, 21, CUSPARSE_FORMAT_CSR, t, CUSPARSE_INDEX_32I,
			   CUSPARSE_INDEX_BASE_ZERO);
	/* keys of more than one and two digits, more entries than a block's pieces hold */
	test_sorting(5, 7, CUSPARSE_INDEX_BASE_ZERO);
	test_sorting(20, 300, CUSPARSE_INDEX_BASE_ONE);
	test_sorting(130, 90, CUSPARSE_INDEX_BASE_ZERO);
	test_blocked();
	test_legacy_dense(9, 40, CUSPARSE_INDEX_BASE_ONE);
	test_legacy_dense(33, 3, CUSPARSE_INDEX_BASE_ZERO);
	test_blocks(7, 9, 3, CUSPARSE_DIRECTION_ROW);
	test_blocks(40, 5, 2, CUSPARSE_DIRECTION_COLUMN);
	OK(cusparseDestroy(handle));
	return finish();
}
