/* SPDX-License-Identifier: MIT */
/*
 * Batches by pointers and by strides, and products with elements of several types, beside the
 * host's BLAS or sums of the host that are exact.
 */
#include "blas.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { BATCH = 3 };

BLAS_ALL(gemmBatched)
BLAS_ALL(gemmStridedBatched)
BLAS_ALL(gemvBatched)
BLAS_ALL(gemvStridedBatched)
BLAS_ALL(trsmBatched)

template <class T> static double bound(int k)
{
	return 4.0 * parts<T>() * (k + 4) * epsilon<T>() * (parts<T>() * k + 2);
}

/* Pointers to BATCH pieces of a buffer, on the device. */
template <class T> struct pointers {
	T **device;

	pointers(T *base, long stride)
	{
		T *list[BATCH];

		for (int i = 0; i < BATCH; i++)
			list[i] = base + i * stride;
		device = device_from(list, BATCH);
	}
	pointers(const pointers &) = delete;
	~pointers()
	{
		CHECK(cudaFree(device));
	}
};

template <class T> static void test_products()
{
	cublasOperation_t ta = random_op(), tb = random_op();
	int m = random_size(), n = random_size(), k = random_size();
	int lda = more(ta ? k : m), ldb = more(tb ? n : k), ldc = more(m);
	long sa = (long)lda * (ta ? m : k) + 3, sb = (long)ldb * (tb ? k : n),
	     sc = (long)ldc * n + 1;
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char la = letter(ta), lb = letter(tb);
	buffer<T> a(sa * BATCH), b(sb * BATCH), c(sc * BATCH);
	argument<T> by(alpha), old(beta);
	pointers<T> pa(a.device, sa), pb(b.device, sb), pc(c.device, sc);

	a.send();
	b.send();
	c.send();
	for (int i = 0; i < BATCH; i++)
		fortran<T>("gemm", &la, &lb, &m, &n, &k, &alpha, a.host + i * sa, &lda,
			   b.host + i * sb, &ldb, &beta, c.host + i * sc, &ldc);
	OK(gemmBatched(T(), ta, tb, m, n, k, by, pa.device, lda, pb.device, ldb, old, pc.device,
		       ldc, BATCH));
	c.check("gemmBatched", bound<T>(k));
	c.send();
	/* one B for all */
	for (int i = 0; i < BATCH; i++)
		fortran<T>("gemm", &la, &lb, &m, &n, &k, &alpha, a.host + i * sa, &lda, b.host,
			   &ldb, &beta, c.host + i * sc, &ldc);
	OK(gemmStridedBatched(T(), ta, tb, m, n, k, by, a.device, lda, sa, b.device, ldb, 0LL, old,
			      c.device, ldc, sc, BATCH));
	c.check("gemmStridedBatched", bound<T>(k));
}

template <class T> static void test_vectors()
{
	cublasOperation_t op = random_op();
	int m = random_size(), n = random_size(), lda = more(m), incx = random_increment(),
	    incy = random_increment();
	int rows = op ? n : m, cols = op ? m : n;
	long sa = (long)lda * n + 1, sx = vector_length(cols, incx) + 2,
	     sy = vector_length(rows, incy) + 1;
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char lo = letter(op);
	buffer<T> a(sa * BATCH), x(sx * BATCH), y(sy * BATCH);
	argument<T> by(alpha), old(beta);
	pointers<T> pa(a.device, sa), px(x.device, sx), py(y.device, sy);

	a.send();
	x.send();
	y.send();
	for (int i = 0; i < BATCH; i++)
		fortran<T>("gemv", &lo, &m, &n, &alpha, a.host + i * sa, &lda, x.host + i * sx,
			   &incx, &beta, y.host + i * sy, &incy);
	OK(gemvBatched(T(), op, m, n, by, pa.device, lda, px.device, incx, old, py.device, incy,
		       BATCH));
	y.check("gemvBatched", bound<T>(cols));
	y.send();
	for (int i = 0; i < BATCH; i++)
		fortran<T>("gemv", &lo, &m, &n, &alpha, a.host + i * sa, &lda, x.host + i * sx,
			   &incx, &beta, y.host + i * sy, &incy);
	OK(gemvStridedBatched(T(), op, m, n, by, a.device, lda, sa, x.device, incx, sx, old,
			      y.device, incy, sy, BATCH));
	y.check("gemvStridedBatched", bound<T>(cols));
}

