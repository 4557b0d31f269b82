/* SPDX-License-Identifier: MIT */
/* Level 3 of cuBLAS beside the host's BLAS: sizes, layouts, scalars and pointer modes at random. */
#include "blas.h"

BLAS_ALL(gemm)
BLAS_ALL(symm)
BLAS_ALL(syrk)
BLAS_ALL(syr2k)
BLAS_ALL(syrkx)
BLAS_ALL(trmm)
BLAS_ALL(trsm)
BLAS_ALL(geam)
BLAS_ALL(dgmm)
BLAS_COMPLEX(gemm3m)
BLAS_COMPLEX(hemm)
BLAS_COMPLEX(herk)
BLAS_COMPLEX(her2k)
BLAS_COMPLEX(herkx)

/* Sums of k products of numbers below 1 (2 if complex), and one more. Each rounds by so much at
 * most. */
template <class T> static double bound(int k)
{
	return 4.0 * parts<T>() * (k + 4) * epsilon<T>() * (parts<T>() * k + 2);
}

template <class T> static void test_gemm_of(int m, int n, int k, bool three)
{
	cublasOperation_t ta = random_op(), tb = random_op();
	int lda = more(ta ? k : m), ldb = more(tb ? n : k), ldc = more(m);
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char la = letter(ta), lb = letter(tb);
	buffer<T> a((long)lda * (ta ? m : k)), b((long)ldb * (tb ? k : n)), c((long)ldc * n);
	argument<T> by(alpha), old(beta);

	if (zero(alpha))
		a.poison();
	if (zero(beta) && ldc == m)
		c.poison();
	a.send();
	b.send();
	c.send();
	fortran<T>("gemm", &la, &lb, &m, &n, &k, &alpha, a.host, &lda, b.host, &ldb, &beta, c.host,
		   &ldc);
	if constexpr (sizeof(T) > sizeof(real_of<T>)) {
		if (three) {
			OK(gemm3m(T(), ta, tb, m, n, k, by, a.device, lda, b.device, ldb, old,
				  c.device, ldc));
			c.check("gemm3m", bound<T>(k));
			return;
		}
	}
	OK(gemm(T(), ta, tb, m, n, k, by, a.device, lda, b.device, ldb, old, c.device, ldc));
	c.check("gemm", bound<T>(k));
}

template <class T> static void test_gemm(bool three)
{
	int m = random_size(), n = random_size(), k = random_size();

	test_gemm_of<T>(m, n, k, three);
}

/* For one SM the larger tiles are taken: a whole one, and what is left of its neighbours. */
template <class T> static void test_tiles()
{
	OK(cublasSetSmCountTarget(handle, 1));
	test_gemm_of<T>(130, 66, 35, false);
	test_gemm<T>(false);
	OK(cublasSetSmCountTarget(handle, 0));
}

template <class T> static void test_symm(bool hermitian)
{
	cublasSideMode_t side = random_side();
	cublasFillMode_t uplo = random_fill();
	int m = random_size(), n = random_size(), k = side ? n : m;
	int lda = more(k), ldb = more(m), ldc = more(m);
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char ls = letter(side), lu = letter(uplo);
	buffer<T> a((long)lda * k), b((long)ldb * n), c((long)ldc * n);
	argument<T> by(alpha), old(beta);

	a.send();
	b.send();
	c.send();
	fortran<T>(hermitian ? "hemm" : "symm", &ls, &lu, &m, &n, &alpha, a.host, &lda, b.host,
		   &ldb, &beta, c.host, &ldc);
	if constexpr (sizeof(T) > sizeof(real_of<T>))
		if (hermitian)
			OK(hemm(T(), side, uplo, m, n, by, a.device, lda, b.device, ldb, old,
				c.device, ldc));
	if (!hermitian)
		OK(symm(T(), side, uplo, m, n, by, a.device, lda, b.device, ldb, old, c.device,
			ldc));
	c.check(hermitian ? "hemm" : "symm", bound<T>(k));
}

