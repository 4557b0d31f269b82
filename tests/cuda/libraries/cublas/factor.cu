/* SPDX-License-Identifier: MIT */
/*
 * Factorisations of batches. A solution is right if what it solves is: A X is compared with B in
 * double precision, within n^2 roundings of what was added up.
 */
#include "blas.h"

enum { BATCH = 3 };

BLAS_ALL(getrfBatched)
BLAS_ALL(getrsBatched)
BLAS_ALL(getriBatched)
BLAS_ALL(matinvBatched)
BLAS_ALL(geqrfBatched)
BLAS_ALL(gelsBatched)
BLAS_ALL(tpttr)
BLAS_ALL(trttp)

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

struct wide {
	double re, im;
};

template <class T> static wide wide_of(T a)
{
	return {part(a, 0), is_complex<T>() ? part(a, parts<T>() - 1) : 0};
}

/* sum += op(A)(i, k) b */
template <class T>
static void add(wide &sum, const T *a, int lda, cublasOperation_t op, int i, int k, T b)
{
	wide x = wide_of(op ? a[k + (long)i * lda] : a[i + (long)k * lda]), y = wide_of(b);

	if (op == CUBLAS_OP_C)
		x.im = -x.im;
	sum.re += x.re * y.re - x.im * y.im;
	sum.im += x.re * y.im + x.im * y.re;
}

template <class T>
static void expect_wide(const char *what, long i, wide got, wide want, double bound)
{
	expect_near(what, i, got.re, want.re, bound);
	expect_near(what, i, got.im, want.im, bound);
}

/* A generator of matrices that are not near a singular one, but whose pivots are not on the
 * diagonal */
template <class T> static void make_regular(T *a, int n, int lda)
{
	for (int j = 0; j < n; j++)
		a[(j + 1) % n + (long)j * lda] = number<T>(n + 2.0, 1.0);
}

template <class T> static void test_lu()
{
	static const int sizes[] = {1, 2, 5, 17, 32, 33};
	cublasOperation_t op = random_op();
	int n = sizes[lcg_below(&draw, 6)], cols = 1 + (int)lcg_below(&draw, 4), lda = more(n),
	    ldb = more(n);
	int info[BATCH], one_info = 9, pivots[BATCH * 33], *dev_info = device_new<int>(BATCH);
	int *dev_pivots = device_new<int>(BATCH * n);
	long sa = (long)lda * n, sb = (long)ldb * cols;
	double bound = 32.0 * (n + 2) * (n + 2) * parts<T>() * epsilon<T>();
	buffer<T> a(sa * BATCH), b(sb * BATCH), inverse(sa * BATCH);

	for (int i = 0; i < BATCH; i++)
		make_regular(a.host + i * sa, n, lda);
	a.send();
	b.send();
	inverse.send();
	pointers<T> pa(a.device, sa), pb(b.device, sb), pi(inverse.device, sa);
	if (n <= 32) {
		OK(matinvBatched(T(), n, pa.device, lda, pi.device, lda, dev_info, BATCH));
		host_from(inverse.got, inverse.device, inverse.count);
		for (int i = 0; i < BATCH; i++)
			for (int r = 0; r < n; r++)
				for (int c = 0; c < n; c++) {
					wide sum = {0, 0}, want = {r == c ? 1.0 : 0.0, 0};

					for (int k = 0; k < n; k++)
						add(sum, a.host + i * sa, lda, CUBLAS_OP_N, r, k,
						    inverse.got[i * sa + k + (long)c * lda]);
					expect_wide<T>("matinv", r + c * n, sum, want, bound);
				}
	}
	OK(getrfBatched(T(), n, pa.device, lda, dev_pivots, dev_info, BATCH));
	host_from(info, dev_info, BATCH);
	host_from(pivots, dev_pivots, BATCH * n);
	for (int i = 0; i < BATCH; i++)
		expect_same("getrf info", i, info[i], 0);
	/* the largest of the first column is in the second row */
	if (n > 1)
		expect_same("getrf pivot", n, pivots[0], 2);
	OK(getrsBatched(T(), op, n, cols, pa.device, lda, dev_pivots, pb.device, ldb, &one_info,
			BATCH));
	expect_same("getrs info", 0, one_info, 0);
	host_from(b.got, b.device, b.count);
	for (int i = 0; i < BATCH; i++)
		for (int r = 0; r < n; r++)
			for (int c = 0; c < cols; c++) {
				wide sum = {0, 0};

				for (int k = 0; k < n; k++)
					add(sum, a.host + i * sa, lda, op, r, k,
					    b.got[i * sb + k + (long)c * ldb]);
				expect_wide<T>("getrs", r, sum,
					       wide_of(b.host[i * sb + r + (long)c * ldb]), bound);
			}
	OK(getriBatched(T(), n, pa.device, lda, dev_pivots, pi.device, lda, dev_info, BATCH));
	host_from(inverse.got, inverse.device, inverse.count);
	for (int i = 0; i < BATCH; i++)
		for (int r = 0; r < n; r++)
			for (int c = 0; c < n; c++) {
				wide sum = {0, 0}, want = {r == c ? 1.0 : 0.0, 0};

				for (int k = 0; k < n; k++)
					add(sum, a.host + i * sa, lda, CUBLAS_OP_N, r, k,
					    inverse.got[i * sa + k + (long)c * lda]);
				expect_wide<T>("getri", r + c * n, sum, want, bound);
			}
	CHECK(cudaFree(dev_info));
	CHECK(cudaFree(dev_pivots));
}