template <class T> static void test_solutions()
{
	cublasSideMode_t side = random_side();
	cublasFillMode_t uplo = random_fill();
	cublasOperation_t op = random_op();
	cublasDiagType_t diag = random_diag();
	int m = random_size(), n = random_size(), k = side ? n : m, lda = more(k), ldb = more(m);
	long sa = (long)lda * k, sb = (long)ldb * n;
	T alpha = random_scalar<T>();
	char ls = letter(side), lu = letter(uplo), lo = letter(op), ld = letter(diag);
	buffer<T> a(sa * BATCH, 0.5 / (k + 1)), b(sb * BATCH);
	argument<T> by(alpha);
	pointers<T> pa(a.device, sa), pb(b.device, sb);

	for (int i = 0; i < BATCH; i++)
		for (int j = 0; j < k; j++)
			a.host[i * sa + j + (long)j * lda] = number<T>(1.5, 0.25);
	a.send();
	b.send();
	for (int i = 0; i < BATCH; i++)
		fortran<T>("trsm", &ls, &lu, &lo, &ld, &m, &n, &alpha, a.host + i * sa, &lda,
			   b.host + i * sb, &ldb);
	OK(trsmBatched(T(), side, uplo, op, diag, m, n, by, pa.device, lda, pb.device, ldb, BATCH));
	b.check("trsmBatched", 16 * bound<T>(4));
}

static cublasStatus_t grouped(float, const cublasOperation_t *ta, const cublasOperation_t *tb,
			      const int *m, const int *n, const int *k, const float *alpha,
			      float **a, const int *lda, float **b, const int *ldb,
			      const float *beta, float **c, const int *ldc, int groups,
			      const int *counts)
{
	return cublasSgemmGroupedBatched(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c,
					 ldc, groups, counts);
}

static cublasStatus_t grouped(double, const cublasOperation_t *ta, const cublasOperation_t *tb,
			      const int *m, const int *n, const int *k, const double *alpha,
			      double **a, const int *lda, double **b, const int *ldb,
			      const double *beta, double **c, const int *ldc, int groups,
			      const int *counts)
{
	return cublasDgemmGroupedBatched(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c,
					 ldc, groups, counts);
}

/* Two groups, of one and of two products, with sizes and operations of their own. */
template <class T> static void test_groups()
{
	const cublasOperation_t ta[] = {CUBLAS_OP_N, CUBLAS_OP_T},
				tb[] = {CUBLAS_OP_T, CUBLAS_OP_N};
	const int m[] = {5, 33}, n[] = {18, 3}, k[] = {9, 17}, lda[] = {6, 17}, ldb[] = {18, 20},
		  ldc[] = {5, 40};
	const int counts[] = {1, 2}, bad[] = {5, 16};
	const T alpha[] = {2, -1}, beta[] = {0, 1};
	const long sa = 17 * 33, sb = 20 * 17, sc = 40 * 18;
	buffer<T> a(sa * BATCH), b(sb * BATCH), c(sc * BATCH);
	pointers<T> pa(a.device, sa), pb(b.device, sb), pc(c.device, sc);

	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	a.send();
	b.send();
	c.send();
	for (int i = 0; i < BATCH; i++) {
		int g = i > 0;
		char la = letter(ta[g]), lb = letter(tb[g]);

		fortran<T>("gemm", &la, &lb, &m[g], &n[g], &k[g], &alpha[g], a.host + i * sa,
			   &lda[g], b.host + i * sb, &ldb[g], &beta[g], c.host + i * sc, &ldc[g]);
	}
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      grouped(T(), ta, tb, m, n, k, alpha, pa.device, bad, pb.device, ldb, beta,
			      pc.device, ldc, 2, counts));
	OK(grouped(T(), ta, tb, m, n, k, alpha, pa.device, lda, pb.device, ldb, beta, pc.device,
		   ldc, 2, counts));
	c.check("gemmGroupedBatched", bound<T>(20));
}

