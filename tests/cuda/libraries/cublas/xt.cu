/* SPDX-License-Identifier: MIT */
/*
 * cublasXt beside the host's BLAS: matrices in each kind of memory, tiles that fit no size, all
 * devices there are (up to two), a part by the host.
 */
#include "blas.h"

#include "../no_memory.h"

#include <cublasXt.h>

#undef BLAS_REAL
#undef BLAS_COMPLEX
#define XT_CALL(name, L, T)                                          \
	template <class... P> cublasStatus_t name(T, P... arguments) \
	{                                                            \
		return cublasXt##L##name(xt, arguments...);          \
	}
#define XT_COMPLEX(name) XT_CALL(name, C, cuComplex) XT_CALL(name, Z, cuDoubleComplex)
#define XT_ALL(name) XT_CALL(name, S, float) XT_CALL(name, D, double) XT_COMPLEX(name)

static cublasXtHandle_t xt;

XT_ALL(gemm)
XT_ALL(symm)
XT_ALL(spmm)
XT_ALL(syrk)
XT_ALL(syr2k)
XT_ALL(syrkx)
XT_ALL(trmm)
XT_ALL(trsm)
XT_COMPLEX(hemm)
XT_COMPLEX(herk)
XT_COMPLEX(her2k)
XT_COMPLEX(herkx)

enum memory { PAGEABLE, PINNED, MANAGED, DEVICE, KINDS };

/* An array that cublasXt is given, and the same one for the host's BLAS */
template <class T> struct array {
	long count;
	enum memory kind;
	T *host, *given;

	explicit array(long n, double scale = 1, bool of_host = false) : count(n > 0 ? n : 1)
	{
		kind = (enum memory)lcg_below(&draw, of_host ? PINNED + 1 : KINDS);
		host = (T *)host_alloc(count * sizeof(T));
		for (long i = 0; i < count; i++) {
			host[i] = random_number<T>();
			for (int p = 0; p < parts<T>(); p++)
				part(host[i], p) *= (real_of<T>)scale;
		}
		if (kind == PAGEABLE)
			given = (T *)host_alloc(count * sizeof(T));
		else if (kind == PINNED)
			CHECK(cudaMallocHost(&given, count * sizeof(T)));
		else if (kind == MANAGED)
			CHECK(cudaMallocManaged(&given, count * sizeof(T)));
		else
			CHECK(cudaMalloc(&given, count * sizeof(T)));
		send();
	}
	array(const array &) = delete;
	~array()
	{
		free(host);
		if (kind == PAGEABLE)
			free(given);
		else
			CHECK(kind == PINNED ? cudaFreeHost(given) : cudaFree(given));
	}
	void send()
	{
		CHECK(cudaMemcpy(given, host, count * sizeof(T), cudaMemcpyDefault));
	}
	/* NaN where nothing may be read */
	void poison()
	{
		memset((void *)host, 0xff, count * sizeof(T));
		poisoned = true;
		send();
	}
	void check(const char *what, double bound)
	{
		T *got = (T *)host_alloc(count * sizeof(T));

		CHECK(cudaMemcpy(got, given, count * sizeof(T), cudaMemcpyDefault));
		for (long i = 0; i < count; i++)
			for (int p = 0; p < parts<T>(); p++)
				expect_near(what, i, part(got[i], p), part(host[i], p), bound);
		free(got);
	}
};

/* As for cuBLAS, and C is rounded once for each tile. */
template <class T> static double bound(int k)
{
	return 8.0 * parts<T>() * (k + 4) * epsilon<T>() * (parts<T>() * k + 2);
}

static void draw_settings()
{
	static const int dims[] = {16, 24, 33, 64, 2048};

	OK(cublasXtSetBlockDim(xt, dims[lcg_below(&draw, 5)]));
	OK(cublasXtSetPinningMemMode(xt, (cublasXtPinnedMemMode_t)lcg_below(&draw, 2)));
}