/* Without pivots; and a matrix with two equal rows, whose second pivot is 0. */
template <class T> static void test_singular()
{
	T values[4] = {number<T>(2), number<T>(2), number<T>(3), number<T>(3)}, got[4];
	T *a = device_from(values, 4), **list = device_from(&a, 1);
	int info, *dev_info = device_new<int>(1);

	OK(getrfBatched(T(), 2, list, 2, (int *)NULL, dev_info, 1));
	host_from(&info, dev_info, 1);
	host_from(got, a, 4);
	expect_same("info", 0, info, 2);
	expect_same("l21", 0, (double)part(got[1], 0), 1.0);
	expect_same("u22", 0, (double)part(got[3], 0), 0.0);
	OK(matinvBatched(T(), 2, list, 2, list, 2, dev_info, 1));
	host_from(&info, dev_info, 1);
	expect_same("matinv info", 0, info, 0);
	CHECK(cudaMemcpy(a, values, sizeof(values), cudaMemcpyHostToDevice));
	OK(matinvBatched(T(), 2, list, 2, list, 2, dev_info, 1));
	host_from(&info, dev_info, 1);
	expect_same("matinv info", 1, info, 2);
	EXPECT_STATUS(CUBLAS_STATUS_INVALID_VALUE,
		      matinvBatched(T(), 33, list, 33, list, 33, dev_info, 1));
	CHECK(cudaFree(a));
	CHECK(cudaFree(list));
	CHECK(cudaFree(dev_info));
}

/* R^H R = A^H A, since Q is unitary; and the residue of least squares is orthogonal to A. */
template <class T> static void test_qr()
{
	int n = 1 + (int)lcg_below(&draw, 9), m = n + (int)lcg_below(&draw, 30), lda = more(m),
	    ldc = more(m);
	int cols = 1 + (int)lcg_below(&draw, 3), info = 9, infos[BATCH],
	    *dev_info = device_new<int>(BATCH);
	long sa = (long)lda * n, sc = (long)ldc * cols;
	double bound = 64.0 * m * (n + 2) * parts<T>() * epsilon<T>() * (m + 4);
	buffer<T> a(sa * BATCH), c(sc * BATCH), tau(n * BATCH);

	for (int i = 0; i < BATCH; i++)
		for (int j = 0; j < n; j++)
			a.host[i * sa + j + (long)j * lda] = number<T>(3, 1);
	a.send();
	c.send();
	pointers<T> pa(a.device, sa), pc(c.device, sc), pt(tau.device, n);
	OK(geqrfBatched(T(), m, n, pa.device, lda, pt.device, &info, BATCH));
	expect_same("geqrf info", 0, info, 0);
	host_from(a.got, a.device, a.count);
	for (int i = 0; i < BATCH; i++)
		for (int r = 0; r < n; r++)
			for (int s = 0; s < n; s++) {
				wide got = {0, 0}, want = {0, 0};

				for (int k = 0; k <= r && k <= s; k++)
					add(got, a.got + i * sa, lda, CUBLAS_OP_C, r, k,
					    a.got[i * sa + k + (long)s * lda]);
				for (int k = 0; k < m; k++)
					add(want, a.host + i * sa, lda, CUBLAS_OP_C, r, k,
					    a.host[i * sa + k + (long)s * lda]);
				expect_wide<T>("geqrf", r, got, want, bound);
			}
	a.send();
	OK(gelsBatched(T(), CUBLAS_OP_N, m, n, cols, pa.device, lda, pc.device, ldc, &info,
		       dev_info, BATCH));
	host_from(c.got, c.device, c.count);
	host_from(infos, dev_info, BATCH);
	for (int i = 0; i < BATCH; i++) {
		expect_same("gels info", i, infos[i], 0);
		for (int s = 0; s < cols; s++) {
			T residue[64];

			for (int r = 0; r < m; r++) {
				wide sum = {0, 0}, b = wide_of(c.host[i * sc + r + (long)s * ldc]);

				for (int k = 0; k < n; k++)
					add(sum, a.host + i * sa, lda, CUBLAS_OP_N, r, k,
					    c.got[i * sc + k + (long)s * ldc]);
				residue[r] = number<T>(b.re - sum.re, b.im - sum.im);
			}
			for (int k = 0; k < n; k++) {
				wide sum = {0, 0}, none = {0, 0};

				for (int r = 0; r < m; r++)
					add(sum, a.host + i * sa, lda, CUBLAS_OP_C, k, r,
					    residue[r]);
				expect_wide<T>("gels", k, sum, none, bound);
			}
		}
	}
	CHECK(cudaFree(dev_info));
}

template <class T> static void test_packed()
{
	cublasFillMode_t uplo = random_fill();
	int n = random_size(), lda = more(n);
	buffer<T> a((long)lda * n), p((long)n * (n + 1) / 2), back((long)lda * n);
	long next = 0;

	a.send();
	p.send();
	back.send();
	for (int j = 0; j < n; j++)
		for (int i = uplo ? 0 : j; i < (uplo ? j + 1 : n); i++) {
			back.host[i + (long)j * lda] = a.host[i + (long)j * lda];
			p.host[next++] = a.host[i + (long)j * lda];
		}
	OK(trttp(T(), uplo, n, a.device, lda, p.device));
	OK(tpttr(T(), uplo, n, p.device, back.device, lda));
	p.check("trttp", 0);
	back.check("tpttr", 0);
}

template <class T> static void test_type(int turns)
{
	for (int i = 0; i < turns; i++) {
		test_lu<T>();
		test_qr<T>();
		test_packed<T>();
	}
	test_singular<T>();
}

int main(int argc, char **argv)
{
	int turns = (int)parse_size(argc, argv, "factor", "problems of each kind and type", 3, 1,
				    10000);

	OK(cublasCreate(&handle));
	test_type<float>(turns);
	test_type<double>(turns);
	test_type<cuComplex>(turns);
	test_type<cuDoubleComplex>(turns);
	OK(cublasDestroy(handle));
	return finish();
}
