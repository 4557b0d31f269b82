/* SPDX-License-Identifier: MIT */
/*
 * What the tests of cuSOLVER share: matrices of double complex numbers on the host, which are the
 * reference, and what the device has in one of four types. What is on the device outside of a
 * matrix is NaN, and has to stay so.
 */
#ifndef TESTS_CUSOLVER_SOLVER_H
#define TESTS_CUSOLVER_SOLVER_H

#include "common.h"

#include <cusolverDn.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

typedef std::complex<double> number;

static struct lcg draw = {51};
static cusolverDnHandle_t handle;

#define OK(call) check_status((call), CUSOLVER_STATUS_SUCCESS, #call, __LINE__)
#define EXPECT_STATUS(want, call) check_status((call), (want), #call, __LINE__)

static inline void check_status(cusolverStatus_t got, cusolverStatus_t want, const char *call,
				int line)
{
	if (got != want)
		mismatch("line %d, %s: got status %d, expected %d", line, call, (int)got,
			 (int)want);
}

/* The four types: the functions of each by one name, made where they are used */
template <class T> struct kind;
template <> struct kind<float> {
	typedef float real;
	enum { complex = 0, type = CUDA_R_32F };
	static constexpr const char *name = "S";
};
template <> struct kind<double> {
	typedef double real;
	enum { complex = 0, type = CUDA_R_64F };
	static constexpr const char *name = "D";
};
template <> struct kind<cuComplex> {
	typedef float real;
	enum { complex = 1, type = CUDA_C_32F };
	static constexpr const char *name = "C";
};
template <> struct kind<cuDoubleComplex> {
	typedef double real;
	enum { complex = 1, type = CUDA_C_64F };
	static constexpr const char *name = "Z";
};
template <class T> using real_of = typename kind<T>::real;
template <class T> static inline cudaDataType type_of()
{
	return (cudaDataType)kind<T>::type;
}
template <class T> static inline cudaDataType real_type_of()
{
	return sizeof(real_of<T>) == 4 ? CUDA_R_32F : CUDA_R_64F;
}
template <class T> static inline double epsilon()
{
	return std::numeric_limits<real_of<T>>::epsilon();
}

static inline number widen(float v)
{
	return v;
}
static inline number widen(double v)
{
	return v;
}
static inline number widen(cuComplex v)
{
	return {v.x, v.y};
}
static inline number widen(cuDoubleComplex v)
{
	return {v.x, v.y};
}
static inline void narrow(number v, float *to)
{
	*to = (float)v.real();
}
static inline void narrow(number v, double *to)
{
	*to = v.real();
}
static inline void narrow(number v, cuComplex *to)
{
	*to = make_cuComplex((float)v.real(), (float)v.imag());
}
static inline void narrow(number v, cuDoubleComplex *to)
{
	*to = make_cuDoubleComplex(v.real(), v.imag());
}

/* By columns */
struct matrix {
	int rows, cols;
	std::vector<number> values;

	matrix(int m = 0, int n = 0) : rows(m), cols(n), values((size_t)m * n)
	{
	}
	number &operator()(int i, int j)
	{
		return values[i + (size_t)j * rows];
	}
	number operator()(int i, int j) const
	{
		return values[i + (size_t)j * rows];
	}
	matrix part(int m, int n) const
	{
		matrix p(m, n);

		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++)
				p(i, j) = (*this)(i, j);
		return p;
	}
	matrix adjoint() const
	{
		matrix p(cols, rows);

		for (int j = 0; j < cols; j++)
			for (int i = 0; i < rows; i++)
				p(j, i) = std::conj((*this)(i, j));
		return p;
	}
	matrix transposed() const
	{
		matrix p(cols, rows);

		for (int j = 0; j < cols; j++)
			for (int i = 0; i < rows; i++)
				p(j, i) = (*this)(i, j);
		return p;
	}
	/* The largest sum of a column */
	double norm() const
	{
		double most = 0;

		for (int j = 0; j < cols; j++) {
			double sum = 0;

			for (int i = 0; i < rows; i++)
				sum += std::abs((*this)(i, j));
			if (!(sum <= most))
				most = sum;
		}
		return most;
	}
};