template <class T> static void test_gemm(bool of_host)
{
	cublasOperation_t ta = random_op(), tb = random_op();
	int m = random_size(), n = random_size(), k = random_size();
	int lda = more(ta ? k : m), ldb = more(tb ? n : k), ldc = more(m);
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char la = letter(ta), lb = letter(tb);
	array<T> a((long)lda * (ta ? m : k), 1, of_host), b((long)ldb * (tb ? k : n), 1, of_host),
		c((long)ldc * n, 1, of_host);

	if (zero(alpha))
		a.poison();
	if (zero(beta) && ldc == m)
		c.poison();
	fortran<T>("gemm", &la, &lb, &m, &n, &k, &alpha, a.host, &lda, b.host, &ldb, &beta, c.host,
		   &ldc);
	OK(gemm(T(), ta, tb, m, n, k, &alpha, a.given, lda, b.given, ldb, &beta, c.given, ldc));
	c.check(of_host ? "gemm with the host" : "gemm", bound<T>(k));
}

template <class T> static void test_half(bool hermitian)
{
	cublasSideMode_t side = random_side();
	cublasFillMode_t uplo = random_fill();
	int m = random_size(), n = random_size(), k = side ? n : m;
	int lda = more(k), ldb = more(m), ldc = more(m);
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char ls = letter(side), lu = letter(uplo);
	array<T> a((long)lda * k), ap((long)k * (k + 1) / 2, 1, true), b((long)ldb * n),
		c((long)ldc * n), d((long)ldc * n);
	long at = 0;

	/* the packed form of the same triangle */
	for (int j = 0; j < k; j++)
		for (int i = uplo ? 0 : j; i < (uplo ? j + 1 : k); i++)
			ap.host[at++] = a.host[i + (long)j * lda];
	ap.send();
	if constexpr (sizeof(T) > sizeof(real_of<T>)) {
		if (hermitian) {
			fortran<T>("hemm", &ls, &lu, &m, &n, &alpha, a.host, &lda, b.host, &ldb,
				   &beta, c.host, &ldc);
			OK(hemm(T(), side, uplo, m, n, &alpha, a.given, lda, b.given, ldb, &beta,
				c.given, ldc));
			c.check("hemm", bound<T>(k));
			return;
		}
	}
	fortran<T>("symm", &ls, &lu, &m, &n, &alpha, a.host, &lda, b.host, &ldb, &beta, c.host,
		   &ldc);
	OK(symm(T(), side, uplo, m, n, &alpha, a.given, lda, b.given, ldb, &beta, c.given, ldc));
	c.check("symm", bound<T>(k));
	fortran<T>("symm", &ls, &lu, &m, &n, &alpha, a.host, &lda, b.host, &ldb, &beta, d.host,
		   &ldc);
	OK(spmm(T(), side, uplo, m, n, &alpha, ap.given, b.given, ldb, &beta, d.given, ldc));
	d.check("spmm", bound<T>(k));
}

/* With its other half added, C + C' of syrkx or herkx is that of syr2k or her2k. */
template <class T, class R> static void test_rank(bool hermitian)
{
	cublasFillMode_t uplo = random_fill();
	cublasOperation_t op = !lcg_below(&draw, 2) ? CUBLAS_OP_N
			       : hermitian	    ? CUBLAS_OP_C
						    : CUBLAS_OP_T;
	int n = random_size(), k = random_size(), ld = more(op ? k : n), ldc = more(n);
	T alpha = random_scalar<T>();
	R real = random_scalar<R>(), beta = random_scalar<R>();
	char lu = letter(uplo), lo = letter(op);
	array<T> a((long)ld * (op ? n : k)), b((long)ld * (op ? n : k)), c((long)ldc * n),
		d((long)ldc * n), e((long)ldc * n);

	fortran<T>(hermitian ? "herk" : "syrk", &lu, &lo, &n, &k, &real, a.host, &ld, &beta, c.host,
		   &ldc);
	fortran<T>(hermitian ? "her2k" : "syr2k", &lu, &lo, &n, &k, &alpha, a.host, &ld, b.host,
		   &ld, &beta, d.host, &ldc);
	fortran<T>(hermitian ? "herk" : "syrk", &lu, &lo, &n, &k, &real, a.host, &ld, &beta, e.host,
		   &ldc);
	T by = number<T>(0);
	memcpy((void *)&by, &real, sizeof(R));
	if constexpr (sizeof(T) > sizeof(R)) {
		OK(herk(T(), uplo, op, n, k, &real, a.given, ld, &beta, c.given, ldc));
		OK(her2k(T(), uplo, op, n, k, &alpha, a.given, ld, b.given, ld, &beta, d.given,
			 ldc));
		OK(herkx(T(), uplo, op, n, k, &by, a.given, ld, a.given, ld, &beta, e.given, ldc));
	} else {
		OK(syrk(T(), uplo, op, n, k, &real, a.given, ld, &beta, c.given, ldc));
		OK(syr2k(T(), uplo, op, n, k, &alpha, a.given, ld, b.given, ld, &beta, d.given,
			 ldc));
		OK(syrkx(T(), uplo, op, n, k, &by, a.given, ld, a.given, ld, &beta, e.given, ldc));
	}
	c.check(hermitian ? "herk" : "syrk", bound<T>(k));
	d.check(hermitian ? "her2k" : "syr2k", 2 * bound<T>(k));
	e.check(hermitian ? "herkx" : "syrkx", bound<T>(k));
}

