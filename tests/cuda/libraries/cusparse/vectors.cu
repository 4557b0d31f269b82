/* SPDX-License-Identifier: MIT */
/* Sparse vectors with dense ones, and products of dense matrices at the places of a sparse one. */
#include "sparse.h"

struct types {
	cudaDataType t, compute;
};
static const struct types all_types[] = {{CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F},
					 {CUDA_C_32F, CUDA_C_32F}, {CUDA_C_64F, CUDA_C_64F},
					 {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_32F}};

struct problem {
	int n, nnz;
	cudaDataType t;
	std::vector<int> at;
	array x, y;
	std::vector<number> dense;
	index_list *indices;
	cusparseSpVecDescr_t vx;
	cusparseDnVecDescr_t vy;

	problem(int size, int part, struct types type, cusparseIndexType_t it,
		cusparseIndexBase_t base)
	    : n(size), t(type.t), at(places(size, part)), x(t, at.size()), y(t, size)
	{
		nnz = (int)at.size();
		for (int i = 0; i < nnz; i++)
			x.set(i, random_number(t));
		for (int i = 0; i < n; i++) {
			dense.push_back(random_number(t));
			y.set(i, dense[i]);
		}
		x.send();
		y.send();
		indices = new index_list(at, it, base);
		OK(cusparseCreateSpVec(&vx, n, nnz, indices->at, x.at, it, base, t));
		OK(cusparseCreateDnVec(&vy, n, y.at, t));
	}
	~problem()
	{
		OK(cusparseDestroySpVec(vx));
		OK(cusparseDestroyDnVec(vy));
		delete indices;
	}
	static std::vector<int> places(int n, int part)
	{
		std::vector<int> at;

		for (int i = 0; i < n; i++)
			if (lcg_below(&draw, 4) < (uint32_t)part)
				at.push_back(i);
		return at;
	}
	/* exact: sums of two products of such numbers are */
	void check(const char *what, const std::vector<number> &want)
	{
		y.bring();
		for (int i = 0; i < n; i++)
			expect_number(what, i, y.value(i), want[i], epsilon(t) * size_of(want[i]));
	}
};

static void test_vectors(int n, int part, struct types t)
{
	cusparseIndexType_t it = lcg_below(&draw, 2) ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
	problem p(n, part, t, it, (cusparseIndexBase_t)lcg_below(&draw, 2));
	number alpha = random_number(t.compute), beta = random_number(t.compute), sum = {0, 0};
	struct scalar a = scalar_of(t.compute, alpha), b = scalar_of(t.compute, beta), r, *dr;
	std::vector<number> want = p.dense;
	size_t bytes;
	double size = 0;

	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	for (int turned = 0; turned < 3; turned += 2) {
		cusparseOperation_t op = (cusparseOperation_t)turned;

		OK(cusparseSpVV_bufferSize(handle, op, p.vx, p.vy, &r, t.compute, &bytes));
		buffer memory(bytes);
		OK(cusparseSpVV(handle, op, p.vx, p.vy, &r, t.compute, memory.at));
		sum = {0, 0};
		for (int i = 0; i < p.nnz; i++) {
			sum = sum + conj_if(p.x.value(i), turned) * p.dense[p.at[i]];
			size += size_of(p.x.value(i)) * size_of(p.dense[p.at[i]]);
		}
		expect_number("SpVV", turned, get(r.bytes, t.compute, 0), sum,
			      (p.nnz + 1) * epsilon(t.compute) * size);
		OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
		dr = device_new<struct scalar>(1);
		OK(cusparseSpVV(handle, op, p.vx, p.vy, dr, t.compute, memory.at));
		struct scalar again = r;
		host_from(&again, dr, 1);
		EXPECT(!memcmp(&again, &r, bytes_of(t.compute)));
		CHECK(cudaFree(dr));
		OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	}
	OK(cusparseAxpby(handle, &a, p.vx, &b, p.vy));
	for (int i = 0; i < n; i++) {
		want[i] = beta * want[i];
		/* 16 bits are rounded between */
		want[i] = get(memcpy(r.bytes, scalar_of(p.t, want[i]).bytes, 16), p.t, 0);
	}
	for (int i = 0; i < p.nnz; i++)
		want[p.at[i]] = want[p.at[i]] + alpha * p.x.value(i);
	p.check("Axpby", want);

	p.y.bring();
	std::vector<number> now;
	for (int i = 0; i < n; i++)
		now.push_back(p.y.value(i));
	OK(cusparseRot(handle, &a, &b, p.vx, p.vy));
	want = now;
	std::vector<number> x(p.nnz);
	number minus = {-beta.re, -beta.im};
	for (int i = 0; i < p.nnz; i++) {
		want[p.at[i]] = alpha * now[p.at[i]] + minus * p.x.value(i);
		x[i] = alpha * p.x.value(i) + beta * now[p.at[i]];
	}
	p.y.bring();
	p.x.bring();
	for (int i = 0; i < n; i++)
		expect_number("Rot: y", i, p.y.value(i), want[i], 32 * epsilon(t.t));
	for (int i = 0; i < p.nnz; i++)
		expect_number("Rot: x", i, p.x.value(i), x[i], 32 * epsilon(t.t));

	for (int i = 0; i < n; i++)
		p.y.set(i, p.dense[i]);
	p.y.send();
	OK(cusparseGather(handle, p.vy, p.vx));
	p.x.bring();
	for (int i = 0; i < p.nnz; i++)
		expect_number("Gather", i, p.x.value(i), p.dense[p.at[i]], 0);
	for (int i = 0; i < p.nnz; i++)
		p.x.set(i, {(double)(i % 100), 0});
	p.x.send();
	OK(cusparseScatter(handle, p.vx, p.vy));
	want = p.dense;
	for (int i = 0; i < p.nnz; i++)
		want[p.at[i]] = {(double)(i % 100), 0};
	p.check("Scatter", want);
	/* with beta zero what was there is not read */
	struct scalar zero = scalar_of(t.compute, {0, 0}), one = scalar_of(t.compute, {1, 0});
	for (int i = 0; i < n; i++)
		p.y.set(i, {NAN, 0});
	p.y.send();
	OK(cusparseAxpby(handle, &one, p.vx, &zero, p.vy));
	for (number &v : want)
		v = {0, 0};
	for (int i = 0; i < p.nnz; i++)
		want[p.at[i]] = {(double)(i % 100), 0};
	p.check("Axpby: NaN", want);
}

