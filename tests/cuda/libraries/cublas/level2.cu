/* SPDX-License-Identifier: MIT */
/* Level 2 of cuBLAS beside the host's BLAS: sizes, layouts, increments and scalars at random. */
#include "blas.h"

BLAS_ALL(gemv)
BLAS_ALL(gbmv)
BLAS_ALL(trmv)
BLAS_ALL(tbmv)
BLAS_ALL(tpmv)
BLAS_ALL(trsv)
BLAS_ALL(tbsv)
BLAS_ALL(tpsv)
BLAS_ALL(symv)
BLAS_ALL(syr)
BLAS_ALL(syr2)
BLAS_REAL(sbmv)
BLAS_REAL(spmv)
BLAS_REAL(spr)
BLAS_REAL(spr2)
BLAS_REAL(ger)
BLAS_COMPLEX(geru)
BLAS_COMPLEX(gerc)
BLAS_COMPLEX(hemv)
BLAS_COMPLEX(hbmv)
BLAS_COMPLEX(hpmv)
BLAS_COMPLEX(her)
BLAS_COMPLEX(hpr)
BLAS_COMPLEX(her2)
BLAS_COMPLEX(hpr2)

template <class T> static double bound(int k)
{
	return 4.0 * parts<T>() * (k + 4) * epsilon<T>() * (parts<T>() * k + 2);
}

template <class T> static void test_general()
{
	cublasOperation_t op = random_op();
	int m = random_size(), n = random_size(), lda = more(m), incx = random_increment(),
	    incy = random_increment();
	int rows = op ? n : m, cols = op ? m : n, kl = lcg_below(&draw, 5),
	    ku = lcg_below(&draw, 5), ldb = kl + ku + 1;
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char lo = letter(op);
	buffer<T> a((long)lda * n), band((long)ldb * n), x(vector_length(cols, incx)),
		y(vector_length(rows, incy));
	argument<T> by(alpha), old(beta);

	if (zero(alpha))
		a.poison();
	a.send();
	band.send();
	x.send();
	y.send();
	fortran<T>("gemv", &lo, &m, &n, &alpha, a.host, &lda, x.host, &incx, &beta, y.host, &incy);
	OK(gemv(T(), op, m, n, by, a.device, lda, x.device, incx, old, y.device, incy));
	y.check("gemv", bound<T>(cols));
	y.send();
	fortran<T>("gbmv", &lo, &m, &n, &kl, &ku, &alpha, band.host, &ldb, x.host, &incx, &beta,
		   y.host, &incy);
	OK(gbmv(T(), op, m, n, kl, ku, by, band.device, ldb, x.device, incx, old, y.device, incy));
	y.check("gbmv", 100 * bound<T>(cols));
}

/* The same n times n matrix in three storages; the calls differ in names and arguments. */
template <class T> static void test_half()
{
	cublasFillMode_t uplo = random_fill();
	int n = random_size(), k = lcg_below(&draw, 5), lda = more(n), ldb = more(k + 1);
	int incx = random_increment(), incy = random_increment();
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char lu = letter(uplo);
	double close = 100 * bound<T>(n);
	buffer<T> a((long)lda * n), b((long)ldb * n), p((long)n * (n + 1) / 2);
	buffer<T> x(vector_length(n, incx)), y(vector_length(n, incy));
	argument<T> by(alpha), old(beta);

	a.send();
	b.send();
	p.send();
	x.send();
	y.send();
	if constexpr (sizeof(T) == sizeof(real_of<T>)) {
		fortran<T>("symv", &lu, &n, &alpha, a.host, &lda, x.host, &incx, &beta, y.host,
			   &incy);
		OK(symv(T(), uplo, n, by, a.device, lda, x.device, incx, old, y.device, incy));
		y.check("symv", close);
		y.send();
		fortran<T>("sbmv", &lu, &n, &k, &alpha, b.host, &ldb, x.host, &incx, &beta, y.host,
			   &incy);
		OK(sbmv(T(), uplo, n, k, by, b.device, ldb, x.device, incx, old, y.device, incy));
		y.check("sbmv", close);
		y.send();
		fortran<T>("spmv", &lu, &n, &alpha, p.host, x.host, &incx, &beta, y.host, &incy);
		OK(spmv(T(), uplo, n, by, p.device, x.device, incx, old, y.device, incy));
		y.check("spmv", close);
	} else {
		fortran<T>("hemv", &lu, &n, &alpha, a.host, &lda, x.host, &incx, &beta, y.host,
			   &incy);
		OK(hemv(T(), uplo, n, by, a.device, lda, x.device, incx, old, y.device, incy));
		y.check("hemv", close);
		y.send();
		fortran<T>("hbmv", &lu, &n, &k, &alpha, b.host, &ldb, x.host, &incx, &beta, y.host,
			   &incy);
		OK(hbmv(T(), uplo, n, k, by, b.device, ldb, x.device, incx, old, y.device, incy));
		y.check("hbmv", close);
		y.send();
		fortran<T>("hpmv", &lu, &n, &alpha, p.host, x.host, &incx, &beta, y.host, &incy);
		OK(hpmv(T(), uplo, n, by, p.device, x.device, incx, old, y.device, incy));
		y.check("hpmv", close);
	}
}