template <class T> static void test_triangle()
{
	cublasSideMode_t side = random_side();
	cublasFillMode_t uplo = random_fill();
	cublasOperation_t op = random_op();
	cublasDiagType_t diag = random_diag();
	int m = random_size(), n = random_size(), k = side ? n : m, lda = more(k), ldb = more(m),
	    ldc = more(m);
	T alpha = random_scalar<T>();
	char ls = letter(side), lu = letter(uplo), lo = letter(op), ld = letter(diag);
	array<T> a((long)lda * k, 0.5 / (k + 1)), b((long)ldb * n), x((long)ldb * n),
		c((long)ldc * n);

	for (int i = 0; i < k; i++)
		a.host[i + (long)i * lda] = number<T>(1.5, 0.25);
	a.send();
	fortran<T>("trsm", &ls, &lu, &lo, &ld, &m, &n, &alpha, a.host, &lda, x.host, &ldb);
	OK(trsm(T(), side, uplo, op, diag, m, n, &alpha, a.given, lda, x.given, ldb));
	x.check("trsm", 16 * bound<T>(4));
	OK(trmm(T(), side, uplo, op, diag, m, n, &alpha, a.given, lda, b.given, ldb, c.given, ldc));
	OK(trmm(T(), side, uplo, op, diag, m, n, &alpha, a.given, lda, b.given, ldb, b.given, ldb));
	fortran<T>("trmm", &ls, &lu, &lo, &ld, &m, &n, &alpha, a.host, &lda, b.host, &ldb);
	b.check("trmm in place", bound<T>(4));
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			c.host[i + (long)j * ldc] = b.host[i + (long)j * ldb];
	c.check("trmm", bound<T>(4));
}

template <class T> static void test_type(int turns)
{
	for (int i = 0; i < turns; i++) {
		draw_settings();
		test_gemm<T>(false);
		test_half<T>(false);
		test_rank<T, T>(false);
		test_triangle<T>();
		if constexpr (sizeof(T) > sizeof(real_of<T>)) {
			draw_settings();
			test_half<T>(true);
			test_rank<T, real_of<T>>(true);
		}
	}
}

/* ---- a part by the host */

static int host_calls, host_rows, host_columns;