/* The functions of toolkit 11 */
static void test_legacy(void)
{
	problem p(50, 2, all_types[1], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE);
	double *x = (double *)p.x.at, *y = (double *)p.y.at, two = 2, c = 0.5, s = 0.25;
	const int *at = p.indices->ints();
	std::vector<number> want = p.dense, xs;
	const cusparseIndexBase_t one = CUSPARSE_INDEX_BASE_ONE;

	OK(cusparseDaxpyi(handle, p.nnz, &two, x, at, y, one));
	for (int i = 0; i < p.nnz; i++)
		want[p.at[i]].re += 2 * p.x.value(i).re;
	p.check("axpyi", want);
	OK(cusparseDroti(handle, p.nnz, x, at, y, &c, &s, one));
	for (int i = 0; i < p.nnz; i++) {
		double a = p.x.value(i).re, b = want[p.at[i]].re;

		xs.push_back({c * a + s * b, 0});
		want[p.at[i]].re = c * b - s * a;
	}
	p.check("roti: y", want);
	p.x.bring();
	for (int i = 0; i < p.nnz; i++)
		expect_number("roti: x", i, p.x.value(i), xs[i], 0);
	OK(cusparseDgthr(handle, p.nnz, y, x, at, one));
	OK(cusparseDsctr(handle, p.nnz, x, at, y, one));
	p.check("gthr, sctr", want);
	OK(cusparseDgthrz(handle, p.nnz, y, x, at, one));
	p.x.bring();
	for (int i = 0; i < p.nnz; i++) {
		expect_number("gthrz", i, p.x.value(i), want[p.at[i]], 0);
		want[p.at[i]] = {0, 0};
	}
	p.check("gthrz: y", want);

	/* A dense matrix, both ways, with x that has entries in its columns or rows */
	enum { LD = 52 };
	array a(CUDA_R_64F, LD * 50), out(CUDA_R_64F, 50);
	double none = 0;
	int bytes;
	for (int i = 0; i < LD * 50; i++)
		a.set(i, random_number(CUDA_R_64F));
	a.send();
	for (int turned = 0; turned < 2; turned++) {
		cusparseOperation_t op = (cusparseOperation_t)turned;

		OK(cusparseDgemvi_bufferSize(handle, op, 50, 50, p.nnz, &bytes));
		buffer b(bytes);
		OK(cusparseDgemvi(handle, op, 50, 50, &two, (double *)a.at, LD, p.nnz, x, at, &none,
				  (double *)out.at, one, b.at));
		out.bring();
		for (int i = 0; i < 50; i++) {
			double sum = 0;

			for (int k = 0; k < p.nnz; k++)
				sum += p.x.value(k).re *
				       a.value(turned ? i * LD + p.at[k] : p.at[k] * LD + i).re;
			expect_near("gemvi", i, out.value(i).re, 2 * sum, 0x1p-40);
		}
	}
}

