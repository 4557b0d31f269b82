/* SPDX-License-Identifier: MIT */
/*
 * Products of sparse matrices and dense vectors and matrices: every format, type, operation, index
 * and base, beside sums of double.
 */
#include "sparse.h"

struct types {
	cudaDataType a, x, y, compute;
};
static const struct types all_types[] = {
	{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
	{CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
	{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
	{CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
	{CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},
	{CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F},
	{CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
	{CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
	{CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
	{CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
	{CUDA_R_32F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
};
static const cusparseFormat_t formats[] = {
	CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC,	  CUSPARSE_FORMAT_COO,
	CUSPARSE_FORMAT_BSR, CUSPARSE_FORMAT_BLOCKED_ELL, CUSPARSE_FORMAT_SLICED_ELLPACK};

static bool in_blocks(cusparseFormat_t f)
{
	return f == CUSPARSE_FORMAT_BSR || f == CUSPARSE_FORMAT_BLOCKED_ELL;
}

static number random_scalar(cudaDataType t)
{
	switch (lcg_below(&draw, 4)) {
	case 0:
		return {0, 0};
	case 1:
		return {1, 0};
	default:
		return random_number(t);
	}
}

/* One element: got, and its sum with a bound by what was added */
static void check_element(const char *what, long i, number got, struct types t, number alpha,
			  number sum, double size, number beta, number old, int length)
{
	number want = alpha * sum;
	double all = size_of(alpha) * size;

	if (beta.re != 0 || beta.im != 0) {
		want = want + beta * old;
		all += size_of(beta) * size_of(old);
	}
	expect_number(what, i, got, want,
		      (length + 4) * epsilon(t.compute) * all + 2 * epsilon(t.y) * size_of(want));
}

static void spmv_case(int m, int n, cusparseFormat_t format, struct types t, cusparseOperation_t op,
		      cusparseIndexType_t it, cusparseIndexBase_t base, number alpha, number beta)
{
	matrix a = random_matrix(m, n, (int)lcg_below(&draw, 5), t.a, in_blocks(format) ? 2 : 1);
	int rows = op ? n : m, cols = op ? m : n;
	device_matrix d(a, format, t.a, it, base);
	array x(t.x, cols), y(t.y, rows);
	std::vector<number> old(rows);
	struct scalar by = scalar_of(t.compute, alpha), keep = scalar_of(t.compute, beta);
	cusparseDnVecDescr_t vx, vy;
	bool device_scalars = lcg_below(&draw, 2);
	size_t bytes = 99;

	/* what is multiplied by zero stays NaN */
	for (int i = 0; i < cols; i++)
		if (size_of(alpha) != 0)
			x.set(i, random_number(t.x));
	for (int i = 0; i < rows; i++)
		if (size_of(beta) != 0) {
			old[i] = random_number(t.y);
			y.set(i, old[i]);
		}
	x.send();
	y.send();
	OK(cusparseCreateDnVec(&vx, cols, x.at, t.x));
	OK(cusparseCreateDnVec(&vy, rows, y.at, t.y));
	struct scalar *on_device[2] = {device_from(&by, 1), device_from(&keep, 1)};
	const void *pa = device_scalars ? on_device[0] : &by;
	const void *pb = device_scalars ? on_device[1] : &keep;
	OK(cusparseSetPointerMode(handle, device_scalars ? CUSPARSE_POINTER_MODE_DEVICE
							 : CUSPARSE_POINTER_MODE_HOST));
	OK(cusparseSpMV_bufferSize(handle, op, pa, d.descr, vx, pb, vy, t.compute,
				   CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
	buffer b(bytes);
	OK(cusparseSpMV_preprocess(handle, op, pa, d.descr, vx, pb, vy, t.compute,
				   CUSPARSE_SPMV_ALG_DEFAULT, b.at));
	OK(cusparseSpMV(handle, op, pa, d.descr, vx, pb, vy, t.compute, CUSPARSE_SPMV_ALG_DEFAULT,
			b.at));
	y.bring();
	for (int i = 0; i < rows; i++) {
		number sum = {0, 0};
		double size = 0;

		for (int j = 0; j < cols && size_of(alpha) != 0; j++) {
			number p = a.op(op, i, j) * x.value(j);

			sum = sum + p;
			size += size_of(a.op(op, i, j)) * size_of(x.value(j));
		}
		check_element("SpMV", i, y.value(i), t, alpha, sum, size, beta, old[i], cols);
	}
	OK(cusparseDestroyDnVec(vx));
	OK(cusparseDestroyDnVec(vy));
	CHECK(cudaFree(on_device[0]));
	CHECK(cudaFree(on_device[1]));
}

static cusparseOperation_t random_op(cusparseFormat_t format)
{
	return format == CUSPARSE_FORMAT_CSR || format == CUSPARSE_FORMAT_CSC ||
			       format == CUSPARSE_FORMAT_COO
		       ? (cusparseOperation_t)lcg_below(&draw, 3)
		       : CUSPARSE_OPERATION_NON_TRANSPOSE;
}
static cusparseIndexType_t random_index(void)
{
	return lcg_below(&draw, 2) ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
}
static cusparseIndexBase_t random_base(void)
{
	return (cusparseIndexBase_t)lcg_below(&draw, 2);
}
/* Even, for blocks */
static int random_size(void)
{
	static const int sizes[] = {2, 4, 6, 16, 30, 34, 66};

	return sizes[lcg_below(&draw, 7)];
}

static void test_spmv(void)
{
	for (struct types t : all_types)
		for (cusparseFormat_t f : formats)
			for (int k = 0; k < 2; k++)
				spmv_case(random_size(), random_size(), f, t, random_op(f),
					  random_index(), random_base(), random_scalar(t.compute),
					  random_scalar(t.compute));
	/* nothing there, rows that are long, more rows than threads of a block */
	for (cusparseFormat_t f : formats) {
		spmv_case(0, 4, f, all_types[0], CUSPARSE_OPERATION_NON_TRANSPOSE,
			  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, {1, 0}, {0, 0});
		spmv_case(4, 0, f, all_types[0], CUSPARSE_OPERATION_NON_TRANSPOSE,
			  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, {1, 0}, {0, 0});
		spmv_case(6, 300, f, all_types[1], random_op(f), CUSPARSE_INDEX_32I,
			  CUSPARSE_INDEX_BASE_ONE, {2, 0}, {1, 0});
		spmv_case(300, 6, f, all_types[2], random_op(f), CUSPARSE_INDEX_64I,
			  CUSPARSE_INDEX_BASE_ZERO, {2, 1}, {0, 0});
	}
}

/* A dense matrix of n problems, with NaN between its lines */
struct dense_matrix {
	array values;
	int rows, cols, ld;
	cusparseOrder_t order;
	int64_t stride;
	cusparseDnMatDescr_t descr;

	dense_matrix(int m, int n, cudaDataType t, int count)
	    : values(t, (size_t)(m > n ? m + 3 : n + 3) * (m + n + 2) * count), rows(m), cols(n)
	{
		order = lcg_below(&draw, 2) ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
		ld = (order == CUSPARSE_ORDER_ROW ? n : m) + (int)lcg_below(&draw, 3);
		stride = (int64_t)ld * (order == CUSPARSE_ORDER_ROW ? m : n) + 2;
		OK(cusparseCreateDnMat(&descr, m, n, ld ? ld : 1, values.at, t, order));
		if (count > 1)
			OK(cusparseDnMatSetStridedBatch(descr, count, stride));
	}
	~dense_matrix()
	{
		OK(cusparseDestroyDnMat(descr));
	}
	size_t place(int i, int j, int batch)
	{
		return (order == CUSPARSE_ORDER_ROW ? i * ld + j : j * ld + i) + batch * stride;
	}
};

static void spmm_case(int m, int k, int n, cusparseFormat_t format, struct types t,
		      cusparseOperation_t op_a, cusparseOperation_t op_b, int count)
{
	matrix a = random_matrix(m, k, (int)lcg_below(&draw, 5), t.a, in_blocks(format) ? 2 : 1);
	int rows = op_a ? k : m, inner = op_a ? m : k;
	device_matrix d(a, format, t.a, random_index(), random_base());
	dense_matrix b(op_b ? n : inner, op_b ? inner : n, t.x, count), c(rows, n, t.y, count);
	number alpha = random_scalar(t.compute), beta = random_scalar(t.compute);
	struct scalar by = scalar_of(t.compute, alpha), keep = scalar_of(t.compute, beta);
	std::vector<number> old(c.values.count);
	std::vector<char> untouched;
	size_t bytes = 99;

	for (int z = 0; z < count; z++) {
		for (int i = 0; i < b.rows * b.cols && size_of(alpha) != 0; i++)
			b.values.set(b.place(i / b.cols, i % b.cols, z), random_number(t.x));
		for (int i = 0; i < rows * n && size_of(beta) != 0; i++) {
			size_t at = c.place(i / n, i % n, z);

			old[at] = random_number(t.y);
			c.values.set(at, old[at]);
		}
	}
	b.values.send();
	c.values.send();
	untouched = c.values.host;
	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	OK(cusparseSpMM_bufferSize(handle, op_a, op_b, &by, d.descr, b.descr, &keep, c.descr,
				   t.compute, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
	buffer memory(bytes);
	OK(cusparseSpMM(handle, op_a, op_b, &by, d.descr, b.descr, &keep, c.descr, t.compute,
			CUSPARSE_SPMM_ALG_DEFAULT, memory.at));
	c.values.bring();
	for (int z = 0; z < count; z++)
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < n; j++) {
				number sum = {0, 0};
				double size = 0;
				size_t at = c.place(i, j, z);

				for (int l = 0; l < inner && size_of(alpha) != 0; l++) {
					number v = b.values.value(op_b ? b.place(j, l, z)
								       : b.place(l, j, z));

					v = conj_if(v,
						    op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
					sum = sum + a.op(op_a, i, l) * v;
					size += size_of(a.op(op_a, i, l)) * size_of(v);
				}
				check_element("SpMM", (long)at, c.values.value(at), t, alpha, sum,
					      size, beta, old[at], inner);
				memcpy(&c.values.host[at * bytes_of(t.y)],
				       &untouched[at * bytes_of(t.y)], bytes_of(t.y));
			}
	/* what lies between the lines is as it was */
	EXPECT(!memcmp(c.values.host.data(), untouched.data(), c.values.count * bytes_of(t.y)));
}

static void test_spmm(void)
{
	for (struct types t : all_types)
		for (cusparseFormat_t f : formats)
			spmm_case(random_size(), random_size(), (int)lcg_below(&draw, 8), f, t,
				  random_op(f), (cusparseOperation_t)lcg_below(&draw, 3),
				  1 + (int)lcg_below(&draw, 2));
	spmm_case(0, 4, 3, CUSPARSE_FORMAT_CSR, all_types[0], CUSPARSE_OPERATION_NON_TRANSPOSE,
		  CUSPARSE_OPERATION_NON_TRANSPOSE, 1);
	spmm_case(4, 0, 3, CUSPARSE_FORMAT_COO, all_types[0], CUSPARSE_OPERATION_NON_TRANSPOSE,
		  CUSPARSE_OPERATION_NON_TRANSPOSE, 1);
}

/* A batch of sparse matrices: three in CSR beside one another, each with its own offsets. */
static void test_batch(void)
{
	enum { M = 4, N = 2, COUNT = 3, NNZ = 4 };
	int offsets[COUNT][M + 1] = {{0, 1, 2, 3, 4}, {0, 4, 4, 4, 4}, {0, 0, 2, 2, 4}};
	int columns[COUNT][NNZ] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 3, 0, 2}};
	float values[COUNT][NNZ] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
	/* B is 1 2 3 4 and 5 6 7 8 in columns, for all; C is counted by hand */
	float b[M * N] = {1, 2, 3, 4, 5, 6, 7, 8}, c[COUNT][M * N], one = 1, zero = 0;
	float want[COUNT][M * N] = {{1, 4, 9, 16, 5, 12, 21, 32},
				    {70, 0, 0, 0, 174, 0, 0, 0},
				    {0, 58, 0, 47, 0, 134, 0, 139}};
	int *doff = device_from(&offsets[0][0], COUNT * (M + 1));
	int *dcol = device_from(&columns[0][0], COUNT * NNZ);
	float *dval = device_from(&values[0][0], COUNT * NNZ), *db = device_from(b, M * N);
	float *dc = device_new<float>(COUNT * M * N);
	cusparseSpMatDescr_t ma;
	cusparseDnMatDescr_t mb, mc;
	int count;

	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	OK(cusparseCreateCsr(&ma, M, M, NNZ, doff, dcol, dval, CUSPARSE_INDEX_32I,
			     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
	OK(cusparseCsrSetStridedBatch(ma, COUNT, M + 1, NNZ));
	OK(cusparseSpMatGetStridedBatch(ma, &count));
	EXPECT(count == COUNT);
	OK(cusparseCreateDnMat(&mb, M, N, M, db, CUDA_R_32F, CUSPARSE_ORDER_COL));
	OK(cusparseDnMatSetStridedBatch(mb, COUNT, 0));
	OK(cusparseCreateDnMat(&mc, M, N, M, dc, CUDA_R_32F, CUSPARSE_ORDER_COL));
	OK(cusparseDnMatSetStridedBatch(mc, COUNT, M * N));
	OK(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
			&one, ma, mb, &zero, mc, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, NULL));
	host_from(&c[0][0], dc, COUNT * M * N);
	compare_exact("batch", &c[0][0], &want[0][0], COUNT * M * N);
	OK(cusparseDestroySpMat(ma));
	OK(cusparseDestroyDnMat(mb));
	OK(cusparseDestroyDnMat(mc));
	for (void *p : {(void *)doff, (void *)dcol, (void *)dval, (void *)db, (void *)dc})
		CHECK(cudaFree(p));
}

/* The names of toolkit 10 and 11, with pointers: a matrix of 34 rows, and blocks of 2. */
static void test_legacy(void)
{
	enum { M = 34, K = 20, N = 3 };
	cudaDataType t = CUDA_R_64F;
	matrix a = random_matrix(M, K, 2, t, 2);
	device_matrix d(a, CUSPARSE_FORMAT_CSR, t, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE);
	device_matrix blocks(a, CUSPARSE_FORMAT_BSR, t, CUSPARSE_INDEX_32I,
			     CUSPARSE_INDEX_BASE_ONE);
	array b(t, M * N), c(t, M * N), y(t, M);
	double alpha = 2, beta = 0;
	int nnz = (int)d.values->count, nnzb = (int)blocks.indices->count;
	double *av = (double *)d.values->at, *bv = (double *)b.at, *cv = (double *)c.at;
	int64_t rows, cols, n;
	cusparseMatDescr_t descr;

	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	OK(cusparseCreateMatDescr(&descr));
	OK(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE));
	for (int i = 0; i < M * N; i++)
		b.set(i, random_number(t));
	b.send();
	for (int turned = 0; turned < 2; turned++) {
		cusparseOperation_t op = (cusparseOperation_t)turned;
		int r = turned ? K : M, inner = turned ? M : K;

		OK(cusparseDcsrmv(handle, op, M, K, nnz, &alpha, descr, av, d.offsets->ints(),
				  d.indices->ints(), bv, &beta, (double *)y.at));
		OK(cusparseDcsrmm(handle, op, M, N, K, nnz, &alpha, descr, av, d.offsets->ints(),
				  d.indices->ints(), bv, inner, &beta, cv, r));
		y.bring();
		c.bring();
		for (int i = 0; i < r * N; i++) {
			number sum = {0, 0};

			for (int l = 0; l < inner; l++)
				sum = sum + a.op(op, i % r, l) * b.value(i / r * inner + l);
			expect_near("csrmm", i, c.value(i).re, 2 * sum.re, 0x1p-40);
			if (i < r)
				expect_near("csrmv", i, y.value(i).re, 2 * sum.re, 0x1p-40);
		}
		if (turned)
			continue;
		cusparseDirection_t dir = CUSPARSE_DIRECTION_ROW;
		array again(t, M), *bl = blocks.values;
		std::vector<double> one(4);
		/* the test's descriptor knows how blocks lie: by what is not the same */
		for (int k = 0; k < 2; k++) {
			dir = (cusparseDirection_t)k;
			OK(cusparseDbsrmv(handle, dir, op, M / 2, K / 2, nnzb, &alpha, descr,
					  (double *)bl->at, blocks.offsets->ints(),
					  blocks.indices->ints(), 2, bv, &beta,
					  (double *)again.at));
			again.bring();
			double off = 0;
			for (int i = 0; i < M; i++)
				off += fabs(again.value(i).re - y.value(i).re);
			one[k] = off;
		}
		EXPECT((one[0] < 0x1p-36) != (one[1] < 0x1p-36));
	}
	OK(cusparseSpMatGetSize(blocks.descr, &rows, &cols, &n));
	EXPECT(rows == M && cols == K && n == 4 * nnzb);
	OK(cusparseSetMatType(descr, CUSPARSE_MATRIX_TYPE_SYMMETRIC));
	EXPECT_STATUS(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
		      cusparseDcsrmv(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, M, K, nnz, &alpha,
				     descr, av, d.offsets->ints(), d.indices->ints(), bv, &beta,
				     (double *)y.at));
	OK(cusparseDestroyMatDescr(descr));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "products", NULL, 0, 0, 0);
	OK(cusparseCreate(&handle));
	test_spmv();
	test_spmm();
	test_batch();
	test_legacy();
	OK(cusparseDestroy(handle));
	return finish();
}