static inline matrix operator*(const matrix &a, const matrix &b)
{
	matrix c(a.rows, b.cols);

	for (int j = 0; j < b.cols; j++)
		for (int k = 0; k < a.cols; k++)
			for (int i = 0; i < a.rows; i++)
				c(i, j) += a(i, k) * b(k, j);
	return c;
}
static inline matrix operator-(const matrix &a, const matrix &b)
{
	matrix c = a;

	for (size_t i = 0; i < c.values.size(); i++)
		c.values[i] -= b.values[i];
	return c;
}
static inline matrix unit(int m, int n)
{
	matrix c(m, n);

	for (int i = 0; i < m && i < n; i++)
		c(i, i) = 1;
	return c;
}
static inline matrix diagonal(int m, int n, const std::vector<double> &d)
{
	matrix c(m, n);

	for (size_t i = 0; i < d.size(); i++)
		c((int)i, (int)i) = d[i];
	return c;
}

/* Numbers that floats hold, too */
template <class T> static inline matrix random_matrix(int m, int n)
{
	matrix a(m, n);

	for (number &v : a.values) {
		double re = (float)lcg_double(&draw, -1, 1), im = (float)lcg_double(&draw, -1, 1);

		v = {re, kind<T>::complex ? im : 0};
	}
	return a;
}
template <class T> static inline matrix random_hermitian(int n)
{
	matrix a = random_matrix<T>(n, n);

	for (int j = 0; j < n; j++) {
		a(j, j) = a(j, j).real();
		for (int i = 0; i < j; i++)
			a(i, j) = std::conj(a(j, i));
	}
	return a;
}
/* Positive definite */
template <class T> static inline matrix random_definite(int n)
{
	matrix a = random_hermitian<T>(n);

	for (int i = 0; i < n; i++)
		a(i, i) = std::abs(a(i, i)) + 2 * n;
	return a;
}
/* What a triangle of a Hermitian matrix says: the other half is NaN. */
static inline matrix half_of(const matrix &a, bool lower)
{
	matrix h = a;

	for (int j = 0; j < a.cols; j++)
		for (int i = 0; i < a.rows; i++)
			if (lower ? i < j : i > j)
				h(i, j) = NAN;
	return h;
}
static inline matrix triangle(const matrix &a, bool lower, bool one = false)
{
	matrix h = a;

	for (int j = 0; j < a.cols; j++)
		for (int i = 0; i < a.rows; i++)
			if (lower ? i < j : i > j)
				h(i, j) = 0;
			else if (i == j && one)
				h(i, j) = 1;
	return h;
}

/* Memory of the device: a matrix with a leading dimension, behind whose rows is NaN */
template <class T> struct device {
	int rows, cols, ld;
	T *at;

	device(int m, int n, int more = 0) : rows(m), cols(n), ld(m + more > 0 ? m + more : 1)
	{
		std::vector<T> all((size_t)ld * n + 1);

		for (T &v : all)
			narrow(number(NAN, NAN), &v);
		at = device_from(all.data(), (long)all.size());
	}
	device(const matrix &a, int more = 0) : device(a.rows, a.cols, more)
	{
		send(a);
	}
	~device()
	{
		CHECK(cudaFree(at));
	}
	device(const device &) = delete;
	void send(const matrix &a)
	{
		std::vector<T> all((size_t)ld * cols + 1);

		for (T &v : all)
			narrow(number(NAN, NAN), &v);
		for (int j = 0; j < cols; j++)
			for (int i = 0; i < rows; i++)
				narrow(a(i, j), &all[i + (size_t)j * ld]);
		CHECK(cudaMemcpy(at, all.data(), all.size() * sizeof(T), cudaMemcpyHostToDevice));
	}
	matrix bring() const
	{
		std::vector<T> all((size_t)ld * cols + 1);
		matrix a(rows, cols);

		CHECK(cudaMemcpy(all.data(), at, all.size() * sizeof(T), cudaMemcpyDeviceToHost));
		for (int j = 0; j < cols; j++)
			for (int i = 0; i < ld; i++)
				if (i < rows)
					a(i, j) = widen(all[i + (size_t)j * ld]);
				else
					EXPECT(std::isnan(widen(all[i + (size_t)j * ld]).real()));
		EXPECT(std::isnan(widen(all[(size_t)ld * cols]).real()));
		return a;
	}
};