static void test_sddmm(cusparseFormat_t format, struct types t)
{
	int m = 2 * (int)lcg_below(&draw, 9), n = 2 + 2 * (int)lcg_below(&draw, 9);
	int k = (int)lcg_below(&draw, 40);
	matrix shape = random_matrix(m, n, 2, t.t, format == CUSPARSE_FORMAT_BSR ? 2 : 1);
	device_matrix c(shape, format, t.t, CUSPARSE_INDEX_32I,
			(cusparseIndexBase_t)lcg_below(&draw, 2));
	cusparseOperation_t op_a = (cusparseOperation_t)lcg_below(&draw, 3);
	cusparseOperation_t op_b = (cusparseOperation_t)lcg_below(&draw, 3);
	matrix a = random_matrix(op_a ? k : m, op_a ? m : k, 4, t.t);
	matrix b = random_matrix(op_b ? n : k, op_b ? k : n, 4, t.t);
	bool by_rows = lcg_below(&draw, 2);
	array da(t.t, a.values.size()), db(t.t, b.values.size());
	number alpha = random_number(t.compute);
	number beta = {lcg_below(&draw, 2) ? 0.5 : 0, 0};
	struct scalar by = scalar_of(t.compute, alpha), keep = scalar_of(t.compute, beta);
	cusparseDnMatDescr_t ma, mb, md;
	size_t bytes;

	for (size_t i = 0; i < a.values.size(); i++)
		da.set(i, a.values[i]);
	for (int i = 0; i < b.rows * b.cols; i++)
		db.set(by_rows ? i : i % b.cols * b.rows + i / b.cols, b.values[i]);
	da.send();
	db.send();
	OK(cusparseCreateDnMat(&ma, a.rows, a.cols, a.cols, da.at, t.t, CUSPARSE_ORDER_ROW));
	OK(cusparseCreateDnMat(&mb, b.rows, b.cols, by_rows ? b.cols : b.rows, db.at, t.t,
			       by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
	OK(cusparseSDDMM_bufferSize(handle, op_a, op_b, &by, ma, mb, &keep, c.descr, t.compute,
				    CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
	buffer memory(bytes);
	OK(cusparseSDDMM_preprocess(handle, op_a, op_b, &by, ma, mb, &keep, c.descr, t.compute,
				    CUSPARSE_SDDMM_ALG_DEFAULT, memory.at));
	OK(cusparseSDDMM(handle, op_a, op_b, &by, ma, mb, &keep, c.descr, t.compute,
			 CUSPARSE_SDDMM_ALG_DEFAULT, memory.at));
	/* seen as a dense matrix: what is no entry is zero */
	array dense(t.t, (size_t)m * n);
	OK(cusparseCreateDnMat(&md, m, n, n, dense.at, t.t, CUSPARSE_ORDER_ROW));
	OK(cusparseSparseToDense(handle, c.descr, md, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL));
	dense.bring();
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			number sum = {0, 0};
			double size = 0;

			for (int l = 0; l < k; l++) {
				sum = sum + a.op(op_a, i, l) * b.op(op_b, l, j);
				size += size_of(a.op(op_a, i, l)) * size_of(b.op(op_b, l, j));
			}
			sum = alpha * sum + beta * shape.at(i, j);
			if (!shape.has(i, j))
				sum = {0, 0};
			expect_number("SDDMM", i * n + j, dense.value(i * n + j), sum,
				      (k + 4) * epsilon(t.compute) * size * size_of(alpha) +
					      4 * epsilon(t.t) * (size_of(sum) + 2));
		}
	OK(cusparseDestroyDnMat(ma));
	OK(cusparseDestroyDnMat(mb));
	OK(cusparseDestroyDnMat(md));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "vectors", NULL, 0, 0, 0);
	OK(cusparseCreate(&handle));
	for (struct types t : all_types) {
		test_vectors(40, 2, t);
		test_vectors(700, 3, t);
		for (cusparseFormat_t f :
		     {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_BSR})
			test_sddmm(f, t);
	}
	test_vectors(0, 4, all_types[0]);
	test_vectors(5, 0, all_types[3]);
	test_legacy();
	OK(cusparseDestroy(handle));
	return finish();
}