template <class T> static void test_triangle()
{
	cublasFillMode_t uplo = random_fill();
	cublasOperation_t op = random_op();
	cublasDiagType_t diag = random_diag();
	int n = random_size(), k = lcg_below(&draw, 5), lda = more(n), ldb = more(k + 1),
	    inc = random_increment();
	char lu = letter(uplo), lo = letter(op), ld = letter(diag);
	buffer<T> a((long)lda * n, 0.5 / (n + 1)), b((long)ldb * n, 0.1),
		p((long)n * (n + 1) / 2, 0.5 / (n + 1));
	buffer<T> x(vector_length(n, inc));
	double close = 16 * bound<T>(4);

	for (int i = 0; i < n; i++) {
		a.host[i + (long)i * lda] = number<T>(1.5, 0.25);
		b.host[(uplo ? k : 0) + (long)i * ldb] = number<T>(1.5, 0.25);
		p.host[uplo ? i + (long)i * (i + 1) / 2 : (long)i * (2 * n - i + 1) / 2] =
			number<T>(1.5, 0.25);
	}
	a.send();
	b.send();
	p.send();
	x.send();
	fortran<T>("trmv", &lu, &lo, &ld, &n, a.host, &lda, x.host, &inc);
	OK(trmv(T(), uplo, op, diag, n, a.device, lda, x.device, inc));
	x.check("trmv", close);
	fortran<T>("trsv", &lu, &lo, &ld, &n, a.host, &lda, x.host, &inc);
	OK(trsv(T(), uplo, op, diag, n, a.device, lda, x.device, inc));
	x.check("trsv", close);
	fortran<T>("tbmv", &lu, &lo, &ld, &n, &k, b.host, &ldb, x.host, &inc);
	OK(tbmv(T(), uplo, op, diag, n, k, b.device, ldb, x.device, inc));
	x.check("tbmv", 16 * close);
	fortran<T>("tbsv", &lu, &lo, &ld, &n, &k, b.host, &ldb, x.host, &inc);
	OK(tbsv(T(), uplo, op, diag, n, k, b.device, ldb, x.device, inc));
	x.check("tbsv", 64 * close);
	fortran<T>("tpmv", &lu, &lo, &ld, &n, p.host, x.host, &inc);
	OK(tpmv(T(), uplo, op, diag, n, p.device, x.device, inc));
	x.check("tpmv", 64 * close);
	fortran<T>("tpsv", &lu, &lo, &ld, &n, p.host, x.host, &inc);
	OK(tpsv(T(), uplo, op, diag, n, p.device, x.device, inc));
	x.check("tpsv", 64 * close);
}

