/* SPDX-License-Identifier: MIT */
/* Triangular solutions: what is found, multiplied by the matrix, is the right side. */
#include "sparse.h"

/*
 * A triangle with a diagonal of 2 to 3, whose other elements are small enough for each solution to
 * be about as large as its right side; what is in the other triangle must not be read.
 */
static matrix triangle(int n, int part, cudaDataType t, bool lower, bool other, bool diagonal)
{
	matrix a = random_matrix(n, n, part, t);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			number &v = a.at(i, j);

			if (i == j) {
				v = {diagonal ? 2 + (i % 8) * 0.125 : NAN, 0};
				a.has(i, j) = 1;
			} else if (lower != (j < i)) {
				v = {a.has(i, j) && other ? NAN : 0, 0};
				a.has(i, j) = a.has(i, j) && other;
			} else {
				v = {v.re / 16, v.im / 16};
			}
		}
	return a;
}

/* The element of OP(A) in the triangle; the diagonal may be one. */
static number element(matrix &a, cusparseOperation_t op, bool lower, bool unit, int i, int j)
{
	int r = op ? j : i, c = op ? i : j;

	if (r == c && unit)
		return {1, 0};
	if (r != c && lower != (c < r))
		return {0, 0};
	return a.op(op, i, j);
}

static void attributes(cusparseSpMatDescr_t m, bool lower, bool unit)
{
	cusparseFillMode_t fill = lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
	cusparseFillMode_t got;
	cusparseDiagType_t diag = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;

	OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
	OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof(diag)));
	OK(cusparseSpMatGetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &got, sizeof(got)));
	EXPECT(got == fill);
}

/* alpha * b, and OP(A) * x, which is found by multiplication */
static void check_solution(matrix &a, cusparseOperation_t op, bool lower, bool unit, number alpha,
			   const std::vector<number> &x, const std::vector<number> &b,
			   cudaDataType t)
{
	int n = a.rows;

	for (int i = 0; i < n; i++) {
		number sum = {0, 0};
		double size = size_of(b[i]) * size_of(alpha);

		for (int j = 0; j < n; j++) {
			number v = element(a, op, lower, unit, i, j);

			if (size_of(v) == 0)
				continue;
			sum = sum + v * x[j];
			size += size_of(v) * size_of(x[j]);
		}
		expect_number("solution", i, sum, alpha * b[i], (n + 8) * epsilon(t) * size * 2);
	}
}

static void spsv_case(int n, int part, cusparseFormat_t format, cudaDataType t,
		      cusparseOperation_t op, bool lower, bool unit, bool updated)
{
	matrix a = triangle(n, part, t, lower, true, !unit);
	device_matrix d(a, format, t, lcg_below(&draw, 2) ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
			(cusparseIndexBase_t)lcg_below(&draw, 2));
	array b(t, n), x(t, n);
	number alpha = {1.5, is_complex(t) ? 0.5 : 0};
	struct scalar by = scalar_of(t, alpha);
	std::vector<number> vb, vx;
	cusparseDnVecDescr_t db, dx;
	cusparseSpSVDescr_t plan;
	size_t bytes;

	for (int i = 0; i < n; i++) {
		vb.push_back(random_number(t));
		b.set(i, vb[i]);
	}
	b.send();
	attributes(d.descr, lower, unit);
	OK(cusparseCreateDnVec(&db, n, b.at, t));
	OK(cusparseCreateDnVec(&dx, n, x.at, t));
	OK(cusparseSpSV_createDescr(&plan));
	OK(cusparseSpSV_bufferSize(handle, op, &by, d.descr, db, dx, t, CUSPARSE_SPSV_ALG_DEFAULT,
				   plan, &bytes));
	buffer memory(bytes);
	EXPECT_STATUS(CUSPARSE_STATUS_INVALID_VALUE,
		      cusparseSpSV_solve(handle, op, &by, d.descr, db, dx, t,
					 CUSPARSE_SPSV_ALG_DEFAULT, plan));
	OK(cusparseSpSV_analysis(handle, op, &by, d.descr, db, dx, t, CUSPARSE_SPSV_ALG_DEFAULT,
				 plan, memory.at));
	for (int round = 0; round <= 2 * updated; round++) {
		if (round == 1) {
			/* all values are half as large */
			array half(t, d.values->count);

			for (size_t i = 0; i < half.count; i++) {
				number v = d.values->value(i);

				half.set(i, {v.re / 2, v.im / 2});
			}
			half.send();
			OK(cusparseSpSV_updateMatrix(handle, plan, half.at,
						     CUSPARSE_SPSV_UPDATE_GENERAL));
			for (number &v : a.values)
				v = {v.re / 2, v.im / 2};
			CHECK(cudaDeviceSynchronize());
		} else if (round == 2) {
			array diagonal(t, n);

			for (int i = 0; i < n; i++) {
				a.at(i, i) = {4 + i % 4 * 0.25, 0};
				diagonal.set(i, a.at(i, i));
			}
			diagonal.send();
			OK(cusparseSpSV_updateMatrix(handle, plan, diagonal.at,
						     CUSPARSE_SPSV_UPDATE_DIAGONAL));
			CHECK(cudaDeviceSynchronize());
		}
		OK(cusparseSpSV_solve(handle, op, &by, d.descr, db, dx, t,
				      CUSPARSE_SPSV_ALG_DEFAULT, plan));
		x.bring();
		vx.clear();
		for (int i = 0; i < n; i++)
			vx.push_back(x.value(i));
		check_solution(a, op, lower, unit, alpha, vx, vb, t);
	}
	OK(cusparseSpSV_destroyDescr(plan));
	EXPECT_STATUS(CUSPARSE_STATUS_INVALID_VALUE, cusparseSpSV_destroyDescr(plan));
	OK(cusparseDestroyDnVec(db));
	OK(cusparseDestroyDnVec(dx));
}