template <class T>
static void host_gemm(const char *ta, const char *tb, const int *m, const int *n, const int *k,
		      const T *alpha, const T *a, const int *lda, const T *b, const int *ldb,
		      const T *beta, T *c, const int *ldc)
{
	host_calls++;
	host_rows = *m;
	host_columns = *n;
	fortran<T>("gemm", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class T> static void test_host(cublasXtOpType_t type)
{
	const T one = number<T>(1);
	T c[6 * 40] = {};

	OK(cublasXtSetCpuRoutine(xt, CUBLASXT_GEMM, type, (void *)host_gemm<T>));
	OK(cublasXtSetCpuRatio(xt, CUBLASXT_GEMM, type, 0.25f));
	host_calls = 0;
	for (int i = 0; i < 6; i++)
		test_gemm<T>(true);
	/* a quarter of the longer side */
	array<T> a(40, 1, true), b(40, 1, true);
	OK(gemm(T(), CUBLAS_OP_N, CUBLAS_OP_N, 6, 40, 1, &one, a.given, 6, b.given, 1, &one, c, 6));
	expect_same<int>("rows by the host", 0, host_rows, 6);
	expect_same<int>("columns by the host", 0, host_columns, 10);
	/* none of it where a matrix is the device's */
	T *far = device_from(a.host, 40);
	host_calls = 0;
	OK(gemm(T(), CUBLAS_OP_N, CUBLAS_OP_N, 6, 40, 1, &one, far, 6, b.given, 1, &one, c, 6));
	expect_same<int>("calls of the host's", 0, host_calls, 0);
	CHECK(cudaFree(far));
	OK(cublasXtSetCpuRatio(xt, CUBLASXT_GEMM, type, 0));
}

/* Of one device, so that no other computes it */
static void test_without_memory(int device)
{
	enum { N = 256 };
	float one = 1, zero = 0;
	std::vector<float> a(N * N, 1.0f), c(N * N, -1.0f);
	cublasXtHandle_t other;
	auto multiply = [&] {
		return cublasXtSgemm(other, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a.data(), N,
				     a.data(), N, &zero, c.data(), N);
	};

	OK(cublasXtCreate(&other));
	OK(cublasXtDeviceSelect(other, 1, &device));
	{
		no_memory none;

		EXPECT_STATUS(CUBLAS_STATUS_ALLOC_FAILED, multiply());
		CHECK(cudaGetLastError());
	}
	expect_same("what nobody wrote", 0, c[0], -1.0f);
	OK(multiply());
	expect_same("the same call with memory", 0, c[N * N - 1], (float)N);
	OK(cublasXtDestroy(other));
}

static void test_statuses(int *devices, int count)
{
	float f[4] = {1, 2, 3, 4}, one = 1;
	int value, twice[] = {0, 0}, none[] = {99};
	cublasXtHandle_t other;
	cublasXtPinnedMemMode_t mode;

	OK(cublasXtCreate(&other));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasXtCreate(NULL));
	/* no device selected */
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED,
		      cublasXtSgemm(other, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, f, 2, f, 2,
				    &one, f, 2));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasXtDeviceSelect(other, 2, twice));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasXtDeviceSelect(other, 1, none));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasXtDeviceSelect(other, 0, devices));
	OK(cublasXtDeviceSelect(other, count, devices));
	OK(cublasXtDeviceSelect(other, 1, devices));
	OK(cublasXtGetBlockDim(other, &value));
	expect_same<int>("tiles at first", 0, value, 2048);
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE, cublasXtSetBlockDim(other, 0));
	OK(cublasXtGetPinningMemMode(other, &mode));
	expect_same<int>("pinning at first", 0, mode, CUBLASXT_PINNING_DISABLED);
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      cublasXtSetCpuRatio(other, CUBLASXT_GEMM, CUBLASXT_FLOAT, 1.5f));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      cublasXtSetCpuRoutine(other, CUBLASXT_ROUTINE_MAX, CUBLASXT_FLOAT, NULL));
	OK(cublasXtGetNumBoards(count, devices, &value));
	expect_same<int>("boards", 0, value, count);
	OK(cublasXtMaxBoards(&value));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      cublasXtSgemm(other, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, f, 1, f, 2,
				    &one, f, 2));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      cublasXtSgemm(other, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, NULL, 2, f, 2,
				    &one, f, 2));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      cublasXtSgemm(other, CUBLAS_OP_N, CUBLAS_OP_N, (size_t)-1, 2, 2, &one, f,
				    (size_t)-1, f, 2, &one, f, (size_t)-1));
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      cublasXtSsyrk(other, CUBLAS_FILL_MODE_FULL, CUBLAS_OP_N, 2, 2, &one, f, 2,
				    &one, f, 2));
	OK(cublasXtDestroy(other));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasXtDestroy(other));
	EXPECT_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, cublasXtSetBlockDim(other, 5));
	CHECK(cudaGetDevice(&value));
	expect_same<int>("the thread's device", 0, value, 0);
}

int main(int argc, char **argv)
{
	int turns =
		(int)parse_size(argc, argv, "xt", "problems of each kind and type", 2, 1, 10000);
	int devices[] = {0, 1}, count;

	CHECK(cudaGetDeviceCount(&count));
	count = count < 2 ? count : 2;
	OK(cublasXtCreate(&xt));
	OK(cublasXtDeviceSelect(xt, count, devices));
	test_type<float>(turns);
	test_type<double>(turns);
	test_type<cuComplex>(turns);
	test_type<cuDoubleComplex>(turns);
	test_host<float>(CUBLASXT_FLOAT);
	test_host<cuDoubleComplex>(CUBLASXT_DOUBLECOMPLEX);
	test_statuses(devices, count);
	test_without_memory(devices[0]);
	OK(cublasXtDestroy(xt));
	return finish();
}
