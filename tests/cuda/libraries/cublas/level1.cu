/* SPDX-License-Identifier: MIT */
/* Level 1 of cuBLAS beside loops of the host in double precision, and its documented corners. */
#include "blas.h"

BLAS_ALL(axpy)
BLAS_ALL(copy)
BLAS_ALL(swap)
BLAS_ALL(scal)
BLAS_ALL(rot)
BLAS_REAL(rotm)
BLAS_ALL(rotg)
BLAS_REAL(rotmg)
BLAS_REAL(dot)
BLAS_COMPLEX(dotu)
BLAS_COMPLEX(dotc)
#define NORMS(name, upper)                                                   \
	template <class... A> cublasStatus_t name(float, A &&...a)           \
	{                                                                    \
		return cublasS##name(handle, a...);                          \
	}                                                                    \
	template <class... A> cublasStatus_t name(double, A &&...a)          \
	{                                                                    \
		return cublasD##name(handle, a...);                          \
	}                                                                    \
	template <class... A> cublasStatus_t name(cuComplex, A &&...a)       \
	{                                                                    \
		return cublasSc##name(handle, a...);                         \
	}                                                                    \
	template <class... A> cublasStatus_t name(cuDoubleComplex, A &&...a) \
	{                                                                    \
		return cublasDz##name(handle, a...);                         \
	}
NORMS(nrm2, )
NORMS(asum, )
#define PLACES(name)                                                         \
	template <class... A> cublasStatus_t name(float, A &&...a)           \
	{                                                                    \
		return cublasIs##name(handle, a...);                         \
	}                                                                    \
	template <class... A> cublasStatus_t name(double, A &&...a)          \
	{                                                                    \
		return cublasId##name(handle, a...);                         \
	}                                                                    \
	template <class... A> cublasStatus_t name(cuComplex, A &&...a)       \
	{                                                                    \
		return cublasIc##name(handle, a...);                         \
	}                                                                    \
	template <class... A> cublasStatus_t name(cuDoubleComplex, A &&...a) \
	{                                                                    \
		return cublasIz##name(handle, a...);                         \
	}
PLACES(amax)
PLACES(amin)

struct wide {
	double re, im;
};

template <class T> static wide wide_of(T a)
{
	return {part(a, 0), is_complex<T>() ? part(a, parts<T>() - 1) : 0};
}