static void spsm_case(int n, int columns, cusparseFormat_t format, cudaDataType t,
		      cusparseOperation_t op_a, cusparseOperation_t op_b, bool lower, bool unit)
{
	matrix a = triangle(n, 2, t, lower, true, !unit);
	device_matrix d(a, format, t, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE);
	array b(t, (size_t)n * columns), c(t, (size_t)n * columns);
	number alpha = {-0.5, 0};
	struct scalar by = scalar_of(t, alpha);
	bool conj = op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	cusparseDnMatDescr_t db, dc;
	cusparseSpSMDescr_t plan;
	size_t bytes;

	for (size_t i = 0; i < b.count; i++)
		b.set(i, random_number(t));
	b.send();
	attributes(d.descr, lower, unit);
	/* B by rows, C by columns */
	OK(cusparseCreateDnMat(&db, op_b ? columns : n, op_b ? n : columns, op_b ? n : columns,
			       b.at, t, CUSPARSE_ORDER_ROW));
	OK(cusparseCreateDnMat(&dc, n, columns, n, c.at, t, CUSPARSE_ORDER_COL));
	OK(cusparseSpSM_createDescr(&plan));
	OK(cusparseSpSM_bufferSize(handle, op_a, op_b, &by, d.descr, db, dc, t,
				   CUSPARSE_SPSM_ALG_DEFAULT, plan, &bytes));
	buffer memory(bytes);
	OK(cusparseSpSM_analysis(handle, op_a, op_b, &by, d.descr, db, dc, t,
				 CUSPARSE_SPSM_ALG_DEFAULT, plan, memory.at));
	OK(cusparseSpSM_solve(handle, op_a, op_b, &by, d.descr, db, dc, t,
			      CUSPARSE_SPSM_ALG_DEFAULT, plan));
	c.bring();
	for (int j = 0; j < columns; j++) {
		std::vector<number> vb, vx;

		for (int i = 0; i < n; i++) {
			vb.push_back(conj_if(b.value(op_b ? j * n + i : i * columns + j), conj));
			vx.push_back(c.value((size_t)j * n + i));
		}
		check_solution(a, op_a, lower, unit, alpha, vx, vb, t);
	}
	OK(cusparseSpSM_destroyDescr(plan));
	OK(cusparseDestroyDnMat(db));
	OK(cusparseDestroyDnMat(dc));
}

int main(int argc, char **argv)
{
	const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
	const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

	parse_size(argc, argv, "solve", NULL, 0, 0, 0);
	OK(cusparseCreate(&handle));
	for (cudaDataType t : types)
		for (int k = 0; k < 8; k++) {
			cusparseFormat_t f = (cusparseFormat_t)(1 + lcg_below(&draw, 3));
			cusparseOperation_t op = (cusparseOperation_t)lcg_below(&draw, 3);

			spsv_case(1 + (int)lcg_below(&draw, 40), (int)lcg_below(&draw, 5), f, t, op,
				  k & 1, k & 2, k == 1 || k == 4);
			spsm_case(1 + (int)lcg_below(&draw, 40), (int)lcg_below(&draw, 5), f, t, op,
				  (cusparseOperation_t)lcg_below(&draw, 3), k & 1, k & 2);
		}
	/* one level, as many levels as rows, more rows in a level than threads */
	spsv_case(300, 0, CUSPARSE_FORMAT_CSR, CUDA_R_64F, plain, true, false, false);
	spsv_case(90, 4, CUSPARSE_FORMAT_CSR, CUDA_R_64F, plain, false, false, false);
	spsv_case(60, 2, CUSPARSE_FORMAT_SLICED_ELLPACK, CUDA_R_32F, plain, true, false, false);
	spsv_case(0, 0, CUSPARSE_FORMAT_CSR, CUDA_R_32F, plain, true, false, false);
	OK(cusparseDestroy(handle));
	return finish();
}