/* Several results that are not numbers of a matrix: info, pivots, real vectors */
template <class T> struct list {
	long count;
	T *at;

	list(long n) : count(n)
	{
		std::vector<T> all(n + 1, (T)-77);

		at = device_from(all.data(), n + 1);
	}
	list(const std::vector<T> &from) : list((long)from.size())
	{
		CHECK(cudaMemcpy(at, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
	}
	~list()
	{
		CHECK(cudaFree(at));
	}
	list(const list &) = delete;
	std::vector<T> bring() const
	{
		std::vector<T> all(count + 1);

		CHECK(cudaMemcpy(all.data(), at, (count + 1) * sizeof(T), cudaMemcpyDeviceToHost));
		EXPECT(all[count] == (T)-77);
		all.pop_back();
		return all;
	}
	T value() const
	{
		return bring()[0];
	}
};

#define EXPECT_INFO(list, want) expect_info((list).value(), (want), __LINE__)
static inline void expect_info(int got, int want, int line)
{
	if (got != want)
		mismatch("line %d: got info %d, expected %d", line, got, want);
}

/* A and B differ by so many roundings of their size at most. */
template <class T>
static inline void expect_near(const matrix &a, const matrix &b, double roundings, const char *what,
			       int line, double scale = 0)
{
	double difference = (a - b).norm(), size = scale > 0 ? scale : b.norm();

	if (!(difference <= roundings * epsilon<T>() * size))
		mismatch("line %d, %s of %s, %d x %d: got a difference of %g, expected at most %g",
			 line, what, kind<T>::name, a.rows, a.cols, difference,
			 roundings * epsilon<T>() * size);
}
#define EXPECT_NEAR(T, a, b, roundings, what) expect_near<T>((a), (b), (roundings), what, __LINE__)
/* Columns of length 1, orthogonal to one another */
#define EXPECT_UNITARY(T, q, what)                                                               \
	expect_near<T>((q).adjoint() * (q), unit((q).cols, (q).cols), 30 * ((q).rows + 1), what, \
		       __LINE__, 1)

/* A function of one of four types: CALL(T, potrf) */
#define FOUR(name)                                                             \
	template <class... A> cusolverStatus_t name(float *, A... a)           \
	{                                                                      \
		return cusolverDnS##name(a...);                                \
	}                                                                      \
	template <class... A> cusolverStatus_t name(double *, A... a)          \
	{                                                                      \
		return cusolverDnD##name(a...);                                \
	}                                                                      \
	template <class... A> cusolverStatus_t name(cuComplex *, A... a)       \
	{                                                                      \
		return cusolverDnC##name(a...);                                \
	}                                                                      \
	template <class... A> cusolverStatus_t name(cuDoubleComplex *, A... a) \
	{                                                                      \
		return cusolverDnZ##name(a...);                                \
	}
#define FOUR_NAMES(name, real, complex)                                        \
	template <class... A> cusolverStatus_t name(float *, A... a)           \
	{                                                                      \
		return cusolverDnS##real(a...);                                \
	}                                                                      \
	template <class... A> cusolverStatus_t name(double *, A... a)          \
	{                                                                      \
		return cusolverDnD##real(a...);                                \
	}                                                                      \
	template <class... A> cusolverStatus_t name(cuComplex *, A... a)       \
	{                                                                      \
		return cusolverDnC##complex(a...);                             \
	}                                                                      \
	template <class... A> cusolverStatus_t name(cuDoubleComplex *, A... a) \
	{                                                                      \
		return cusolverDnZ##complex(a...);                             \
	}
#define CALL(T, name, ...) name((T *)NULL, __VA_ARGS__)

#endif