static wide operator*(wide a, wide b)
{
	return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static wide operator+(wide a, wide b)
{
	return {a.re + b.re, a.im + b.im};
}
static wide conjugate(wide a)
{
	return {a.re, -a.im};
}

/* Element i of n, where BLAS has it */
template <class T> static T &at(T *x, int i, int n, int inc)
{
	return x[(long)(inc < 0 ? i - (n - 1) : i) * inc];
}

/* A few, some hundreds, or so many that several blocks add them up. */
static int vector_size()
{
	switch (lcg_below(&draw, 3)) {
	case 0:
		return random_size();
	case 1:
		return (int)lcg_below(&draw, 700);
	default:
		return 4097 + (int)lcg_below(&draw, 5000);
	}
}

template <class T> static void test_elements()
{
	int n = lcg_below(&draw, 2) ? random_size() : (int)lcg_below(&draw, 1500);
	int incx = random_increment(), incy = random_increment(), up = abs(incx);
	T alpha = random_scalar<T>(), s = random_number<T>();
	real_of<T> c = random_number<real_of<T>>();
	double close = 32 * epsilon<T>();
	buffer<T> x(vector_length(n, incx)), y(vector_length(n, incy)), z(vector_length(n, incx));
	argument<T> by(alpha), sine(s);
	argument<real_of<T>> cosine(c);

	x.send();
	y.send();
	z.send();
	for (int i = 0; i < n; i++) {
		T &a = at(y.host, i, n, incy);
		wide sum = wide_of(alpha) * wide_of(at(x.host, i, n, incx)) + wide_of(a);

		a = number<T>(sum.re, sum.im);
	}
	OK(axpy(T(), n, by, x.device, incx, y.device, incy));
	y.check("axpy", close);
	y.send();
	for (int i = 0; i < n; i++) {
		wide a = wide_of(at(x.host, i, n, incx)), b = wide_of(at(y.host, i, n, incy)),
		     w = wide_of(s);
		wide r = {c, 0}, minus = {-1, 0}, p = r * a + w * b,
		     q = r * b + minus * conjugate(w) * a;

		at(x.host, i, n, incx) = number<T>(p.re, p.im);
		at(y.host, i, n, incy) = number<T>(q.re, q.im);
	}
	OK(rot(T(), n, x.device, incx, y.device, incy, cosine, sine));
	x.check("rot x", 2 * close);
	y.check("rot y", 2 * close);
	x.send();
	y.send();
	for (int i = 0; i < n; i++) {
		T t = at(x.host, i, n, incx);

		at(x.host, i, n, incx) = at(y.host, i, n, incy);
		at(y.host, i, n, incy) = t;
	}
	OK(swap(T(), n, x.device, incx, y.device, incy));
	x.check("swap x", 0);
	y.check("swap y", 0);
	for (int i = 0; i < n; i++)
		at(y.host, i, n, incy) = at(x.host, i, n, incx);
	OK(copy(T(), n, x.device, incx, y.device, incy));
	y.check("copy", 0);
	for (int i = 0; i < n; i++) {
		wide p = wide_of(alpha) * wide_of(z.host[(long)i * up]);

		z.host[(long)i * up] = number<T>(p.re, p.im);
	}
	OK(scal(T(), n, by, z.device, up));
	z.check("scal", close);
	/* an increment that is not positive: nothing */
	OK(scal(T(), n, by, z.device, -up));
	z.check("scal", close);
}

template <class T> static void test_sums()
{
	typedef real_of<T> R;
	int n = vector_size(), incx = random_increment(), incy = random_increment(), up = abs(incx);
	buffer<T> x(vector_length(n, incx)), y(vector_length(n, incy));
	wide plain = {0, 0}, conj = {0, 0};
	double squares = 0, sizes = 0, close = 8 * (n + 4) * epsilon<T>() * (n + 1), want_max = 0,
	       want_min = 0;
	int most = 0, least = 0;
	result<T> dots[2];
	result<R> norm, sum;
	result<int> first_max, first_min;

	/* several elements of the same size */
	for (long i = 0; i < x.count; i++)
		if (lcg_below(&draw, 4) == 0)
			for (int p = 0; p < parts<T>(); p++)
				part(x.host[i], p) = (R)(p ? 0 : lcg_below(&draw, 2) ? 3 : -3);
	x.send();
	y.send();
	for (int i = 0; i < n; i++) {
		wide a = wide_of(at(x.host, i, n, incx)), b = wide_of(at(y.host, i, n, incy));
		wide c = wide_of(x.host[(long)i * up]);
		/* as the device rounds it, since ties count */
		double size = (R)((R)fabs(c.re) + (R)fabs(c.im));

		plain = plain + a * b;
		conj = conj + conjugate(a) * b;
		squares += c.re * c.re + c.im * c.im;
		sizes += size;
		if (i == 0 || size > want_max) {
			want_max = size;
			most = i + 1;
		}
		if (i == 0 || size < want_min) {
			want_min = size;
			least = i + 1;
		}
	}
	if constexpr (sizeof(T) == sizeof(R)) {
		OK(dot(T(), n, x.device, incx, y.device, incy, dots[0]));
		expect_near("dot", n, dots[0].get(), plain.re, close);
	} else {
		OK(dotu(T(), n, x.device, incx, y.device, incy, dots[0]));
		OK(dotc(T(), n, x.device, incx, y.device, incy, dots[1]));
		dots[0].get();
		dots[1].get();
		expect_near("dotu re", n, dots[0].value.x, plain.re, close);
		expect_near("dotu im", n, dots[0].value.y, plain.im, close);
		expect_near("dotc re", n, dots[1].value.x, conj.re, close);
		expect_near("dotc im", n, dots[1].value.y, conj.im, close);
	}
	OK(nrm2(T(), n, x.device, up, norm));
	expect_near("nrm2", n, norm.get(), sqrt(squares),
		    (n + 4) * epsilon<T>() * (sqrt(squares) + 1));
	OK(asum(T(), n, x.device, up, sum));
	expect_near("asum", n, sum.get(), sizes, (n + 4) * epsilon<T>() * (sizes + 1));
	OK(amax(T(), n, x.device, up, first_max));
	OK(amin(T(), n, x.device, up, first_min));
	expect_same("amax", n, first_max.get(), most);
	expect_same("amin", n, first_min.get(), least);
}

template <class T> static void test_rotm()
{
	static const T flags[] = {-2, -1, 0, 1};
	int n = random_size(), incx = random_increment(), incy = random_increment();
	T param[5], *device, h[4];
	buffer<T> x(vector_length(n, incx)), y(vector_length(n, incy));

	param[0] = flags[lcg_below(&draw, 4)];
	for (int i = 1; i < 5; i++)
		param[i] = random_number<T>();
	device = device_from(param, 5);
	x.send();
	y.send();
	/* h11, h21, h12, h22 */
	h[0] = param[0] == 0 ? 1 : param[1];
	h[1] = param[0] == 1 ? -1 : param[2];
	h[2] = param[0] == 1 ? 1 : param[3];
	h[3] = param[0] == 0 ? 1 : param[4];
	for (int i = 0; i < n && param[0] != -2; i++) {
		T a = at(x.host, i, n, incx), b = at(y.host, i, n, incy);

		at(x.host, i, n, incx) = a * h[0] + b * h[2];
		at(y.host, i, n, incy) = a * h[1] + b * h[3];
	}
	OK(rotm(T(), n, x.device, incx, y.device, incy, device_scalars ? device : param));
	x.check("rotm x", 8 * epsilon<T>());
	y.check("rotm y", 8 * epsilon<T>());
	CHECK(cudaFree(device));
}

/* What a rotation is for: the pair becomes (r, 0), and the rotation is unitary. */
template <class T> static void test_rotg()
{
	typedef real_of<T> R;
	T before[2], pair[2], s;
	R c;
	double close = 8 * epsilon<T>();

	for (int i = 0; i < 12; i++) {
		/* one of both 0, both 0, and some large ones */
		double scale = i % 3 ? 1 : sizeof(R) == 4 ? 0x1p100 : 0x1p1000;

		for (int j = 0; j < 2; j++) {
			T a = random_number<T>();

			for (int p = 0; p < parts<T>(); p++)
				part(a, p) *= (R)((i >> 1) % 3 == j || i == 11 ? 0 : scale);
			before[j] = pair[j] = a;
		}
		T *device = device_from(pair, 2), *dev_s = device_new<T>(1);
		R *dev_c = device_new<R>(1);
		if (device_scalars) {
			OK(rotg(T(), device, device + 1, dev_c, dev_s));
			host_from(pair, device, 2);
			host_from(&s, dev_s, 1);
			host_from(&c, dev_c, 1);
		} else {
			OK(rotg(T(), pair, pair + 1, &c, &s));
		}
		wide a = wide_of(before[0]), b = wide_of(before[1]), r = wide_of(pair[0]),
		     w = wide_of(s);
		wide cosine = {c, 0}, minus = {-1, 0};
		for (wide *v : {&a, &b, &r}) {
			v->re /= scale;
			v->im /= scale;
		}
		wide up = cosine * a + w * b, down = cosine * b + minus * conjugate(w) * a;
		expect_near("rotg r", i, up.re, r.re, close);
		expect_near("rotg r", i, up.im, r.im, close);
		expect_near("rotg 0", i, down.re, 0, close);
		expect_near("rotg 0", i, down.im, 0, close);
		expect_near("rotg unit", i, c * (double)c + w.re * w.re + w.im * w.im, 1, close);
		CHECK(cudaFree(device));
		CHECK(cudaFree(dev_s));
		CHECK(cudaFree(dev_c));
	}
}

/* H (x, y) is (x', 0), and d1' x'^2 is d1 x^2 + d2 y^2, with d1' and d2' in bounds. */
template <class T> static void test_rotmg()
{
	static const double scales[] = {1, 1e9, 1e-9};

	for (int i = 0; i < 24; i++) {
		T in[4], out[9];

		for (int j = 0; j < 4; j++) {
			double scale = i < 8 ? 1 : scales[lcg_below(&draw, 3)];

			in[j] = (T)(scale * lcg_double(&draw, 0.1, 1));
			out[j] = in[j];
		}
		T *device = device_from(out, 9);
		if (device_scalars) {
			OK(rotmg(T(), device, device + 1, device + 2, device + 3, device + 4));
			host_from(out, device, 9);
		} else {
			OK(rotmg(T(), out, out + 1, out + 2, out + 3, out + 4));
		}
		CHECK(cudaFree(device));
		/* flag, h11, h21, h12, h22 */
		const T *h = out + 4;
		double h11 = h[0] == 0 ? 1 : h[1], h21 = h[0] == 1 ? -1 : h[2];
		double h12 = h[0] == 1 ? 1 : h[3], h22 = h[0] == 0 ? 1 : h[4];
		double x = in[2], y = in[3], close = 64 * epsilon<T>();
		double before = in[0] * x * x + in[1] * y * y;
		double after = (double)out[0] * out[2] * out[2];

		EXPECT(h[0] == -1 || h[0] == 0 || h[0] == 1);
		expect_near("rotmg x", i, h11 * x + h12 * y, out[2],
			    close * (fabs(h11 * x) + fabs(h12 * y)));
		expect_near("rotmg 0", i, h21 * x + h22 * y, 0,
			    close * (fabs(h21 * x) + fabs(h22 * y)));
		expect_near("rotmg norm", i, after, before, close * before);
		for (int j = 0; j < 2; j++)
			EXPECT(out[j] > 0x1p-24 && out[j] < 0x1p24);
	}
	T negative[9] = {-1, 2, 3, 4};
	if (!device_scalars) {
		OK(rotmg(T(), negative, negative + 1, negative + 2, negative + 3, negative + 4));
		EXPECT(negative[4] == -1 && negative[0] == 0 && negative[5] == 0);
	}
}

/* Norms whose squares do not exist, and places of NaNs. */
template <class T> static void test_corners()
{
	typedef real_of<T> R;
	/* a quarter of the greatest number, and some that are not normal */
	const double big = sizeof(R) == 4 ? 0x1p126 : 0x1p1022,
		     tiny = sizeof(R) == 4 ? 0x1p-140 : 0x1p-1060;
	T values[4] = {number<T>(big), number<T>(big), number<T>(0), number<T>(tiny)};
	T *x = device_from(values, 4);
	result<R> norm;
	result<int> place;

	OK(nrm2(T(), 2, x, 1, norm));
	expect_near("nrm2 of large", 0, norm.get() / big, sqrt(2.0), 8 * epsilon<T>());
	OK(nrm2(T(), 2, x + 2, 1, norm));
	expect_near("nrm2 of small", 0, norm.get() / tiny, 1, 0.001);
	OK(amax(T(), 0, x, 1, place));
	expect_same("amax of nothing", 0, place.get(), 0);
	OK(asum(T(), 3, x, -1, norm));
	expect_same("asum backwards", 0, (double)norm.get(), 0.0);
	/* as in the host's BLAS: a NaN is the largest only where it is the first */
	part(values[0], 0) = 1;
	memset((void *)&part(values[1], 0), 0xff, sizeof(R));
	part(values[2], 0) = 2;
	CHECK(cudaMemcpy(x, values, sizeof(values), cudaMemcpyHostToDevice));
	OK(amax(T(), 4, x, 1, place));
	expect_same("amax beside NaN", 0, place.get(), 3);
	OK(amax(T(), 3, x + 1, 1, place));
	expect_same("amax behind NaN", 0, place.get(), 1);
	OK(nrm2(T(), 3, x, 1, norm));
	EXPECT(norm.get() != norm.get());
	CHECK(cudaFree(x));
}

template <class T> static void test_type(int turns)
{
	for (int i = 0; i < turns; i++) {
		draw_mode();
		test_elements<T>();
		test_sums<T>();
		if constexpr (sizeof(T) == sizeof(real_of<T>))
			test_rotm<T>();
		if (i < 2)
			test_rotg<T>();
		if constexpr (sizeof(T) == sizeof(real_of<T>))
			if (i < 2)
				test_rotmg<T>();
	}
	test_corners<T>();
}

int main(int argc, char **argv)
{
	int turns = (int)parse_size(argc, argv, "level1", "problems of each kind and type", 6, 1,
				    10000);

	OK(cublasCreate(&handle));
	test_type<float>(turns);
	test_type<double>(turns);
	test_type<cuComplex>(turns);
	test_type<cuDoubleComplex>(turns);
	OK(cublasDestroy(handle));
	return finish();
}