template <class T> static void test_syrk()
{
	cublasFillMode_t uplo = random_fill();
	cublasOperation_t op = (cublasOperation_t)lcg_below(&draw, 2);
	int n = random_size(), k = random_size(), lda = more(op ? k : n), ldb = more(op ? k : n),
	    ldc = more(n);
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char lu = letter(uplo), lo = letter(op);
	buffer<T> a((long)lda * (op ? n : k)), b((long)ldb * (op ? n : k)), c((long)ldc * n),
		d((long)ldc * n);
	argument<T> by(alpha), old(beta);

	a.send();
	b.send();
	c.send();
	d.send();
	fortran<T>("syrk", &lu, &lo, &n, &k, &alpha, a.host, &lda, &beta, c.host, &ldc);
	OK(syrk(T(), uplo, op, n, k, by, a.device, lda, old, c.device, ldc));
	c.check("syrk", bound<T>(k));
	fortran<T>("syr2k", &lu, &lo, &n, &k, &alpha, a.host, &lda, b.host, &ldb, &beta, d.host,
		   &ldc);
	OK(syr2k(T(), uplo, op, n, k, by, a.device, lda, b.device, ldb, old, d.device, ldc));
	d.check("syr2k", 2 * bound<T>(k));
	/* one half of syr2k: with B = A it is syrk */
	c.send();
	fortran<T>("syrk", &lu, &lo, &n, &k, &alpha, a.host, &lda, &beta, c.host, &ldc);
	OK(syrkx(T(), uplo, op, n, k, by, a.device, lda, a.device, lda, old, c.device, ldc));
	c.check("syrkx", 2 * bound<T>(k));
}

template <class T> static void test_herk()
{
	typedef real_of<T> R;
	cublasFillMode_t uplo = random_fill();
	cublasOperation_t op = lcg_below(&draw, 2) ? CUBLAS_OP_C : CUBLAS_OP_N;
	int n = random_size(), k = random_size(), lda = more(op ? k : n), ldb = more(op ? k : n),
	    ldc = more(n);
	T alpha = random_scalar<T>();
	R real = random_scalar<R>(), beta = random_scalar<R>();
	char lu = letter(uplo), lo = letter(op);
	buffer<T> a((long)lda * (op ? n : k)), b((long)ldb * (op ? n : k)), c((long)ldc * n),
		d((long)ldc * n);
	argument<T> by(alpha);
	argument<R> by_real(real), old(beta);

	a.send();
	b.send();
	c.send();
	d.send();
	fortran<T>("herk", &lu, &lo, &n, &k, &real, a.host, &lda, &beta, c.host, &ldc);
	OK(herk(T(), uplo, op, n, k, by_real, a.device, lda, old, c.device, ldc));
	c.check("herk", bound<T>(k));
	fortran<T>("her2k", &lu, &lo, &n, &k, &alpha, a.host, &lda, b.host, &ldb, &beta, d.host,
		   &ldc);
	OK(her2k(T(), uplo, op, n, k, by, a.device, lda, b.device, ldb, old, d.device, ldc));
	d.check("her2k", 2 * bound<T>(k));
	argument<T> as_complex(number<T>(real));
	c.send();
	fortran<T>("herk", &lu, &lo, &n, &k, &real, a.host, &lda, &beta, c.host, &ldc);
	OK(herkx(T(), uplo, op, n, k, as_complex, a.device, lda, a.device, lda, old, c.device,
		 ldc));
	c.check("herkx", 2 * bound<T>(k));
}