/* ---- elements of other types: small integers, so that every sum is exact */

template <class T> static T small(int v)
{
	return (T)v;
}
template <> __half small<__half>(int v)
{
	return __float2half((float)v);
}
template <> __nv_bfloat16 small<__nv_bfloat16>(int v)
{
	return __float2bfloat16((float)v);
}
template <class T> static double value_of(T v)
{
	return (double)v;
}
template <> double value_of<__half>(__half v)
{
	return __half2float(v);
}
template <> double value_of<__nv_bfloat16>(__nv_bfloat16 v)
{
	return __bfloat162float(v);
}

/* S: the type of scalars */
template <class T, class C, class S>
static void test_typed(const char *what, cudaDataType type, cudaDataType ctype,
		       cublasComputeType_t compute)
{
	enum { M = 35, N = 18, K = 12 };
	static T a[M * K], b[K * N];
	static C c[M * N];
	T *dev_a, *dev_b;
	C *dev_c;
	double want[M * N];
	argument<S> by(small<S>(2)), old(small<S>(-1));

	for (T &v : a)
		v = small<T>((int)lcg_below(&draw, 7) - 3);
	for (T &v : b)
		v = small<T>((int)lcg_below(&draw, 5) - 2);
	for (C &v : c)
		v = small<C>((int)lcg_below(&draw, 9) - 4);
	dev_a = device_from(a, M * K);
	dev_b = device_from(b, K * N);
	dev_c = device_from(c, M * N);
	/* A transposed: M columns of K */
	for (int j = 0; j < N; j++)
		for (int i = 0; i < M; i++) {
			double sum = 0;

			for (int k = 0; k < K; k++)
				sum += value_of(a[k + i * K]) * value_of(b[k + j * K]);
			want[i + j * M] = 2 * sum - value_of(c[i + j * M]);
		}
	OK(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, M, N, K, by, dev_a, type, K, dev_b, type,
			K, old, dev_c, ctype, M, compute, CUBLAS_GEMM_DEFAULT));
	host_from(c, dev_c, M * N);
	for (int i = 0; i < M * N; i++)
		expect_same(what, i, value_of(c[i]), want[i] + 0.0);
	CHECK(cudaFree(dev_a));
	CHECK(cudaFree(dev_b));
	CHECK(cudaFree(dev_c));
}

/* 1 + 2^-11 is between two TF32 numbers: as floats the product is different. */
static void test_tf32(void)
{
	float values[2] = {1 + 0x1p-12f, 1 + 0x1p-11f}, one = 1, zero = 0, got[2];
	float *x = device_from(values, 2), *y = device_from(&one, 1), *z = device_new<float>(2);

	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	OK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, x, CUDA_R_32F, 2, y,
			CUDA_R_32F, 1, &zero, z, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F_FAST_TF32,
			CUBLAS_GEMM_DEFAULT));
	host_from(got, z, 2);
	expect_same("tf32", 0, got[0], 1.0f);
	expect_same("tf32", 1, got[1], 1 + 0x1p-10f);
	OK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, x, 2, y, 1, &zero, z, 2));
	host_from(got, z, 2);
	expect_same("float", 0, got[0], values[0]);
	OK(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
	OK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, x, 2, y, 1, &zero, z, 2));
	OK(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
	host_from(got, z, 2);
	expect_same("tf32 by mode", 1, got[1], 1 + 0x1p-10f);
	EXPECT_STATUS(CUBLAS_STATUS_NOT_SUPPORTED,
		      cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, x, CUDA_R_32F,
				   2, y, CUDA_R_16F, 1, &zero, z, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F,
				   CUBLAS_GEMM_DEFAULT));
	CHECK(cudaFree(x));
	CHECK(cudaFree(y));
	CHECK(cudaFree(z));
}