template <class T> static void test_update()
{
	typedef real_of<T> R;
	cublasFillMode_t uplo = random_fill();
	int m = random_size(), n = random_size(), lda = more(m), ldb = more(n);
	int incx = random_increment(), incy = random_increment(), incz = random_increment();
	T alpha = random_scalar<T>();
	R real = random_scalar<R>();
	char lu = letter(uplo);
	double close = bound<T>(3);
	buffer<T> a((long)lda * n), b((long)ldb * n), p((long)n * (n + 1) / 2);
	buffer<T> x(vector_length(m, incx)), y(vector_length(n, incy)), z(vector_length(n, incz));
	argument<T> by(alpha);
	argument<R> by_real(real);

	a.send();
	b.send();
	p.send();
	x.send();
	y.send();
	z.send();
	if constexpr (sizeof(T) == sizeof(R)) {
		fortran<T>("ger", &m, &n, &alpha, x.host, &incx, y.host, &incy, a.host, &lda);
		OK(ger(T(), m, n, by, x.device, incx, y.device, incy, a.device, lda));
		a.check("ger", close);
		fortran<T>("syr", &lu, &n, &alpha, y.host, &incy, b.host, &ldb);
		OK(syr(T(), uplo, n, by, y.device, incy, b.device, ldb));
		b.check("syr", close);
		fortran<T>("syr2", &lu, &n, &alpha, y.host, &incy, z.host, &incz, b.host, &ldb);
		OK(syr2(T(), uplo, n, by, y.device, incy, z.device, incz, b.device, ldb));
		b.check("syr2", 4 * close);
		fortran<T>("spr", &lu, &n, &alpha, y.host, &incy, p.host);
		OK(spr(T(), uplo, n, by, y.device, incy, p.device));
		p.check("spr", close);
		fortran<T>("spr2", &lu, &n, &alpha, y.host, &incy, z.host, &incz, p.host);
		OK(spr2(T(), uplo, n, by, y.device, incy, z.device, incz, p.device));
		p.check("spr2", 4 * close);
	} else {
		fortran<T>("geru", &m, &n, &alpha, x.host, &incx, y.host, &incy, a.host, &lda);
		OK(geru(T(), m, n, by, x.device, incx, y.device, incy, a.device, lda));
		a.check("geru", close);
		fortran<T>("gerc", &m, &n, &alpha, x.host, &incx, y.host, &incy, a.host, &lda);
		OK(gerc(T(), m, n, by, x.device, incx, y.device, incy, a.device, lda));
		a.check("gerc", 4 * close);
		fortran<T>("her", &lu, &n, &real, y.host, &incy, b.host, &ldb);
		OK(her(T(), uplo, n, by_real, y.device, incy, b.device, ldb));
		b.check("her", close);
		fortran<T>("her2", &lu, &n, &alpha, y.host, &incy, z.host, &incz, b.host, &ldb);
		OK(her2(T(), uplo, n, by, y.device, incy, z.device, incz, b.device, ldb));
		b.check("her2", 4 * close);
		fortran<T>("hpr", &lu, &n, &real, y.host, &incy, p.host);
		OK(hpr(T(), uplo, n, by_real, y.device, incy, p.device));
		p.check("hpr", close);
		fortran<T>("hpr2", &lu, &n, &alpha, y.host, &incy, z.host, &incz, p.host);
		OK(hpr2(T(), uplo, n, by, y.device, incy, z.device, incz, p.device));
		p.check("hpr2", 4 * close);
	}
}

/* The host has no symv, syr and syr2 with complex elements: products of the whole matrix instead.
 */
template <class T> static void test_complex_symmetric()
{
	cublasFillMode_t uplo = random_fill();
	int n = random_size(), lda = more(n), one = 1;
	T alpha = random_scalar<T>(), beta = random_scalar<T>();
	char lo = 'N', lu = letter(uplo), lt = 'N', left = 'L';
	buffer<T> a((long)lda * n), x(n), y(n), c((long)lda * n);
	argument<T> by(alpha), old(beta);
	T unit = number<T>(1);

	a.send();
	x.send();
	y.send();
	c.send();
	fortran<T>("symm", &left, &lu, &n, &one, &alpha, a.host, &lda, x.host, &lda, &beta, y.host,
		   &lda);
	OK(symv(T(), uplo, n, by, a.device, lda, x.device, 1, old, y.device, 1));
	y.check("symv", bound<T>(n));
	fortran<T>("syrk", &lu, &lt, &n, &one, &alpha, x.host, &lda, &unit, c.host, &lda);
	OK(syr(T(), uplo, n, by, x.device, 1, c.device, lda));
	c.check("syr", bound<T>(3));
	y.send();
	fortran<T>("syr2k", &lu, &lo, &n, &one, &alpha, x.host, &lda, y.host, &lda, &unit, c.host,
		   &lda);
	OK(syr2(T(), uplo, n, by, x.device, 1, y.device, 1, c.device, lda));
	c.check("syr2", (n + 4) * bound<T>(3));
}

template <class T> static void test_type(int turns)
{
	for (int i = 0; i < turns; i++) {
		draw_mode();
		test_general<T>();
		test_half<T>();
		test_triangle<T>();
		test_update<T>();
		if constexpr (sizeof(T) > sizeof(real_of<T>))
			test_complex_symmetric<T>();
	}
}

int main(int argc, char **argv)
{
	int turns = (int)parse_size(argc, argv, "level2", "problems of each kind and type", 6, 1,
				    10000);

	OK(cublasCreate(&handle));
	test_type<float>(turns);
	test_type<double>(turns);
	test_type<cuComplex>(turns);
	test_type<cuDoubleComplex>(turns);
	OK(cublasDestroy(handle));
	return finish();
}