/* Solutions grow with what is beside the diagonal: it is small, and the diagonal is not. */
template <class T> static void make_solvable(buffer<T> &a, int n, int lda)
{
	for (int i = 0; i < n; i++)
		a.host[i + (long)i * lda] = number<T>(1.5, 0.25);
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
	buffer<T> a((long)lda * k, 0.5 / (k + 1)), b((long)ldb * n), x((long)ldb * n),
		c((long)ldc * n);
	argument<T> by(alpha);

	make_solvable(a, k, lda);
	a.send();
	x.send();
	fortran<T>("trsm", &ls, &lu, &lo, &ld, &m, &n, &alpha, a.host, &lda, x.host, &ldb);
	OK(trsm(T(), side, uplo, op, diag, m, n, by, a.device, lda, x.device, ldb));
	x.check("trsm", 16 * bound<T>(4));
	/* out of place, then in place */
	b.send();
	c.send();
	OK(trmm(T(), side, uplo, op, diag, m, n, by, a.device, lda, b.device, ldb, c.device, ldc));
	OK(trmm(T(), side, uplo, op, diag, m, n, by, a.device, lda, b.device, ldb, b.device, ldb));
	fortran<T>("trmm", &ls, &lu, &lo, &ld, &m, &n, &alpha, a.host, &lda, b.host, &ldb);
	b.check("trmm", bound<T>(4));
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			c.host[i + (long)j * ldc] = b.host[i + (long)j * ldb];
	c.check("trmm to C", bound<T>(4));
}

template <class T> static T product(T a, T b)
{
	if constexpr (sizeof(T) > sizeof(real_of<T>))
		return number<T>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
	else
		return a * b;
}

template <class T> static T of(const buffer<T> &a, int ld, cublasOperation_t op, int i, int j)
{
	T v = op ? a.host[j + (long)i * ld] : a.host[i + (long)j * ld];

	if (is_complex<T>() && op == CUBLAS_OP_C)
		part(v, 1) = -part(v, 1);
	return v;
}

template <class T> static void test_more()
{
	cublasOperation_t ta = random_op(), tb = random_op();
	cublasSideMode_t side = random_side();
	int m = random_size(), n = random_size(), lda = more(ta ? n : m), ldb = more(tb ? n : m),
	    ldc = more(m);
	int inc = random_increment(), k = side ? n : m;
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	buffer<T> a((long)lda * (ta ? m : n)), b((long)ldb * (tb ? m : n)), c((long)ldc * n),
		x(vector_length(k, inc));
	argument<T> by(alpha), and_by(beta);

	if (zero(alpha))
		a.poison();
	a.send();
	b.send();
	c.send();
	x.send();
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			T sum = zero(alpha) ? number<T>(0) : product(alpha, of(a, lda, ta, i, j));
			T other = product(beta, of(b, ldb, tb, i, j));

			for (int p = 0; p < parts<T>(); p++)
				part(sum, p) += part(other, p);
			c.host[i + (long)j * ldc] = sum;
		}
	OK(geam(T(), ta, tb, m, n, by, a.device, lda, and_by, b.device, ldb, c.device, ldc));
	c.check("geam", bound<T>(2));
	/* in place */
	buffer<T> d((long)ldc * n);
	d.send();
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			d.host[i + (long)j * ldc] = product(
				d.host[i + (long)j * ldc],
				x.host[(side ? j : i) * inc - (inc < 0 ? (k - 1) * inc : 0)]);
	OK(dgmm(T(), side, m, n, d.device, ldc, x.device, inc, d.device, ldc));
	d.check("dgmm", bound<T>(1));
}

template <class T> static void test_type(int turns)
{
	for (int i = 0; i < turns; i++) {
		draw_mode();
		test_gemm<T>(false);
		test_tiles<T>();
		test_symm<T>(false);
		test_syrk<T>();
		test_triangle<T>();
		test_more<T>();
		if constexpr (sizeof(T) > sizeof(real_of<T>)) {
			test_gemm<T>(true);
			test_symm<T>(true);
			test_herk<T>();
		}
	}
}

int main(int argc, char **argv)
{
	int turns = (int)parse_size(argc, argv, "level3", "problems of each kind and type", 4, 1,
				    10000);

	OK(cublasCreate(&handle));
	test_type<float>(turns);
	test_type<double>(turns);
	test_type<cuComplex>(turns);
	test_type<cuDoubleComplex>(turns);
	OK(cublasDestroy(handle));
	return finish();
}