static void test_half_vectors(void)
{
	enum { N = 300 };
	__half x[N], y[N];
	float alpha = 2, norm = 0, squares = 0, dot = 0;
	__half result;

	for (int i = 0; i < N; i++) {
		x[i] = __float2half((float)(i % 3 - 1));
		y[i] = __float2half((float)(i % 4));
		squares += (float)((i % 3 - 1) * (i % 3 - 1));
	}
	__half *dx = device_from(x, N), *dy = device_from(y, N);
	OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	OK(cublasAxpyEx(handle, N, &alpha, CUDA_R_32F, dx, CUDA_R_16F, 1, dy, CUDA_R_16F, 1,
			CUDA_R_32F));
	host_from(y, dy, N);
	for (int i = 0; i < N; i++) {
		expect_same("AxpyEx", i, value_of(y[i]), (double)(i % 4 + 2 * (i % 3 - 1)));
		dot += (float)((i % 3 - 1) * (i % 4 + 2 * (i % 3 - 1)));
	}
	OK(cublasDotEx(handle, N, dx, CUDA_R_16F, 1, dy, CUDA_R_16F, 1, &result, CUDA_R_16F,
		       CUDA_R_32F));
	expect_same("DotEx", 0, value_of(result), (double)dot);
	OK(cublasNrm2Ex(handle, N, dx, CUDA_R_16F, 1, &result, CUDA_R_16F, CUDA_R_32F));
	norm = __half2float(__float2half(sqrtf(squares)));
	expect_same("Nrm2Ex", 0, value_of(result), (double)norm);
	OK(cublasScalEx(handle, N, &alpha, CUDA_R_32F, dx, CUDA_R_16F, 1, CUDA_R_32F));
	host_from(x, dx, N);
	for (int i = 0; i < N; i++)
		expect_same("ScalEx", i, value_of(x[i]), 2.0 * (i % 3 - 1));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_SUPPORTED,
		      cublasDotEx(handle, N, dx, CUDA_R_16F, 1, dy, CUDA_R_32F, 1, &result,
				  CUDA_R_16F, CUDA_R_32F));
	CHECK(cudaFree(dx));
	CHECK(cudaFree(dy));
}

template <class T> static void test_type(int turns)
{
	for (int i = 0; i < turns; i++) {
		draw_mode();
		test_products<T>();
		test_vectors<T>();
		test_solutions<T>();
	}
}

int main(int argc, char **argv)
{
	int turns = (int)parse_size(argc, argv, "batched", "problems of each kind and type", 4, 1,
				    10000);

	OK(cublasCreate(&handle));
	test_type<float>(turns);
	test_type<double>(turns);
	test_type<cuComplex>(turns);
	test_type<cuDoubleComplex>(turns);
	for (int i = 0; i < 2; i++) {
		draw_mode();
		test_typed<__half, __half, __half>("half", CUDA_R_16F, CUDA_R_16F,
						   CUBLAS_COMPUTE_16F);
		test_typed<__half, __half, float>("half by float", CUDA_R_16F, CUDA_R_16F,
						  CUBLAS_COMPUTE_32F);
		test_typed<__half, float, float>("half to float", CUDA_R_16F, CUDA_R_32F,
						 CUBLAS_COMPUTE_32F);
		test_typed<__nv_bfloat16, __nv_bfloat16, float>("bfloat16", CUDA_R_16BF,
								CUDA_R_16BF, CUBLAS_COMPUTE_32F);
		test_typed<__nv_bfloat16, float, float>("bfloat16 to float", CUDA_R_16BF,
							CUDA_R_32F, CUBLAS_COMPUTE_32F);
		test_typed<signed char, int, int>("bytes", CUDA_R_8I, CUDA_R_32I,
						  CUBLAS_COMPUTE_32I);
		test_typed<signed char, float, float>("bytes to float", CUDA_R_8I, CUDA_R_32F,
						      CUBLAS_COMPUTE_32F);
		test_typed<float, float, float>("float", CUDA_R_32F, CUDA_R_32F,
						CUBLAS_COMPUTE_32F_FAST_TF32);
		test_typed<double, double, double>("double", CUDA_R_64F, CUDA_R_64F,
						   CUBLAS_COMPUTE_64F);
	}
	test_groups<float>();
	test_groups<double>();
	test_tf32();
	test_half_vectors();
	OK(cublasDestroy(handle));
	return finish();
}
